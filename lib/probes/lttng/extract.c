/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A buffer's packets, for who wants the records themselves: sub-buffers that were wholly committed
 * and not yet taken by a reader, as they are; of others, when that is wanted, what was committed
 * without a gap from the start, with the header completed as the client would have done now.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/probes/lttng/lttng.h"

struct extraction {
	struct lttng_probe *probe;
	const struct lttng_buffer *buffer;
	struct rbs_packet_sink *sink;
	struct rbs_ctf_frame frame;
	size_t header_size;
	uint64_t last_end; /* of the packet before */
	uint8_t *bytes;	   /* of a packet; room for a sub-buffer */
};

static struct rbs_ctf_field field(const struct rbs_layout *layout, unsigned id)
{
	struct rbs_ctf_field field = {0};

	if (rbs_layout_has(layout, id)) {
		field.offset = (uint32_t)rbs_layout_offset(layout, id);
		field.size = (uint32_t)rbs_layout_size(layout, id);
	}
	return field;
}

static bool frame_init(struct extraction *extraction)
{
	const struct lttng_buffer *buffer = extraction->buffer;
	const struct lttng_probe *probe = extraction->probe;
	const struct rbs_layout *layout = lttng_packet_layout(extraction->probe);
	struct rbs_ctf_frame *frame = &extraction->frame;

	if (!layout)
		return false;
	*frame = (struct rbs_ctf_frame){
		.header =
			{
				.magic = field(layout, LK_MAGIC),
				.uuid = field(layout, LK_UUID),
				.stream = field(layout, LK_STREAM),
				.begin = field(layout, LK_BEGIN),
				.end = field(layout, LK_END),
				.content = field(layout, LK_CONTENT),
				.packet = field(layout, LK_PACKET),
				.seq = field(layout, LK_SEQ),
				.discarded = field(layout, LK_DISCARDED),
				.cpu = field(layout, LK_CPU),
			},
		.big_endian = probe->target->info.byte_order == RBS_BIG_ENDIAN,
		.subbuf_size = buffer->channel->geometry.subbuf_size,
		.alignment = probe->target->info.page_size,
		.has_uuid = probe->has_uuid,
		.has_stream = rbs_value_ok(&buffer->channel->id),
		.has_cpu = buffer->cpu >= 0,
		.stream = buffer->channel->id.number,
		.cpu = (uint64_t)buffer->cpu,
	};
	for (size_t i = 0; i < RBS_CTF_UUID_SIZE; i++)
		frame->uuid[i] = probe->uuid[i];
	extraction->header_size = rbs_ctf_header_size(&frame->header);
	return rbs_ctf_header_valid(&frame->header) &&
	       extraction->header_size <= frame->subbuf_size;
}

/* The first length bytes of a sub-buffer; its pages lie anywhere. */
static enum rbs_code bytes_read(struct extraction *extraction, const struct lttng_subbuf *subbuf,
				uint8_t *bytes, uint64_t length, struct rbs_error *err)
{
	struct lttng_probe *probe = extraction->probe;
	const struct rbs_layout *layout = &probe->rings;
	struct rbs_value pages = lttng_subbuf_pages_held(probe, extraction->buffer, subbuf);
	uint64_t step = rbs_layout_size(layout, LP_PAGE_SIZE);
	uint64_t page_size = probe->target->info.page_size;

	if (!rbs_value_ok(&pages))
		return rbs_error_set_at(err, pages.code, pages.address,
					"where its memory is cannot be read: %s",
					rbs_code_text(pages.code));
	if (!step || !rbs_layout_has(layout, LP_PAGES) || !rbs_layout_has(layout, LP_VIRT))
		return rbs_error_set(err, RBS_NO_MEMBER,
				     "the types do not say where a sub-buffer's pages are");
	for (uint64_t i = 0; i * page_size < length; i++) {
		uint64_t at = pages.number + rbs_layout_offset(layout, LP_PAGES) + i * step;
		uint64_t left = length - i * page_size, address;
		enum rbs_code code =
			rbs_layout_require(layout, LP_VIRT, probe->target, at, &address, err);

		if (code == RBS_OK)
			code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, address,
					       bytes + i * page_size,
					       left < page_size ? left : page_size, err);
		if (code != RBS_OK)
			return code;
	}
	return RBS_OK;
}

