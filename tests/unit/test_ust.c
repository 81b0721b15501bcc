/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LTTng's user space buffers: other byte orders and word sizes, unknown releases, damage. */
#include <criterion/criterion.h>
#include <string.h>

#include "expect.h"
#include "fake_members.h"
#include "fake_sources.h"
#include "lib/maple.h"
#include "ust_image.h"

#define CHANNEL "lttng-consumerd-121/abababab-3"
#define RING "lttng-ust/" CHANNEL "/cpu5"

static void figures_check(enum rbs_byte_order order, unsigned word)
{
	struct ust_image image;
	const struct rbs_node *ring, *slot;

	ust_image_init(&image, order, word);
	ust_image_build(&image);
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_number(ring->parent, "word_size", word * 8);
	expect_text(ring->parent, "byte_order", order == RBS_BIG_ENDIAN ? "big" : "little");
	expect_text(ring->parent, "mode", "discard");
	expect_text(ring->parent, "buffering", "unknown");
	expect_text(ring->parent, "release", "2.11 to 2.14");
	expect_text(ring->parent, "processes",
		    "121 lttng-consumerd (uid 1000), 163 program (uid 1000)");
	expect_number(ring, "write_offset", 5000);
	expect_number(ring, "consumed", 0);
	expect_number(ring, "records_lost_full", 700);
	expect_number(ring, "records_lost_wrap", 2);
	expect_number(ring, "records_lost_big", 7);
	expect_absent(ring, "records_count", RBS_NOT_COUNTED);
	expect_number(ring, "readable", 4096);
	expect_number(ring, "uncommitted", 4);
	expect_number(ring, "inode", UST_INODE);
	expect_number(ring, "pages_present", UST_PAGES);
	expect_text(ring, "found_by", "processes,inodes");
	slot = rbs_node_child(ring, "0");
	expect_text(slot, "state", "delivered");
	expect_number(slot, "timestamp_begin", 1000);
	expect_number(slot, "timestamp_end", 2000);
	expect_number(slot, "content_size", 32000);
	expect_number(slot, "events_discarded", 9);
	slot = rbs_node_child(ring, "1");
	expect_number(slot, "short", 4);
	expect_number(slot, "packet_seq", 1);
	expect_absent(slot, "timestamp_end", RBS_NOT_COUNTED);
	cr_expect_eq(image.report->problem_count, 0);
	ust_image_deinit(&image);
}

Test(ust, word_sizes_and_byte_orders)
{
	figures_check(RBS_LITTLE_ENDIAN, 8);
	figures_check(RBS_LITTLE_ENDIAN, 4);
	figures_check(RBS_BIG_ENDIAN, 8);
	figures_check(RBS_BIG_ENDIAN, 4);
}

/* What the table tells stands; of what it does not tell nothing is guessed. */
static void unknown_check(struct ust_image *image, const char *name)
{
	const struct rbs_node *channel, *ring;
	const struct rbs_section *section;

	ust_image_build(image);
	section = ust_image_show(image, false);
	channel = ust_image_channel(section);
	cr_assert_not_null(channel);
	expect_absent(channel, "release", RBS_NO_TYPES);
	ring = rbs_node_child(channel, name);
	expect_number(ring, "write_offset", 5000);
	expect_absent(ring, "records_lost_full", RBS_NO_TYPES);
	expect_absent(ring, "records_lost_big", RBS_NO_TYPES);
	expect_absent(rbs_node_child(ring, "0"), "committed", RBS_NO_TYPES);
	expect_number(rbs_node_child(ring, "0"), "commit_seq", 4096);
	expect_number(rbs_node_child(ring, "0"), "timestamp_begin", 1000);
	expect_absent(rbs_node_child(ring, "0"), "events_discarded", RBS_NO_TYPES);
	cr_expect_eq(image->report->problem_count, 1);
	ust_image_deinit(image);
}

