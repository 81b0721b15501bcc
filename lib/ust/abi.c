/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * struct lttng_crash_abi: packed, in the byte order of the process that made it (its member endian
 * tells). Nothing of it is believed before it fits the file's size.
 */
#include "lib/bytes.h"
#include "lib/ust/ust.h"

#include <inttypes.h>
#include <string.h>

#define ABI_SIZE 124
#define ENDIAN 0x1234
#define TYPE_UST 0 /* LTTNG_CRASH_TYPE_UST */
#define MODE_OVERWRITE 0

bool rbs_ust_magic(const uint8_t *bytes)
{
	static const uint8_t magic[RBS_UST_MAGIC_SIZE] = {0x17, 0x7b, 0xf1, 0x77, 0xbf, 0x17,
							  0x7b, 0xf1, 0x77, 0xbf, 0x17, 0x7b,
							  0xf1, 0x77, 0xbf, 0x17};

	return !memcmp(bytes, magic, sizeof(magic));
}

static uint32_t u32(const struct rbs_ust_abi *abi, const uint8_t *bytes, size_t at)
{
	return (uint32_t)rbs_bytes_get(bytes + at, 4, abi->big_endian);
}

static uint64_t u64(const struct rbs_ust_abi *abi, const uint8_t *bytes, size_t at)
{
	return rbs_bytes_get(bytes + at, 8, abi->big_endian);
}

static void tables_decode(struct rbs_ust_abi *abi, const uint8_t *bytes)
{
	uint32_t *const offsets[] = {&abi->prod_offset,
				     &abi->consumed_offset,
				     &abi->commit_hot_array,
				     &abi->commit_hot_seq,
				     &abi->wsb_array,
				     &abi->wsb_id,
				     &abi->sb_array,
				     &abi->sb_array_shmp_offset,
				     &abi->sb_backend_p_offset,
				     &abi->content_size,
				     &abi->packet_size};

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		*offsets[i] = u32(abi, bytes, 32 + i * 4);
	/* Lengths at 76: of the words (checked by the caller), then of the packet's two. */
	abi->content_size_length = bytes[82];
	abi->packet_size_length = bytes[83];
	abi->commit_hot_stride = u32(abi, bytes, 84);
	abi->wsb_stride = u32(abi, bytes, 88);
	abi->sb_stride = u32(abi, bytes, 92);
}

/* Whether size bytes at offset are within the first length bytes. */
static bool fits(uint64_t offset, uint64_t size, uint64_t length)
{
	return offset <= length && size <= length - offset;
}

/* Whether count elements, with a word at place in each, are. */
static bool array_fits(const struct rbs_ust_abi *abi, uint32_t array, uint32_t place,
		       uint32_t stride, uint64_t count)
{
	return stride >= abi->word_size && (uint64_t)place + abi->word_size <= stride &&
	       fits(array, (uint64_t)stride * count, abi->mmap_length);
}

static bool tables_fit(const struct rbs_ust_abi *abi, const uint8_t *bytes)
{
	uint64_t count = abi->geometry.num_subbuf, packet = abi->geometry.subbuf_size;

	for (size_t i = 76; i < 82; i++) {
		if (bytes[i] != abi->word_size)
			return false;
	}
	return fits(abi->prod_offset, abi->word_size, abi->mmap_length) &&
	       fits(abi->consumed_offset, abi->word_size, abi->mmap_length) &&
	       array_fits(abi, abi->commit_hot_array, abi->commit_hot_seq, abi->commit_hot_stride,
			  count) &&
	       array_fits(abi, abi->wsb_array, abi->wsb_id, abi->wsb_stride, count) &&
	       array_fits(abi, abi->sb_array, abi->sb_array_shmp_offset, abi->sb_stride, count) &&
	       abi->content_size_length <= 8 && abi->packet_size_length <= 8 &&
	       fits(abi->content_size, abi->content_size_length, packet) &&
	       fits(abi->packet_size, abi->packet_size_length, packet);
}

static enum rbs_code bad(struct rbs_error *err, const char *what)
{
	return rbs_error_set(err, RBS_CORRUPT, "the buffer's table says %s", what);
}

static enum rbs_code abi_decode(struct rbs_ust_abi *abi, const uint8_t *bytes, uint64_t size,
				struct rbs_error *err)
{
	uint64_t buf_size, subbuf_size, num_subbuf, mode;

	*abi = (struct rbs_ust_abi){0};
	if (!rbs_ust_magic(bytes))
		return bad(err, "by its start that it is none");
	abi->big_endian = rbs_bytes_big(bytes + 24, 2) == ENDIAN;
	if (!abi->big_endian && rbs_bytes_little(bytes + 24, 2) != ENDIAN)
		return bad(err, "no byte order");
	abi->mmap_length = u64(abi, bytes, 16);
	abi->major = (uint16_t)rbs_bytes_get(bytes + 26, 2, abi->big_endian);
	abi->minor = (uint16_t)rbs_bytes_get(bytes + 28, 2, abi->big_endian);
	abi->word_size = bytes[30];
	if (abi->word_size != 4 && abi->word_size != 8)
		return bad(err, "neither 32 nor 64 bits");
	if (bytes[31] != TYPE_UST)
		return bad(err, "that it is not the user space tracer's");
	buf_size = u64(abi, bytes, 96);
	subbuf_size = u64(abi, bytes, 104);
	num_subbuf = u64(abi, bytes, 112);
	mode = u32(abi, bytes, 120);
	if (!abi->mmap_length || abi->mmap_length > size)
		return bad(err, "that it is larger than its file");
	if (num_subbuf > RBS_UST_SUBBUF_LIMIT || mode > 1 ||
	    !rbs_subbuf_geometry_set(&abi->geometry, subbuf_size, num_subbuf,
				     abi->word_size * 8u) ||
	    abi->geometry.buf_size != buf_size || buf_size > abi->mmap_length)
		return bad(err, "sizes of sub-buffers that do not fit together");
	abi->overwrite = mode == MODE_OVERWRITE;
	tables_decode(abi, bytes);
	return tables_fit(abi, bytes) ? RBS_OK : bad(err, "places outside of itself");
}

enum rbs_code rbs_ust_abi_read(struct rbs_ust *ust, struct rbs_ust_object *object,
			       struct rbs_error *err)
{
	uint8_t bytes[ABI_SIZE];
	enum rbs_code code = rbs_ust_read(ust, object, 0, bytes, sizeof(bytes), err);

	if (code == RBS_OK)
		code = abi_decode(&object->abi, bytes, object->size, err);
	return code;
}
