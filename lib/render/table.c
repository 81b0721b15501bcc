/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void rbs_table_init(struct rbs_table *table)
{
	*table = (struct rbs_table){0};
}

void rbs_table_deinit(struct rbs_table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	free(table->cells);
	rbs_table_init(table);
}

void rbs_table_add_column(struct rbs_table *table, const char *header, bool left)
{
	size_t at = table->column_count;

	if (at == RBS_TABLE_COLUMNS)
		return;
	table->column_count++;
	snprintf(table->columns[at].header, sizeof(table->columns[at].header), "%s", header);
	table->columns[at].left = left;
	table->columns[at].width = strlen(table->columns[at].header);
}

/* Columns on the screen: bytes that do not continue a UTF-8 character. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

void rbs_table_add_cell(struct rbs_table *table, const char *text)
{
	size_t column, width = text_width(text);

	if (!table->column_count)
		return;
	column = table->cell_count % table->column_count;
	if (table->cell_count == table->cell_room) {
		size_t room = table->cell_room ? 2 * table->cell_room : 256;
		char **cells = reallocarray(table->cells, room, sizeof(*cells));

		if (!cells) {
			table->failed = true;
			return;
		}
		table->cells = cells;
		table->cell_room = room;
	}
	table->cells[table->cell_count] = strdup(text);
	if (!table->cells[table->cell_count]) {
		table->failed = true;
		return;
	}
	table->cell_count++;
	if (width > table->columns[column].width)
		table->columns[column].width = width;
}

static void row_print(const struct rbs_table *table, const char *indent, char *const *cells,
		      FILE *out)
{
	size_t pending = 0; /* blanks before the next cell; none at the end of a line */

	fputs(indent, out);
	for (size_t i = 0; i < table->column_count; i++) {
		const char *text = cells ? cells[i] : table->columns[i].header;
		size_t blanks;

		if (table->columns[i].skip)
			continue;
		blanks = table->columns[i].width - text_width(text);
		if (!table->columns[i].left)
			pending += blanks;
		if (*text) {
			fprintf(out, "%*s%s", (int)pending, "", text);
			pending = 0;
		}
		pending += 1 + (table->columns[i].left ? blanks : 0);
	}
	fputc('\n', out);
}

bool rbs_table_print(struct rbs_table *table, const char *indent, FILE *out)
{
	if (table->failed)
		return false;
	if (!table->cell_count)
		return true;
	row_print(table, indent, NULL, out);
	for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count)
		row_print(table, indent, table->cells + i, out);
	return true;
}
