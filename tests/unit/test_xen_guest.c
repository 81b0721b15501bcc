/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The xen-guest family on a kernel's memory that is written out by hand: one CPU, one vCPU. */
#include <criterion/criterion.h>
#include <string.h>

#include "expect.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/session.h"

#define DATA UINT64_C(0xffffffff82000000)
#define DOMAIN_TYPE DATA
#define START_FLAGS (DATA + 4)
#define SHARED (DATA + 8)
#define EVENTS (DATA + 16)
#define VCPU (DATA + 24)
#define RUNSTATE (DATA + 64)
#define OWN_INFO (DATA + 256)
#define OLD_TIMES (DATA + 512)
#define RUN_QUEUE (DATA + 1024)
#define DUMMY (DATA + 0x2000)
#define OPS_2L (DATA + 0x3000)
#define PAGE UINT64_C(0xffffffffff57c000)
#define UPDATE (UINT64_C(1) << 63)

#define NUMBER(at, bytes)                                                                          \
	{                                                                                          \
		.offset = (at), .size = (bytes), .count = 1, .element_size = (bytes)               \
	}

static const struct fake_type types[] = {
	{NULL, "vcpu_runstate_info", "state", NUMBER(0, 4)},
	{NULL, "vcpu_runstate_info", "state_entry_time", NUMBER(8, 8)},
	{NULL,
	 "vcpu_runstate_info",
	 "time",
	 {.offset = 16, .size = 32, .count = 4, .element_size = 8, .kind = RBS_KIND_ARRAY}},
	{NULL, "vcpu_info", "evtchn_upcall_pending", NUMBER(0, 1)},
	{NULL, "vcpu_info", "evtchn_upcall_mask", NUMBER(1, 1)},
	{NULL, "vcpu_info", "evtchn_pending_sel", NUMBER(8, 8)},
	{NULL, "rq", "prev_steal_time", NUMBER(24, 8)},
	{NULL, NULL, NULL, NUMBER(0, 0)},
};

static const struct fake_symbol symbols[] = {
	{NULL, "xen_domain_type", DOMAIN_TYPE},
	{NULL, "xen_start_flags", START_FLAGS},
	{NULL, "HYPERVISOR_shared_info", SHARED},
	{NULL, "xen_dummy_shared_info", DUMMY},
	{NULL, "evtchn_ops", EVENTS},
	{NULL, "evtchn_ops_2l", OPS_2L},
	{NULL, "xen_vcpu", VCPU},
	{NULL, "xen_vcpu_info", OWN_INFO},
	{NULL, "xen_runstate", RUNSTATE},
	{NULL, "old_runstate_time", OLD_TIMES},
	{NULL, "runqueues", RUN_QUEUE},
	{NULL, NULL, 0},
};

static const struct fake_symbol no_xen[] = {{NULL, "jiffies", DATA}, {NULL, NULL, 0}};

static struct rbs_target *target;
static struct rbs_dump dump;
static struct rbs_report *report;

static void setup(void)
{
	target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	rbs_dump_init(&dump, target);
	rbs_types_add(&dump.types, fake_types_create(types, NULL));
	report = NULL;
	fake_target_map_zeros(target, DATA, 0x4000);
	fake_target_map_zeros(target, PAGE, 4096);
	fake_target_put(target, DOMAIN_TYPE, 4, 1);
	fake_target_put(target, START_FLAGS, 4, 3);
	fake_target_put_pointer(target, SHARED, PAGE);
	fake_target_put_pointer(target, EVENTS, OPS_2L);
	fake_target_put_pointer(target, VCPU, OWN_INFO);
	fake_target_put(target, OWN_INFO, 1, 1);
	fake_target_put(target, OWN_INFO + 8, 8, 0x21);
	fake_target_put(target, RUNSTATE, 4, 1);
	fake_target_put(target, RUNSTATE + 8, 8, 10000);
	fake_target_put(target, RUNSTATE + 16, 8, 1000);
	fake_target_put(target, RUNSTATE + 24, 8, 300);
	fake_target_put(target, RUNSTATE + 32, 8, 2600);
	fake_target_put(target, RUNSTATE + 40, 8, 100);
}

static void teardown(void)
{
	rbs_report_destroy(report);
	rbs_dump_deinit(&dump);
}

TestSuite(xen_guest, .init = setup, .fini = teardown);

static const struct rbs_section *run(const struct fake_symbol *known)
{
	static const char *const families[] = {"xen-guest"};
	const struct rbs_show_options show = {.families = families, .family_count = 1};
	struct rbs_error error = {.text = ""};

	rbs_symbols_add(&dump.symbols, fake_symbols_create(known));
	cr_assert_eq(rbs_session_show(&dump, &show, &report, &error), RBS_OK, "%s", error.text);
	return &report->sections[0];
}

static const struct rbs_node *guest(void)
{
	return report->sections[0].node->children[0];
}

static const struct rbs_node *vcpu(void)
{
	cr_assert_eq(guest()->child_count, 1);
	cr_expect_str_eq(guest()->children[0]->name, "vcpu0");
	return guest()->children[0];
}

Test(xen_guest, runstate_and_events)
{
	run(symbols);
	cr_expect_eq(report->problem_count, 0);
	expect_text(guest(), "type", "pv");
	expect_number(guest(), "initial_domain", 1);
	expect_text(guest(), "shared_info", "mapped");
	expect_text(guest(), "event_channels", "2l");
	expect_text(vcpu(), "state", "runnable");
	expect_number(vcpu(), "state_entry_time", 10000);
	expect_number(vcpu(), "time_running", 1000);
	expect_number(vcpu(), "time_runnable", 300);
	expect_number(vcpu(), "time_blocked", 2600);
	expect_number(vcpu(), "time_offline", 100);
	expect_number(vcpu(), "steal", 400);
	expect_number(vcpu(), "creation_time", 6000);
	expect_number(vcpu(), "percent_running", 25);
	expect_text(vcpu(), "vcpu_info", "registered");
	expect_number(vcpu(), "upcall_pending", 1);
	expect_number(vcpu(), "upcall_mask", 0);
	expect_number(vcpu(), "pending_sel", 0x21);
}

