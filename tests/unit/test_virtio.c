/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtio probe on split rings of every shape, whole and damaged. */
#include <criterion/criterion.h>
#include <string.h>

#include "virtio_image.h"

#define VERSION_1 (UINT64_C(1) << 32)
#define BLOCK 2
#define RNG 4

#define F_NEXT 1
#define F_WRITE 2
#define F_INDIRECT 4

static void put_desc(struct virtio_image *image, uint64_t table, unsigned index, uint64_t address,
		     uint32_t length, unsigned flags, unsigned next)
{
	image_put_little(image, table + 16 * index, 8, address);
	image_put_little(image, table + 16 * index + 8, 4, length);
	image_put_little(image, table + 16 * index + 12, 2, flags);
	image_put_little(image, table + 16 * index + 14, 2, next);
}

/* The driver's record of the chain that starts at head. */
static void put_state(struct virtio_image *image, uint64_t rings, unsigned head, uint64_t data,
		      uint64_t indirect)
{
	fake_target_put_pointer(image->target, rings + 0xc000 + 24 * head, data);
	fake_target_put_pointer(image->target, rings + 0xc000 + 24 * head + 8, indirect);
}

static const struct rbs_node *chain_found(const struct virtio_image *image, const char *head)
{
	const struct rbs_node *queue = image_found_queue(image, 0, 0);

	for (size_t i = 0; i < queue->child_count; i++) {
		if (!strcmp(queue->children[i]->name, head))
			return queue->children[i];
	}
	return NULL;
}

/* The oldest shape: no shadow of the avail index, num_free elsewhere, no DMA address kept. */
Test(virtio, shape_a)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_A, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, 0);
	queue = image_queue(&image, device, "input");
	rings = image_split_rings(&image, queue, 128);
	/* both indexes just wrapped or about to */
	image_put_indexes(&image, rings, 5, 65533);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 65531);
	image_put(&image, "vring_virtqueue", "num_free", queue, 118);
	image_put(&image, "vring_virtqueue", "num_added", queue, 3);
	image_put_little(&image, rings + 0x4000, 2, 1);		    /* avail flags */
	image_put_little(&image, rings + 0x8000, 2, 1);		    /* used flags */
	image_put_little(&image, rings + 0x4000 + 4 + 256, 2, 77);  /* used_event */
	image_put_little(&image, rings + 0x8000 + 4 + 1024, 2, 88); /* avail_event */
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	found = image_found_queue(&image, 0, 0);
	expect_text(found, "layout", "split");
	expect_text(found, "name", "input");
	expect_number(found, "size", 128);
	expect_number(found, "num_free", 118);
	expect_number(found, "avail_idx", 5);
	expect_number(found, "used_idx", 65533);
	expect_number(found, "last_used_idx", 65531);
	expect_number(found, "in_flight", 8);
	expect_number(found, "unreaped", 2);
	expect_number(found, "num_added", 3);
	expect_number(found, "avail_flags", 1);
	expect_number(found, "used_flags", 1);
	expect_number(found, "used_event", 77);
	expect_number(found, "avail_event", 88);
	expect_number(found, "broken", 0);
	expect_absent(found, "avail_idx_shadow", RBS_NO_MEMBER);
	expect_absent(found, "desc_address", RBS_NO_MEMBER);
	expect_absent(found, "driver_address", RBS_NO_MEMBER);
	expect_absent(found, "device_address", RBS_NO_MEMBER);
	cr_expect_eq(found->child_count, 0);
	cr_expect_not(found->idle);
	image_free(&image);
}

/* From B on everything that a split queue can tell; C to E differ in how they say that it is one.
 */
