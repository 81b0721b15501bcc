/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lib/render/field.h"
#include "lib/render/printable.h"
#include "lib/render/render.h"

struct lines {
	char **lines;
	size_t count, room;
	bool failed;
};

static void line_add(struct lines *lines, const char *path, const struct rbs_field *field)
{
	char name[512], value[512];
	char *line = NULL;

	if (lines->count == lines->room) {
		size_t room = lines->room ? 2 * lines->room : 256;
		char **grown = reallocarray(lines->lines, room, sizeof(*grown));

		if (!grown) {
			lines->failed = true;
			return;
		}
		lines->lines = grown;
		lines->room = room;
	}
	rbs_printable(path, name, sizeof(name));
	if (field->code == RBS_OK)
		rbs_field_format(field, value, sizeof(value));
	else
		snprintf(value, sizeof(value), "null (%s)", rbs_code_name(field->code));
	if (asprintf(&line, "%s/%s=%s", name, field->desc->name, value) < 0) {
		lines->failed = true;
		return;
	}
	lines->lines[lines->count++] = line;
}

static void fields_lines(struct lines *lines, const struct rbs_node *node)
{
	char path[512];

	rbs_node_path(node, path, sizeof(path));
	for (size_t i = 0; i < node->field_count; i++)
		line_add(lines, path, &node->fields[i]);
}

/* Depth first without recursion: the levels bound the depth. */
static void node_lines(struct lines *lines, const struct rbs_node *root)
{
	size_t next[RBS_LEVEL_COUNT + 1] = {0};
	const struct rbs_node *at = root;
	size_t depth = 0;

	fields_lines(lines, root);
	for (;;) {
		if (next[depth] < at->child_count) {
			at = at->children[next[depth]++];
			next[++depth] = 0;
			fields_lines(lines, at);
		} else if (depth) {
			depth--;
			at = at->parent;
		} else {
			return;
		}
	}
}

static int line_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

enum rbs_code rbs_render_flat(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err)
{
	struct lines lines = {0};

	(void)options;
	for (size_t i = 0; i < report->section_count; i++)
		node_lines(&lines, report->sections[i].node);
	if (lines.count)
		qsort(lines.lines, lines.count, sizeof(*lines.lines), line_compare);
	for (size_t i = 0; i < lines.count; i++) {
		fprintf(out, "%s\n", lines.lines[i]);
		free(lines.lines[i]);
	}
	free(lines.lines);
	return lines.failed ? rbs_error_set(err, RBS_NOMEM, "out of memory") : RBS_OK;
}
