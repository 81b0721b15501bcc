/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dwarf/dwarf_relocate.h"
#include "lib/bytes.h"

/* A kernel linked with -ffunction-sections for live patching has some 60,000. */
#define SECTION_LIMIT (1u << 20)
#define CONTENTS_LIMIT (UINT64_C(1) << 32)

uint64_t rbs_elf_get(const struct rbs_elf *elf, const unsigned char *bytes, uint64_t offset,
		     unsigned size)
{
	return rbs_bytes_get(bytes + offset, size, elf->byte_order == RBS_BIG_ENDIAN);
}

static bool within(const struct rbs_elf *elf, uint64_t offset, uint64_t size)
{
	return offset <= elf->size && size <= elf->size - offset;
}

/* Offsets of the members of Elf32_Shdr and Elf64_Shdr (elf.h). */
static void get_section(const struct rbs_elf *elf, uint64_t at, struct rbs_elf_section *section,
			uint32_t *name)
{
	const unsigned char *bytes = elf->bytes;

	*name = (uint32_t)rbs_elf_get(elf, bytes, at, 4);
	section->type = (uint32_t)rbs_elf_get(elf, bytes, at + 4, 4);
	section->name = "";
	if (elf->is_64) {
		section->flags = rbs_elf_get(elf, bytes, at + 8, 8);
		section->offset = rbs_elf_get(elf, bytes, at + 24, 8);
		section->size = rbs_elf_get(elf, bytes, at + 32, 8);
		section->link = (uint32_t)rbs_elf_get(elf, bytes, at + 40, 4);
		section->info = (uint32_t)rbs_elf_get(elf, bytes, at + 44, 4);
	} else {
		section->flags = rbs_elf_get(elf, bytes, at + 8, 4);
		section->offset = rbs_elf_get(elf, bytes, at + 16, 4);
		section->size = rbs_elf_get(elf, bytes, at + 20, 4);
		section->link = (uint32_t)rbs_elf_get(elf, bytes, at + 24, 4);
		section->info = (uint32_t)rbs_elf_get(elf, bytes, at + 28, 4);
	}
}

/* A name of the section names' table, "" when it does not end within it. */
static const char *section_name(const struct rbs_elf *elf, const struct rbs_elf_section *names,
				uint32_t offset)
{
	const char *name;

	if (names->type == SHT_NOBITS || !within(elf, names->offset, names->size) ||
	    offset >= names->size)
		return "";
	name = (const char *)elf->bytes + names->offset + offset;
	return memchr(name, '\0', names->size - offset) ? name : "";
}

static enum rbs_code read_sections(struct rbs_elf *elf, uint64_t table, unsigned entry_size,
				   uint64_t count, uint32_t names, struct rbs_error *err)
{
	struct rbs_elf_section first;
	uint32_t *offsets, name;

	if (!table || entry_size < (elf->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr)))
		return rbs_error_set(err, RBS_CORRUPT, "no section headers");
	if (!within(elf, table, entry_size))
		return rbs_error_set(err, RBS_TRUNCATED,
				     "the file ends before its section headers");
	/* Counts that do not fit the ELF header are kept in section 0. */
	get_section(elf, table, &first, &name);
	if (!count)
		count = first.size;
	if (names == SHN_XINDEX)
		names = first.link;
	if (!count || count > SECTION_LIMIT || names >= count)
		return rbs_error_set(err, RBS_CORRUPT, "impossible section headers");
	if (!within(elf, table, count * entry_size))
		return rbs_error_set(err, RBS_TRUNCATED,
				     "the file ends before its section headers");
	elf->sections = calloc(count, sizeof(*elf->sections));
	offsets = calloc(count, sizeof(*offsets));
	if (!elf->sections || !offsets) {
		free(offsets);
		rbs_elf_deinit(elf);
		return rbs_error_set(err, RBS_NOMEM, "out of memory for section headers");
	}
	elf->section_count = count;
	for (size_t i = 0; i < count; i++)
		get_section(elf, table + i * entry_size, &elf->sections[i], &offsets[i]);
	for (size_t i = 0; i < count; i++)
		elf->sections[i].name = section_name(elf, &elf->sections[names], offsets[i]);
	free(offsets);
	return RBS_OK;
}

