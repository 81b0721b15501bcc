/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kernel buffer's packets, for who wants the records themselves (lib/ring_packets.h). */
#include <stdio.h>
#include <string.h>

#include "lib/probes/lttng/lttng.h"
#include "lib/ring_packets.h"

struct kernel_source {
	struct rbs_ring_source base;
	struct lttng_probe *probe;
	const struct lttng_buffer *buffer;
};

static struct rbs_value buffer_member(const struct kernel_source *source, unsigned member)
{
	const struct lttng_probe *probe = source->probe;

	return lttng_unsigned(
		&probe->rings, member,
		rbs_layout_read(&probe->rings, member, probe->target, source->buffer->address));
}

static void load_raw(const struct kernel_source *source, uint64_t index,
		     struct lttng_subbuf *subbuf)
{
	lttng_subbuf_load(source->probe, source->buffer, index, subbuf);
}

static void load(struct rbs_ring_source *base, uint64_t index, struct rbs_ring_subbuf *subbuf)
{
	struct lttng_subbuf raw;

	load_raw((struct kernel_source *)base, index, &raw);
	*subbuf = (struct rbs_ring_subbuf){
		.index = index,
		.written = raw.written,
		.held = raw.held,
		.start = raw.start,
		.reserved = raw.reserved,
		.cc = raw.cc,
		.cc_sb = raw.cc_sb,
		.seq = raw.seq,
		.committed = raw.committed,
		.visible = raw.visible,
	};
}

<<<<<<< HEAD
static struct rbs_value pages_find(const struct kernel_source *source,
				   const struct rbs_ring_subbuf *subbuf)
=======
/* The first length bytes of a sub-buffer; its pages lie anywhere. */
static enum rbs_code bytes_read(struct extraction *extraction, const struct rbs_subbuf *subbuf,
				uint8_t *bytes, uint64_t length, struct rbs_error *err)
>>>>>>> 953d4bf (The state of a sub-buffer is worked out in one place, for the kernel's and the user space tracer)
{
	struct lttng_subbuf raw;

	load_raw(source, subbuf->index, &raw);
	return lttng_subbuf_pages_held(source->probe, source->buffer, &raw);
}

/* Its pages lie anywhere. */
static enum rbs_code read(struct rbs_ring_source *base, const struct rbs_ring_subbuf *subbuf,
			  void *bytes, uint64_t length, struct rbs_error *err)
{
	const struct kernel_source *source = (struct kernel_source *)base;
	const struct rbs_layout *layout = &source->probe->rings;
	struct rbs_target *target = source->probe->target;
	struct rbs_value pages = pages_find(source, subbuf);
	uint64_t step = rbs_layout_size(layout, LP_PAGE_SIZE), page_size = target->info.page_size;

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
		enum rbs_code code = rbs_layout_require(layout, LP_VIRT, target, at, &address, err);

		if (code == RBS_OK)
			code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, address,
					       (uint8_t *)bytes + i * page_size,
					       left < page_size ? left : page_size, err);
		if (code != RBS_OK)
			return code;
	}
	return RBS_OK;
}

static struct rbs_value data_size(struct rbs_ring_source *base,
				  const struct rbs_ring_subbuf *subbuf)
{
	const struct kernel_source *source = (struct kernel_source *)base;
	struct rbs_value pages = pages_find(source, subbuf);

	if (!rbs_value_ok(&pages))
		return pages;
	return rbs_layout_read(&source->probe->rings, LP_DATA_SIZE, source->probe->target,
			       pages.number);
}

static struct rbs_value last_timestamp(struct rbs_ring_source *base)
{
	return buffer_member((struct kernel_source *)base, LB_LAST_TIMESTAMP);
}

