/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/subbuf.h"

#include <stddef.h>

/*
 * A small write offset means a young buffer, or one whose positions have come round to 0 again (on
 * 32-bit machines after 4 GiB). Then the consumed position is still behind the wrap, or the count
 * of packets tells of as many passes.
 */
static bool wrapped(const struct rbs_subbuf_ring *ring, const struct rbs_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &ring->geometry;

	return ring->consumed > ring->offset ||
	       (rbs_value_ok(&subbuf->packets) &&
		subbuf->packets.number >= geometry->word_mask / geometry->buf_size);
}

bool rbs_subbuf_partial(const struct rbs_subbuf *subbuf)
{
	return subbuf->written && rbs_value_ok(&subbuf->cc) &&
	       subbuf->committed != subbuf->reserved;
}

/*
 * Positions are compared as distances from the consumed one, as the driver does: they wrap. A
 * sub-buffer that lies before it was read, or in overwrite mode taken back by the writer.
 */
static const char *state_find(const struct rbs_subbuf_ring *ring, const struct rbs_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &ring->geometry;
	uint64_t consumed = rbs_subbuf_start(geometry, ring->consumed);
	uint64_t ahead = (subbuf->start - consumed) & geometry->word_mask;

	if (!subbuf->written)
		return "free";
	if (subbuf->held)
		return "reading";
	if (subbuf->reserved < geometry->subbuf_size)
		return "writing";
	if (ahead >= geometry->buf_size)
		return ring->overwrite ? "passed" : "free";
	/* Delivered or not: that is what the counter tells. */
	if (!rbs_value_ok(&subbuf->cc_sb))
		return NULL;
	return subbuf->visible == geometry->subbuf_size ? "delivered" : "uncommitted";
}

void rbs_subbuf_settle(const struct rbs_subbuf_ring *ring, struct rbs_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &ring->geometry;
	uint64_t mask = geometry->word_mask;

	subbuf->written = rbs_subbuf_latest(geometry, ring->offset, subbuf->index, &subbuf->start);
	if (!subbuf->written && wrapped(ring, subbuf)) {
		subbuf->written = true;
		subbuf->start = (subbuf->index * geometry->subbuf_size - geometry->buf_size) & mask;
	}
	if (subbuf->written) {
		uint64_t behind = (ring->offset - subbuf->start) & mask;

		subbuf->reserved = behind < geometry->subbuf_size ? behind : geometry->subbuf_size;
		subbuf->committed =
			rbs_subbuf_committed(geometry, subbuf->cc.number, subbuf->start);
		subbuf->visible =
			rbs_subbuf_committed(geometry, subbuf->cc_sb.number, subbuf->start);
	}
	subbuf->held = subbuf->written && ring->reading &&
		       rbs_subbuf_start(geometry, ring->get_consumed) == subbuf->start;
	subbuf->state = state_find(ring, subbuf);
	subbuf->state_code = ring->reading_code != RBS_OK ? ring->reading_code
			     : subbuf->state		  ? RBS_OK
							  : subbuf->cc_sb.code;
}

/* The writer can be any number of passes ahead, but not behind. */
bool rbs_subbuf_left_behind(const struct rbs_subbuf_ring *ring, struct rbs_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &ring->geometry;
	uint64_t start = rbs_subbuf_start(geometry, ring->get_consumed);
	uint64_t behind = (ring->offset - start) & geometry->word_mask;
	struct rbs_value gone = rbs_value_absent(RBS_NO_MEMBER);

	if (!ring->overwrite || !ring->reading || ring->reading_code != RBS_OK ||
	    behind <= geometry->buf_size || behind > geometry->word_mask / 2)
		return false;
	*subbuf = (struct rbs_subbuf){
		.index = rbs_subbuf_index(geometry, start),
		.cc = gone,
		.cc_sb = gone,
		.seq = gone,
		.packets = gone,
		.written = true,
		.held = true,
		.start = start,
		.reserved = geometry->subbuf_size,
		.committed = geometry->subbuf_size,
		.visible = geometry->subbuf_size,
		.state = "reading",
	};
	return true;
}

/* More than was reserved, less than nothing: the counters are not of this pass. */
static struct rbs_value count_or_corrupt(const struct rbs_value *counter, uint64_t bytes,
					 uint64_t limit)
{
	if (!rbs_value_ok(counter))
		return *counter;
	return bytes <= limit ? rbs_value_of(bytes) : rbs_value_absent(RBS_CORRUPT);
}

void rbs_subbuf_values(const struct rbs_subbuf_ring *ring, const struct rbs_subbuf *subbuf,
		       struct rbs_value *committed, struct rbs_value *visible,
		       struct rbs_value *missing)
{
	uint64_t size = ring->geometry.subbuf_size;

	*committed = *missing = subbuf->cc;
	*visible = subbuf->cc_sb;
	if (!subbuf->written) {
		if (rbs_value_ok(missing))
			*missing = rbs_value_of(0);
		return;
	}
	*committed = count_or_corrupt(&subbuf->cc, subbuf->committed, size);
	*visible = count_or_corrupt(&subbuf->cc_sb, subbuf->visible, size);
	*missing = *committed;
	if (rbs_value_ok(committed))
		*missing = subbuf->reserved >= subbuf->committed
				   ? rbs_value_of(subbuf->reserved - subbuf->committed)
				   : rbs_value_absent(RBS_TORN);
}

void rbs_subbuf_sums_init(struct rbs_subbuf_sums *sums)
{
	*sums = (struct rbs_subbuf_sums){rbs_value_of(0), rbs_value_of(0), true};
}

/* ahead: bytes from the consumed sub-buffer's start. */
static void readable_add(struct rbs_subbuf_sums *sums, const struct rbs_subbuf_geometry *geometry,
			 const struct rbs_subbuf *subbuf, uint64_t begin, uint64_t ahead)
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

static void uncommitted_add(struct rbs_subbuf_sums *sums, const struct rbs_subbuf *subbuf)
{
	if (!rbs_value_ok(&subbuf->cc))
		sums->uncommitted = subbuf->cc;
	else if (rbs_value_ok(&sums->uncommitted) && subbuf->written &&
		 subbuf->reserved >= subbuf->committed)
		sums->uncommitted.number += subbuf->reserved - subbuf->committed;
}

void rbs_subbuf_sums_add(struct rbs_subbuf_sums *sums, const struct rbs_subbuf_ring *ring,
			 const struct rbs_subbuf *subbuf, uint64_t number)
{
	const struct rbs_subbuf_geometry *geometry = &ring->geometry;

	readable_add(sums, geometry, subbuf, rbs_subbuf_start(geometry, ring->consumed),
		     number * geometry->subbuf_size);
	uncommitted_add(sums, subbuf);
}
