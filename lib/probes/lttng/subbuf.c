/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sub-buffers: what was committed, what a reader sees, and where each is in the ring. */
#include <inttypes.h>
#include <stdio.h>

#include "lib/probes/lttng/lttng.h"

struct subbuf {
	uint64_t index;
	bool written;	   /* ever */
	uint64_t start;	   /* position of its latest pass */
	uint64_t reserved; /* bytes of that pass that writers have reserved */
	struct rbs_value cc, cc_sb, seq, packets;
	uint64_t committed; /* bytes of that pass; only when cc is there */
	uint64_t visible;   /* the same for cc_sb */
	const char *state;
};

static struct rbs_value counter_read(struct lttng_probe *probe, uint64_t table, uint64_t index,
				     unsigned size, unsigned member)
{
	if (!table)
		return rbs_value_absent(RBS_UNMAPPED);
	return lttng_unsigned(
		&probe->rings, member,
		rbs_layout_read(&probe->rings, member, probe->target,
				table + index * rbs_layout_size(&probe->rings, size)));
}

/*
 * A small write offset means a young buffer, or one whose positions have come round to 0 again (on
 * 32-bit machines after 4 GiB). Then the consumed position is still behind the wrap, or the count
 * of packets tells of as many passes.
 */
static bool wrapped(const struct lttng_buffer *buffer, const struct subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;

	return buffer->consumed > buffer->offset ||
	       (rbs_value_ok(&subbuf->packets) &&
		subbuf->packets.number >= geometry->word_mask / geometry->buf_size);
}

static bool partial(const struct subbuf *subbuf)
{
	return subbuf->written && rbs_value_ok(&subbuf->cc) &&
	       subbuf->committed != subbuf->reserved;
}

/*
 * Positions are compared as distances from the consumed one, as the driver does: they wrap. A
 * sub-buffer that lies before it was read, or in overwrite mode taken back by the writer.
 */
static const char *state_find(const struct lttng_buffer *buffer, const struct subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	uint64_t consumed = rbs_subbuf_start(geometry, buffer->consumed);
	uint64_t ahead = (subbuf->start - consumed) & geometry->word_mask;

	if (!subbuf->written)
		return "free";
	if (buffer->reading && rbs_subbuf_start(geometry, buffer->get_consumed) == subbuf->start)
		return "reading";
	if (subbuf->reserved < geometry->subbuf_size)
		return "writing";
	if (ahead >= geometry->buf_size)
		return buffer->channel->overwrite ? "passed" : "free";
	if (!rbs_value_ok(&subbuf->cc_sb))
		return "written";
	return subbuf->visible == geometry->subbuf_size ? "delivered" : "uncommitted";
}

static void subbuf_load(struct lttng_probe *probe, const struct lttng_buffer *buffer,
			uint64_t index, struct subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	uint64_t mask = geometry->word_mask;

	*subbuf = (struct subbuf){.index = index};
	subbuf->cc = counter_read(probe, buffer->hot, index, LH_SIZE, LH_CC);
	subbuf->seq = counter_read(probe, buffer->hot, index, LH_SIZE, LH_SEQ);
	subbuf->cc_sb = counter_read(probe, buffer->cold, index, LCC_SIZE, LCC_CC_SB);
	subbuf->packets = counter_read(probe, buffer->counts, index, LN_SIZE, LN_SEQ_CNT);
	subbuf->written = rbs_subbuf_latest(geometry, buffer->offset, index, &subbuf->start);
	if (!subbuf->written && wrapped(buffer, subbuf)) {
		subbuf->written = true;
		subbuf->start =
			(index * geometry->subbuf_size - geometry->buf_size) & geometry->word_mask;
	}
	if (subbuf->written) {
		uint64_t behind = (buffer->offset - subbuf->start) & mask;

		subbuf->reserved = behind < geometry->subbuf_size ? behind : geometry->subbuf_size;
		subbuf->committed =
			rbs_subbuf_committed(geometry, subbuf->cc.number, subbuf->start);
		subbuf->visible =
			rbs_subbuf_committed(geometry, subbuf->cc_sb.number, subbuf->start);
	}
	subbuf->state = state_find(buffer, subbuf);
}

/* More than was reserved, less than nothing: the counters are not of this pass. */
static struct rbs_value count_or_corrupt(const struct rbs_value *counter, uint64_t bytes,
					 uint64_t limit)
{
	if (!rbs_value_ok(counter))
		return *counter;
	return bytes <= limit ? rbs_value_of(bytes) : rbs_value_absent(RBS_CORRUPT);
}

/* The address of the sub-buffer's struct lttng_kernel_ring_buffer_backend_pages. */
static struct rbs_value pages_find(struct lttng_probe *probe, const struct lttng_buffer *buffer,
				   uint64_t index)
{
	struct rbs_value id = counter_read(probe, buffer->wsb, index, LW_SIZE, LW_ID);
	unsigned half = probe->target->info.word_size * 4;
	unsigned word = probe->target->info.word_size;
	struct rbs_value pages = rbs_value_of(0);

	if (!rbs_value_ok(&id))
		return id;
	if (!buffer->array)
		return rbs_value_absent(RBS_UNMAPPED);
	/*
	 * In overwrite mode an id holds offset (upper half), noref flag (top bit of the lower half)
	 * and index (lib/ringbuffer/backend_internal.h: SB_ID_INDEX_MASK).
	 */
	if (buffer->channel->overwrite)
		id.number &= (UINT64_C(1) << (half - 1)) - 1;
	/* One more than num_subbuf: the reader owns a spare one. */
	if (id.number > buffer->channel->geometry.num_subbuf)
		return rbs_value_absent(RBS_CORRUPT);
	pages.code = rbs_target_read_pointer(probe->target, buffer->array + id.number * word,
					     &pages.number, NULL);
	if (rbs_value_ok(&pages) && !pages.number)
		pages.code = RBS_CORRUPT;
	return pages;
}

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

		if (!rbs_value_ok(&page))
			return;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIx64,
					 i ? "," : "", page.number);
	}
	if (count)
		rbs_node_set_text(slot, lttng_desc(LTTNG_D_PAGES), text);
}