static void packet_give(struct extraction *extraction, struct rbs_packet *packet)
{
	packet->bytes = extraction->bytes;
	extraction->last_end = rbs_ctf_field_get(&extraction->frame, extraction->frame.header.end,
						 extraction->bytes);
	extraction->sink->ops->packet(extraction->sink, packet);
}

/* Readers of a trace refuse the whole of a stream that goes back in time. */
static enum rbs_code order_check(const struct extraction *extraction, struct rbs_error *err)
{
	uint64_t begin = rbs_ctf_field_get(&extraction->frame, extraction->frame.header.begin,
					   extraction->bytes);

	if (begin >= extraction->last_end)
		return RBS_OK;
	return rbs_error_set(err, RBS_CORRUPT, "it begins before the packet before it ends");
}

static enum rbs_code whole_extract(struct extraction *extraction, const struct lttng_subbuf *subbuf,
				   struct rbs_error *err)
{
	const struct rbs_layout *layout = &extraction->probe->rings;
	struct rbs_value pages =
		lttng_subbuf_pages_held(extraction->probe, extraction->buffer, subbuf);
	struct rbs_value data = pages;
	uint64_t content, size;
	enum rbs_code code =
		bytes_read(extraction, subbuf, extraction->bytes, extraction->header_size, err);

	if (code == RBS_OK)
		code = rbs_ctf_packet_check(&extraction->frame, extraction->bytes, &content, &size,
					    err);
	if (code == RBS_OK)
		code = order_check(extraction, err);
	if (code != RBS_OK)
		return code;
	if (rbs_value_ok(&pages))
		data = rbs_layout_read(layout, LP_DATA_SIZE, extraction->probe->target,
				       pages.number);
	if (rbs_value_ok(&data) && data.number != content)
		return rbs_error_set(err, RBS_CORRUPT,
				     "its header says %" PRIu64 " bytes, its counter %" PRIu64,
				     content, data.number);
	code = bytes_read(extraction, subbuf, extraction->bytes, size, err);
	if (code == RBS_OK)
		packet_give(extraction, &(struct rbs_packet){.length = size});
	return code;
}

/*
 * Bytes from the start that were all committed. The tracer counts commits that came in order
 * (commit_counters_hot.seq), so that just this can be told after a crash.
 */
static uint64_t prefix_find(const struct extraction *extraction, const struct lttng_subbuf *subbuf)
{
	const struct rbs_subbuf_geometry *geometry = &extraction->buffer->channel->geometry;
	uint64_t prefix;

	if (subbuf->committed == subbuf->reserved)
		return subbuf->reserved;
	if (!rbs_value_ok(&subbuf->seq))
		return 0;
	prefix = rbs_subbuf_committed(geometry, subbuf->seq.number, subbuf->start);
	return prefix <= subbuf->committed ? prefix : 0;
}

/* A header beside the sub-buffer, of the pass before or after: its packet's neighbour. */
static bool neighbour_read(struct extraction *extraction, uint64_t start, uint8_t *header)
{
	const struct rbs_subbuf_geometry *geometry = &extraction->buffer->channel->geometry;
	struct lttng_subbuf subbuf;

	start &= geometry->word_mask;
	lttng_subbuf_load(extraction->probe, extraction->buffer, rbs_subbuf_index(geometry, start),
			  &subbuf);
	return subbuf.written && subbuf.start == start &&
	       bytes_read(extraction, &subbuf, header, extraction->header_size, NULL) == RBS_OK &&
	       rbs_ctf_packet_check_open(&extraction->frame, header, NULL) == RBS_OK;
}

/*
 * No record of the buffer is later. 32-bit machines keep the upper bits only
 * (lib/ringbuffer/frontend_internal.h: save_last_tsc).
 */
