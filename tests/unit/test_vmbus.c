/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vmbus probe on what a guest can't be made to do: a host that writes garbage, and sizes. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "vmbus_image.h"

#define CORRUPT_INDEX "lies outside the ring's 1024 bytes"

static void probe_run(struct vmbus_image *image, bool verbose)
{
	struct rbs_error error = {0};

	cr_assert_eq(vmbus_image_probe(image, verbose, &error), RBS_OK, "%s", error.text);
}

/* "vmbus/GUID/RELID/RING", as problems name it. */
static const char *subject(const struct vmbus_image *image, size_t device, unsigned relid,
			   const char *ring, char text[96])
{
	snprintf(text, 96, "vmbus/%s/%u/%s", vmbus_image_found(image, device)->name, relid, ring);
	return text;
}

/* 96 bytes from 1000 on: 24 before the end and 72 behind it. */
Test(vmbus, wrapped_indexes)
{
	struct vmbus_image image;
	const struct rbs_node *ring;
	uint64_t channel;

	vmbus_image_init(&image);
	channel = vmbus_image_offer(&image, IMAGE_SCSI);
	vmbus_image_indexes(&image, vmbus_image_ring(channel, false), 1000, 72);
	vmbus_image_indexes(&image, vmbus_image_ring(channel, true), 72, 1000);
	vmbus_image_put(&image, "hv_ring_buffer_info", "priv_read_index",
			vmbus_image_ring_info(channel, true), 104);
	probe_run(&image, false);
	ring = vmbus_image_found_ring(&image, 0, 0, false);
	expect_number(ring, "read_avail", 96);
	expect_number(ring, "write_avail", 928);
	ring = vmbus_image_found_ring(&image, 0, 0, true);
	expect_number(ring, "read_avail", 928);
	expect_number(ring, "iterator_held", 32);
	cr_expect_eq(image.report->problem_count, 0);
	vmbus_image_free(&image);
}

/* The values are shown, and nothing is read by them; the other ring keeps its figures. */
Test(vmbus, indexes_outside)
{
	static const uint32_t bad[][2] = {{1024, 0}, {0, 1024}, {0xffffffff, 8}, {8, 0x80000000}};
	char text[96];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vmbus_image image;
		const struct rbs_node *ring;
		uint64_t channel;

		vmbus_image_init(&image);
		channel = vmbus_image_offer(&image, IMAGE_SCSI);
		vmbus_image_indexes(&image, vmbus_image_ring(channel, true), bad[i][0], bad[i][1]);
		vmbus_image_indexes(&image, vmbus_image_ring(channel, false), 8, 8);
		probe_run(&image, true);
		ring = vmbus_image_found_ring(&image, 0, 0, true);
		expect_number(ring, "read_index", bad[i][0]);
		expect_number(ring, "write_index", bad[i][1]);
		expect_absent(ring, "read_avail", RBS_CORRUPT);
		expect_absent(ring, "write_avail", RBS_CORRUPT);
		expect_absent(ring, "iterator_held", RBS_CORRUPT);
		cr_expect_eq(ring->child_count, 0);
		expect_problem(image.report, subject(&image, 0, 0, "in", text), RBS_CORRUPT,
			       CORRUPT_INDEX);
		expect_number(vmbus_image_found_ring(&image, 0, 0, false), "write_avail", 1024);
		vmbus_image_free(&image);
	}
}

Test(vmbus, ring_of_no_size_or_too_large)
{
	static const uint32_t sizes[] = {0, 0xfffff000};
	char text[96];

	for (size_t i = 0; i < 2; i++) {
		struct vmbus_image image;
		uint64_t channel;

		vmbus_image_init(&image);
		channel = vmbus_image_offer(&image, IMAGE_SCSI);
		vmbus_image_put(&image, "hv_ring_buffer_info", "ring_datasize",
				vmbus_image_ring_info(channel, false), sizes[i]);
		probe_run(&image, true);
		expect_absent(vmbus_image_found_ring(&image, 0, 0, false), "size", RBS_CORRUPT);
		expect_problem(image.report, subject(&image, 0, 0, "out", text), RBS_CORRUPT,
			       "cannot be");
		vmbus_image_free(&image);
	}
}