static void data_show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
		      const struct subbuf *subbuf, struct rbs_node *slot)
{
	const struct rbs_layout *layout = &probe->rings;
	struct rbs_value found = pages_find(probe, buffer, subbuf->index);
	uint64_t pages = found.number;
	struct rbs_value memory;

	if (!rbs_value_ok(&found)) {
		rbs_node_set(slot, lttng_desc(LTTNG_D_DATA_SIZE), found);
		rbs_node_set(slot, lttng_desc(LTTNG_D_RECORDS_COMMIT), found);
		rbs_node_set(slot, lttng_desc(LTTNG_D_RECORDS_UNREAD), found);
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
		rbs_node_set(slot, lttng_desc(LTTNG_D_PACKET_SEQ), memory);
	else if (memory.number)
		lttng_packet_read(probe, memory.number, slot);
}

static void subbuf_show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
			const struct subbuf *subbuf)
{
	uint64_t size = buffer->channel->geometry.subbuf_size;
	struct rbs_node *slot =
		rbs_node_add(buffer->node, RBS_LEVEL_SLOT, "%" PRIu64, subbuf->index);
	struct rbs_value committed = subbuf->cc, visible = subbuf->cc_sb, missing = subbuf->cc;

	if (subbuf->written) {
		committed = count_or_corrupt(&subbuf->cc, subbuf->committed, size);
		visible = count_or_corrupt(&subbuf->cc_sb, subbuf->visible, size);
		missing = committed;
		if (rbs_value_ok(&committed))
			missing = subbuf->reserved >= subbuf->committed
					  ? rbs_value_of(subbuf->reserved - subbuf->committed)
					  : rbs_value_absent(RBS_TORN);
	} else {
		missing = rbs_value_ok(&subbuf->cc) ? rbs_value_of(0) : subbuf->cc;
	}
	rbs_node_set_text(slot, lttng_desc(LTTNG_D_STATE), subbuf->state);
	rbs_node_set(slot, lttng_desc(LTTNG_D_COMMITTED), committed);
	rbs_node_set(slot, lttng_desc(LTTNG_D_VISIBLE), visible);
	rbs_node_set(slot, lttng_desc(LTTNG_D_SHORT), missing);
	rbs_node_set(slot, lttng_desc(LTTNG_D_CC), subbuf->cc);
	rbs_node_set(slot, lttng_desc(LTTNG_D_CC_SB), subbuf->cc_sb);
	rbs_node_set(slot, lttng_desc(LTTNG_D_CC_SEQ), subbuf->seq);
	rbs_node_set(slot, lttng_desc(LTTNG_D_PACKETS), subbuf->packets);
	data_show(probe, buffer, subbuf, slot);
}

/* What the buffer's own row sums up. */
struct sums {
	struct rbs_value uncommitted, readable;
	bool open; /* a reader takes sub-buffers in order: the first gap ends it */
};

/* ahead: bytes from the consumed sub-buffer's start. */
static void readable_add(struct sums *sums, const struct rbs_subbuf_geometry *geometry,
			 const struct subbuf *subbuf, uint64_t begin, uint64_t ahead)
{
	if (!sums->open)
		return;
	sums->open = subbuf->written && subbuf->reserved == geometry->subbuf_size &&
		     ((subbuf->start - begin) & geometry->word_mask) == ahead;
	if (sums->open && !rbs_value_ok(&subbuf->cc_sb)) {
		sums->readable = subbuf->cc_sb;
		sums->open = false;
	}
	sums->open = sums->open && subbuf->visible == geometry->subbuf_size;
	if (sums->open)
		sums->readable.number += geometry->subbuf_size;
}

static void uncommitted_add(struct sums *sums, const struct subbuf *subbuf)
{
	if (!rbs_value_ok(&subbuf->cc))
		sums->uncommitted = subbuf->cc;
	else if (rbs_value_ok(&sums->uncommitted) && subbuf->written &&
		 subbuf->reserved >= subbuf->committed)
		sums->uncommitted.number += subbuf->reserved - subbuf->committed;
}

void lttng_subbufs_read(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	struct sums sums = {rbs_value_of(0), rbs_value_of(0), true};
	uint64_t first = rbs_subbuf_index(geometry, buffer->consumed);
	uint64_t begin = rbs_subbuf_start(geometry, buffer->consumed);

	for (uint64_t i = 0; i < geometry->num_subbuf; i++) {
		struct subbuf subbuf;

		if (rbs_target_interrupted(probe->target))
			return;
		subbuf_load(probe, buffer, (first + i) & (geometry->num_subbuf - 1), &subbuf);
		readable_add(&sums, geometry, &subbuf, begin, i * geometry->subbuf_size);
		uncommitted_add(&sums, &subbuf);
		if (probe->context->verbose || partial(&subbuf))
			subbuf_show(probe, buffer, &subbuf);
	}
	rbs_node_set(buffer->node, lttng_desc(LTTNG_D_UNCOMMITTED), sums.uncommitted);
	rbs_node_set(buffer->node, lttng_desc(LTTNG_D_READABLE), sums.readable);
}
