/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of vCPU counters that a domain with the right to do so may map
 * (XENMEM_resource_stats_table). Written for the tests of rbstats after the
 * descriptions of a series that was never merged into Xen; each form of the
 * table has a source file of its own.
 */
#ifndef __XEN_VCPU_STATS_H__
#define __XEN_VCPU_STATS_H__

#include <public/xen.h>

struct domain;
struct vcpu;

/*
 * The frame of a domain's table, which is made at the first call: 1 and the
 * frame in mfn_list, or -errno.
 */
int vcpu_stats_acquire(struct domain *d, unsigned int id, unsigned int frame,
                       unsigned int nr_frames, xen_pfn_t mfn_list[]);

/* Call it with the vCPU's schedule lock held, when its runstate has changed. */
void vcpu_stats_update(const struct vcpu *v);

/* Call it when no vCPU of the domain can run any more. */
void vcpu_stats_free(struct domain *d);

#endif /* __XEN_VCPU_STATS_H__ */
