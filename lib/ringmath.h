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

#endif
