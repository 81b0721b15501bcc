/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lttng probe: what a reader took out of an overwrite ring, and buffers that no session has. */
#include <criterion/criterion.h>

#include "expect.h"
#include "lttng_image.h"

static struct lttng_image image;

static void start(void)
{
	lttng_image_init(&image, RBS_LITTLE_ENDIAN, 8);
}

static void stop(void)
{
	lttng_image_deinit(&image);
}

TestSuite(lttng_reader, .init = start, .fini = stop);

static const struct rbs_node *slot(const char *name)
{
	return lttng_image_node(&image, "first", "global", name);
}

/* Sub-buffer 1 is the reader's: its memory is 1, the ring got the spare one, 4. */
Test(lttng_reader, held)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x3800, 0x1000);
	lttng_image_reader(&image, IMAGE_FIRST, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK, "%s", image.error.text);
	cr_expect_eq(image.report->problem_count, 0);
	expect_text(slot("1"), "state", "reading");
	expect_number(slot("1"), "data_size", 101);
	expect_text(slot("1"), "pages", "d0011000");
	expect_number(slot("1"), "packet_seq", 41);
	expect_text(slot("1"), "spare_pages", "d0014000");
	expect_number(slot("2"), "data_size", 102);
	cr_expect_null(rbs_node_find(slot("2"), "spare_pages"));
	cr_expect_null(slot("reader"));
}

/* The whole ring was written since: at the same place is a later packet, in the spare memory. */
Test(lttng_reader, writer_came_round)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x5800, 0x2000);
	lttng_image_reader(&image, IMAGE_FIRST, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK, "%s", image.error.text);
	expect_text(slot("1"), "state", "writing");
	expect_number(slot("1"), "data_size", 104);
	expect_text(slot("1"), "pages", "d0014000");
	expect_number(slot("1"), "packet_seq", 44);
	expect_text(slot("reader"), "state", "reading");
	expect_number(slot("reader"), "data_size", 101);
	expect_number(slot("reader"), "packet_seq", 41);
	expect_text(slot("reader"), "pages", "d0011000");
	/* The counters at its place are of later packets. */
	cr_expect_null(rbs_node_find(slot("reader"), "commit_count"));
	cr_expect_eq(image.report->problem_count, 0);
}

/* To the end of the ring, and not beyond it: nothing was written at its place yet. */
Test(lttng_reader, writer_is_about_to_come_round)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x5000, 0x2000);
	lttng_image_reader(&image, IMAGE_FIRST, 0x1000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_text(slot("1"), "state", "reading");
	expect_number(slot("1"), "data_size", 101);
	cr_expect_null(slot("reader"));
}

/* A number that is no sub-buffer's: no figure is made of it. */
Test(lttng_reader, wild_memory)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x3800, 0x1000);
	lttng_image_reader(&image, IMAGE_FIRST, 0x1000);
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_BUFFER + IMAGE_BUFFER_READER, 5);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_absent(slot("1"), "data_size", RBS_CORRUPT);
	expect_absent(slot("1"), "packet_seq", RBS_CORRUPT);
	expect_number(slot("0"), "data_size", 100);
}

/* A position ahead of the writer's: nothing is held there. */
Test(lttng_reader, wild_position)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x3800, 0x1000);
	lttng_image_reader(&image, IMAGE_FIRST, 0x1000);
	lttng_image_put(&image, IMAGE_FIRST + IMAGE_BUFFER + IMAGE_BUFFER_HELD_AT, 0x9000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	cr_expect_null(slot("reader"));
}

/* Whether it is held is not known: nor is which memory has the packet. */
Test(lttng_reader, mark_excluded)
{
	lttng_image_positions(&image, IMAGE_FIRST, 0x3800, 0x1000);
	lttng_image_reader(&image, IMAGE_FIRST, 0x1000);
	fake_target_hole(image.dump.target, IMAGE_FIRST + IMAGE_BUFFER + IMAGE_BUFFER_HELD, 4,
			 RBS_EXCLUDED);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_absent(slot("1"), "state", RBS_EXCLUDED);
	expect_absent(slot("1"), "data_size", RBS_EXCLUDED);
	expect_absent(slot("1"), "packet_seq", RBS_EXCLUDED);
	expect_problem(image.report, "lttng/first/7/global", RBS_EXCLUDED,
		       "whether a reader holds a packet");
}

static const struct rbs_node *notifications(const char *ring)
{
	const struct rbs_node *group = lttng_image_node(&image, "event-notifiers-0", NULL, NULL);
	const struct rbs_node *channel = group ? rbs_node_child(group, "notifications") : NULL;

	return ring && channel ? rbs_node_child(channel, ring) : channel;
}

/* The ring is the second session's here: an address like any other. */
Test(lttng_reader, notifier_group)
{
	lttng_image_positions(&image, IMAGE_SECOND, 0x1234, 0x1000);
	lttng_image_group(&image, IMAGE_SECOND + IMAGE_RING);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_text(lttng_image_node(&image, "event-notifiers-0", NULL, NULL), "kind",
		    "notifier-group");
	expect_number(notifications("global"), "write_offset", 0x1234);
	expect_number(notifications(NULL), "subbuf_size", IMAGE_SUBBUF_SIZE);
	cr_expect_null(rbs_node_find(lttng_image_node(&image, "first", NULL, NULL), "kind"));
	cr_expect_eq(image.report->problem_count, 0);
}

Test(lttng_reader, notifier_group_wild_ring)
{
	lttng_image_group(&image, 0xdead0000);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_problem(image.report, "lttng/event-notifiers-0/notifications", RBS_UNMAPPED,
		       "cannot be read");
	expect_number(lttng_image_node(&image, "second", "global", NULL), "write_offset", 0);
}

Test(lttng_reader, notifier_groups_cyclic)
{
	lttng_image_group(&image, IMAGE_SECOND + IMAGE_RING);
	lttng_image_put(&image, IMAGE_GROUP, IMAGE_GROUP);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_problem(image.report, "lttng", RBS_CORRUPT, "the groups of event notifiers");
	expect_number(notifications("global"), "write_offset", 0);
}

Test(lttng_reader, notifier_groups_excluded)
{
	fake_target_hole(image.dump.target, IMAGE_GROUPS, 0x10, RBS_EXCLUDED);
	cr_assert_eq(lttng_image_run(&image), RBS_OK);
	expect_problem(image.report, "lttng", RBS_EXCLUDED, "the groups of event notifiers");
	expect_number(lttng_image_node(&image, "second", "global", NULL), "write_offset", 0);
}
