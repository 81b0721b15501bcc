/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics in the form of the draft of 2021, which shares its class with commands of today. */
#include <criterion/criterion.h>
#include <string.h>

#include "stats_image.h"

#define NUM 0
#define KEYS 1
#define VALUES 2

/* A reply of count keys or values, behind a count that says said. */
static void draft_init(struct stats_image *stats, uint8_t command, uint64_t said)
{
	stats_image_init(stats, STATS_FEATURES);
	stats->class = 6;
	stats->command = command;
	for (unsigned byte = 0; byte < 8; byte++)
		stats->reply[byte] = (uint8_t)(said >> 8 * byte);
	stats->length = 8;
}

static void key_add(struct stats_image *stats, const char *key)
{
	memset(stats->reply + stats->length, 0, 32);
	memcpy(stats->reply + stats->length, key, strlen(key));
	stats->length += 32;
}

static void value_add(struct stats_image *stats, uint64_t value)
{
	for (unsigned byte = 0; byte < 8; byte++)
		stats->reply[stats->length++] = (uint8_t)(value >> 8 * byte);
}

Test(draft_stats, num)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, NUM, 0x1234567);
	stats_image_map(&stats);
	device = stats_image_run(&stats, false);
	expect_text(device, "draft_stats", "live");
	expect_number(device, "draft_num", 0x1234567);
	expect_text(device, "control_command", "draft stats num (class 6 command 0)");
	image_free(&stats.image);
}

/* Without VALUES the names stand alone; a key that fills its 32 bytes has no NUL. */
Test(draft_stats, keys)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, KEYS, 3);
	key_add(&stats, "rx0_packets");
	key_add(&stats, "a/key=with odd\x1b[31m bytes");
	key_add(&stats, "abcdefghijklmnopqrstuvwxyz012345");
	key_add(&stats, "behind_the_last");
	stats_image_map(&stats);
	device = stats_image_run(&stats, false);
	expect_absent(device, "draft_key_rx0_packets", RBS_NOT_COUNTED);
	expect_absent(device, "draft_key_a_key_with_odd__31m_bytes", RBS_NOT_COUNTED);
	expect_absent(device, "draft_key_abcdefghijklmnopqrstuvwxyz012345", RBS_NOT_COUNTED);
	cr_expect_null(rbs_node_find(device, "draft_key_behind_the_last"));
	image_free(&stats.image);
}

Test(draft_stats, values)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, VALUES, 2);
	value_add(&stats, 0x1122334455667788);
	value_add(&stats, 7);
	value_add(&stats, 99);
	stats_image_map(&stats);
	stats_image_return(&stats, 33);
	device = stats_image_run(&stats, false);
	expect_text(device, "draft_stats", "answered");
	expect_number(device, "draft_key_0", 0x1122334455667788);
	expect_number(device, "draft_key_1", 7);
	cr_expect_null(rbs_node_find(device, "draft_key_2"));
	image_free(&stats.image);
}

/* The device says more than it had room for. */
Test(draft_stats, more_than_there_is_room_for)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, VALUES, UINT64_MAX);
	value_add(&stats, 7);
	stats_image_map(&stats);
	device = stats_image_run(&stats, false);
	expect_number(device, "draft_key_0", 7);
	cr_expect_null(rbs_node_find(device, "draft_key_1"));
	expect_problem(stats.image.report, "virtio/virtio0", RBS_CORRUPT, "where 1 have room");
	image_free(&stats.image);
}

Test(draft_stats, pending)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, VALUES, 1);
	value_add(&stats, 7);
	stats.ack = 0xff;
	stats_image_map(&stats);
	device = stats_image_run(&stats, true);
	expect_text(device, "draft_stats", "pending");
	cr_expect_null(rbs_node_find(device, "draft_key_0"));
	image_free(&stats.image);
}

/* Taken back: shown only when asked for, and not at all where a free object's link may be in it. */
Test(draft_stats, stale)
{
	for (int verbose = 0; verbose < 2; verbose++) {
		const struct rbs_node *device;
		struct stats_image stats;

		draft_init(&stats, VALUES, 1);
		value_add(&stats, 7);
		stats_image_map(&stats);
		stats_image_return(&stats, 17);
		stats_image_take(&stats);
		device = stats_image_run(&stats, verbose);
		expect_text(device, "draft_stats", "stale");
		cr_expect_eq(!rbs_node_find(device, "draft_key_0"), !verbose);
		image_free(&stats.image);
	}
}

/* Today's commands 0 to 2 of that class bring an ack and nothing else. */
Test(draft_stats, coalescing_is_no_draft)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, NUM, 3);
	stats.length = 1;
	stats_image_map(&stats);
	device = stats_image_run(&stats, true);
	cr_expect_null(rbs_node_find(device, "draft_stats"));
	expect_text(device, "control_command", "coalescing tx set (class 6 command 0)");
	image_free(&stats.image);
}

Test(draft_stats, later_commands_are_no_draft)
{
	const struct rbs_node *device;
	struct stats_image stats;

	draft_init(&stats, 3, 1);
	value_add(&stats, 7);
	stats_image_map(&stats);
	device = stats_image_run(&stats, true);
	cr_expect_null(rbs_node_find(device, "draft_stats"));
	image_free(&stats.image);
}
