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

static void load(struct rbs_ring_source *base, uint64_t index, struct rbs_subbuf *subbuf)
{
	const struct kernel_source *source = (struct kernel_source *)base;

	lttng_subbuf_load(source->probe, source->buffer, index, subbuf);
}

static struct rbs_value pages_find(const struct kernel_source *source,
				   const struct rbs_subbuf *subbuf)
{
	return lttng_subbuf_pages_held(source->probe, source->buffer, subbuf);
}

/* Its pages lie anywhere. */
static enum rbs_code read(struct rbs_ring_source *base, const struct rbs_subbuf *subbuf,
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

static struct rbs_value data_size(struct rbs_ring_source *base, const struct rbs_subbuf *subbuf)
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

static struct rbs_value lost(struct rbs_ring_source *base)
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
				.ring = buffer->ring,
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
