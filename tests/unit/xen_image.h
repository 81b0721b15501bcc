/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_image - a hypervisor's memory with two domains, laid out as no real one is, and what the
 * probe makes of it. One at a time: the .init and .fini of a suite.
 */
#ifndef XEN_IMAGE_H
#define XEN_IMAGE_H

#include "fake_sources.h"
#include "fake_target.h"
#include "lib/probe.h"
#include "lib/session.h"

#define LIST UINT64_C(0xffff82d04057b380)
#define DOMAIN0 UINT64_C(0xffff830000010000)
#define DOMAIN1 UINT64_C(0xffff830000020000)
#define POINTERS UINT64_C(0xffff830000030000) /* DOMAIN1's vcpu[] */
#define VCPU UINT64_C(0xffff830000040000)     /* vCPU n is 4096 n further */
#define TABLE UINT64_C(0xffff82c000010000)
#define INACTIVE (UINT64_C(1) << 63)

/* Without a stats_table, and with each kind of one. */
extern const struct fake_type xen_types_stock[], xen_types_v0[], xen_types_v1[], xen_types_v2[],
	xen_types_v3[];

extern struct rbs_target *xen_target;
extern struct rbs_dump xen_dump;
extern struct rbs_report *xen_report;

void xen_image_setup(void);
void xen_image_teardown(void);

/* vCPU n of domain 1: it ran so long, waited 10 ns, was blocked 200 and offline 3000. */
uint64_t xen_vcpu_add(unsigned n, uint64_t running, uint64_t entry);

/* Let the probe fill xen_report. */
void xen_run(const struct fake_type *types);

/* Nodes of it; that there is none ends the test. */
const struct rbs_node *xen_child(const struct rbs_node *node, const char *name);
const struct rbs_node *xen_domain1(void);
const struct rbs_node *xen_vcpu_node(const char *name);

void xen_expect_no_problem(void);

#endif