static void expect_split(enum virtio_shape shape, unsigned layout, const char *name)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, queue, rings;

	image_init(&image, shape, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio7", BLOCK, VERSION_1 | 0x54);
	queue = image_queue(&image, device, "req.0");
	rings = image_split_rings(&image, queue, 256);
	image_put_indexes(&image, rings, 3595, 3346);
	image_put(&image, "virtqueue", "num_free", queue + 8, 7);
	image_put(&image, "virtqueue", "index", queue + 8, 4);
	image_put(&image, "vring_virtqueue", "split.avail_idx_shadow", queue, 3597);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 3345);
	image_put(&image, "vring_virtqueue", "broken", queue, 1);
	image_put(&image, "vring_virtqueue", "event", queue, 1);
	if (shape == SHAPE_E)
		image_put(&image, "vring_virtqueue", "layout", queue, layout);
	cr_assert_eq(image_probe(&image, false, NULL), RBS_OK);
	expect_text(image_found(&image, 0), "type", "block");
	expect_number(image_found(&image, 0), "features", 0x100000054);
	found = image_found_queue(&image, 0, 0);
	cr_assert_not_null(found);
	cr_expect_str_eq(found->name, "4");
	expect_number(found, "index", 4);
	expect_text(found, "layout", name);
	expect_number(found, "size", 256);
	expect_number(found, "num_free", 7);
	expect_number(found, "avail_idx", 3595);
	expect_number(found, "avail_idx_shadow", 3597);
	expect_number(found, "used_idx", 3346);
	expect_number(found, "in_flight", 249);
	expect_number(found, "unreaped", 1);
	expect_number(found, "broken", 1);
	expect_number(found, "indirect", 0);
	expect_number(found, "event_idx", 1);
	expect_number(found, "desc_address", 0x12340000);
	expect_number(found, "driver_address", 0x12344000);
	expect_number(found, "device_address", 0x12348000);
	cr_expect_eq(image.report->problem_count, 0);
	image_free(&image);
}

Test(virtio, shape_b)
{
	expect_split(SHAPE_B, 0, "split");
}

Test(virtio, shape_c_and_d)
{
	expect_split(SHAPE_C, 0, "split");
	expect_split(SHAPE_D, 0, "split");
}

Test(virtio, shape_e)
{
	expect_split(SHAPE_E, 0, "split");
	expect_split(SHAPE_E, 2, "split-in-order");
}

Test(virtio, unknown_layout)
{
	struct virtio_image image;
	uint64_t device, queue;

	image_init(&image, SHAPE_E, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "first");
	image_put(&image, "vring_virtqueue", "layout", queue, 9);
	queue = image_queue(&image, device, "second");
	image_put(&image, "virtqueue", "index", queue + 8, 1);
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 2, 1);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 1);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	expect_problem(image.report, "virtio/virtio0/0", RBS_CORRUPT, "unknown layout 9");
	expect_number(image_found_queue(&image, 0, 1), "in_flight", 1);
	image_free(&image);
}

static void expect_bad_size(enum virtio_shape shape, uint32_t num, const char *text)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, queue;

	image_init(&image, shape, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "input");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 3, 1);
	image_put(&image, "vring_virtqueue", shape == SHAPE_A ? "vring.num" : "split.vring.num",
		  queue, num);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	found = image_found_queue(&image, 0, 0);
	expect_absent(found, "size", RBS_CORRUPT);
	expect_problem(image.report, "virtio/virtio0/0", RBS_CORRUPT, text);
	/* Without a size no place in the ring is known; what does not hang on it is shown. */
	cr_expect_null(rbs_node_find(found, "in_flight"));
	expect_number(found, "broken", 0);
	cr_expect_not(found->idle);
	image_free(&image);
}

Test(virtio, ring_sizes_that_cannot_be)
{
	expect_bad_size(SHAPE_A, 0, "a ring of 0 entries cannot be");
	expect_bad_size(SHAPE_B, 32769, "a ring of 32769 entries cannot be");
	expect_bad_size(SHAPE_D, 0xffffffff, "a ring of 4294967295 entries cannot be");
}

/* The two indexes belong together only as far as the ring is long. */
Test(virtio, distances_larger_than_the_ring)
{
	struct virtio_image image;
	const struct rbs_node *found;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "full");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 108, 100);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 92);
	queue = image_queue(&image, device, "fuller");
	rings = image_split_rings(&image, queue, 8);
	image_put_indexes(&image, rings, 109, 100);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 91);
	queue = image_queue(&image, device, "behind");
	image_put_indexes(&image, image_split_rings(&image, queue, 8), 99, 100);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 101);
	cr_assert_eq(image_probe(&image, false, NULL), RBS_OK);
	found = image_found_queue(&image, 0, 0);
	expect_number(found, "in_flight", 8);
	expect_number(found, "unreaped", 8);
	found = image_found_queue(&image, 0, 1);
	expect_absent(found, "in_flight", RBS_CORRUPT);
	expect_absent(found, "unreaped", RBS_CORRUPT);
	expect_number(found, "avail_idx", 109);
	found = image_found_queue(&image, 0, 2);
	expect_absent(found, "in_flight", RBS_CORRUPT);
	expect_absent(found, "unreaped", RBS_CORRUPT);
	image_free(&image);
}

