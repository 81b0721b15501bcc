/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/file_view.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bytes.h"

bool rbs_file_view_init(struct rbs_file_view *file, int fd, const char *path)
{
	struct stat status;

	*file = (struct rbs_file_view){.fd = fd, .path = path};
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return false;
	file->size = (uint64_t)status.st_size;
	return true;
}

bool rbs_file_view_read(const struct rbs_file_view *file, uint64_t offset, void *buffer,
			size_t size)
{
	return offset <= file->size && size <= file->size - offset &&
	       pread(file->fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

enum rbs_file_kind rbs_file_kind_detect(int fd)
{
	char magic[8];

	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic))
		return RBS_FILE_OTHER;
	if (!memcmp(magic, ELFMAG, SELFMAG))
		return RBS_FILE_ELF;
	return memcmp(magic, "KDUMP   ", sizeof(magic)) ? RBS_FILE_OTHER : RBS_FILE_KDUMP;
}

uint64_t rbs_file_view_number(const struct rbs_file_view *file, const uint8_t *bytes, size_t size)
{
	return rbs_bytes_get(bytes, size, file->big_endian);
}

uint64_t rbs_part_end(uint64_t offset, uint64_t size)
{
	return offset + size < offset ? UINT64_MAX : offset + size;
}

uint64_t rbs_disk_block_size(struct rbs_file_view *file, const uint8_t *header)
{
	uint64_t block;

	file->big_endian = false;
	block = rbs_file_view_number(file, header + RBS_DISK_BLOCK_SIZE, 4);
	if (block > UINT16_MAX + 1) {
		file->big_endian = true;
		block = rbs_file_view_number(file, header + RBS_DISK_BLOCK_SIZE, 4);
	}
	return block < 4096 || block > UINT16_MAX + 1 || (block & (block - 1)) ? 0 : block;
}
