/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the virtio probe takes from the drivers: names, counters, and what a request asks for. */
#include <criterion/criterion.h>
#include <string.h>

#include "virtio_image.h"

#define VERSION_1 (UINT64_C(1) << 32)
#define NET 1
#define BLOCK 2

struct net {
	struct virtio_image image;
	uint64_t device, info, send, receive;
	uint64_t queues[4]; /* struct virtqueue: input.0, output.0, input.1, output.1 */
};

/* Two queue pairs whose counters are 1000 and the like. */
static void net_init(struct net *net)
{
	static const char *const names[] = {"input.0", "output.0", "input.1", "output.1"};
	struct virtio_image *image = &net->image;
	uint64_t netdev;

	image_init(image, SHAPE_D, RBS_LITTLE_ENDIAN);
	net->device = image_device(image, "virtio0", NET, VERSION_1);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t queue = image_queue(image, net->device, names[i]);

		image_split_rings(image, queue, 8);
		net->queues[i] = queue + 8;
		image_put(image, "virtqueue", "index", queue + 8, i);
	}
	net->info = image_room(image, 0x100);
	net->send = image_room(image, 0x100);
	net->receive = image_room(image, 0x200);
	netdev = image_room(image, 0x100);
	fake_target_put_string(image->target, netdev + 0x30, "eth0");
	image_put(image, "virtio_device", "priv", net->device, net->info);
	image_put(image, "virtnet_info", "dev", net->info, netdev);
	image_put(image, "virtnet_info", "sq", net->info, net->send);
	image_put(image, "virtnet_info", "rq", net->info, net->receive);
	image_put(image, "virtnet_info", "max_queue_pairs", net->info, 2);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t send = net->send + 0x80 * i, receive = net->receive + 0x100 * i;

		image_put(image, "send_queue", "vq", send, net->queues[2 * i + 1]);
		image_put(image, "send_queue", "stats.packets", send, 1000 + i);
		image_put(image, "send_queue", "stats.bytes", send, 0x123456789abc + i);
		image_put(image, "send_queue", "stats.kicks", send, 30 + i);
		image_put(image, "receive_queue", "vq", receive, net->queues[2 * i]);
		image_put(image, "receive_queue", "stats.packets", receive, 2000 + i);
		image_put(image, "receive_queue", "stats.bytes", receive, 4000 + i);
		image_put(image, "receive_queue", "stats.drops", receive, UINT64_MAX - i);
	}
}

Test(virtio_drivers, net_counters)
{
	const struct rbs_node *found;
	struct net net;

	net_init(&net);
	cr_assert_eq(image_probe(&net.image, false, NULL), RBS_OK);
	expect_text(image_found(&net.image, 0), "netdev", "eth0");
	found = image_found_queue(&net.image, 0, 0);
	expect_number(found, "packets", 2000);
	expect_number(found, "bytes", 4000);
	expect_number(found, "drops", UINT64_MAX);
	/* What this driver does not count is not there, rather than 0. */
	cr_expect_null(rbs_node_find(found, "kicks"));
	cr_expect_null(rbs_node_find(found, "xdp_drops"));
	found = image_found_queue(&net.image, 0, 3);
	expect_number(found, "packets", 1001);
	expect_number(found, "bytes", 0x123456789abd);
	expect_number(found, "kicks", 31);
	cr_expect_null(rbs_node_find(found, "drops"));
	cr_expect_eq(net.image.report->problem_count, 0);
	image_free(&net.image);
}

/* Counters whose page is missing say so; a queue that is not the device's gets none. */
Test(virtio_drivers, net_counters_missing)
{
	const struct rbs_node *found;
	struct net net;

	net_init(&net);
	fake_target_hole(net.image.target, net.send + 0x28, 8, RBS_EXCLUDED);
	image_put(&net.image, "receive_queue", "vq", net.receive, 0xffff88800dead000);
	cr_assert_eq(image_probe(&net.image, false, NULL), RBS_OK);
	found = image_found_queue(&net.image, 0, 1);
	expect_number(found, "packets", 1000);
	expect_absent(found, "bytes", RBS_EXCLUDED);
	cr_expect_null(rbs_node_find(image_found_queue(&net.image, 0, 0), "packets"));
	expect_number(image_found_queue(&net.image, 0, 2), "packets", 2001);
	image_free(&net.image);
}

Test(virtio_drivers, senseless_number_of_pairs)
{
	struct net net;

	net_init(&net);
	image_put(&net.image, "virtnet_info", "max_queue_pairs", net.info, 32769);
	cr_assert_eq(image_probe(&net.image, false, NULL), RBS_OK);
	cr_expect_null(rbs_node_find(image_found_queue(&net.image, 0, 1), "packets"));
	expect_number(image_found_queue(&net.image, 0, 1), "in_flight", 0);
	expect_problem(net.image.report, "virtio/virtio0", RBS_CORRUPT, "32769 queue pairs");
	image_free(&net.image);
}

/* No more pairs are looked at than the device has queues. */
Test(virtio_drivers, more_pairs_than_queues)
{
	struct net net;

	net_init(&net);
	image_put(&net.image, "virtnet_info", "max_queue_pairs", net.info, 32768);
	cr_assert_eq(image_probe(&net.image, false, NULL), RBS_OK);
	cr_expect_lt(net.image.target->stats.reads, 2000);
	expect_number(image_found_queue(&net.image, 0, 3), "packets", 1001);
	image_free(&net.image);
}

