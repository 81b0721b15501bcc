/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the renderers print of a result. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_sample.h"

/* One device with a busy ring, one whose figures are missing, and one never used. */
static struct rbs_report *report_create(void)
{
	struct rbs_report *report = rbs_report_create(&sample_info);
	struct rbs_section *section = rbs_report_add_section(report, &sample_family);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "dev0");
	struct rbs_node *channel, *slot;
	struct rbs_error error;

	section->types = "btf";
	section->status = RBS_STATUS_PARTIAL;
	rbs_node_set_text(device, &sample_descs[TYPE], "net");
	rbs_node_set_number(device, &sample_descs[FEATURES], UINT64_C(0x10130efffa7));
	rbs_node_set_number(device, &sample_descs[FAILED], 0);

	channel = sample_channel_add(device, "0", "input", UINT64_MAX);
	rbs_node_set_number(channel, &sample_descs[ADDRESS], UINT64_C(0xffff888000001000));
	rbs_node_set(channel, &sample_descs[DEBT],
		     (struct rbs_value){.code = RBS_OK, .number = (uint64_t)-5, .is_signed = true});
	rbs_node_set_number(channel, &sample_descs[RARE], 0);
	rbs_node_set_number(channel, &sample_descs[BYTES], 123456);
	rbs_node_set_number(channel, &sample_descs[DETAIL], 255);
	slot = rbs_node_add(channel, RBS_LEVEL_SLOT, "17");
	rbs_node_set_text(slot, &sample_descs[STATE], "device");
	rbs_node_set_number(slot, &sample_descs[LENGTH], 4096);

	channel = rbs_node_add(device, RBS_LEVEL_CHANNEL, "1");
	rbs_node_set_text(channel, &sample_descs[NAME], "out");
	rbs_node_set_absent(channel, &sample_descs[ADDRESS], RBS_NO_MEMBER);
	rbs_node_set_absent(channel, &sample_descs[COUNT], RBS_EXCLUDED);
	rbs_node_set_absent(channel, &sample_descs[DEBT], RBS_TORN);
	rbs_node_set_number(channel, &sample_descs[BROKEN], 1);

	channel = sample_channel_add(device, "2", "idle", 0);
	channel->idle = true;

	rbs_error_set_at(&error, RBS_EXCLUDED, 0x1000, "the page of 1000 was excluded");
	rbs_report_add_problem(report, device->children[1], &error);
	cr_assert_eq(report->code, RBS_OK);
	return report;
}

Test(render, text)
{
	expect_rendered(rbs_render_text, report_create(), false,
			"some/dump  6.1.0-test  x86_64  elf\n"
			"\n"
			"RINGS  1 device, 3 rings  (types: btf)  PARTIAL: see PROBLEMS\n"
			"\n"
			"dev0  net  features 10130efffa7\n"
			"  Q NAME           ADDRESS                COUNT DEBT BRK\n"
			"  0 input ffff888000001000 18446744073709551615   -5  no\n"
			"  1 out                n/a                 excl torn yes\n"
			"  1 of 3 rings never used: not shown (-v shows them)\n"
			"  Q  BYTES\n"
			"  0 123456\n"
			"\n"
			"  rings/dev0/0\n"
			"    HEAD STATE  LENGTH\n"
			"      17 device   4096\n"
			"\n"
			"PROBLEMS\n"
			"  rings/dev0/1: the page of 1000 was excluded\n"
			"\n"
			"excl: page excluded from the dump; n/a: this kernel has no such member; "
			"torn: caught in the middle of an update\n");
}

Test(render, text_verbose)
{
	expect_rendered(rbs_render_text, report_create(), true,
			"some/dump  6.1.0-test  x86_64  elf\n"
			"\n"
			"RINGS  1 device, 3 rings  (types: btf)  PARTIAL: see PROBLEMS\n"
			"\n"
			"dev0  net  features 10130efffa7  failed no\n"
			"  Q NAME           ADDRESS                COUNT DEBT BRK\n"
			"  0 input ffff888000001000 18446744073709551615   -5  no\n"
			"  1 out                n/a                 excl torn yes\n"
			"  2 idle                 -                    0    -  no\n"
			"  Q  BYTES\n"
			"  0 123456\n"
			"  Q DETAIL\n"
			"  0     ff\n"
			"\n"
			"  rings/dev0/0\n"
			"    HEAD STATE  LENGTH\n"
			"      17 device   4096\n"
			"\n"
			"PROBLEMS\n"
			"  rings/dev0/1: the page of 1000 was excluded\n"
			"\n"
			"excl: page excluded from the dump; n/a: this kernel has no such member; "
			"torn: caught in the middle of an update\n");
}

Test(render, flat)
{
	expect_rendered(rbs_render_flat, report_create(), false,
			"rings/dev0/0/17/length=4096\n"
			"rings/dev0/0/17/state=device\n"
			"rings/dev0/0/address=ffff888000001000\n"
			"rings/dev0/0/broken=no\n"
			"rings/dev0/0/bytes=123456\n"
			"rings/dev0/0/count=18446744073709551615\n"
			"rings/dev0/0/debt=-5\n"
			"rings/dev0/0/detail=ff\n"
			"rings/dev0/0/name=input\n"
			"rings/dev0/0/rare=0\n"
			"rings/dev0/1/address=null (no-such-member)\n"
			"rings/dev0/1/broken=yes\n"
			"rings/dev0/1/count=null (excluded)\n"
			"rings/dev0/1/debt=null (torn)\n"
			"rings/dev0/1/name=out\n"
			"rings/dev0/2/broken=no\n"
			"rings/dev0/2/count=0\n"
			"rings/dev0/2/name=idle\n"
			"rings/dev0/failed=no\n"
			"rings/dev0/features=10130efffa7\n"
			"rings/dev0/type=net\n");
}

