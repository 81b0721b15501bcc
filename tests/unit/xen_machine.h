/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_machine - a machine of 16 MiB of physical memory that a test writes out by hand, and nothing
 * else: no virtual addresses, no VMCOREINFO.
 *
 * Running out of memory, or writing past the end, ends the test by abort().
 */
#ifndef XEN_MACHINE_H
#define XEN_MACHINE_H

#include "lib/target/target.h"

#define XEN_MACHINE_SIZE (UINT64_C(16) << 20)

struct rbs_target *xen_machine_create(void);

void xen_machine_put(struct rbs_target *target, uint64_t address, const void *bytes, size_t size);
void xen_machine_put_number(struct rbs_target *target, uint64_t address, uint64_t value);

/* The page of that address is not in the dump. */
void xen_machine_exclude(struct rbs_target *target, uint64_t address);

/* How often memory was read, and whether a page is in the record. */
size_t xen_machine_reads(const struct rbs_target *target);
bool xen_machine_recorded(const struct rbs_target *target, uint64_t address);

#endif
