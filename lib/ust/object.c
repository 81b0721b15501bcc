/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A buffer's file: its bytes, words and sub-buffers. */
#include "lib/bytes.h"
#include "lib/ust/ust.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CTF_MAGIC 0xC1FC1FC1u
#define METADATA_MAGIC 0x75D11D57u

enum rbs_code rbs_ust_read(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			   uint64_t offset, void *buffer, size_t length, struct rbs_error *err)
{
	if (offset > object->size || length > object->size - offset)
		return rbs_error_set_at(err, RBS_CORRUPT, offset,
					"%zu bytes at %" PRIx64 " are outside of the buffer's file",
					length, offset);
	return rbs_page_list_read(&object->pages, &ust->pages, offset, buffer, length, err);
}

struct rbs_value rbs_ust_number(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				uint64_t offset, size_t size)
{
	uint8_t bytes[8];
	struct rbs_value value = {.code = RBS_CORRUPT};

	if (!size || size > sizeof(bytes))
		return value;
	value.code = rbs_ust_read(ust, object, offset, bytes, size, NULL);
	if (value.code == RBS_OK)
		value.number = rbs_bytes_get(bytes, size, object->abi.big_endian);
	return value;
}

struct rbs_value rbs_ust_written(const struct rbs_ust *ust, const struct rbs_ust_object *object)
{
	return rbs_ust_number(ust, object, object->abi.prod_offset, object->abi.word_size);
}

struct rbs_value rbs_ust_consumed(const struct rbs_ust *ust, const struct rbs_ust_object *object)
{
	return rbs_ust_number(ust, object, object->abi.consumed_offset, object->abi.word_size);
}

/* An element's word; index is checked against the number of sub-buffers. */
static struct rbs_value element(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				uint64_t array, uint64_t stride, uint64_t index, uint64_t place)
{
	if (index >= object->abi.geometry.num_subbuf)
		return rbs_value_absent(RBS_CORRUPT);
	return rbs_ust_number(ust, object, array + stride * index + place, object->abi.word_size);
}

/* cc is the first word of struct commit_counters_hot, as long as there has been one. */
struct rbs_value rbs_ust_commit_count(const struct rbs_ust *ust,
				      const struct rbs_ust_object *object, uint64_t index)
{
	const struct rbs_ust_abi *abi = &object->abi;

	if (!object->release)
		return rbs_value_absent(RBS_NO_TYPES);
	return element(ust, object, abi->commit_hot_array, abi->commit_hot_stride, index, 0);
}

struct rbs_value rbs_ust_commit_seq(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				    uint64_t index)
{
	const struct rbs_ust_abi *abi = &object->abi;

	return element(ust, object, abi->commit_hot_array, abi->commit_hot_stride, index,
		       abi->commit_hot_seq);
}

/* Where a table is that a reference (two words: file, place) points to. */
static struct rbs_value table_find(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				   uint16_t reference)
{
	struct rbs_value place = rbs_ust_number(ust, object, reference + object->abi.word_size,
						object->abi.word_size);

	if (rbs_value_ok(&place) && place.number >= object->size)
		return rbs_value_absent(RBS_CORRUPT);
	return place;
}

/* Hot and cold counters are both a cache line each. */
struct rbs_value rbs_ust_commit_visible(const struct rbs_ust *ust,
					const struct rbs_ust_object *object, uint64_t index)
{
	struct rbs_value table;

	if (!object->release)
		return rbs_value_absent(RBS_NO_TYPES);
	table = table_find(ust, object, object->release->commit_cold);
	if (!rbs_value_ok(&table))
		return table;
	return element(ust, object, table.number, object->abi.commit_hot_stride, index, 0);
}

/*
 * Since major 1 ("ring-buffer: Implement packet count as sequence-counters", 2.15) there are two,
 * and the cold commit counter tells which holds.
 */
