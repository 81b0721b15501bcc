/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sub-buffers: where each is in the ring, what was committed to it, and where its memory is. */
#include "lib/probes/lttng/lttng.h"

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
static bool wrapped(const struct lttng_buffer *buffer, const struct lttng_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;

	return buffer->consumed > buffer->offset ||
	       (rbs_value_ok(&subbuf->packets) &&
		subbuf->packets.number >= geometry->word_mask / geometry->buf_size);
}

/*
 * Positions are compared as distances from the consumed one, as the driver does: they wrap. A
 * sub-buffer that lies before it was read, or in overwrite mode taken back by the writer.
 */
static const char *state_find(const struct lttng_buffer *buffer, const struct lttng_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	uint64_t consumed = rbs_subbuf_start(geometry, buffer->consumed);
	uint64_t ahead = (subbuf->start - consumed) & geometry->word_mask;

	if (!subbuf->written)
		return "free";
	if (subbuf->held)
		return "reading";
	if (subbuf->reserved < geometry->subbuf_size)
		return "writing";
	if (ahead >= geometry->buf_size)
		return buffer->channel->overwrite ? "passed" : "free";
	if (!rbs_value_ok(&subbuf->cc_sb))
		return "written";
	return subbuf->visible == geometry->subbuf_size ? "delivered" : "uncommitted";
}

void lttng_subbuf_load(struct lttng_probe *probe, const struct lttng_buffer *buffer, uint64_t index,
		       struct lttng_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	uint64_t mask = geometry->word_mask;

	*subbuf = (struct lttng_subbuf){.index = index};
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
	subbuf->held = subbuf->written && buffer->reading &&
		       rbs_subbuf_start(geometry, buffer->get_consumed) == subbuf->start;
	subbuf->state = state_find(buffer, subbuf);
}

static struct rbs_value pages_of(struct lttng_probe *probe, const struct lttng_buffer *buffer,
				 struct rbs_value id)
{
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

struct rbs_value lttng_subbuf_pages(struct lttng_probe *probe, const struct lttng_buffer *buffer,
				    uint64_t index)
{
	return pages_of(probe, buffer, counter_read(probe, buffer->wsb, index, LW_SIZE, LW_ID));
}

struct rbs_value lttng_subbuf_pages_held(struct lttng_probe *probe,
					 const struct lttng_buffer *buffer,
					 const struct lttng_subbuf *subbuf)
{
	if (!subbuf->held || !buffer->channel->overwrite)
		return lttng_subbuf_pages(probe, buffer, subbuf->index);
	return pages_of(probe, buffer,
			rbs_layout_read(&probe->rings, LB_RSB, probe->target, buffer->address));
}
