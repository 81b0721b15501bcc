/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/lttng_ust/lttng_ust.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files that may have been buffers: only worth a word where there are buffers. */
static void nameless_show(struct ust_probe *probe)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_error error;

	if (probe->ust.nameless == RBS_OK || !probe->ust.count)
		return;
	rbs_error_set(&error, probe->ust.nameless,
		      "files of tmpfs whose first page can't be read may be buffers too");
	rbs_report_add_problem(section->report, section, &error);
}

/* Files that are buffers by their name: how many, and why they could not be read. */
void ust_unread_show(struct ust_probe *probe)
{
	struct rbs_node *section = probe->context->section->node;
	const struct rbs_ust_object *example = NULL;
	struct rbs_error error;
	size_t objects = 0;
	uint64_t pages = 0;

	for (size_t i = 0; i < probe->ust.count; i++) {
		const struct rbs_ust_object *object = &probe->ust.objects[i];

		if (object->code == RBS_OK)
			continue;
		if (object->code == RBS_EXCLUDED && object->inode) {
			if (!objects++)
				example = object;
			pages += object->pages.present;
			continue;
		}
		error = object->error;
		rbs_error_prefix(&error, "the buffer of inode %" PRIu64 " (%s)", object->inode,
				 *object->path ? object->path : "no path");
		rbs_report_add_problem(section->report, section, &error);
	}
	if (!objects) {
		nameless_show(probe);
		return;
	}
	rbs_error_set(&error, RBS_EXCLUDED,
		      "%zu buffer%s of %" PRIu64 " pages excluded by dump level: they are in the "
		      "page cache, which its bits 2 and 4 leave out (%sinode %" PRIu64 ", %s)",
		      objects, objects == 1 ? "" : "s", pages,
		      objects == 1 ? "" : "the first: ", example->inode,
		      *example->path ? example->path : "no path");
	rbs_report_add_problem(section->report, section, &error);
}

static void route_show(struct ust_probe *probe, const struct rbs_error *error, const char *route)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_error told = *error;

	if (error->code == RBS_OK)
		return;
	rbs_error_prefix(&told, "not all buffers may have been found by %s", route);
	rbs_report_add_problem(section->report, section, &told);
}

static int number_compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Trace by trace, channel by channel, CPU by CPU; those that no packet tells of come last. */
static int object_compare(const void *left, const void *right)
{
	const struct rbs_ust_object *a = left, *b = right;
	int order = (int)b->has_packet - (int)a->has_packet;

	if (!order)
		order = memcmp(a->uuid, b->uuid, sizeof(a->uuid));
	if (!order)
		order = (int)b->metadata - (int)a->metadata;
	if (!order)
		order = number_compare(a->stream_id, b->stream_id);
	if (!order)
		order = number_compare(a->cpu.number, b->cpu.number);
	/* Of copies, the one that more processes have comes first. */
	if (!order)
		order = number_compare(b->user_count, a->user_count);
	return order ? order : number_compare(a->inode, b->inode);
}

static void objects_show(struct ust_probe *probe)
{
	if (probe->ust.count)
		qsort(probe->ust.objects, probe->ust.count, sizeof(*probe->ust.objects),
		      object_compare);
	for (size_t i = 0; i < probe->ust.count; i++) {
		const struct rbs_ust_object *object = &probe->ust.objects[i];
		struct ust_owner owner;

		if (object->code != RBS_OK)
			continue;
		ust_owner_find(probe, object, &owner);
		ust_buffer_show(probe, object, ust_owner_node(probe, object, &owner), &owner);
	}
}

/* Which releases' layouts were assumed: they agree with the buffers' own tables. */
static void remark_set(struct ust_probe *probe)
{
	struct rbs_section *section = probe->context->section;
	const char *name = NULL;

	for (size_t i = 0; i < probe->ust.count; i++) {
		const struct rbs_ust_release *release = probe->ust.objects[i].release;

		if (!release || (name && !strcmp(name, release->name)))
			continue;
		snprintf(section->remark, sizeof(section->remark), "LTTng-UST %s",
			 name ? "of several releases" : release->name);
		if (name)
			return;
		name = release->name;
	}
}

static enum rbs_code none(const struct ust_probe *probe, bool *absent, struct rbs_error *err)
{
	*absent = true;
	return rbs_error_set(err, RBS_NO_SYMBOL,
			     "no process and no file in memory holds a buffer of LTTng's user "
			     "space tracer%s",
			     probe->ust.nameless != RBS_OK
				     ? ", as far as names tell: the dump leaves out "
				       "pages of files"
				     : "");
}

static enum rbs_code ust_run(struct rbs_probe_context *context, bool *absent, struct rbs_error *err)
{
	struct ust_probe probe = {.context = context};
	struct rbs_section *section = context->section;
	const struct rbs_ust_options options = {
		.scan = context->scan,
		.progress = context->progress,
		.progress_context = context->progress_context,
	};
	size_t problems = section->node->report->problem_count;
	enum rbs_code code = rbs_ust_init(&probe.ust, context->dump, &options, err);

	if (code != RBS_OK)
		return code;
	/* Without the texts, names and buffering schemes are what paths and processes tell. */
	if (probe.ust.count)
		rbs_ust_texts_init(&probe.texts, &probe.ust, NULL);
	section->types = probe.ust.layout.answered;
	if (context->packets)
		rbs_ust_extract(&probe.ust, &probe.texts, context->packets);
	objects_show(&probe);
	ust_unread_show(&probe);
	route_show(&probe, &probe.ust.process_error, "the memory areas of processes");
	route_show(&probe, &probe.ust.inode_error, "the inodes of tmpfs");
	route_show(&probe, &probe.ust.page_error, "the descriptions of pages");
	remark_set(&probe);
	if (!section->node->child_count && section->node->report->problem_count == problems)
		code = none(&probe, absent, err);
	rbs_ust_texts_deinit(&probe.texts);
	rbs_ust_deinit(&probe.ust);
	return code;
}

const struct rbs_probe rbs_lttng_ust_probe = {.family = &ust_family, .run = ust_run};
