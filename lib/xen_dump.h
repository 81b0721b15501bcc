/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_dump - opens the hypervisor in a machine's memory: its target, symbols and types.
 *
 * Part of the session (lib/session.h), which decides whether the hypervisor is the dump itself or
 * the one below a Linux kernel's.
 */
#ifndef RBS_XEN_DUMP_H
#define RBS_XEN_DUMP_H

#include "lib/dump.h"
#include "lib/target/xen_notes.h"

struct rbs_xen_dump_options {
	const char *xen_syms;
	bool has_phys_start;
	uint64_t phys_start;	      /* the user's xen_phys_start */
	const char *const *debuginfo; /* files and folders, for a xen-syms without DWARF */
	size_t debuginfo_count;
	const struct rbs_xen_notes *notes; /* NULL: none */
};

/*
 * machine is borrowed: it must outlive *dump, unless rbs_xen_target_own() is called. On success the
 * caller deinits *dump. The errors of rbs_xen_syms_open() and rbs_xen_target_create().
 */
enum rbs_code rbs_xen_dump_open(struct rbs_dump *dump, struct rbs_target *machine,
				const struct rbs_xen_dump_options *options, struct rbs_error *err);

#endif
