// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics that nothing was counted for: each value is another one, so that a reader that takes one
 * for the other is found out. Only the control queue's are true.
 */
#include "statdev.h"

struct kind {
	u64 type; /* of a request */
	u8 reply;
	u8 fields;
};

static const struct kind receive_kinds[] = {
	{VIRTIO_NET_STATS_TYPE_RX_BASIC, VIRTIO_NET_STATS_TYPE_REPLY_RX_BASIC, 6},
	{VIRTIO_NET_STATS_TYPE_RX_CSUM, VIRTIO_NET_STATS_TYPE_REPLY_RX_CSUM, 4},
	{VIRTIO_NET_STATS_TYPE_RX_GSO, VIRTIO_NET_STATS_TYPE_REPLY_RX_GSO, 4},
	{VIRTIO_NET_STATS_TYPE_RX_SPEED, VIRTIO_NET_STATS_TYPE_REPLY_RX_SPEED, 2},
};

static const struct kind transmit_kinds[] = {
	{VIRTIO_NET_STATS_TYPE_TX_BASIC, VIRTIO_NET_STATS_TYPE_REPLY_TX_BASIC, 6},
	{VIRTIO_NET_STATS_TYPE_TX_CSUM, VIRTIO_NET_STATS_TYPE_REPLY_TX_CSUM, 2},
	{VIRTIO_NET_STATS_TYPE_TX_GSO, VIRTIO_NET_STATS_TYPE_REPLY_TX_GSO, 6},
	{VIRTIO_NET_STATS_TYPE_TX_SPEED, VIRTIO_NET_STATS_TYPE_REPLY_TX_SPEED, 2},
};

static const struct kind control_kind = {VIRTIO_NET_STATS_TYPE_CVQ,
					 VIRTIO_NET_STATS_TYPE_REPLY_CVQ, 2};

u64 statistics_types(void)
{
	u64 types = control_kind.type;

	for (int i = 0; i < ARRAY_SIZE(receive_kinds); i++)
		types |= receive_kinds[i].type;
	for (int i = 0; i < ARRAY_SIZE(transmit_kinds); i++)
		types |= transmit_kinds[i].type;
	return types;
}

static u64 value(const struct statdev *dev, u16 queue, u8 type, u8 field)
{
	if (queue == CONTROL_QUEUE)
		return field ? dev->accepted : dev->commands;
	/* More than 32 bits, and no two alike. */
	return 1000000000000ULL * (queue + 1) + 1000000ULL * type + 1000ULL * field + 7;
}

static u32 record_put(const struct statdev *dev, const struct kind *kind, u16 queue, u8 *to, u32 room)
{
	struct virtio_net_stats_reply_hdr header = {
		.type = kind->reply,
		.vq_index = cpu_to_le16(queue),
		.size = cpu_to_le16(sizeof(header) + 8 * kind->fields),
	};

	if (room < sizeof(header) + 8 * kind->fields)
		return 0;
	memcpy(to, &header, sizeof(header));
	for (u8 i = 0; i < kind->fields; i++) {
		__le64 number = cpu_to_le64(value(dev, queue, kind->reply, i));

		memcpy(to + sizeof(header) + 8 * i, &number, sizeof(number));
	}
	return sizeof(header) + 8 * kind->fields;
}

static u32 queue_put(const struct statdev *dev, u16 queue, u64 types, u8 *to, u32 room)
{
	const struct kind *kinds = queue & 1 ? transmit_kinds : receive_kinds;
	u32 done = 0;

	if (queue == CONTROL_QUEUE)
		return types & control_kind.type ?
			       record_put(dev, &control_kind, queue, to, room) : 0;
	for (int i = 0; i < ARRAY_SIZE(receive_kinds); i++) {
		if (types & kinds[i].type)
			done += record_put(dev, &kinds[i], queue, to + done, room - done);
	}
	return done;
}

u32 statistics_reply(struct statdev *dev, const u8 *request, u32 length, u8 *reply, u32 room)
{
	u32 done = 0;

	for (u32 at = 0; at + 16 <= length; at += 16) {
		__le16 queue;
		__le64 types;

		memcpy(&queue, request + at, sizeof(queue));
		memcpy(&types, request + at + 8, sizeof(types));
		if (le16_to_cpu(queue) < QUEUES)
			done += queue_put(dev, le16_to_cpu(queue), le64_to_cpu(types), reply + done,
					  room - done);
	}
	return done;
}
