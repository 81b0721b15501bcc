/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mutate - runs one probe over thousands of images of a real excerpt, each with bytes, pointers and
 * lengths changed where the probe reads.
 *
 *     build/san/mutate [options] --family NAME DUMP     (tests/integration/test_damage.py)
 *
 * Image N is always the same image. None may crash, hang or be read without end. In one of 16 only
 * memory that the probe does not read is changed: then the output must not change either. Prints a
 * line for each image that breaks that, and one of counts; exit status 1 if any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/render.h"
#include "tests/damage/compare.h"
#include "tests/damage/input.h"
#include "tests/damage/memo.h"
#include "tests/damage/mutation.h"
#include "tests/damage/overlay.h"
#include "tests/damage/workers.h"

#define SECONDS 20
/* A damaged image may make a probe read more than the whole one, but not without bound. */
#define READS_MORE 64
#define READS_LEAST 4000000

struct mutate {
	struct input input;
	const char *family;
	size_t images, only;
	size_t every; /* one in every shows the slots too: long lists of packets take their time */
	struct rbs_dump dump;
	struct rbs_target *overlay; /* borrowed from dump */
	struct whole whole;
	uint64_t reads; /* of the whole image */
};

static struct rbs_dump *dump_read(struct mutate *self)
{
	/* The hypervisor's probe reads below the kernel, where there is one. */
	return !strcmp(self->family, "xen") && self->dump.hypervisor ? self->dump.hypervisor
								     : &self->dump;
}

/* In the order of 16s, so that those with harmless damage are among them. */
static bool is_verbose(const struct mutate *self, size_t item)
{
	return item / 16 % self->every == 0;
}

static enum rbs_code show(struct mutate *self, bool verbose, struct rbs_report **report,
			  struct rbs_error *err)
{
	const struct rbs_show_options options = {
		.families = &self->family, .family_count = 1, .verbose = verbose};

	return rbs_session_show(&self->dump, &options, report, err);
}

static bool mutate_start(void *state)
{
	struct mutate *self = state;
	const struct rbs_session_options options = input_session(&self->input);
	struct rbs_report *report;
	struct rbs_error error;
	struct rbs_dump *dump;

	if (rbs_session_open(&self->dump, self->input.path, &options, &error) != RBS_OK) {
		fprintf(stderr, "%s: %s\n", self->input.path, error.text);
		return false;
	}
	dump = dump_read(self);
	self->overlay = overlay_create(dump->target);
	dump->target = self->overlay;
	memo_attach(&dump->types);
	overlay_record(self->overlay, true);
	if (show(self, true, &report, &error) != RBS_OK) {
		fprintf(stderr, "%s: %s\n", self->input.path, error.text);
		return false;
	}
	self->reads = self->overlay->stats.reads;
	overlay_record(self->overlay, false);
	if (!overlay_words(self->overlay, true)) {
		fprintf(stderr, "%s: the probe of %s reads nothing\n", self->input.path,
			self->family);
		return false;
	}
	return whole_init(&self->whole, report);
}

static void mutate_name(void *state, size_t item, char *buffer, size_t size)
{
	const struct mutate *self = state;

	snprintf(buffer, size, "--family %s --only %zu %s", self->family,
		 self->only == SIZE_MAX ? item : self->only, self->input.path);
}

/* What is printed of garbage is garbage too: no renderer may stumble over it. */
static void report_render(const struct rbs_report *report)
{
	static const char *const formats[] = {"text", "json", "html", "md"};
	const struct rbs_render_options options = {.tool = "", .version = "", .verbose = true};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		FILE *out = fopen("/dev/null", "w");

		if (out) {
			rbs_render_find(formats[i])(report, &options, out, NULL);
			fclose(out);
		}
	}
}

static void result_judge(struct mutate *self, size_t item, const struct rbs_report *report,
			 struct tally *tally)
{
	struct difference difference = {.list = self->only != SIZE_MAX};
	char name[256];

	mutate_name(self, item, name, sizeof(name));
	if (overlay_limit_reached(self->overlay)) {
		tally_add(&tally->hangs, 1);
		printf("HANG %s: more than %d times the reads of the whole image\n", name,
		       READS_MORE);
	}
	if (mutation_matters(item) || !is_verbose(self, item)) {
		tally_add(&tally->partial, 1);
		return;
	}
	if (!report_compare(&self->whole, report, &difference))
		abort();
	tally_add(&tally->values, difference.values);
	if (!difference.wrong && !difference.absences) {
		tally_add(&tally->same, 1);
		return;
	}
	tally_add(&tally->wrong, 1);
	printf("WRONG %s: what is not read matters: %s\n", name,
	       difference.wrong ? difference.first : "figures are absent");
	fflush(stdout);
}

static void mutate_run(void *state, size_t item, struct tally *tally)
{
	struct mutate *self = state;
	struct rbs_report *report;
	struct rbs_error error;
	uint64_t limit = self->reads * READS_MORE;

	if (self->only != SIZE_MAX)
		item = self->only;
	mutation_apply(self->overlay, item);
	overlay_limit(self->overlay, limit < READS_LEAST ? READS_LEAST : limit);
	if (show(self, is_verbose(self, item), &report, &error) == RBS_OK) {
		result_judge(self, item, report, tally);
		if (item % 32 == 0)
			report_render(report);
		rbs_report_destroy(report);
	} else {
		tally_add(&tally->failed, 1);
	}
	overlay_limit(self->overlay, 0);
	overlay_restore(self->overlay);
}

int main(int argc, char **argv)
{
	struct mutate self = {.images = 20000, .only = SIZE_MAX, .every = 1};
	const struct input_option options[] = {
		{"family", .text = &self.family},
		{"images", .number = &self.images},
		{"only", .number = &self.only},
		{"slots", .number = &self.every},
		{NULL},
	};
	struct job job = {.seconds = SECONDS,
			  .state = &self,
			  .start = mutate_start,
			  .run = mutate_run,
			  .name = mutate_name};
	struct tally tally;

	if (!input_read(&self.input, options, argc, argv))
		return 2;
	if (!self.family || !self.every) {
		fprintf(stderr, "--family NAME is needed, and --slots from 1 on\n");
		return 2;
	}
	job.count = self.only == SIZE_MAX ? self.images : 1;
	if (!workers_run(&job, &tally))
		return 2;
	printf("%s of %s: %llu images, %llu crashes, %llu hangs, %llu wrong; %llu with damage that "
	       "does not matter, %llu damaged and shown, %llu failed as a whole\n",
	       self.family, self.input.path, (unsigned long long)tally.items,
	       (unsigned long long)tally.crashes, (unsigned long long)tally.hangs,
	       (unsigned long long)tally.wrong, (unsigned long long)tally.same,
	       (unsigned long long)tally.partial, (unsigned long long)tally.failed);
	return tally.crashes || tally.hangs || tally.wrong;
}
