/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_foreign - another domain's memory, mapped page by page from dom0.
 *
 * Physical addresses are those of the domain's page tables: machine addresses of a PV domain,
 * guest-physical ones of an HVM or PVH domain; xenforeignmemory_map() takes both alike. The domain
 * should stand still meanwhile. Only in builds with Xen's libraries.
 */
#ifndef RBS_XEN_FOREIGN_H
#define RBS_XEN_FOREIGN_H

#include "lib/target/target.h"

/* info is what the target says of itself. */
enum rbs_code rbs_xen_foreign_create(uint32_t domain, const struct rbs_target_info *info,
				     struct rbs_target **target, struct rbs_error *err);

#endif
