/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/render/table.h"

static void expect_table(struct rbs_table *table, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_expect(rbs_table_print(table, "> ", out));
	fclose(out);
	cr_expect_str_eq(text, expected);
	free(text);
	rbs_table_deinit(table);
}

Test(table, columns)
{
	struct rbs_table table;

	rbs_table_init(&table);
	expect_table(&table, "");
	rbs_table_add_column(&table, "NAME", true);
	expect_table(&table, "");
	rbs_table_add_column(&table, "NAME", true);
	rbs_table_add_column(&table, "N", false);
	rbs_table_add_column(&table, "LAST", true);
	rbs_table_add_cell(&table, "a");
	rbs_table_add_cell(&table, "1000");
	rbs_table_add_cell(&table, "x");
	rbs_table_add_cell(&table, "caf\xc3\xa9s");
	rbs_table_add_cell(&table, "7");
	rbs_table_add_cell(&table, "");
	/* a row that is not complete is not printed */
	rbs_table_add_cell(&table, "half");
	expect_table(&table, "> NAME     N LAST\n"
			     "> a     1000 x\n"
			     "> caf\xc3\xa9s    7\n");
}
