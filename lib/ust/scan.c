/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last resort, when the kernel's tables of processes and inodes are damaged: ask each page's
 * description whether it is the first page of a file, and that page whether it starts a buffer. A
 * file whose own table of pages is damaged is put together from the descriptions of its pages.
 * Where descriptions can't be read, the pages themselves are asked.
 */
#include "lib/ust/ust.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 64 /* pages whose descriptions are read at once */
#define DESCRIPTION_MAX 256
#define FRAMES_MAX (UINT64_C(1) << 36)

struct scan {
	struct rbs_ust *ust;
	uint64_t page_size;
	size_t bare; /* objects whose pages are still to be found */
};

static uint64_t frames_count(struct rbs_ust *ust)
{
	struct rbs_dump *dump = ust->dump;
	struct rbs_error *err = &ust->page_error;
	uint64_t address, count = 0;

	err->code = rbs_symbols_find(&dump->symbols, NULL, "max_pfn", &address, err);
	if (err->code == RBS_OK)
		err->code = rbs_target_read_pointer(dump->target, address, &count, err);
	if (err->code == RBS_OK && count > FRAMES_MAX)
		err->code = rbs_error_set_at(err, RBS_CORRUPT, address,
					     "max_pfn is larger than any machine's memory");
	return err->code == RBS_OK ? count : 0;
}

static bool page_starts_buffer(struct scan *scan, uint64_t physical)
{
	uint8_t bytes[RBS_UST_MAGIC_SIZE];

	return rbs_page_read(&scan->ust->pages, physical, bytes, sizeof(bytes), NULL) == RBS_OK &&
	       rbs_ust_magic(bytes);
}

/* Of a file whose own table of pages does not lead to this page. */
static void bare_add(struct scan *scan, uint64_t physical, uint64_t space)
{
	struct rbs_ust_object *object = rbs_ust_add(scan->ust);
	size_t pages;

	if (!object)
		return;
	object->routes = RBS_UST_BY_PAGE;
	object->address_space = space;
	object->pages.physical = malloc(sizeof(*object->pages.physical));
	if (!object->pages.physical) {
		scan->ust->count--;
		return;
	}
	object->pages.physical[0] = physical;
	object->pages.count = object->pages.present = 1;
	/* Only its own table tells how large it is. */
	object->size = (uint64_t)RBS_UST_PAGE_LIMIT * scan->page_size;
	object->code = rbs_ust_abi_read(scan->ust, object, &object->error);
	if (object->code != RBS_OK)
		return;
	object->size = object->abi.mmap_length;
	pages = (size_t)((object->size + scan->page_size - 1) / scan->page_size);
	free(object->pages.physical);
	object->pages.physical = malloc(pages * sizeof(*object->pages.physical));
	object->pages.count = object->pages.physical ? pages : 0;
	for (size_t i = 0; i < object->pages.count; i++)
		object->pages.physical[i] = i ? RBS_PAGE_NONE : physical;
	scan->bare++;
}

static bool space_known(struct scan *scan, uint64_t space)
{
	for (size_t i = 0; i < scan->ust->count; i++) {
		if (scan->ust->objects[i].address_space == space &&
		    scan->ust->objects[i].pages.present) {
			scan->ust->objects[i].routes |= RBS_UST_BY_PAGE;
			return true;
		}
	}
	return false;
}

static void page_ask(struct scan *scan, uint64_t physical, uint64_t space)
{
	if (!page_starts_buffer(scan, physical))
		return;
	if (space) {
		rbs_ust_consider(scan->ust, space, RBS_UST_BY_PAGE);
		if (space_known(scan, space))
			return;
	}
	bare_add(scan, physical, space);
}

/* A page of a file that was put together by its first page. */
static void page_place(struct scan *scan, uint64_t physical, uint64_t space, uint64_t index)
{
	for (size_t i = 0; i < scan->ust->count; i++) {
		struct rbs_ust_object *object = &scan->ust->objects[i];

		if (object->routes == RBS_UST_BY_PAGE && object->address_space == space &&
		    index < object->pages.count && object->pages.physical[index] == RBS_PAGE_NONE) {
			object->pages.physical[index] = physical;
			object->pages.present++;
		}
	}
}

/* The first pass asks the first pages of files; the second looks for the pages of those found. */
static void chunk_scan(struct scan *scan, uint64_t frame, uint64_t count, bool second)
{
	struct rbs_pages *pages = &scan->ust->pages;
	uint8_t bytes[CHUNK * DESCRIPTION_MAX];
	uint64_t at = rbs_page_of(pages, frame * scan->page_size);
	bool readable = rbs_target_read(scan->ust->dump->target, RBS_KERNEL_VIRTUAL, at, bytes,
					count * pages->size, NULL) == RBS_OK;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t physical = (frame + i) * scan->page_size, space, index;

		if (!readable) {
			if (!second)
				page_ask(scan, physical, 0);
			continue;
		}
		if (!rbs_page_decode(pages, bytes + i * pages->size, &space, &index))
			continue;
		if (second)
			page_place(scan, physical, space, index);
		else if (!index)
			page_ask(scan, physical, space);
	}
}

static void frames_scan(struct scan *scan, uint64_t frames, const struct rbs_ust_options *options,
			bool second)
{
	struct rbs_ust *ust = scan->ust;

	for (uint64_t frame = 0; frame < frames; frame += CHUNK) {
		if (rbs_target_interrupted(ust->dump->target)) {
			rbs_error_set(&ust->page_error, RBS_INTERRUPTED, "interrupted");
			return;
		}
		if (options->progress && !(frame % (UINT64_C(64) * CHUNK)))
			options->progress(options->progress_context, (second ? frames : 0) + frame,
					  frames * 2);
		chunk_scan(scan, frame, frames - frame < CHUNK ? frames - frame : CHUNK, second);
	}
}

void rbs_ust_find_pages(struct rbs_ust *ust, const struct rbs_ust_options *options)
{
	struct scan scan = {.ust = ust, .page_size = ust->dump->target->info.page_size};
	uint64_t frames = frames_count(ust);

	if (ust->page_error.code != RBS_OK)
		return;
	if (ust->pages.size > DESCRIPTION_MAX) {
		rbs_error_set(&ust->page_error, RBS_UNSUPPORTED,
			      "the descriptions of pages are larger than rbstats expects");
		return;
	}
	/* An excerpt needs what is found, not all that was asked. */
	rbs_target_pages_record(ust->dump->target, false);
	frames_scan(&scan, frames, options, false);
	if (scan.bare)
		frames_scan(&scan, frames, options, true);
	rbs_target_pages_record(ust->dump->target, true);
	for (size_t i = 0; i < ust->count; i++) {
		if (ust->objects[i].routes == RBS_UST_BY_PAGE && ust->objects[i].code == RBS_OK)
			rbs_ust_owner_read(ust, &ust->objects[i]);
	}
	if (options->progress)
		options->progress(options->progress_context, frames, frames);
}
