/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disk_map - where the pages of a kdump-compressed file are, and whether a page's descriptor can
 * be.
 *
 * To be asked before libkdumpfile reads a page: it unpacks into a buffer of one page what a
 * descriptor says is larger, and is ended by SIGBUS where one leads past the end of the file
 * (0.5.1). Costs two small reads a page; the bitmap is counted once.
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

/*
 * header and sub: RBS_DISK_HEADER_SIZE and RBS_SUB_SIZE bytes of the file; block: its block size.
 */
void rbs_disk_place_find(const struct rbs_file_view *file, const uint8_t *header,
			 const uint8_t *sub, uint64_t block, struct rbs_disk_place *place);

struct rbs_disk_map {
	struct rbs_file_view file;
	struct rbs_disk_place place;
	uint64_t page_size;
	uint64_t *before; /* pages in the file before each part of the bitmap; NULL: no such file */
	uint64_t parts;
};

/* fd is borrowed. RBS_OK with nothing to be checked for files of other formats; RBS_NOMEM. */
enum rbs_code rbs_disk_map_init(struct rbs_disk_map *map, int fd, const char *path,
				uint64_t page_size, struct rbs_error *err);
void rbs_disk_map_deinit(struct rbs_disk_map *map);

/* False when the descriptor of a page that is in the file cannot be. */
bool rbs_disk_map_sound(const struct rbs_disk_map *map, uint64_t pfn);

#endif
