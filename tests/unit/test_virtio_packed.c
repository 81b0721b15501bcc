/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtio probe on packed rings, with and without a wrap counter of its own, and in order. */
#include <criterion/criterion.h>
#include <string.h>

#include "virtio_image.h"

#define VERSION_1 (UINT64_C(1) << 32)
#define RNG 4

/* Flags of a descriptor: made available or used on a lap whose wrap bit is 1 or 0. */
#define AVAIL_1 0x0080
#define AVAIL_0 0x8000
#define USED_1 0x8080
#define USED_0 0x0000
#define F_NEXT 1
#define F_WRITE 2
#define F_INDIRECT 4

struct packed {
	struct virtio_image image;
	uint64_t queue, rings;
};

static void packed_init(struct packed *packed, enum virtio_shape shape, uint32_t num)
{
	uint64_t device;

	image_init(&packed->image, shape, RBS_LITTLE_ENDIAN);
	device = image_device(&packed->image, "virtio0", RNG, VERSION_1);
	packed->queue = image_queue(&packed->image, device, "q");
	packed->rings = image_packed_rings(&packed->image, packed->queue, num);
	if (shape == SHAPE_E)
		image_put(&packed->image, "vring_virtqueue", "layout", packed->queue, 1);
	else
		image_put(&packed->image, "vring_virtqueue", "packed_ring", packed->queue, 1);
}

static void put_positions(struct packed *packed, uint16_t next, bool next_wrap, uint16_t last_used)
{
	image_put(&packed->image, "vring_virtqueue", "packed.next_avail_idx", packed->queue, next);
	image_put(&packed->image, "vring_virtqueue", "packed.avail_wrap_counter", packed->queue,
		  next_wrap);
	image_put(&packed->image, "vring_virtqueue", "last_used_idx", packed->queue, last_used);
}

static void put_desc(struct packed *packed, unsigned position, uint32_t length, unsigned id,
		     unsigned flags)
{
	uint64_t desc = packed->rings + 16 * position;

	image_put_little(&packed->image, desc, 8, 0x10000);
	image_put_little(&packed->image, desc + 8, 4, length);
	image_put_little(&packed->image, desc + 12, 2, id);
	image_put_little(&packed->image, desc + 14, 2, flags);
}

static void put_state(struct packed *packed, unsigned id, unsigned num, uint64_t indirect)
{
	uint64_t state = packed->rings + 0x8000 + 40 * id;

	image_put(&packed->image, "vring_desc_state_packed", "data", state, 0xffff888000777000);
	image_put(&packed->image, "vring_desc_state_packed", "indir_desc", state, indirect);
	image_put(&packed->image, "vring_desc_state_packed", "num", state, num);
}

static const struct rbs_node *packed_probe(struct packed *packed)
{
	cr_assert_eq(image_probe(&packed->image, true, NULL), RBS_OK);
	return image_found_queue(&packed->image, 0, 0);
}

static const struct rbs_node *chain_found(const struct rbs_node *queue, const char *id)
{
	for (size_t i = 0; i < queue->child_count; i++) {
		if (!strcmp(queue->children[i]->name, id))
			return queue->children[i];
	}
	return NULL;
}

/*
 * A ring of 8. The driver has put in: id 0 (two descriptors, positions 5 and 6), id 3 (position 7),
 * and on the next lap id 1 (positions 0 and 1). The device has returned id 0.
 */
static void fill(struct packed *packed)
{
	put_desc(packed, 5, 4, 0, USED_1);
	put_desc(packed, 6, 100, 0, AVAIL_1 | F_WRITE);
	put_desc(packed, 7, 200, 3, AVAIL_1);
	put_desc(packed, 0, 300, 1, AVAIL_0 | F_NEXT);
	put_desc(packed, 1, 400, 1, AVAIL_0 | F_WRITE);
	put_state(packed, 0, 2, 0);
	put_state(packed, 3, 1, 0);
	put_state(packed, 1, 2, 0);
	image_put(&packed->image, "virtqueue", "num_free", packed->queue + 8, 3);
	image_put_little(&packed->image, packed->rings + 0x4000, 2, 0x8005);
	image_put_little(&packed->image, packed->rings + 0x4002, 2, 2);
	image_put_little(&packed->image, packed->rings + 0x5000, 2, 0x0006);
	image_put_little(&packed->image, packed->rings + 0x5002, 2, 1);
}