struct rbs_value rbs_ust_packet_count(const struct rbs_ust *ust,
				      const struct rbs_ust_object *object, uint64_t index)
{
	struct rbs_value table, visible;
	uint64_t slot;

	if (!object->release)
		return rbs_value_absent(RBS_NO_TYPES);
	if (!object->release->buf_cnt)
		return rbs_value_absent(RBS_NO_MEMBER);
	if (index >= object->abi.geometry.num_subbuf)
		return rbs_value_absent(RBS_CORRUPT);
	table = table_find(ust, object, object->release->buf_cnt);
	if (!rbs_value_ok(&table) || !object->release->major)
		return rbs_value_ok(&table)
			       ? rbs_ust_number(ust, object, table.number + index * 8, 8)
			       : table;
	visible = rbs_ust_commit_visible(ust, object, index);
	if (!rbs_value_ok(&visible))
		return visible;
	slot = visible.number / object->abi.geometry.subbuf_size & 1;
	return rbs_ust_number(ust, object, table.number + index * 16 + slot * 8, 8);
}

struct rbs_value rbs_ust_word(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			      size_t place)
{
	static const size_t ints[] = {offsetof(struct rbs_ust_release, cpu),
				      offsetof(struct rbs_ust_release, record_disabled),
				      offsetof(struct rbs_ust_release, finalized),
				      offsetof(struct rbs_ust_release, get_subbuf)};
	size_t size = object->abi.word_size;
	uint16_t offset;

	if (!object->release)
		return rbs_value_absent(RBS_NO_TYPES);
	memcpy(&offset, (const char *)object->release + place, sizeof(offset));
	if (!offset)
		return rbs_value_absent(RBS_NO_MEMBER);
	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
		if (place == ints[i])
			size = 4;
	}
	return rbs_ust_number(ust, object, offset, size);
}

/*
 * An id holds offset, a flag and the index, in the lower half of the word without its top bit
 * (src/common/ringbuffer/backend_internal.h: SB_ID_INDEX_MASK); in discard mode, until the ABI's
 * major 1, the index alone. A reader has one sub-buffer of its own to swap in: in overwrite mode,
 * and in both since major 1.
 *
 * *offset: where the memory starts that it names; what: whose id it is, for an error.
 */
static enum rbs_code memory_find(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				 struct rbs_value id, const char *what, uint64_t *offset,
				 struct rbs_error *err)
{
	const struct rbs_ust_abi *abi = &object->abi;
	struct rbs_value pages, packet;

	if (!rbs_value_ok(&id))
		return rbs_error_set(err, id.code, "%s's id can't be read", what);
	id.number &= (UINT64_C(1) << (abi->word_size * 4 - 1)) - 1;
	if (id.number > abi->geometry.num_subbuf)
		return rbs_error_set(err, RBS_CORRUPT, "%s says that its memory is %" PRIu64, what,
				     id.number);
	pages = rbs_ust_number(ust, object,
			       abi->sb_array + (uint64_t)abi->sb_stride * id.number +
				       abi->sb_array_shmp_offset,
			       abi->word_size);
	packet = pages;
	if (rbs_value_ok(&pages))
		packet = pages.number < object->size
				 ? rbs_ust_number(ust, object,
						  pages.number + abi->sb_backend_p_offset,
						  abi->word_size)
				 : rbs_value_absent(RBS_CORRUPT);
	if (!rbs_value_ok(&packet))
		return rbs_error_set(err, packet.code, "where %s's memory is can't be read", what);
	*offset = packet.number;
	if (*offset < abi->mmap_length && abi->geometry.subbuf_size <= abi->mmap_length - *offset)
		return RBS_OK;
	return rbs_error_set(err, RBS_CORRUPT, "%s's memory is outside of the buffer", what);
}

enum rbs_code rbs_ust_subbuf_find(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				  uint64_t index, uint64_t *offset, struct rbs_error *err)
{
	const struct rbs_ust_abi *abi = &object->abi;
	char what[48];

	snprintf(what, sizeof(what), "sub-buffer %" PRIu64, index);
	return memory_find(
		ust, object,
		element(ust, object, abi->wsb_array, abi->wsb_stride, index, abi->wsb_id), what,
		offset, err);
}

void rbs_ust_reader(const struct rbs_ust *ust, const struct rbs_ust_object *object,
		    struct rbs_subbuf_ring *ring)
{
	/* A bit field's first bit, or an int. */
	struct rbs_value held = rbs_ust_field(ust, object, get_subbuf);
	struct rbs_value held_at = rbs_ust_field(ust, object, get_subbuf_consumed);

