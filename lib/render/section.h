/* SPDX-License-Identifier: GPL-3.0-or-later */
/* section - what renderers that speak for one system share: finding things in a report. */
#ifndef RBS_RENDER_SECTION_H
#define RBS_RENDER_SECTION_H

#include "lib/result.h"

/* The section node of a family, or NULL when the report has none. */
const struct rbs_node *rbs_section_find(const struct rbs_report *report, const char *family);

/* The child of that name, or NULL. */
const struct rbs_node *rbs_child_find(const struct rbs_node *node, const char *name);

/* The number of a field that is there; false for one that is absent. */
bool rbs_field_number(const struct rbs_node *node, const char *name, uint64_t *number);

/* Its text, or NULL. */
const char *rbs_field_text(const struct rbs_node *node, const char *name);

#endif
