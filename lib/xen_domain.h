/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_domain - the Linux kernel of one PV domain, in a dump of the whole machine.
 *
 * A PV kernel's page tables hold machine addresses (vcpu.arch.guest_table, xen/include/asm-x86's
 * domain.h): lib/tables_kernel.h reads it by them.
 *
 * An HVM or PVH domain has tables of its own below the guest's: not read.
 */
#ifndef RBS_XEN_DOMAIN_H
#define RBS_XEN_DOMAIN_H

#include "lib/dump.h"

/*
 * The kernel of domain domid of the hypervisor in *hypervisor, over the machine's memory (borrowed;
 * see rbs_tables_kernel_own()). RBS_USAGE when there is no such domain, RBS_UNSUPPORTED when it is
 * no PV domain or runs no Linux.
 */
enum rbs_code rbs_xen_domain_open(struct rbs_dump *hypervisor, struct rbs_target *machine,
				  uint32_t domid, struct rbs_target **target,
				  struct rbs_error *err);

#endif
