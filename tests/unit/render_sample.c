/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "render_sample.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

const struct rbs_desc sample_descs[DESC_COUNT] = {
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

const struct rbs_family sample_family = {
	.name = "rings",
	.title = "rings for tests",
	.group = RBS_LEVEL_DEVICE,
	.row = RBS_LEVEL_CHANNEL,
	.group_noun = "device",
	.row_noun = "ring",
	.name_header = {[RBS_LEVEL_CHANNEL] = "Q", [RBS_LEVEL_SLOT] = "HEAD"},
	.descs = sample_descs,
	.desc_count = DESC_COUNT,
};

const struct rbs_target_info sample_info = {
	.path = "some/dump",
	.format = "elf",
	.arch = "x86_64",
	.release = "6.1.0-test",
	.word_size = 8,
	.page_size = 4096,
};

struct rbs_node *sample_channel_add(struct rbs_node *device, const char *name, const char *title,
				    uint64_t count)
{
	struct rbs_node *channel = rbs_node_add(device, RBS_LEVEL_CHANNEL, "%s", name);

	rbs_node_set_text(channel, &sample_descs[NAME], title);
	rbs_node_set_number(channel, &sample_descs[COUNT], count);
	rbs_node_set_number(channel, &sample_descs[BROKEN], 0);
	return channel;
}

char *rendered(rbs_render_fn *render, const struct rbs_report *report, bool verbose)
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

void expect_rendered(rbs_render_fn *render, struct rbs_report *report, bool verbose,
		     const char *expected)
{
	char *text = rendered(render, report, verbose);

	cr_expect_str_eq(text, expected);
	free(text);
	rbs_report_destroy(report);
}
