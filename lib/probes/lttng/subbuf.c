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

void lttng_subbuf_load(struct lttng_probe *probe, const struct lttng_buffer *buffer, uint64_t index,
		       struct rbs_subbuf *subbuf)
{
	*subbuf = (struct rbs_subbuf){.index = index};
	subbuf->cc = counter_read(probe, buffer->hot, index, LH_SIZE, LH_CC);
	subbuf->seq = counter_read(probe, buffer->hot, index, LH_SIZE, LH_SEQ);
	subbuf->cc_sb = counter_read(probe, buffer->cold, index, LCC_SIZE, LCC_CC_SB);
	subbuf->packets = counter_read(probe, buffer->counts, index, LN_SIZE, LN_SEQ_CNT);
	rbs_subbuf_settle(&buffer->ring, subbuf);
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

static struct rbs_value reader_pages(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	return pages_of(probe, buffer,
			rbs_layout_read(&probe->rings, LB_RSB, probe->target, buffer->address));
}

bool lttng_subbuf_taken(const struct lttng_buffer *buffer, const struct rbs_subbuf *subbuf)
{
	return subbuf->held && buffer->channel->overwrite;
}

struct rbs_value lttng_subbuf_pages_held(struct lttng_probe *probe,
					 const struct lttng_buffer *buffer,
					 const struct rbs_subbuf *subbuf)
{
	if (lttng_subbuf_taken(buffer, subbuf))
		return reader_pages(probe, buffer);
	return lttng_subbuf_pages(probe, buffer, subbuf->index);
}