/* One ring's page is not in the dump: that ring says so, the others stand. */
Test(vmbus, ring_page_excluded)
{
	struct vmbus_image image;
	const struct rbs_node *ring;
	uint64_t channel;

	vmbus_image_init(&image);
	channel = vmbus_image_offer(&image, IMAGE_SCSI);
	vmbus_image_offer(&image, IMAGE_HEARTBEAT);
	fake_target_hole(image.target, vmbus_image_ring(channel, false), 0x80, RBS_EXCLUDED);
	probe_run(&image, true);
	ring = vmbus_image_found_ring(&image, 0, 0, false);
	expect_absent(ring, "read_index", RBS_EXCLUDED);
	expect_absent(ring, "read_avail", RBS_EXCLUDED);
	expect_absent(ring, "pending_send_size", RBS_EXCLUDED);
	expect_number(ring, "size", VMBUS_IMAGE_RING);
	expect_number(vmbus_image_found_ring(&image, 0, 0, true), "write_avail", 1024);
	expect_number(vmbus_image_found_ring(&image, 1, 0, false), "write_avail", 1024);
	vmbus_image_free(&image);
}

static const uint8_t execute_srb[] = {
	3,    0, 0, 0, 1, 0,	0, 0, 0, 0, 0, 0, /* operation, flags, status */
	0x34, 0, 0, 0, 0, 0,	2, 5, /* length, statuses, port, path, target 2, lun 5 */
	16,   0, 1, 0, 0, 0x10, 0, 0, /* command's length, sense, direction; 4096 bytes */
	0x28, 0, 0, 1, 0, 2,	0, 0, 8, 0, 0, 0, 0, 0, 0, 0, /* READ(10) */
};

static const uint8_t query_version[12] = {9};

/* The second packet's descriptor lies across the end of the data, the third behind it. */
Test(vmbus, packets_wrapped)
{
	struct vmbus_image image;
	const struct rbs_node *ring, *slot;
	uint64_t channel, page;
	uint32_t at;

	vmbus_image_init(&image);
	channel = vmbus_image_offer(&image, IMAGE_SCSI);
	page = vmbus_image_ring(channel, false);
	at = vmbus_image_packet(&image, page, 944, 0x1111, execute_srb, sizeof(execute_srb));
	cr_assert_eq(at, 1016);
	at = vmbus_image_packet(&image, page, at, 0x2222, execute_srb, sizeof(execute_srb));
	at = vmbus_image_packet(&image, page, at, 0xfedcba9876543210, query_version,
				sizeof(query_version));
	vmbus_image_indexes(&image, page, 944, at);
	probe_run(&image, true);
	ring = vmbus_image_found_ring(&image, 0, 0, false);
	cr_assert_eq(ring->child_count, 3);
	for (size_t i = 0; i < 2; i++) {
		slot = ring->children[i];
		cr_expect_str_eq(slot->name, i ? "1016" : "944");
		expect_text(slot, "type", "inband");
		expect_number(slot, "transaction_id", i ? 0x2222 : 0x1111);
		expect_number(slot, "flags", 1);
		expect_number(slot, "header_bytes", 16);
		expect_number(slot, "payload_bytes", 48);
		expect_text(slot, "what", "READ(10) block 65538 count 8 target 2 lun 5 4096 bytes");
	}
	slot = ring->children[2];
	cr_expect_str_eq(slot->name, "64");
	expect_number(slot, "transaction_id", 0xfedcba9876543210);
	expect_text(slot, "what", "query version");
	cr_expect_eq(image.report->problem_count, 0);
	vmbus_image_free(&image);
}

