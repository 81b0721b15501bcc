/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * packets - trace packets out of a tracer's buffers, from the probe that knows the buffers to
 * whoever wants the records themselves.
 *
 * A probe whose context has a sink calls it while it walks: trace_begin, then for each buffer
 * stream_begin and its packets from the oldest to the newest. What it passes is only borrowed for
 * the call. The sink remembers its own failures (a full disk): no call fails in the probe's face,
 * and probe->stopped tells when going on is pointless.
 */
#ifndef RBS_PACKETS_H
#define RBS_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* Larger than any sub-buffer that a tracer was seen to have. */
#define RBS_PACKET_LIMIT (UINT64_C(256) << 20)
#define RBS_METADATA_LIMIT (UINT64_C(64) << 20)

struct rbs_packet_trace {
	const char *name;  /* of the session, as in the dump */
	const char *place; /* the folder below it, of the project's own words: "kernel" */
	/* The text that describes the trace, NULL when it was not found, and then why. */
	const void *metadata;
	size_t metadata_length;
	const char *metadata_missing;
	/* Where the metadata came from, when not from the tracer's own memory; NULL: from there. */
	const char *metadata_origin;
};

struct rbs_packet_stream {
	const char *channel; /* as in the dump */
	int64_t cpu;	     /* -1: one buffer for all */
};

struct rbs_packet {
	const void *bytes;
	size_t length;
	bool partial; /* the sub-buffer was not whole: its header was completed in this copy */
	/* Of a partial one: its number, and bytes left out behind a record without a commit. */
	uint64_t subbuf, cut;
};

struct rbs_packet_sink {
	const struct rbs_packet_sink_ops *ops;
	bool partial;  /* wants what is committed of sub-buffers that are not whole, too */
	bool consumed; /* wants what readers have taken already and is still there, too */
	bool stopped;  /* wants no more */
};

struct rbs_packet_sink_ops {
	void (*trace_begin)(struct rbs_packet_sink *sink, const struct rbs_packet_trace *trace);
	void (*stream_begin)(struct rbs_packet_sink *sink, const struct rbs_packet_stream *stream);
	void (*packet)(struct rbs_packet_sink *sink, const struct rbs_packet *packet);
	/* A sub-buffer of the stream that cannot be had: which, and why. */
	void (*skip)(struct rbs_packet_sink *sink, uint64_t subbuf, const struct rbs_error *why);
	/* A sub-buffer that holds records but is not whole, and partial ones are not wanted. */
	void (*leave)(struct rbs_packet_sink *sink, uint64_t subbuf);
};

#endif
