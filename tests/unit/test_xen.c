/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The xen family on a hypervisor's memory that is written out by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
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

static const struct fake_type stock[] = {COMMON, END};
static const struct fake_type v0[] = {COMMON, IN_VCPU, END};
static const struct fake_type v1[] = {COMMON,
				      IN_DOMAIN,
				      {NULL, "vcpu_stats", NULL, NUMBER(0, 8)},
				      {NULL, "vcpu_stats", "runstate_running_time", NUMBER(0, 8)},
				      END};
static const struct fake_type v2[] = {COMMON,
				      IN_DOMAIN,
				      {NULL, "vcpu_stats", NULL, NUMBER(0, 16)},
				      {NULL, "vcpu_stats", "version", NUMBER(0, 4)},
				      {NULL, "vcpu_stats", "runstate_running_time", NUMBER(8, 8)},
				      END};
static const struct fake_type v3[] = {COMMON,
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

static struct rbs_target *target;
static struct rbs_dump dump;
static struct rbs_report *report;

static void setup(void)
{
	target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	rbs_dump_init(&dump, target);
	dump.is_hypervisor = true;
	rbs_symbols_add(&dump.symbols, fake_symbols_create(symbols));
	report = NULL;
	fake_target_map_zeros(target, LIST, 8);
	fake_target_map_zeros(target, DOMAIN0, 128);
	fake_target_map_zeros(target, DOMAIN1, 128);
	fake_target_map_zeros(target, POINTERS, 4096);
	fake_target_map_zeros(target, VCPU, 8 * 4096);
	fake_target_map_zeros(target, TABLE, 2 * 4096);
	fake_target_put_pointer(target, LIST, DOMAIN0);
	fake_target_put_pointer(target, DOMAIN0 + 16, DOMAIN1);
	fake_target_put(target, DOMAIN1, 2, 1);
	fake_target_put_pointer(target, DOMAIN1 + 8, POINTERS);
}

static void teardown(void)
{
	rbs_report_destroy(report);
	rbs_dump_deinit(&dump);
}

TestSuite(xen, .init = setup, .fini = teardown);

/* vCPU n of domain 1: it ran so long, waited 10 ns, was blocked 200 and offline 3000. */
static uint64_t vcpu_add(unsigned n, uint64_t running, uint64_t entry)
{
	uint64_t vcpu = VCPU + n * 4096;

	fake_target_put(target, DOMAIN1 + 4, 4, n + 1);
	fake_target_put_pointer(target, POINTERS + n * 8, vcpu);
	fake_target_put(target, vcpu, 4, n);
	fake_target_put(target, vcpu + 4, 4, 7);
	fake_target_put_pointer(target, vcpu + 8, DOMAIN1);
	fake_target_put(target, vcpu + 64, 4, 2);
	fake_target_put(target, vcpu + 72, 8, entry);
	fake_target_put(target, vcpu + 80, 8, running);
	fake_target_put(target, vcpu + 88, 8, 10);
	fake_target_put(target, vcpu + 96, 8, 200);
	fake_target_put(target, vcpu + 104, 8, 3000);
	return vcpu;
}

static void run(const struct fake_type *types)
{
	static const char *const families[] = {"xen"};
	const struct rbs_show_options show = {.families = families, .family_count = 1};
	struct rbs_error error = {.text = ""};

	rbs_types_add(&dump.types, fake_types_create(types, NULL));
	cr_assert_eq(rbs_session_show(&dump, &show, &report, &error), RBS_OK, "%s", error.text);
}

static const struct rbs_node *child(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; i < node->child_count; i++) {
		if (!strcmp(node->children[i]->name, name))
			return node->children[i];
	}
	cr_assert_fail("no %s", name);
	return NULL;
}

static const struct rbs_node *domain1(void)
{
	return child(report->sections[0].node, "d1");
}

static const struct rbs_node *vcpu_node(const char *name)
{
	return child(domain1(), name);
}

static void expect_no_problem(void)
{
	cr_expect_eq(report->problem_count, 0, "%s",
		     report->problem_count ? report->problems[0].text : "");
}

