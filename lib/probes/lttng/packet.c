/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CTF packet header that the ring buffer client writes at the start of each sub-buffer
 * (lttng-modules: lttng-ring-buffer-client.h, struct packet_header). End time stamp, sizes and
 * discarded events are only filled in when the sub-buffer is closed.
 */
#include <inttypes.h>

#include "lib/probes/lttng/lttng.h"

/* Written into the sizes when a packet is opened. */
#define SIZE_OPEN UINT64_MAX

static const struct {
	unsigned member, desc;
	bool closed; /* only holds in a closed packet */
} figures[] = {
	{LK_SEQ, LTTNG_D_PACKET_SEQ, false},	 {LK_STREAM, LTTNG_D_STREAM, false},
	{LK_BEGIN, LTTNG_D_BEGIN, false},	 {LK_END, LTTNG_D_END, true},
	{LK_CONTENT, LTTNG_D_CONTENT, true},	 {LK_PACKET, LTTNG_D_PACKET_SIZE, true},
	{LK_DISCARDED, LTTNG_D_DISCARDED, true},
};

const struct rbs_layout *lttng_packet_layout(struct lttng_probe *probe)
{
	return rbs_layout_once(&probe->packets, lttng_packet_entries, LK_COUNT, probe->context,
			       LTTNG_CLIENT);
}

void lttng_packet_absent(struct rbs_node *slot, enum rbs_code reason)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		rbs_node_set_absent(slot, lttng_desc(figures[i].desc), reason);
}

void lttng_packet_read(struct lttng_probe *probe, uint64_t memory, struct rbs_node *slot)
{
	const struct rbs_layout *layout = lttng_packet_layout(probe);
	struct rbs_value magic, content;
	bool closed;

	if (!layout)
		return;
	magic = rbs_layout_read(layout, LK_MAGIC, probe->target, memory);
	if (!rbs_value_ok(&magic)) {
		lttng_packet_absent(slot, magic.code);
		return;
	}
	if (magic.number != RBS_CTF_MAGIC) {
		rbs_node_set_absent(slot, lttng_desc(LTTNG_D_PACKET_SEQ), RBS_CORRUPT);
		return;
	}
	content = rbs_layout_read(layout, LK_CONTENT, probe->target, memory);
	closed = rbs_value_ok(&content) && content.number != SIZE_OPEN;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (figures[i].closed && !rbs_value_ok(&content))
			rbs_node_set_absent(slot, lttng_desc(figures[i].desc), content.code);
		else if (figures[i].closed && !closed)
			rbs_node_set_absent(slot, lttng_desc(figures[i].desc), RBS_NOT_COUNTED);
		else
			rbs_node_set(
				slot, lttng_desc(figures[i].desc),
				rbs_layout_read(layout, figures[i].member, probe->target, memory));
	}
}