static void expect_filled(const struct rbs_node *found)
{
	const struct rbs_node *chain;

	expect_text(found, "layout", "packed");
	expect_number(found, "size", 8);
	expect_number(found, "num_free", 3);
	expect_number(found, "avail_idx", 2);
	expect_number(found, "avail_wrap_counter", 0);
	expect_number(found, "last_used_idx", 5);
	expect_number(found, "used_wrap_counter", 1);
	expect_number(found, "used_idx", 7);
	expect_number(found, "unreaped", 1);
	expect_number(found, "in_flight", 2);
	expect_number(found, "used_event", 0x8005);
	expect_number(found, "avail_flags", 2);
	expect_number(found, "avail_event", 6);
	expect_number(found, "used_flags", 1);
	expect_number(found, "desc_address", 0x56780000);
	expect_number(found, "driver_address", 0x56781000);
	expect_number(found, "device_address", 0x56782000);
	cr_expect_not(found->idle);
	cr_assert_eq(found->child_count, 3);
	chain = chain_found(found, "0");
	expect_text(chain, "state", "used");
	expect_absent(chain, "descriptors", RBS_NOT_COUNTED); /* overwritten by the device */
	chain = chain_found(found, "3");
	expect_text(chain, "state", "device");
	expect_number(chain, "descriptors", 1);
	expect_number(chain, "out_bytes", 200);
	expect_number(chain, "in_bytes", 0);
	chain = chain_found(found, "1");
	expect_text(chain, "state", "device");
	expect_number(chain, "descriptors", 2);
	expect_number(chain, "out_bytes", 300);
	expect_number(chain, "in_bytes", 400);
}

Test(virtio_packed, shape_c)
{
	struct packed packed;

	packed_init(&packed, SHAPE_C, 8);
	fill(&packed);
	put_positions(&packed, 2, false, 5);
	image_put(&packed.image, "vring_virtqueue", "packed.used_wrap_counter", packed.queue, 1);
	expect_filled(packed_probe(&packed));
	image_free(&packed.image);
}

Test(virtio_packed, shape_d_and_e)
{
	struct packed packed;

	packed_init(&packed, SHAPE_D, 8);
	fill(&packed);
	put_positions(&packed, 2, false, 0x8005);
	expect_filled(packed_probe(&packed));
	image_free(&packed.image);
	packed_init(&packed, SHAPE_E, 8);
	fill(&packed);
	put_positions(&packed, 2, false, 0x8005);
	expect_filled(packed_probe(&packed));
	image_free(&packed.image);
}

/* The lap ends between the last descriptor that was returned and the first that was not. */
Test(virtio_packed, returned_across_the_end)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 4);
	put_positions(&packed, 2, true, 2); /* wrap bit 0 */
	put_desc(&packed, 2, 0, 0, USED_0);
	put_desc(&packed, 3, 0, 1, USED_0);
	put_desc(&packed, 0, 0, 2, USED_1);
	put_desc(&packed, 1, 0, 3, AVAIL_1);
	for (unsigned id = 0; id < 4; id++)
		put_state(&packed, id, 1, 0);
	found = packed_probe(&packed);
	expect_number(found, "used_wrap_counter", 0);
	expect_number(found, "unreaped", 3);
	expect_number(found, "used_idx", 1);
	expect_number(found, "in_flight", 1);
	image_free(&packed.image);
}

/* All were returned: the walk over the ring ends after one lap. */
Test(virtio_packed, everything_returned)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 4);
	put_positions(&packed, 0, false, 0x8000);
	for (unsigned id = 0; id < 4; id++) {
		put_desc(&packed, id, 0, id, USED_1);
		put_state(&packed, id, 1, 0);
	}
	found = packed_probe(&packed);
	expect_number(found, "unreaped", 4);
	expect_number(found, "in_flight", 0);
	image_free(&packed.image);
}

