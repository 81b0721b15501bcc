/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the control queue's memory is worth: each state of a statistics command, byte by byte. */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/probes/virtio/control.h"
#include "stats_image.h"

/* One queue pair: 56 + 24 + 56 + 24 bytes, each value its own. */
static void records_fill(struct stats_image *stats)
{
	stats_record(stats, 0, 0, 6, 100);
	stats_record(stats, 16, 1, 6, 300);
	stats_record(stats, 19, 1, 2, 400);
	stats_record(stats, 32, 2, 2, 500);
}

static void values_expect(const struct rbs_node *device)
{
	expect_number(device, "rx0_hw_notifications", 100);
	expect_number(device, "rx0_hw_packets", 101);
	expect_number(device, "rx0_hw_bytes", 102);
	expect_number(device, "rx0_hw_interrupts", 103);
	expect_number(device, "rx0_hw_drops", 104);
	expect_number(device, "rx0_hw_drop_overruns", 105);
	expect_number(device, "tx0_hw_packets", 301);
	expect_number(device, "tx0_hw_drop_malformed", 305);
	expect_number(device, "tx0_hw_ratelimit_packets", 400);
	expect_number(device, "tx0_hw_ratelimit_bytes", 401);
	expect_number(device, "cq_hw_command_num", 500);
	expect_number(device, "cq_hw_ok_num", 501);
}

static void no_values_expect(const struct rbs_node *device)
{
	cr_expect_null(rbs_node_find(device, "rx0_hw_packets"));
	cr_expect_null(rbs_node_find(device, "rx_hw_packets"));
	cr_expect_null(rbs_node_find(device, "cq_hw_command_num"));
}

static void get_init(struct stats_image *stats, bool packed, uint8_t ack)
{
	stats_image_init(stats, STATS_FEATURES | (packed ? UINT64_C(1) << 34 : 0));
	stats->packed = packed;
	stats->ack = ack;
	records_fill(stats);
	stats_image_map(stats);
}

Test(device_stats, live)
{
	for (int packed = 0; packed < 2; packed++) {
		const struct rbs_node *device;
		struct stats_image stats;

		get_init(&stats, packed, 0);
		device = stats_image_run(&stats, false);
		expect_text(device, "device_stats", "live");
		values_expect(device);
		expect_number(device, "rx_hw_packets", 101);
		expect_text(device, "control_command", "stats get (class 8 command 1)");
		expect_text(device, "control_state", "in flight");
		expect_number(device, "device_stats_cap", 0x10001000f);
		expect_text(device, "device_stats_request", "2:cvq");
		expect_text(device, "control_waiter", "ethtool");
		expect_number(device, "control_waiter_pid", 181);
		expect_number(device, "control_waiter_cpu", 3);
		expect_text(device, "control_waiter_lock", "cvq_lock");
		cr_expect_eq(stats.image.report->problem_count, 0);
		image_free(&stats.image);
	}
}

/* The reply may be the previous one's bytes: without the ack nothing of it counts. */
Test(device_stats, pending)
{
	for (int packed = 0; packed < 2; packed++) {
		const struct rbs_node *device;
		struct stats_image stats;

		get_init(&stats, packed, 0xff);
		device = stats_image_run(&stats, true);
		expect_text(device, "device_stats", "pending");
		no_values_expect(device);
		expect_text(device, "device_stats_request", "2:cvq");
		expect_number(device, "control_ack", 255);
		image_free(&stats.image);
	}
}

Test(device_stats, refused_by_the_device)
{
	const struct rbs_node *device;
	struct stats_image stats;

	get_init(&stats, false, 1);
	device = stats_image_run(&stats, true);
	expect_text(device, "device_stats", "pending");
	no_values_expect(device);
	image_free(&stats.image);
}

Test(device_stats, answered)
{
	for (int packed = 0; packed < 2; packed++) {
		const struct rbs_node *device;
		struct stats_image stats;

		get_init(&stats, packed, 0);
		stats_image_return(&stats, (uint32_t)stats.length + 1);
		device = stats_image_run(&stats, false);
		expect_text(device, "device_stats", "answered");
		expect_number(device, "control_written", stats.length + 1);
		values_expect(device);
		image_free(&stats.image);
	}
}

/* In flight and acked, but its memory is free, or nobody knows: not live. Why is told. */
Test(device_stats, memory_without_an_owner)
{
	const struct rbs_node *device;
	struct stats_image stats;

	get_init(&stats, false, 0);
	stats_image_free_object(&stats);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "stale");
	no_values_expect(device);
	image_free(&stats.image);

	get_init(&stats, false, 0);
	fake_target_hole(stats.image.target, 0xffffea0000000140, 64, RBS_EXCLUDED);
	device = stats_image_run(&stats, false);
	expect_absent(device, "device_stats", RBS_EXCLUDED);
	expect_absent(device, "device_stats_evidence", RBS_EXCLUDED);
	cr_assert_eq(stats.image.report->problem_count, 1);
	cr_expect(strstr(stats.image.report->problems[0].text,
			 "in flight, ack 0; the reply's memory: unknown: "));
	no_values_expect(device);
	image_free(&stats.image);

	/* The ring says something that can't be: that is no hole. */
	get_init(&stats, false, 0);
	fake_target_put(stats.image.target, stats.rings + 3 * 16, 8, UINT64_C(1) << 40);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "pending");
	cr_expect_eq(stats.image.report->problem_count, 0);
	no_values_expect(device);
	image_free(&stats.image);
}

