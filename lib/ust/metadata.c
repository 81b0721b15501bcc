/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text that describes a trace, out of its metadata buffer. Packets start with struct
 * metadata_packet_header (src/common/ringbuffer-clients/metadata-template.h), packed by nature:
 * content_size at 24, in bits, and the text at 37.
 */
#include "lib/bytes.h"
#include "lib/ust/ust.h"

#include <string.h>

#define CONTENT_SIZE 24
#define HEADER_SIZE 37

static const struct rbs_ust_object *metadata_find(const struct rbs_ust *ust,
						  const struct rbs_ust_object *object)
{
	for (size_t i = 0; i < ust->count; i++) {
		const struct rbs_ust_object *other = &ust->objects[i];

		if (other->code == RBS_OK && other->metadata && other->has_packet &&
		    !memcmp(other->uuid, object->uuid, sizeof(object->uuid)))
			return other;
	}
	return NULL;
}

/* Bytes of text in the packet at offset, whose written part is room bytes long. */
static size_t text_size(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			uint64_t offset, uint64_t room)
{
	struct rbs_value bits = rbs_ust_number(ust, object, offset + CONTENT_SIZE, 4);
	uint64_t bytes = rbs_value_or(&bits, 0) / 8;

	/* Filled in when the packet is closed; until then what was reserved counts. */
	if (bytes <= HEADER_SIZE || bytes > room)
		bytes = room;
	return bytes > HEADER_SIZE ? (size_t)(bytes - HEADER_SIZE) : 0;
}

bool rbs_ust_metadata(const struct rbs_ust *ust, const struct rbs_ust_object *object, char *buffer,
		      size_t size)
{
	const struct rbs_ust_object *metadata = metadata_find(ust, object);
	const struct rbs_subbuf_geometry *geometry;
	struct rbs_value written;
	size_t used = 0;

	buffer[0] = '\0';
	if (!object->has_packet || !metadata)
		return false;
	geometry = &metadata->abi.geometry;
	written = rbs_ust_written(ust, metadata);
	/* Once the ring has come round, its start is gone. */
	if (!rbs_value_ok(&written) || written.number > geometry->buf_size)
		return false;
	for (uint64_t i = 0; i * geometry->subbuf_size < written.number && used + 1 < size; i++) {
		uint64_t room = written.number - i * geometry->subbuf_size, offset;
		size_t part;

		if (room > geometry->subbuf_size)
			room = geometry->subbuf_size;
		if (rbs_ust_subbuf_find(ust, metadata, i, &offset, NULL) != RBS_OK)
			return false;
		part = text_size(ust, metadata, offset, room);
		if (part > size - used - 1)
			part = size - used - 1;
		if (rbs_ust_read(ust, metadata, offset + HEADER_SIZE, buffer + used, part, NULL) !=
		    RBS_OK)
			return false;
		used += part;
	}
	buffer[used] = '\0';
	return used > 0;
}
