/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/ctf_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dwarf/dwarf_elf.h"
#include "dwarf/dwarf_file.h"
#include "lib/bytes.h"

#define MAGIC 0xcff1
#define FLAG_COMPRESSED 1
#define STRING_OUTSIDE UINT32_C(0x80000000) /* in the ELF file's own string table */

/* struct ctf_header: a preamble of magic, version and flags, then numbers of 32 bits. */
enum {
	HEADER_TYPES = 24,
	HEADER_STRINGS = 28,
	HEADER_STRINGS_SIZE = 32,
	HEADER_SIZE = 36,
};

/* What the versions differ in. */
struct version {
	size_t width; /* of an id, a size and an info */
	unsigned kind_shift;
	uint32_t count_mask;
	uint32_t long_mark;   /* as a size: the size follows, in 64 bits */
	uint64_t long_struct; /* from this size on offsets of members have 64 bits */
	size_t member_size, long_member_size;
	size_t array_size;
};

static const struct version versions[] = {
	{2, 11, 0x3ff, 0xffff, 1 << 13, 8, 16, 8},
	{4, 26, 0xffffff, 0xffffffff, 1 << 29, 12, 16, 12},
};

static const struct version *version_of(const struct rbs_ctf_file *ctf)
{
	return &versions[ctf->wide];
}

static uint64_t get(const struct rbs_ctf_file *ctf, size_t offset, size_t size)
{
	return rbs_bytes_get(ctf->bytes + offset, size, ctf->big_endian);
}

static const char *string_get(const struct rbs_ctf_file *ctf, uint64_t name)
{
	return name & STRING_OUTSIDE || name >= ctf->strings_size ? "" : ctf->strings + name;
}

/* The head of the type at offset; what is behind it must be within end as well. */
static bool type_decode(const struct rbs_ctf_file *ctf, size_t offset, size_t end,
			struct rbs_ctf_type *type, size_t *length)
{
	const struct version *version = version_of(ctf);
	size_t head = 4 + 2 * version->width, data;
	uint64_t info;

	if (end - offset < head)
		return false;
	info = get(ctf, offset + 4, version->width);
	type->name = string_get(ctf, get(ctf, offset, 4));
	type->kind = (enum rbs_ctf_kind)(info >> version->kind_shift);
	type->count = (uint32_t)info & version->count_mask;
	type->target = (uint32_t)get(ctf, offset + 4 + version->width, version->width);
	type->size = type->target;
	if (type->target == version->long_mark) {
		if (end - offset < head + 8)
			return false;
		type->size = get(ctf, offset + head, 4) << 32 | get(ctf, offset + head + 4, 4);
		head += 8;
	}
	switch (type->kind) {
	case RBS_CTF_INTEGER:
	case RBS_CTF_FLOAT:
		data = 4;
		break;
	case RBS_CTF_ARRAY:
		data = version->array_size;
		break;
	case RBS_CTF_FUNCTION:
		/* Arguments; of 16 bits: padded to an even number. */
		data = ctf->wide ? type->count * 4UL : (type->count + (type->count & 1)) * 2UL;
		break;
	case RBS_CTF_STRUCT:
	case RBS_CTF_UNION:
		data = type->count * (type->size < version->long_struct
					      ? version->member_size
					      : version->long_member_size);
		break;
	case RBS_CTF_ENUM:
		data = type->count * 8UL;
		break;
	default:
		data = 0;
		break;
	}
	type->data = (uint32_t)(offset + head);
	*length = head + data;
	return end - offset >= head + data;
}

/* Where each type begins: their lengths tell. */
static enum rbs_code types_index(struct rbs_ctf_file *ctf, size_t start, size_t end,
				 struct rbs_error *err)
{
	size_t smallest = 4 + 2 * version_of(ctf)->width;

	ctf->types = calloc((end - start) / smallest + 1, sizeof(*ctf->types));
	if (!ctf->types)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for types");
	for (size_t at = start; at < end;) {
		struct rbs_ctf_type type;
		size_t length;

		if (!type_decode(ctf, at, end, &type, &length))
			return rbs_error_set(err, RBS_CORRUPT,
					     "type %u runs over the end of the types",
					     ctf->type_count + 1);
		ctf->types[++ctf->type_count] = (uint32_t)at;
		at += length;
	}
	return RBS_OK;
}

static enum rbs_code unpack(struct rbs_ctf_file *ctf, const unsigned char *bytes, size_t size,
			    struct rbs_error *err)
{
	uLongf length = ctf->size;

	if (uncompress(ctf->bytes, &length, bytes, size) != Z_OK || length != ctf->size)
		return rbs_error_set(err, RBS_CORRUPT, "it cannot be unpacked");
	return RBS_OK;
}

static enum rbs_code section_read(struct rbs_ctf_file *ctf, const unsigned char *bytes, size_t size,
				  struct rbs_error *err)
{
	uint64_t types, strings, strings_size;
	unsigned version;
	enum rbs_code code = RBS_OK;