<<<<<<< HEAD
static struct rbs_value lost(struct rbs_ring_source *base)
=======
static enum rbs_code whole_extract(struct extraction *extraction, const struct rbs_subbuf *subbuf,
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
static uint64_t prefix_find(const struct extraction *extraction, const struct rbs_subbuf *subbuf)
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
	struct rbs_subbuf subbuf;

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
>>>>>>> 953d4bf (The state of a sub-buffer is worked out in one place, for the kernel's and the user space tracer)
{
	static const unsigned members[] = {LB_LOST_FULL, LB_LOST_WRAP, LB_LOST_BIG};
	struct rbs_value sum = rbs_value_of(0);

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct rbs_value one = buffer_member((struct kernel_source *)base, members[i]);

		if (!rbs_value_ok(&one))
			return one;
		sum.number += one.number;
	}
	return sum;
}

<<<<<<< HEAD
static const struct rbs_ring_source_ops ops = {
	.load = load,
	.read = read,
	.data_size = data_size,
	.last_timestamp = last_timestamp,
	.lost = lost,
};

static struct rbs_ctf_field field(const struct rbs_layout *layout, unsigned id)
{
	struct rbs_ctf_field field = {0};

	if (layout && rbs_layout_has(layout, id)) {
		field.offset = (uint32_t)rbs_layout_offset(layout, id);
		field.size = (uint32_t)rbs_layout_size(layout, id);
=======
/*
 * When it ends and how many events were lost by then. The newest sub-buffer: all of the buffer. An
 * older one, in which a record was never committed: at most when the next begins, and what the one
 * before told.
 */
static void end_find(struct extraction *extraction, const struct rbs_subbuf *subbuf,
		     uint64_t *timestamp, uint64_t *discarded)
{
	const struct rbs_ctf_header *fields = &extraction->frame.header;
	uint64_t size = extraction->buffer->channel->geometry.subbuf_size;
	uint64_t behind = (extraction->buffer->ring.offset - subbuf->start) &
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

static enum rbs_code partial_extract(struct extraction *extraction, const struct rbs_subbuf *subbuf,
				     struct rbs_error *err)
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

static enum rbs_code subbuf_extract(struct extraction *extraction, const struct rbs_subbuf *subbuf,
				    struct rbs_error *err)
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
	uint64_t newest = rbs_subbuf_index(geometry, buffer->ring.offset - 1);
	uint64_t consumed = rbs_subbuf_start(geometry, buffer->ring.consumed);

	for (uint64_t i = 1; i <= geometry->num_subbuf && !extraction->sink->stopped; i++) {
		struct rbs_subbuf subbuf;
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
>>>>>>> 953d4bf (The state of a sub-buffer is worked out in one place, for the kernel's and the user space tracer)
	}
	return field;
}

static struct rbs_ctf_header header_of(struct lttng_probe *probe)
{
	const struct rbs_layout *layout = lttng_packet_layout(probe);

	return (struct rbs_ctf_header){
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
	};
}

static unsigned timestamp_shift(const struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	struct rbs_value bits = rbs_layout_read(&probe->rings, LR_TIMESTAMP_BITS, probe->target,
						buffer->channel->ring);

	if (probe->target->info.word_size == 8 || !rbs_value_ok(&bits) || bits.number >= 32)
		return 0;
	return (unsigned)bits.number;
}

void lttng_packets_extract(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	const struct lttng_channel *channel = buffer->channel;
	struct kernel_source source = {
		.base =
			{
				.ops = &ops,
				.target = probe->target,
				.geometry = channel->geometry,
				.offset = buffer->offset,
				.consumed = buffer->consumed,
				.timestamp_shift = timestamp_shift(probe, buffer),
				.frame =
					{
						.header = header_of(probe),
						.big_endian = probe->target->info.byte_order ==
							      RBS_BIG_ENDIAN,
						.subbuf_size = channel->geometry.subbuf_size,
						.alignment = probe->target->info.page_size,
						.has_uuid = probe->has_uuid,
						.has_stream = rbs_value_ok(&channel->id),
						.has_cpu = buffer->cpu >= 0,
						.stream = channel->id.number,
						.cpu = (uint64_t)buffer->cpu,
					},
			},
		.probe = probe,
		.buffer = buffer,
	};
	char name[64];
	const struct rbs_packet_stream stream = {.channel = name, .cpu = buffer->cpu};

	memcpy(source.base.frame.uuid, probe->uuid, sizeof(probe->uuid));
	/* The kernel does not know the name that the user gave it. */
	snprintf(name, sizeof(name), "%s%s", rbs_value_ok(&channel->id) ? "channel" : "",
		 channel->node->name);
	rbs_ring_packets_give(&source.base, &stream, probe->context->packets);
}