/* Rings are little endian with VERSION_1 and in the machine's order without; structures never are.
 */
static void expect_order(uint64_t features,
			 void (*put)(struct virtio_image *image, uint64_t address, size_t size,
				     uint64_t value))
{
	struct virtio_image image;
	const struct rbs_node *found, *chain;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_D, RBS_BIG_ENDIAN);
	device = image_device(&image, "virtio0", RNG, features);
	queue = image_queue(&image, device, "input");
	rings = image_split_rings(&image, queue, 16);
	put(&image, rings + 0x4000 + 2, 2, 0x0203);
	put(&image, rings + 0x8000 + 2, 2, 0x0201);
	put(&image, rings + 16 * 5 + 8, 4, 0x00010203);
	put(&image, rings + 16 * 5 + 12, 2, F_WRITE);
	put_state(&image, rings, 5, 0xffff888000777000, 0);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 0x0201);
	image_put(&image, "virtqueue", "num_free", queue + 8, 15);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	found = image_found_queue(&image, 0, 0);
	expect_number(found, "size", 16);
	expect_number(found, "num_free", 15);
	expect_number(found, "avail_idx", 515);
	expect_number(found, "used_idx", 513);
	expect_number(found, "last_used_idx", 513);
	expect_number(found, "in_flight", 2);
	chain = chain_found(&image, "5");
	expect_number(chain, "descriptors", 1);
	expect_number(chain, "in_bytes", 66051);
	expect_number(chain, "out_bytes", 0);
	image_free(&image);
}

Test(virtio, big_endian_machine)
{
	expect_order(VERSION_1, image_put_little);
	expect_order(0, image_put_big);
}

Test(virtio, chains)
{
	struct virtio_image image;
	const struct rbs_node *chain;
	uint64_t device, queue, rings, table;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "q");
	rings = image_split_rings(&image, queue, 16);
	image_put_indexes(&image, rings, 12, 11);
	image_put(&image, "vring_virtqueue", "last_used_idx", queue, 10);
	/* head 3: 3 -> 7 -> 1, in flight */
	put_desc(&image, rings, 3, 0x10000, 16, F_NEXT, 7);
	put_desc(&image, rings, 7, 0x20000, 4096, F_NEXT | F_WRITE, 1);
	put_desc(&image, rings, 1, 0x30000, 1, F_WRITE, 9);
	put_state(&image, rings, 3, 0xffff888000777000, 0);
	/* head 4: an indirect table of three, returned by the device */
	table = image_room(&image, 48);
	put_desc(&image, rings, 4, 0x40000, 48, F_INDIRECT, 0);
	put_desc(&image, table, 0, 0x50000, 100, F_NEXT, 2);
	put_desc(&image, table, 2, 0x50000, 200, F_NEXT, 1);
	put_desc(&image, table, 1, 0x50000, 300, F_WRITE, 0);
	put_state(&image, rings, 4, 0xffff888000778000, table);
	image_put_little(&image, rings + 0x8000 + 4 + 8 * 10, 4, 4); /* used->ring[10].id */
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	cr_assert_eq(image_found_queue(&image, 0, 0)->child_count, 2);
	chain = chain_found(&image, "3");
	expect_text(chain, "state", "device");
	expect_number(chain, "descriptors", 3);
	expect_number(chain, "out_bytes", 16);
	expect_number(chain, "in_bytes", 4097);
	expect_number(chain, "indirect", 0);
	chain = chain_found(&image, "4");
	expect_text(chain, "state", "used");
	expect_number(chain, "descriptors", 3);
	expect_number(chain, "out_bytes", 300);
	expect_number(chain, "in_bytes", 300);
	expect_number(chain, "indirect", 1);
	cr_expect_eq(image.report->problem_count, 0);
	image_free(&image);
}

