/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sub-buffers as slots of the result, and what sums them up in their buffer's row. */
#include <inttypes.h>
#include <stdio.h>

#include "lib/probes/lttng/lttng.h"

/* Where its memory is, for who wants to look at the events themselves. */
static void pages_show(struct lttng_probe *probe, const struct lttng_buffer *buffer, uint64_t pages,
		       struct rbs_node *slot, unsigned desc)
{
	const struct rbs_layout *layout = &probe->rings;
	uint64_t step = rbs_layout_size(layout, LP_PAGE_SIZE);
	uint64_t count = buffer->channel->geometry.subbuf_size / probe->target->info.page_size;
	char text[LTTNG_PAGES_SHOWN * 17 + 1] = "";
	size_t used = 0;

	if (!step || count > LTTNG_PAGES_SHOWN)
		count = step ? LTTNG_PAGES_SHOWN : 1;
	for (uint64_t i = 0; i < count; i++) {
		struct rbs_value page =
			rbs_layout_read(layout, LP_VIRT, probe->target,
					pages + rbs_layout_offset(layout, LP_PAGES) + i * step);

		if (!rbs_value_ok(&page)) {
			rbs_node_set_absent(slot, lttng_desc(desc), page.code);
			return;
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIx64,
					 i ? "," : "", page.number);
	}
	if (count)
		rbs_node_set_text(slot, lttng_desc(desc), text);
}

/*
 * Where the packet is. Whether a reader took it out of an overwrite ring is not known when its mark
 * cannot be read: what lies in the ring may be another packet then.
 */
static struct rbs_value packet_pages(struct lttng_probe *probe, const struct lttng_buffer *buffer,
				     const struct rbs_subbuf *subbuf)
{
	if (buffer->channel->overwrite && buffer->ring.reading_code != RBS_OK)
		return rbs_value_absent(buffer->ring.reading_code);
	return lttng_subbuf_pages_held(probe, buffer, subbuf);
}

static bool pages_known(const struct rbs_layout *layout)
{
	return rbs_layout_has(layout, LP_PAGES) && rbs_layout_has(layout, LP_VIRT);
}

static void spare_show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
		       const struct rbs_subbuf *subbuf, struct rbs_node *slot)
{
	struct rbs_value spare = lttng_subbuf_pages(probe, buffer, subbuf->index);

	if (rbs_value_ok(&spare))
		pages_show(probe, buffer, spare.number, slot, LTTNG_D_SPARE_PAGES);
	else
		rbs_node_set(slot, lttng_desc(LTTNG_D_SPARE_PAGES), spare);
}

static void data_absent(struct lttng_probe *probe, const struct lttng_buffer *buffer,
			const struct rbs_subbuf *subbuf, struct rbs_node *slot,
			struct rbs_value found)
{
	rbs_node_set(slot, lttng_desc(LTTNG_D_DATA_SIZE), found);
	rbs_node_set(slot, lttng_desc(LTTNG_D_RECORDS_COMMIT), found);
	rbs_node_set(slot, lttng_desc(LTTNG_D_RECORDS_UNREAD), found);
	if (!pages_known(&probe->rings))
		return;
	if (probe->context->verbose)
		rbs_node_set(slot, lttng_desc(LTTNG_D_PAGES), found);
	if (buffer->channel->packets && subbuf->written)
		lttng_packet_absent(slot, found.code);
}

