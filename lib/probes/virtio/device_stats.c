/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The statistics that a net device counted itself (VIRTIO_NET_F_DEVICE_STATS, virtio 1.4;
 * Linux 6.10, "virtio_net: support device stats"), as far as memory still knows them:
 * docs/device-stats.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/probes/virtio/control.h"

#define REQUEST_SIZE 16 /* {le16 vq_index, le16 reserved[3], le64 types_bitmap} */
#define REQUEST_LIMIT 64

struct stats {
	struct control *control;
	const struct control_command *get; /* the newest, or NULL */
	struct rbs_slab_object object;	   /* of the reply, when judged */
	bool judged;
	enum control_worth worth;
	uint8_t *reply; /* owned; NULL: not readable */
	size_t length;	/* of the buffer */
	size_t filled;	/* as much of it as the device says it wrote */
	int64_t lost;
	uint64_t queues;
	char why[400];
};

static void types_show(struct control *control)
{
	struct rbs_node *node = control->device->node;
	struct rbs_value cap = rbs_layout_read(control->layout, CN_STATS_CAP,
					       control->probe->target, control->device->private);
	char text[256];

	rbs_node_set(node, virtio_desc(VIRTIO_D_STATS_CAP), cap);
	if (!rbs_value_ok(&cap))
		return;
	stats_kinds_format(cap.number, text, sizeof(text));
	rbs_node_set_text(node, virtio_desc(VIRTIO_D_STATS_TYPES), text);
}

/* "0:rx_basic+rx_csum 1:tx_basic": what a GET asks of each queue. */
static void request_show(struct control *control, const struct control_command *get)
{
	uint8_t bytes[REQUEST_SIZE * REQUEST_LIMIT];
	char text[1500] = "", kinds[160];
	size_t length, used = 0;
	enum rbs_code code;

	if (!get->request)
		return;
	length = get->request->length < sizeof(bytes) ? get->request->length : sizeof(bytes);
	code = control_memory_read(control, get->request->address, bytes, length);
	if (code == RBS_NOT_COUNTED || !control_note(control, code))
		return;
	for (size_t at = 0; at + REQUEST_SIZE <= length && used < sizeof(text);
	     at += REQUEST_SIZE) {
		stats_kinds_format(rbs_bytes_little(bytes + at + 8, 8), kinds, sizeof(kinds));
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u:%s", at ? " " : "",
					 (unsigned)rbs_bytes_little(bytes + at, 2), kinds);
	}
	if (get->request->length > sizeof(bytes) && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, " ...");
	rbs_node_set_text(control->device->node, virtio_desc(VIRTIO_D_STATS_REQUEST), text);
}

/* Whether the driver can still be reading the reply, so far as its memory tells. */
static bool reply_is_held(const struct stats *stats)
{
	struct rbs_slab_object object;
	struct stats_walk walk;
	bool bounced;

	if (stats->object.state == RBS_SLAB_ALLOCATED || stats->object.state == RBS_SLAB_PAGES)
		return true;
	/*
	 * A bounce slot is free once its content was copied to where the driver reads it, and
	 * nobody says where that is. What the device wrote then has to be whole, and to end early.
	 */
	control_memory_find(stats->control, stats->get->reply->address, &bounced, &object);
	stats_records_walk(stats->reply, stats->filled, -1, stats->queues, NULL, &walk);
	return bounced && walk.whole && stats->filled < stats->length;
}

/*
 * A record of size 0, where the driver's loop never ends. Of a command that was taken back only
 * while the reply is still someone's, and reads as one or is known to be empty.
 */
static void endless_show(const struct stats *stats)
{
	struct stats_walk walk;
	bool empty = rbs_value_ok(&stats->get->written) && stats->get->written.number == 1;

	stats_records_walk(stats->reply, stats->length, -1, stats->queues, NULL, &walk);
	if (walk.endless && reply_is_held(stats) && (walk.records || empty) &&
	    rbs_value_ok(&stats->get->ack) && stats->get->ack.number == CONTROL_ACK_OK)
		rbs_node_set_number(stats->control->device->node,
				    virtio_desc(VIRTIO_D_STATS_ENDLESS), walk.at);
}

static void lost_show(const struct stats *stats, const struct stats_walk *walk)
{
	struct rbs_node *node = stats->control->device->node;
	char text[160] = "";

	if (walk->link_header)
		snprintf(text, sizeof(text),
			 "8 bytes at %" PRId64 " (a free object's link): the header of a record, "
			 "whose %zu bytes of values nobody can name",
			 stats->lost, stats->filled - walk->at - 8);
	else if (stats->lost >= 0 && (size_t)stats->lost < stats->filled)
		snprintf(text, sizeof(text), "8 bytes at %" PRId64 " (a free object's link)",
			 stats->lost);
	else if (!walk->whole)
		snprintf(text, sizeof(text), "all from byte %zu of %zu on", walk->at,
			 stats->length);
	if (*text)
		rbs_node_set_text(node, virtio_desc(VIRTIO_D_STATS_LOST), text);
}

