/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "fake_target.h"
#include "lib/walk.h"

#define HEAD 0xffff888000001000
#define NODE 0xffff888000002000 /* nodes lie 64 bytes apart */
#define AREA 0x40000

struct list {
	struct rbs_target *target;
	struct rbs_list_walk walk;
	uint64_t nodes[64];
	size_t count;
};

static uint64_t node_at(size_t index)
{
	return NODE + 64 * index;
}

static void list_init(struct list *list)
{
	list->target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	list->count = 0;
	fake_target_map_zeros(list->target, HEAD, 16);
	fake_target_map_zeros(list->target, NODE, AREA);
}

/* The first count nodes in a row, the last one pointing at end. */
static void list_link(struct list *list, size_t count, uint64_t end)
{
	fake_target_put_pointer(list->target, HEAD, count ? node_at(0) : end);
	for (size_t i = 0; i < count; i++)
		fake_target_put_pointer(list->target, node_at(i),
					i + 1 < count ? node_at(i + 1) : end);
}

static void list_walk(struct list *list, size_t limit)
{
	uint64_t node;

	rbs_list_walk_init(&list->walk, list->target, HEAD, limit);
	while (rbs_list_walk_next(&list->walk, &node)) {
		cr_assert_lt(list->count, 10000, "the walk does not end");
		if (list->count < 64)
			list->nodes[list->count] = node;
		list->count++;
	}
	/* It stays at its end. */
	cr_expect_not(rbs_list_walk_next(&list->walk, &node));
}

static void list_free(struct list *list)
{
	rbs_target_destroy(list->target);
}

Test(walk, none)
{
	struct list list;

	list_init(&list);
	list_link(&list, 0, HEAD);
	list_walk(&list, 10);
	cr_expect_eq(list.count, 0);
	cr_expect_eq(list.walk.code, RBS_OK);
	list_free(&list);
}

Test(walk, all_in_order)
{
	struct list list;

	list_init(&list);
	list_link(&list, 20, HEAD);
	list_walk(&list, 20); /* exactly as many as allowed */
	cr_expect_eq(list.walk.code, RBS_OK, "%s", list.walk.error.text);
	cr_assert_eq(list.count, 20);
	cr_expect_eq(list.nodes[0], 0xffff888000002000);
	cr_expect_eq(list.nodes[1], 0xffff888000002040);
	cr_expect_eq(list.nodes[19], 0xffff8880000024c0);
	list_free(&list);
}

Test(walk, one_more_than_the_limit)
{
	struct list list;

	list_init(&list);
	list_link(&list, 21, HEAD);
	list_walk(&list, 20);
	cr_expect_eq(list.count, 20);
	cr_expect_eq(list.walk.code, RBS_LIMIT);
	cr_expect_eq(list.walk.error.address, HEAD);
	cr_expect_str_eq(list.walk.error.text,
			 "the list at ffff888000001000 has more than 20 entries");
	list_free(&list);
}

Test(walk, null_pointer)
{
	struct list list;

	list_init(&list);
	list_link(&list, 3, 0);
	list_walk(&list, 1000);
	cr_expect_eq(list.count, 3);
	cr_expect_eq(list.walk.code, RBS_CORRUPT);
	cr_expect_eq(list.walk.error.address, 0xffff888000002080);
	cr_expect_str_eq(list.walk.error.text,
			 "the list at ffff888000001000 ends in a NULL pointer at ffff888000002080");
	list_free(&list);
}

/* A head that was never initialised. */
Test(walk, null_head)
{
	struct list list;

	list_init(&list);
	list_walk(&list, 1000);
	cr_expect_eq(list.count, 0);
	cr_expect_eq(list.walk.code, RBS_CORRUPT);
	list_free(&list);
}

Test(walk, node_that_points_at_itself)
{
	struct list list;

	list_init(&list);
	list_link(&list, 1, node_at(0));
	list_walk(&list, 100000);
	cr_expect_eq(list.walk.code, RBS_CORRUPT);
	cr_expect_leq(list.count, 2);
	list_free(&list);
}

/* Circles of every length and place that a short list can have: found, and within a few laps. */
Test(walk, circle_without_the_head)
{
	for (size_t count = 1; count <= 40; count++) {
		for (size_t back = 0; back < count; back++) {
			struct list list;

			list_init(&list);
			list_link(&list, count, node_at(back));
			list_walk(&list, 1000000);
			cr_expect_eq(list.walk.code, RBS_CORRUPT, "%zu nodes, back to %zu", count,
				     back);
			cr_expect_leq(list.count, 4 * count + 4, "%zu nodes, back to %zu: %zu",
				      count, back, list.count);
			cr_expect_geq(list.count, count);
			list_free(&list);
		}
	}
}

static void expect_broken(enum rbs_code code)
{
	struct list list;

	list_init(&list);
	list_link(&list, 5, HEAD);
	fake_target_hole(list.target, node_at(2), 16, code);
	list_walk(&list, 1000);
	cr_expect_eq(list.count, 3, "%zu", list.count);
	cr_expect_eq(list.walk.code, code);
	cr_expect_eq(list.walk.error.address, 0xffff888000002080);
	cr_expect(strstr(list.walk.error.text, "the list at ffff888000001000 breaks off"));
	list_free(&list);
}

