/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * excerpt - an excerpt of a real dump (docs/excerpt.md), damaged page by page.
 *
 * The file is copied into memory and keeps its pages; only the program headers are written anew for
 * every variant, so that a page is not there rather than zero. ELF-64 core files of either byte
 * order, as rbstats writes them.
 */
#ifndef DAMAGE_EXCERPT_H
#define DAMAGE_EXCERPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct excerpt {
	int fd;	       /* of the copy */
	char path[32]; /* by which it can be opened */
	uint8_t *head; /* ELF header, program headers, note: head_size bytes of the copy */
	size_t head_size;
	uint8_t *pages; /* what follows them, page_count pages */
	uint64_t *pfns; /* of each page, ascending */
	size_t page_count;
	uint64_t page_size;
	uint8_t *note; /* owned, as all arrays */
	size_t note_size;
	bool big_endian;
	uint8_t ident[20]; /* e_ident, e_type and e_machine */
};

/* False: it said why on standard error. */
bool excerpt_init(struct excerpt *excerpt, const char *path);
void excerpt_deinit(struct excerpt *excerpt);

/* Whether a page stays, by its index in pfns. */
typedef bool excerpt_keep(size_t page, const void *data);

/* Make the copy hold the pages that are kept, with their first contents. */
bool excerpt_leave_out(struct excerpt *excerpt, excerpt_keep *keep, const void *data);

/* The one page's contents in the copy, from now on (page_size bytes). */
bool excerpt_page_write(const struct excerpt *excerpt, size_t page, const void *bytes);

/* Read them. */
bool excerpt_page_read(const struct excerpt *excerpt, size_t page, void *bytes);

/* The page's contents in the real dump. */
const uint8_t *excerpt_page(const struct excerpt *excerpt, size_t page);

#endif
