/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sub-buffers as slots of the result, and what sums them up in their buffer's row. */
#include <inttypes.h>
#include <stdio.h>

#include "lib/probes/lttng/lttng.h"

/* Where its memory is, for who wants to look at the events themselves. */
static void pages_show(struct lttng_probe *probe, const struct lttng_buffer *buffer, uint64_t pages,
		       struct rbs_node *slot)
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
			rbs_node_set_absent(slot, lttng_desc(LTTNG_D_PAGES), page.code);
			return;
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIx64,
					 i ? "," : "", page.number);
	}
	if (count)
		rbs_node_set_text(slot, lttng_desc(LTTNG_D_PAGES), text);
}

static void data_show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
		      const struct rbs_subbuf *subbuf, struct rbs_node *slot)
{
	const struct rbs_layout *layout = &probe->rings;
	struct rbs_value found = lttng_subbuf_pages(probe, buffer, subbuf->index);
	uint64_t pages = found.number;
	struct rbs_value memory;

	if (!rbs_value_ok(&found)) {
		rbs_node_set(slot, lttng_desc(LTTNG_D_DATA_SIZE), found);
		rbs_node_set(slot, lttng_desc(LTTNG_D_RECORDS_COMMIT), found);
		rbs_node_set(slot, lttng_desc(LTTNG_D_RECORDS_UNREAD), found);
		if (!rbs_layout_has(layout, LP_PAGES) || !rbs_layout_has(layout, LP_VIRT))
			return;
		if (probe->context->verbose)
			rbs_node_set(slot, lttng_desc(LTTNG_D_PAGES), found);
		if (!buffer->channel->metadata && subbuf->written)
			lttng_packet_absent(slot, found.code);
		return;
	}
	lttng_show(probe, layout, LP_DATA_SIZE, pages, slot, LTTNG_D_DATA_SIZE);
	lttng_show(probe, layout, LP_RECORDS_COMMIT, pages, slot, LTTNG_D_RECORDS_COMMIT);
	lttng_show(probe, layout, LP_RECORDS_UNREAD, pages, slot, LTTNG_D_RECORDS_UNREAD);
	if (!rbs_layout_has(layout, LP_PAGES) || !rbs_layout_has(layout, LP_VIRT))
		return;
	if (probe->context->verbose)
		pages_show(probe, buffer, pages, slot);
	if (buffer->channel->metadata || !subbuf->written)
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
}

void lttng_subbufs_read(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	struct rbs_subbuf_sums sums;
	uint64_t first = rbs_subbuf_index(geometry, buffer->ring.consumed);

	rbs_subbuf_sums_init(&sums);
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
