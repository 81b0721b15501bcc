/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/header_check.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/arch.h"
#include "lib/target/file_view.h"

static enum rbs_code damaged(const struct rbs_file_view *file, const char *what,
			     struct rbs_error *err)
{
	return rbs_error_set(err, RBS_CORRUPT, "%s: the dump's header is damaged: %s", file->path,
			     what);
}

static enum rbs_code unlikely_arch(const struct rbs_file_view *file, const struct rbs_arch *arch,
				   struct rbs_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "%s is %u-bit and %s endian", arch->name, 8 * arch->word_size,
		 arch->byte_order == RBS_LITTLE_ENDIAN ? "little" : "big");
	return damaged(file, what, err);
}

/* libkdumpfile copies the string table of the sections, whatever size it claims to have. */
static enum rbs_code sections_check(const struct rbs_file_view *file, uint64_t table,
				    uint64_t count, struct rbs_error *err)
{
	for (uint64_t i = 0; i < count; i++) {
		uint8_t section[sizeof(Elf64_Shdr)];
		uint64_t end;

		if (!rbs_file_view_read(file, rbs_part_end(table, i * sizeof(section)), section,
					sizeof(section)))
			return damaged(file, "its sections lie outside the file", err);
		end = rbs_part_end(rbs_file_view_member(file, section, Elf64_Shdr, sh_offset),
				   rbs_file_view_member(file, section, Elf64_Shdr, sh_size));
		if (end > file->size &&
		    rbs_file_view_member(file, section, Elf64_Shdr, sh_type) != SHT_NOBITS)
			return damaged(file, "a section lies outside the file", err);
	}
	return RBS_OK;
}

/* 'xl dump-core' (docs/misc/dump-core-format.txt of Xen) writes sections and no segments. */
static bool is_domain_core(const struct rbs_file_view *file, const uint8_t *header)
{
	static const char wanted[] = ".xen_pages";
	uint64_t table = rbs_file_view_member(file, header, Elf64_Ehdr, e_shoff);
	uint64_t count = rbs_file_view_member(file, header, Elf64_Ehdr, e_shnum);
	uint64_t names = rbs_file_view_member(file, header, Elf64_Ehdr, e_shstrndx);
	uint8_t section[sizeof(Elf64_Shdr)];
	char name[sizeof(wanted)];
	uint64_t strings;

	if (!rbs_file_view_read(file, rbs_part_end(table, names * sizeof(section)), section,
				sizeof(section)))
		return false;
	strings = rbs_file_view_member(file, section, Elf64_Shdr, sh_offset);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at;

		if (!rbs_file_view_read(file, rbs_part_end(table, i * sizeof(section)), section,
					sizeof(section)))
			return false;
		at = rbs_part_end(strings,
				  rbs_file_view_member(file, section, Elf64_Shdr, sh_name));
		if (rbs_file_view_read(file, at, (uint8_t *)name, sizeof(name)) &&
		    !memcmp(name, wanted, sizeof(wanted)))
			return true;
	}
	return false;
}

