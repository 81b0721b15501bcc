/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/disk_map.h"

#include <stdlib.h>

/* Bytes of the bitmap that are counted again for each page. */
#define PART UINT64_C(512)

static void place_find(const struct rbs_file_view *file, const uint8_t *header, const uint8_t *sub,
		       uint64_t block, struct rbs_disk_place *place)
{
	uint64_t pages = rbs_file_view_number(file, header + RBS_DISK_MAX_MAPNR, 4);

	if (rbs_file_view_number(file, header + RBS_DISK_VERSION, 4) >= 6)
		pages = rbs_file_view_number(file, sub + RBS_SUB_MAX_MAPNR, 8);
	place->bitmap = block * (1 + rbs_file_view_number(file, header + RBS_DISK_SUB_BLOCKS, 4));
	place->bitmap_size = block * rbs_file_view_number(file, header + RBS_DISK_BITMAP_BLOCKS, 4);
	place->table = place->bitmap + place->bitmap_size;
	/* The second of two maps tells which pages are in the file; the first which there are. */
	if (pages <= place->bitmap_size * 8 / 2) {
		place->bitmap += place->bitmap_size / 2;
		place->bitmap_size /= 2;
	}
}

static uint64_t bits_below(const uint8_t *bytes, uint64_t bit)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < bit / 8; i++)
		count += (unsigned)__builtin_popcount(bytes[i]);
	return bit % 8 ? count + (unsigned)__builtin_popcount(bytes[bit / 8] &
							      ((1u << bit % 8) - 1))
		       : count;
}

/* Bytes of a part; 0 when it cannot be read. */
static uint64_t part_read(const struct rbs_disk_map *map, uint64_t part, uint8_t bytes[PART])
{
	uint64_t left = map->place.bitmap_size - part * PART;
	uint64_t size = left < PART ? left : PART;

	return rbs_file_view_read(&map->file, map->place.bitmap + part * PART, bytes, size) ? size
											    : 0;
}

enum rbs_code rbs_disk_map_init(struct rbs_disk_map *map, int fd, const char *path,
				struct rbs_error *err)
{
	uint8_t header[RBS_DISK_HEADER_SIZE], sub[RBS_SUB_SIZE], bytes[PART];
	uint64_t block;

	*map = (struct rbs_disk_map){0};
	if (rbs_file_kind_detect(fd) != RBS_FILE_KDUMP ||
	    !rbs_file_view_init(&map->file, fd, path) ||
	    !rbs_file_view_read(&map->file, 0, header, sizeof(header)))
		return RBS_OK;
	block = rbs_disk_block_size(&map->file, header);
	if (!block || !rbs_file_view_read(&map->file, block, sub, sizeof(sub)))
		return RBS_OK;
	place_find(&map->file, header, sub, block, &map->place);
	if (!map->place.bitmap_size || map->place.table > map->file.size)
		return RBS_OK;
	map->parts = (map->place.bitmap_size + PART - 1) / PART;
	map->before = malloc((size_t)map->parts * sizeof(*map->before));
	if (!map->before)
		return rbs_error_set(err, RBS_NOMEM, "%s: out of memory for its page map", path);
	map->complete = true;
	for (uint64_t i = 0; i < map->parts; i++) {
		uint64_t size = part_read(map, i, bytes);

		map->before[i] = map->pages;
		map->pages += bits_below(bytes, 8 * size);
		map->complete = map->complete && size;
	}
	return RBS_OK;
}

void rbs_disk_map_deinit(struct rbs_disk_map *map)
{
	free(map->before);
	map->before = NULL;
}

bool rbs_disk_map_sound(const struct rbs_disk_map *map, uint64_t pfn, uint64_t page_size)
{
	uint8_t bytes[PART], descriptor[RBS_PAGE_DESC_SIZE];
	uint64_t part = pfn / (8 * PART), bit = pfn % (8 * PART), index, size;

	if (!map->before)
		return true;
	if (part >= map->parts || part_read(map, part, bytes) * 8 <= bit)
		return false;
	index = map->before[part] + bits_below(bytes, bit);
	if (!rbs_file_view_read(&map->file, map->place.table + index * RBS_PAGE_DESC_SIZE,
				descriptor, sizeof(descriptor)))
		return false;
	size = rbs_file_view_number(&map->file, descriptor + 8, 4);
	return size <= page_size && rbs_part_end(rbs_file_view_number(&map->file, descriptor, 8),
						 size) <= map->file.size;
}
