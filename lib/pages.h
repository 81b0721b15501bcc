/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages - the kernel's descriptions of pages (struct page), and the pages that hold a file.
 *
 * Of kernels with one map of all descriptions (CONFIG_SPARSEMEM_VMEMMAP): a description's place
 * tells its page. A file's pages are in its address_space's i_pages, an xarray ("page cache: Rename
 * i_pages", 4.17; 4.20); an entry of several indexes is a folio's first page.
 */
#ifndef RBS_PAGES_H
#define RBS_PAGES_H

#include "lib/dump.h"
#include "lib/layout.h"
#include "lib/xarray.h"

/* Virtual addresses of physical address 0. */
struct rbs_places {
	bool has_linear; /* linear is known; it may be 0 */
	uint64_t linear; /* in the mapping of all memory */
	uint64_t map;	 /* of the struct page that describes it; 0 when unknown */
};

/* size: bytes of a struct page, 0 for unknown (then map may be 0). */
void rbs_places_find(struct rbs_places *places, struct rbs_dump *dump, uint64_t size);

/* The first word of a struct page's union, for layout tables: "mm: rename the 'compound_head' field
 * in the 'struct page' to 'compound_info'", 7.1. */
#define RBS_PAGE_HEAD "page:compound_info|page:compound_head"

/*
 * The struct page of the folio's first page, by that word of the struct page at page. In later
 * pages bit 0 is set; the rest is the address, or, since "mm: rework compound_head() for power-of-2
 * sizeof(struct page)" (7.1), a mask of the page's own address. A first page lies before its later
 * ones.
 */
uint64_t rbs_page_head(uint64_t page, uint64_t word);

#define RBS_PAGE_NONE UINT64_MAX /* no page at that index */
#define RBS_PAGE_SWAPPED (UINT64_MAX - 1)

struct rbs_pages {
	struct rbs_dump *dump;
	struct rbs_layout layout;
	struct rbs_xarray_types arrays;
	struct rbs_places places;
	uint64_t size; /* bytes of a description */
	/* Of a Xen PV domain: its physical addresses are not the machine's. */
	bool by_linear;
};

/* A file's pages, by index. */
struct rbs_page_list {
	uint64_t *physical; /* addresses, RBS_PAGE_NONE or RBS_PAGE_SWAPPED; owned */
	size_t count;
	size_t present, swapped;
	enum rbs_code code; /* not RBS_OK: the list is not whole, and error says why */
	struct rbs_error error;
};

/* RBS_NO_SYMBOL or RBS_NO_TYPES when descriptions can't be found. */
enum rbs_code rbs_pages_init(struct rbs_pages *pages, struct rbs_dump *dump, struct rbs_error *err);
void rbs_pages_deinit(struct rbs_pages *pages);

/* The physical address of the page that the struct page at page describes. */
enum rbs_code rbs_page_physical(const struct rbs_pages *pages, uint64_t page, uint64_t *physical,
				struct rbs_error *err);

/* The address of the struct page of a physical address. */
uint64_t rbs_page_of(const struct rbs_pages *pages, uint64_t physical);

/* Read within a page by its physical address. */
enum rbs_code rbs_page_read(const struct rbs_pages *pages, uint64_t physical, void *buffer,
			    size_t length, struct rbs_error *err);

/* The address_space of a page of a file; 0 when the page is no file's or can't be read. */
uint64_t rbs_page_mapping(const struct rbs_pages *pages, uint64_t page);

/*
 * The same two of a copy of a description (pages->size bytes); false for a page that is no file's,
 * or a folio's later page.
 */
bool rbs_page_decode(const struct rbs_pages *pages, const void *description, uint64_t *mapping,
		     uint64_t *index);

/* Which page of its file it holds, counted from 0. */
enum rbs_code rbs_page_index(const struct rbs_pages *pages, uint64_t page, uint64_t *index,
			     struct rbs_error *err);

/*
 * The first count pages of the file whose address_space is at mapping. Fails when there is nothing
 * at all (RBS_NOMEM too); what is wrong in the midst is in list->code. The caller deinits list in
 * any case.
 */
enum rbs_code rbs_page_list_init(struct rbs_page_list *list, const struct rbs_pages *pages,
				 uint64_t mapping, size_t count, struct rbs_error *err);
void rbs_page_list_deinit(struct rbs_page_list *list);

/* The physical address of the file's first page, as in a list. */
enum rbs_code rbs_page_first(const struct rbs_pages *pages, uint64_t mapping, uint64_t *physical,
			     struct rbs_error *err);

/* How many pages the file has in memory, by its own count. */
struct rbs_value rbs_page_count(const struct rbs_pages *pages, uint64_t mapping);

/* Read the file's bytes, page by page; RBS_UNMAPPED where no page is. */
enum rbs_code rbs_page_list_read(const struct rbs_page_list *list, const struct rbs_pages *pages,
				 uint64_t offset, void *buffer, size_t length,
				 struct rbs_error *err);

#endif
