/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probe.h"

const struct rbs_layout *rbs_layout_once(struct rbs_layout *layout,
					 const struct rbs_layout_entry *entries, size_t count,
					 struct rbs_probe_context *context, const char *module)
{
	struct rbs_node *section = context->section->node;
	struct rbs_error error;

	if (layout->slots)
		return layout;
	if (layout->count) /* tried before, in vain */
		return NULL;
	if (rbs_layout_init(layout, entries, count, &context->dump->types, module, &error) ==
	    RBS_OK)
		return layout;
	rbs_error_prefix(&error, "%s's own figures", module);
	rbs_report_add_problem(section->report, section, &error);
	layout->count = count;
	return NULL;
}

enum rbs_code rbs_probe_walk_end(struct rbs_probe_context *context,
				 const struct rbs_list_walk *walk, struct rbs_error *err)
{
	struct rbs_node *section = context->section->node;

	if (walk->code == RBS_OK)
		return RBS_OK;
	if (!section->child_count) {
		*err = walk->error;
		return walk->code;
	}
	rbs_report_add_problem(section->report, section, &walk->error);
	return RBS_OK;
}
