/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of the events that a session records, each with the channel that it goes to. One pass
 * over the session's list: on old kernels it has an entry for every system call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probes/lttng/lttng.h"
#include "lib/walk.h"

/* Room at the end of the names for how many more there are. */
#define MORE_ROOM 32

struct lttng_channel_events {
	struct rbs_value channel; /* what an event points to */
	struct rbs_node *node;
	char names[1024];
	size_t used, count, left;
	struct rbs_value enabled; /* how many; absent when that of one is not known */
	/* Why there may be more events, and why the names of some are missing; else RBS_OK */
	enum rbs_code incomplete, nameless;
};

static struct rbs_value member(struct lttng_probe *probe, unsigned id, uint64_t base)
{
	return rbs_layout_read(&probe->sessions, id, probe->target, base);
}

void lttng_events_expect(struct lttng_probe *probe, struct rbs_node *node,
			 const struct rbs_value *channel)
{
	struct lttng_channel_events *grown =
		realloc(probe->events, (probe->event_channels + 1) * sizeof(*probe->events));

	if (!grown) {
		node->report->code = RBS_NOMEM;
		return;
	}
	probe->events = grown;
	memset(&grown[probe->event_channels], 0, sizeof(*grown));
	grown[probe->event_channels].channel = *channel;
	grown[probe->event_channels].incomplete = channel->code;
	grown[probe->event_channels].node = node;
	probe->event_channels++;
}

void lttng_events_forget(struct lttng_probe *probe)
{
	free(probe->events);
	probe->events = NULL;
	probe->event_channels = 0;
}

/* Not all of the session's events are known: nor are those of each channel. */
static void events_lost(struct lttng_probe *probe, enum rbs_code reason)
{
	for (size_t i = 0; i < probe->event_channels; i++) {
		if (probe->events[i].incomplete == RBS_OK)
			probe->events[i].incomplete = reason;
	}
}

static struct lttng_channel_events *channel_find(struct lttng_probe *probe, uint64_t event)
{
	struct rbs_value channel = member(probe, LE_CHANNEL, event);
	struct rbs_value public;

	if (channel.code == RBS_NO_MEMBER || channel.code == RBS_NO_TYPES) {
		public = member(probe, LE_PUBLIC, event);
		channel = public;
		if (rbs_value_ok(&public))
			channel = member(probe, LE_PUBLIC_CHANNEL, public.number);
	}
	if (!rbs_value_ok(&channel)) {
		events_lost(probe, channel.code);
		return NULL;
	}
	for (size_t i = 0; i < probe->event_channels; i++) {
		if (rbs_value_ok(&probe->events[i].channel) &&
		    probe->events[i].channel.number == channel.number)
			return &probe->events[i];
	}
	return NULL;
}

/* Where an event's description and its public part are: of those that record, or that notify. */
struct event_members {
	unsigned desc, common;
};

static const struct event_members recorder = {LE_DESC, LE_COMMON};
static const struct event_members notifier = {LG_NOTIFIER_DESC, LG_NOTIFIER_COMMON};

static enum rbs_code name_read(struct lttng_probe *probe, const struct event_members *members,
			       uint64_t event, char *name, size_t size)
{
	struct rbs_value text = member(probe, members->desc, event);

	if (rbs_value_ok(&text) && text.number)
		text = member(probe, LE_DESC_NAME, text.number);
	if (!rbs_value_ok(&text))
		return text.code;
	return text.number ? rbs_target_read_string(probe->target, text.number, name, size, NULL)
			   : RBS_CORRUPT;
}

/* On releases without such a member all that are listed record. */
static struct rbs_value enabled(struct lttng_probe *probe, const struct event_members *members,
				uint64_t event)
{
	struct rbs_value common = member(probe, members->common, event);
	struct rbs_value value;

	if (!rbs_value_ok(&common) && common.code != RBS_NO_MEMBER && common.code != RBS_NO_TYPES)
		return common;
	value = member(probe, LE_ENABLED, rbs_value_ok(&common) ? common.number : event);
	return value.code == RBS_NO_MEMBER || value.code == RBS_NO_TYPES ? rbs_value_of(1) : value;
}

