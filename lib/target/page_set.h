/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_set - a set of page frame numbers: which pages of a dump were read.
 *
 * The excerpt writes them, the statistics count them.
 */
#ifndef RBS_PAGE_SET_H
#define RBS_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rbs_page_set {
	uint64_t *slots; /* frame number + 1; 0 is a free slot */
	size_t size;	 /* slots, a power of two, or 0 */
	size_t count;
};

void rbs_page_set_init(struct rbs_page_set *set);
void rbs_page_set_deinit(struct rbs_page_set *set);

/* True when the page was not in the set before. Out of memory leaves the page out. */
bool rbs_page_set_add(struct rbs_page_set *set, uint64_t pfn);

bool rbs_page_set_has(const struct rbs_page_set *set, uint64_t pfn);

/* All members in ascending order as a new array of set->count; NULL when out of memory. */
uint64_t *rbs_page_set_sorted(const struct rbs_page_set *set);

#endif
