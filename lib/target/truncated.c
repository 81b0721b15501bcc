/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/truncated.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Segments and page descriptors that are looked at in one go. */
#define BATCH 4096
#define CHUNK 65536

struct file {
	int fd;
	const char *path;
	uint64_t size;
	bool big_endian;
};

/* Offsets in the 64-bit struct disk_dump_header, and in kdump_sub_header one block further. */
enum {
	DISK_BLOCK_SIZE = 428,
	DISK_SUB_BLOCKS = 432,
	DISK_BITMAP_BLOCKS = 436,
	DISK_MAX_MAPNR = 440,
	DISK_HEADER_SIZE = 464,
	DISK_VERSION = 8,
	SUB_SPLIT = 12,
	SUB_MAX_MAPNR = 96,
	SUB_SIZE = 104,
	DESC_SIZE = 24,
};

static enum rbs_code ends_early(const struct file *file, uint64_t needed, struct rbs_error *err)
{
	return rbs_error_set(err, RBS_TRUNCATED,
			     "%s: the file ends at byte %" PRIu64 ", but the dump in it goes on to "
			     "%" PRIu64 " at least: it was not written or copied completely",
			     file->path, file->size, needed);
}

/* False when the file is shorter than that; what fails to be read is left to libkdumpfile. */
static bool file_read(const struct file *file, uint64_t offset, void *buffer, size_t size)
{
	return offset <= file->size && size <= file->size - offset &&
	       pread(file->fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

static uint64_t number_get(const struct file *file, const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[file->big_endian ? i : size - 1 - i];
	return value;
}

/* The end of a part, or UINT64_MAX when it lies beyond all files. */
static uint64_t part_end(uint64_t offset, uint64_t size)
{
	return offset + size < offset ? UINT64_MAX : offset + size;
}

#define member(file, bytes, type, name)                                                            \
	number_get(file, (bytes) + offsetof(type, name), sizeof(((type *)0)->name))

static enum rbs_code segments_check(const struct file *file, uint64_t table, uint64_t count,
				    struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	uint8_t *batch = malloc(BATCH * sizeof(Elf64_Phdr));

	if (!batch)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	while (count && code == RBS_OK) {
		uint64_t number = count < BATCH ? count : BATCH;
		size_t size = number * sizeof(Elf64_Phdr);

		if (!file_read(file, table, batch, size)) {
			code = ends_early(file, part_end(table, size), err);
			break;
		}
		for (uint64_t i = 0; i < number && code == RBS_OK; i++) {
			const uint8_t *segment = batch + i * sizeof(Elf64_Phdr);
			uint64_t end = part_end(member(file, segment, Elf64_Phdr, p_offset),
						member(file, segment, Elf64_Phdr, p_filesz));

			if (end > file->size)
				code = ends_early(file, end, err);
		}
		table += size;
		count -= number;
	}
	free(batch);
	return code;
}

static enum rbs_code elf_check(struct file *file, struct rbs_error *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)] = {0};
	uint8_t section[sizeof(Elf64_Shdr)];
	uint64_t count, at;

	if (!file_read(file, 0, header, sizeof(header)))
		return ends_early(file, sizeof(header), err);
	file->big_endian = header[EI_DATA] == ELFDATA2MSB;
	if (header[EI_CLASS] != ELFCLASS64 || member(file, header, Elf64_Ehdr, e_type) != ET_CORE ||
	    member(file, header, Elf64_Ehdr, e_phentsize) != sizeof(Elf64_Phdr))
		return RBS_OK;
	count = member(file, header, Elf64_Ehdr, e_phnum);
	if (count == PN_XNUM) {
		at = member(file, header, Elf64_Ehdr, e_shoff);
		if (!file_read(file, at, section, sizeof(section)))
			return ends_early(file, part_end(at, sizeof(section)), err);
		count = member(file, section, Elf64_Shdr, sh_info);
	}
	return segments_check(file, member(file, header, Elf64_Ehdr, e_phoff), count, err);
}

