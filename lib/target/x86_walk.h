/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * x86_walk - from virtual to physical addresses by the page tables of an x86-64 machine.
 *
 * Four levels, as Xen always runs (it does not enable 5-level paging), or five. All reads are
 * physical reads of the machine below, which notes the pages that it was asked for: an excerpt so
 * gets the tables as well. A walk reads at most an entry a level, so that tables that point at
 * themselves end.
 *
 * Format of the entries: Intel SDM volume 3, "4-Level Paging and 5-Level Paging": present bit 0,
 * large page bit 7 in the tables whose entries cover 1 GiB and 2 MiB, where the address's lower
 * bits but PAT (12) are reserved; address bits 12 to 51.
 */
#ifndef RBS_X86_WALK_H
#define RBS_X86_WALK_H

#include "lib/target/target.h"

#define RBS_X86_TLB_SIZE 1024 /* a power of two */
#define RBS_X86_CR4_LA57 (UINT64_C(1) << 12)

struct rbs_x86_walk {
	struct rbs_target *machine; /* borrowed */
	uint64_t root;		    /* physical address of the top table, as in CR3 */
	unsigned levels;	    /* 4 or 5 */
	struct {
		uint64_t virtual_page; /* page number + 1; 0 is empty */
		uint64_t physical;     /* address of the page */
	} tlb[RBS_X86_TLB_SIZE];
};

/* The low 12 bits of root are flags of CR3 and are dropped. levels: 4, or with CR4.LA57 5. */
void rbs_x86_walk_init(struct rbs_x86_walk *walk, struct rbs_target *machine, uint64_t root,
		       unsigned levels);

/*
 * RBS_UNMAPPED when an entry is not present, the address is not canonical or a table is where there
 * is no memory; RBS_CORRUPT when reserved bits of an entry are set; RBS_EXCLUDED and the like when
 * the page of a table cannot be read.
 */
enum rbs_code rbs_x86_translate(struct rbs_x86_walk *walk, uint64_t address, uint64_t *physical,
				struct rbs_error *err);

/* Read length bytes or fail, page by page. */
enum rbs_code rbs_x86_read(struct rbs_x86_walk *walk, uint64_t address, void *buffer, size_t length,
			   struct rbs_error *err);

#endif
