/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of groups, whose members are as many as the machine has. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lib/result.h"

static const struct rbs_desc numbered = {.name = "rx*_hw_packets", .metric = true};
static const struct rbs_desc named = {.name = "draft_key_*", .metric = true};
static const struct rbs_desc single = {.name = "rx_packets", .metric = true};

Test(group, names)
{
	const char *text;
	size_t length;

	cr_expect(rbs_desc_names(&numbered, "rx12_hw_packets", &text, &length));
	cr_expect_eq(length, 2);
	cr_expect_eq(strncmp(text, "12_hw", 5), 0);
	/* The sum over all. */
	cr_expect(rbs_desc_names(&numbered, "rx_hw_packets", &text, &length));
	cr_expect_eq(length, 0);
	/* explain takes the name of the group too. */
	cr_expect(rbs_desc_names(&numbered, "rx*_hw_packets", NULL, NULL));
	cr_expect_not(rbs_desc_names(&numbered, "rx0_hw_bytes", NULL, NULL));
	cr_expect_not(rbs_desc_names(&numbered, "rx0_hw_gso_hw_packets", NULL, NULL));
	cr_expect_not(rbs_desc_names(&numbered, "rx", NULL, NULL));
	cr_expect_not(rbs_desc_names(&numbered, "", NULL, NULL));
	cr_expect(rbs_desc_names(&named, "draft_key_anything.goes", &text, &length));
	cr_expect_str_eq(text, "anything.goes");
	cr_expect(rbs_desc_names(&single, "rx_packets", NULL, NULL));
	cr_expect_not(rbs_desc_names(&single, "rx0_packets", NULL, NULL));
}

Test(group, members)
{
	static const struct rbs_target_info info = {.arch = "x86_64"};
	struct rbs_report *report = rbs_report_create(&info);

	cr_assert(report);
	for (unsigned i = 0; i < 100; i++) {
		char number[8], expected[32];
		const struct rbs_desc *member;

		snprintf(number, sizeof(number), "%u", i);
		snprintf(expected, sizeof(expected), "rx%u_hw_packets", i);
		member = rbs_report_member(report, &numbered, number);
		cr_assert(member);
		cr_expect_str_eq(member->name, expected);
		cr_expect(member->member);
		cr_expect(member->metric);
	}
	cr_expect_str_eq(rbs_report_member(report, &named, "x")->name, "draft_key_x");
	rbs_report_destroy(report);
}