Test(ust, unknown_release)
{
	struct ust_image image;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_put(&image, 26, 2, 7); /* the ABI's major */
	unknown_check(&image, "inode-77@0:23");
	/* A known major whose places do not agree with the table. */
	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_put(&image, 480, 8, 64); /* where the buffer says that it is itself */
	unknown_check(&image, "inode-77@0:23");
}

Test(ust, hostile_tables)
{
	static const struct {
		size_t at, size;
		uint64_t value;
	} wrong[] = {
		{16, 8, 0},
		{16, 8, UINT64_MAX},
		{16, 8, UST_PAGES * 4096 + 1},
		{24, 2, 0},
		{30, 1, 0},
		{30, 1, 16},
		{31, 1, 1},
		{32, 4, UINT32_MAX},
		{36, 4, UST_PAGES * 4096 - 4},
		{40, 4, UINT32_MAX},
		{44, 4, 128},
		{48, 4, 0x80000000},
		{52, 4, UINT32_MAX},
		{56, 4, UINT32_MAX},
		{60, 4, 16},
		{68, 4, UST_SUBBUF_SIZE},
		{72, 4, UINT32_MAX},
		{76, 1, 4},
		{81, 1, 0},
		{82, 1, 255},
		{83, 1, 9},
		{84, 4, 0},
		{84, 4, UINT32_MAX},
		{88, 4, 4},
		{92, 4, UINT32_MAX},
		{96, 8, 0},
		{96, 8, UINT64_MAX},
		{104, 8, 0},
		{104, 8, 4095},
		{104, 8, UINT64_C(1) << 63},
		{112, 8, 0},
		{112, 8, 3},
		{112, 8, UINT64_C(1) << 40},
		{112, 8, UINT64_MAX},
		{120, 4, 2},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ust_image image;

		ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
		ust_image_put(&image, wrong[i].at, wrong[i].size, wrong[i].value);
		ust_image_build(&image);
		cr_expect_eq(ust_image_show(&image, false)->node->child_count, 0, "%zu", i);
		expect_problem(image.report, "lttng-ust", RBS_CORRUPT, "inode 77");
		ust_image_deinit(&image);
	}
}

/* Each word of what the table points to, in turn: figures may be absent, nothing else. */
Test(ust, hostile_words)
{
	static const uint64_t values[] = {0, 1, UINT32_MAX, UINT64_MAX, UST_PAGES * 4096 - 1};

	for (size_t at = 128; at < UST_BACKEND + 64 * UST_SUBBUFS; at += 8) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			struct ust_image image;

			ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
			ust_image_put(&image, at, 8, values[i]);
			ust_image_build(&image);
			cr_expect_eq(ust_image_show(&image, false)->node->child_count, 1);
			ust_image_deinit(&image);
		}
	}
}

Test(ust, sub_buffers_outside)
{
	struct ust_image image;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_put(&image, UST_WSB, 8, 5); /* there are 4, and the reader's */
	ust_image_put(&image, UST_BACKEND + 64 + 40, 8, UST_PAGES * 4096 - 8);
	/* Its header is in neither of the two that were written. */
	ust_image_build(&image);
	ring = rbs_node_child(rbs_node_child(rbs_node_child(ust_image_show(&image, false)->node,
							    "lttng-consumerd-121"),
					     "inode-77@0:23"),
			      "cpu5");
	expect_number(ring, "write_offset", 5000);
	expect_absent(rbs_node_child(ring, "0"), "packet_seq", RBS_CORRUPT);
	expect_absent(rbs_node_child(ring, "1"), "packet_seq", RBS_CORRUPT);
	ust_image_deinit(&image);
}

