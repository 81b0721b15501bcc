/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lttng probe on images written by hand: wraps, other machines, and damage of all kinds. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "dwarf/module_symbols.h"
#include "expect.h"
#include "fake_sources.h"
#include "lttng_image.h"

static struct lttng_image image;

static void start_64(void)
{
	lttng_image_init(&image, RBS_LITTLE_ENDIAN, 8);
}

static void start_32(void)
{
	lttng_image_init(&image, RBS_BIG_ENDIAN, 4);
}

static void stop(void)
{
	lttng_image_deinit(&image);
}

static void expect_state(const char *session, const char *slot, const char *wanted)
{
	const struct rbs_node *node = lttng_image_node(&image, session, "global", slot);
	const struct rbs_field *field = node ? rbs_node_find(node, "state") : NULL;

	cr_assert_not_null(field, "no state of %s", slot);
	cr_expect_str_eq(field->text, wanted, "sub-buffer %s is %s, not %s", slot, field->text,
			 wanted);
}

static bool problem_says(const char *subject, const char *text)
{
	for (size_t i = 0; i < image.report->problem_count; i++) {
		const struct rbs_problem *problem = &image.report->problems[i];

		if (!strcmp(problem->subject, subject) && strstr(problem->text, text))
			return true;
	}
	return false;
}

TestSuite(lttng, .init = start_64, .fini = stop);
TestSuite(lttng_32, .init = start_32, .fini = stop);

/* Sub-buffer 0 was read; 1 waits for a reader; 2 misses 16 bytes; 3 is being written. */
Test(lttng, second_pass)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x7123, 0x5000);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0x2000, 0x2000);
	lttng_image_committed(&image, IMAGE_FIRST, 1, 0x2000, 0x2000);
	lttng_image_committed(&image, IMAGE_FIRST, 2, 0x1ff0, 0x1000);
	lttng_image_committed(&image, IMAGE_FIRST, 3, 0x1120, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK, "%s", image.error.text);
	cr_expect_eq(image.report->problem_count, 0);
	expect_state("first", "0", "free");
	expect_state("first", "1", "delivered");
	expect_state("first", "2", "uncommitted");
	expect_state("first", "3", "writing");
	expect_number(lttng_image_node(&image, "first", "global", "2"), "short", 16);
	expect_number(lttng_image_node(&image, "first", "global", "2"), "committed", 0xff0);
	expect_number(lttng_image_node(&image, "first", "global", "2"), "visible", 0);
	expect_number(lttng_image_node(&image, "first", "global", "3"), "committed", 0x120);
	expect_number(lttng_image_node(&image, "first", "global", "3"), "short", 3);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "readable", 0x1000);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "uncommitted", 19);
}

/* A reader takes sub-buffers in order: what lies behind a hole waits. */
Test(lttng, readable_ends_at_a_hole)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x3000, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0xff8, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 1, 0x1000, 0x1000);
	lttng_image_committed(&image, IMAGE_FIRST, 2, 0x1000, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_state("first", "0", "uncommitted");
	expect_state("first", "1", "delivered");
	expect_state("first", "3", "free");
	expect_number(lttng_image_node(&image, "first", "global", NULL), "readable", 0);
}

/* Positions above 2^31 and 2^63 are no negative numbers. */
Test(lttng_32, large_positions)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x80001800, 0x80000000);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0x20001000, 0x20001000);
	lttng_image_committed(&image, IMAGE_FIRST, 1, 0x20000800, 0x20000000);
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_BUFFER + IMAGE_BUFFER_LOST, 0xfffffffe);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset",
		      0x80001800);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "consumed", 0x80000000);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "records_lost_full",
		      0xfffffffe);
	expect_number(lttng_image_node(&image, "first", "global", "0"), "commit_count", 0x20001000);
	expect_number(lttng_image_node(&image, "first", "global", "1"), "committed", 0x800);
	expect_number(lttng_image_node(&image, "first", "global", "1"), "short", 0);
	expect_state("first", "0", "delivered");
	expect_state("first", "1", "writing");
	expect_state("first", "2", "free");
	expect_state("first", "3", "free");
}