static void event_add(struct lttng_probe *probe, struct lttng_channel_events *events,
		      const struct event_members *members, uint64_t event)
{
	struct rbs_value records = enabled(probe, members, event);
	enum rbs_code code;
	char name[128], shown[130];
	size_t length;

	events->count++;
	if (!rbs_value_ok(&records))
		events->enabled.code = records.code;
	/* Enabling a system call makes hundreds of them known: only those that record are named. */
	if (!rbs_value_ok(&records) || !records.number)
		return;
	events->enabled.number++;
	code = name_read(probe, members, event, name, sizeof(name));
	if (code != RBS_OK) {
		events->nameless = code;
		events->left++;
		return;
	}
	length = (size_t)snprintf(shown, sizeof(shown), "%s%s", events->used ? "," : "", name);
	if (events->used + length > sizeof(events->names) - MORE_ROOM) {
		events->left++;
		return;
	}
	memcpy(events->names + events->used, shown, length + 1);
	events->used += length;
}

/* A list with gaps is not the channel's list; what is known of it is worth a line all the same. */
static void events_part_show(const struct lttng_channel_events *events, enum rbs_code code)
{
	struct rbs_error error;

	rbs_node_set_absent(events->node, lttng_desc(LTTNG_D_EVENTS), code);
	rbs_error_set(&error, code, "its events cannot all be read: %s; known are: %.300s",
		      rbs_code_text(code), events->used ? events->names : "none");
	rbs_report_add_problem(events->node->report, events->node, &error);
}

static void events_show(const struct lttng_channel_events *events)
{
	char text[sizeof(events->names) + MORE_ROOM];
	enum rbs_code code = events->incomplete != RBS_OK ? events->incomplete : events->nameless;

	if (code == RBS_OK)
		code = events->enabled.code;
	if (events->incomplete == RBS_OK) {
		rbs_node_set_number(events->node, lttng_desc(LTTNG_D_EVENT_COUNT), events->count);
		rbs_node_set(events->node, lttng_desc(LTTNG_D_ENABLED_COUNT), events->enabled);
	} else {
		rbs_node_set_absent(events->node, lttng_desc(LTTNG_D_EVENT_COUNT),
				    events->incomplete);
		rbs_node_set_absent(events->node, lttng_desc(LTTNG_D_ENABLED_COUNT),
				    events->incomplete);
	}
	if (code != RBS_OK) {
		events_part_show(events, code);
		return;
	}
	if (!events->used && !events->left)
		return;
	snprintf(text, sizeof(text), "%s", events->names);
	if (events->left)
		snprintf(text + events->used, sizeof(text) - events->used, "%sand %zu more",
			 events->used ? " " : "", events->left);
	rbs_node_set_text(events->node, lttng_desc(LTTNG_D_EVENTS), text);
}

void lttng_events_read(struct lttng_probe *probe, struct rbs_node *session, uint64_t address)
{
	const struct rbs_layout *layout = &probe->sessions;
	struct rbs_list_walk walk;
	uint64_t entry;

	if (!rbs_layout_has(layout, LS_EVENTS) || !rbs_layout_has(layout, LE_NODE))
		return;
	rbs_list_walk_init(&walk, probe->target, address + rbs_layout_offset(layout, LS_EVENTS),
			   LTTNG_EVENT_LIMIT);
	while (rbs_list_walk_next(&walk, &entry)) {
		uint64_t event = entry - rbs_layout_offset(layout, LE_NODE);
		struct lttng_channel_events *events = channel_find(probe, event);

		if (events)
			event_add(probe, events, &recorder, event);
	}
	if (walk.code != RBS_OK)
		events_lost(probe, walk.code);
	for (size_t i = 0; i < probe->event_channels; i++)
		events_show(&probe->events[i]);
	if (walk.code != RBS_OK) {
		rbs_error_prefix(&walk.error, "the session's events");
		rbs_report_add_problem(session->report, session, &walk.error);
	}
}

void lttng_notifiers_read(struct lttng_probe *probe, struct rbs_node *channel, uint64_t address)
{
	const struct rbs_layout *layout = &probe->sessions;
	const struct rbs_value group = rbs_value_of(address);
	struct rbs_list_walk walk;
	uint64_t entry;

	if (!rbs_layout_has(layout, LG_NOTIFIERS) || !rbs_layout_has(layout, LG_NOTIFIER_NODE))
		return;
	lttng_events_expect(probe, channel, &group);
	if (!probe->event_channels)
		return;
	rbs_list_walk_init(&walk, probe->target, address + rbs_layout_offset(layout, LG_NOTIFIERS),
			   LTTNG_EVENT_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		event_add(probe, &probe->events[0], &notifier,
			  entry - rbs_layout_offset(layout, LG_NOTIFIER_NODE));
	if (walk.code != RBS_OK)
		events_lost(probe, walk.code);
	events_show(&probe->events[0]);
	if (walk.code != RBS_OK) {
		rbs_error_prefix(&walk.error, "the group's event notifiers");
		rbs_report_add_problem(channel->report, channel, &walk.error);
	}
	lttng_events_forget(probe);
}