Test(walk, missing_memory)
{
	expect_broken(RBS_EXCLUDED);
	expect_broken(RBS_TRUNCATED);
	expect_broken(RBS_UNMAPPED);
}

Test(walk, wild_pointer)
{
	struct list list;

	list_init(&list);
	list_link(&list, 2, 0xffffffffffffffff);
	list_walk(&list, 1000);
	/* The last byte of memory holds no pointer. */
	cr_expect_eq(list.count, 3);
	cr_expect_eq(list.walk.code, RBS_CORRUPT);
	list_free(&list);
}

Test(walk, interrupted)
{
	struct list list;

	list_init(&list);
	list_link(&list, 5, HEAD);
	fake_target_interrupt(list.target, true);
	list_walk(&list, 1000);
	cr_expect_eq(list.count, 0);
	cr_expect_eq(list.walk.code, RBS_INTERRUPTED);
	list_free(&list);
}

Test(walk, backward)
{
	struct list list;
	uint64_t node;

	list_init(&list);
	fake_target_put_pointer(list.target, HEAD + 8, node_at(2));
	fake_target_put_pointer(list.target, node_at(2) + 8, node_at(1));
	fake_target_put_pointer(list.target, node_at(1) + 8, node_at(0));
	fake_target_hole(list.target, node_at(0), 16, RBS_EXCLUDED);
	rbs_list_walk_init_backward(&list.walk, list.target, HEAD, 10);
	while (rbs_list_walk_next(&list.walk, &node))
		list.nodes[list.count++] = node;
	cr_assert_eq(list.count, 3);
	cr_expect_eq(list.nodes[0], 0xffff888000002080);
	cr_expect_eq(list.nodes[1], 0xffff888000002040);
	cr_expect_eq(list.nodes[2], 0xffff888000002000);
	cr_expect_eq(list.walk.code, RBS_EXCLUDED);
	list_free(&list);
}

Test(walk, big_endian_32_bits)
{
	struct rbs_target *target = fake_target_create(RBS_BIG_ENDIAN, 4);
	static const uint8_t memory[] = {
		0xc0, 0x00, 0x00, 0x08, 0, 0, 0, 0, /* the head's next is the second word pair */
		0xc0, 0x00, 0x00, 0x00, 0, 0, 0, 0,
	};
	struct rbs_list_walk walk;
	uint64_t node;

	fake_target_map(target, 0xc0000000, memory, sizeof(memory));
	rbs_list_walk_init(&walk, target, 0xc0000000, 10);
	cr_assert(rbs_list_walk_next(&walk, &node));
	cr_expect_eq(node, 0xc0000008);
	cr_expect_not(rbs_list_walk_next(&walk, &node));
	cr_expect_eq(walk.code, RBS_OK);
	rbs_target_destroy(target);
}

/* A chain (TAILQ): head is a pointer, links lie 16 bytes into a node, NULL ends it. */
static void chain_walk(struct list *list, size_t count, uint64_t end, size_t limit)
{
	uint64_t node;

	fake_target_put_pointer(list->target, HEAD, count ? node_at(0) : end);
	for (size_t i = 0; i < count; i++)
		fake_target_put_pointer(list->target, node_at(i) + 16,
					i + 1 < count ? node_at(i + 1) : end);
	list->count = 0;
	rbs_list_walk_init_chain(&list->walk, list->target, HEAD, 16, limit);
	while (rbs_list_walk_next(&list->walk, &node)) {
		cr_assert_lt(list->count, 10000, "the walk does not end");
		cr_expect(list->count >= count || node == node_at(list->count));
		list->count++;
	}
	cr_expect_not(rbs_list_walk_next(&list->walk, &node));
}

Test(walk, chain)
{
	static const size_t counts[] = {0, 1, 2, 33};
	struct list list;

	list_init(&list);
	for (size_t i = 0; i < 4; i++) {
		chain_walk(&list, counts[i], 0, 100);
		cr_expect_eq(list.walk.code, RBS_OK);
		cr_expect_eq(list.count, counts[i]);
	}
	list_free(&list);
}

Test(walk, chain_circle_limit_and_break)
{
	struct list list;

	list_init(&list);
	chain_walk(&list, 20, node_at(3), 1000);
	cr_expect_eq(list.walk.code, RBS_CORRUPT);
	chain_walk(&list, 1, node_at(0), 1000);
	cr_expect_eq(list.walk.code, RBS_CORRUPT);
	chain_walk(&list, 20, 0, 10);
	cr_expect_eq(list.walk.code, RBS_LIMIT);
	cr_expect_eq(list.count, 10);
	chain_walk(&list, 5, 0xdead000, 100);
	cr_expect_eq(list.walk.code, RBS_UNMAPPED);
	cr_expect_eq(list.count, 6, "the node is named before it is read");
	list_free(&list);
}