/*
 * The write offset has passed 4 GiB and is small again: sub-buffers 2 and 3, of the pass before,
 * wait for the reader; their commit counters have come round to 0 with the pass (their mask has two
 * bits less than the word).
 */
Test(lttng_32, offset_after_the_wrap)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x1400, 0xffffe000);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0x1000, 0x1000);
	lttng_image_committed(&image, IMAGE_FIRST, 1, 0x3fc, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 2, 0, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 3, 0x3ffffff0, 0x3ffff000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	cr_expect_eq(image.report->problem_count, 0);
	expect_state("first", "2", "delivered");
	expect_number(lttng_image_node(&image, "first", "global", "2"), "committed", 0x1000);
	expect_state("first", "3", "uncommitted");
	expect_number(lttng_image_node(&image, "first", "global", "3"), "short", 16);
	expect_state("first", "0", "delivered");
	expect_state("first", "1", "writing");
	expect_number(lttng_image_node(&image, "first", "global", NULL), "readable", 0x1000);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "uncommitted", 20);
}

/* The reader is past the wrap too: only the count of packets knows of the pass before. */
Test(lttng_32, all_after_the_wrap)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x0400, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0x400, 0);
	for (unsigned i = 0; i < 4; i++)
		fake_target_put(image.dump.target, IMAGE_FIRST + IMAGE_COUNTS + i * 8, 8, 0x40000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "first", "global", "3"), "committed", 0x1000);
	expect_number(lttng_image_node(&image, "first", "global", "3"), "short", 0);
	expect_state("first", "3", "free");
	/* The second session's buffer is young, with the same positions. */
	lttng_image_positions(&image, IMAGE_SECOND, 0x0400, 0);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "second", "global", "3"), "committed", 0);
}

/* A list that leads into itself, to nowhere, or to a session that is none. */
Test(lttng, session_list_cyclic)
{
	lttng_image_put(&image, IMAGE_SECOND + IMAGE_LIST, IMAGE_SECOND + IMAGE_LIST);
	lttng_image_positions(&image, IMAGE_FIRST, 0x10, 0);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset", 0x10);
	cr_expect_not_null(lttng_image_node(&image, "second", "global", NULL));
	cr_expect_eq(image.report->problem_count, 1);
	cr_expect_str_eq(image.report->problems[0].subject, "lttng");
}

Test(lttng, session_list_torn)
{
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_LIST, 0x5a5a5a5a5a5a5a5a);
	lttng_image_positions(&image, IMAGE_FIRST, 0x10, 0);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset", 0x10);
	cr_expect_null(lttng_image_node(&image, "second", NULL, NULL));
	cr_expect_geq(image.report->problem_count, 1);
}

Test(lttng, session_head_unreadable)
{
	fake_target_hole(image.dump.target, IMAGE_SESSIONS, 0x10, RBS_EXCLUDED);
	cr_expect_eq(lttng_image_run(&image), RBS_EXCLUDED);
	cr_expect(image.error.has_address);
}

/* Whatever breaks one channel leaves the other session whole. */
static void expect_second_whole(const char *subject, const char *text)
{
	lttng_image_positions(&image, IMAGE_SECOND, 0x1234, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "second", "global", NULL), "write_offset", 0x1234);
	expect_number(lttng_image_node(&image, "second", "global", NULL), "consumed", 0x1000);
	cr_expect(problem_says(subject, text), "%zu problems, first: %s: %s",
		  image.report->problem_count,
		  image.report->problem_count ? image.report->problems[0].subject : "",
		  image.report->problem_count ? image.report->problems[0].text : "");
}

Test(lttng, channel_list_cyclic)
{
	uint64_t node = IMAGE_FIRST + IMAGE_CHANNEL + 8;

	lttng_image_put(&image, node, node);
	expect_second_whole("lttng/first", "the session's channels");
}

Test(lttng, channel_unmapped)
{
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_CHANNEL + 0x18, 0xdead0000);
	expect_second_whole("lttng/first/7", "cannot be read");
}

Test(lttng, sizes_contradict)
{
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_RING + IMAGE_RING_NUM, 8);
	expect_second_whole("lttng/first/7", "do not fit together");
}

