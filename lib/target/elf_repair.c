/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/elf_repair.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/target/file_view.h"
#include "lib/target/scratch_file.h"

#define COPY_SIZE (1 << 20)

/* Whether a section header describes names that are in the file, if it is read like this. */
static bool names_fit(const struct rbs_file_view *file, const uint8_t *section, bool big_endian,
		      bool size_big_endian)
{
	struct rbs_file_view read = *file, read_size = *file;

	read.big_endian = big_endian;
	read_size.big_endian = size_big_endian;
	return rbs_file_view_member(&read, section, Elf64_Shdr, sh_type) == SHT_STRTAB &&
	       rbs_part_end(rbs_file_view_member(&read, section, Elf64_Shdr, sh_offset),
			    rbs_file_view_member(&read_size, section, Elf64_Shdr, sh_size)) <=
		       file->size;
}

bool rbs_elf_repair_needed(int fd)
{
	uint8_t header[sizeof(Elf64_Ehdr)], section[sizeof(Elf64_Shdr)];
	struct rbs_file_view file;
	uint64_t table, names;
	bool big;

	if (rbs_file_kind_detect(fd) != RBS_FILE_ELF || !rbs_file_view_init(&file, fd, "") ||
	    !rbs_file_view_read(&file, 0, header, sizeof(header)) || header[EI_CLASS] != ELFCLASS64)
		return false;
	big = file.big_endian = header[EI_DATA] == ELFDATA2MSB;
	table = rbs_file_view_member(&file, header, Elf64_Ehdr, e_shoff);
	names = rbs_file_view_member(&file, header, Elf64_Ehdr, e_shstrndx);
	return names && names < rbs_file_view_member(&file, header, Elf64_Ehdr, e_shnum) &&
	       rbs_file_view_read(&file, rbs_part_end(table, names * sizeof(section)), section,
				  sizeof(section)) &&
	       !names_fit(&file, section, big, big) &&
	       (names_fit(&file, section, !big, !big) || names_fit(&file, section, big, !big));
}

static bool bytes_copy(int from, int to, off_t at, off_t end)
{
	char *buffer = malloc(COPY_SIZE);
	bool ok = buffer != NULL;

	while (ok && at < end) {
		size_t step = end - at < COPY_SIZE ? (size_t)(end - at) : COPY_SIZE;
		ssize_t got = pread(from, buffer, step, at);

		if (!got)
			errno = EIO; /* shorter than it was a moment ago */
		ok = got > 0 && pwrite(to, buffer, (size_t)got, at) == got;
		at += ok ? got : 0;
	}
	free(buffer);
	return ok;
}

/* What is data in one file goes to the same place in the other, which has holes elsewhere. */
static bool data_copy(int from, int to, off_t size)
{
	off_t at = 0;

	if (ftruncate(to, size))
		return false;
	while (at < size) {
		off_t start = lseek(from, at, SEEK_DATA), end;

		if (start < 0 && errno == ENXIO)
			return true; /* nothing but a hole up to the end */
		end = start < 0 ? -1 : lseek(from, start, SEEK_HOLE);
		if (end < 0) {
			start = at; /* a file system that knows no holes */
			end = size;
		}
		if (!bytes_copy(from, to, start, end))
			return false;
		at = end;
	}
	return true;
}

/* The first section stays: it may tell how many segments there are. */
static bool names_forget(int fd)
{
	uint8_t header[sizeof(Elf64_Ehdr)];

	if (pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return false;
	memset(header + offsetof(Elf64_Ehdr, e_shnum), 0, 4); /* and e_shstrndx */
	header[offsetof(Elf64_Ehdr, e_shnum) + (header[EI_DATA] == ELFDATA2MSB)] = 1;
	return pwrite(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header);
}

enum rbs_code rbs_elf_repair(int fd, const char *path, int *repaired, struct rbs_error *err)
{
	char where[4096] = "";
	int to = rbs_scratch_file_open(where, sizeof(where));
	off_t size = lseek(fd, 0, SEEK_END);

	if (to >= 0 && size >= 0 && (!ioctl(to, FICLONE, fd) || data_copy(fd, to, size)) &&
	    names_forget(to)) {
		*repaired = to;
		return RBS_OK;
	}
	rbs_error_set(err, RBS_IO,
		      "%s: a part of its ELF headers is in the wrong byte order, and a repaired "
		      "copy does not fit in %s (%s); set TMPDIR",
		      path, where, strerror(errno));
	if (to >= 0)
		close(to);
	return RBS_IO;
}
