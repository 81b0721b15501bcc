/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lib/command.h"
#include "lib/probe.h"

#define ARGUMENTS 32

/* Cut a command line at its blanks; getopt moves the words about. */
struct line {
	char text[256];
	char *words[ARGUMENTS];
	int count;
	struct rbs_command command;
	struct rbs_error error;
};

static enum rbs_code parse(struct line *line, const char *text)
{
	char *rest, *word;

	snprintf(line->text, sizeof(line->text), "%s", text);
	line->count = 0;
	for (word = strtok_r(line->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		cr_assert_lt(line->count, ARGUMENTS - 1);
		line->words[line->count++] = word;
	}
	line->words[line->count] = NULL;
	return rbs_command_parse(&line->command, line->count, line->words, rbs_render_text,
				 &line->error);
}

Test(command, nothing)
{
	struct line line;

	cr_assert_eq(parse(&line, "show"), RBS_OK);
	cr_expect_eq(line.command.operand_count, 0);
	cr_expect_eq(line.command.show.family_count, 0);
	cr_expect_null(line.command.show.device);
	cr_expect_not(line.command.show.verbose);
	cr_expect_eq(line.command.render, rbs_render_text);
	cr_expect_null(line.command.output);
	cr_expect_null(line.command.session.symbols_file);
	cr_expect_eq(line.command.session.debuginfo_count, 0);
	rbs_command_deinit(&line.command);
}

Test(command, everything)
{
	struct line line;

	cr_assert_eq(parse(&line, "show -v -f virtio -d virtio* -F json -o out.json --debuginfo a "
				  "--debuginfo=b --symbols map dump vmlinux"),
		     RBS_OK, "%s", line.error.text);
	cr_assert_eq(line.command.operand_count, 2);
	cr_expect_str_eq(line.command.operands[0], "dump");
	cr_expect_str_eq(line.command.operands[1], "vmlinux");
	cr_assert_eq(line.command.show.family_count, 1);
	cr_expect_str_eq(line.command.show.families[0], "virtio");
	cr_expect_str_eq(line.command.show.device, "virtio*");
	cr_expect(line.command.show.verbose);
	cr_expect_eq(line.command.render, rbs_render_json);
	cr_expect_str_eq(line.command.output, "out.json");
	cr_expect_str_eq(line.command.session.symbols_file, "map");
	cr_assert_eq(line.command.session.debuginfo_count, 2);
	cr_expect_str_eq(line.command.session.debuginfo[0], "a");
	cr_expect_str_eq(line.command.session.debuginfo[1], "b");
	rbs_command_deinit(&line.command);
}

Test(command, words_and_order)
{
	struct line line;

	cr_assert_eq(parse(&line, "show dump --family=virtio --format flat vmlinux --verbose"),
		     RBS_OK);
	cr_assert_eq(line.command.operand_count, 2);
	cr_expect_str_eq(line.command.operands[0], "dump");
	cr_expect_eq(line.command.render, rbs_render_flat);
	cr_expect(line.command.show.verbose);
	rbs_command_deinit(&line.command);
	/* everything behind -- is a file */
	cr_assert_eq(parse(&line, "show -- -v"), RBS_OK);
	cr_assert_eq(line.command.operand_count, 1);
	cr_expect_str_eq(line.command.operands[0], "-v");
	cr_expect_not(line.command.show.verbose);
	rbs_command_deinit(&line.command);
}

/* The last one counts; debuginfo adds up. */
Test(command, repeated_options)
{
	struct line line;

	cr_assert_eq(parse(&line, "show -f virtio -f virtio,virtio -d a -d b -F json -F text d"),
		     RBS_OK);
	cr_expect_eq(line.command.show.family_count, 2);
	cr_expect_str_eq(line.command.show.families[1], "virtio");
	cr_expect_str_eq(line.command.show.device, "b");
	cr_expect_eq(line.command.render, rbs_render_text);
	rbs_command_deinit(&line.command);
}

static void expect_refused(const char *text, const char *expected)
{
	struct line line;

	cr_expect_eq(parse(&line, text), RBS_USAGE, "%s", text);
	cr_expect_eq(strncmp(line.error.text, expected, strlen(expected)), 0, "%s: %s", text,
		     line.error.text);
	cr_expect_null(strchr(line.error.text, '\n'));
	/* Nothing is left to be freed. */
	cr_expect_null(line.command.operands);
	cr_expect_null(line.command.families);
	cr_expect_null(line.command.family_text);
	cr_expect_null(line.command.debuginfo);
}

Test(command, wrong_usage)
{
	expect_refused("show -f nothing dump", "no family 'nothing'; there are: virtio");
	expect_refused("show -f virtio,nothing dump", "no family 'nothing'; there are: virtio");
	expect_refused("show -f virtio -f nothing dump", "no family 'nothing'");
	expect_refused("show -f , dump", "-f needs a family; there are: virtio");
	expect_refused("show -F xml dump", "no format 'xml'; there are: text, json, flat");
	expect_refused("show -F JSON dump", "no format 'JSON'");
	expect_refused("show dump -f", "-f needs an argument");
	expect_refused("show dump --family", "--family needs an argument");
	expect_refused("show dump --debuginfo", "--debuginfo needs an argument");
	expect_refused("show --debuginfo x --frobnicate dump", "no option --frobnicate");
	expect_refused("show -x dump", "no option -x");
	expect_refused("show --verbose -vx dump", "no option -x");
	expect_refused("show --verbose=yes dump", "--verbose=yes: the option takes no argument");
}

/* getopt keeps state between command lines: in crash there are many. */
Test(command, one_after_the_other)
{
	struct line line;

	for (int i = 0; i < 3; i++) {
		expect_refused("show -v -vx", "no option -x");
		cr_assert_eq(parse(&line, "rbstats -v dump"), RBS_OK);
		cr_expect(line.command.show.verbose);
		cr_expect_eq(line.command.operand_count, 1);
		rbs_command_deinit(&line.command);
		rbs_command_deinit(&line.command);
	}
}

Test(command, family_names)
{
	const struct rbs_probe *const *probes;
	size_t count;
	char names[256], little[4];

	rbs_family_names(names, sizeof(names));
	cr_expect_eq(strncmp(names, "virtio", 6), 0, "%s", names);
	cr_expect_str_eq(rbs_family_names(little, sizeof(little)), "vir");
	probes = rbs_probes(&count);
	cr_assert_geq(count, 1);
	for (size_t i = 0; i < count; i++) {
		cr_expect_eq(rbs_probe_find(probes[i]->family->name), probes[i]);
		for (size_t k = 0; k < i; k++)
			cr_expect_str_neq(probes[i]->family->name, probes[k]->family->name);
	}
	cr_expect_null(rbs_probe_find("virti"));
	cr_expect_null(rbs_probe_find(""));
}