Test(lttng, number_of_subbuffers_huge)
{
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_RING + IMAGE_RING_NUM, UINT64_C(1) << 62);
	expect_second_whole("lttng/first/7", "do not fit together");
}

Test(lttng, buffer_of_another)
{
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_BUFFER + IMAGE_BUFFER_CHAN,
			IMAGE_SECOND + IMAGE_RING);
	expect_second_whole("lttng/first/7/global", "does not point back");
}

Test(lttng, positions_apart)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x9000, 0x1000);
	expect_second_whole("lttng/first/7/global", "more than a buffer ahead");
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset", 0x9000);
	cr_expect_null(lttng_image_node(&image, "first", "global", "0"));
}

/* The page of the commit counters was left out: what depends on it says so, nothing else. */
Test(lttng, counters_excluded)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x1800, 0);
	fake_target_hole(image.dump.target, IMAGE_FIRST + IMAGE_HOT, 0x800, RBS_EXCLUDED);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset", 0x1800);
	expect_absent(lttng_image_node(&image, "first", "global", NULL), "uncommitted",
		      RBS_EXCLUDED);
	expect_absent(lttng_image_node(&image, "first", "global", "0"), "committed", RBS_EXCLUDED);
	expect_absent(lttng_image_node(&image, "first", "global", "0"), "short", RBS_EXCLUDED);
}

/* The same of the counters that readers go by: nobody knows what they could read. */
Test(lttng, visible_excluded)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x1800, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0x1000, 0x1000);
	fake_target_hole(image.dump.target, IMAGE_FIRST + IMAGE_COLD, 0x800, RBS_EXCLUDED);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_absent(lttng_image_node(&image, "first", "global", NULL), "readable", RBS_EXCLUDED);
	/* Delivered or not: that is what the counter would tell. */
	expect_absent(lttng_image_node(&image, "first", "global", "0"), "state", RBS_EXCLUDED);
	expect_number(lttng_image_node(&image, "first", "global", "0"), "short", 0);
	expect_absent(lttng_image_node(&image, "first", "global", "0"), "visible", RBS_EXCLUDED);
	/* Without a whole sub-buffer there is nothing to read, whatever the counters say. */
	expect_number(lttng_image_node(&image, "second", "global", NULL), "readable", 0);
}

/* More committed than was ever reserved: no number is made of that. */
Test(lttng, counter_of_another_pass)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x1800, 0);
	lttng_image_committed(&image, IMAGE_FIRST, 0, 0x7000, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_absent(lttng_image_node(&image, "first", "global", "0"), "committed", RBS_CORRUPT);
	expect_absent(lttng_image_node(&image, "first", "global", "0"), "short", RBS_CORRUPT);
}

/* An assumed layout has to fit memory; one that does not gives way to the next. */
Test(lttng, assumed_layout_fits)
{
	static const struct lttng_image_wrong wrongs[] = {{"2.8.1", NULL, 0}};

	lttng_image_assume(&image, wrongs, 1);
	lttng_image_positions(&image, IMAGE_FIRST, 0x1800, 0);
	cr_assert_eq(lttng_image_run(&image), RBS_OK, "%s", image.error.text);
	cr_expect_str_eq(image.section->types, "assumed");
	cr_expect(strstr(image.section->remark, "LTTng 2.8.1 as built for 4.4"), "%s",
		  image.section->remark);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset", 0x1800);
}

Test(lttng, assumed_layout_refused)
{
	/* The exact version's buffers, the next one's lists and a third one's sizes are elsewhere.
	 */
	static const struct lttng_image_wrong wrongs[] = {
		{"2.8.3", "backend.subbuf_size", 8},
		{"2.8.1", "backend.chan", 8},
		{"2.8.2", "chan", 8},
		{"2.8.4", NULL, 0},
	};

	lttng_image_assume(&image, wrongs, 4);
	lttng_image_positions(&image, IMAGE_FIRST, 0x1800, 0);
	cr_assert_eq(lttng_image_run(&image), RBS_OK, "%s", image.error.text);
	cr_expect(strstr(image.section->remark, "LTTng 2.8.4 as built for 4.4; the dump has 2.8.1"),
		  "%s", image.section->remark);
	expect_number(lttng_image_node(&image, "first", "global", NULL), "write_offset", 0x1800);
	expect_number(lttng_image_node(&image, "second", "global", NULL), "write_offset", 0);
}