Test(device_stats, stale_only_when_asked_for)
{
	for (int packed = 0; packed < 2; packed++) {
		for (int verbose = 0; verbose < 2; verbose++) {
			const struct rbs_node *device;
			struct stats_image stats;

			get_init(&stats, packed, 0);
			stats_image_return(&stats, (uint32_t)stats.length + 1);
			stats_image_take(&stats);
			stats_image_free_object(&stats);
			device = stats_image_run(&stats, verbose);
			expect_text(device, "device_stats", "stale");
			expect_text(device, "control_state", "completed");
			if (verbose)
				values_expect(device);
			else
				no_values_expect(device);
			cr_expect_null(rbs_node_find(device, "control_waiter"));
			image_free(&stats.image);
		}
	}
}

/* A free object's link lies over the header of the control queue's record. */
Test(device_stats, stale_with_a_lost_header)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	for (unsigned i = 0; i < 8; i++)
		stats_record(&stats, 0, 0, 6, 10 * i);
	stats_record(&stats, 32, 0xffff, 7, 0); /* up to 512; of no known queue */
	stats.length = STATS_LINK;
	memset(stats.reply + 448, 0, 64);
	stats.reply[448 + 0] = 77; /* a kind of the future: stepped over */
	stats.reply[448 + 6] = 64;
	stats_record(&stats, 32, 2, 2, 500);
	memset(stats.reply + STATS_LINK, 0xa5, 8);
	stats_image_map(&stats);
	stats_image_return(&stats, (uint32_t)stats.length + 1);
	stats_image_take(&stats);
	stats_image_free_object(&stats);
	device = stats_image_run(&stats, true);
	expect_text(device, "device_stats", "stale");
	cr_expect_not_null(strstr(rbs_node_text(device, "device_stats_lost"),
				  "8 bytes at 512 (a free object's link): the header"));
	cr_expect_null(rbs_node_find(device, "cq_hw_command_num"));
	cr_expect_not_null(rbs_node_find(device, "rx0_hw_packets"));
	image_free(&stats.image);
}

/* ... or over a value, which is then the only one that is missing. */
Test(device_stats, stale_with_a_lost_value)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	stats.reply[0] = 77;
	stats.reply[6] = 504 & 0xff;
	stats.reply[7] = 504 >> 8;
	stats.length = 504;
	stats_record(&stats, 32, 2, 2, 500);
	stats_image_map(&stats);
	stats_image_return(&stats, (uint32_t)stats.length + 1);
	stats_image_take(&stats);
	stats_image_free_object(&stats);
	device = stats_image_run(&stats, true);
	expect_text(device, "device_stats", "stale");
	expect_absent(device, "cq_hw_command_num", RBS_CORRUPT);
	expect_number(device, "cq_hw_ok_num", 501);
	image_free(&stats.image);
}

/* Memory that was cleared or used by someone else. */
Test(device_stats, gone)
{
	const struct rbs_node *device;
	struct stats_image stats;

	get_init(&stats, false, 0);
	memset(stats.reply, 0, sizeof(stats.reply));
	fake_target_map_physical(stats.image.target, STATS_REPLY, stats.reply, stats.length);
	stats_image_return(&stats, (uint32_t)stats.length + 1);
	stats_image_take(&stats);
	device = stats_image_run(&stats, true);
	expect_text(device, "device_stats", "gone");
	no_values_expect(device);
	cr_expect_null(rbs_node_find(device, "device_stats_endless_at"));
	image_free(&stats.image);
}

Test(device_stats, another_command_was_the_newest)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	stats.class = 0;
	stats.command = 1;
	records_fill(&stats);
	stats_image_map(&stats);
	stats_image_return(&stats, 1);
	stats_image_take(&stats);
	device = stats_image_run(&stats, true);
	expect_text(device, "device_stats", "gone");
	expect_text(device, "control_command", "rx allmulti (class 0 command 1)");
	no_values_expect(device);
	image_free(&stats.image);
}

Test(device_stats, not_negotiated)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, UINT64_C(1) << 32);
	records_fill(&stats);
	stats_image_map(&stats);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "none");
	cr_expect_null(rbs_node_find(device, "device_stats_cap"));
	image_free(&stats.image);
}