/* How many bits are set in a part of the file: how many pages the dump holds. */
static bool bits_count(const struct file *file, uint64_t offset, uint64_t size, uint64_t *count)
{
	uint8_t *chunk = malloc(CHUNK);
	bool complete = chunk != NULL;

	*count = 0;
	while (size && complete) {
		size_t step = size < CHUNK ? size : CHUNK;

		complete = file_read(file, offset, chunk, step);
		for (size_t i = 0; i < step && complete; i++)
			*count += (unsigned)__builtin_popcount(chunk[i]);
		offset += step;
		size -= step;
	}
	free(chunk);
	return complete;
}

/* Pages are written in the order of their descriptors, so that the last ones reach furthest. */
static enum rbs_code descriptors_check(const struct file *file, uint64_t table, uint64_t count,
				       struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	uint64_t number = count < BATCH ? count : BATCH;
	uint64_t end = part_end(table, count * DESC_SIZE);
	uint8_t *batch = malloc(BATCH * DESC_SIZE);

	if (!batch)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (!file_read(file, end - number * DESC_SIZE, batch, number * DESC_SIZE))
		code = ends_early(file, end, err);
	for (uint64_t i = 0; i < number && code == RBS_OK; i++) {
		const uint8_t *descriptor = batch + i * DESC_SIZE;

		end = part_end(number_get(file, descriptor, 8),
			       number_get(file, descriptor + 8, 4));
		if (end > file->size)
			code = ends_early(file, end, err);
	}
	free(batch);
	return code;
}

static enum rbs_code kdump_check(struct file *file, struct rbs_error *err)
{
	uint8_t header[DISK_HEADER_SIZE], sub[SUB_SIZE];
	uint64_t block, bitmap, bitmap_size, max_pfn, table, count;

	if (!file_read(file, 0, header, sizeof(header)))
		return ends_early(file, sizeof(header), err);
	block = number_get(file, header + DISK_BLOCK_SIZE, 4);
	if (block > UINT16_MAX) {
		file->big_endian = true;
		block = number_get(file, header + DISK_BLOCK_SIZE, 4);
	}
	/* Not a 64-bit machine's header, or a broken one: libkdumpfile says so. */
	if (block < 4096 || block > 65536 || (block & (block - 1)))
		return RBS_OK;
	if (!file_read(file, block, sub, sizeof(sub)))
		return ends_early(file, block + sizeof(sub), err);
	/* A part of a split dump counts its own pages only. */
	if (number_get(file, sub + SUB_SPLIT, 4))
		return RBS_OK;
	max_pfn = number_get(file, header + DISK_MAX_MAPNR, 4);
	if (number_get(file, header + DISK_VERSION, 4) >= 6)
		max_pfn = number_get(file, sub + SUB_MAX_MAPNR, 8);
	bitmap = block * (1 + number_get(file, header + DISK_SUB_BLOCKS, 4));
	bitmap_size = block * number_get(file, header + DISK_BITMAP_BLOCKS, 4);
	table = bitmap + bitmap_size;
	if (table > file->size)
		return ends_early(file, table, err);
	/* The second of two maps tells which pages are in the file; the first which there are. */
	if (max_pfn <= bitmap_size * 8 / 2) {
		bitmap += bitmap_size / 2;
		bitmap_size /= 2;
	}
	if (!bits_count(file, bitmap, bitmap_size, &count))
		return RBS_OK;
	return descriptors_check(file, table, count, err);
}

enum rbs_code rbs_truncated_check(int fd, const char *path, struct rbs_error *err)
{
	struct file file = {.fd = fd, .path = path};
	uint8_t magic[8] = {0};
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return RBS_OK;
	file.size = (uint64_t)status.st_size;
	if (!file_read(&file, 0, magic, sizeof(magic)))
		return RBS_OK;
	if (!memcmp(magic, ELFMAG, SELFMAG))
		return elf_check(&file, err);
	if (!memcmp(magic, "KDUMP   ", sizeof(magic)))
		return kdump_check(&file, err);
	return RBS_OK;
}
