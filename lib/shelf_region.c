/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The piece of memory that a shelf's answers were read from: is it the same in this dump? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/shelf.h"

/* A kernel's BTF has up to 7 MB, its kallsyms up to 64 MB by kallsyms_tables.h. */
#define REGION_LIMIT (UINT64_C(64) << 20)
#define PAGE UINT64_C(4096) /* what is hashed at once, whatever the machine's pages are */

bool rbs_shelf_region_init(struct rbs_shelf_region *region, struct rbs_target *target,
			   uint64_t address, uint64_t size)
{
	*region = (struct rbs_shelf_region){.target = target, .address = address, .size = size};
	if (!size || size > REGION_LIMIT || address + size < address)
		return false;
	region->page_count = (size_t)((size + PAGE - 1) / PAGE);
	region->used = calloc(region->page_count, 1);
	return region->used;
}

void rbs_shelf_region_deinit(struct rbs_shelf_region *region)
{
	free(region->used);
	*region = (struct rbs_shelf_region){.used = NULL};
}

void rbs_shelf_region_use(struct rbs_shelf_region *region, uint64_t offset, uint64_t length)
{
	for (uint64_t page = offset / PAGE;
	     length && page < region->page_count && page <= (offset + length - 1) / PAGE; page++)
		region->used[page] = 1;
}

static bool page_hash(const struct rbs_shelf_region *region, size_t page, char text[32])
{
	uint64_t offset = page * PAGE;
	size_t size = region->size - offset < PAGE ? (size_t)(region->size - offset) : PAGE;
	uint8_t bytes[PAGE];

	if (rbs_target_read(region->target, RBS_KERNEL_VIRTUAL, region->address + offset, bytes,
			    size, NULL) != RBS_OK)
		return false;
	snprintf(text, 32, "%016" PRIx64, rbs_hash(bytes, size));
	return true;
}

static void size_question(char *question, size_t size, const char *name)
{
	snprintf(question, size, "size of %s", name);
}

bool rbs_shelf_region_fits(struct rbs_shelf *shelf, struct rbs_shelf_region *region,
			   const char *name)
{
	char prefix[64], text[32];
	const char *known;
	size_t length;

	size_question(prefix, sizeof(prefix), name);
	snprintf(text, sizeof(text), "%" PRIu64, region->size);
	known = rbs_shelf_get(shelf, prefix);
	if (!known || strcmp(known, text) != 0 ||
	    !rbs_target_has(region->target, region->address, region->size))
		return false;
	length = (size_t)snprintf(prefix, sizeof(prefix), "page of %s ", name);
	for (size_t i = 0; i < shelf->count; i++) {
		const struct rbs_shelf_entry *entry = &shelf->entries[i];
		char *end;
		unsigned long page;

		if (strncmp(entry->question, prefix, length) != 0)
			continue;
		page = strtoul(entry->question + length, &end, 10);
		if (*end || page >= region->page_count || !page_hash(region, page, text) ||
		    strcmp(text, entry->answer) != 0)
			return false;
		region->used[page] = 1;
	}
	return true;
}

void rbs_shelf_region_keep(struct rbs_shelf *shelf, const struct rbs_shelf_region *region,
			   const char *name)
{
	char question[64], text[32];

	if (!shelf)
		return;
	size_question(question, sizeof(question), name);
	snprintf(text, sizeof(text), "%" PRIu64, region->size);
	rbs_shelf_put(shelf, question, text);
	for (size_t page = 0; page < region->page_count; page++) {
		if (!region->used[page])
			continue;
		snprintf(question, sizeof(question), "page of %s %zu", name, page);
		if (page_hash(region, page, text))
			rbs_shelf_put(shelf, question, text);
	}
}
