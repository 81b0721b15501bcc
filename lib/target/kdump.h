/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump - a dump file as a target, through libkdumpfile.
 *
 * Translation is libaddrxlat's. A hook on its page reads records which page tables it used, so that
 * an excerpt can hold them. Flattened dumps are rearranged into an unnamed temporary file first.
 */
#ifndef RBS_KDUMP_H
#define RBS_KDUMP_H

#include "lib/target/page_set.h"
#include "lib/target/target.h"

/*
 * Open a dump of a Linux kernel: rbs_kdump_open_file() and rbs_kdump_linux_init(). RBS_UNSUPPORTED
 * when it has no VMCOREINFO.
 */
enum rbs_code rbs_kdump_open(const char *path, struct rbs_target **target, struct rbs_error *err);

/* Open the file alone: only RBS_PHYSICAL can be read, as a hypervisor's dump needs it. */
enum rbs_code rbs_kdump_open_file(const char *path, struct rbs_target **target,
				  struct rbs_error *err);

/* Set up what Linux's virtual addresses need. On failure the target is as it was. */
enum rbs_code rbs_kdump_linux_init(struct rbs_target *target, struct rbs_error *err);

/*
 * Of the dump of one Xen domain ('xl dump-core', which has no VMCOREINFO): the top page table of a
 * vCPU, whose addresses RBS_PHYSICAL reads. False for other dumps, and for a vCPU without one.
 */
bool rbs_kdump_domain_root(struct rbs_target *target, unsigned cpu, uint64_t *root);

/*
 * The same of an excerpt of a kernel that was reached by its page tables (lib/tables_kernel.h), and
 * whether they have five levels: its VMCOREINFO ends with a line of our own, the physical (on Xen
 * machine) address of the top one, hexadecimal without 0x.
 */
#define RBS_KDUMP_ROOT_KEY "RBSTATS_ROOT"
bool rbs_kdump_excerpt_root(struct rbs_target *target, uint64_t *root, bool *five);

/* The dump file in ELF or kdump-compressed form, for reading at given places; borrowed. */
int rbs_kdump_fd(const struct rbs_target *target);

#endif