	ring->reading = (rbs_value_or(&held, 0) & 1) && rbs_value_ok(&held_at);
	ring->get_consumed = held_at.number;
	ring->reading_code = RBS_OK;
	if (!rbs_value_ok(&held) && held.code != RBS_NO_TYPES)
		ring->reading_code = held.code;
	else if (rbs_value_or(&held, 0) & 1)
		ring->reading_code = held_at.code;
}

enum rbs_code rbs_ust_packet_find(const struct rbs_ust *ust, const struct rbs_ust_object *object,
				  const struct rbs_subbuf_ring *ring,
				  const struct rbs_subbuf *subbuf, uint64_t *offset,
				  struct rbs_error *err)
{
	enum rbs_code code = object->release ? ring->reading_code : RBS_NO_TYPES;

	if (ring->overwrite && code != RBS_OK)
		return rbs_error_set(err, code,
				     "whether a reader took sub-buffer %" PRIu64
				     " out of the ring is not known",
				     subbuf->index);
	if (ring->overwrite && subbuf->held)
		return memory_find(ust, object, rbs_ust_field(ust, object, buf_rsb), "the reader",
				   offset, err);
	return rbs_ust_subbuf_find(ust, object, subbuf->index, offset, err);
}

/*
 * What the buffer belongs to, by the header of any of its packets (src/common/ringbuffer-clients/
 * template.h and metadata-template.h): magic, the trace's UUID, and the id of the stream's class.
 */
static enum rbs_code packet_read(struct rbs_ust *ust, struct rbs_ust_object *object, uint64_t index,
				 struct rbs_error *err)
{
	uint8_t bytes[24];
	uint64_t offset;
	uint32_t magic;
	enum rbs_code code = rbs_ust_subbuf_find(ust, object, index, &offset, err);

	if (code == RBS_OK)
		code = rbs_ust_read(ust, object, offset, bytes, sizeof(bytes), err);
	if (code != RBS_OK)
		return code;
	magic = (uint32_t)rbs_bytes_get(bytes, 4, object->abi.big_endian);
	if (magic != CTF_MAGIC && magic != METADATA_MAGIC)
		return RBS_OK;
	object->has_packet = true;
	object->metadata = magic == METADATA_MAGIC;
	memcpy(object->uuid, bytes + 4, sizeof(object->uuid));
	if (!object->metadata)
		object->stream_id = (uint32_t)rbs_bytes_get(bytes + 20, 4, object->abi.big_endian);
	return RBS_OK;
}

/*
 * A buffer in which no packet was begun tells nothing. One whose packets the dump lacks would look
 * the same, and stand in a wrong place: it is given up.
 */
void rbs_ust_owner_read(struct rbs_ust *ust, struct rbs_ust_object *object)
{
	struct rbs_error error, lost = {.code = RBS_OK};

	rbs_ust_release_choose(ust, object);
	object->cpu = rbs_ust_field(ust, object, cpu);
	if (rbs_value_ok(&object->cpu)) {
		object->cpu.number = (uint64_t)(int64_t)(int32_t)object->cpu.number;
		object->cpu.is_signed = true;
	}
	for (uint64_t i = 0; i < object->abi.geometry.num_subbuf; i++) {
		enum rbs_code code = packet_read(ust, object, i, &error);

		if (object->has_packet)
			return;
		/* No page is no packet, unless the list of pages is not whole. */
		if (code == RBS_UNMAPPED && object->pages.code != RBS_OK)
			error = object->pages.error;
		else if (code == RBS_UNMAPPED || code == RBS_CORRUPT)
			continue;
		if (code != RBS_OK && error.code != RBS_CORRUPT)
			rbs_error_keep(&lost, &error);
	}
	if (lost.code == RBS_OK)
		return;
	object->error = lost;
	rbs_error_prefix(&object->error, "which trace it is of can't be read");
	object->code = object->error.code;
}

bool rbs_ust_same_channel(const struct rbs_ust_object *a, const struct rbs_ust_object *b)
{
	return a->has_packet && b->has_packet && a->metadata == b->metadata &&
	       a->abi.word_size == b->abi.word_size && a->stream_id == b->stream_id &&
	       !memcmp(a->uuid, b->uuid, sizeof(a->uuid));
}
