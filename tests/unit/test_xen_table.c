/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Xen's stats_table: each of its kinds, and tables that are none. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "xen_image.h"

TestSuite(xen_table, .init = xen_image_setup, .fini = xen_image_teardown);

static void table_use(void)
{
	fake_target_put_pointer(xen_target, DOMAIN1 + 48, TABLE);
}

static void record_put(uint64_t at, uint32_t seq, uint64_t time)
{
	fake_target_put(xen_target, at, 4, seq);
	fake_target_put(xen_target, at + 8, 8, time);
}

static void header_put(void)
{
	table_use();
	fake_target_put(xen_target, TABLE, 4, 0xaabbccdd);
	fake_target_put(xen_target, TABLE + 4, 4, 128);
	fake_target_put(xen_target, TABLE + 8, 4, 16);
	fake_target_put(xen_target, TABLE + 12, 4, 128);
}

static void expect_table(const char *version, const char *layout, uint64_t matches)
{
	expect_text(xen_domain1(), "stats_table", version);
	expect_text(xen_domain1(), "table_layout", layout);
	expect_number(xen_domain1(), "table_matches", matches);
}

Test(xen_table, nobody_asked_for_a_table)
{
	xen_vcpu_add(0, 790, 5000);
	xen_run(xen_types_v3);
	expect_text(xen_domain1(), "stats_table", "unused");
	cr_expect_null(rbs_node_find(xen_vcpu_node("vcpu0"), "table_running_time"));
}

Test(xen_table, table_v0)
{
	fake_target_put_pointer(xen_target, xen_vcpu_add(0, 790, 5000) + 48, TABLE);
	fake_target_put_pointer(xen_target, xen_vcpu_add(1, 555, 5000) + 48, TABLE + 4096);
	xen_vcpu_add(2, 1, 5000);
	fake_target_put(xen_target, TABLE, 8, 790);
	fake_target_put(xen_target, TABLE + 4096, 8, 555);
	xen_run(xen_types_v0);
	xen_expect_no_problem();
	expect_table("v0", "a page of its own", 2);
	expect_number(xen_vcpu_node("vcpu0"), "table_running_time", 790);
	expect_number(xen_vcpu_node("vcpu1"), "table_running_time", 555);
	expect_absent(xen_vcpu_node("vcpu2"), "table_running_time", RBS_NOT_COUNTED);
}

Test(xen_table, table_v1)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	xen_vcpu_add(2, 333, 5000);
	xen_vcpu_add(3, 444, 5000);
	table_use();
	fake_target_put(xen_target, TABLE, 8, 790);
	fake_target_put(xen_target, TABLE + 8, 8, 500); /* before its last slice */
	fake_target_put(xen_target, TABLE + 24, 8, INACTIVE);
	xen_run(xen_types_v1);
	xen_expect_no_problem();
	expect_table("v1", "8 * n", 1);
	expect_number(xen_vcpu_node("vcpu0"), "table_running_time", 790);
	expect_number(xen_vcpu_node("vcpu0"), "table_lag", 0);
	expect_number(xen_vcpu_node("vcpu1"), "table_running_time", 500);
	expect_number(xen_vcpu_node("vcpu1"), "table_lag", 55);
	expect_text(xen_vcpu_node("vcpu2"), "table_state", "never-written");
	expect_absent(xen_vcpu_node("vcpu2"), "table_running_time", RBS_NOT_COUNTED);
	expect_text(xen_vcpu_node("vcpu3"), "table_state", "inactive");
	cr_expect_null(rbs_node_find(xen_vcpu_node("vcpu0"), "table_seq"), "v1 has none");
}

Test(xen_table, table_v2)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	table_use();
	record_put(TABLE, 8, 790);
	record_put(TABLE + 16, 22, 555);
	xen_run(xen_types_v2);
	expect_table("v2", "16 * n", 2);
	expect_number(xen_vcpu_node("vcpu1"), "table_running_time", 555);
	expect_number(xen_vcpu_node("vcpu1"), "table_seq", 22);
}

/* The 257th record would be behind the only page: another page may follow, which is not the
 * table's. */
Test(xen_table, table_v2_with_more_vcpus_than_room)
{
	fake_target_map_zeros(xen_target, VCPU + 255 * 4096, 2 * 4096);
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(255, 444, 5000);
	xen_vcpu_add(256, 555, 5000);
	table_use();
	record_put(TABLE, 8, 790);
	record_put(TABLE + 255 * 16, 10, 444);
	record_put(TABLE + 256 * 16, 22, 12345);
	xen_run(xen_types_v2);
	expect_table("v2", "16 * n", 2);
	expect_number(xen_vcpu_node("vcpu255"), "table_running_time", 444);
	expect_absent(xen_vcpu_node("vcpu256"), "table_running_time", RBS_NOT_COUNTED);
	expect_number(xen_vcpu_node("vcpu256"), "time_running", 555);
}

Test(xen_table, table_v2_scaled_twice)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	table_use();
	record_put(TABLE, 8, 790);
	record_put(TABLE + 256, 22, 555);
	xen_run(xen_types_v2);
	expect_table("v2", "256 * n (scaled twice)", 2);
	expect_number(xen_vcpu_node("vcpu1"), "table_running_time", 555);
}

Test(xen_table, table_v2_in_frames)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	table_use();
	fake_target_put_pointer(xen_target, TABLE, TABLE + 4096);
	record_put(TABLE + 4096, 8, 790);
	record_put(TABLE + 4096 + 16, 22, 555);
	xen_run(xen_types_v2);
	expect_table("v2", "16 * n in an array of frames", 2);
	expect_number(xen_vcpu_node("vcpu0"), "table_seq", 8);
	expect_number(xen_vcpu_node("vcpu1"), "table_running_time", 555);
}

