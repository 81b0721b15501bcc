/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/render.h"
#include "lib/render/table.h"

enum {
	TYPE,
	FEATURES,
	FAILED,
	NAME,
	ADDRESS,
	COUNT,
	DEBT,
	RARE,
	BYTES,
	BROKEN,
	DETAIL,
	STATE,
	LENGTH,
	DESC_COUNT,
};

static const struct rbs_desc descs[DESC_COUNT] = {
	[TYPE] = {.name = "type", .level = RBS_LEVEL_DEVICE, .place = RBS_PLACE_TITLE},
	[FEATURES] = {.name = "features",
		      .level = RBS_LEVEL_DEVICE,
		      .format = RBS_FORMAT_HEX,
		      .place = RBS_PLACE_TITLE},
	[FAILED] = {.name = "failed",
		    .level = RBS_LEVEL_DEVICE,
		    .format = RBS_FORMAT_BOOL,
		    .place = RBS_PLACE_VERBOSE},
	[NAME] = {.name = "name",
		  .header = "NAME",
		  .level = RBS_LEVEL_CHANNEL,
		  .place = RBS_PLACE_COLUMN},
	[ADDRESS] = {.name = "address",
		     .header = "ADDRESS",
		     .level = RBS_LEVEL_CHANNEL,
		     .format = RBS_FORMAT_ADDRESS,
		     .place = RBS_PLACE_COLUMN},
	[COUNT] = {.name = "count",
		   .header = "COUNT",
		   .level = RBS_LEVEL_CHANNEL,
		   .format = RBS_FORMAT_DECIMAL,
		   .place = RBS_PLACE_COLUMN,
		   .metric = true},
	[DEBT] = {.name = "debt",
		  .header = "DEBT",
		  .level = RBS_LEVEL_CHANNEL,
		  .format = RBS_FORMAT_DECIMAL,
		  .place = RBS_PLACE_COLUMN,
		  .metric = true},
	[RARE] = {.name = "rare",
		  .header = "RARE",
		  .level = RBS_LEVEL_CHANNEL,
		  .format = RBS_FORMAT_DECIMAL,
		  .place = RBS_PLACE_COLUMN_IF,
		  .metric = true},
	[BYTES] = {.name = "bytes",
		   .level = RBS_LEVEL_CHANNEL,
		   .format = RBS_FORMAT_DECIMAL,
		   .place = RBS_PLACE_COUNTER,
		   .metric = true},
	[BROKEN] = {.name = "broken",
		    .header = "BRK",
		    .level = RBS_LEVEL_CHANNEL,
		    .format = RBS_FORMAT_BOOL,
		    .place = RBS_PLACE_COLUMN},
	[DETAIL] = {.name = "detail",
		    .level = RBS_LEVEL_CHANNEL,
		    .format = RBS_FORMAT_HEX,
		    .place = RBS_PLACE_VERBOSE},
	[STATE] = {.name = "state",
		   .header = "STATE",
		   .level = RBS_LEVEL_SLOT,
		   .place = RBS_PLACE_COLUMN},
	[LENGTH] = {.name = "length",
		    .header = "LENGTH",
		    .level = RBS_LEVEL_SLOT,
		    .format = RBS_FORMAT_DECIMAL,
		    .place = RBS_PLACE_COLUMN,
		    .metric = true},
};

static const struct rbs_family family = {
	.name = "rings",
	.title = "rings for tests",
	.group = RBS_LEVEL_DEVICE,
	.row = RBS_LEVEL_CHANNEL,
	.group_noun = "device",
	.row_noun = "ring",
	.name_header = {[RBS_LEVEL_CHANNEL] = "Q", [RBS_LEVEL_SLOT] = "HEAD"},
	.descs = descs,
	.desc_count = DESC_COUNT,
};

static const struct rbs_target_info info = {
	.path = "some/dump",
	.format = "elf",
	.arch = "x86_64",
	.release = "6.1.0-test",
	.word_size = 8,
	.page_size = 4096,
};