Test(xen, domains)
{
	fake_target_put(target, DOMAIN1 + 24, 4, 1);
	fake_target_put(target, DOMAIN1 + 28, 4, 2);
	fake_target_put(target, DOMAIN1 + 32, 1, 1);
	fake_target_put(target, DOMAIN1 + 36, 4, 3);
	fake_target_put(target, DOMAIN1 + 40, 4, 5);
	run(stock);
	expect_no_problem();
	cr_expect_eq(report->sections[0].node->child_count, 2);
	expect_text(child(report->sections[0].node, "d0"), "name", "Domain-0");
	expect_text(child(report->sections[0].node, "d0"), "type", "pv");
	expect_text(child(report->sections[0].node, "d0"), "shutdown", "no");
	expect_text(domain1(), "dying", "dying");
	expect_text(domain1(), "shutdown", "crash");
	expect_text(domain1(), "type", "hvm");
	expect_text(domain1(), "stats_table", "none");
	expect_number(domain1(), "paused", 1);
	cr_expect_null(rbs_node_find(domain1(), "name"), "only xenstore knows");
}

Test(xen, values_that_cannot_be)
{
	fake_target_put(target, DOMAIN1 + 24, 4, 3);
	fake_target_put(target, DOMAIN1 + 32, 1, 1);
	fake_target_put(target, DOMAIN1 + 36, 4, 0xffffffff);
	fake_target_put(target, vcpu_add(0, 1, 9999) + 64, 4, 4);
	run(stock);
	expect_absent(domain1(), "dying", RBS_CORRUPT);
	expect_absent(domain1(), "shutdown", RBS_CORRUPT);
	expect_absent(vcpu_node("vcpu0"), "state", RBS_CORRUPT);
}

Test(xen, runstate)
{
	fake_target_put(target, vcpu_add(0, 790, 5000) + 16, 8, 2);
	run(stock);
	expect_no_problem();
	expect_text(vcpu_node("vcpu0"), "state", "blocked");
	expect_number(vcpu_node("vcpu0"), "processor", 7);
	expect_number(vcpu_node("vcpu0"), "state_entry_time", 5000);
	expect_number(vcpu_node("vcpu0"), "time_running", 790);
	expect_number(vcpu_node("vcpu0"), "time_runnable", 10);
	expect_number(vcpu_node("vcpu0"), "time_blocked", 200);
	expect_number(vcpu_node("vcpu0"), "time_offline", 3000);
	expect_number(vcpu_node("vcpu0"), "creation_time", 1000);
	expect_number(vcpu_node("vcpu0"), "steal", 3010);
	/* 19.75, 0.25, 5 and 75 */
	expect_number(vcpu_node("vcpu0"), "percent_running", 20);
	expect_number(vcpu_node("vcpu0"), "percent_runnable", 0);
	expect_number(vcpu_node("vcpu0"), "percent_blocked", 5);
	expect_number(vcpu_node("vcpu0"), "percent_offline", 75);
	expect_number(vcpu_node("vcpu0"), "online", 0);
}

Test(xen, created_at_the_start_of_time)
{
	vcpu_add(0, 790, 4000);
	run(stock);
	expect_no_problem();
	expect_number(vcpu_node("vcpu0"), "creation_time", 0);
}

Test(xen, times_add_up_to_too_much)
{
	vcpu_add(0, 790, 3999);
	vcpu_add(1, UINT64_C(0xffffffffffffff00), 5000);
	run(stock);
	expect_problem(report, "xen/d1/vcpu0", RBS_CORRUPT, "by 1 ns");
	expect_problem(report, "xen/d1/vcpu1", RBS_CORRUPT, "add up");
	expect_absent(vcpu_node("vcpu0"), "creation_time", RBS_CORRUPT);
	expect_absent(vcpu_node("vcpu0"), "percent_running", RBS_CORRUPT);
	expect_number(vcpu_node("vcpu0"), "time_running", 790);
}

Test(xen, list_in_a_circle)
{
	vcpu_add(0, 790, 5000);
	fake_target_put_pointer(target, DOMAIN1 + 16, DOMAIN0);
	run(stock);
	expect_problem(report, "xen", RBS_CORRUPT, "circle at ffff830000010000");
	cr_expect_eq(report->sections[0].node->child_count, 2, "each domain once");
	expect_number(vcpu_node("vcpu0"), "time_running", 790);
}

Test(xen, list_into_nowhere)
{
	fake_target_put_pointer(target, DOMAIN1 + 16, 0x123000);
	run(stock);
	expect_problem(report, "xen", RBS_UNMAPPED, "breaks off");
	cr_expect_eq(report->sections[0].node->child_count, 2);
}

