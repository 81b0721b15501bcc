/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The xen family from a running hypervisor's answers, given by hand. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "fake_target.h"
#include "lib/session.h"
#include "lib/xen_live.h"

#define TABLE UINT64_C(0x100000)

struct answers {
	struct rbs_xen_calls calls;
	struct rbs_xen_calls_domain domains[3];
	struct rbs_xen_calls_vcpu vcpus[3][4];
	struct rbs_target *table; /* of domain 1; handed over when it is opened */
	unsigned gone;		  /* this domain's vCPUs cannot be asked any more */
};

static struct answers answers;
static struct rbs_dump dump;
static struct rbs_report *report;

static enum rbs_code domain_get(struct rbs_xen_calls *calls, uint32_t from,
				struct rbs_xen_calls_domain *domain, bool *found,
				struct rbs_error *err)
{
	(void)calls;
	(void)err;
	*found = false;
	for (size_t i = 0; i < 3 && !*found; i++) {
		*found = answers.domains[i].id >= from;
		*domain = answers.domains[i];
	}
	return RBS_OK;
}

static enum rbs_code vcpu_get(struct rbs_xen_calls *calls, uint32_t domain, uint32_t vcpu,
			      struct rbs_xen_calls_vcpu *info, struct rbs_error *err)
{
	(void)calls;
	if (domain == answers.gone)
		return rbs_error_set(err, RBS_IO, "No such process");
	*info = answers.vcpus[domain == 7 ? 2 : domain][vcpu];
	return RBS_OK;
}

static enum rbs_code table_open(struct rbs_xen_calls *calls, uint32_t domain, uint32_t vcpus,
				struct rbs_xen_calls_table *table, struct rbs_error *err)
{
	(void)calls;
	(void)vcpus;
	if (domain != 1)
		return rbs_error_set(err, RBS_NO_MEMBER, "none");
	*table = (struct rbs_xen_calls_table){.target = answers.table, .va = TABLE};
	answers.table = NULL;
	return RBS_OK;
}

static void nothing_destroy(struct rbs_xen_calls *calls)
{
	(void)calls;
}

static const struct rbs_xen_calls_ops ops = {
	.domain_get = domain_get,
	.vcpu_get = vcpu_get,
	.table_open = table_open,
	.destroy = nothing_destroy,
};

static void setup(void)
{
	rbs_dump_init(&dump, fake_target_create(RBS_LITTLE_ENDIAN, 8));
	dump.is_hypervisor = true;
	dump.calls = &answers.calls;
	report = NULL;
	answers = (struct answers){
		.calls.ops = &ops,
		.gone = 99,
		.domains =
			{{.id = 0, .vcpus = 2, .name = "Domain-0"},
			 {.id = 1, .vcpus = 4, .paused = true, .tot_pages = 32769},
			 {.id = 7, .vcpus = 2, .hvm = true, .shut_down = true, .shutdown_code = 3}},
		.vcpus = {{{true, true, false, true, 16966885649, 0},
			   {true, false, false, false, 77, 1}},
			  {{true, true, false, false, 7908683837, 0},
			   {true, true, true, false, 3643355260, 1},
			   {true, false, false, false, 334289281, 0},
			   {false, false, false, false, 0, 0}},
			  {{true, true, false, false, 5, 0}, {true, true, false, false, 6, 1}}},
		.table = fake_target_create(RBS_LITTLE_ENDIAN, 8),
	};
	fake_target_map_zeros(answers.table, TABLE, 4096);
}

static void teardown(void)
{
	rbs_target_destroy(answers.table);
	rbs_report_destroy(report);
	rbs_dump_deinit(&dump);
}

TestSuite(xen_live, .init = setup, .fini = teardown);