static void data_show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
		      const struct rbs_subbuf *subbuf, struct rbs_node *slot)
{
	const struct rbs_layout *layout = &probe->rings;
	struct rbs_value found = packet_pages(probe, buffer, subbuf);
	uint64_t pages = found.number;
	struct rbs_value memory;

	if (!rbs_value_ok(&found)) {
		data_absent(probe, buffer, subbuf, slot, found);
		return;
	}
	lttng_show(probe, layout, LP_DATA_SIZE, pages, slot, LTTNG_D_DATA_SIZE);
	lttng_show(probe, layout, LP_RECORDS_COMMIT, pages, slot, LTTNG_D_RECORDS_COMMIT);
	lttng_show(probe, layout, LP_RECORDS_UNREAD, pages, slot, LTTNG_D_RECORDS_UNREAD);
	if (!pages_known(layout))
		return;
	if (probe->context->verbose)
		pages_show(probe, buffer, pages, slot, LTTNG_D_PAGES);
	if (!buffer->channel->packets || !subbuf->written)
		return;
	memory = rbs_layout_read(layout, LP_VIRT, probe->target,
				 pages + rbs_layout_offset(layout, LP_PAGES));
	if (!rbs_value_ok(&memory))
		lttng_packet_absent(slot, memory.code);
	else if (memory.number)
		lttng_packet_read(probe, memory.number, slot);
}

static void subbuf_show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
			const struct rbs_subbuf *subbuf)
{
	struct rbs_node *slot =
		rbs_node_add(buffer->node, RBS_LEVEL_SLOT, "%" PRIu64, subbuf->index);
	struct rbs_value committed, visible, missing;

	rbs_subbuf_values(&buffer->ring, subbuf, &committed, &visible, &missing);
	if (subbuf->state_code == RBS_OK)
		rbs_node_set_text(slot, lttng_desc(LTTNG_D_STATE), subbuf->state);
	else
		rbs_node_set_absent(slot, lttng_desc(LTTNG_D_STATE), subbuf->state_code);
	rbs_node_set(slot, lttng_desc(LTTNG_D_COMMITTED), committed);
	rbs_node_set(slot, lttng_desc(LTTNG_D_VISIBLE), visible);
	rbs_node_set(slot, lttng_desc(LTTNG_D_SHORT), missing);
	rbs_node_set(slot, lttng_desc(LTTNG_D_CC), subbuf->cc);
	rbs_node_set(slot, lttng_desc(LTTNG_D_CC_SB), subbuf->cc_sb);
	rbs_node_set(slot, lttng_desc(LTTNG_D_CC_SEQ), subbuf->seq);
	rbs_node_set(slot, lttng_desc(LTTNG_D_PACKETS), subbuf->packets);
	data_show(probe, buffer, subbuf, slot);
	if (lttng_subbuf_taken(buffer, subbuf) && probe->context->verbose &&
	    pages_known(&probe->rings))
		spare_show(probe, buffer, subbuf, slot);
}

/* A packet that only its reader still has: older than the ring's, whose counters are not its. */
static void left_behind_show(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	struct rbs_subbuf subbuf;
	struct rbs_node *slot;

	if (!probe->context->verbose || !rbs_subbuf_left_behind(&buffer->ring, &subbuf))
		return;
	slot = rbs_node_add(buffer->node, RBS_LEVEL_SLOT, "reader");
	rbs_node_set_text(slot, lttng_desc(LTTNG_D_STATE), subbuf.state);
	data_show(probe, buffer, &subbuf, slot);
}

void lttng_subbufs_read(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	struct rbs_subbuf_sums sums;
	uint64_t first = rbs_subbuf_index(geometry, buffer->ring.consumed);

	rbs_subbuf_sums_init(&sums);
	left_behind_show(probe, buffer);
	for (uint64_t i = 0; i < geometry->num_subbuf; i++) {
		struct rbs_subbuf subbuf;

		if (rbs_target_interrupted(probe->target))
			return;
		lttng_subbuf_load(probe, buffer, (first + i) & (geometry->num_subbuf - 1), &subbuf);
		rbs_subbuf_sums_add(&sums, &buffer->ring, &subbuf, i);
		if (probe->context->verbose || rbs_subbuf_partial(&subbuf))
			subbuf_show(probe, buffer, &subbuf);
	}
	rbs_node_set(buffer->node, lttng_desc(LTTNG_D_UNCOMMITTED), sums.uncommitted);
	rbs_node_set(buffer->node, lttng_desc(LTTNG_D_READABLE), sums.readable);
}