static enum rbs_code elf_check(struct rbs_file_view *file, struct rbs_error *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	uint64_t machine, segments, sections, table;
	const struct rbs_arch *arch;

	if (!rbs_file_view_read(file, 0, header, sizeof(header)))
		return damaged(file, "it is cut off", err);
	if ((header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB))
		return damaged(file, "neither 32 nor 64 bits, or in no byte order", err);
	file->big_endian = header[EI_DATA] == ELFDATA2MSB;
	if (rbs_file_view_member(file, header, Elf64_Ehdr, e_type) != ET_CORE)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: not a dump: an ELF file, but no core file", file->path);
	machine = rbs_file_view_member(file, header, Elf64_Ehdr, e_machine);
	arch = rbs_arch_by_elf((unsigned)machine);
	if (!arch)
		return rbs_arch_refuse_elf(file->path, machine, err);
	if ((header[EI_CLASS] == ELFCLASS64 ? 8 : 4) != arch->word_size ||
	    (file->big_endian ? RBS_BIG_ENDIAN : RBS_LITTLE_ENDIAN) != arch->byte_order)
		return unlikely_arch(file, arch, err);
	segments = rbs_file_view_member(file, header, Elf64_Ehdr, e_phnum);
	sections = rbs_file_view_member(file, header, Elf64_Ehdr, e_shnum);
	if (!(segments &&
	      rbs_file_view_member(file, header, Elf64_Ehdr, e_phentsize) == sizeof(Elf64_Phdr)) &&
	    !(!segments && is_domain_core(file, header)))
		return damaged(file, "it has no segments", err);
	/* Their number then stands in the first section. */
	table = rbs_file_view_member(file, header, Elf64_Ehdr, e_shoff);
	if (segments == PN_XNUM && !table)
		return damaged(file, "it does not say how many segments it has", err);
	if (sections &&
	    rbs_file_view_member(file, header, Elf64_Ehdr, e_shentsize) != sizeof(Elf64_Shdr))
		return damaged(file, "its sections are of no known size", err);
	return sections_check(file, table, sections, err);
}

/* A part of the file that the sub header points at; none is fine. */
static bool part_fits(const struct rbs_file_view *file, const uint8_t *part)
{
	uint64_t offset = rbs_file_view_number(file, part, 8);
	uint64_t size = rbs_file_view_number(file, part + 8, 8);

	return !size || (offset && rbs_part_end(offset, size) <= file->size);
}

static enum rbs_code kdump_check(struct rbs_file_view *file, struct rbs_error *err)
{
	uint8_t header[RBS_DISK_HEADER_SIZE], sub[RBS_SUB_SIZE];
	uint64_t block, version, sub_blocks, bitmap_blocks, pages;

	if (!rbs_file_view_read(file, 0, header, sizeof(header)))
		return damaged(file, "it is cut off", err);
	block = rbs_disk_block_size(file, header);
	if (!block)
		return damaged(file, "its block size cannot be", err);
	version = rbs_file_view_number(file, header + RBS_DISK_VERSION, 4);
	sub_blocks = rbs_file_view_number(file, header + RBS_DISK_SUB_BLOCKS, 4);
	bitmap_blocks = rbs_file_view_number(file, header + RBS_DISK_BITMAP_BLOCKS, 4);
	pages = rbs_file_view_number(file, header + RBS_DISK_MAX_MAPNR, 4);
	if (!version || version > 64)
		return damaged(file, "its version cannot be", err);
	if (!sub_blocks || !bitmap_blocks || block * (1 + sub_blocks + bitmap_blocks) > file->size)
		return damaged(file, "its page map does not fit in the file", err);
	if (8 * block * bitmap_blocks < pages)
		return damaged(file, "its page map is too small for its pages", err);
	if (!rbs_file_view_read(file, block, sub, sizeof(sub)))
		return damaged(file, "it is cut off", err);
	/* What lies in the other parts would look as if it had been excluded. */
	if (version >= 2 && rbs_file_view_number(file, sub + RBS_SUB_SPLIT, 4))
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: one part of a split dump: put the parts together with "
				     "makedumpfile --reassemble PART... WHOLE",
				     file->path);
	if ((version >= 3 && !part_fits(file, sub + RBS_SUB_VMCOREINFO)) ||
	    (version >= 4 && !part_fits(file, sub + RBS_SUB_NOTE)))
		return damaged(file, "its notes lie outside the file", err);
	return RBS_OK;
}

enum rbs_code rbs_header_check(int fd, const char *path, struct rbs_error *err)
{
	struct rbs_file_view file;

	if (!rbs_file_view_init(&file, fd, path))
		return RBS_OK;
	switch (rbs_file_kind_detect(fd)) {
	case RBS_FILE_ELF:
		return elf_check(&file, err);
	case RBS_FILE_KDUMP:
		return kdump_check(&file, err);
	case RBS_FILE_OTHER:
		break;
	}
	return RBS_OK;
}