enum rbs_code rbs_elf_init(struct rbs_elf *elf, const unsigned char *bytes, size_t size,
			   struct rbs_error *err)
{
	memset(elf, 0, sizeof(*elf));
	elf->bytes = bytes;
	elf->size = size;
	if (size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG))
		return rbs_error_set(err, RBS_UNSUPPORTED, "not an ELF file");
	if ((bytes[EI_CLASS] != ELFCLASS32 && bytes[EI_CLASS] != ELFCLASS64) ||
	    (bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB))
		return rbs_error_set(err, RBS_CORRUPT, "damaged ELF header");
	elf->is_64 = bytes[EI_CLASS] == ELFCLASS64;
	elf->byte_order = bytes[EI_DATA] == ELFDATA2MSB ? RBS_BIG_ENDIAN : RBS_LITTLE_ENDIAN;
	if (size < (elf->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return rbs_error_set(err, RBS_TRUNCATED, "the file ends within its ELF header");
	elf->type = (uint16_t)rbs_elf_get(elf, bytes, 16, 2);
	elf->machine = (uint16_t)rbs_elf_get(elf, bytes, 18, 2);
	if (elf->is_64)
		return read_sections(elf, rbs_elf_get(elf, bytes, 40, 8),
				     (unsigned)rbs_elf_get(elf, bytes, 58, 2),
				     rbs_elf_get(elf, bytes, 60, 2),
				     (uint32_t)rbs_elf_get(elf, bytes, 62, 2), err);
	return read_sections(
		elf, rbs_elf_get(elf, bytes, 32, 4), (unsigned)rbs_elf_get(elf, bytes, 46, 2),
		rbs_elf_get(elf, bytes, 48, 2), (uint32_t)rbs_elf_get(elf, bytes, 50, 2), err);
}

void rbs_elf_deinit(struct rbs_elf *elf)
{
	free(elf->sections);
	elf->sections = NULL;
	elf->section_count = 0;
}

const struct rbs_elf_section *rbs_elf_find(const struct rbs_elf *elf, const char *name)
{
	for (size_t i = 0; i < elf->section_count; i++)
		if (!strcmp(elf->sections[i].name, name))
			return &elf->sections[i];
	return NULL;
}

/* Elf32_Chdr and Elf64_Chdr, before the contents of a compressed section. */
struct compression {
	uint32_t type;
	uint64_t size; /* bytes when unpacked */
	unsigned header_size;
};

static bool get_compression(const struct rbs_elf *elf, const struct rbs_elf_section *section,
			    struct compression *compression)
{
	compression->header_size = elf->is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	if (section->size < compression->header_size)
		return false;
	compression->type = (uint32_t)rbs_elf_get(elf, elf->bytes, section->offset, 4);
	compression->size = elf->is_64 ? rbs_elf_get(elf, elf->bytes, section->offset + 8, 8)
				       : rbs_elf_get(elf, elf->bytes, section->offset + 4, 4);
	/* Deflate's best is 1032 to 1: more is a lie about the size. */
	return compression->size <= CONTENTS_LIMIT && compression->size / 1100 <= section->size;
}

static enum rbs_code unpack(const struct rbs_elf *elf, const struct rbs_elf_section *section,
			    struct rbs_elf_contents *contents, struct rbs_error *err)
{
	struct compression compression;
	uLongf size;

	if (!get_compression(elf, section, &compression))
		return rbs_error_set(err, RBS_CORRUPT, "damaged compressed section %s",
				     section->name);
	if (compression.type != ELFCOMPRESS_ZLIB)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "section %s is compressed by method %u: unpack it with "
				     "'objcopy --decompress-debug-sections'",
				     section->name, compression.type);
	contents->copy = malloc(compression.size ? compression.size : 1);
	if (!contents->copy)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for section %s", section->name);
	size = (uLongf)compression.size;
	if (uncompress(contents->copy, &size,
		       elf->bytes + section->offset + compression.header_size,
		       section->size - compression.header_size) != Z_OK ||
	    size != compression.size) {
		free(contents->copy);
		contents->copy = NULL;
		return rbs_error_set(err, RBS_CORRUPT, "damaged compressed section %s",
				     section->name);
	}
	contents->bytes = contents->copy;
	contents->size = size;
	return RBS_OK;
}

uint64_t rbs_elf_loaded_size(const struct rbs_elf *elf, const struct rbs_elf_section *section)
{
	struct compression compression;

	if (section->type == SHT_NOBITS || !within(elf, section->offset, section->size))
		return 0;
	if (!(section->flags & SHF_COMPRESSED))
		return section->size;
	return get_compression(elf, section, &compression) ? compression.size : 0;
}

enum rbs_code rbs_elf_load(const struct rbs_elf *elf, const struct rbs_elf_section *section,
			   struct rbs_elf_contents *contents, struct rbs_error *err)
{
	enum rbs_code code;

	memset(contents, 0, sizeof(*contents));
	if (section->type == SHT_NOBITS)
		return RBS_OK;
	if (!within(elf, section->offset, section->size))
		return rbs_error_set(err, RBS_TRUNCATED, "the file ends before section %s",
				     section->name);
	contents->bytes = elf->bytes + section->offset;
	contents->size = section->size;
	if (section->flags & SHF_COMPRESSED) {
		code = unpack(elf, section, contents, err);
		if (code)
			return code;
	}
	if (elf->type != ET_REL)
		return RBS_OK;
	code = rbs_elf_relocate(elf, (uint32_t)(section - elf->sections), contents, err);
	if (code)
		rbs_elf_unload(contents);
	return code;
}

void rbs_elf_unload(struct rbs_elf_contents *contents)
{
	free(contents->copy);
	memset(contents, 0, sizeof(*contents));
}

/* Notes: three words (name size, contents size, type), then both padded to 4 bytes. */
static bool find_build_id(const struct rbs_elf *elf, const struct rbs_elf_section *section,
			  struct rbs_build_id *id)
{
	const unsigned char *notes = elf->bytes + section->offset;
	uint64_t at = 0;

	while (section->size - at >= 12) {
		uint64_t name_size = rbs_elf_get(elf, notes, at, 4);
		uint64_t size = rbs_elf_get(elf, notes, at + 4, 4);
		uint64_t type = rbs_elf_get(elf, notes, at + 8, 4);
		uint64_t name_room = (name_size + 3) / 4 * 4;
		uint64_t room = (size + 3) / 4 * 4;

		at += 12;
		if (name_room > section->size - at || size > section->size - at - name_room)
			return false;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(notes + at, "GNU", 4) &&
		    size && size <= RBS_BUILD_ID_MAX) {
			id->size = (uint8_t)size;
			memcpy(id->bytes, notes + at + name_room, size);
			return true;
		}
		at += name_room;
		at += room < section->size - at ? room : section->size - at;
	}
	return false;
}

struct rbs_build_id rbs_elf_build_id(const struct rbs_elf *elf)
{
	struct rbs_build_id id = {.size = 0};

	for (size_t i = 0; i < elf->section_count; i++) {
		const struct rbs_elf_section *section = &elf->sections[i];

		if (section->type == SHT_NOTE && within(elf, section->offset, section->size) &&
		    find_build_id(elf, section, &id))
			break;
	}
	return id;
}