/* Each damaged chain costs its own figures. */
Test(virtio, damaged_chains)
{
	static const char *const damaged[] = {"0", "1", "2", "4", "5", "6", "7", "8", "9"};
	struct virtio_image image;
	uint64_t device, queue, rings, loop;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "q");
	rings = image_split_rings(&image, queue, 16);
	for (unsigned head = 0; head < 11; head++)
		put_state(&image, rings, head, 0xffff888000777000, 0);
	put_desc(&image, rings, 0, 0, 16, F_NEXT, 0); /* itself */
	put_desc(&image, rings, 1, 0, 16, F_NEXT, 2); /* a circle of two */
	put_desc(&image, rings, 2, 0, 16, F_NEXT, 1);
	put_desc(&image, rings, 3, 0, 16, 0, 65535);		  /* a good one */
	put_desc(&image, rings, 4, 0, 16, F_NEXT, 16);		  /* outside the ring */
	put_desc(&image, rings, 5, 0, 24, F_INDIRECT, 0);	  /* one descriptor and a half */
	put_desc(&image, rings, 6, 0, 0, F_INDIRECT, 0);	  /* none */
	put_desc(&image, rings, 7, 0, 0xfffffff0, F_INDIRECT, 0); /* 268 million */
	put_desc(&image, rings, 8, 0, 32, F_INDIRECT, 0);	  /* the driver knows of no table */
	put_desc(&image, rings, 9, 0, 32, F_INDIRECT, 0);	  /* a table with a circle */
	put_desc(&image, rings, 10, 0, 32, F_INDIRECT, 0);	  /* a table that is missing */
	loop = image_room(&image, 32);
	put_desc(&image, loop, 0, 0, 16, F_NEXT, 1);
	put_desc(&image, loop, 1, 0, 16, F_NEXT, 0);
	put_state(&image, rings, 5, 0xffff888000777000, loop);
	put_state(&image, rings, 6, 0xffff888000777000, loop);
	put_state(&image, rings, 7, 0xffff888000777000, loop);
	put_state(&image, rings, 9, 0xffff888000777000, loop);
	put_state(&image, rings, 10, 0xffff888000777000, 0xffff88800dead000);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	cr_assert_eq(image_found_queue(&image, 0, 0)->child_count, 11);
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		const struct rbs_node *chain = chain_found(&image, damaged[i]);

		cr_assert_not_null(chain, "chain %s", damaged[i]);
		expect_absent(chain, "descriptors", RBS_CORRUPT);
		expect_absent(chain, "out_bytes", RBS_CORRUPT);
		expect_absent(chain, "in_bytes", RBS_CORRUPT);
	}
	expect_number(chain_found(&image, "3"), "descriptors", 1);
	expect_absent(chain_found(&image, "10"), "descriptors", RBS_UNMAPPED);
	image_free(&image);
}

/* The used ring names heads: ones that cannot be are passed over. */
Test(virtio, senseless_used_entries)
{
	struct virtio_image image;
	uint64_t device, queue, rings;

	image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
	device = image_device(&image, "virtio0", RNG, VERSION_1);
	queue = image_queue(&image, device, "q");
	rings = image_split_rings(&image, queue, 4);
	image_put_indexes(&image, rings, 3, 2);
	put_state(&image, rings, 1, 0xffff888000777000, 0);
	put_state(&image, rings, 2, 0xffff888000778000, 0);
	image_put_little(&image, rings + 0x8000 + 4, 4, 0xffffffff);
	image_put_little(&image, rings + 0x8000 + 4 + 8, 4, 2);
	cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
	expect_text(chain_found(&image, "1"), "state", "device");
	expect_text(chain_found(&image, "2"), "state", "used");
	image_free(&image);
}

Test(virtio, as_many_chains_as_are_listed)
{
	for (unsigned count = 1024; count <= 1025; count++) {
		struct virtio_image image;
		uint64_t device, queue, rings;

		image_init(&image, SHAPE_D, RBS_LITTLE_ENDIAN);
		device = image_device(&image, "virtio0", RNG, VERSION_1);
		queue = image_queue(&image, device, "q");
		rings = image_split_rings(&image, queue, 1026);
		fake_target_map_zeros(image.target, rings, 1026 * 16);
		for (unsigned head = 0; head < count; head++)
			put_state(&image, rings, head, 0xffff888000777000, 0);
		cr_assert_eq(image_probe(&image, true, NULL), RBS_OK);
		cr_expect_eq(image_found_queue(&image, 0, 0)->child_count, 1024);
		cr_expect_eq(image.report->problem_count, count - 1024);
		if (count > 1024)
			expect_problem(image.report, "virtio/virtio0/0", RBS_LIMIT,
				       "only the first 1024 chains");
		image_free(&image);
	}
}