/* What the vCPU had waited on the host that it came from counts on. */
Test(xen_guest, steal_after_a_migration)
{
	fake_target_put(target, OLD_TIMES + 8, 8, 5000);
	fake_target_put(target, OLD_TIMES + 16, 8, 1 << 20);
	fake_target_put(target, OLD_TIMES + 24, 8, 700);
	fake_target_put(target, RUN_QUEUE + 24, 8, 6099);
	run(symbols);
	expect_number(vcpu(), "time_runnable", 300);
	expect_number(vcpu(), "steal", 300 + 100 + 5000 + 700);
	expect_number(vcpu(), "steal_counted", 6099);
}

Test(xen_guest, old_times_that_were_excluded)
{
	fake_target_hole(target, OLD_TIMES, 32, RBS_EXCLUDED);
	run(symbols);
	expect_number(vcpu(), "time_runnable", 300);
	expect_absent(vcpu(), "steal", RBS_EXCLUDED);
}

Test(xen_guest, update_under_way)
{
	fake_target_put(target, RUNSTATE + 8, 8, UPDATE | 10000);
	run(symbols);
	cr_expect_eq(report->problem_count, 1);
	cr_expect_eq(report->problems[0].code, RBS_TORN);
	expect_absent(vcpu(), "state", RBS_TORN);
	expect_absent(vcpu(), "time_running", RBS_TORN);
	expect_absent(vcpu(), "steal", RBS_TORN);
}

Test(xen_guest, never_registered)
{
	for (unsigned i = 0; i < 48; i += 8)
		fake_target_put(target, RUNSTATE + i, 8, 0);
	run(symbols);
	cr_expect_eq(report->problem_count, 0);
	expect_text(vcpu(), "state", "unregistered");
	expect_absent(vcpu(), "time_running", RBS_NOT_COUNTED);
	expect_absent(vcpu(), "state_entry_time", RBS_NOT_COUNTED);
}

Test(xen_guest, times_add_up_to_too_much)
{
	fake_target_put(target, RUNSTATE + 8, 8, 3999);
	run(symbols);
	cr_expect_eq(report->problem_count, 1);
	expect_absent(vcpu(), "creation_time", RBS_CORRUPT);
	expect_number(vcpu(), "time_running", 1000);
}

Test(xen_guest, runstate_that_was_excluded)
{
	fake_target_hole(target, RUNSTATE, 48, RBS_EXCLUDED);
	run(symbols);
	expect_absent(vcpu(), "state", RBS_EXCLUDED);
	expect_absent(vcpu(), "time_offline", RBS_EXCLUDED);
	expect_text(vcpu(), "vcpu_info", "registered");
}

Test(xen_guest, states_that_are_none)
{
	fake_target_put(target, DOMAIN_TYPE, 4, 9);
	fake_target_put(target, RUNSTATE, 4, 4);
	fake_target_put_pointer(target, EVENTS, DATA);
	run(symbols);
	expect_absent(guest(), "type", RBS_CORRUPT);
	expect_absent(guest(), "event_channels", RBS_CORRUPT);
	expect_absent(vcpu(), "state", RBS_CORRUPT);
	expect_number(vcpu(), "time_running", 1000);
}

Test(xen_guest, shared_info_that_is_not_set_up)
{
	fake_target_put(target, DOMAIN_TYPE, 4, 2);
	fake_target_put(target, START_FLAGS, 4, 0);
	fake_target_put_pointer(target, SHARED, DUMMY);
	fake_target_put_pointer(target, VCPU, 0);
	run(symbols);
	expect_text(guest(), "type", "hvm");
	expect_number(guest(), "initial_domain", 0);
	expect_text(guest(), "shared_info", "dummy");
	expect_text(vcpu(), "vcpu_info", "none");
	cr_expect_null(rbs_node_find(vcpu(), "upcall_pending"));
}

/* The page is Xen's: a dump of the guest alone may lack it. */
Test(xen_guest, shared_info_that_cannot_be_read)
{
	fake_target_hole(target, PAGE, 4096, RBS_EXCLUDED);
	fake_target_put_pointer(target, VCPU, PAGE + 64);
	run(symbols);
	cr_expect_eq(report->problem_count, 0);
	expect_text(guest(), "shared_info", "unreadable");
	expect_text(vcpu(), "vcpu_info", "unreadable");
	expect_absent(vcpu(), "upcall_pending", RBS_EXCLUDED);
	expect_number(vcpu(), "time_running", 1000);
}

Test(xen_guest, vcpu_info_elsewhere)
{
	fake_target_put_pointer(target, VCPU, PAGE + 64);
	run(symbols);
	expect_text(vcpu(), "vcpu_info", "shared");
}

Test(xen_guest, not_on_xen)
{
	fake_target_put(target, DOMAIN_TYPE, 4, 0);
	cr_expect_eq(run(symbols)->status, RBS_STATUS_ABSENT);
	cr_expect_not_null(strstr(report->sections[0].reason, "xen_domain_type is 0"));
}

Test(xen_guest, built_without_xen)
{
	cr_expect_eq(run(no_xen)->status, RBS_STATUS_ABSENT);
	cr_expect_not_null(strstr(report->sections[0].reason, "no symbol xen_domain_type"));
}
