/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_calls - what a running hypervisor tells dom0, as an interface.
 *
 * lib/xen_live.c implements it on libxenctrl and libxenforeignmemory; the tests by hand.
 */
#ifndef RBS_XEN_CALLS_H
#define RBS_XEN_CALLS_H

#include "lib/target/target.h"

struct rbs_xen_calls_domain {
	uint32_t id;
	bool hvm, dying, paused, shut_down;
	uint8_t shutdown_code; /* SHUTDOWN_*, public/sched.h */
	uint64_t tot_pages;
	uint32_t vcpus; /* numbers below this one may be in use */
	char name[64];	/* xenstore's; empty: not known */
};

struct rbs_xen_calls_vcpu {
	bool exists, online, blocked, running;
	uint64_t cpu_time; /* ns */
	uint32_t cpu;
};

/* A stats_table's memory, mapped: addresses of target. */
struct rbs_xen_calls_table {
	struct rbs_target *target; /* owned by whoever opened it */
	uint64_t va;		   /* of the domain's table; 0: there is none */
	uint64_t *own_pages;	   /* by vCPU: its own table (v0), or 0; owned; may be NULL */
};

struct rbs_xen_calls;

struct rbs_xen_calls_ops {
	/* The first domain whose number is not below from; *found is false after the last one. */
	enum rbs_code (*domain_get)(struct rbs_xen_calls *calls, uint32_t from,
				    struct rbs_xen_calls_domain *domain, bool *found,
				    struct rbs_error *err);
	enum rbs_code (*vcpu_get)(struct rbs_xen_calls *calls, uint32_t domain, uint32_t vcpu,
				  struct rbs_xen_calls_vcpu *info, struct rbs_error *err);
	/* RBS_NO_MEMBER: this hypervisor has no such table, or not for this domain. */
	enum rbs_code (*table_open)(struct rbs_xen_calls *calls, uint32_t domain, uint32_t vcpus,
				    struct rbs_xen_calls_table *table, struct rbs_error *err);
	void (*destroy)(struct rbs_xen_calls *calls);
};

/* Implementations embed this as their first member. */
struct rbs_xen_calls {
	const struct rbs_xen_calls_ops *ops;
	bool has_domain; /* only this one is asked about */
	uint32_t domain;
};

#endif
