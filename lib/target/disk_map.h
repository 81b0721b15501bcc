/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disk_map - where the pages of a kdump-compressed file are, and whether a page's descriptor can
 * be.
 *
 * To be asked before libkdumpfile reads a page: it unpacks into a buffer of one page what a
 * descriptor says is larger, and is ended by SIGBUS where one leads past the end of the file
 * (0.5.1). Costs two small reads a page. The bitmap is counted once, when the file is opened, for
 * whether the file is whole (truncated.h) too.
 *
 * Format: makedumpfile's diskdump_mod.h (struct disk_dump_header, kdump_sub_header, page_desc) and
 * IMPLEMENTATION: two bitmaps, of the pages that there are and of those in the file; then a
 * descriptor for each of the latter.
 */
#ifndef RBS_DISK_MAP_H
#define RBS_DISK_MAP_H

#include "lib/target/file_view.h"

/* Offsets and sizes in the file, bytes. */
struct rbs_disk_place {
	uint64_t bitmap; /* of the pages in the file */
	uint64_t bitmap_size;
	uint64_t table; /* of descriptors */
};

struct rbs_disk_map {
	struct rbs_file_view file;
	struct rbs_disk_place place;
	uint64_t *before; /* pages in the file before each part of the bitmap; NULL: no such file */
	uint64_t parts;
	uint64_t pages; /* in the file */
	bool complete;	/* all of the bitmap was read */
};

/*
 * fd and path are borrowed. RBS_OK with nothing to be checked for files of other formats, and for
 * those whose bitmap does not fit in the file; RBS_NOMEM.
 */
enum rbs_code rbs_disk_map_init(struct rbs_disk_map *map, int fd, const char *path,
				struct rbs_error *err);
void rbs_disk_map_deinit(struct rbs_disk_map *map);

/* False when the descriptor of a page that is in the file cannot be. page_size: bytes. */
bool rbs_disk_map_sound(const struct rbs_disk_map *map, uint64_t pfn, uint64_t page_size);

#endif
