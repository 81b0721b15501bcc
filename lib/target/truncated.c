/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/truncated.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

/* Segments and page descriptors that are looked at in one go. */
#define BATCH 4096

static enum rbs_code ends_early(const struct rbs_file_view *file, uint64_t needed,
				struct rbs_error *err)
{
	return rbs_error_set(err, RBS_TRUNCATED,
			     "%s: the file ends at byte %" PRIu64 ", but the dump in it goes on to "
			     "%" PRIu64 " at least: it was not written or copied completely",
			     file->path, file->size, needed);
}

static enum rbs_code segments_check(const struct rbs_file_view *file, uint64_t table,
				    uint64_t count, struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	/* NOLINTNEXTLINE(clang-analyzer-unix.MallocSizeof): headers as the file has them, bytes */
	uint8_t *batch = malloc(BATCH * sizeof(Elf64_Phdr));

	if (!batch)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	while (count && code == RBS_OK) {
		uint64_t number = count < BATCH ? count : BATCH;
		size_t size = number * sizeof(Elf64_Phdr);

		if (!rbs_file_view_read(file, table, batch, size)) {
			code = ends_early(file, rbs_part_end(table, size), err);
			break;
		}
		for (uint64_t i = 0; i < number && code == RBS_OK; i++) {
			const uint8_t *segment = batch + i * sizeof(Elf64_Phdr);
			uint64_t end = rbs_part_end(
				rbs_file_view_member(file, segment, Elf64_Phdr, p_offset),
				rbs_file_view_member(file, segment, Elf64_Phdr, p_filesz));

			if (end > file->size)
				code = ends_early(file, end, err);
		}
		table += size;
		count -= number;
	}
	free(batch);
	return code;
}

static enum rbs_code elf_check(struct rbs_file_view *file, struct rbs_error *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)] = {0};
	uint8_t section[sizeof(Elf64_Shdr)];
	uint64_t count, at;

	if (!rbs_file_view_read(file, 0, header, sizeof(header)))
		return ends_early(file, sizeof(header), err);
	file->big_endian = header[EI_DATA] == ELFDATA2MSB;
	if (header[EI_CLASS] != ELFCLASS64 ||
	    rbs_file_view_member(file, header, Elf64_Ehdr, e_type) != ET_CORE ||
	    rbs_file_view_member(file, header, Elf64_Ehdr, e_phentsize) != sizeof(Elf64_Phdr))
		return RBS_OK;
	count = rbs_file_view_member(file, header, Elf64_Ehdr, e_phnum);
	if (count == PN_XNUM) {
		at = rbs_file_view_member(file, header, Elf64_Ehdr, e_shoff);
		if (!rbs_file_view_read(file, at, section, sizeof(section)))
			return ends_early(file, rbs_part_end(at, sizeof(section)), err);
		count = rbs_file_view_member(file, section, Elf64_Shdr, sh_info);
	}
	return segments_check(file, rbs_file_view_member(file, header, Elf64_Ehdr, e_phoff), count,
			      err);
}

/* Pages are written in the order of their descriptors, so that the last ones reach furthest. */
static enum rbs_code descriptors_check(const struct rbs_file_view *file, uint64_t table,
				       uint64_t count, struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	uint64_t number = count < BATCH ? count : BATCH;
	uint64_t end = rbs_part_end(table, count * RBS_PAGE_DESC_SIZE);
	uint8_t *batch = malloc((size_t)BATCH * RBS_PAGE_DESC_SIZE);

	if (!batch)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (!rbs_file_view_read(file, end - number * RBS_PAGE_DESC_SIZE, batch,
				number * RBS_PAGE_DESC_SIZE))
		code = ends_early(file, end, err);
	for (uint64_t i = 0; i < number && code == RBS_OK; i++) {
		const uint8_t *descriptor = batch + i * RBS_PAGE_DESC_SIZE;

		end = rbs_part_end(rbs_file_view_number(file, descriptor, 8),
				   rbs_file_view_number(file, descriptor + 8, 4));
		if (end > file->size)
			code = ends_early(file, end, err);
	}
	free(batch);
	return code;
}

static enum rbs_code kdump_check(struct rbs_file_view *file, const struct rbs_disk_map *map,
				 struct rbs_error *err)
{
	uint8_t header[RBS_DISK_HEADER_SIZE], sub[RBS_SUB_SIZE];
	uint64_t block;

	if (!rbs_file_view_read(file, 0, header, sizeof(header)))
		return ends_early(file, sizeof(header), err);
	block = rbs_disk_block_size(file, header);
	/* Not a 64-bit machine's header, or a broken one: not for this check to say. */
	if (!block)
		return RBS_OK;
	if (!rbs_file_view_read(file, block, sub, sizeof(sub)))
		return ends_early(file, block + sizeof(sub), err);
	/* A part of a split dump counts its own pages only. */
	if (rbs_file_view_number(file, sub + RBS_SUB_SPLIT, 4))
		return RBS_OK;
	if (map->place.table > file->size)
		return ends_early(file, map->place.table, err);
	if (!map->complete)
		return RBS_OK;
	return descriptors_check(file, map->place.table, map->pages, err);
}

enum rbs_code rbs_truncated_check(int fd, const char *path, const struct rbs_disk_map *map,
				  struct rbs_error *err)
{
	struct rbs_file_view file;

	if (!rbs_file_view_init(&file, fd, path))
		return RBS_OK;
	switch (rbs_file_kind_detect(fd)) {
	case RBS_FILE_ELF:
		return elf_check(&file, err);
	case RBS_FILE_KDUMP:
		return kdump_check(&file, map, err);
	case RBS_FILE_OTHER:
		break;
	}
	return RBS_OK;
}
