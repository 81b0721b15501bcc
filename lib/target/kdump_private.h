/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump_private - what the files of the libkdumpfile target share; nobody else includes it, but
 * tests/damage/page_roots.c, which asks where the page tables are.
 */
#ifndef RBS_KDUMP_PRIVATE_H
#define RBS_KDUMP_PRIVATE_H

#include <libkdumpfile/addrxlat.h>
#include <libkdumpfile/kdumpfile.h>

#include "lib/target/disk_map.h"
#include "lib/target/kdump.h"
#include "lib/target/page_set.h"

/* Translations kept; a power of two. */
#define TLB_SIZE 1024

struct translation {
	uint64_t virtual_page; /* page number + 1; 0 is empty */
	addrxlat_fulladdr_t physical;
};

struct kdump_target {
	struct rbs_target target;
	kdump_ctx_t *context;
	addrxlat_ctx_t *kdump_xlat;   /* libkdumpfile's own context, for its callbacks */
	const addrxlat_cb_t *base;    /* those callbacks */
	addrxlat_ctx_t *xlat_context; /* ours, with the hook */
	addrxlat_sys_t *xlat_system;
	addrxlat_status table_status; /* why a page table could not be read */
	char *vmcoreinfo;
	int fd;
	kdump_bmp_t *page_map; /* which pages the file holds; NULL: not needed */
	bool recording;
	struct rbs_page_set pages;
	struct rbs_page_set missing; /* those of them that cannot be read */
	struct rbs_disk_map disk;
	struct translation tlb[TLB_SIZE];
};

static inline struct kdump_target *kdump_target_from(struct rbs_target *target)
{
	return (struct kdump_target *)target;
}

extern const struct rbs_target_ops kdump_ops;

/* Note that a page is about to be read. RBS_EXCLUDED, or RBS_CORRUPT where it must not be. */
enum rbs_code kdump_page_note(struct kdump_target *self, uint64_t physical);

/* Our codes for libkdumpfile's status, and for that of a translation. */
enum rbs_code kdump_code(kdump_status status);

/* An attribute of the dump; NULL or false when it has none. */
const char *kdump_attribute_string(struct kdump_target *self, const char *key);
bool kdump_attribute_number(struct kdump_target *self, const char *key, uint64_t *value);

#endif