Test(virtio_packed, indirect)
{
	struct packed packed;
	const struct rbs_node *found, *chain;
	uint64_t table;

	packed_init(&packed, SHAPE_D, 8);
	put_positions(&packed, 3, true, 0x8000);
	table = image_room(&packed.image, 48);
	put_desc(&packed, 0, 48, 4, AVAIL_1 | F_INDIRECT);
	put_state(&packed, 4, 1, table);
	/* in a table descriptors follow each other; their ids mean nothing */
	image_put_little(&packed.image, table + 8, 4, 16);
	image_put_little(&packed.image, table + 16 + 8, 4, 65536);
	image_put_little(&packed.image, table + 32 + 8, 4, 1);
	image_put_little(&packed.image, table + 32 + 14, 2, F_WRITE);
	put_desc(&packed, 1, 40, 5, AVAIL_1 | F_INDIRECT); /* a bad length */
	put_state(&packed, 5, 1, table);
	put_desc(&packed, 2, 32, 6, AVAIL_1 | F_INDIRECT); /* no table */
	put_state(&packed, 6, 1, 0);
	found = packed_probe(&packed);
	expect_number(found, "in_flight", 3);
	chain = chain_found(found, "4");
	expect_number(chain, "descriptors", 3);
	expect_number(chain, "out_bytes", 65552);
	expect_number(chain, "in_bytes", 1);
	expect_number(chain, "indirect", 1);
	expect_absent(chain_found(found, "5"), "descriptors", RBS_CORRUPT);
	expect_absent(chain_found(found, "6"), "descriptors", RBS_CORRUPT);
	image_free(&packed.image);
}

/* One returned descriptor that cannot be: what hangs on the count is corrupt, the rest stays. */
static void expect_corrupt(unsigned id, unsigned num)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 8);
	put_positions(&packed, 2, true, 0x8000);
	put_desc(&packed, 0, 0, id, USED_1);
	put_desc(&packed, 1, 0, 1, AVAIL_1);
	put_state(&packed, 0, num, 0);
	put_state(&packed, 1, 1, 0);
	found = packed_probe(&packed);
	expect_absent(found, "used_idx", RBS_CORRUPT);
	expect_absent(found, "in_flight", RBS_CORRUPT);
	expect_absent(found, "unreaped", RBS_CORRUPT);
	expect_number(found, "last_used_idx", 0);
	expect_number(found, "avail_idx", 2);
	cr_expect_not(found->idle);
	image_free(&packed.image);
}

Test(virtio_packed, damaged_records)
{
	expect_corrupt(8, 1); /* an id outside the ring */
	expect_corrupt(65535, 1);
	expect_corrupt(0, 0); /* a chain of no descriptors */
	expect_corrupt(0, 9); /* and of more than the ring has */
	expect_corrupt(0, 65535);
}

Test(virtio_packed, position_outside_the_ring)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 8);
	put_positions(&packed, 2, true, 0x8008);
	put_state(&packed, 0, 1, 0);
	found = packed_probe(&packed);
	expect_absent(found, "last_used_idx", RBS_CORRUPT);
	expect_absent(found, "used_idx", RBS_CORRUPT);
	expect_absent(found, "in_flight", RBS_CORRUPT);
	/* The driver's records are still worth listing, without what the ring would tell. */
	cr_assert_eq(found->child_count, 1);
	expect_absent(chain_found(found, "0"), "descriptors", RBS_CORRUPT);
	image_free(&packed.image);
}

/* More returned than the driver has given: the two do not belong together. */
Test(virtio_packed, more_returned_than_given)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 8);
	put_positions(&packed, 2, true, 0x8000);
	put_desc(&packed, 0, 0, 0, USED_1);
	put_desc(&packed, 1, 0, 0, USED_1); /* the same id again */
	put_desc(&packed, 2, 0, 1, AVAIL_1);
	put_state(&packed, 0, 1, 0);
	found = packed_probe(&packed);
	expect_absent(found, "in_flight", RBS_CORRUPT);
	image_free(&packed.image);
}

