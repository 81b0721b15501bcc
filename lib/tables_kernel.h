/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables_kernel - a Linux kernel on x86-64 that is reached by its page tables alone.
 *
 * Where no VMCOREINFO note says where a kernel is, one top page table does: our own walk reads its
 * memory. Its VMCOREINFO, by which everything else is found, is found in its own image: the
 * variable vmcoreinfo_data points to a page that begins with "OSRELEASE=" (kernel/vmcore_info.c).
 *
 * That is so of Xen's PV domains, whose tables hold machine addresses, in the dump of a machine and
 * in 'xl dump-core', and of QEMU's dump of a guest without a vmcoreinfo device.
 */
#ifndef RBS_TABLES_KERNEL_H
#define RBS_TABLES_KERNEL_H

#include "lib/target/target.h"

/*
 * The Linux kernel whose top page table is at root, of five levels or of four, over memory that is
 * read by the addresses in those tables (borrowed). RBS_UNSUPPORTED when there is none.
 */
enum rbs_code rbs_tables_kernel_open(struct rbs_target *machine, uint64_t root, bool five,
				     struct rbs_target **target, struct rbs_error *err);

/*
 * The kernel in a dump (lib/target/kdump.h, borrowed) by the page tables that its CPUs used, which
 * QEMU's notes and those of Xen's crash have: the first in the file with a kernel. Below Xen that
 * is the kernel of the domain that ran there. False when there is none.
 */
bool rbs_tables_kernel_of_cpus(struct rbs_target *dump, struct rbs_target **target);

/* From now on what was borrowed is destroyed with the target. */
void rbs_tables_kernel_own(struct rbs_target *target);

#endif
