/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_elf - the sections of an ELF file in memory, of any class and byte order.
 *
 * Only what DWARF and build-ids need. A section's contents are handed out in place whenever that is
 * possible; they are copied when they are compressed (SHF_COMPRESSED), or when the file is
 * relocatable (a module's .ko) and has relocations for them. The relocations that a linked vmlinux
 * may still carry (--emit-relocs, 270 MB in Debian's) were applied by the linker and are ignored.
 *
 * The file may be cut off or damaged: every offset is checked before it is used.
 */
#ifndef RBS_DWARF_ELF_H
#define RBS_DWARF_ELF_H

#include <stddef.h>

#include "dwarf/dwarf_file.h"
#include "lib/modules.h"
#include "lib/target/target.h"

struct rbs_elf_section {
	const char *name; /* "" when it is lost */
	uint32_t type;
	uint32_t link;
	uint32_t info;
	uint64_t flags;
	uint64_t offset;
	uint64_t size;
};

struct rbs_elf {
	const unsigned char *bytes; /* borrowed */
	size_t size;
	const struct rbs_debug_file *file; /* to let go of pages while much is read; or NULL */
	bool is_64;
	enum rbs_byte_order byte_order;
	uint16_t type;	  /* ET_REL ... */
	uint16_t machine; /* EM_X86_64 ... */
	struct rbs_elf_section *sections;
	size_t section_count;
};

struct rbs_elf_contents {
	const unsigned char *bytes;
	size_t size;
	void *copy; /* what to free; NULL when it lies in the file */
};

/* RBS_UNSUPPORTED when bytes are no ELF file, RBS_CORRUPT or RBS_TRUNCATED when a damaged one. */
enum rbs_code rbs_elf_init(struct rbs_elf *elf, const unsigned char *bytes, size_t size,
			   struct rbs_error *err);
void rbs_elf_deinit(struct rbs_elf *elf);

/* The first section of that name, or NULL. */
const struct rbs_elf_section *rbs_elf_find(const struct rbs_elf *elf, const char *name);

/* Contents, unpacked and relocated. A section without any in this file is empty. */
enum rbs_code rbs_elf_load(const struct rbs_elf *elf, const struct rbs_elf_section *section,
			   struct rbs_elf_contents *contents, struct rbs_error *err);
void rbs_elf_unload(struct rbs_elf_contents *contents);

/* The size that rbs_elf_load() will give; 0 when the section is damaged. */
uint64_t rbs_elf_loaded_size(const struct rbs_elf *elf, const struct rbs_elf_section *section);

/* From the file's note sections; size 0 when it has none. */
struct rbs_build_id rbs_elf_build_id(const struct rbs_elf *elf);

/* Numbers in the file's byte order; offset + size must lie within bytes. */
uint64_t rbs_elf_get(const struct rbs_elf *elf, const unsigned char *bytes, uint64_t offset,
		     unsigned size);

#endif