Test(xen, list_that_cannot_be_read)
{
	static const char *const families[] = {"xen"};
	const struct rbs_show_options show = {.families = families, .family_count = 1};
	struct rbs_error error;

	fake_target_hole(target, LIST, 8, RBS_EXCLUDED);
	rbs_types_add(&dump.types, fake_types_create(stock, NULL));
	cr_expect_eq(rbs_session_show(&dump, &show, &report, &error), RBS_EXCLUDED);
	report = NULL;
}

Test(xen, wild_vcpu_pointers_cost_their_rows)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 790, 5000);
	vcpu_add(2, 790, 5000);
	vcpu_add(3, 790, 5000);
	fake_target_put_pointer(target, POINTERS, 0xdead000);
	/* Memory that is there, but is vCPU 2; and one of another domain. */
	fake_target_put_pointer(target, POINTERS + 8, VCPU + 2 * 4096);
	fake_target_put_pointer(target, VCPU + 3 * 4096 + 8, DOMAIN0);
	run(v1);
	expect_problem(report, "xen/d1/vcpu0", RBS_UNMAPPED, "dead000");
	expect_absent(vcpu_node("vcpu0"), "state", RBS_UNMAPPED);
	expect_problem(report, "xen/d1/vcpu1", RBS_CORRUPT, "does not lead to this vCPU");
	expect_problem(report, "xen/d1/vcpu3", RBS_CORRUPT, "does not lead to this vCPU");
	expect_number(vcpu_node("vcpu2"), "time_running", 790);
}

Test(xen, vcpus_that_were_not_created)
{
	vcpu_add(1, 790, 5000);
	run(stock);
	cr_expect_eq(domain1()->child_count, 1);
	expect_number(vcpu_node("vcpu1"), "time_running", 790);
}

Test(xen, number_of_vcpus_beyond_all_limits)
{
	vcpu_add(0, 790, 5000);
	fake_target_put(target, DOMAIN1 + 4, 4, 8193);
	run(stock);
	expect_problem(report, "xen/d1", RBS_CORRUPT, "8193");
	cr_expect_eq(domain1()->child_count, 0);
}

Test(xen, pointers_that_end_in_the_middle)
{
	vcpu_add(0, 790, 5000);
	fake_target_put(target, DOMAIN1 + 4, 4, 1000); /* the page of pointers has 512 */
	run(stock);
	expect_problem(report, "xen/d1", RBS_UNMAPPED, "from 512 on");
	cr_expect_eq(report->problem_count, 1);
	expect_number(vcpu_node("vcpu0"), "time_running", 790);
}

/* -- stats_table -- */

static void table_use(void)
{
	fake_target_put_pointer(target, DOMAIN1 + 48, TABLE);
}

static void record_put(uint64_t at, uint32_t seq, uint64_t time)
{
	fake_target_put(target, at, 4, seq);
	fake_target_put(target, at + 8, 8, time);
}

static void header_put(void)
{
	table_use();
	fake_target_put(target, TABLE, 4, 0xaabbccdd);
	fake_target_put(target, TABLE + 4, 4, 128);
	fake_target_put(target, TABLE + 8, 4, 16);
	fake_target_put(target, TABLE + 12, 4, 128);
}

static void expect_table(const char *version, const char *layout, uint64_t matches)
{
	expect_text(domain1(), "stats_table", version);
	expect_text(domain1(), "table_layout", layout);
	expect_number(domain1(), "table_matches", matches);
}

Test(xen, nobody_asked_for_a_table)
{
	vcpu_add(0, 790, 5000);
	run(v3);
	expect_text(domain1(), "stats_table", "unused");
	cr_expect_null(rbs_node_find(vcpu_node("vcpu0"), "table_running_time"));
}

Test(xen, table_v0)
{
	fake_target_put_pointer(target, vcpu_add(0, 790, 5000) + 48, TABLE);
	fake_target_put_pointer(target, vcpu_add(1, 555, 5000) + 48, TABLE + 4096);
	vcpu_add(2, 1, 5000);
	fake_target_put(target, TABLE, 8, 790);
	fake_target_put(target, TABLE + 4096, 8, 555);
	run(v0);
	expect_no_problem();
	expect_table("v0", "a page of its own", 2);
	expect_number(vcpu_node("vcpu0"), "table_running_time", 790);
	expect_number(vcpu_node("vcpu1"), "table_running_time", 555);
	expect_absent(vcpu_node("vcpu2"), "table_running_time", RBS_NOT_COUNTED);
}