/* No layout fits: no figures, and a line that says what to do and what was tried. */
Test(lttng, assumed_layouts_all_refused)
{
	static const struct lttng_image_wrong wrongs[] = {
		{"2.8.1", "backend.num_subbuf", 8},
		{"2.8.2", "backend.buf", 8},
	};

	lttng_image_assume(&image, wrongs, 2);
	cr_assert_eq(lttng_image_run(&image), RBS_NO_TYPES);
	cr_expect(strstr(image.error.text, "no types for LTTng 2.8.1"), "%s", image.error.text);
	cr_expect(strstr(image.error.text, "--debuginfo"), "%s", image.error.text);
	cr_expect(strstr(image.error.text, "2.8.1 as built for 4.4: a channel's sizes"), "%s",
		  image.error.text);
	cr_expect(strstr(image.error.text, "2.8.2 as built for 4.4: "), "%s", image.error.text);
	cr_expect_eq(image.section->node->child_count, 0);
	cr_expect_str_empty(image.section->remark);
}

/* Damage to one of two channels does not speak against a layout that the other one fits. */
Test(lttng, assumed_layout_survives_damage)
{
	static const struct lttng_image_wrong wrongs[] = {{"2.8.1", NULL, 0}};

	lttng_image_assume(&image, wrongs, 1);
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_RING + IMAGE_RING_NUM, 5);
	expect_second_whole("lttng/first/7", "do not fit together");
	cr_expect_str_eq(image.section->types, "assumed");
}

/* What the dump left out speaks neither for a layout nor against it; a wild pointer does. */
Test(lttng, assumed_layout_unreadable)
{
	static const struct lttng_image_wrong wrongs[] = {{"2.8.1", NULL, 0}};

	lttng_image_assume(&image, wrongs, 1);
	fake_target_hole(image.dump.target, IMAGE_FIRST + IMAGE_RING, 0x1000, RBS_EXCLUDED);
	fake_target_hole(image.dump.target, IMAGE_SECOND + IMAGE_BUFFER, 0x1000, RBS_EXCLUDED);
	cr_assert_eq(lttng_image_run(&image), RBS_OK, "%s", image.error.text);
	expect_absent(lttng_image_node(&image, "second", "global", NULL), "write_offset",
		      RBS_EXCLUDED);
	cr_expect(problem_says("lttng/first/7", "cannot be read"));
	cr_expect_eq(image.report->problems[0].code, RBS_EXCLUDED);
}

Test(lttng, assumed_layout_wild)
{
	static const struct lttng_image_wrong wrongs[] = {{"2.8.1", NULL, 0}};

	lttng_image_assume(&image, wrongs, 1);
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_CHANNEL + 0x18, 0xdead0000);
	lttng_image_put(&image, IMAGE_SECOND + IMAGE_CHANNEL + 0x18, 0x7000);
	cr_expect_eq(lttng_image_run(&image), RBS_NO_TYPES);
}

/* No symbol of the tracer: not loaded, unless the modules' list could not be read. */
Test(lttng, tracer_not_loaded)
{
	struct rbs_modules *modules = &image.dump.modules;
	struct rbs_symbol_source *source;
	bool absent;

	rbs_symbols_deinit(&image.dump.symbols);
	rbs_symbols_init(&image.dump.symbols);
	cr_assert_eq(rbs_module_symbols_create(image.dump.target, modules, &source, NULL), RBS_OK);
	rbs_symbols_add(&image.dump.symbols, source);
	rbs_error_set(&modules->incomplete, RBS_NO_TYPES, "no types for it");
	cr_expect_eq(lttng_image_ask(&image, &absent), RBS_NO_TYPES);
	cr_expect_not(absent);
	cr_expect(strstr(image.error.text, "the list of modules cannot be read: no types for it"),
		  "%s", image.error.text);
	modules->incomplete.code = RBS_OK;
	cr_expect_eq(lttng_image_ask(&image, &absent), RBS_NO_SYMBOL);
	cr_expect(absent);
}