/* What the reply says, to the extent that the ring and the allocator vouch for it. */
static void reply_show(struct stats *stats)
{
	struct rbs_node *node = stats->control->device->node;
	bool shown = stats->worth == CONTROL_LIVE || stats->worth == CONTROL_ANSWERED;
	struct stats_walk walk;

	stats_records_walk(stats->reply, stats->filled, stats->lost, stats->queues, NULL, &walk);
	if (!shown && !walk.whole && !(walk.link_header && walk.records)) {
		stats->worth = CONTROL_GONE;
		return;
	}
	/* Which 8 bytes of it a free list's link may have destroyed can't be told. */
	if (!shown && !stats->object.link_known)
		return;
	if (shown || stats->control->probe->context->verbose) {
		stats_records_walk(stats->reply, stats->filled, stats->lost, stats->queues, node,
				   &walk);
		lost_show(stats, &walk);
	}
	if (shown && !walk.whole) {
		struct rbs_error error;

		rbs_error_set(&error, RBS_CORRUPT,
			      "the device's statistics make sense up to byte %zu of %zu only",
			      walk.at, stats->length);
		rbs_report_add_problem(node->report, node, &error);
	}
}

static void get_judge(struct stats *stats)
{
	const struct control_command *get = stats->get;

	stats->worth = control_reply_judge(stats->control, get, &stats->object, stats->why,
					   sizeof(stats->why));
	if (get->place != CONTROL_TAKEN)
		request_show(stats->control, get);
	if (stats->worth == CONTROL_PENDING || stats->worth == CONTROL_GONE)
		return;
	stats->reply = control_reply_read(stats->control, get, &stats->length);
	if (!stats->reply) {
		stats->worth = get->place == CONTROL_TAKEN ? CONTROL_GONE : CONTROL_PENDING;
		return;
	}
	stats->filled = stats->length;
	if (rbs_value_ok(&get->written) && get->written.number <= stats->length)
		stats->filled = get->written.number ? get->written.number - 1 : 0;
	if (stats->object.linked && stats->object.link >= 0)
		stats->lost = stats->object.link;
	endless_show(stats);
	reply_show(stats);
}

static void newest_get_find(struct stats *stats)
{
	const struct control *control = stats->control;

	for (size_t i = control->count; i-- && !stats->get;) {
		const struct control_command *command = &control->commands[i];

		if (command->decoded && command->class == CONTROL_CLASS_STATS &&
		    command->command == CONTROL_STATS_GET)
			stats->get = command;
	}
}

void control_stats_show(struct control *control)
{
	struct rbs_node *node = control->device->node;
	struct rbs_value features =
		rbs_layout_read(&control->probe->device_layout, VD_FEATURES, control->probe->target,
				control->device->address);
	struct rbs_value pairs = rbs_layout_read(control->layout, CN_MAX_PAIRS,
						 control->probe->target, control->device->private);
	struct stats stats = {.control = control, .worth = CONTROL_GONE, .lost = -1};
	enum rbs_code lost;

	if (!rbs_value_ok(&features)) {
		rbs_node_set(node, virtio_desc(VIRTIO_D_STATS), features);
		return;
	}
	if (!(features.number >> VIRTIO_NET_F_DEVICE_STATS & 1))
		return;
	control->has_stats = true;
	types_show(control);
	stats.queues = rbs_value_or(&pairs, 0) ? 2 * pairs.number + 1 : 0;
	newest_get_find(&stats);
	if (stats.get)
		get_judge(&stats);
	else
		snprintf(stats.why, sizeof(stats.why),
			 "no command for statistics is in the control queue; the driver freed what "
			 "earlier ones brought");
	/* Nothing was found, but not all of it is in the dump. */
	lost = control_worth_lost(control, stats.worth, &stats.object, stats.why);
	if (lost != RBS_OK)
		rbs_node_set_absent(node, virtio_desc(VIRTIO_D_STATS), lost);
	else
		rbs_node_set_text(node, virtio_desc(VIRTIO_D_STATS),
				  control_worth_name(stats.worth));
	if (lost == RBS_OK && stats.object.state != RBS_SLAB_UNKNOWN)
		lost = stats.object.code;
	if (lost != RBS_OK)
		rbs_node_set_absent(node, virtio_desc(VIRTIO_D_STATS_EVIDENCE), lost);
	else
		rbs_node_set_text(node, virtio_desc(VIRTIO_D_STATS_EVIDENCE), stats.why);
	free(stats.reply);
}