/* The device wrote two records of four: the driver reads on, to a size of 0. */
Test(device_stats, short_reply)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	stats_record(&stats, 0, 0, 6, 100);
	stats_record(&stats, 16, 1, 6, 300);
	stats.length += 80;
	stats_image_map(&stats);
	stats_image_return(&stats, 2 * 56 + 1);
	stats_image_take(&stats);
	device = stats_image_run(&stats, true);
	expect_number(device, "device_stats_endless_at", 112);
	expect_text(device, "control_waiter", "ethtool");
	/* Taken back: whatever it says is not called live. */
	expect_text(device, "device_stats", "stale");
	expect_number(device, "tx0_hw_packets", 301);
	image_free(&stats.image);
}

/* The same of memory that is free: nobody loops over it. */
Test(device_stats, short_reply_of_the_past)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	stats_record(&stats, 0, 0, 6, 100);
	stats.length += 80;
	stats_image_map(&stats);
	stats_image_return(&stats, 57);
	stats_image_take(&stats);
	stats_image_free_object(&stats);
	device = stats_image_run(&stats, true);
	cr_expect_null(rbs_node_find(device, "device_stats_endless_at"));
	image_free(&stats.image);
}

/* Lengths that lie: what is known of a kind is read, no byte behind the reply is. */
Test(device_stats, lengths_that_lie)
{
	const struct rbs_node *device;
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	stats_record(&stats, 32, 2, 4, 500); /* two more fields than are known */
	stats_record(&stats, 0, 0, 3, 100);  /* three fewer */
	stats_record(&stats, 16, 1, 6, 300);
	stats.reply[stats.length - 56 + 6] = 57; /* a byte longer than the reply */
	stats_image_map(&stats);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "live");
	expect_number(device, "cq_hw_ok_num", 501);
	expect_number(device, "rx0_hw_bytes", 102);
	cr_expect_null(rbs_node_find(device, "rx0_hw_interrupts"));
	cr_expect_null(rbs_node_find(device, "tx0_hw_packets"));
	expect_problem(stats.image.report, "virtio/virtio0", RBS_CORRUPT, "up to byte 72 of 128");
	image_free(&stats.image);
}

/* A transmit queue's record that names a receive queue is none. */
Test(device_stats, record_of_a_wrong_queue)
{
	struct stats_image stats;

	stats_image_init(&stats, STATS_FEATURES);
	stats_record(&stats, 16, 0, 6, 300);
	stats_image_map(&stats);
	no_values_expect(stats_image_run(&stats, false));
	expect_problem(stats.image.report, "virtio/virtio0", RBS_CORRUPT, "up to byte 0 of 56");
	image_free(&stats.image);
}

/* Replies of more than 8 KiB come from the page allocator. */
Test(device_stats, live_in_pages)
{
	const struct rbs_node *device;
	struct stats_image stats;

	get_init(&stats, false, 0);
	fake_target_put(stats.image.target, STATS_PAGE + 48, 4, 0xffffffff);
	fake_target_put(stats.image.target, STATS_PAGE + 52, 4, 1);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "live");
	values_expect(device);
	image_free(&stats.image);

	get_init(&stats, false, 0);
	fake_target_put(stats.image.target, STATS_PAGE + 48, 4, 0xffffffff);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "stale");
	no_values_expect(device);
	image_free(&stats.image);
}

/* Through the DMA API: physical addresses when the driver's own header is where the ring says. */
Test(device_stats, dma_addresses)
{
	const struct rbs_node *device;
	struct stats_image stats;

	get_init(&stats, false, 0);
	image_put(&stats.image, "vring_virtqueue", "use_dma_api", stats.control, 1);
	device = stats_image_run(&stats, false);
	expect_text(device, "device_stats", "live");
	values_expect(device);
	image_free(&stats.image);

	/* ... and an IOMMU's when it is not: nobody can read what they lead to. */
	get_init(&stats, false, 0);
	image_put(&stats.image, "vring_virtqueue", "use_dma_api", stats.control, 1);
	image_put_little(&stats.image, stats.rings, 8, 0xfffff000);
	device = stats_image_run(&stats, true);
	no_values_expect(device);
	expect_absent(device, "control_command", RBS_NOT_COUNTED);
	image_free(&stats.image);
}

/* Whatever a ring's memory holds, the probe ends, and never calls a damaged command live. */
Test(device_stats, damaged_rings)
{
	static const uint8_t garbage[] = {0x00, 0x04, 0x7f, 0xff};

	for (int packed = 0; packed < 2; packed++) {
		for (unsigned at = 0; at < 4 * 16; at++) {
			const struct rbs_node *device;
			const char *word;
			struct stats_image stats;

			get_init(&stats, packed, 0xff);
			fake_target_put(stats.image.target, stats.rings + at, 1, garbage[at % 4]);
			device = stats_image_run(&stats, true);
			word = rbs_node_text(device, "device_stats");
			cr_assert(word, "byte %u", at);
			cr_expect(strcmp(word, "live") && strcmp(word, "answered"), "byte %u", at);
			image_free(&stats.image);
		}
	}
}
