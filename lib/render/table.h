/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table - cells of text in aligned columns.
 *
 * The caller sets headers first, then adds rows of as many cells. Out of memory is remembered and
 * told by rbs_table_print().
 */
#ifndef RBS_TABLE_H
#define RBS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define RBS_TABLE_COLUMNS 48

struct rbs_table {
	struct {
		char header[32];
		bool left; /* aligned left: names; else right: numbers */
		bool skip; /* not printed */
		size_t width;
	} columns[RBS_TABLE_COLUMNS];
	size_t column_count;
	char **cells; /* owned, row by row */
	size_t cell_count, cell_room;
	bool failed;
};

void rbs_table_init(struct rbs_table *table);
void rbs_table_deinit(struct rbs_table *table);
void rbs_table_add_column(struct rbs_table *table, const char *header, bool left);
/* The next cell, from left to right and row by row; a copy is kept. */
void rbs_table_add_cell(struct rbs_table *table, const char *text);

/* False when memory ran out. Prints nothing for a table without rows. */
bool rbs_table_print(struct rbs_table *table, const char *indent, FILE *out);

#endif