Test(xen, table_v1)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	vcpu_add(2, 333, 5000);
	vcpu_add(3, 444, 5000);
	table_use();
	fake_target_put(target, TABLE, 8, 790);
	fake_target_put(target, TABLE + 8, 8, 500); /* before its last slice */
	fake_target_put(target, TABLE + 24, 8, INACTIVE);
	run(v1);
	expect_no_problem();
	expect_table("v1", "8 * n", 1);
	expect_number(vcpu_node("vcpu0"), "table_running_time", 790);
	expect_number(vcpu_node("vcpu0"), "table_lag", 0);
	expect_number(vcpu_node("vcpu1"), "table_running_time", 500);
	expect_number(vcpu_node("vcpu1"), "table_lag", 55);
	expect_text(vcpu_node("vcpu2"), "table_state", "never-written");
	expect_absent(vcpu_node("vcpu2"), "table_running_time", RBS_NOT_COUNTED);
	expect_text(vcpu_node("vcpu3"), "table_state", "inactive");
	cr_expect_null(rbs_node_find(vcpu_node("vcpu0"), "table_seq"), "v1 has none");
}

Test(xen, table_v2)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	table_use();
	record_put(TABLE, 8, 790);
	record_put(TABLE + 16, 22, 555);
	run(v2);
	expect_table("v2", "16 * n", 2);
	expect_number(vcpu_node("vcpu1"), "table_running_time", 555);
	expect_number(vcpu_node("vcpu1"), "table_seq", 22);
}

/* The 257th record would be behind the only page: another page may follow, which is not the
 * table's. */
Test(xen, table_v2_with_more_vcpus_than_room)
{
	fake_target_map_zeros(target, VCPU + 255 * 4096, 2 * 4096);
	vcpu_add(0, 790, 5000);
	vcpu_add(255, 444, 5000);
	vcpu_add(256, 555, 5000);
	table_use();
	record_put(TABLE, 8, 790);
	record_put(TABLE + 255 * 16, 10, 444);
	record_put(TABLE + 256 * 16, 22, 12345);
	run(v2);
	expect_table("v2", "16 * n", 2);
	expect_number(vcpu_node("vcpu255"), "table_running_time", 444);
	expect_absent(vcpu_node("vcpu256"), "table_running_time", RBS_NOT_COUNTED);
	expect_number(vcpu_node("vcpu256"), "time_running", 555);
}

Test(xen, table_v2_scaled_twice)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	table_use();
	record_put(TABLE, 8, 790);
	record_put(TABLE + 256, 22, 555);
	run(v2);
	expect_table("v2", "256 * n (scaled twice)", 2);
	expect_number(vcpu_node("vcpu1"), "table_running_time", 555);
}

Test(xen, table_v2_in_frames)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	table_use();
	fake_target_put_pointer(target, TABLE, TABLE + 4096);
	record_put(TABLE + 4096, 8, 790);
	record_put(TABLE + 4096 + 16, 22, 555);
	run(v2);
	expect_table("v2", "16 * n in an array of frames", 2);
	expect_number(vcpu_node("vcpu0"), "table_seq", 8);
	expect_number(vcpu_node("vcpu1"), "table_running_time", 555);
}

Test(xen, table_v2_in_frames_scaled_twice)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	vcpu_add(2, 444, 5000);
	table_use();
	fake_target_put_pointer(target, TABLE, TABLE + 4096);
	record_put(TABLE + 4096, 8, 790);
	record_put(TABLE + 4096 + 256, 22, 555);
	record_put(TABLE + 4096 + 512, 24, 444);
	run(v2);
	expect_table("v2", "256 * n (scaled twice) in an array of frames", 3);
	expect_number(vcpu_node("vcpu2"), "table_seq", 24);
}

