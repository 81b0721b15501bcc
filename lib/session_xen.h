/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_xen - the part of a session (lib/session.h) that is about a hypervisor. */
#ifndef RBS_SESSION_XEN_H
#define RBS_SESSION_XEN_H

#include "lib/session.h"
#include "lib/target/xen_notes.h"

/* A vmlinux that is the hypervisor's is its xen-syms. */
void rbs_session_xen_settle(struct rbs_session_options *options);

/* True when there is a kernel to be read beside it. */
bool rbs_session_has_kernel(const struct rbs_session_options *options);

/*
 * The hypervisor as the whole session: takes over target, also on failure. Symbols and types of the
 * front end are its Linux kernel's, and are dropped.
 */
enum rbs_code rbs_session_xen_attach(struct rbs_dump *dump, struct rbs_target *target,
				     const struct rbs_session_options *options,
				     struct rbs_error *err);

/*
 * The Linux kernel of an x86-64 dump without a VMCOREINFO note, as Xen's /proc/vmcore and QEMU's
 * dump of a Xen machine are: by the page tables that one of the CPUs used, the first in the file
 * with such a kernel (lib/xen_domain.h; target is borrowed). Below Xen that is the kernel of the
 * domain that ran there. False when there is none.
 */
bool rbs_session_kernel_of_cpus(struct rbs_target *target, struct rbs_target **kernel);

/* The hypervisor below a kernel, as a dump of its own over the machine's memory. */
enum rbs_code rbs_session_xen_below(struct rbs_dump **hypervisor, struct rbs_target *machine,
				    const struct rbs_session_options *options,
				    struct rbs_error *err);

#endif