static void expect_holds(const char *text, const char *part)
{
	cr_expect(strstr(text, part), "no %s in %s", part, text);
}

/* Blanks between tokens are json-c's own affair. */
static char *without_blanks(char *text)
{
	char *to = text;
	bool quoted = false;

	for (char *from = text; *from; from++) {
		quoted ^= *from == '"' && (from == text || from[-1] != '\\');
		if (quoted || (*from != ' ' && *from != '\n' && *from != '\t'))
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

Test(render, json)
{
	struct rbs_report *report = report_create();
	char *text = without_blanks(rendered(rbs_render_json, report, false));

	expect_holds(text, "\"schema\":\"rbstats/1\"");
	expect_holds(text, "\"tool\":{\"name\":\"rbstats\",\"version\":\"1.2.3\"}");
	expect_holds(text, "\"dump\":{\"path\":\"some/dump\",\"format\":\"elf\",\"kernel_release\":"
			   "\"6.1.0-test\",\"arch\":\"x86_64\",\"byte_order\":\"little\","
			   "\"word_size\":8,\"page_size\":4096");
	expect_holds(text, "{\"family\":\"rings\",\"status\":\"partial\",\"types\":\"btf\","
			   "\"devices\":[{\"name\":\"dev0\",");
	expect_holds(text, "\"attributes\":{\"type\":\"net\",\"features\":\"0x10130efffa7\","
			   "\"failed\":false},\"channels\":[");
	/* exact: more than a double, and less than nothing */
	expect_holds(text, "\"count\":18446744073709551615");
	expect_holds(text, "\"debt\":-5");
	expect_holds(text, "\"address\":\"0xffff888000001000\"");
	expect_holds(text, "{\"name\":\"17\",\"attributes\":{\"state\":\"device\"},\"metrics\":{"
			   "\"length\":4096}}");
	expect_holds(text,
		     "{\"name\":\"1\",\"attributes\":{\"name\":\"out\",\"address\":null,"
		     "\"broken\":true},\"metrics\":{\"count\":null,\"debt\":null},\"absent\":{"
		     "\"address\":\"no-such-member\",\"count\":\"excluded\",\"debt\":\"torn\"}}");
	expect_holds(text, "{\"subject\":\"rings/dev0/1\",\"code\":\"excluded\",\"reason\":"
			   "\"the page of 1000 was excluded\",\"address\":\"0x1000\"}");
	free(text);
	rbs_report_destroy(report);
}

static struct rbs_report *section_report(enum rbs_status status, const char *reason)
{
	struct rbs_report *report = rbs_report_create(&sample_info);
	struct rbs_section *section = rbs_report_add_section(report, &sample_family);

	section->status = status;
	snprintf(section->reason, sizeof(section->reason), "%s", reason);
	return report;
}

Test(render, absent_and_failed_sections)
{
	struct rbs_report *report;
	char *text;

	expect_rendered(rbs_render_text, section_report(RBS_STATUS_FAILED, "no types: \x1b[2J"),
			false,
			"some/dump  6.1.0-test  x86_64  elf\n"
			"\n"
			"RINGS  failed: no types: \\x1b[2J\n");
	expect_rendered(rbs_render_text, section_report(RBS_STATUS_ABSENT, "no such bus"), true,
			"some/dump  6.1.0-test  x86_64  elf\n"
			"\n"
			"RINGS  absent: no such bus\n");
	expect_rendered(rbs_render_flat, section_report(RBS_STATUS_ABSENT, "no such bus"), false,
			"");
	report = section_report(RBS_STATUS_ABSENT, "no such bus");
	text = without_blanks(rendered(rbs_render_json, report, false));
	expect_holds(text, "{\"family\":\"rings\",\"status\":\"absent\",\"reason\":\"no such bus\","
			   "\"devices\":[]}");
	free(text);
	rbs_report_destroy(report);
}

Test(render, nothing_found)
{
	expect_rendered(rbs_render_text, section_report(RBS_STATUS_OK, ""), false,
			"some/dump  6.1.0-test  x86_64  elf\n"
			"\n"
			"RINGS  0 devices, 0 rings\n");
}

/* Only a page size that is not the usual one is worth a word. */
Test(render, page_size)
{
	static const struct {
		uint64_t page_size;
		const char *wanted;
	} cases[] = {
		{0, "aarch64"},
		{4096, "aarch64"},
		{16384, "aarch64 (pages of 16 KiB)"},
		{512, "aarch64 (pages of 512 bytes)"},
	};
	char text[RBS_RENDER_MACHINE_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rbs_target_info other = {.arch = "aarch64", .page_size = cases[i].page_size};
		struct rbs_report *report = rbs_report_create(&other);

		cr_expect_str_eq(rbs_render_machine(report, text, sizeof(text)), cases[i].wanted);
		rbs_report_destroy(report);
	}
}

Test(render, found_by_name)
{
	cr_expect_eq(rbs_render_find("text"), rbs_render_text);
	cr_expect_eq(rbs_render_find("json"), rbs_render_json);
	cr_expect_eq(rbs_render_find("flat"), rbs_render_flat);
	cr_expect_null(rbs_render_find(""));
	cr_expect_null(rbs_render_find("tex"));
}