static void run(void)
{
	const struct rbs_show_options show = {.verbose = true};
	struct rbs_error error = {.text = ""};

	cr_assert_eq(rbs_session_show(&dump, &show, &report, &error), RBS_OK, "%s", error.text);
	cr_assert_eq(report->section_count, 1);
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

static const struct rbs_node *domain(const char *name)
{
	return child(report->sections[0].node, name);
}

Test(xen_live, domains_and_vcpus)
{
	run();
	cr_expect_eq(report->sections[0].node->child_count, 3);
	cr_expect_eq(report->problem_count, 0);
	expect_text(domain("d0"), "name", "Domain-0");
	expect_text(domain("d0"), "stats_table", "none");
	expect_text(child(domain("d0"), "vcpu0"), "state", "running");
	expect_number(child(domain("d0"), "vcpu0"), "time_running", 16966885649);
	expect_text(child(domain("d0"), "vcpu1"), "state", "offline");
	expect_number(domain("d1"), "paused", 1);
	expect_number(domain("d1"), "tot_pages", 32769);
	cr_expect_eq(domain("d1")->child_count, 3, "one vCPU does not exist");
	expect_text(child(domain("d1"), "vcpu0"), "state", "offline");
	expect_text(child(domain("d1"), "vcpu1"), "state", "blocked");
	expect_number(child(domain("d1"), "vcpu1"), "processor", 1);
	expect_number(child(domain("d1"), "vcpu2"), "online", 0);
	expect_number(child(domain("d1"), "vcpu2"), "time_running", 334289281);
	cr_expect_null(rbs_node_find(child(domain("d1"), "vcpu0"), "time_blocked"),
		       "the hypervisor does not tell");
	expect_text(domain("d7"), "type", "hvm");
	expect_text(domain("d7"), "shutdown", "crash");
}

Test(xen_live, table_with_a_header)
{
	fake_target_put(answers.table, TABLE, 4, 0xaabbccdd);
	fake_target_put(answers.table, TABLE + 4, 4, 128);
	fake_target_put(answers.table, TABLE + 8, 4, 16);
	fake_target_put(answers.table, TABLE + 12, 4, 128);
	fake_target_put(answers.table, TABLE + 128, 4, 1102);
	fake_target_put(answers.table, TABLE + 136, 8, 7908683837);
	fake_target_put(answers.table, TABLE + 256, 4, 749);
	fake_target_put(answers.table, TABLE + 264, 8, 3643355260);
	fake_target_put(answers.table, TABLE + 392, 8, UINT64_C(1) << 63);
	run();
	expect_text(domain("d1"), "stats_table", "v3");
	expect_number(child(domain("d1"), "vcpu0"), "table_running_time", 7908683837);
	expect_number(child(domain("d1"), "vcpu0"), "table_seq", 1102);
	expect_text(child(domain("d1"), "vcpu1"), "table_state", "torn");
	expect_text(child(domain("d1"), "vcpu2"), "table_state", "inactive");
}

/* A record that Xen is writing, and then has written: the sequence is odd the first times. */
struct changing {
	struct rbs_target target;
	struct rbs_target *memory;
	unsigned odd;
};

static enum rbs_code changing_read(struct rbs_target *target, enum rbs_space space,
				   uint64_t address, void *buffer, size_t length,
				   struct rbs_error *err)
{
	struct changing *self = (struct changing *)target;
	enum rbs_code code = rbs_target_read(self->memory, space, address, buffer, length, err);

	if (address == TABLE + 128 && length == 4 && self->odd) {
		self->odd--;
		((uint8_t *)buffer)[0] |= 1;
	}
	return code;
}

static const char *changing_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static void changing_destroy(struct rbs_target *target)
{
	rbs_target_destroy(((struct changing *)target)->memory);
	free(target);
}

static const struct rbs_target_ops changing_ops = {
	.read = changing_read,
	.vmcoreinfo = changing_vmcoreinfo,
	.destroy = changing_destroy,
};

static void changing_run(unsigned odd)
{
	struct changing *changing = calloc(1, sizeof(*changing));

	cr_assert_not_null(changing);
	changing->target = *answers.table;
	changing->target.ops = &changing_ops;
	changing->memory = answers.table;
	changing->odd = odd;
	answers.table = &changing->target;
	fake_target_put(changing->memory, TABLE, 4, 0xaabbccdd);
	fake_target_put(changing->memory, TABLE + 4, 4, 128);
	fake_target_put(changing->memory, TABLE + 8, 4, 16);
	fake_target_put(changing->memory, TABLE + 12, 4, 128);
	fake_target_put(changing->memory, TABLE + 128, 4, 1102);
	fake_target_put(changing->memory, TABLE + 136, 8, 7908683837);
	run();
}

Test(xen_live, record_that_is_being_written)
{
	changing_run(5);
	expect_text(child(domain("d1"), "vcpu0"), "table_state", "ok");
	expect_number(child(domain("d1"), "vcpu0"), "table_seq", 1102);
	expect_number(child(domain("d1"), "vcpu0"), "table_running_time", 7908683837);
}

Test(xen_live, record_that_is_written_all_the_time)
{
	changing_run(100000);
	expect_text(child(domain("d1"), "vcpu0"), "table_state", "torn");
	expect_number(child(domain("d1"), "vcpu0"), "table_seq", 1103);
}

Test(xen_live, table_of_plain_numbers)
{
	fake_target_put(answers.table, TABLE, 8, 7908683837);
	fake_target_put(answers.table, TABLE + 8, 8, 3643355260);
	run();
	expect_text(domain("d1"), "stats_table", "v1");
	expect_number(child(domain("d1"), "vcpu1"), "table_running_time", 3643355260);
	expect_text(child(domain("d1"), "vcpu2"), "table_state", "never-written");
}

/* Nothing tells which layout it is: that is said, and no number made up. */
Test(xen_live, table_that_nothing_fits)
{
	fake_target_put(answers.table, TABLE, 8, 12345);
	run();
	cr_expect_neq(rbs_node_find(domain("d1"), "stats_table")->code, RBS_OK);
	expect_number(child(domain("d1"), "vcpu0"), "time_running", 7908683837);
}

Test(xen_live, one_domain)
{
	answers.calls.has_domain = true;
	answers.calls.domain = 7;
	run();
	cr_expect_eq(report->sections[0].node->child_count, 1);
	expect_number(child(domain("d7"), "vcpu1"), "time_running", 6);
}

Test(xen_live, domain_that_is_not_there)
{
	const struct rbs_show_options show = {.verbose = true};
	struct rbs_error error;

	answers.calls.has_domain = true;
	answers.calls.domain = 3;
	cr_expect_eq(rbs_session_show(&dump, &show, &report, &error), RBS_USAGE);
	cr_expect_str_eq(error.text, "there is no domain 3");
	report = NULL;
}

Test(xen_live, domain_that_goes_meanwhile)
{
	answers.gone = 1;
	run();
	cr_expect_eq(report->problem_count, 1);
	cr_expect_str_eq(report->problems[0].subject, "xen/d1");
	expect_number(child(domain("d7"), "vcpu0"), "time_running", 5);
}

/* Tests do not run in dom0. */
Test(xen_live, no_hypervisor_here)
{
	const struct rbs_xen_live_options options = {.has_domain = false};
	struct rbs_dump live;
	struct rbs_error error;

	if (rbs_xen_live_open(&live, &options, &error) == RBS_OK) {
		rbs_dump_deinit(&live);
		return;
	}
	cr_expect_eq(error.code, RBS_UNSUPPORTED);
	cr_expect_not_null(strstr(error.text, "Xen"));
}