Test(ust, pages_swapped_and_missing)
{
	struct ust_image image;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_build(&image);
	fake_target_put_pointer(image.target, UST_XA_SLOT(2), 0x1001); /* a value: swapped */
	fake_target_put_pointer(image.target, UST_XA_SLOT(7), 0);
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_number(ring, "pages_present", UST_PAGES - 2);
	expect_number(ring, "pages_swapped", 1);
	expect_number(ring, "records_lost_full", 700);
	expect_absent(rbs_node_child(ring, "0"), "packet_seq", RBS_UNMAPPED);
	expect_number(rbs_node_child(ring, "1"), "packet_seq", 1);
	/* The first page: only the file's name tells what it was. */
	fake_target_put_pointer(image.target, UST_XA_SLOT(0), 0x1001);
	cr_expect_eq(ust_image_show(&image, false)->node->child_count, 0);
	expect_problem(image.report, "lttng-ust", RBS_UNMAPPED, "swapped out");
	ust_image_deinit(&image);
}

Test(ust, broken_arrays_of_pages)
{
	struct ust_image image;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_build(&image);
	/* A node below the leaves: itself. What came before it stands. */
	fake_target_put_pointer(image.target, UST_XA_SLOT(6), UST_XA_NODE + 2);
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_number(ring, "write_offset", 5000);
	expect_number(ring, "pages_present", 6);
	expect_problem(image.report, RING, RBS_CORRUPT, "below its leaves");
	/* A page that says it is another one of the file. */
	fake_target_put_pointer(image.target, UST_XA_SLOT(6), ust_image_page(6));
	fake_target_put_pointer(image.target, ust_image_page(6) + 0x20, 9);
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_number(ring, "pages_present", UST_PAGES - 1);
	expect_problem(image.report, RING, RBS_CORRUPT, "says that its index is 9");
	ust_image_deinit(&image);
}

/* An entry that a folio's later indexes share: the head's own index tells which page is which. */
Test(ust, folios)
{
	struct ust_image image;
	const struct rbs_node *ring;
	uint64_t head = ust_image_page(7) + 64; /* two descriptions that no file has */

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_build(&image);
	fake_target_put_pointer(image.target, head + 0x20, 6);
	fake_target_put_pointer(image.target, UST_XA_SLOT(6), head);
	fake_target_put_pointer(image.target, UST_XA_SLOT(7), 6 << 2 | 2); /* a sibling of 6 */
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_number(ring, "pages_present", UST_PAGES);
	cr_expect_eq(image.report->problem_count, 0);
	ust_image_deinit(&image);
}

Test(ust, scan_without_the_kernels_tables)
{
	struct ust_image image;
	const struct rbs_section *section;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_build(&image);
	fake_target_list_init(image.target, UST_TASKS);
	fake_target_list_init(image.target, UST_SUPER_BLOCKS);
	cr_expect_eq(ust_image_show(&image, false)->node->child_count, 0);
	cr_expect_eq(image.report->problem_count, 0);
	/* The page leads to the file, the file to its pages and to the areas. */
	section = ust_image_show(&image, true);
	cr_assert_eq(section->node->child_count, 1);
	ring = section->node->children[0]->children[0]->children[0];
	expect_text(ring, "found_by", "pages");
	expect_number(ring, "write_offset", 5000);
	/* The file's own table is gone too: its pages still say whose they are. */
	fake_target_put_pointer(image.target, UST_XA_HEAD, 0);
	section = ust_image_show(&image, true);
	cr_assert_eq(section->node->child_count, 1);
	ring = section->node->children[0]->children[0]->children[0];
	expect_number(ring, "write_offset", 5000);
	expect_number(ring, "records_lost_full", 700);
	expect_number(ring, "pages_present", UST_PAGES);
	expect_number(rbs_node_child(ring, "1"), "packet_seq", 1);
	ust_image_deinit(&image);
}

Test(ust, circles_end)
{
	struct ust_image image;
	const struct rbs_node *ring;

	ust_image_init(&image, RBS_LITTLE_ENDIAN, 8);
	ust_image_build(&image);
	/* The tree of areas: its root is its own child. */
	fake_target_put_pointer(image.target, UST_AREA + 0x38 + 8, UST_AREA + 0x38);
	/* The list of a process's areas. */
	fake_target_put_pointer(image.target, UST_AREA + 0x10, UST_AREA);
	ring = ust_image_ring(ust_image_show(&image, false));
	expect_number(ring, "write_offset", 5000);
	expect_problem(image.report, "lttng-ust", RBS_LIMIT, "memory areas");
	ust_image_deinit(&image);
}