Test(xen, table_v3)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	vcpu_add(2, 333, 5000);
	vcpu_add(3, 444, 5000);
	header_put();
	record_put(TABLE + 128, 1102, 790);
	record_put(TABLE + 256, 749, 555); /* odd: being written */
	record_put(TABLE + 384, 0, INACTIVE);
	run(v3);
	expect_no_problem();
	expect_table("v3", "offset + stride * n", 1);
	expect_text(vcpu_node("vcpu0"), "table_state", "ok");
	expect_number(vcpu_node("vcpu0"), "table_running_time", 790);
	expect_number(vcpu_node("vcpu0"), "table_seq", 1102);
	expect_text(vcpu_node("vcpu1"), "table_state", "torn");
	expect_absent(vcpu_node("vcpu1"), "table_running_time", RBS_TORN);
	expect_number(vcpu_node("vcpu1"), "table_seq", 749);
	expect_text(vcpu_node("vcpu2"), "table_state", "inactive");
	expect_absent(vcpu_node("vcpu2"), "table_running_time", RBS_NOT_COUNTED);
	expect_text(vcpu_node("vcpu3"), "table_state", "never-written");
	expect_number(vcpu_node("vcpu3"), "table_seq", 0);
}

/* The branch of 2023: the record of vCPU 1 is at 128 + 16 * 128. */
Test(xen, table_v3_scaled_twice)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	header_put();
	record_put(TABLE + 128, 1102, 790);
	record_put(TABLE + 2176, 748, 555);
	run(v3);
	expect_table("v3", "offset + size * stride * n (scaled twice)", 2);
	expect_number(vcpu_node("vcpu1"), "table_running_time", 555);
	expect_number(vcpu_node("vcpu1"), "table_seq", 748);
}

/* Nothing was counted yet: what Xen declares is believed. */
Test(xen, table_without_a_match)
{
	vcpu_add(0, 790, 5000);
	header_put();
	run(v3);
	expect_table("v3", "offset + stride * n", 0);
	expect_text(vcpu_node("vcpu0"), "table_state", "never-written");
}

Test(xen, table_of_another_layout_than_declared)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	table_use();
	fake_target_put(target, TABLE, 8, 790);
	fake_target_put(target, TABLE + 8, 8, 555);
	run(v2);
	expect_table("v1", "8 * n", 2);
}

Test(xen, table_page_that_was_excluded)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	header_put();
	fake_target_hole(target, TABLE, 4096, RBS_EXCLUDED);
	run(v3);
	expect_problem(report, "xen/d1", RBS_EXCLUDED, "stats_table");
	expect_absent(domain1(), "stats_table", RBS_EXCLUDED);
	expect_absent(vcpu_node("vcpu1"), "table_running_time", RBS_EXCLUDED);
	expect_number(vcpu_node("vcpu0"), "time_running", 790);
	expect_number(vcpu_node("vcpu1"), "time_running", 555);
}

Test(xen, one_record_that_was_excluded)
{
	vcpu_add(0, 790, 5000);
	vcpu_add(1, 555, 5000);
	header_put();
	record_put(TABLE + 128, 1102, 790);
	fake_target_hole(target, TABLE + 256, 16, RBS_EXCLUDED);
	run(v3);
	expect_number(vcpu_node("vcpu0"), "table_running_time", 790);
	expect_absent(vcpu_node("vcpu1"), "table_running_time", RBS_EXCLUDED);
	expect_problem(report, "xen/d1/vcpu1", RBS_EXCLUDED, "record");
	expect_number(vcpu_node("vcpu1"), "time_running", 555);
}

Test(xen, header_that_lies)
{
	static const struct {
		unsigned at;
		uint32_t value;
	} lies[] = {{0, 0xaabbccde}, {4, 0}, {4, 0x7fffffff}, {8, 0}, {12, 0}, {12, 0xffffffff}};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		if (i) {
			teardown();
			setup();
		}
		vcpu_add(0, 790, 5000);
		header_put();
		fake_target_put(target, TABLE + lies[i].at, 4, lies[i].value);
		run(v3);
		expect_problem(report, "xen/d1", RBS_CORRUPT, "header");
		expect_absent(domain1(), "stats_table", RBS_CORRUPT);
		expect_absent(vcpu_node("vcpu0"), "table_running_time", RBS_CORRUPT);
		expect_number(vcpu_node("vcpu0"), "time_running", 790);
	}
}

Test(xen, families_of_a_kernel_are_absent)
{
	static const char *const families[] = {"ftrace", "xen"};
	const struct rbs_show_options show = {.families = families, .family_count = 2};
	struct rbs_error error;

	rbs_types_add(&dump.types, fake_types_create(stock, NULL));
	cr_assert_eq(rbs_session_show(&dump, &show, &report, &error), RBS_OK);
	cr_assert_eq(report->section_count, 2);
	cr_expect_eq(report->sections[0].status, RBS_STATUS_ABSENT);
	cr_expect_eq(report->sections[1].status, RBS_STATUS_OK);
}