/* arm64 with pages of 64 KiB: the indexes fill the first one, whatever Hyper-V's own page size. */
Test(vmbus, pages_of_64_kib)
{
	struct vmbus_image image;
	const struct rbs_node *ring;
	uint64_t page, info;
	uint32_t at;

	page = vmbus_image_init_pages(&image, 65536);
	info = vmbus_image_ring_info(vmbus_image_offer(&image, IMAGE_SCSI), false);
	vmbus_image_put(&image, "hv_ring_buffer_info", "ring_buffer", info, page);
	vmbus_image_put(&image, "hv_ring_buffer_info", "ring_datasize", info, 131072);
	at = vmbus_image_packet(&image, page, 131064, 0x3333, query_version, sizeof(query_version));
	cr_assert_eq(at, 32);
	vmbus_image_indexes(&image, page, 131064, at);
	probe_run(&image, true);
	ring = vmbus_image_found_ring(&image, 0, 0, false);
	expect_number(ring, "size", 131072);
	expect_number(ring, "read_avail", 40);
	expect_number(ring, "write_avail", 131032);
	cr_assert_eq(ring->child_count, 1);
	expect_number(ring->children[0], "transaction_id", 0x3333);
	expect_text(ring->children[0], "what", "query version");
	cr_expect_eq(image.report->problem_count, 0);
	vmbus_image_free(&image);
}