static const struct fake_type maple_types[] = {
	{NULL, "maple_tree", "ma_root", POINTER(8)},
	{NULL, "maple_node", NULL, STRUCT_SIZE(256)},
	{NULL,
	 "maple_range_64",
	 "pivot",
	 {.offset = 8, .size = 120, .count = 15, .element_size = 8, .kind = RBS_KIND_ARRAY}},
	{NULL,
	 "maple_range_64",
	 "slot",
	 {.offset = 128, .size = 128, .count = 16, .element_size = 8, .kind = RBS_KIND_ARRAY}},
	{NULL,
	 "maple_arange_64",
	 "pivot",
	 {.offset = 8, .size = 72, .count = 9, .element_size = 8, .kind = RBS_KIND_ARRAY}},
	{NULL,
	 "maple_arange_64",
	 "slot",
	 {.offset = 80, .size = 80, .count = 10, .element_size = 8, .kind = RBS_KIND_ARRAY}},
	{NULL, NULL, NULL, {0}},
};

struct visited {
	uint64_t entries[64];
	size_t count;
};

static bool entry_visit(void *context, uint64_t entry)
{
	struct visited *visited = context;

	cr_assert_lt(visited->count, 64);
	visited->entries[visited->count++] = entry;
	return true;
}

/* A node's address with its type (1: leaf, 3: allocation ranges), marked as one. */
static uint64_t encoded(uint64_t node, unsigned type)
{
	return node | type << 3 | 6;
}

Test(ust, maple_trees)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	const uint64_t tree = 0x1000, root = 0x2000, left = 0x2100, right = 0x2200;
	struct rbs_maple_types types;
	struct rbs_types source;
	struct visited visited = {0};
	struct rbs_error error;

	rbs_types_init(&source);
	rbs_types_add(&source, fake_types_create(maple_types, NULL));
	cr_assert_eq(rbs_maple_types_init(&types, &source, &error), RBS_OK);
	fake_target_map_zeros(target, tree, 0x1000);
	fake_target_map_zeros(target, root, 0x1000);
	fake_target_put_pointer(target, tree + 8, encoded(root, 3));
	fake_target_put_pointer(target, root + 8, 0xffff);
	fake_target_put_pointer(target, root + 16, UINT64_MAX);
	fake_target_put_pointer(target, root + 80, encoded(left, 1));
	fake_target_put_pointer(target, root + 88, encoded(right, 1));
	/* A hole, an entry, the node's end; what lies behind is stale. */
	fake_target_put_pointer(target, left + 8, 0xfff);
	fake_target_put_pointer(target, left + 16, 0xffff);
	fake_target_put_pointer(target, left + 128 + 8, 0xaaaa000);
	fake_target_put_pointer(target, left + 128 + 16, 0xdead000);
	fake_target_put_pointer(target, right + 8, UINT64_MAX);
	fake_target_put_pointer(target, right + 128, 0xbbbb000);
	cr_expect_eq(rbs_maple_walk(&types, target, tree, 100, entry_visit, &visited, &error),
		     RBS_OK);
	cr_assert_eq(visited.count, 2);
	cr_expect_eq(visited.entries[0], 0xaaaa000);
	cr_expect_eq(visited.entries[1], 0xbbbb000);
	/* Into itself: what came before was visited. */
	visited.count = 0;
	fake_target_put_pointer(target, root + 88, encoded(root, 3));
	cr_expect_neq(rbs_maple_walk(&types, target, tree, 20, entry_visit, &visited, &error),
		      RBS_OK);
	cr_expect_geq(visited.count, 1);
	rbs_maple_types_deinit(&types);
	rbs_types_deinit(&source);
	rbs_target_destroy(target);
}
