/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions, their channels and the events that are enabled in each. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/probes/lttng/lttng.h"
#include "lib/walk.h"

static struct rbs_value member(struct lttng_probe *probe, unsigned id, uint64_t base)
{
	return rbs_layout_read(&probe->sessions, id, probe->target, base);
}

/* Transports are named after what they do: "relay-metadata", "relay-discard-mmap" ... */
static bool transport_read(struct lttng_probe *probe, uint64_t address, char *name, size_t size)
{
	struct rbs_value transport = member(probe, LC_TRANSPORT, address);
	struct rbs_value text;

	if (!rbs_value_ok(&transport) || !transport.number)
		return false;
	text = member(probe, LT_NAME, transport.number);
	return rbs_value_ok(&text) && text.number &&
	       rbs_target_read_string(probe->target, text.number, name, size, NULL) == RBS_OK;
}

static void channel_type_show(struct lttng_probe *probe, struct lttng_channel *channel,
			      uint64_t address)
{
	struct rbs_value type = member(probe, LC_TYPE, address);
	int64_t metadata = rbs_layout_enumerator(&probe->sessions, LC_TYPE_METADATA, -1);

	if (rbs_value_ok(&type) && metadata >= 0)
		channel->metadata = (int64_t)type.number == metadata;
	rbs_node_set_text(channel->node, lttng_desc(LTTNG_D_TYPE),
			  channel->metadata ? "metadata" : "data");
}

static void channel_read(struct lttng_probe *probe, struct rbs_node *session, uint64_t address,
			 size_t position)
{
	struct lttng_channel channel = {0};
	struct rbs_value id = member(probe, LC_ID, address);
	struct rbs_value public = member(probe, LC_PUBLIC, address);
	uint64_t enabled_in = rbs_value_ok(&public) ? public.number : address;
	struct rbs_error error;
	char transport[64];

	/* The metadata channel keeps id 0, as the first data channel does: name it by its role. */
	channel.node =
		rbs_node_add(session, RBS_LEVEL_CHANNEL, "%" PRIu64, rbs_value_or(&id, position));
	if (!channel.node)
		return;
	if (transport_read(probe, address, transport, sizeof(transport))) {
		rbs_node_set_text(channel.node, lttng_desc(LTTNG_D_TRANSPORT), transport);
		channel.metadata = !strncmp(transport, "relay-metadata", 14);
	}
	channel_type_show(probe, &channel, address);
	lttng_show(probe, &probe->sessions, LC_ENABLED, enabled_in, channel.node,
		   LTTNG_D_CH_ENABLED);
	if (rbs_layout_require(&probe->sessions, LC_RING, probe->target, address, &channel.ring,
			       &error) == RBS_OK &&
	    channel.ring) {
		lttng_channel_read(probe, &channel);
	} else {
		if (!channel.ring)
			rbs_error_set_at(&error, RBS_CORRUPT, address,
					 "the channel has no ring buffer");
		rbs_report_add_problem(channel.node->report, channel.node, &error);
	}
}

static void channels_walk(struct lttng_probe *probe, struct rbs_node *session, uint64_t address)
{
	struct rbs_list_walk walk;
	uint64_t entry;
	size_t position = 0;

	rbs_list_walk_init(&walk, probe->target,
			   address + rbs_layout_offset(&probe->sessions, LS_CHANNELS),
			   LTTNG_CHANNEL_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		channel_read(probe, session, entry - rbs_layout_offset(&probe->sessions, LC_NODE),
			     position++);
	if (walk.code != RBS_OK) {
		rbs_error_prefix(&walk.error, "the session's channels");
		rbs_report_add_problem(session->report, session, &walk.error);
	}
}

static bool event_name_read(struct lttng_probe *probe, uint64_t event, char *name, size_t size)
{
	struct rbs_value desc = member(probe, LE_DESC, event);
	struct rbs_value text;

	if (!rbs_value_ok(&desc) || !desc.number)
		return false;
	text = member(probe, LE_DESC_NAME, desc.number);
	return rbs_value_ok(&text) && text.number &&
	       rbs_target_read_string(probe->target, text.number, name, size, NULL) == RBS_OK;
}

/* Names of the session's events, each once, as far as they fit into a line. */
static void events_walk(struct lttng_probe *probe, struct rbs_node *session, uint64_t address)
{
	const struct rbs_layout *layout = &probe->sessions;
	struct rbs_list_walk walk;
	char names[1024] = "";
	size_t used = 0, left = 0;
	uint64_t entry;

	if (!rbs_layout_has(layout, LS_EVENTS) || !rbs_layout_has(layout, LE_NODE))
		return;
	rbs_list_walk_init(&walk, probe->target, address + rbs_layout_offset(layout, LS_EVENTS),
			   LTTNG_EVENT_LIMIT);
	while (rbs_list_walk_next(&walk, &entry)) {
		char name[128];
		size_t length;

		if (!event_name_read(probe, entry - rbs_layout_offset(layout, LE_NODE), name,
				     sizeof(name)))
			continue;
		length = strlen(name);
		if (used + length + 2 > sizeof(names) - 32) {
			left++;
			continue;
		}
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 used ? "," : "", name);
	}
	if (left)
		snprintf(names + used, sizeof(names) - used, " and %zu more", left);
	if (*names)
		rbs_node_set_text(session, lttng_desc(LTTNG_D_EVENTS), names);
	if (walk.code != RBS_OK) {
		rbs_error_prefix(&walk.error, "the session's events");
		rbs_report_add_problem(session->report, session, &walk.error);
	}
}

void lttng_session_read(struct lttng_probe *probe, uint64_t address, size_t position)
{
	struct rbs_node *section = probe->context->section->node;
	const struct rbs_layout *layout = &probe->sessions;
	struct rbs_value public = member(probe, LS_PUBLIC, address);
	struct rbs_node *session;
	char name[256] = "";

	/* Sessions have names since 2.11; before, their place in the list must do. */
	if (rbs_layout_has(layout, LS_NAME))
		rbs_target_read_string(probe->target, address + rbs_layout_offset(layout, LS_NAME),
				       name, sizeof(name), NULL);
	session = *name ? rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", name)
			: rbs_node_add(section, RBS_LEVEL_DEVICE, "session-%zu", position);
	if (!session)
		return;
	lttng_show(probe, layout, LS_ACTIVE, rbs_value_ok(&public) ? public.number : address,
		   session, LTTNG_D_ACTIVE);
	lttng_show(probe, layout, LS_BEEN_ACTIVE, address, session, LTTNG_D_BEEN_ACTIVE);
	events_walk(probe, session, address);
	channels_walk(probe, session, address);
}
