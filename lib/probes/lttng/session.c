/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions and their channels. */
#include <inttypes.h>
#include <string.h>

#include "lib/probes/lttng/lttng.h"
#include "lib/walk.h"

static struct rbs_value member(struct lttng_probe *probe, unsigned id, uint64_t base)
{
	return rbs_layout_read(&probe->sessions, id, probe->target, base);
}

/* Transports are named after what they do: "relay-metadata", "relay-discard-mmap" ... */
static enum rbs_code transport_read(struct lttng_probe *probe, unsigned id, uint64_t base,
				    char *name, size_t size)
{
	struct rbs_value transport = member(probe, id, base);
	struct rbs_value text;

	if (!rbs_value_ok(&transport))
		return transport.code;
	text = member(probe, LT_NAME, transport.number);
	if (!rbs_value_ok(&text))
		return text.code;
	return rbs_target_read_string(probe->target, text.number, name, size, NULL);
}

void lttng_transport_show(struct lttng_probe *probe, struct rbs_node *channel, unsigned id,
			  uint64_t base)
{
	char name[64];
	enum rbs_code code = transport_read(probe, id, base, name, sizeof(name));

	if (code == RBS_OK)
		rbs_node_set_text(channel, lttng_desc(LTTNG_D_TRANSPORT), name);
	else if (code != RBS_NO_MEMBER)
		rbs_node_set_absent(channel, lttng_desc(LTTNG_D_TRANSPORT), code);
}

static void channel_type_show(struct lttng_probe *probe, struct lttng_channel *channel,
			      uint64_t address)
{
	struct rbs_value type = member(probe, LC_TYPE, address);
	int64_t metadata = rbs_layout_enumerator(&probe->sessions, LC_TYPE_METADATA, -1);
	const char *transport = rbs_node_text(channel->node, "transport");
	bool is_metadata = transport && !strncmp(transport, "relay-metadata", 14);

	if (rbs_value_ok(&type) && metadata >= 0)
		is_metadata = (int64_t)type.number == metadata;
	channel->packets = !is_metadata;
	if (rbs_value_ok(&type) || type.code == RBS_NO_MEMBER)
		rbs_node_set_text(channel->node, lttng_desc(LTTNG_D_TYPE),
				  is_metadata ? "metadata" : "data");
	else
		rbs_node_set_absent(channel->node, lttng_desc(LTTNG_D_TYPE), type.code);
}

/* The public half of a structure, in a structure of its own since 2.13. */
static struct rbs_value lttng_public(const struct rbs_value *public, uint64_t address)
{
	return public->code == RBS_NO_MEMBER || public->code == RBS_NO_TYPES ? rbs_value_of(address)
									     : *public;
}

/* Since 2.14 a session's list has counters too: they have no ring buffer. */
static enum rbs_code is_counter(struct lttng_probe *probe, struct rbs_node *session,
				uint64_t address, size_t position, bool *is)
{
	struct rbs_value type = member(probe, LC_COMMON, address);
	int64_t counter = rbs_layout_enumerator(&probe->sessions, LC_COUNTER, -1);
	struct rbs_error error;

	*is = false;
	if (type.code == RBS_NO_MEMBER || type.code == RBS_NO_TYPES || counter < 0)
		return RBS_OK;
	if (rbs_value_ok(&type))
		type = member(probe, LC_COMMON_TYPE, type.number);
	*is = rbs_value_ok(&type) && (int64_t)type.number == counter;
	if (rbs_value_ok(&type))
		return RBS_OK;
	rbs_error_set_at(&error, type.code, type.address,
			 "whether channel %zu of the list is a ring buffer: %s", position,
			 rbs_code_text(type.code));
	rbs_report_add_problem(session->report, session, &error);
	return type.code;
}

static void channel_read(struct lttng_probe *probe, struct rbs_node *session, uint64_t address,
			 size_t position)
{
	struct rbs_value id = member(probe, LC_ID, address);
	struct lttng_channel channel = {.id = id};
	struct rbs_value public = member(probe, LC_PUBLIC, address);
	struct rbs_value enabled_in = lttng_public(&public, address);
	struct rbs_error error;
	bool counter;

	if (is_counter(probe, session, address, position, &counter) != RBS_OK || counter)
		return;
	channel.node = rbs_value_ok(&id)
			       ? rbs_node_add(session, RBS_LEVEL_CHANNEL, "%" PRIu64, id.number)
			       : rbs_node_add(session, RBS_LEVEL_CHANNEL, "channel-%zu", position);
	if (!channel.node)
		return;
	if (!rbs_value_ok(&id)) {
		rbs_error_set_at(&error, id.code, id.address, "the number of channel-%zu: %s",
				 position, rbs_code_text(id.code));
		rbs_report_add_problem(session->report, session, &error);
	}
	lttng_transport_show(probe, channel.node, LC_TRANSPORT, address);
	channel_type_show(probe, &channel, address);
	lttng_events_expect(probe, channel.node, &enabled_in);
	if (rbs_value_ok(&enabled_in))
		lttng_show(probe, &probe->sessions, LC_ENABLED, enabled_in.number, channel.node,
			   LTTNG_D_CH_ENABLED);
	else
		rbs_node_set(channel.node, lttng_desc(LTTNG_D_CH_ENABLED), enabled_in);
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

void lttng_session_read(struct lttng_probe *probe, uint64_t address, size_t position)
{
	struct rbs_node *section = probe->context->section->node;
	const struct rbs_layout *layout = &probe->sessions;
	struct rbs_value public = member(probe, LS_PUBLIC, address);
	struct rbs_value active = lttng_public(&public, address);
	struct rbs_node *session;
	struct rbs_error error;
	char name[256] = "";

	/* Sessions have names since 2.11; before, their place in the list must do. */
	if (rbs_layout_has(layout, LS_NAME) &&
	    rbs_target_read_string(probe->target, address + rbs_layout_offset(layout, LS_NAME),
				   name, sizeof(name), &error) != RBS_OK) {
		rbs_error_prefix(&error, "the name of session-%zu", position);
		rbs_report_add_problem(section->report, section, &error);
	}
	session = *name ? rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", name)
			: rbs_node_add(section, RBS_LEVEL_DEVICE, "session-%zu", position);
	if (!session)
		return;
	if (rbs_value_ok(&active))
		lttng_show(probe, layout, LS_ACTIVE, active.number, session, LTTNG_D_ACTIVE);
	else
		rbs_node_set(session, lttng_desc(LTTNG_D_ACTIVE), active);
	lttng_show(probe, layout, LS_BEEN_ACTIVE, address, session, LTTNG_D_BEEN_ACTIVE);
	if (probe->context->packets)
		lttng_metadata_extract(probe, session, address);
	channels_walk(probe, session, address);
	lttng_events_read(probe, session, address);
	lttng_events_forget(probe);
}
