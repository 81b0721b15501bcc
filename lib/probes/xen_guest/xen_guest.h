/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_guest - what a Linux kernel on Xen knows of its own vCPUs: its copy of each one's runstate,
 * and how it gets its events.
 *
 * The hypervisor copies vcpu_runstate_info into the per-CPU variable xen_runstate of the guest
 * (drivers/xen/time.c, VCPUOP_register_runstate_memory_area) whenever it schedules the vCPU, so
 * that the copy is behind by the running slice only. While it writes, it sets the topmost bit of
 * state_entry_time (XEN_RUNSTATE_UPDATE, since Xen 4.9, where the guest asked for it). Where the
 * guest's struct vcpu_info is, the per-CPU xen_vcpu says (arch/x86/xen/enlighten.c).
 */
#ifndef RBS_PROBES_XEN_GUEST_H
#define RBS_PROBES_XEN_GUEST_H

#include "lib/probe.h"

enum {
	XEN_GUEST_D_TYPE,
	XEN_GUEST_D_INITIAL,
	XEN_GUEST_D_SHARED,
	XEN_GUEST_D_SHARED_AT,
	XEN_GUEST_D_ABI,
	XEN_GUEST_D_VECTOR,
	XEN_GUEST_D_CPU,
	XEN_GUEST_D_STATE,
	XEN_GUEST_D_ENTRY_TIME,
	XEN_GUEST_D_RUNNING,
	XEN_GUEST_D_RUNNABLE,
	XEN_GUEST_D_BLOCKED,
	XEN_GUEST_D_OFFLINE,
	XEN_GUEST_D_PERCENT_RUNNING,
	XEN_GUEST_D_CREATED,
	XEN_GUEST_D_STEAL,
	XEN_GUEST_D_STEAL_COUNTED,
	XEN_GUEST_D_ONLINE,
	XEN_GUEST_D_VCPU,
	XEN_GUEST_D_VCPU_AT,
	XEN_GUEST_D_PENDING,
	XEN_GUEST_D_MASKED,
	XEN_GUEST_D_SELECTOR,
	XEN_GUEST_D_COUNT,
};

extern const struct rbs_family xen_guest_family;
const struct rbs_desc *xen_guest_desc(unsigned id);

#endif
