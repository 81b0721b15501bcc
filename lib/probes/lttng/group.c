/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Groups of event notifiers (lttng-modules: lttng-events.c, lttng_event_notifier_group_create;
 * since 2.13). Each has a ring buffer through which its owner, lttng-sessiond, is told of events
 * that were hit. They belong to no session and have no names: they are numbered in the tracer's
 * list.
 */
#include <inttypes.h>

#include "lib/probes/lttng/lttng.h"
#include "lib/walk.h"

static void problem_add(struct rbs_node *node, struct rbs_error *error, const char *what)
{
	rbs_error_prefix(error, "%s", what);
	rbs_report_add_problem(node->report, node, error);
}

static void group_read(struct lttng_probe *probe, uint64_t address, size_t position)
{
	struct rbs_node *group = rbs_node_add(probe->context->section->node, RBS_LEVEL_DEVICE,
					      "event-notifiers-%zu", position);
	struct lttng_channel channel = {.id = rbs_value_absent(RBS_NO_MEMBER)};
	struct rbs_error error;

	if (!group)
		return;
	rbs_node_set_text(group, lttng_desc(LTTNG_D_KIND), "notifier-group");
	channel.node = rbs_node_add(group, RBS_LEVEL_CHANNEL, "notifications");
	if (!channel.node)
		return;
	lttng_transport_show(probe, channel.node, LG_TRANSPORT, address);
	rbs_node_set_text(channel.node, lttng_desc(LTTNG_D_TYPE), "notifications");
	lttng_notifiers_read(probe, channel.node, address);
	if (rbs_layout_require(&probe->sessions, LG_RING, probe->target, address, &channel.ring,
			       &error) != RBS_OK)
		problem_add(channel.node, &error, "the group's ring buffer");
	else
		lttng_channel_read(probe, &channel);
}

void lttng_groups_read(struct lttng_probe *probe)
{
	struct rbs_node *section = probe->context->section->node;
	const struct rbs_layout *layout = &probe->sessions;
	struct rbs_list_walk walk;
	struct rbs_error error;
	size_t position = 0;
	uint64_t head, entry;
	enum rbs_code code = rbs_symbols_find(&probe->context->dump->symbols, LTTNG_TRACER,
					      "event_notifier_groups", &head, &error);

	/* None before 2.13. */
	if (code == RBS_NO_SYMBOL || rbs_target_interrupted(probe->target))
		return;
	if (code == RBS_OK &&
	    (!rbs_layout_has(layout, LG_NODE) || !rbs_layout_has(layout, LG_RING)))
		code = rbs_error_set(&error, RBS_NO_MEMBER,
				     "the types do not say what is in a group");
	if (code != RBS_OK) {
		problem_add(section, &error, "the groups of event notifiers");
		return;
	}
	rbs_list_walk_init(&walk, probe->target, head, LTTNG_GROUP_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		group_read(probe, entry - rbs_layout_offset(layout, LG_NODE), position++);
	if (walk.code != RBS_OK)
		problem_add(section, &walk.error, "the groups of event notifiers");
}
