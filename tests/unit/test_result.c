/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/result.h"

static const struct rbs_desc descs[] = {
	{.name = "state", .level = RBS_LEVEL_CHANNEL, .format = RBS_FORMAT_TEXT},
	{.name = "count", .level = RBS_LEVEL_CHANNEL, .format = RBS_FORMAT_DECIMAL},
};

static const struct rbs_family family = {.name = "rings", .descs = descs, .desc_count = 2};

static struct rbs_report *report_create(struct rbs_section **section)
{
	static const struct rbs_target_info info = {.path = "some/dump", .word_size = 8};
	struct rbs_report *report = rbs_report_create(&info);

	cr_assert_not_null(report);
	*section = rbs_report_add_section(report, &family);
	cr_assert_not_null(*section);
	return report;
}

Test(result, sections)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);

	cr_expect_str_eq(report->dump.path, "some/dump");
	cr_expect_eq(report->section_count, 1);
	cr_expect_eq(section->status, RBS_STATUS_OK);
	cr_expect_str_eq(section->node->name, "rings");
	cr_expect_eq(section->node->level, RBS_LEVEL_SECTION);
	cr_expect_null(section->node->parent);
	rbs_report_destroy(report);
	rbs_report_destroy(NULL);
}

Test(result, paths)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "%s%d", "dev", 0);
	struct rbs_node *channel = rbs_node_add(device, RBS_LEVEL_CHANNEL, "%u", 3u);
	struct rbs_node *slot = rbs_node_add(channel, RBS_LEVEL_SLOT, "17");
	char path[64], little[12];

	cr_expect_str_eq(rbs_node_path(section->node, path, sizeof(path)), "rings");
	cr_expect_str_eq(rbs_node_path(device, path, sizeof(path)), "rings/dev0");
	cr_expect_str_eq(rbs_node_path(slot, path, sizeof(path)), "rings/dev0/3/17");
	/* cut to the room, and terminated */
	cr_expect_str_eq(rbs_node_path(slot, little, sizeof(little)), "rings/dev0/");
	cr_expect_str_eq(rbs_node_path(slot, little, 1), "");
	cr_expect_eq(slot->level, RBS_LEVEL_SLOT);
	cr_expect_eq(channel->children[0], slot);
	rbs_report_destroy(report);
}

Test(result, fields)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "dev0");
	const struct rbs_field *field;
	char text[] = "running";

	rbs_node_set_text(device, &descs[0], text);
	rbs_node_set(device, &descs[1],
		     (struct rbs_value){.code = RBS_OK, .number = (uint64_t)-5, .is_signed = true});
	text[0] = 'X'; /* the field has its own copy */
	field = rbs_node_find(device, "state");
	cr_assert_not_null(field);
	cr_expect_str_eq(field->text, "running");
	cr_expect_eq(field->code, RBS_OK);
	field = rbs_node_find(device, "count");
	cr_assert_not_null(field);
	cr_expect_eq((int64_t)field->number, -5);
	cr_expect(field->is_signed);
	cr_expect_null(rbs_node_find(device, "nothing"));
	rbs_report_destroy(report);
}

Test(result, absent_fields)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "dev0");

	rbs_node_set_absent(device, &descs[0], RBS_EXCLUDED);
	rbs_node_set(device, &descs[1], rbs_value_absent(RBS_NOT_COUNTED));
	cr_expect_eq(rbs_node_find(device, "state")->code, RBS_EXCLUDED);
	cr_expect_eq(rbs_node_find(device, "count")->code, RBS_NOT_COUNTED);
	rbs_report_destroy(report);
}

/* Probes may go on with what could not be made. */
Test(result, nothing_where_there_is_no_node)
{
	cr_expect_null(rbs_node_add(NULL, RBS_LEVEL_DEVICE, "dev0"));
	rbs_node_set_number(NULL, &descs[1], 1);
	rbs_node_set_text(NULL, &descs[0], "text");
	rbs_node_set_absent(NULL, &descs[0], RBS_EXCLUDED);
}