	if (size < HEADER_SIZE || rbs_bytes_get(bytes, 2, ctf->big_endian) != MAGIC)
		return rbs_error_set(err, RBS_CORRUPT, "it is damaged");
	version = bytes[2];
	if (version != 2 && version != 3)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "it has version %u; versions 2 and 3 are read", version);
	ctf->wide = version == 3;
	types = rbs_bytes_get(bytes + HEADER_TYPES, 4, ctf->big_endian);
	strings = rbs_bytes_get(bytes + HEADER_STRINGS, 4, ctf->big_endian);
	strings_size = rbs_bytes_get(bytes + HEADER_STRINGS_SIZE, 4, ctf->big_endian);
	if (types > strings || !strings_size || strings + strings_size > RBS_CTF_SIZE_LIMIT)
		return rbs_error_set(err, RBS_CORRUPT, "its header is damaged");
	ctf->size = strings + strings_size;
	ctf->bytes = malloc(ctf->size);
	if (!ctf->bytes)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for types");
	bytes += HEADER_SIZE;
	size -= HEADER_SIZE;
	if (bytes[-HEADER_SIZE + 3] & FLAG_COMPRESSED)
		code = unpack(ctf, bytes, size, err);
	else if (size < ctf->size)
		code = rbs_error_set(err, RBS_TRUNCATED, "it is cut off");
	else
		memcpy(ctf->bytes, bytes, ctf->size);
	if (code != RBS_OK)
		return code;
	ctf->strings = (const char *)ctf->bytes + strings;
	ctf->strings_size = strings_size;
	if (ctf->strings[strings_size - 1])
		return rbs_error_set(err, RBS_CORRUPT, "its strings have no end");
	return types_index(ctf, types, strings, err);
}

enum rbs_code rbs_ctf_file_open(struct rbs_ctf_file *ctf, const char *path, struct rbs_error *err)
{
	struct rbs_elf_contents contents = {0};
	const struct rbs_elf_section *section;
	struct rbs_debug_file file;
	struct rbs_elf elf = {0};
	enum rbs_code code = rbs_debug_file_open(path, &file, err);

	*ctf = (struct rbs_ctf_file){0};
	if (code != RBS_OK)
		return code;
	code = rbs_elf_init(&elf, file.bytes, file.size, err);
	section = code == RBS_OK ? rbs_elf_find(&elf, ".SUNW_ctf") : NULL;
	if (code == RBS_OK && !section)
		code = rbs_error_set(err, RBS_NO_TYPES, "it has no CTF");
	if (code == RBS_OK)
		code = rbs_elf_load(&elf, section, &contents, err);
	if (code == RBS_OK) {
		ctf->big_endian = elf.byte_order == RBS_BIG_ENDIAN;
		ctf->word_size = elf.is_64 ? 8 : 4;
		code = section_read(ctf, contents.bytes, contents.size, err);
		rbs_elf_unload(&contents);
	}
	rbs_elf_deinit(&elf);
	rbs_debug_file_close(&file);
	if (code != RBS_OK) {
		rbs_ctf_file_close(ctf);
		return rbs_error_prefix(err, "%s: the CTF of the kernel", path);
	}
	return RBS_OK;
}

void rbs_ctf_file_close(struct rbs_ctf_file *ctf)
{
	free(ctf->bytes);
	free(ctf->types);
	*ctf = (struct rbs_ctf_file){0};
}

enum rbs_code rbs_ctf_type_get(const struct rbs_ctf_file *ctf, uint64_t id,
			       struct rbs_ctf_type *type, struct rbs_error *err)
{
	size_t length;

	if (!id || id > ctf->type_count)
		return rbs_error_set(err, RBS_CORRUPT, "CTF refers to type %" PRIu64 " of %u", id,
				     ctf->type_count);
	/* It was within the types when they were counted. */
	type_decode(ctf, ctf->types[id], ctf->size, type, &length);
	return RBS_OK;
}

void rbs_ctf_member_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
			uint32_t index, struct rbs_ctf_member *member)
{
	const struct version *version = version_of(ctf);
	bool is_long = type->size >= version->long_struct;
	size_t at =
		type->data + index * (is_long ? version->long_member_size : version->member_size);

	member->name = string_get(ctf, get(ctf, at, 4));
	member->type = (uint32_t)get(ctf, at + 4, version->width);
	if (is_long)
		member->bit_offset = get(ctf, at + 8, 4) << 32 | get(ctf, at + 12, 4);
	else
		member->bit_offset = get(ctf, at + 4 + version->width, version->width);
}

const char *rbs_ctf_value_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
			      uint32_t index, int64_t *value)
{
	size_t at = type->data + index * 8UL;

	*value = (int32_t)get(ctf, at + 4, 4);
	return string_get(ctf, get(ctf, at, 4));
}

void rbs_ctf_array_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
		       uint32_t *element, uint32_t *count)
{
	size_t width = version_of(ctf)->width;

	*element = (uint32_t)get(ctf, type->data, width);
	*count = (uint32_t)get(ctf, type->data + 2 * width, 4);
}

void rbs_ctf_integer_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
			 unsigned *bits, bool *is_signed)
{
	uint64_t encoding = get(ctf, type->data, 4);

	*bits = (unsigned)(encoding & 0xffff);
	*is_signed = encoding >> 24 & 1;
}
