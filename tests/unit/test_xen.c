/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The xen family on a hypervisor's memory that is written out by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "xen_image.h"

TestSuite(xen, .init = xen_image_setup, .fini = xen_image_teardown);

Test(xen, domains)
{
	fake_target_put(xen_target, DOMAIN1 + 24, 4, 1);
	fake_target_put(xen_target, DOMAIN1 + 28, 4, 2);
	fake_target_put(xen_target, DOMAIN1 + 32, 1, 1);
	fake_target_put(xen_target, DOMAIN1 + 36, 4, 3);
	fake_target_put(xen_target, DOMAIN1 + 40, 4, 5);
	xen_run(xen_types_stock);
	xen_expect_no_problem();
	cr_expect_eq(xen_report->sections[0].node->child_count, 2);
	expect_text(xen_child(xen_report->sections[0].node, "d0"), "name", "Domain-0");
	expect_text(xen_child(xen_report->sections[0].node, "d0"), "type", "pv");
	expect_text(xen_child(xen_report->sections[0].node, "d0"), "shutdown", "no");
	expect_text(xen_domain1(), "dying", "dying");
	expect_text(xen_domain1(), "shutdown", "crash");
	expect_text(xen_domain1(), "type", "hvm");
	expect_text(xen_domain1(), "stats_table", "none");
	expect_number(xen_domain1(), "paused", 1);
	cr_expect_null(rbs_node_find(xen_domain1(), "name"), "only xenstore knows");
}

Test(xen, values_that_cannot_be)
{
	fake_target_put(xen_target, DOMAIN1 + 24, 4, 3);
	fake_target_put(xen_target, DOMAIN1 + 32, 1, 1);
	fake_target_put(xen_target, DOMAIN1 + 36, 4, 0xffffffff);
	fake_target_put(xen_target, xen_vcpu_add(0, 1, 9999) + 64, 4, 4);
	xen_run(xen_types_stock);
	expect_absent(xen_domain1(), "dying", RBS_CORRUPT);
	expect_absent(xen_domain1(), "shutdown", RBS_CORRUPT);
	expect_absent(xen_vcpu_node("vcpu0"), "state", RBS_CORRUPT);
}

Test(xen, runstate)
{
	fake_target_put(xen_target, xen_vcpu_add(0, 790, 5000) + 16, 8, 2);
	xen_run(xen_types_stock);
	xen_expect_no_problem();
	expect_text(xen_vcpu_node("vcpu0"), "state", "blocked");
	expect_number(xen_vcpu_node("vcpu0"), "processor", 7);
	expect_number(xen_vcpu_node("vcpu0"), "state_entry_time", 5000);
	expect_number(xen_vcpu_node("vcpu0"), "time_running", 790);
	expect_number(xen_vcpu_node("vcpu0"), "time_runnable", 10);
	expect_number(xen_vcpu_node("vcpu0"), "time_blocked", 200);
	expect_number(xen_vcpu_node("vcpu0"), "time_offline", 3000);
	expect_number(xen_vcpu_node("vcpu0"), "creation_time", 1000);
	expect_number(xen_vcpu_node("vcpu0"), "steal", 3010);
	/* 19.75, 0.25, 5 and 75 */
	expect_number(xen_vcpu_node("vcpu0"), "percent_running", 20);
	expect_number(xen_vcpu_node("vcpu0"), "percent_runnable", 0);
	expect_number(xen_vcpu_node("vcpu0"), "percent_blocked", 5);
	expect_number(xen_vcpu_node("vcpu0"), "percent_offline", 75);
	expect_number(xen_vcpu_node("vcpu0"), "online", 0);
}

Test(xen, created_at_the_start_of_time)
{
	xen_vcpu_add(0, 790, 4000);
	xen_run(xen_types_stock);
	xen_expect_no_problem();
	expect_number(xen_vcpu_node("vcpu0"), "creation_time", 0);
}

Test(xen, times_add_up_to_too_much)
{
	xen_vcpu_add(0, 790, 3999);
	xen_vcpu_add(1, UINT64_C(0xffffffffffffff00), 5000);
	xen_run(xen_types_stock);
	expect_problem(xen_report, "xen/d1/vcpu0", RBS_CORRUPT, "by 1 ns");
	expect_problem(xen_report, "xen/d1/vcpu1", RBS_CORRUPT, "add up");
	expect_absent(xen_vcpu_node("vcpu0"), "creation_time", RBS_CORRUPT);
	expect_absent(xen_vcpu_node("vcpu0"), "percent_running", RBS_CORRUPT);
	expect_number(xen_vcpu_node("vcpu0"), "time_running", 790);
}

