/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_live - the hypervisor that this machine runs on, asked from dom0.
 *
 * Through libxenctrl and libxenforeignmemory; a build without them only says so. Interfaces:
 * xc_domain_getinfolist(), xc_vcpu_getinfo(), xenforeignmemory_map_resource() with
 * XENMEM_resource_stats_table (3, of the unmerged series) and, for the memory of a domain that is
 * paused or has crashed, xc_vcpu_getcontext() and xenforeignmemory_map().
 */
#ifndef RBS_XEN_LIVE_H
#define RBS_XEN_LIVE_H

#include "lib/dump.h"
#include "lib/session.h"

struct rbs_xen_live_options {
	bool has_domain; /* else all domains */
	uint32_t domain;
};

/*
 * A session on the running hypervisor: the family xen, and of a domain that was named and stands
 * still, its Linux kernel with the family xen-guest. On success the caller deinits *dump.
 * RBS_UNSUPPORTED without Xen, or in a build without its libraries.
 */
enum rbs_code rbs_xen_live_open(struct rbs_dump *dump, const struct rbs_xen_live_options *options,
				struct rbs_error *err);

/* What this build can do, for --version: "Xen 4.17's libraries" or "no Xen libraries". */
const char *rbs_xen_live_built(void);

#endif
