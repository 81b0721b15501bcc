/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_find - where in a machine's memory a hypervisor is, and whether it is the one of xen-syms.
 *
 * Asked in this order, each proved by the build-id in memory (for a Xen without one, by its own
 * variable xen_phys_start): the address that the user or the notes name, the page tables of every
 * CR3 in the notes, and all of memory at 2 MiB steps.
 */
#ifndef RBS_XEN_FIND_H
#define RBS_XEN_FIND_H

#include "lib/target/xen.h"

struct rbs_xen_place {
	uint64_t root;	     /* machine address of the top page table */
	uint64_t phys_start; /* xen_phys_start */
};

/* The errors of rbs_xen_target_create(). */
enum rbs_code rbs_xen_find(struct rbs_target *machine, const struct rbs_xen_options *options,
			   struct rbs_xen_place *place, struct rbs_error *err);

#endif
