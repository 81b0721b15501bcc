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

/* The hypervisor below a kernel, as a dump of its own over the machine's memory. */
enum rbs_code rbs_session_xen_below(struct rbs_dump **hypervisor, struct rbs_target *machine,
				    const struct rbs_session_options *options,
				    struct rbs_error *err);

#endif
