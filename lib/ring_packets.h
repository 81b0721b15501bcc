/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ring_packets - the packets in one of LTTng's rings, the kernel's and the user space tracer's
 * alike: which of its sub-buffers are worth having, how much of each, and in what order.
 *
 * Sub-buffers that were wholly committed and not yet taken by a reader are given as they are; of
 * others, when the sink wants that, what was committed without a gap from the start, with the
 * header completed as the tracer's client would have done now.
 */
#ifndef RBS_RING_PACKETS_H
#define RBS_RING_PACKETS_H

#include "lib/ctf_packet.h"
#include "lib/packets.h"
#include "lib/subbuf.h"
#include "lib/value.h"

struct rbs_ring_source;

/* How a tracer's ring is read. */
struct rbs_ring_source_ops {
	/* The sub-buffer at a place in the ring, settled. */
	void (*load)(struct rbs_ring_source *source, uint64_t index, struct rbs_subbuf *subbuf);
	/* The first length bytes of the sub-buffer's memory. */
	enum rbs_code (*read)(struct rbs_ring_source *source, const struct rbs_subbuf *subbuf,
			      void *bytes, uint64_t length, struct rbs_error *err);
	/* Bytes of content that the tracer counted when it closed the packet; may be NULL. */
	struct rbs_value (*data_size)(struct rbs_ring_source *source,
				      const struct rbs_subbuf *subbuf);
	/* Of the last record that was reserved, as the tracer keeps it. */
	struct rbs_value (*last_timestamp)(struct rbs_ring_source *source);
	/* Events lost so far, for whatever reason. */
	struct rbs_value (*lost)(struct rbs_ring_source *source);
};

struct rbs_ring_source {
	const struct rbs_ring_source_ops *ops;
	struct rbs_target *target; /* asked whether to stop */
	struct rbs_subbuf_ring ring;
	struct rbs_ctf_frame frame;
	/*
	 * Tracers of 32-bit words keep a time stamp without its lowest bits; then how many these
	 * are, else 0 (frontend_internal.h: save_last_tsc).
	 */
	unsigned timestamp_shift;
};

/* Begin the stream, and give it the ring's packets from the oldest to the newest. */
void rbs_ring_packets_give(struct rbs_ring_source *source, const struct rbs_packet_stream *stream,
			   struct rbs_packet_sink *sink);

#endif
