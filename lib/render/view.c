/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/view.h"

#include <stdlib.h>
#include <string.h>

const struct rbs_node *rbs_ancestor(const struct rbs_node *node, enum rbs_level level)
{
	while (node && node->level > level)
		node = node->parent;
	return node && node->level == level ? node : NULL;
}

void rbs_rows_add(struct rbs_view *view, struct rbs_rows *rows, const struct rbs_node *node)
{
	const struct rbs_node **nodes;

	rows->total++;
	if (node->idle && !view->verbose) {
		rows->folded++;
		return;
	}
	nodes = reallocarray(rows->nodes, rows->count + 1, sizeof(*nodes));
	if (!nodes) {
		view->failed = true;
		return;
	}
	rows->nodes = nodes;
	nodes[rows->count++] = node;
}

void rbs_rows_collect(struct rbs_view *view, struct rbs_rows *rows, const struct rbs_node *group)
{
	if (group->level == rows->high)
		rbs_rows_add(view, rows, group);
	for (size_t i = 0; i < group->child_count; i++) {
		const struct rbs_node *child = group->children[i];
		size_t before = rows->total;

		if (child->level >= rows->high) {
			if (child->level == rows->high)
				rbs_rows_add(view, rows, child);
			continue;
		}
		for (size_t k = 0; k < child->child_count; k++) {
			if (child->children[k]->level == rows->high)
				rbs_rows_add(view, rows, child->children[k]);
		}
		if (rows->total == before && child->level >= rows->low)
			rbs_rows_add(view, rows, child);
	}
}

static bool column_empty(const struct rbs_rows *rows, const struct rbs_desc *desc,
			 bool zero_is_empty)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct rbs_node *node = rbs_ancestor(rows->nodes[i], desc->level);
		const struct rbs_field *field = node ? rbs_node_find(node, desc->name) : NULL;

		if (!field || field->code == RBS_NO_MEMBER ||
		    (zero_is_empty && field->code == RBS_NOT_COUNTED))
			continue;
		if (!zero_is_empty || field->code != RBS_OK || field->number || field->text)
			return false;
	}
	return true;
}

static bool column_wanted(const struct rbs_view *view, const struct rbs_rows *rows,
			  const struct rbs_desc *desc, enum rbs_place place)
{
	if (desc->level < rows->low || desc->level > rows->high)
		return false;
	if (place != RBS_PLACE_COLUMN && desc->level != rows->high)
		return false;
	if (place == RBS_PLACE_COLUMN && desc->place == RBS_PLACE_COLUMN_IF)
		return !column_empty(rows, desc, true);
	if (desc->place != place)
		return false;
	return !column_empty(rows, desc, place == RBS_PLACE_COUNTER && !view->verbose);
}

/* A name column is for numbers (aligned right) when every name in it is one. */
bool rbs_names_numeric(const struct rbs_rows *rows, enum rbs_level level)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct rbs_node *node = rbs_ancestor(rows->nodes[i], level);

		if (node && strspn(node->name, "0123456789") != strlen(node->name))
			return false;
	}
	return true;
}

void rbs_columns_choose(const struct rbs_view *view, const struct rbs_rows *rows,
			enum rbs_place place, struct rbs_columns *columns)
{
	*columns = (struct rbs_columns){0};
	for (enum rbs_level level = rows->low; level <= rows->high; level++) {
		if (view->family->name_header[level])
			columns->names[columns->name_count++] = level;
	}
	for (size_t i = 0; i < view->family->desc_count; i++) {
		if (columns->count + columns->name_count < RBS_TABLE_COLUMNS &&
		    column_wanted(view, rows, &view->family->descs[i], place))
			columns->descs[columns->count++] = &view->family->descs[i];
	}
}

bool rbs_row_has(const struct rbs_node *row, const struct rbs_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		const struct rbs_node *node = rbs_ancestor(row, columns->descs[i]->level);

		if (node && rbs_node_find(node, columns->descs[i]->name))
			return true;
	}
	return false;
}

bool rbs_title_wanted(const struct rbs_view *view, const struct rbs_field *field)
{
	switch (field->desc->place) {
	case RBS_PLACE_TITLE:
		return true;
	case RBS_PLACE_TITLE_IF:
		return view->verbose || field->code != RBS_OK || field->number;
	case RBS_PLACE_VERBOSE:
		return view->verbose;
	default:
		return false;
	}
}

void rbs_rows_collect_level(struct rbs_view *view, struct rbs_rows *rows,
			    const struct rbs_node *group, enum rbs_level level)
{
	rbs_rows_collect(view, rows, group);
	for (size_t i = 0; i < rows->count;) {
		if (rows->nodes[i]->level == level)
			i++;
		else
			memmove(&rows->nodes[i], &rows->nodes[i + 1],
				(--rows->count - i) * sizeof(*rows->nodes));
	}
}
