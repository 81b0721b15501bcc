/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of the built-in layouts: two lines for each file beside this one. */
#include "dwarf/assumed_table.h"

extern const struct rbs_assumed_table rbs_assumed_lttng_2_12_5_x86_64;
extern const struct rbs_assumed_table rbs_assumed_lttng_2_13_9_x86_64;
extern const struct rbs_assumed_table rbs_assumed_lttng_2_13_18_x86_64;
extern const struct rbs_assumed_table rbs_assumed_lttng_2_13_18_aarch64;
extern const struct rbs_assumed_table rbs_assumed_lttng_2_14_6_x86_64;
extern const struct rbs_assumed_table rbs_assumed_lttng_2_15_2_x86_64;
extern const struct rbs_assumed_table rbs_assumed_lttng_2_16_0_x86_64;

const struct rbs_assumed_table *const *rbs_assumed_tables(size_t *count)
{
	static const struct rbs_assumed_table *const tables[] = {
		&rbs_assumed_lttng_2_12_5_x86_64,  &rbs_assumed_lttng_2_13_9_x86_64,
		&rbs_assumed_lttng_2_13_18_x86_64, &rbs_assumed_lttng_2_14_6_x86_64,
		&rbs_assumed_lttng_2_15_2_x86_64,  &rbs_assumed_lttng_2_16_0_x86_64,
		&rbs_assumed_lttng_2_13_18_aarch64,
	};

	*count = sizeof(tables) / sizeof(tables[0]);
	return tables;
}
