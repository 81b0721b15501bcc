/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vmbus - what the renderers of VMBus as sysctl and sysfs share. */
#ifndef RBS_RENDER_VMBUS_H
#define RBS_RENDER_VMBUS_H

#include "lib/result.h"

/* The report's vmbus section, or NULL. */
const struct rbs_node *rbs_vmbus_section(const struct rbs_report *report);

/* The channel's ring of that name ("in", "out"), or NULL when it was never opened. */
const struct rbs_node *rbs_vmbus_ring(const struct rbs_node *channel, const char *name);

/* The number of a field that is there; false for one that is absent. */
bool rbs_field_number(const struct rbs_node *node, const char *name, uint64_t *number);

/* Its text, or NULL. */
const char *rbs_field_text(const struct rbs_node *node, const char *name);

#endif
