/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/verdicts/verdicts.h"

const struct rbs_rule_table *rbs_rule_tables(size_t *count)
{
	static const struct rbs_rule_table tables[] = {
		{rbs_virtio_rules, RBS_VIRTIO_RULES},
		{rbs_vmbus_rules, RBS_VMBUS_RULES},
		{rbs_lttng_rules, RBS_LTTNG_RULES},
		{rbs_lttng_ust_rules, RBS_LTTNG_UST_RULES},
		{rbs_ftrace_rules, RBS_FTRACE_RULES},
		{rbs_xen_rules, RBS_XEN_RULES},
		{rbs_xen_guest_rules, RBS_XEN_GUEST_RULES},
	};

	*count = sizeof(tables) / sizeof(tables[0]);
	return tables;
}
