/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "xen_image.h"

#include <criterion/criterion.h>
#include <string.h>

/* struct domain and struct vcpu of no real hypervisor. */
#define NUMBER(at, bytes)                                                                          \
	{                                                                                          \
		.offset = (at), .size = (bytes), .count = 1, .element_size = (bytes)               \
	}
#define COMMON                                                                                     \
	{NULL, "domain", "domain_id", NUMBER(0, 2)}, {NULL, "domain", "max_vcpus", NUMBER(4, 4)},  \
		{NULL, "domain", "vcpu", NUMBER(8, 8)},                                            \
		{NULL, "domain", "next_in_list", NUMBER(16, 8)},                                   \
		{NULL, "domain", "is_dying", NUMBER(24, 4)},                                       \
		{NULL, "domain", "controller_pause_count", NUMBER(28, 4)},                         \
		{NULL, "domain", "is_shut_down", NUMBER(32, 1)},                                   \
		{NULL, "domain", "is_shutting_down", NUMBER(33, 1)},                               \
		{NULL, "domain", "shutdown_code", NUMBER(36, 4)},                                  \
		{NULL, "domain", "options", NUMBER(40, 4)},                                        \
		{NULL, "vcpu", "vcpu_id", NUMBER(0, 4)},                                           \
		{NULL, "vcpu", "processor", NUMBER(4, 4)}, {NULL, "vcpu", "domain", NUMBER(8, 8)}, \
		{NULL, "vcpu", "pause_flags", NUMBER(16, 8)},                                      \
		{NULL, "vcpu", "runstate.state", NUMBER(64, 4)},                                   \
		{NULL, "vcpu", "runstate.state_entry_time", NUMBER(72, 8)},                        \
	{                                                                                          \
		NULL, "vcpu", "runstate.time",                                                     \
		{                                                                                  \
			.offset = 80, .size = 32, .count = 4, .element_size = 8,                   \
			.kind = RBS_KIND_ARRAY                                                     \
		}                                                                                  \
	}
#define IN_DOMAIN                                                                                  \
	{                                                                                          \
		NULL, "domain", "vcpustats_page.va", NUMBER(48, 8)                                 \
	}
#define IN_VCPU                                                                                    \
	{                                                                                          \
		NULL, "vcpu", "stats.va", NUMBER(48, 8)                                            \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, NULL, NULL, NUMBER(0, 0)                                                     \
	}

const struct fake_type xen_types_stock[] = {COMMON, END};
const struct fake_type xen_types_v0[] = {COMMON, IN_VCPU, END};
const struct fake_type xen_types_v1[] = {
	COMMON,
	IN_DOMAIN,
	{NULL, "vcpu_stats", NULL, NUMBER(0, 8)},
	{NULL, "vcpu_stats", "runstate_running_time", NUMBER(0, 8)},
	END};
const struct fake_type xen_types_v2[] = {
	COMMON,
	IN_DOMAIN,
	{NULL, "vcpu_stats", NULL, NUMBER(0, 16)},
	{NULL, "vcpu_stats", "version", NUMBER(0, 4)},
	{NULL, "vcpu_stats", "runstate_running_time", NUMBER(8, 8)},
	END};
const struct fake_type xen_types_v3[] = {
	COMMON,
	IN_DOMAIN,
	{NULL, "vcpu_stats", NULL, NUMBER(0, 16)},
	{NULL, "vcpu_stats", "seq", NUMBER(0, 4)},
	{NULL, "vcpu_stats", "runstate_running_time", NUMBER(8, 8)},
	{NULL, "vcpu_shmem_stats", "magic", NUMBER(0, 4)},
	{NULL, "vcpu_shmem_stats", "offset", NUMBER(4, 4)},
	{NULL, "vcpu_shmem_stats", "size", NUMBER(8, 4)},
	{NULL, "vcpu_shmem_stats", "stride", NUMBER(12, 4)},
	END};
static const struct fake_symbol symbols[] = {{NULL, "domain_list", LIST}, {NULL, NULL, 0}};

struct rbs_target *xen_target;
struct rbs_dump xen_dump;
struct rbs_report *xen_report;

void xen_image_setup(void)
{
	xen_target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	rbs_dump_init(&xen_dump, xen_target);
	xen_dump.is_hypervisor = true;
	rbs_symbols_add(&xen_dump.symbols, fake_symbols_create(symbols));
	xen_report = NULL;
	fake_target_map_zeros(xen_target, LIST, 8);
	fake_target_map_zeros(xen_target, DOMAIN0, 128);
	fake_target_map_zeros(xen_target, DOMAIN1, 128);
	fake_target_map_zeros(xen_target, POINTERS, 4096);
	fake_target_map_zeros(xen_target, VCPU, 8 * 4096);
	fake_target_map_zeros(xen_target, TABLE, 2 * 4096);
	fake_target_put_pointer(xen_target, LIST, DOMAIN0);
	fake_target_put_pointer(xen_target, DOMAIN0 + 16, DOMAIN1);
	fake_target_put(xen_target, DOMAIN1, 2, 1);
	fake_target_put_pointer(xen_target, DOMAIN1 + 8, POINTERS);
}

void xen_image_teardown(void)
{
	rbs_report_destroy(xen_report);
	rbs_dump_deinit(&xen_dump);
}

uint64_t xen_vcpu_add(unsigned n, uint64_t running, uint64_t entry)
{
	uint64_t vcpu = VCPU + n * 4096;

	fake_target_put(xen_target, DOMAIN1 + 4, 4, n + 1);
	fake_target_put_pointer(xen_target, POINTERS + n * 8, vcpu);
	fake_target_put(xen_target, vcpu, 4, n);
	fake_target_put(xen_target, vcpu + 4, 4, 7);
	fake_target_put_pointer(xen_target, vcpu + 8, DOMAIN1);
	fake_target_put(xen_target, vcpu + 64, 4, 2);
	fake_target_put(xen_target, vcpu + 72, 8, entry);
	fake_target_put(xen_target, vcpu + 80, 8, running);
	fake_target_put(xen_target, vcpu + 88, 8, 10);
	fake_target_put(xen_target, vcpu + 96, 8, 200);
	fake_target_put(xen_target, vcpu + 104, 8, 3000);
	return vcpu;
}

void xen_run(const struct fake_type *types)
{
	static const char *const families[] = {"xen"};
	const struct rbs_show_options show = {.families = families, .family_count = 1};
	struct rbs_error error = {.text = ""};

	rbs_types_add(&xen_dump.types, fake_types_create(types, NULL));
	cr_assert_eq(rbs_session_show(&xen_dump, &show, &xen_report, &error), RBS_OK, "%s",
		     error.text);
}

const struct rbs_node *xen_child(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; i < node->child_count; i++) {
		if (!strcmp(node->children[i]->name, name))
			return node->children[i];
	}
	cr_assert_fail("no %s", name);
	return NULL;
}

const struct rbs_node *xen_domain1(void)
{
	return xen_child(xen_report->sections[0].node, "d1");
}

const struct rbs_node *xen_vcpu_node(const char *name)
{
	return xen_child(xen_domain1(), name);
}

void xen_expect_no_problem(void)
{
	cr_expect_eq(xen_report->problem_count, 0, "%s",
		     xen_report->problem_count ? xen_report->problems[0].text : "");
}
