/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ring_packets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/target.h"

struct giving {
	struct rbs_ring_source *source;
	struct rbs_packet_sink *sink;
	size_t header_size;
	uint64_t last_end; /* of the packet before */
	uint8_t *bytes;	   /* of a packet; room for a sub-buffer */
};

static enum rbs_code bytes_read(struct giving *giving, const struct rbs_subbuf *subbuf,
				uint8_t *bytes, uint64_t length, struct rbs_error *err)
{
	return giving->source->ops->read(giving->source, subbuf, bytes, length, err);
}

static uint64_t field_get(const struct giving *giving, struct rbs_ctf_field field)
{
	return rbs_ctf_field_get(&giving->source->frame, field, giving->bytes);
}

static void packet_give(struct giving *giving, struct rbs_packet *packet)
{
	packet->bytes = giving->bytes;
	giving->last_end = field_get(giving, giving->source->frame.header.end);
	giving->sink->ops->packet(giving->sink, packet);
}

/*
 * Packets are numbered by their place (num_subbuf * passes + index), so that what lies where this
 * one should be and is another's shows. Only as much of a position as a word holds is known.
 */
static enum rbs_code number_check(const struct giving *giving, const struct rbs_subbuf *subbuf,
				  struct rbs_error *err)
{
	const struct rbs_subbuf_geometry *geometry = &giving->source->ring.geometry;
	struct rbs_ctf_field field = giving->source->frame.header.seq;
	uint64_t number = field_get(giving, field);

	if (!field.size ||
	    ((number * geometry->subbuf_size) & geometry->word_mask) == subbuf->start)
		return RBS_OK;
	return rbs_error_set(err, RBS_CORRUPT, "its memory holds packet %" PRIu64 ", not %" PRIu64,
			     number, subbuf->start / geometry->subbuf_size);
}

/* Readers of a trace refuse the whole of a stream that goes back in time. */
static enum rbs_code order_check(const struct giving *giving, struct rbs_error *err)
{
	if (field_get(giving, giving->source->frame.header.begin) >= giving->last_end)
		return RBS_OK;
	return rbs_error_set(err, RBS_CORRUPT, "it begins before the packet before it ends");
}

static enum rbs_code whole_give(struct giving *giving, const struct rbs_subbuf *subbuf,
				struct rbs_error *err)
{
	struct rbs_ring_source *source = giving->source;
	struct rbs_value data = rbs_value_absent(RBS_NO_MEMBER);
	uint64_t content, size;
	enum rbs_code code = bytes_read(giving, subbuf, giving->bytes, giving->header_size, err);

	if (code == RBS_OK)
		code = rbs_ctf_packet_check(&source->frame, giving->bytes, &content, &size, err);
	if (code == RBS_OK)
		code = number_check(giving, subbuf, err);
	if (code == RBS_OK)
		code = order_check(giving, err);
	if (code != RBS_OK)
		return code;
	if (source->ops->data_size)
		data = source->ops->data_size(source, subbuf);
	if (rbs_value_ok(&data) && data.number != content)
		return rbs_error_set(err, RBS_CORRUPT,
				     "its header says %" PRIu64 " bytes, its counter %" PRIu64,
				     content, data.number);
	code = bytes_read(giving, subbuf, giving->bytes, size, err);
	if (code == RBS_OK)
		packet_give(giving, &(struct rbs_packet){.length = size});
	return code;
}

/*
 * Bytes from the start that were all committed. The tracer counts commits that came in order
 * (commit_counters_hot.seq), so that just this can be told after a crash.
 */
static uint64_t prefix_find(const struct giving *giving, const struct rbs_subbuf *subbuf)
{
	uint64_t prefix;

	if (subbuf->committed == subbuf->reserved)
		return subbuf->reserved;
	if (!rbs_value_ok(&subbuf->seq))
		return 0;
	prefix = rbs_subbuf_committed(&giving->source->ring.geometry, subbuf->seq.number,
				      subbuf->start);
	return prefix <= subbuf->committed ? prefix : 0;
}

