/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * subbuf - a sub-buffer of one of LTTng's rings: which pass of it there is, how much of that is
 * committed, and what it is good for.
 *
 * Of the kernel's and of the user space tracer alike, which share their design: the arithmetic is
 * ringmath.h's; counters that could not be read stay absent. No memory of a dump is read here.
 */
#ifndef RBS_SUBBUF_H
#define RBS_SUBBUF_H

#include "lib/ringmath.h"
#include "lib/value.h"

/* A buffer's positions; bytes, as in ringmath.h. */
struct rbs_subbuf_ring {
	struct rbs_subbuf_geometry geometry;
	bool overwrite;
	uint64_t offset, consumed;
	bool reading;		    /* a reader holds a sub-buffer: at get_consumed */
	enum rbs_code reading_code; /* why that is not known, or RBS_OK */
	uint64_t get_consumed;
};

struct rbs_subbuf {
	uint64_t index; /* its place in the ring */
	/*
	 * cc: bytes committed; cc_sb: the same that readers go by; seq: consecutively committed
	 * bytes; packets: that went through it.
	 * Counted for ever.
	 */
	struct rbs_value cc, cc_sb, seq, packets;
	bool written;		  /* ever */
	bool held;		  /* by a reader */
	uint64_t start;		  /* position of its latest pass */
	uint64_t reserved;	  /* bytes of that pass that writers have reserved */
	uint64_t committed;	  /* bytes of that pass; only when cc is there */
	uint64_t visible;	  /* the same for cc_sb */
	enum rbs_code state_code; /* RBS_OK: state holds */
	const char *state;
};

/* What the buffer's own row sums up. Start with rbs_subbuf_sums_init(). */
struct rbs_subbuf_sums {
	struct rbs_value uncommitted, readable; /* bytes */
	bool open; /* a reader takes sub-buffers in order: the first gap ends it */
};

/* Fill the rest of *subbuf from its index and counters. */
void rbs_subbuf_settle(const struct rbs_subbuf_ring *ring, struct rbs_subbuf *subbuf);

/*
 * In overwrite mode: the sub-buffer that a reader took out of the ring, when the writer has since
 * come round to its place. It is whole, and not one of the ring's any more; its counters are
 * absent. False when there is none.
 */
bool rbs_subbuf_left_behind(const struct rbs_subbuf_ring *ring, struct rbs_subbuf *subbuf);

/* Bytes reserved in it and not committed, or committed and not reserved. */
bool rbs_subbuf_partial(const struct rbs_subbuf *subbuf);

/* Committed, visible, and reserved but not committed, in bytes; or why that is not known. */
void rbs_subbuf_values(const struct rbs_subbuf_ring *ring, const struct rbs_subbuf *subbuf,
		       struct rbs_value *committed, struct rbs_value *visible,
		       struct rbs_value *missing);

void rbs_subbuf_sums_init(struct rbs_subbuf_sums *sums);

/* Sub-buffers come in the order in which a reader takes them: number 0 is the consumed one. */
void rbs_subbuf_sums_add(struct rbs_subbuf_sums *sums, const struct rbs_subbuf_ring *ring,
			 const struct rbs_subbuf *subbuf, uint64_t number);

#endif
