/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_roots - where the page tables of an excerpt start, and what shape they have: a Linux
 * kernel's, as libaddrxlat was told or found them, or a hypervisor's.
 */
#ifndef DAMAGE_PAGE_ROOTS_H
#define DAMAGE_PAGE_ROOTS_H

#include "tests/damage/input.h"

#define PAGE_LEVELS_MAX 6

struct page_roots {
	char arch[64]; /* uname's machine */
	uint64_t root; /* physical address of the top table */
	unsigned levels;
	/* Of an address: bits of the offset in a page, of the index at level 1, level 2 ... */
	unsigned bits[PAGE_LEVELS_MAX];
};

/* False: it said why on standard error. */
bool page_roots_find(const struct input *input, struct page_roots *roots);

#endif