static uint64_t last_timestamp(const struct extraction *extraction)
{
	const struct lttng_probe *probe = extraction->probe;
	struct rbs_value last = rbs_layout_read(&probe->rings, LB_LAST_TIMESTAMP, probe->target,
						extraction->buffer->address);
	struct rbs_value bits = rbs_layout_read(&probe->rings, LR_TIMESTAMP_BITS, probe->target,
						extraction->buffer->channel->ring);

	last = lttng_unsigned(&probe->rings, LB_LAST_TIMESTAMP, last);
	if (!rbs_value_ok(&last) || probe->target->info.word_size == 8)
		return rbs_value_or(&last, 0);
	if (!rbs_value_ok(&bits) || bits.number > 32)
		return 0;
	return ((last.number + 1) << bits.number) - 1;
}

static uint64_t lost_sum(const struct extraction *extraction)
{
	static const unsigned members[] = {LB_LOST_FULL, LB_LOST_WRAP, LB_LOST_BIG};
	const struct rbs_layout *layout = &extraction->probe->rings;
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct rbs_value lost = lttng_unsigned(
			layout, members[i],
			rbs_layout_read(layout, members[i], extraction->probe->target,
					extraction->buffer->address));

		sum += rbs_value_or(&lost, 0);
	}
	return sum;
}

/*
 * When it ends and how many events were lost by then. The newest sub-buffer: all of the buffer. An
 * older one, in which a record was never committed: at most when the next begins, and what the one
 * before told.
 */
static void end_find(struct extraction *extraction, const struct lttng_subbuf *subbuf,
		     uint64_t *timestamp, uint64_t *discarded)
{
	const struct rbs_ctf_header *fields = &extraction->frame.header;
	uint64_t size = extraction->buffer->channel->geometry.subbuf_size;
	uint64_t behind = (extraction->buffer->offset - subbuf->start) &
			  extraction->buffer->channel->geometry.word_mask;
	uint8_t header[8192];

	*timestamp = last_timestamp(extraction);
	*discarded = lost_sum(extraction);
	if (behind <= size || extraction->header_size > sizeof(header))
		return;
	if (neighbour_read(extraction, subbuf->start + size, header))
		*timestamp = rbs_ctf_field_get(&extraction->frame, fields->begin, header);
	*discarded = 0;
	if (neighbour_read(extraction, subbuf->start - size, header) &&
	    rbs_ctf_field_get(&extraction->frame, fields->content, header) != UINT64_MAX)
		*discarded = rbs_ctf_field_get(&extraction->frame, fields->discarded, header);
}

static enum rbs_code partial_extract(struct extraction *extraction,
				     const struct lttng_subbuf *subbuf, struct rbs_error *err)
{
	const struct rbs_ctf_header *fields = &extraction->frame.header;
	uint64_t prefix = prefix_find(extraction, subbuf), begin, end, discarded, size;
	enum rbs_code code;

	if (prefix < extraction->header_size)
		return rbs_error_set(err, RBS_TORN,
				     "nothing of it was committed without a gap from its start");
	code = bytes_read(extraction, subbuf, extraction->bytes, prefix, err);
	if (code == RBS_OK)
		code = rbs_ctf_packet_check_open(&extraction->frame, extraction->bytes, err);
	if (code == RBS_OK)
		code = order_check(extraction, err);
	if (code != RBS_OK)
		return code;
	end_find(extraction, subbuf, &end, &discarded);
	begin = rbs_ctf_field_get(&extraction->frame, fields->begin, extraction->bytes);
	size = rbs_ctf_packet_close(&extraction->frame, extraction->bytes, prefix,
				    end < begin ? begin : end, discarded);
	for (uint64_t i = prefix; i < size; i++)
		extraction->bytes[i] = 0;
	packet_give(extraction, &(struct rbs_packet){.length = size,
						     .partial = true,
						     .subbuf = subbuf->index,
						     .cut = subbuf->reserved - prefix});
	return RBS_OK;
}

