/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings of a dump that mean harm, in what the renderers print. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render_sample.h"

/* Everything that comes out of a dump may be hostile. */
static struct rbs_report *hostile_report(void)
{
	struct rbs_target_info hostile = sample_info;
	struct rbs_report *report;
	struct rbs_section *section;
	struct rbs_node *device, *channel, *slot;
	struct rbs_error error;

	snprintf(hostile.path, sizeof(hostile.path), "a\x1b[31m\nb");
	snprintf(hostile.release, sizeof(hostile.release), "6\x1b]0;x\x07");
	report = rbs_report_create(&hostile);
	section = rbs_report_add_section(report, &sample_family);
	section->status = RBS_STATUS_PARTIAL;
	snprintf(section->reason, sizeof(section->reason), "\x1b[2J");
	snprintf(section->remark, sizeof(section->remark), "version 2\x1b[8m");
	device = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "d\x1b[1m\nx=1");
	rbs_node_set_text(device, &sample_descs[TYPE], "t\x1b[2m\x9b\xff");
	channel = sample_channel_add(device, "c\x1b[3m\n", "n\x1b[4m\r\t", 1);
	slot = rbs_node_add(channel, RBS_LEVEL_SLOT, "s\x1b[5m");
	rbs_node_set_text(slot, &sample_descs[STATE], "\x1b[6m\xe2\x80\xae");
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

Test(render_hostile, text)
{
	expect_harmless(rbs_render_text);
}

Test(render_hostile, flat)
{
	expect_harmless(rbs_render_flat);
}

Test(render_hostile, json)
{
	expect_harmless(rbs_render_json);
}

/* A name cannot add a line of its own, nor end the path that it is part of. */
Test(render_hostile, flat_lines)
{
	expect_rendered(rbs_render_flat, hostile_report(), false,
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/broken=no\n"
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/count=1\n"
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/name=n\\x1b[4m\\x0d\\x09\n"
			"rings/d\\x1b[1m\\x0ax=1/c\\x1b[3m\\x0a/s\\x1b[5m/state="
			"\\x1b[6m\\xe2\\x80\\xae\n"
			"rings/d\\x1b[1m\\x0ax=1/type=t\\x1b[2m\\x9b\\xff\n");
}