Test(virtio_drivers, driver_structure_missing)
{
	struct net net;

	net_init(&net);
	image_put(&net.image, "virtio_device", "priv", net.device, 0xffff88800dead000);
	cr_assert_eq(image_probe(&net.image, false, NULL), RBS_OK);
	expect_absent(image_found(&net.image, 0), "netdev", RBS_UNMAPPED);
	cr_expect_null(rbs_node_find(image_found_queue(&net.image, 0, 1), "packets"));
	image_free(&net.image);
}

struct block {
	struct virtio_image image;
	uint64_t device, rings, request;
};

static void block_init(struct block *block, enum rbs_byte_order order, uint64_t features)
{
	struct virtio_image *image = &block->image;
	uint64_t queue, private, disk;

	image_init(image, SHAPE_D, order);
	block->device = image_device(image, "virtio0", BLOCK, features);
	queue = image_queue(image, block->device, "req.0");
	block->rings = image_split_rings(image, queue, 8);
	private = image_room(image, 0x100);
	disk = image_room(image, 0x100);
	fake_target_put_string(image->target, disk + 0x0c, "vda");
	image_put(image, "virtio_device", "priv", block->device, private);
	image_put(image, "virtio_blk", "disk", private, disk);
	block->request = image_room(image, 0x1000);
	fake_target_put_pointer(image->target, block->rings + 0xc000, block->request);
}

static void expect_request(uint32_t type, uint64_t sector, const char *expected)
{
	const struct rbs_node *chain;
	struct block block;

	block_init(&block, RBS_LITTLE_ENDIAN, VERSION_1);
	image_put_little(&block.image, block.request + 0x10, 4, type);
	image_put_little(&block.image, block.request + 0x18, 8, sector);
	cr_assert_eq(image_probe(&block.image, true, NULL), RBS_OK);
	expect_text(image_found(&block.image, 0), "disk", "vda");
	chain = image_found_queue(&block.image, 0, 0)->children[0];
	expect_text(chain, "request", expected);
	image_free(&block.image);
}

/* include/uapi/linux/virtio_blk.h */
Test(virtio_drivers, block_requests)
{
	expect_request(0, 2048, "read sector 2048");
	expect_request(1, UINT64_MAX, "write sector 18446744073709551615");
	expect_request(4, 99, "flush");
	expect_request(11, 0, "discard");
	expect_request(13, 0, "write zeroes");
	expect_request(77, 0, "type 77");
}

/* The header of a request is in the ring's byte order. */
Test(virtio_drivers, block_requests_big_endian)
{
	struct block block;

	block_init(&block, RBS_BIG_ENDIAN, VERSION_1);
	image_put_little(&block.image, block.request + 0x10, 4, 1);
	image_put_little(&block.image, block.request + 0x18, 8, 128);
	cr_assert_eq(image_probe(&block.image, true, NULL), RBS_OK);
	expect_text(image_found_queue(&block.image, 0, 0)->children[0], "request",
		    "write sector 128");
	image_free(&block.image);
	block_init(&block, RBS_BIG_ENDIAN, 0);
	image_put_big(&block.image, block.request + 0x10, 4, 1);
	image_put_big(&block.image, block.request + 0x18, 8, 128);
	cr_assert_eq(image_probe(&block.image, true, NULL), RBS_OK);
	expect_text(image_found_queue(&block.image, 0, 0)->children[0], "request",
		    "write sector 128");
	image_free(&block.image);
}

Test(virtio_drivers, request_missing)
{
	struct block block;

	block_init(&block, RBS_LITTLE_ENDIAN, VERSION_1);
	fake_target_hole(block.image.target, block.request, 0x1000, RBS_EXCLUDED);
	cr_assert_eq(image_probe(&block.image, true, NULL), RBS_OK);
	expect_absent(image_found_queue(&block.image, 0, 0)->children[0], "request", RBS_EXCLUDED);
	image_free(&block.image);
}

/* A command stands in the first buffer, whose address is physical unless the DMA API made it. */
static void expect_command(uint8_t class, uint8_t command, bool mapped, const char *expected)
{
	const uint8_t header[2] = {class, command};
	const struct rbs_node *chain;
	struct virtio_image image;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", NET, VERSION_1);
	queue = image_queue(&image, device, "control");
	rings = image_split_rings(&image, queue, 8);
	image_put(&image, "vring_virtqueue", "use_dma_api", queue, mapped);
	image_put_little(&image, rings + 16 * 2, 8, 0x7654000);
	image_put_little(&image, rings + 16 * 2 + 8, 4, 2);
	fake_target_put_pointer(image.target, rings + 0xc000 + 24 * 2, 0xffff888000777000);
	fake_target_map_physical(image.target, 0x7654000, header, sizeof(header));
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	chain = image_found_queue(&image, 0, 0)->children[0];
	if (expected)
		expect_text(chain, "request", expected);
	else
		cr_expect_null(rbs_node_find(chain, "request"));
	image_free(&image);
}

/* include/uapi/linux/virtio_net.h */
Test(virtio_drivers, control_commands)
{
	expect_command(4, 0, false, "mq pairs set (class 4 command 0)");
	expect_command(1, 1, false, "mac address set (class 1 command 1)");
	expect_command(8, 1, false, "stats get (class 8 command 1)");
	expect_command(99, 7, false, "unknown command (class 99 command 7)");
	expect_command(4, 0, true, NULL);
}