static enum rbs_code subbuf_extract(struct extraction *extraction,
				    const struct lttng_subbuf *subbuf, struct rbs_error *err)
{
	uint64_t size = extraction->buffer->channel->geometry.subbuf_size;

	if (!rbs_value_ok(&subbuf->cc) || !rbs_value_ok(&subbuf->cc_sb))
		return rbs_error_set(
			err, rbs_value_ok(&subbuf->cc) ? subbuf->cc_sb.code : subbuf->cc.code,
			"its commit counters cannot be read: %s",
			rbs_code_text(rbs_value_ok(&subbuf->cc) ? subbuf->cc_sb.code
								: subbuf->cc.code));
	if (subbuf->committed > subbuf->reserved || subbuf->visible > subbuf->committed)
		return rbs_error_set(err, RBS_TORN, "its commit counters contradict each other");
	if (subbuf->visible == size)
		return whole_extract(extraction, subbuf, err);
	/* Opened, and no event yet: only how many were lost could be worth telling. */
	if (subbuf->reserved <= extraction->header_size && !lost_sum(extraction))
		return RBS_OK;
	if (extraction->sink->partial)
		return partial_extract(extraction, subbuf, err);
	if (subbuf->reserved == size)
		return rbs_error_set(err, RBS_TORN,
				     "%" PRIu64 " of %" PRIu64 " bytes were never committed",
				     size - subbuf->committed, size);
	extraction->sink->ops->leave(extraction->sink, subbuf->index);
	return RBS_OK;
}

/* In the order of their positions, which is that of their time: the oldest pass first. */
static void subbufs_walk(struct extraction *extraction)
{
	const struct lttng_buffer *buffer = extraction->buffer;
	const struct rbs_subbuf_geometry *geometry = &buffer->channel->geometry;
	uint64_t newest = rbs_subbuf_index(geometry, buffer->offset - 1);
	uint64_t consumed = rbs_subbuf_start(geometry, buffer->consumed);

	for (uint64_t i = 1; i <= geometry->num_subbuf && !extraction->sink->stopped; i++) {
		struct lttng_subbuf subbuf;
		struct rbs_error error;
		bool unread;

		if (rbs_target_interrupted(extraction->probe->target))
			return;
		lttng_subbuf_load(extraction->probe, buffer,
				  (newest + i) & (geometry->num_subbuf - 1), &subbuf);
		unread = ((subbuf.start - consumed) & geometry->word_mask) < geometry->buf_size;
		if (!subbuf.written || (!unread && !subbuf.held && !extraction->sink->consumed))
			continue;
		/* A reader by splice takes the pages away: of what it read nothing need be here. */
		if (subbuf_extract(extraction, &subbuf, &error) != RBS_OK &&
		    (unread || subbuf.held))
			extraction->sink->ops->skip(extraction->sink, subbuf.index, &error);
	}
}

void lttng_packets_extract(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	struct extraction extraction = {
		.probe = probe, .buffer = buffer, .sink = probe->context->packets};
	char channel[64];
	const struct rbs_packet_stream stream = {.channel = channel, .cpu = buffer->cpu};
	uint64_t size = buffer->channel->geometry.subbuf_size;
	struct rbs_error error;

	if (extraction.sink->stopped)
		return;
	/* The kernel does not know the name that the user gave it. */
	snprintf(channel, sizeof(channel), "%s%s",
		 rbs_value_ok(&buffer->channel->id) ? "channel" : "", buffer->channel->node->name);
	extraction.sink->ops->stream_begin(extraction.sink, &stream);
	if (!frame_init(&extraction))
		rbs_error_set(
			&error, RBS_NO_TYPES,
			"the types of this LTTng do not say how a packet's header is laid out");
	else if (size > RBS_PACKET_LIMIT)
		rbs_error_set(&error, RBS_LIMIT, "sub-buffers of %" PRIu64 " bytes are too large",
			      size);
	else if (!(extraction.bytes = malloc(size)))
		rbs_error_set(&error, RBS_NOMEM, "out of memory");
	if (extraction.bytes)
		subbufs_walk(&extraction);
	else
		extraction.sink->ops->skip(extraction.sink, 0, &error);
	free(extraction.bytes);
}