Test(virtio_packed, missing_pages)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 8);
	fill(&packed);
	put_positions(&packed, 2, false, 0x8005);
	fake_target_hole(packed.image.target, packed.rings + 0x8000, 0x1000, RBS_EXCLUDED);
	found = packed_probe(&packed);
	expect_absent(found, "in_flight", RBS_EXCLUDED);
	expect_absent(found, "used_idx", RBS_EXCLUDED);
	expect_number(found, "last_used_idx", 5);
	cr_expect_eq(found->child_count, 0);
	expect_problem(packed.image.report, "virtio/virtio0/0", RBS_EXCLUDED,
		       "the chains in flight");
	image_free(&packed.image);
}

Test(virtio_packed, never_used)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_D, 8);
	put_positions(&packed, 0, true, 0x8000);
	found = packed_probe(&packed);
	expect_number(found, "in_flight", 0);
	expect_number(found, "unreaped", 0);
	expect_number(found, "used_idx", 0);
	cr_expect(found->idle);
	image_free(&packed.image);
	/* after exactly two laps the position is the same, and so is the wrap bit: but not this: */
	packed_init(&packed, SHAPE_D, 8);
	put_positions(&packed, 0, false, 0x0000);
	for (unsigned i = 0; i < 8; i++)
		put_desc(&packed, i, 0, i, USED_1);
	found = packed_probe(&packed);
	expect_number(found, "in_flight", 0);
	cr_expect_not(found->idle);
	image_free(&packed.image);
}

/* In order one used descriptor may stand for many: how many, the ring does not tell. */
Test(virtio_packed, in_order)
{
	struct packed packed;
	const struct rbs_node *found;

	packed_init(&packed, SHAPE_E, 8);
	image_put(&packed.image, "vring_virtqueue", "layout", packed.queue, 3);
	image_put(&packed.image, "vring_virtqueue", "batch_last.id", packed.queue, 0xffffffff);
	put_positions(&packed, 3, true, 0x8000);
	for (unsigned id = 0; id < 3; id++) {
		put_desc(&packed, id, 8, id, AVAIL_1);
		put_state(&packed, id, 1, 0);
	}
	found = packed_probe(&packed);
	expect_text(found, "layout", "packed-in-order");
	expect_number(found, "in_flight", 3);
	expect_number(found, "unreaped", 0);
	expect_number(found, "batch_last_id", 0xffffffff);
	image_free(&packed.image);

	packed_init(&packed, SHAPE_E, 8);
	image_put(&packed.image, "vring_virtqueue", "layout", packed.queue, 3);
	put_positions(&packed, 3, true, 0x8000);
	for (unsigned id = 0; id < 3; id++) {
		put_desc(&packed, id, 8, id, id ? AVAIL_1 : USED_1);
		put_state(&packed, id, 1, 0);
	}
	found = packed_probe(&packed);
	expect_absent(found, "unreaped", RBS_NOT_COUNTED);
	expect_absent(found, "in_flight", RBS_NOT_COUNTED);
	image_free(&packed.image);
}

/* Structures are in the machine's order, the ring is not. */
Test(virtio_packed, big_endian_machine)
{
	struct packed packed;
	const struct rbs_node *found;
	uint64_t device;

	image_init(&packed.image, SHAPE_D, RBS_BIG_ENDIAN);
	device = image_device(&packed.image, "virtio0", RNG, VERSION_1);
	packed.queue = image_queue(&packed.image, device, "q");
	packed.rings = image_packed_rings(&packed.image, packed.queue, 8);
	image_put(&packed.image, "vring_virtqueue", "packed_ring", packed.queue, 1);
	fill(&packed);
	put_positions(&packed, 2, false, 0x8005);
	found = packed_probe(&packed);
	expect_filled(found);
	image_free(&packed.image);
}