/* A good packet, then a descriptor that cannot be: the list ends there and says where. */
Test(vmbus, packets_end_at_a_corrupt_descriptor)
{
	static const struct {
		uint8_t descriptor[8];
		uint32_t bytes; /* between it and the write index */
		const char *why;
	} bad[] = {
		{{6, 0, 1, 0, 4, 0, 0, 0}, 64, "does not fit"},	      /* header shorter than one */
		{{6, 0, 4, 0, 3, 0, 0, 0}, 64, "does not fit"},	      /* length below the header */
		{{6, 0, 2, 0, 8, 0, 0, 0}, 64, "does not fit"},	      /* no room for what follows */
		{{6, 0, 2, 0, 0xff, 0xff, 0, 0}, 64, "does not fit"}, /* longer than any ring */
		{{0, 0, 0, 0, 0, 0, 0, 0}, 64, "does not fit"},	      /* memory that was cleared */
		{{6, 0, 2, 0, 2, 0, 0, 0}, 16, "fewer bytes are left"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vmbus_image image;
		const struct rbs_node *ring;
		char text[96], where[96];
		uint64_t page;
		uint32_t at;

		vmbus_image_init(&image);
		page = vmbus_image_ring(vmbus_image_offer(&image, IMAGE_UNKNOWN), false);
		at = vmbus_image_packet(&image, page, 128, 7, "payload", 8);
		vmbus_image_put_data(&image, page, at, bad[i].descriptor, 8);
		vmbus_image_indexes(&image, page, 128, at + bad[i].bytes);
		probe_run(&image, true);
		ring = vmbus_image_found_ring(&image, 0, 0, false);
		cr_expect_eq(ring->child_count, 1);
		expect_number(ring, "read_avail", 32 + bad[i].bytes);
		snprintf(where, sizeof(where), "ends at offset 160: ");
		expect_problem(image.report, subject(&image, 0, 0, "out", text), RBS_CORRUPT,
			       where);
		expect_problem(image.report, text, RBS_CORRUPT, bad[i].why);
		vmbus_image_free(&image);
	}
}

Test(vmbus, subchannels_offered_and_opened)
{
	struct vmbus_image image;
	const struct rbs_node *device;
	uint64_t primary, closed;

	vmbus_image_init(&image);
	primary = vmbus_image_offer(&image, IMAGE_SCSI);
	vmbus_image_offer_sub(&image, primary, 1);
	closed = vmbus_image_offer_sub(&image, primary, 2);
	vmbus_image_put(&image, "vmbus_channel", "state", closed, 2);
	vmbus_image_put(&image, "hv_ring_buffer_info", "ring_buffer",
			vmbus_image_ring_info(closed, false), 0);
	vmbus_image_put(&image, "hv_ring_buffer_info", "ring_buffer",
			vmbus_image_ring_info(closed, true), 0);
	probe_run(&image, false);
	device = vmbus_image_found(&image, 0);
	expect_number(device, "sub_channels_offered", 2);
	expect_number(device, "sub_channels_opened", 1);
	cr_assert_eq(device->child_count, 3);
	expect_number(device->children[1], "sub_channel", 1);
	expect_text(device->children[2], "state", "closed");
	cr_expect_eq(device->children[2]->child_count, 0, "a closed channel has no rings");
	vmbus_image_free(&image);
}

/* A list of offers that runs into itself: what came before is shown, once. */
Test(vmbus, offers_in_a_circle)
{
	struct vmbus_image image;
	uint64_t first, second;

	vmbus_image_init(&image);
	first = vmbus_image_offer(&image, IMAGE_SCSI);
	second = vmbus_image_offer(&image, IMAGE_SCSI);
	fake_target_put_pointer(image.target, second + 0x18, first + 0x18);
	probe_run(&image, false);
	expect_problem(image.report, "vmbus", RBS_CORRUPT, "circle");
	cr_expect_geq(image.report->sections[0].node->child_count, 2);
	cr_expect_lt(image.report->sections[0].node->child_count, 16);
	vmbus_image_free(&image);
}

Test(vmbus, outstanding_requests)
{
	struct vmbus_image image;
	const struct rbs_node *device;
	uint64_t channel, none, bitmap = 0xffff888000080000;

	vmbus_image_init(&image);
	fake_target_map_zeros(image.target, bitmap, 64);
	channel = vmbus_image_offer(&image, IMAGE_SCSI);
	none = vmbus_image_offer_sub(&image, channel, 1);
	vmbus_image_put(&image, "vmbus_channel", "requestor.req_bitmap", channel, bitmap);
	vmbus_image_put(&image, "vmbus_channel", "requestor.size", channel, 100);
	fake_target_put(image.target, bitmap, 8, 0x8000000000000001);
	fake_target_put(image.target, bitmap + 8, 8, 0x5);
	fake_target_put(image.target, bitmap + 16, 8, 0xff); /* behind the bitmap's end */
	vmbus_image_put(&image, "vmbus_channel", "requestor.size", none, 64);
	probe_run(&image, false);
	device = vmbus_image_found(&image, 0);
	expect_number(device->children[0], "requests_outstanding", 4);
	expect_absent(device->children[1], "requests_outstanding", RBS_NOT_COUNTED);
	vmbus_image_free(&image);
}

struct cost {
	uint64_t reads;
	double seconds;
	size_t channels;
};

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Devices of ten channels each, as a guest with many disks and network devices has. */
static struct cost cost_measure(size_t devices)
{
	struct vmbus_image image;
	struct cost cost = {0};
	double start;

	vmbus_image_init(&image);
	for (size_t i = 0; i < devices; i++) {
		uint64_t primary = vmbus_image_offer(&image, i % 2 ? IMAGE_SCSI : IMAGE_HEARTBEAT);

		for (uint32_t sub = 1; sub < 10; sub++)
			vmbus_image_offer_sub(&image, primary, sub);
	}
	start = cpu_seconds();
	probe_run(&image, false);
	cost.seconds = cpu_seconds() - start;
	cost.reads = image.target->stats.reads;
	for (size_t i = 0; i < devices; i++)
		cost.channels += vmbus_image_found(&image, i)->child_count;
	vmbus_image_free(&image);
	return cost;
}

/* Reads grow as the channels do; so does time, where a search in a search would make it 64-fold. */
Test(vmbus, two_thousand_channels)
{
	struct cost few = cost_measure(25), many = cost_measure(200);

	cr_expect_eq(few.channels, 250);
	cr_expect_eq(many.channels, 2000);
	cr_expect_leq(many.reads, 8 * few.reads + 100, "%" PRIu64 " reads, then %" PRIu64,
		      few.reads, many.reads);
	cr_expect_lt(many.seconds, 24 * few.seconds, "%f s, then %f s", few.seconds, many.seconds);
	cr_log_info("250 channels: %.4f s, %" PRIu64 " reads; 2000: %.4f s, %" PRIu64 "\n",
		    few.seconds, few.reads, many.seconds, many.reads);
}