/* The header of the packet that starts at a position, if that is still there. */
static bool neighbour_read(struct giving *giving, uint64_t start, uint8_t *header)
{
	struct rbs_ring_source *source = giving->source;
	struct rbs_subbuf subbuf;

	start &= source->ring.geometry.word_mask;
	source->ops->load(source, rbs_subbuf_index(&source->ring.geometry, start), &subbuf);
	return subbuf.written && subbuf.start == start &&
	       bytes_read(giving, &subbuf, header, giving->header_size, NULL) == RBS_OK &&
	       rbs_ctf_packet_check_open(&source->frame, header, NULL) == RBS_OK;
}

/* When the next packet begins, of those after start that are there; else false. */
static bool next_begin(struct giving *giving, uint64_t start, uint64_t *begin)
{
	const struct rbs_ring_source *source = giving->source;
	uint64_t size = source->ring.geometry.subbuf_size, mask = source->ring.geometry.word_mask;
	uint8_t header[RBS_CTF_HEADER_LIMIT];

	for (uint64_t i = 1; i < source->ring.geometry.num_subbuf; i++) {
		if (((source->ring.offset - start) & mask) <= i * size)
			return false;
		if (!neighbour_read(giving, start + i * size, header))
			continue;
		*begin = rbs_ctf_field_get(&source->frame, source->frame.header.begin, header);
		return true;
	}
	return false;
}

/* No record of the buffer is later. */
static uint64_t last_timestamp(const struct giving *giving)
{
	struct rbs_value last = giving->source->ops->last_timestamp(giving->source);

	if (!rbs_value_ok(&last))
		return 0;
	return ((last.number + 1) << giving->source->timestamp_shift) - 1;
}

/* What the packet before told of lost events, 0 at the start of the ring. */
static uint64_t lost_before(struct giving *giving, uint64_t start)
{
	const struct rbs_ctf_frame *frame = &giving->source->frame;
	uint8_t header[RBS_CTF_HEADER_LIMIT];

	if (start && neighbour_read(giving, start - frame->subbuf_size, header) &&
	    rbs_ctf_field_get(frame, frame->header.content, header) != UINT64_MAX)
		return rbs_ctf_field_get(frame, frame->header.discarded, header);
	return 0;
}

/*
 * When it ends and how many events were lost by then. The newest sub-buffer: all of the buffer. An
 * older one, in which a record was never committed: at most when the next begins, and what the one
 * before told.
 */
static void end_find(struct giving *giving, const struct rbs_subbuf *subbuf, uint64_t *timestamp,
		     uint64_t *discarded)
{
	struct rbs_ring_source *source = giving->source;
	uint64_t size = source->ring.geometry.subbuf_size;
	uint64_t behind = (source->ring.offset - subbuf->start) & source->ring.geometry.word_mask;
	struct rbs_value lost = source->ops->lost(source);

	if (!next_begin(giving, subbuf->start, timestamp))
		*timestamp = last_timestamp(giving);
	if (behind <= size && rbs_value_ok(&lost))
		*discarded = lost.number;
	else
		*discarded = lost_before(giving, subbuf->start);
}

static enum rbs_code partial_give(struct giving *giving, const struct rbs_subbuf *subbuf,
				  struct rbs_error *err)
{
	const struct rbs_ctf_frame *frame = &giving->source->frame;
	uint64_t prefix = prefix_find(giving, subbuf), begin, end, discarded, size;
	enum rbs_code code;

	if (prefix < giving->header_size)
		return rbs_error_set(err, RBS_TORN,
				     "nothing of it was committed without a gap from its start");
	code = bytes_read(giving, subbuf, giving->bytes, prefix, err);
	if (code == RBS_OK)
		code = rbs_ctf_packet_check_open(frame, giving->bytes, err);
	if (code == RBS_OK)
		code = number_check(giving, subbuf, err);
	if (code == RBS_OK)
		code = order_check(giving, err);
	if (code != RBS_OK)
		return code;
	end_find(giving, subbuf, &end, &discarded);
	begin = field_get(giving, frame->header.begin);
	size = rbs_ctf_packet_close(frame, giving->bytes, prefix, end < begin ? begin : end,
				    discarded);
	memset(giving->bytes + prefix, 0, size - prefix);
	packet_give(giving, &(struct rbs_packet){.length = size,
						 .partial = true,
						 .subbuf = subbuf->index,
						 .cut = subbuf->reserved - prefix});
	return RBS_OK;
}