Test(xen_table, table_v2_in_frames_scaled_twice)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	xen_vcpu_add(2, 444, 5000);
	table_use();
	fake_target_put_pointer(xen_target, TABLE, TABLE + 4096);
	record_put(TABLE + 4096, 8, 790);
	record_put(TABLE + 4096 + 256, 22, 555);
	record_put(TABLE + 4096 + 512, 24, 444);
	xen_run(xen_types_v2);
	expect_table("v2", "256 * n (scaled twice) in an array of frames", 3);
	expect_number(xen_vcpu_node("vcpu2"), "table_seq", 24);
}

Test(xen_table, table_v3)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	xen_vcpu_add(2, 333, 5000);
	xen_vcpu_add(3, 444, 5000);
	header_put();
	record_put(TABLE + 128, 1102, 790);
	record_put(TABLE + 256, 749, 555); /* odd: being written */
	record_put(TABLE + 384, 0, INACTIVE);
	xen_run(xen_types_v3);
	xen_expect_no_problem();
	expect_table("v3", "offset + stride * n", 1);
	expect_text(xen_vcpu_node("vcpu0"), "table_state", "ok");
	expect_number(xen_vcpu_node("vcpu0"), "table_running_time", 790);
	expect_number(xen_vcpu_node("vcpu0"), "table_seq", 1102);
	expect_text(xen_vcpu_node("vcpu1"), "table_state", "torn");
	expect_absent(xen_vcpu_node("vcpu1"), "table_running_time", RBS_TORN);
	expect_number(xen_vcpu_node("vcpu1"), "table_seq", 749);
	expect_text(xen_vcpu_node("vcpu2"), "table_state", "inactive");
	expect_absent(xen_vcpu_node("vcpu2"), "table_running_time", RBS_NOT_COUNTED);
	expect_text(xen_vcpu_node("vcpu3"), "table_state", "never-written");
	expect_number(xen_vcpu_node("vcpu3"), "table_seq", 0);
}

/* The branch of 2023: the record of vCPU 1 is at 128 + 16 * 128. */
Test(xen_table, table_v3_scaled_twice)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	header_put();
	record_put(TABLE + 128, 1102, 790);
	record_put(TABLE + 2176, 748, 555);
	xen_run(xen_types_v3);
	expect_table("v3", "offset + size * stride * n (scaled twice)", 2);
	expect_number(xen_vcpu_node("vcpu1"), "table_running_time", 555);
	expect_number(xen_vcpu_node("vcpu1"), "table_seq", 748);
}

/* Nothing was counted yet: what Xen declares is believed. */
Test(xen_table, table_without_a_match)
{
	xen_vcpu_add(0, 790, 5000);
	header_put();
	xen_run(xen_types_v3);
	expect_table("v3", "offset + stride * n", 0);
	expect_text(xen_vcpu_node("vcpu0"), "table_state", "never-written");
}

Test(xen_table, table_of_another_layout_than_declared)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	table_use();
	fake_target_put(xen_target, TABLE, 8, 790);
	fake_target_put(xen_target, TABLE + 8, 8, 555);
	xen_run(xen_types_v2);
	expect_table("v1", "8 * n", 2);
}

Test(xen_table, table_page_that_was_excluded)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	header_put();
	fake_target_hole(xen_target, TABLE, 4096, RBS_EXCLUDED);
	xen_run(xen_types_v3);
	expect_problem(xen_report, "xen/d1", RBS_EXCLUDED, "stats_table");
	expect_absent(xen_domain1(), "stats_table", RBS_EXCLUDED);
	expect_absent(xen_vcpu_node("vcpu1"), "table_running_time", RBS_EXCLUDED);
	expect_number(xen_vcpu_node("vcpu0"), "time_running", 790);
	expect_number(xen_vcpu_node("vcpu1"), "time_running", 555);
}

Test(xen_table, one_record_that_was_excluded)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 555, 5000);
	header_put();
	record_put(TABLE + 128, 1102, 790);
	fake_target_hole(xen_target, TABLE + 256, 16, RBS_EXCLUDED);
	xen_run(xen_types_v3);
	expect_number(xen_vcpu_node("vcpu0"), "table_running_time", 790);
	expect_absent(xen_vcpu_node("vcpu1"), "table_running_time", RBS_EXCLUDED);
	expect_problem(xen_report, "xen/d1/vcpu1", RBS_EXCLUDED, "record");
	expect_number(xen_vcpu_node("vcpu1"), "time_running", 555);
}

Test(xen_table, header_that_lies)
{
	static const struct {
		unsigned at;
		uint32_t value;
	} lies[] = {{0, 0xaabbccde}, {4, 0}, {4, 0x7fffffff}, {8, 0}, {12, 0}, {12, 0xffffffff}};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		if (i) {
			xen_image_teardown();
			xen_image_setup();
		}
		xen_vcpu_add(0, 790, 5000);
		header_put();
		fake_target_put(xen_target, TABLE + lies[i].at, 4, lies[i].value);
		xen_run(xen_types_v3);
		expect_problem(xen_report, "xen/d1", RBS_CORRUPT, "header");
		expect_absent(xen_domain1(), "stats_table", RBS_CORRUPT);
		expect_absent(xen_vcpu_node("vcpu0"), "table_running_time", RBS_CORRUPT);
		expect_number(xen_vcpu_node("vcpu0"), "time_running", 790);
	}
}
