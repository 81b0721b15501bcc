/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verdicts - the tables of rules, one a family. */
#ifndef RBS_VERDICTS_H
#define RBS_VERDICTS_H

#include "lib/verdict.h"

enum {
	RBS_VIRTIO_RULES = 9,
	RBS_VMBUS_RULES = 11,
	RBS_LTTNG_RULES = 6,
	RBS_LTTNG_UST_RULES = 3,
	RBS_FTRACE_RULES = 4,
	RBS_XEN_RULES = 6,
	RBS_XEN_GUEST_RULES = 3,
};

extern const struct rbs_rule rbs_virtio_rules[RBS_VIRTIO_RULES];
extern const struct rbs_rule rbs_vmbus_rules[RBS_VMBUS_RULES];
extern const struct rbs_rule rbs_lttng_rules[RBS_LTTNG_RULES];
extern const struct rbs_rule rbs_lttng_ust_rules[RBS_LTTNG_UST_RULES];
extern const struct rbs_rule rbs_ftrace_rules[RBS_FTRACE_RULES];
extern const struct rbs_rule rbs_xen_rules[RBS_XEN_RULES];
extern const struct rbs_rule rbs_xen_guest_rules[RBS_XEN_GUEST_RULES];

#endif