Test(xen, list_in_a_circle)
{
	xen_vcpu_add(0, 790, 5000);
	fake_target_put_pointer(xen_target, DOMAIN1 + 16, DOMAIN0);
	xen_run(xen_types_stock);
	expect_problem(xen_report, "xen", RBS_CORRUPT, "circle at ffff830000010000");
	cr_expect_eq(xen_report->sections[0].node->child_count, 2, "each domain once");
	expect_number(xen_vcpu_node("vcpu0"), "time_running", 790);
}

Test(xen, list_into_nowhere)
{
	fake_target_put_pointer(xen_target, DOMAIN1 + 16, 0x123000);
	xen_run(xen_types_stock);
	expect_problem(xen_report, "xen", RBS_UNMAPPED, "breaks off");
	cr_expect_eq(xen_report->sections[0].node->child_count, 2);
}

Test(xen, list_that_cannot_be_read)
{
	static const char *const families[] = {"xen"};
	const struct rbs_show_options show = {.families = families, .family_count = 1};
	struct rbs_error error;

	fake_target_hole(xen_target, LIST, 8, RBS_EXCLUDED);
	rbs_types_add(&xen_dump.types, fake_types_create(xen_types_stock, NULL));
	cr_expect_eq(rbs_session_show(&xen_dump, &show, &xen_report, &error), RBS_EXCLUDED);
	xen_report = NULL;
}

Test(xen, wild_vcpu_pointers_cost_their_rows)
{
	xen_vcpu_add(0, 790, 5000);
	xen_vcpu_add(1, 790, 5000);
	xen_vcpu_add(2, 790, 5000);
	xen_vcpu_add(3, 790, 5000);
	fake_target_put_pointer(xen_target, POINTERS, 0xdead000);
	/* Memory that is there, but is vCPU 2; and one of another domain. */
	fake_target_put_pointer(xen_target, POINTERS + 8, VCPU + 2 * 4096);
	fake_target_put_pointer(xen_target, VCPU + 3 * 4096 + 8, DOMAIN0);
	xen_run(xen_types_v1);
	expect_problem(xen_report, "xen/d1/vcpu0", RBS_UNMAPPED, "dead000");
	expect_absent(xen_vcpu_node("vcpu0"), "state", RBS_UNMAPPED);
	expect_problem(xen_report, "xen/d1/vcpu1", RBS_CORRUPT, "does not lead to this vCPU");
	expect_problem(xen_report, "xen/d1/vcpu3", RBS_CORRUPT, "does not lead to this vCPU");
	expect_number(xen_vcpu_node("vcpu2"), "time_running", 790);
}

Test(xen, vcpus_that_were_not_created)
{
	xen_vcpu_add(1, 790, 5000);
	xen_run(xen_types_stock);
	cr_expect_eq(xen_domain1()->child_count, 1);
	expect_number(xen_vcpu_node("vcpu1"), "time_running", 790);
}

Test(xen, number_of_vcpus_beyond_all_limits)
{
	xen_vcpu_add(0, 790, 5000);
	fake_target_put(xen_target, DOMAIN1 + 4, 4, 8193);
	xen_run(xen_types_stock);
	expect_problem(xen_report, "xen/d1", RBS_CORRUPT, "8193");
	cr_expect_eq(xen_domain1()->child_count, 0);
}

Test(xen, pointers_that_end_in_the_middle)
{
	xen_vcpu_add(0, 790, 5000);
	fake_target_put(xen_target, DOMAIN1 + 4, 4, 1000); /* the page of pointers has 512 */
	xen_run(xen_types_stock);
	expect_problem(xen_report, "xen/d1", RBS_UNMAPPED, "from 512 on");
	cr_expect_eq(xen_report->problem_count, 1);
	expect_number(xen_vcpu_node("vcpu0"), "time_running", 790);
}

Test(xen, families_of_a_kernel_are_absent)
{
	static const char *const families[] = {"ftrace", "xen"};
	const struct rbs_show_options show = {.families = families, .family_count = 2};
	struct rbs_error error;

	rbs_types_add(&xen_dump.types, fake_types_create(xen_types_stock, NULL));
	cr_assert_eq(rbs_session_show(&xen_dump, &show, &xen_report, &error), RBS_OK);
	cr_assert_eq(xen_report->section_count, 2);
	cr_expect_eq(xen_report->sections[0].status, RBS_STATUS_ABSENT);
	cr_expect_eq(xen_report->sections[1].status, RBS_STATUS_OK);
}
