/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen - domains and vCPUs in the hypervisor's own memory, and the stats_table of each domain.
 *
 * Structures: xen/include/xen/sched.h (domain, vcpu), public/vcpu.h (vcpu_runstate_info). Times are
 * nanoseconds of Xen's system time, which starts when Xen boots. vcpu_runstate_change()
 * (common/sched/core.c) adds the time in the old state to time[] and sets state_entry_time to now:
 * so state_entry_time minus the sum of the times is when the vCPU was created, at any moment.
 *
 * The stats_table is an RFC of 2022 and 2023 ("Add a new acquire resource to query vcpu
 * statistics") that was never merged. Its layouts:
 *   v0  a page for each vCPU, kept in vcpu.stats: u64
 *   v1  one page, kept in domain.vcpustats_page: u64 for each vCPU
 *   v2  the same, { u32 version, pad; u64 }; in a later branch an array of pages
 *   v3  { u32 magic, offset, size, stride }, then { u32 seq, pad; u64 } at offset + stride * n
 * Two of the branches add a number of bytes to a pointer to the records, so that it counts once
 * more by their size: v2 at 256n, v3 at offset + size * stride * n.
 */
#ifndef RBS_PROBES_XEN_H
#define RBS_PROBES_XEN_H

#include "lib/probe.h"

#define XEN_VCPU_LIMIT 8192 /* MAX_VIRT_CPUS, public/xen.h */

enum {
	XD_ID,
	XD_MAX_VCPUS,
	XD_VCPUS,
	XD_NEXT,
	XD_TOT_PAGES,
	XD_DYING,
	XD_CONTROLLER_PAUSE,
	XD_PAUSE_COUNT,
	XD_SHUTTING_DOWN,
	XD_SHUT_DOWN,
	XD_SHUTDOWN_CODE,
	XD_PRIVILEGED,
	XD_OPTIONS,
	XD_TABLE,
	XV_ID,
	XV_DOMAIN,
	XV_PROCESSOR,
	XV_STATE,
	XV_ENTRY_TIME,
	XV_TIMES,
	XV_IS_RUNNING,
	XV_PAUSE_FLAGS,
	XV_PAUSE_COUNT,
	XV_TABLE,
	XS_SEQ,
	XH_MAGIC,
	XH_OFFSET,
	XH_SIZE,
	XH_STRIDE,
	XEN_MEMBER_COUNT,
};

enum {
	XEN_D_ID,
	XEN_D_NAME,
	XEN_D_TYPE,
	XEN_D_MAX_VCPUS,
	XEN_D_MEMORY,
	XEN_D_DYING,
	XEN_D_PAUSED,
	XEN_D_PAUSE_COUNT,
	XEN_D_SHUTDOWN,
	XEN_D_TABLE,
	XEN_D_TABLE_LAYOUT,
	XEN_D_TABLE_MATCHES,
	XEN_D_ADDRESS,
	XEN_D_PROCESSOR,
	XEN_D_STATE,
	XEN_D_ENTRY_TIME,
	XEN_D_RUNNING,
	XEN_D_RUNNABLE,
	XEN_D_BLOCKED,
	XEN_D_OFFLINE,
	XEN_D_PERCENT_RUNNING,
	XEN_D_PERCENT_RUNNABLE,
	XEN_D_PERCENT_BLOCKED,
	XEN_D_PERCENT_OFFLINE,
	XEN_D_CREATED,
	XEN_D_STEAL,
	XEN_D_ONLINE,
	XEN_D_ON_CPU,
	XEN_D_PAUSE_FLAGS,
	XEN_D_VCPU_PAUSE,
	XEN_D_TABLE_STATE,
	XEN_D_TABLE_RUNNING,
	XEN_D_TABLE_SEQ,
	XEN_D_TABLE_LAG,
	XEN_D_VCPU_ADDRESS,
	XEN_D_COUNT,
};

extern const struct rbs_family xen_family;
const struct rbs_desc *xen_desc(unsigned id);

/* Of a public vcpu_runstate_info.state; NULL for none of them. */
const char *xen_state_name(uint64_t state);

struct xen_times {
	enum rbs_code code; /* why they could not be read */
	uint64_t time[4];   /* ns: running, runnable, blocked, offline */
};

struct xen_probe {
	struct rbs_probe_context *context;
	struct rbs_target *target; /* the hypervisor's */
	struct rbs_layout layout;
};

struct xen_vcpu {
	struct rbs_node *node;
	uint64_t address; /* 0: it could not be read, or the hypervisor is live */
	uint32_t id;
	struct xen_times times;
	uint64_t own_page; /* v0: where its page of the stats_table is; 0: none */
};

struct xen_domain {
	uint64_t address;
	struct rbs_node *node;
	struct xen_vcpu *vcpus; /* owned; those that there are */
	size_t vcpu_count;
};

/* Read what struct vcpu says into vcpu->node, which is there; sets vcpu->times. */
void xen_vcpu_read(struct xen_probe *probe, uint64_t domain, struct xen_vcpu *vcpu);

/* Which of the stats_table's structures a hypervisor was built with. */
#define XEN_DECLARES_OWN_PAGE 1u /* v0 */
#define XEN_DECLARES_PLAIN 2u	 /* v1: records of a number alone */
#define XEN_DECLARES_SEQ 4u	 /* v2 */
#define XEN_DECLARES_HEADER 8u	 /* v3 */

struct xen_table_source {
	struct rbs_target *target;
	uint64_t va;	   /* of the domain's table; 0: none */
	unsigned declared; /* XEN_DECLARES_*; 0: not known */
};

/* Which layout a domain's stats_table has, and what it says of each vCPU. */
void xen_table_read(const struct xen_table_source *source, struct xen_domain *domain);

/* Fill the section from a running hypervisor. */
enum rbs_code xen_live_read(struct rbs_probe_context *context, struct rbs_xen_calls *calls,
			    struct rbs_error *err);

/* Of a shutdown code (public/sched.h: SHUTDOWN_*); NULL for none of them. */
const char *xen_shutdown_name(uint64_t code);

/* Read a member, and set it unless this hypervisor does not have it. */
struct rbs_value xen_show(struct xen_probe *probe, unsigned member, uint64_t base,
			  struct rbs_node *node, unsigned desc);

#endif
