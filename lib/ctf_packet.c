/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ctf_packet.h"

#include <inttypes.h>
#include <string.h>

#include "lib/bytes.h"

#define FIELD_COUNT (sizeof(struct rbs_ctf_header) / sizeof(struct rbs_ctf_field))

static const struct rbs_ctf_field *field_at(const struct rbs_ctf_header *header, size_t index)
{
	const struct rbs_ctf_field *const fields[FIELD_COUNT] = {
		&header->magic,	    &header->uuid,    &header->stream, &header->begin,
		&header->end,	    &header->content, &header->packet, &header->seq,
		&header->discarded, &header->cpu,
	};

	return fields[index];
}

bool rbs_ctf_header_valid(const struct rbs_ctf_header *header)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const struct rbs_ctf_field *field = field_at(header, i);
		uint32_t size = field->size;

		if (field == &header->uuid ? size && size != RBS_CTF_UUID_SIZE
					   : size > 8 || (size & (size - 1)))
			return false;
		if (field->offset > RBS_CTF_HEADER_LIMIT - RBS_CTF_UUID_SIZE)
			return false;
	}
	return header->magic.size == 4 && header->content.size == 8 && header->packet.size == 8 &&
	       header->begin.size == 8 && header->end.size == 8;
}

size_t rbs_ctf_header_size(const struct rbs_ctf_header *header)
{
	size_t size = 0;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const struct rbs_ctf_field *field = field_at(header, i);

		if (field->size && field->offset + field->size > size)
			size = field->offset + field->size;
	}
	return size;
}

uint64_t rbs_ctf_field_get(const struct rbs_ctf_frame *frame, struct rbs_ctf_field field,
			   const void *header)
{
	return rbs_bytes_get((const uint8_t *)header + field.offset, field.size, frame->big_endian);
}

static void field_set(const struct rbs_ctf_frame *frame, struct rbs_ctf_field field, void *header,
		      uint64_t value)
{
	uint8_t *bytes = (uint8_t *)header + field.offset;

	for (uint32_t i = 0; i < field.size; i++, value >>= 8)
		bytes[frame->big_endian ? field.size - 1 - i : i] = (uint8_t)value;
}

enum rbs_code rbs_ctf_packet_check_open(const struct rbs_ctf_frame *frame, const void *header,
					struct rbs_error *err)
{
	const struct rbs_ctf_header *fields = &frame->header;
	uint64_t magic = rbs_ctf_field_get(frame, fields->magic, header);
	uint64_t stream = rbs_ctf_field_get(frame, fields->stream, header);
	uint64_t cpu = rbs_ctf_field_get(frame, fields->cpu, header);

	if (magic != RBS_CTF_MAGIC)
		return rbs_error_set(err, RBS_CORRUPT, "it has %08" PRIx64 " for the CTF magic",
				     magic);
	if (frame->has_uuid && fields->uuid.size &&
	    memcmp((const uint8_t *)header + fields->uuid.offset, frame->uuid, RBS_CTF_UUID_SIZE))
		return rbs_error_set(err, RBS_CORRUPT, "its UUID is another trace's");
	if (frame->has_stream && fields->stream.size && stream != frame->stream)
		return rbs_error_set(err, RBS_CORRUPT,
				     "it says stream %" PRIu64 " and is of %" PRIu64, stream,
				     frame->stream);
	if (frame->has_cpu && fields->cpu.size && cpu != frame->cpu)
		return rbs_error_set(err, RBS_CORRUPT, "it says CPU %" PRIu64 " and is of %" PRIu64,
				     cpu, frame->cpu);
	return RBS_OK;
}

enum rbs_code rbs_ctf_packet_check(const struct rbs_ctf_frame *frame, const void *header,
				   uint64_t *content_size, uint64_t *packet_size,
				   struct rbs_error *err)
{
	const struct rbs_ctf_header *fields = &frame->header;
	uint64_t content = rbs_ctf_field_get(frame, fields->content, header);
	uint64_t packet = rbs_ctf_field_get(frame, fields->packet, header);
	enum rbs_code code = rbs_ctf_packet_check_open(frame, header, err);

	if (code != RBS_OK)
		return code;
	if (content == UINT64_MAX)
		return rbs_error_set(err, RBS_TORN, "its header was never completed");
	if (content % 8 || packet % 8 || content > packet || packet / 8 > frame->subbuf_size ||
	    content / 8 < rbs_ctf_header_size(fields))
		return rbs_error_set(err, RBS_CORRUPT,
				     "content of %" PRIu64 " bits in a packet of %" PRIu64
				     " does not fit a sub-buffer of %" PRIu64 " bytes",
				     content, packet, frame->subbuf_size);
	if (rbs_ctf_field_get(frame, fields->begin, header) >
	    rbs_ctf_field_get(frame, fields->end, header))
		return rbs_error_set(err, RBS_CORRUPT, "it ends before it begins");
	*content_size = content / 8;
	*packet_size = packet / 8;
	return RBS_OK;
}

uint64_t rbs_ctf_packet_close(const struct rbs_ctf_frame *frame, void *packet, uint64_t content,
			      uint64_t timestamp_end, uint64_t discarded)
{
	const struct rbs_ctf_header *fields = &frame->header;
	uint64_t rest = frame->alignment ? content % frame->alignment : 0;
	uint64_t size = content;

	if (rest && frame->alignment - rest <= frame->subbuf_size - content)
		size += frame->alignment - rest;
	field_set(frame, fields->end, packet, timestamp_end);
	field_set(frame, fields->content, packet, content * 8);
	field_set(frame, fields->packet, packet, size * 8);
	field_set(frame, fields->discarded, packet, discarded);
	return size;
}