static enum rbs_code subbuf_give(struct giving *giving, const struct rbs_subbuf *subbuf,
				 struct rbs_error *err)
{
	uint64_t size = giving->source->ring.geometry.subbuf_size;
	enum rbs_code code = rbs_value_ok(&subbuf->cc) ? subbuf->cc_sb.code : subbuf->cc.code;
	struct rbs_value lost;

	if (code != RBS_OK)
		return rbs_error_set(err, code, "its commit counters cannot be read: %s",
				     rbs_code_text(code));
	if (subbuf->committed > subbuf->reserved || subbuf->visible > subbuf->committed)
		return rbs_error_set(err, RBS_TORN, "its commit counters contradict each other");
	if (subbuf->visible == size)
		return whole_give(giving, subbuf, err);
	/* Opened, and no event yet: only how many were lost could be worth telling. */
	lost = giving->source->ops->lost(giving->source);
	if (subbuf->reserved <= giving->header_size && !rbs_value_or(&lost, 0))
		return RBS_OK;
	if (giving->sink->partial)
		return partial_give(giving, subbuf, err);
	if (subbuf->reserved == size)
		return rbs_error_set(err, RBS_TORN,
				     "%" PRIu64 " of %" PRIu64 " bytes were never committed",
				     size - subbuf->committed, size);
	giving->sink->ops->leave(giving->sink, subbuf->index);
	return RBS_OK;
}

/* It is older than all that the ring has. */
static void left_behind_give(struct giving *giving)
{
	struct rbs_ring_source *source = giving->source;
	struct rbs_subbuf subbuf;
	struct rbs_error error;

	if (rbs_subbuf_left_behind(&source->ring, &subbuf) &&
	    whole_give(giving, &subbuf, &error) != RBS_OK)
		giving->sink->ops->skip(giving->sink, subbuf.index, &error);
}

/* In the order of their positions, which is that of their time: the oldest pass first. */
static void subbufs_give(struct giving *giving)
{
	struct rbs_ring_source *source = giving->source;
	const struct rbs_subbuf_geometry *geometry = &source->ring.geometry;
	uint64_t newest = rbs_subbuf_index(geometry, source->ring.offset - 1);
	uint64_t consumed = rbs_subbuf_start(geometry, source->ring.consumed);

	left_behind_give(giving);
	for (uint64_t i = 1; i <= geometry->num_subbuf && !giving->sink->stopped; i++) {
		struct rbs_subbuf subbuf;
		struct rbs_error error;
		bool unread;

		if (rbs_target_interrupted(source->target))
			return;
		source->ops->load(source, (newest + i) & (geometry->num_subbuf - 1), &subbuf);
		unread = subbuf.held ||
			 ((subbuf.start - consumed) & geometry->word_mask) < geometry->buf_size;
		if (!subbuf.written || (!unread && !giving->sink->consumed))
			continue;
		/* A reader by splice takes the pages away: of what it read nothing need be here. */
		if (subbuf_give(giving, &subbuf, &error) != RBS_OK && unread)
			giving->sink->ops->skip(giving->sink, subbuf.index, &error);
	}
}

void rbs_ring_packets_give(struct rbs_ring_source *source, const struct rbs_packet_stream *stream,
			   struct rbs_packet_sink *sink)
{
	struct giving giving = {.source = source, .sink = sink};
	uint64_t size = source->ring.geometry.subbuf_size;
	struct rbs_error error;

	if (sink->stopped)
		return;
	sink->ops->stream_begin(sink, stream);
	giving.header_size = rbs_ctf_header_size(&source->frame.header);
	if (!rbs_ctf_header_valid(&source->frame.header) || giving.header_size > size)
		rbs_error_set(&error, RBS_NO_TYPES,
			      "how a packet's header is laid out is not known");
	else if (size > RBS_PACKET_LIMIT)
		rbs_error_set(&error, RBS_LIMIT, "sub-buffers of %" PRIu64 " bytes are too large",
			      size);
	else if (!(giving.bytes = malloc(size)))
		rbs_error_set(&error, RBS_NOMEM, "out of memory");
	if (giving.bytes)
		subbufs_give(&giving);
	else
		sink->ops->skip(sink, 0, &error);
	free(giving.bytes);
}
