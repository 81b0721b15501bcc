/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/field.h"
#include "lib/render/lines.h"
#include "lib/render/printable.h"
#include "lib/render/render.h"

static void line_add(struct rbs_lines *lines, const char *path, const struct rbs_field *field)
{
	char name[512], value[512];

	rbs_printable(path, name, sizeof(name));
	if (field->code == RBS_OK)
		rbs_field_format(field, value, sizeof(value));
	else
		snprintf(value, sizeof(value), "null (%s)", rbs_code_name(field->code));
	rbs_lines_add(lines, "%s/%s=%s", name, field->desc->name, value);
}

static void fields_lines(struct rbs_lines *lines, const struct rbs_node *node)
{
	char path[512];

	rbs_node_path(node, path, sizeof(path));
	for (size_t i = 0; i < node->field_count; i++)
		line_add(lines, path, &node->fields[i]);
}

/* Depth first without recursion: the levels bound the depth. */
static void node_lines(struct rbs_lines *lines, const struct rbs_node *root)
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

enum rbs_code rbs_render_flat(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err)
{
	struct rbs_lines lines = {0};

	(void)options;
	for (size_t i = 0; i < report->section_count; i++)
		node_lines(&lines, report->sections[i].node);
	return rbs_lines_print(&lines, out, err);
}
