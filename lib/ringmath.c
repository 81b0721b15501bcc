/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ringmath.h"

uint16_t rbs_ring_distance16(uint16_t ahead, uint16_t behind)
{
	return (uint16_t)(ahead - behind);
}

bool rbs_ring_distance_wrapped(uint16_t ahead, bool ahead_wrap, uint16_t behind, bool behind_wrap,
			       uint32_t num, uint32_t *distance)
{
	if (ahead >= num || behind >= num)
		return false;
	/* The same wrap bit: on the same lap; different ones: ahead is a lap further. */
	if (ahead_wrap == behind_wrap) {
		if (ahead < behind)
			return false;
		*distance = (uint32_t)(ahead - behind);
		return true;
	}
	if (ahead > behind)
		return false;
	*distance = num - behind + ahead;
	return true;
}

uint32_t rbs_ring_bytes_used(uint32_t ahead, uint32_t behind, uint32_t size)
{
	return ahead >= behind ? ahead - behind : size - behind + ahead;
}

static bool power_of_two(uint64_t number)
{
	return number && !(number & (number - 1));
}

bool rbs_subbuf_geometry_set(struct rbs_subbuf_geometry *geometry, uint64_t subbuf_size,
			     uint64_t num_subbuf, unsigned word_bits)
{
	uint64_t word_mask = word_bits < 64 ? (UINT64_C(1) << word_bits) - 1 : UINT64_MAX;

	if (!power_of_two(subbuf_size) || !power_of_two(num_subbuf) ||
	    subbuf_size > word_mask / 2 / num_subbuf)
		return false;
	*geometry = (struct rbs_subbuf_geometry){
		.subbuf_size = subbuf_size,
		.num_subbuf = num_subbuf,
		.buf_size = subbuf_size * num_subbuf,
		.num_order = (unsigned)__builtin_ctzll(num_subbuf),
		.word_mask = word_mask,
	};
	geometry->commit_mask = word_mask >> geometry->num_order;
	return true;
}

bool rbs_subbuf_positions_valid(const struct rbs_subbuf_geometry *geometry, uint64_t offset,
				uint64_t consumed)
{
	return ((offset - consumed) & geometry->word_mask) <= geometry->buf_size;
}

uint64_t rbs_subbuf_start(const struct rbs_subbuf_geometry *geometry, uint64_t position)
{
	return position & ~(geometry->subbuf_size - 1);
}

uint64_t rbs_subbuf_index(const struct rbs_subbuf_geometry *geometry, uint64_t position)
{
	return (position & (geometry->buf_size - 1)) / geometry->subbuf_size;
}

bool rbs_subbuf_latest(const struct rbs_subbuf_geometry *geometry, uint64_t offset, uint64_t index,
		       uint64_t *start)
{
	uint64_t at = (offset & ~(geometry->buf_size - 1)) + index * geometry->subbuf_size;

	/* At or behind the offset, nothing of this pass was written: the one before it counts. */
	if (at >= offset) {
		if (at < geometry->buf_size)
			return false;
		at -= geometry->buf_size;
	}
	*start = at;
	return true;
}

uint64_t rbs_subbuf_committed(const struct rbs_subbuf_geometry *geometry, uint64_t counter,
			      uint64_t start)
{
	uint64_t passes = (start & ~(geometry->buf_size - 1)) >> geometry->num_order;

	return (counter - passes) & geometry->commit_mask;
}