static struct rbs_node *channel_add(struct rbs_node *device, const char *name, const char *title,
				    uint64_t count)
{
	struct rbs_node *channel = rbs_node_add(device, RBS_LEVEL_CHANNEL, "%s", name);

	rbs_node_set_text(channel, &descs[NAME], title);
	rbs_node_set_number(channel, &descs[COUNT], count);
	rbs_node_set_number(channel, &descs[BROKEN], 0);
	return channel;
}

/* One device with a busy ring, one whose figures are missing, and one never used. */
static struct rbs_report *report_create(void)
{
	struct rbs_report *report = rbs_report_create(&info);
	struct rbs_section *section = rbs_report_add_section(report, &family);
	struct rbs_node *device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "dev0");
	struct rbs_node *channel, *slot;
	struct rbs_error error;

	section->types = "btf";
	section->status = RBS_STATUS_PARTIAL;
	rbs_node_set_text(device, &descs[TYPE], "net");
	rbs_node_set_number(device, &descs[FEATURES], UINT64_C(0x10130efffa7));
	rbs_node_set_number(device, &descs[FAILED], 0);

	channel = channel_add(device, "0", "input", UINT64_MAX);
	rbs_node_set_number(channel, &descs[ADDRESS], UINT64_C(0xffff888000001000));
	rbs_node_set(channel, &descs[DEBT],
		     (struct rbs_value){.code = RBS_OK, .number = (uint64_t)-5, .is_signed = true});
	rbs_node_set_number(channel, &descs[RARE], 0);
	rbs_node_set_number(channel, &descs[BYTES], 123456);
	rbs_node_set_number(channel, &descs[DETAIL], 255);
	slot = rbs_node_add(channel, RBS_LEVEL_SLOT, "17");
	rbs_node_set_text(slot, &descs[STATE], "device");
	rbs_node_set_number(slot, &descs[LENGTH], 4096);

	channel = rbs_node_add(device, RBS_LEVEL_CHANNEL, "1");
	rbs_node_set_text(channel, &descs[NAME], "out");
	rbs_node_set_absent(channel, &descs[ADDRESS], RBS_NO_MEMBER);
	rbs_node_set_absent(channel, &descs[COUNT], RBS_EXCLUDED);
	rbs_node_set_absent(channel, &descs[DEBT], RBS_TORN);
	rbs_node_set_number(channel, &descs[BROKEN], 1);

	channel = channel_add(device, "2", "idle", 0);
	channel->idle = true;

	rbs_error_set_at(&error, RBS_EXCLUDED, 0x1000, "the page of 1000 was excluded");
	rbs_report_add_problem(report, device->children[1], &error);
	cr_assert_eq(report->code, RBS_OK);
	return report;
}

static char *rendered(rbs_render_fn *render, const struct rbs_report *report, bool verbose)
{
	const struct rbs_render_options options = {
		.tool = "rbstats", .version = "1.2.3", .verbose = verbose};
	struct rbs_error error;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_assert_not_null(out);
	cr_assert_eq(render(report, &options, out, &error), RBS_OK);
	fclose(out);
	return text;
}

