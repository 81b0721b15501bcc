/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The records of a statistics reply (virtio 1.4, 5.1.6.5.9; include/uapi/linux/virtio_net.h: struct
 * virtio_net_stats_*): {u8 type, u8 reserved, le16 vq_index, le16 reserved1, le16 size}, then le64
 * fields. A record is as long as its size says, whatever its type: that is how the driver goes on.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/probes/virtio/control.h"

#define HEADER 8
#define FIELD 8
#define KIND_CQ 32

static const struct stats_kind kinds[] = {
	{0, "rx_basic", VIRTIO_D_RX_NOTIFICATIONS, 6, "rx"},
	{1, "rx_csum", VIRTIO_D_RX_CSUM_VALID, 4, "rx"},
	{2, "rx_gso", VIRTIO_D_RX_GSO_PACKETS, 4, "rx"},
	{3, "rx_speed", VIRTIO_D_RX_RATELIMIT_PACKETS, 2, "rx"},
	{16, "tx_basic", VIRTIO_D_TX_NOTIFICATIONS, 6, "tx"},
	{17, "tx_csum", VIRTIO_D_TX_CSUM_NONE, 2, "tx"},
	{18, "tx_gso", VIRTIO_D_TX_GSO_PACKETS, 6, "tx"},
	{19, "tx_speed", VIRTIO_D_TX_RATELIMIT_PACKETS, 2, "tx"},
	{KIND_CQ, "cvq", VIRTIO_D_CQ_COMMAND_NUM, 2, "cq"},
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))
#define TOTALS 40

struct totals {
	unsigned desc[TOTALS];
	uint64_t sum[TOTALS];
	bool broken[TOTALS]; /* a queue's value is lost: no sum */
	size_t count;
};

const struct stats_kind *stats_kind_find(uint64_t type)
{
	for (size_t i = 0; i < KIND_COUNT; i++) {
		if (kinds[i].type == type)
			return &kinds[i];
	}
	return NULL;
}

void stats_kinds_format(uint64_t bits, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned bit = 0; bit < 64 && used < size; bit++) {
		const struct stats_kind *kind = stats_kind_find(bit);
		char other[16];

		if (!(bits >> bit & 1))
			continue;
		snprintf(other, sizeof(other), "bit-%u", bit);
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "+" : "",
					 kind ? kind->name : other);
	}
}

/* Receive queues have even numbers, transmit queues odd ones, the control queue the last. */
static bool queue_fits(const struct stats_kind *kind, uint64_t queue, uint64_t queues)
{
	if (queues && queue >= queues)
		return false;
	if (kind->type == KIND_CQ)
		return !queues || queue == queues - 1;
	return (!queues || queue != queues - 1) && (queue & 1) == (kind->queue[0] == 't');
}

static void total_add(struct totals *totals, unsigned desc, uint64_t value, bool lost)
{
	size_t i = 0;

	while (i < totals->count && totals->desc[i] != desc)
		i++;
	if (i == TOTALS)
		return;
	if (i == totals->count) {
		totals->desc[totals->count++] = desc;
		totals->sum[i] = 0;
		totals->broken[i] = false;
	}
	totals->sum[i] += value;
	totals->broken[i] |= lost;
}

/* 8 bytes at offset are destroyed when they overlap those at lost. */
static bool overlaps(int64_t lost, size_t offset)
{
	return lost >= 0 && (int64_t)offset < lost + FIELD && lost < (int64_t)offset + FIELD;
}

static void record_show(struct rbs_node *node, const struct stats_kind *kind, uint64_t queue,
			const uint8_t *record, size_t size, size_t at, int64_t lost,
			struct totals *totals)
{
	for (size_t i = 0; i < kind->count && HEADER + FIELD * (i + 1) <= size; i++) {
		unsigned id = kind->first + (unsigned)i;
		const struct rbs_desc *desc = virtio_desc(id);
		size_t offset = HEADER + FIELD * i;
		bool destroyed = overlaps(lost, at + offset);
		uint64_t value = rbs_bytes_little(record + offset, FIELD);
		char number[16];

		if (kind->type != KIND_CQ) {
			snprintf(number, sizeof(number), "%u", (unsigned)(queue / 2));
			desc = rbs_report_member(node->report, desc, number);
			total_add(totals, id, value, destroyed);
		}
		if (destroyed)
			rbs_node_set_absent(node, desc, RBS_CORRUPT);
		else
			rbs_node_set_number(node, desc, value);
	}
}

/* The sums over all queues, as ethtool -S prints them before the queues' own. */
static void totals_show(struct rbs_node *node, const struct totals *totals)
{
	for (size_t i = 0; i < totals->count; i++) {
		const struct rbs_desc *desc =
			rbs_report_member(node->report, virtio_desc(totals->desc[i]), "");

		if (totals->broken[i])
			rbs_node_set_absent(node, desc, RBS_CORRUPT);
		else
			rbs_node_set_number(node, desc, totals->sum[i]);
	}
}

void stats_records_walk(const uint8_t *reply, size_t length, int64_t lost, uint64_t queues,
			struct rbs_node *node, struct stats_walk *walk)
{
	struct totals totals = {.count = 0};

	*walk = (struct stats_walk){0};
	while (walk->at + HEADER <= length) {
		const uint8_t *record = reply + walk->at;
		const struct stats_kind *kind = stats_kind_find(record[0]);
		uint64_t queue = rbs_bytes_little(record + 2, 2);
		size_t size = (size_t)rbs_bytes_little(record + 6, 2);

		if (overlaps(lost, walk->at)) {
			walk->link_header = true;
			break;
		}
		if (!size) {
			walk->endless = true;
			break;
		}
		/* Records of a kind that is not known are stepped over, as the driver does. */
		if (size < HEADER || size > length - walk->at ||
		    (kind && !queue_fits(kind, queue, queues)))
			break;
		if (kind && node)
			record_show(node, kind, queue, record, size, walk->at, lost, &totals);
		walk->records += kind != NULL;
		walk->at += size;
	}
	walk->whole = walk->at == length && walk->records;
	if (node)
		totals_show(node, &totals);
}
