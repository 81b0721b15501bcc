/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ringmath - arithmetic on ring indexes, without any memory behind it.
 *
 * virtio: all split ring indexes are free-running 16-bit counters (virtio 1.x, 2.7 Split
 * Virtqueues); packed rings count positions below num with a wrap bit (2.8).
 */
#ifndef RBS_RINGMATH_H
#define RBS_RINGMATH_H

#include <stdbool.h>
#include <stdint.h>

/* How far a free-running 16-bit index is ahead of another. */
uint16_t rbs_ring_distance16(uint16_t ahead, uint16_t behind);

/*
 * How many slots a position is ahead of another in a ring of num slots, given each one's wrap bit.
 * A position or a ring size that cannot be (position >= num, num 0) gives false.
 */
bool rbs_ring_distance_wrapped(uint16_t ahead, bool ahead_wrap, uint16_t behind, bool behind_wrap,
			       uint32_t num, uint32_t *distance);

/*
 * VMBus and other byte rings: how many bytes lie between two offsets below size (size not 0), from
 * behind up to ahead. Equal offsets mean empty: such a ring never fills its last byte.
 */
uint32_t rbs_ring_bytes_used(uint32_t ahead, uint32_t behind, uint32_t size);

/*
 * LTTng: positions count bytes for ever, modulo the machine's word; sub-buffers are a power of two
 * bytes and their number is one too. A sub-buffer's commit counter counts bytes for ever as well,
 * modulo the word without the bits of the number of sub-buffers (commit_count_mask in
 * lttng-modules' lib/ringbuffer/frontend_internal.h).
 */
struct rbs_subbuf_geometry {
	uint64_t subbuf_size; /* bytes */
	uint64_t num_subbuf;
	uint64_t buf_size;    /* bytes */
	unsigned num_order;   /* log2(num_subbuf) */
	uint64_t word_mask;   /* of the machine's unsigned long */
	uint64_t commit_mask; /* commit_count_mask */
};

/* False when the numbers cannot be LTTng's: no powers of two, or a buffer larger than memory. */
bool rbs_subbuf_geometry_set(struct rbs_subbuf_geometry *geometry, uint64_t subbuf_size,
			     uint64_t num_subbuf, unsigned word_bits);

/* Whether the write offset is at most a buffer ahead of the consumed position. */
bool rbs_subbuf_positions_valid(const struct rbs_subbuf_geometry *geometry, uint64_t offset,
				uint64_t consumed);

/* The start of the sub-buffer that position is in, and that sub-buffer's place in the buffer. */
uint64_t rbs_subbuf_start(const struct rbs_subbuf_geometry *geometry, uint64_t position);
uint64_t rbs_subbuf_index(const struct rbs_subbuf_geometry *geometry, uint64_t position);

/*
 * The start of the latest pass through sub-buffer index that began before offset. False when it was
 * never written.
 */
bool rbs_subbuf_latest(const struct rbs_subbuf_geometry *geometry, uint64_t offset, uint64_t index,
		       uint64_t *start);

/* Bytes that a commit counter counts of the pass that starts at start; subbuf_size when full. */
uint64_t rbs_subbuf_committed(const struct rbs_subbuf_geometry *geometry, uint64_t counter,
			      uint64_t start);

#endif
