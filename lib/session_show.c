/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the probes and the rules on an open dump. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/probe.h"
#include "lib/session.h"
#include "lib/target/freebsd.h"
#include "lib/verdict.h"

static bool family_wanted(const struct rbs_show_options *options, const struct rbs_dump *dump,
			  const struct rbs_probe *probe)
{
	for (size_t i = 0; i < options->family_count; i++) {
		if (!strcmp(options->families[i], probe->family->name))
			return true;
	}
	/* Unasked, a family shows where there is something that it could read. */
	if (dump->is_freebsd)
		return !options->family_count && probe->of_freebsd;
	return !options->family_count &&
	       (probe->of_hypervisor ? dump->is_hypervisor || dump->hypervisor
				     : !dump->is_hypervisor);
}

/* By name, or by any text that introduces the device: driver, interface, bus address. */
static bool device_matches(const struct rbs_node *device, const char *pattern)
{
	if (!fnmatch(pattern, device->name, 0))
		return true;
	for (size_t i = 0; i < device->field_count; i++) {
		if (device->fields[i].text && !fnmatch(pattern, device->fields[i].text, 0))
			return true;
	}
	return false;
}

static void devices_filter(struct rbs_node *section, const char *pattern)
{
	size_t kept = 0;

	for (size_t i = 0; i < section->child_count; i++) {
		struct rbs_node *device = section->children[i];

		if (device_matches(device, pattern))
			section->children[kept++] = device;
		else
			rbs_node_destroy(device);
	}
	section->child_count = kept;
}

static enum rbs_code probe_run(struct rbs_dump *dump, const struct rbs_probe *probe,
			       const struct rbs_show_options *options, struct rbs_report *report,
			       struct rbs_error *err)
{
	struct rbs_section *section = rbs_report_add_section(report, probe->family);
	struct rbs_probe_context context = {.dump = dump,
					    .section = section,
					    .verbose = options->verbose,
					    .packets = options->packets,
					    .scan = options->scan,
					    .progress = options->progress,
					    .progress_context = options->progress_context};
	size_t problems = report->problem_count;
	bool absent = false;
	enum rbs_code code;

	if (!section)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (dump->is_hypervisor && !probe->of_hypervisor) {
		absent = true;
		code = rbs_error_set(err, RBS_NO_SYMBOL,
				     "the session is the hypervisor's, not a Linux kernel's%s%s",
				     dump->note_count ? ": " : "",
				     dump->note_count ? dump->notes[0] : "");
	} else if (dump->is_freebsd && !probe->of_freebsd) {
		absent = true;
		code = rbs_error_set(err, RBS_NO_SYMBOL,
				     "the dump is a FreeBSD kernel's; of those vmbus is read");
	} else {
		code = probe->run(&context, &absent, err);
	}
	if (code == RBS_OK) {
		section->status =
			report->problem_count > problems ? RBS_STATUS_PARTIAL : RBS_STATUS_OK;
	} else {
		section->status = absent ? RBS_STATUS_ABSENT : RBS_STATUS_FAILED;
		snprintf(section->reason, sizeof(section->reason), "%s", err->text);
		if (absent)
			code = RBS_OK;
	}
	if (options->device)
		devices_filter(section->node, options->device);
	return code;
}

/* A FreeBSD dump that is cut off opens all the same, and what is left can be read. */
static void cut_note(const struct rbs_dump *dump, struct rbs_report *report)
{
	uint64_t missing = dump->is_freebsd ? rbs_freebsd_missing(dump->target) : 0;
	struct rbs_error error;

	if (!missing)
		return;
	rbs_error_set(&error, RBS_TRUNCATED,
		      "the file is cut off: its last %" PRIu64 " bytes are missing", missing);
	rbs_report_add_problem_at(report, "dump", &error);
}

enum rbs_code rbs_session_show(struct rbs_dump *dump, const struct rbs_show_options *options,
			       struct rbs_report **result, struct rbs_error *err)
{
	struct rbs_report *report = rbs_report_create(&dump->target->info);
	enum rbs_code first = RBS_OK;
	size_t count, run = 0, failed = 0;
	const struct rbs_probe *const *probes = rbs_probes(&count);

	if (!report)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	cut_note(dump, report);
	for (size_t i = 0; i < count; i++) {
		struct rbs_error error;
		enum rbs_code code;

		if (!family_wanted(options, dump, probes[i]))
			continue;
		run++;
		code = probe_run(dump, probes[i], options, report, &error);
		if (code == RBS_OK)
			continue;
		failed++;
		if (first == RBS_OK) {
			first = code;
			rbs_error_give(err, &error);
		}
	}
	rbs_verdicts_run(report);
	if (report->code != RBS_OK)
		first = rbs_error_set(err, report->code, "out of memory");
	if (report->code != RBS_OK || (run && failed == run)) {
		rbs_report_destroy(report);
		return first;
	}
	*result = report;
	return RBS_OK;
}

enum rbs_code rbs_session_report(const char *path, const struct rbs_session_options *session,
				 const struct rbs_show_options *show, struct rbs_report **report,
				 struct rbs_error *err)
{
	struct rbs_dump dump;
	enum rbs_code code = rbs_session_open(&dump, path, session, err);

	if (code != RBS_OK)
		return code;
	code = rbs_session_show(&dump, show, report, err);
	rbs_dump_deinit(&dump);
	return code;
}