Test(result, problems)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "dev0");
	struct rbs_error error;

	rbs_error_set_at(&error, RBS_EXCLUDED, 0x1000, "the page of %x was excluded", 0x1000);
	rbs_report_add_problem(report, device, &error);
	rbs_error_set(&error, RBS_LIMIT, "too many");
	rbs_report_add_problem(report, NULL, &error);
	cr_assert_eq(report->problem_count, 2);
	cr_expect_str_eq(report->problems[0].subject, "rings/dev0");
	cr_expect_str_eq(report->problems[0].text, "the page of 1000 was excluded");
	cr_expect_eq(report->problems[0].code, RBS_EXCLUDED);
	cr_expect(report->problems[0].has_address);
	cr_expect_eq(report->problems[0].address, 0x1000);
	cr_expect_str_eq(report->problems[1].subject, "dump");
	cr_expect_not(report->problems[1].has_address);
	rbs_report_destroy(report);
}

/* Many of everything, and names longer than a node keeps. */
Test(result, grows)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);
	char name[1000];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (unsigned i = 0; i < 1000; i++) {
		struct rbs_node *device =
			rbs_node_add(section->node, RBS_LEVEL_DEVICE, "%u%s", i, name);

		for (unsigned k = 0; k < 50; k++)
			rbs_node_set_number(device, &descs[1], k);
	}
	cr_expect_eq(report->code, RBS_OK);
	cr_expect_eq(section->node->child_count, 1000);
	cr_expect_eq(section->node->children[999]->field_count, 50);
	cr_expect_eq(strlen(section->node->children[999]->name), 255);
	rbs_report_destroy(report);
}

Test(result, nodes_can_be_taken_out)
{
	struct rbs_section *section;
	struct rbs_report *report = report_create(&section);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "dev0");
	struct rbs_node *channel = rbs_node_add(device, RBS_LEVEL_CHANNEL, "0");

	rbs_node_add(channel, RBS_LEVEL_SLOT, "0");
	rbs_node_add(channel, RBS_LEVEL_SLOT, "1");
	rbs_node_add(device, RBS_LEVEL_CHANNEL, "1");
	rbs_node_set_text(channel, &descs[0], "text");
	section->node->child_count = 0;
	rbs_node_destroy(device);
	rbs_report_destroy(report);
}

Test(result, words)
{
	enum rbs_code code = RBS_OK;

	cr_expect_str_eq(rbs_status_name(RBS_STATUS_OK), "ok");
	cr_expect_str_eq(rbs_status_name(RBS_STATUS_PARTIAL), "partial");
	cr_expect_str_eq(rbs_status_name(RBS_STATUS_ABSENT), "absent");
	cr_expect_str_eq(rbs_status_name(RBS_STATUS_FAILED), "failed");
	cr_expect_str_eq(rbs_code_name(RBS_EXCLUDED), "excluded");
	cr_expect_str_eq(rbs_code_name(RBS_UNMAPPED), "unmapped");
	cr_expect_str_eq(rbs_code_name(RBS_TRUNCATED), "truncated");
	cr_expect_str_eq(rbs_code_name(RBS_NO_MEMBER), "no-such-member");
	cr_expect_str_eq(rbs_code_name(RBS_NOT_COUNTED), "not-counted");
	cr_expect_str_eq(rbs_code_name(RBS_TORN), "torn");
	cr_expect_str_eq(rbs_code_name(RBS_CORRUPT), "corrupt");
	cr_expect_str_eq(rbs_code_name(RBS_NO_TYPES), "no-types");
	cr_expect_str_eq(rbs_code_name((enum rbs_code)1000), "unknown");
	cr_expect(rbs_code_parse("torn", &code));
	cr_expect_eq(code, RBS_TORN);
	cr_expect_not(rbs_code_parse("", &code));
	cr_expect_not(rbs_code_parse("Torn", &code));
}

Test(result, error_texts)
{
	struct rbs_error error;
	char *longest = error.text;

	cr_expect_eq(rbs_error_set(NULL, RBS_IO, "%s", "nobody listens"), RBS_IO);
	rbs_error_set(&error, RBS_IO, "reading %d", 7);
	cr_expect_eq(rbs_error_prefix(&error, "dump %s", "a"), RBS_IO);
	cr_expect_str_eq(error.text, "dump a: reading 7");
	for (int i = 0; i < 100; i++)
		rbs_error_prefix(&error, "prefix number %d", i);
	cr_expect_eq(strlen(longest), 511);
	cr_expect_eq(strncmp(error.text, "prefix number 99: prefix number 98: ", 36), 0);
	cr_expect_eq(error.code, RBS_IO);
}