static void expect_rendered(rbs_render_fn *render, struct rbs_report *report, bool verbose,
			    const char *expected)
{
	char *text = rendered(render, report, verbose);

	cr_expect_str_eq(text, expected);
	free(text);
	rbs_report_destroy(report);
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
	struct rbs_report *report = rbs_report_create(&info);
	struct rbs_section *section = rbs_report_add_section(report, &family);

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

/* Everything that comes out of a dump may be hostile. */
static struct rbs_report *hostile_report(void)
{
	struct rbs_target_info hostile = info;
	struct rbs_report *report;
	struct rbs_section *section;
	struct rbs_node *device, *channel, *slot;
	struct rbs_error error;

	snprintf(hostile.path, sizeof(hostile.path), "a\x1b[31m\nb");
	snprintf(hostile.release, sizeof(hostile.release), "6\x1b]0;x\x07");
	report = rbs_report_create(&hostile);
	section = rbs_report_add_section(report, &family);
	section->status = RBS_STATUS_PARTIAL;
	snprintf(section->reason, sizeof(section->reason), "\x1b[2J");
	snprintf(section->remark, sizeof(section->remark), "version 2\x1b[8m");
	device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "d\x1b[1m\nx=1");
	rbs_node_set_text(device, &descs[TYPE], "t\x1b[2m\x9b\xff");
	channel = channel_add(device, "c\x1b[3m\n", "n\x1b[4m\r\t", 1);
	slot = rbs_node_add(channel, RBS_LEVEL_SLOT, "s\x1b[5m");
	rbs_node_set_text(slot, &descs[STATE], "\x1b[6m\xe2\x80\xae");
	rbs_error_set(&error, RBS_CORRUPT, "problem \x1b[7m\nof %s", "\xc2\x9b");
	rbs_report_add_problem(report, channel, &error);
	return report;
}

static void expect_harmless(rbs_render_fn *render)
{
	struct rbs_report *report = hostile_report();
	char *text = rendered(render, report, true);

	for (const char *at = text; *at; at++)
		cr_expect((unsigned char)*at >= ' ' || *at == '\n', "byte %02x at %td of %s",
			  (unsigned char)*at, at - text, text);
	cr_expect_null(strstr(text, "\xff"));
	cr_expect_null(strstr(text, "\xc2\x9b"));
	cr_expect_null(strstr(text, "\xe2\x80\xae"));
	cr_expect(strstr(text, "x1b[1m"), "%s", text);
	free(text);
	rbs_report_destroy(report);
}

Test(render, hostile_text)
{
	expect_harmless(rbs_render_text);
}

Test(render, hostile_flat)
{
	expect_harmless(rbs_render_flat);
}

Test(render, hostile_json)
{
	expect_harmless(rbs_render_json);
}

/* A name cannot add a line of its own, nor end the path that it is part of. */
Test(render, hostile_flat_lines)
{
	expect_rendered(rbs_render_flat, hostile_report(), false,
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/broken=no\n"
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/count=1\n"
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/name=n\\x1b[4m\\x0d\\x09\n"
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/s\\x1b[5m/state="
			"\\x1b[6m\\xe2\\x80\\xae\n"
			"rings/d\\x1b[1m\\x0ax=1/type=t\\x1b[2m\\x9b\\xff\n");
}

Test(render, found_by_name)
{
	cr_expect_eq(rbs_render_find("text"), rbs_render_text);
	cr_expect_eq(rbs_render_find("json"), rbs_render_json);
	cr_expect_eq(rbs_render_find("flat"), rbs_render_flat);
	cr_expect_null(rbs_render_find(""));
	cr_expect_null(rbs_render_find("tex"));
}

static void expect_table(struct rbs_table *table, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	cr_expect(rbs_table_print(table, "> ", out));
	fclose(out);
	cr_expect_str_eq(text, expected);
	free(text);
	rbs_table_deinit(table);
}

Test(render, tables)
{
	struct rbs_table table;

	rbs_table_init(&table);
	expect_table(&table, "");
	rbs_table_add_column(&table, "NAME", true);
	expect_table(&table, "");
	rbs_table_add_column(&table, "NAME", true);
	rbs_table_add_column(&table, "N", false);
	rbs_table_add_column(&table, "LAST", true);
	rbs_table_add_cell(&table, "a");
	rbs_table_add_cell(&table, "1000");
	rbs_table_add_cell(&table, "x");
	rbs_table_add_cell(&table, "caf\xc3\xa9s");
	rbs_table_add_cell(&table, "7");
	rbs_table_add_cell(&table, "");
	/* a row that is not complete is not printed */
	rbs_table_add_cell(&table, "half");
	expect_table(&table, "> NAME     N LAST\n"
			     "> a     1000 x\n"
			     "> caf\xc3\xa9s    7\n");
}
