/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shelf - questions and their answers, as text, about one build of a kernel.
 *
 * A shelf that is about a piece of the dump's memory holds hashes of the pages that its answers
 * were read from. They are compared with the dump at hand before the shelf is used, and all other
 * pages of the piece must be in the dump: without the cache they would have been read.
 */
#ifndef RBS_SHELF_H
#define RBS_SHELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/target/target.h"

#define RBS_SHELF_LIMIT (1u << 20) /* bytes of a shelf as text */

struct rbs_shelf_entry {
	char *question;
	char *answer;
};

struct rbs_shelf {
	struct rbs_shelf_entry *entries; /* owned */
	size_t count, capacity;
	size_t last; /* the one that was found last: questions come in the same order again */
	bool changed;
};

void rbs_shelf_deinit(struct rbs_shelf *shelf);

/* Forget everything. shelf may be NULL, here and below. */
void rbs_shelf_clear(struct rbs_shelf *shelf);

/* NULL when it is not known; the answer lives until the shelf is changed. */
const char *rbs_shelf_get(struct rbs_shelf *shelf, const char *question);

/* Best effort: texts with control characters, and what exceeds memory or the limit, are left out.
 */
void rbs_shelf_put(struct rbs_shelf *shelf, const char *question, const char *answer);

/*
 * As text with a header that names the shelf, its length and its checksum; NULL when out of memory.
 * Reading replaces what is there; false when the text is not exactly what was written for name by
 * this build of rbstats.
 */
char *rbs_shelf_write(const struct rbs_shelf *shelf, const char *name, size_t *size);
bool rbs_shelf_read(struct rbs_shelf *shelf, const char *name, const char *text, size_t size);

/* A piece of the dump's memory that a shelf is about. */
struct rbs_shelf_region {
	struct rbs_target *target; /* borrowed */
	uint64_t address;	   /* kernel virtual */
	uint64_t size;
	uint8_t *used; /* owned: a byte for each page, whether answers were read from it */
	size_t page_count;
};

/* False when out of memory, or the region is empty or too large to be true. */
bool rbs_shelf_region_init(struct rbs_shelf_region *region, struct rbs_target *target,
			   uint64_t address, uint64_t size);
void rbs_shelf_region_deinit(struct rbs_shelf_region *region);

/* Answers were read from length bytes at offset of the region. */
void rbs_shelf_region_use(struct rbs_shelf_region *region, uint64_t offset, uint64_t length);

/* Whether the shelf has been filled from a region equal to this one, as far as it was used. */
bool rbs_shelf_region_fits(struct rbs_shelf *shelf, struct rbs_shelf_region *region,
			   const char *name);

/* Note what the region looks like where it was used. */
void rbs_shelf_region_keep(struct rbs_shelf *shelf, const struct rbs_shelf_region *region,
			   const char *name);

#endif
