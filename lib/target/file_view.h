/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file_view - the bytes of a dump file, looked at before libkdumpfile sees it.
 *
 * Numbers of a dump's headers are in the byte order of the machine that wrote it.
 */
#ifndef RBS_FILE_VIEW_H
#define RBS_FILE_VIEW_H

#include <stddef.h>

#include "lib/error.h"

struct rbs_file_view {
	int fd;		  /* borrowed */
	const char *path; /* borrowed, for messages */
	uint64_t size;	  /* bytes */
	bool big_endian;
};

/* False for what has no size to rely on: anything but a regular file. */
bool rbs_file_view_init(struct rbs_file_view *file, int fd, const char *path);

/* By the first bytes of the file: what the checks below know. */
enum rbs_file_kind {
	RBS_FILE_OTHER,
	RBS_FILE_ELF,
	RBS_FILE_KDUMP, /* kdump-compressed (makedumpfile's diskdump) */
};
enum rbs_file_kind rbs_file_kind_detect(int fd);

/* False when the file is shorter than that, or cannot be read there. */
bool rbs_file_view_read(const struct rbs_file_view *file, uint64_t offset, void *buffer,
			size_t size);

/* Decode a number of up to 8 bytes. */
uint64_t rbs_file_view_number(const struct rbs_file_view *file, const uint8_t *bytes, size_t size);

/* The end of a part of a file, or UINT64_MAX when that would be beyond all files. */
uint64_t rbs_part_end(uint64_t offset, uint64_t size);

/* A member of a structure whose bytes were copied out of the file. */
#define rbs_file_view_member(file, bytes, type, name)                                              \
	rbs_file_view_number(file, (bytes) + offsetof(type, name), sizeof(((type *)0)->name))

/*
 * makedumpfile's diskdump_mod.h on 64-bit machines: offsets in struct disk_dump_header, in struct
 * kdump_sub_header (one block further) and the size of struct page_desc.
 */
enum {
	RBS_DISK_VERSION = 8,
	RBS_DISK_BLOCK_SIZE = 428,
	RBS_DISK_SUB_BLOCKS = 432,
	RBS_DISK_BITMAP_BLOCKS = 436,
	RBS_DISK_MAX_MAPNR = 440,
	RBS_DISK_HEADER_SIZE = 464,
	RBS_SUB_SPLIT = 12,
	RBS_SUB_VMCOREINFO = 32, /* offset, then size */
	RBS_SUB_NOTE = 48,	 /* the same */
	RBS_SUB_MAX_MAPNR = 96,
	RBS_SUB_SIZE = 104,
	RBS_PAGE_DESC_SIZE = 24,
};

/*
 * The block size of a kdump-compressed dump of a 64-bit machine, out of its header; sets
 * file->big_endian. 0 when it cannot be.
 */
uint64_t rbs_disk_block_size(struct rbs_file_view *file, const uint8_t *header);

#endif
