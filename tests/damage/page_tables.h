/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_tables - where the page tables of an excerpt are, and how their entries are changed.
 *
 * The entries that count are those that lead, by way of other tables of the excerpt, to one of its
 * pages: what rbstats read was read through them. Of x86-64, arm64 and s390x; the formats are those
 * of Intel's SDM (volume 3, 4.5), of Arm's ARM (D8.3, VMSAv8-64) and of the z/Architecture
 * Principles of Operation (chapter 3, Dynamic Address Translation).
 */
#ifndef DAMAGE_PAGE_TABLES_H
#define DAMAGE_PAGE_TABLES_H

#include "tests/damage/excerpt.h"
#include "tests/damage/input.h"

struct page_format; /* of one architecture's entries */

struct table_entry {
	size_t page;	/* of the excerpt */
	size_t offset;	/* in that page */
	unsigned level; /* 1: what it leads to is a page of memory, 2: a table of those ... */
	uint64_t value;
};

struct page_tables {
	const struct page_format *format;
	/* Owned. First those of the kernel's, or hypervisor's, own tables, then its processes'. */
	struct table_entry *entries;
	size_t count, own;
	uint64_t end; /* the first physical address behind all pages of the excerpt */
};

/*
 * What can be done to entries. The first ones leave nothing behind them that the dump has, and it
 * can be told of a kernel's own (a process may have pages that are not mapped); by the others an
 * address may lead to memory that is another's.
 */
enum table_damage {
	TABLE_INVALID,		  /* the entry is marked as not valid */
	TABLE_BEYOND,		  /* it leads to memory that the dump does not have */
	TABLE_ALL_INVALID,	  /* so are all entries on the same page */
	TABLE_TOLD,		  /* how many of them can be told */
	TABLE_OTHER = TABLE_TOLD, /* it is the same as another entry, of any level */
	TABLE_ITSELF,		  /* it leads to the page that it is on */
	TABLE_ALL_ITSELF,	  /* so do all entries of that page */
	TABLE_ANOTHER_PAGE,	  /* it leads to another page of the dump */
	TABLE_LARGE,		  /* a table is said to be a large page, or the reverse */
	TABLE_NEIGHBOUR,	  /* it leads to the frame before or behind its own */
	TABLE_BIT,		  /* one bit is turned over */
	TABLE_RANDOM,		  /* it is any number */
	TABLE_COPY,		  /* the page is a copy of another page of tables */
	TABLE_DAMAGES,
};

/* False: it said why on standard error. excerpt is the whole one, of input. */
bool page_tables_init(struct page_tables *tables, const struct input *input,
		      const struct excerpt *excerpt);
void page_tables_deinit(struct page_tables *tables);

/*
 * Do that to the entry, in bytes, which are those of its page. random has the places and numbers
 * that are needed.
 */
void page_tables_damage(const struct page_tables *tables, const struct excerpt *excerpt,
			const struct table_entry *entry, enum table_damage damage, uint64_t random,
			uint8_t *bytes);

#endif
