/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view - how a family's results fall into tables, for the renderers that show people tables.
 *
 * A node of the family's group level has a table of the nodes of its row level, with the fields of
 * all levels between as columns.
 */
#ifndef RBS_RENDER_VIEW_H
#define RBS_RENDER_VIEW_H

#include "lib/render/table.h"
#include "lib/result.h"

struct rbs_view {
	const struct rbs_family *family;
	bool verbose;
	bool failed; /* memory ran out */
};

/* The nodes of a level below a group, in order, and how many of them are folded. */
struct rbs_rows {
	const struct rbs_node **nodes; /* owned as an array: free() it */
	size_t count, folded;
	size_t total;
	enum rbs_level low, high; /* the levels whose fields are columns */
};

struct rbs_columns {
	const struct rbs_desc *descs[RBS_TABLE_COLUMNS];
	size_t count;
	enum rbs_level
		names[RBS_LEVEL_COUNT]; /* levels whose nodes' names are columns before them */
	size_t name_count;
};

/* The node itself or the one above it that is of that level, or NULL. */
const struct rbs_node *rbs_ancestor(const struct rbs_node *node, enum rbs_level level);

/* Append node, or count it as folded when it is idle. */
void rbs_rows_add(struct rbs_view *view, struct rbs_rows *rows, const struct rbs_node *node);

/*
 * The nodes of rows->high below group. A channel that has no rings stands for itself among the
 * rings when rows->low is above it: it must not vanish.
 */
void rbs_rows_collect(struct rbs_view *view, struct rbs_rows *rows, const struct rbs_node *group);

/* The same without the nodes that only stand in for missing ones. */
void rbs_rows_collect_level(struct rbs_view *view, struct rbs_rows *rows,
			    const struct rbs_node *group, enum rbs_level level);

/* The columns of a place that some row has something for; rows must not be empty. */
void rbs_columns_choose(const struct rbs_view *view, const struct rbs_rows *rows,
			enum rbs_place place, struct rbs_columns *columns);

/* Whether every name in that level's column is a number. */
bool rbs_names_numeric(const struct rbs_rows *rows, enum rbs_level level);

/* Whether the row has a field for one of the columns. */
bool rbs_row_has(const struct rbs_node *row, const struct rbs_columns *columns);

/* Whether a field of a group's own belongs into its title. */
bool rbs_title_wanted(const struct rbs_view *view, const struct rbs_field *field);

#endif
