/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sub-buffers: how much of each is committed, and the header of its packet. */
#include <inttypes.h>

#include "lib/probes/lttng_ust/lttng_ust.h"

#define CTF_MAGIC 0xC1FC1FC1u
/* Written into the sizes when a packet is opened. */
#define SIZE_OPEN UINT64_MAX

static void packet_lost(struct rbs_node *slot, enum rbs_code code)
{
	static const unsigned ids[] = {UST_D_PACKET_SEQ, UST_D_BEGIN,	    UST_D_END,
				       UST_D_CONTENT,	 UST_D_PACKET_SIZE, UST_D_DISCARDED};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		rbs_node_set_absent(slot, ust_desc(ids[i]), code);
}

/*
 * struct packet_header (src/common/ringbuffer-clients/template.h) has two time stamps before its
 * content_size, whose place the ABI tells, and after packet_size the packet's number (since 2.8)
 * and events_discarded, a long.
 */
static void header_show(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			uint64_t offset, struct rbs_node *slot)
{
	const struct rbs_ust_abi *abi = &object->abi;
	bool numbered = object->release && object->release->buf_cnt;
	const struct {
		unsigned desc;
		uint64_t place;
		size_t size;
		bool closed; /* only holds in a closed packet */
	} figures[] = {
		{UST_D_PACKET_SEQ, abi->packet_size + 8, 8, false},
		{UST_D_BEGIN, abi->content_size - 16, 8, false},
		{UST_D_END, abi->content_size - 8, 8, true},
		{UST_D_CONTENT, abi->content_size, 8, true},
		{UST_D_PACKET_SIZE, abi->packet_size, 8, true},
		{UST_D_DISCARDED, abi->packet_size + (numbered ? 16 : 8), abi->word_size, true},
	};
	struct rbs_value magic = rbs_ust_number(ust, object, offset, 4), content;

	if (abi->content_size < 16 || abi->content_size_length != 8 || abi->packet_size_length != 8)
		magic.code = RBS_NO_MEMBER;
	if (!rbs_value_ok(&magic) || magic.number != CTF_MAGIC) {
		packet_lost(slot, rbs_value_ok(&magic) ? RBS_CORRUPT : magic.code);
		return;
	}
	content = rbs_ust_number(ust, object, offset + abi->content_size, 8);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (!object->release &&
		    (figures[i].desc == UST_D_DISCARDED || figures[i].desc == UST_D_PACKET_SEQ))
			rbs_node_set_absent(slot, ust_desc(figures[i].desc), RBS_NO_TYPES);
		else if (!numbered && figures[i].desc == UST_D_PACKET_SEQ)
			rbs_node_set_absent(slot, ust_desc(figures[i].desc), RBS_NO_MEMBER);
		else if (figures[i].closed && content.number == SIZE_OPEN)
			rbs_node_set_absent(slot, ust_desc(figures[i].desc), RBS_NOT_COUNTED);
		else
			rbs_node_set(slot, ust_desc(figures[i].desc),
				     rbs_ust_number(ust, object, offset + figures[i].place,
						    figures[i].size));
	}
}

static void packet_show(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			const struct rbs_subbuf_ring *ring, const struct rbs_subbuf *subbuf,
			struct rbs_node *slot)
{
	struct rbs_error error;
	uint64_t offset;

	if (rbs_ust_packet_find(ust, object, ring, subbuf, &offset, &error) == RBS_OK)
		header_show(ust, object, offset, slot);
	else
		packet_lost(slot, error.code);
}

static void subbuf_show(struct ust_probe *probe, const struct rbs_ust_object *object,
			const struct rbs_subbuf_ring *ring, const struct rbs_subbuf *subbuf,
			struct rbs_node *node)
{
	struct rbs_node *slot = rbs_node_add(node, RBS_LEVEL_SLOT, "%" PRIu64, subbuf->index);
	struct rbs_value committed, visible, missing;

	rbs_subbuf_values(ring, subbuf, &committed, &visible, &missing);
	if (subbuf->state_code == RBS_OK)
		rbs_node_set_text(slot, ust_desc(UST_D_STATE), subbuf->state);
	else
		rbs_node_set_absent(slot, ust_desc(UST_D_STATE), subbuf->state_code);
	rbs_node_set(slot, ust_desc(UST_D_COMMITTED), committed);
	rbs_node_set(slot, ust_desc(UST_D_VISIBLE), visible);
	rbs_node_set(slot, ust_desc(UST_D_SHORT), missing);
	rbs_node_set(slot, ust_desc(UST_D_CC), subbuf->cc);
	rbs_node_set(slot, ust_desc(UST_D_CC_SB), subbuf->cc_sb);
	rbs_node_set(slot, ust_desc(UST_D_CC_SEQ), subbuf->seq);
	rbs_node_set(slot, ust_desc(UST_D_PACKETS), subbuf->packets);
	if (object->metadata || !subbuf->written)
		return;
	packet_show(&probe->ust, object, ring, subbuf, slot);
}

/* A packet that only its reader still has: older than the ring's, whose counters are not its. */
static void left_behind_show(struct ust_probe *probe, const struct rbs_ust_object *object,
			     const struct rbs_subbuf_ring *ring, struct rbs_node *node)
{
	struct rbs_subbuf subbuf;
	struct rbs_node *slot;

	if (!probe->context->verbose || object->metadata || !rbs_subbuf_left_behind(ring, &subbuf))
		return;
	slot = rbs_node_add(node, RBS_LEVEL_SLOT, "reader");
	rbs_node_set_text(slot, ust_desc(UST_D_STATE), subbuf.state);
	packet_show(&probe->ust, object, ring, &subbuf, slot);
}

void ust_subbufs_show(struct ust_probe *probe, const struct rbs_ust_object *object,
		      const struct rbs_subbuf_ring *ring, struct rbs_node *node)
{
	const struct rbs_subbuf_geometry *geometry = &ring->geometry;
	uint64_t first = rbs_subbuf_index(geometry, ring->consumed);
	struct rbs_subbuf_sums sums;

	left_behind_show(probe, object, ring, node);
	rbs_subbuf_sums_init(&sums);
	for (uint64_t i = 0; i < geometry->num_subbuf; i++) {
		struct rbs_subbuf subbuf = {.index = (first + i) & (geometry->num_subbuf - 1)};

		if (rbs_target_interrupted(probe->ust.dump->target))
			return;
		subbuf.cc = rbs_ust_commit_count(&probe->ust, object, subbuf.index);
		subbuf.seq = rbs_ust_commit_seq(&probe->ust, object, subbuf.index);
		subbuf.cc_sb = rbs_ust_commit_visible(&probe->ust, object, subbuf.index);
		subbuf.packets = rbs_ust_packet_count(&probe->ust, object, subbuf.index);
		rbs_subbuf_settle(ring, &subbuf);
		rbs_subbuf_sums_add(&sums, ring, &subbuf, i);
		if (probe->context->verbose || rbs_subbuf_partial(&subbuf))
			subbuf_show(probe, object, ring, &subbuf, node);
	}
	rbs_node_set(node, ust_desc(UST_D_UNCOMMITTED), sums.uncommitted);
	rbs_node_set(node, ust_desc(UST_D_READABLE), sums.readable);
}
