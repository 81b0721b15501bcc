/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "fake_members.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/layout.h"

#define BASE 0xffff888000001000

#define SIGNED(offset_, size_)                                                                     \
	{                                                                                          \
		.offset = offset_, .size = size_, .element_size = size_, .count = 1,               \
		.kind = RBS_KIND_INT, .is_signed = true                                            \
	}
#define BITS(offset_, size_, bit_, bits_, signed_)                                                 \
	{                                                                                          \
		.offset = offset_, .size = size_, .element_size = size_, .count = 1,               \
		.kind = RBS_KIND_INT, .is_signed = signed_, .bit_offset = bit_, .bit_size = bits_  \
	}
#define ARRAY(offset_, element_, count_)                                                           \
	{                                                                                          \
		.offset = offset_, .size = element_ * (count_), .element_size = element_,          \
		.count = count_, .kind = RBS_KIND_ARRAY                                            \
	}

static const struct fake_type types[] = {
	{NULL, "box", NULL, {.size = 96, .kind = RBS_KIND_STRUCT}},
	{NULL, "box", "byte", INT(0, 1)},
	{NULL, "box", "half", INT(2, 2)},
	{NULL, "box", "word", INT(4, 4)},
	{NULL, "box", "wide", INT(8, 8)},
	{NULL, "box", "minus", SIGNED(16, 4)},
	{NULL, "box", "tiny", SIGNED(20, 1)},
	{NULL, "box", "low", BITS(24, 4, 0, 3, false)},
	{NULL, "box", "middle", BITS(24, 4, 3, 12, false)},
	{NULL, "box", "top", BITS(24, 4, 31, 1, false)},
	{NULL, "box", "debt", BITS(24, 4, 15, 5, true)},
	{NULL, "box", "all", BITS(32, 8, 0, 64, false)},
	{NULL, "box", "list", ARRAY(40, 2, 8)},
	{NULL, "box", "inside", {.offset = 56, .size = 24, .kind = RBS_KIND_STRUCT, .count = 1}},
	{NULL, "box", "tail", ARRAY(80, 4, 0)},
	{NULL, "box", "odd", INT(80, 3)},
	{NULL, "new_name", NULL, {.size = 16, .kind = RBS_KIND_STRUCT}},
	{NULL, "new_name", "other", INT(12, 4)},
	{"driver", "private", "count", INT(6, 2)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_enumerator enumerators[] = {
	{"state", "STATE_OPEN", 3},
	{NULL, "FREE_FLOATING", -7},
	{NULL, NULL, 0},
};

static void types_init(struct rbs_types *chain)
{
	rbs_types_init(chain);
	rbs_types_add(chain, fake_types_create(types, enumerators));
}

enum {
	BYTE,
	HALF,
	WORD,
	WIDE,
	MINUS,
	TINY,
	LOW,
	MIDDLE,
	TOP,
	DEBT,
	ALL,
	LIST,
	INSIDE,
	TAIL,
	ODD,
	BOX_COUNT,
};

static const struct rbs_layout_entry box[BOX_COUNT] = {
	[BYTE] = {"box:byte"},	   [HALF] = {"box:half"},     [WORD] = {"box:word"},
	[WIDE] = {"box:wide"},	   [MINUS] = {"box:minus"},   [TINY] = {"box:tiny"},
	[LOW] = {"box:low"},	   [MIDDLE] = {"box:middle"}, [TOP] = {"box:top"},
	[DEBT] = {"box:debt"},	   [ALL] = {"box:all"},	      [LIST] = {"box:list"},
	[INSIDE] = {"box:inside"}, [TAIL] = {"box:tail"},     [ODD] = {"box:odd"},
};

struct fixture {
	struct rbs_types types;
	struct rbs_layout layout;
	struct rbs_target *target;
};

/* The same 96 bytes for both byte orders. */
static void fixture_init(struct fixture *fixture, enum rbs_byte_order order)
{
	static const uint8_t memory[96] = {
		[0] = 0x81,  [2] = 0x12,  0x34, [4] = 0x11,  0x22,	  0x33,	       0x44,
		[8] = 0x01,  0x02,	  0x03, 0x04,	     0x05,	  0x06,	       0x07,
		0x08,	     [16] = 0xff, 0xff, 0xff,	     0xfe,	  [20] = 0x80, [24] = 0x8d,
		0x5a,	     0x0e,	  0x81, [32] = 0xff, 0xee,	  0xdd,	       0xcc,
		0xbb,	     0xaa,	  0x99, 0x88,	     [40] = 0x00, 0x01,	       0x00,
		0x02,	     [54] = 0x00, 0x08, [80] = 0x0a, 0x0b,	  0x0c,	       0x0d,
		[84] = 0x1a, 0x1b,	  0x1c, 0x1d,
	};
	struct rbs_error error;

	types_init(&fixture->types);
	fixture->target = fake_target_create(order, 8);
	fake_target_map(fixture->target, BASE, memory, sizeof(memory));
	cr_assert_eq(
		rbs_layout_init(&fixture->layout, box, BOX_COUNT, &fixture->types, NULL, &error),
		RBS_OK, "%s", error.text);
}

static void fixture_free(struct fixture *fixture)
{
	rbs_layout_deinit(&fixture->layout);
	rbs_types_deinit(&fixture->types);
	rbs_target_destroy(fixture->target);
}

static void expect_number(struct fixture *fixture, unsigned id, uint64_t expected, bool is_signed)
{
	struct rbs_value value = rbs_layout_read(&fixture->layout, id, fixture->target, BASE);

	cr_expect_eq(value.code, RBS_OK, "%s", box[id].where);
	cr_expect_eq(value.number, expected, "%s: %llx", box[id].where,
		     (unsigned long long)value.number);
	cr_expect_eq(value.is_signed, is_signed, "%s", box[id].where);
}

Test(layout, little_endian)
{
	struct fixture fixture;

	fixture_init(&fixture, RBS_LITTLE_ENDIAN);
	expect_number(&fixture, BYTE, 0x81, false);
	expect_number(&fixture, HALF, 0x3412, false);
	expect_number(&fixture, WORD, 0x44332211, false);
	expect_number(&fixture, WIDE, 0x0807060504030201, false);
	expect_number(&fixture, MINUS, (uint64_t)-16777217, true); /* 0xfeffffff */
	expect_number(&fixture, TINY, (uint64_t)-128, true);
	/* 0x810e5a8d: 1000 0001 0000 1110 0101 1010 1000 1101 */
	expect_number(&fixture, LOW, 5, false);
	expect_number(&fixture, MIDDLE, 0xb51, false);
	expect_number(&fixture, TOP, 1, false);
	expect_number(&fixture, DEBT, (uint64_t)-4, true); /* 1 1100 */
	expect_number(&fixture, ALL, 0x8899aabbccddeeff, false);
	fixture_free(&fixture);
}

Test(layout, big_endian)
{
	struct fixture fixture;

	fixture_init(&fixture, RBS_BIG_ENDIAN);
	expect_number(&fixture, BYTE, 0x81, false);
	expect_number(&fixture, HALF, 0x1234, false);
	expect_number(&fixture, WORD, 0x11223344, false);
	expect_number(&fixture, WIDE, 0x0102030405060708, false);
	expect_number(&fixture, MINUS, (uint64_t)-2, true);
	expect_number(&fixture, TINY, (uint64_t)-128, true);
	/* 0x8d5a0e81: 1000 1101 0101 1010 0000 1110 1000 0001; bits count from the least one */
	expect_number(&fixture, LOW, 1, false);
	expect_number(&fixture, MIDDLE, 0x1d0, false);
	expect_number(&fixture, TOP, 1, false);
	expect_number(&fixture, DEBT, (uint64_t)-12, true); /* 1 0100 */
	expect_number(&fixture, ALL, 0xffeeddccbbaa9988, false);
	fixture_free(&fixture);
}

Test(layout, elements)
{
	static const struct {
		unsigned id;
		uint64_t index;
		enum rbs_code code;
		uint64_t number;
	} cases[] = {
		{LIST, 0, RBS_OK, 0x0001},
		{LIST, 1, RBS_OK, 0x0002},
		{LIST, 7, RBS_OK, 0x0008},
		{LIST, 8, RBS_CORRUPT, 0},
		{LIST, UINT64_MAX, RBS_CORRUPT, 0},
		/* a flexible array has no end of its own */
		{TAIL, 0, RBS_OK, 0x0a0b0c0d},
		{TAIL, 1, RBS_OK, 0x1a1b1c1d},
		{TAIL, 4, RBS_UNMAPPED, 0},
		/* no arrays */
		{WORD, 0, RBS_CORRUPT, 0},
		{INSIDE, 0, RBS_CORRUPT, 0},
	};
	struct fixture fixture;

	fixture_init(&fixture, RBS_BIG_ENDIAN);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rbs_value value = rbs_layout_read_element(
			&fixture.layout, cases[i].id, fixture.target, BASE, cases[i].index);

		cr_expect_eq(value.code, cases[i].code, "case %zu: %d", i, value.code);
		if (cases[i].code == RBS_OK)
			cr_expect_eq(value.number, cases[i].number, "case %zu: %llx", i,
				     (unsigned long long)value.number);
	}
	fixture_free(&fixture);
}

Test(layout, what_is_no_number)
{
	struct fixture fixture;
	struct rbs_value value;

	fixture_init(&fixture, RBS_LITTLE_ENDIAN);
	value = rbs_layout_read(&fixture.layout, INSIDE, fixture.target, BASE);
	cr_expect_eq(value.code, RBS_CORRUPT);
	value = rbs_layout_read(&fixture.layout, LIST, fixture.target, BASE);
	cr_expect_eq(value.code, RBS_CORRUPT);
	value = rbs_layout_read(&fixture.layout, ODD, fixture.target, BASE);
	cr_expect_eq(value.code, RBS_CORRUPT);
	cr_expect_eq(rbs_layout_offset(&fixture.layout, INSIDE), 56);
	cr_expect_eq(rbs_layout_size(&fixture.layout, INSIDE), 24);
	fixture_free(&fixture);
}

Test(layout, copies)
{
	static const uint8_t copy[12] = {[8] = 1, [9] = 2, [10] = 3, [11] = 4};
	struct fixture fixture;
	struct rbs_value value;

	fixture_init(&fixture, RBS_LITTLE_ENDIAN);
	value = rbs_layout_get(&fixture.layout, WORD, fixture.target, copy + 4, 8);
	cr_expect_eq(value.code, RBS_OK);
	cr_expect_eq(value.number, 0x04030201);
	/* a copy that is too short for the member, by one byte and by all */
	value = rbs_layout_get(&fixture.layout, WORD, fixture.target, copy, 7);
	cr_expect_eq(value.code, RBS_CORRUPT);
	value = rbs_layout_get(&fixture.layout, WIDE, fixture.target, copy, 12);
	cr_expect_eq(value.code, RBS_CORRUPT);
	value = rbs_layout_get(&fixture.layout, BYTE, fixture.target, copy, 0);
	cr_expect_eq(value.code, RBS_CORRUPT);
	fixture_free(&fixture);
}

Test(layout, unreadable_memory)
{
	struct fixture fixture;
	struct rbs_value value;
	struct rbs_error error;
	uint64_t number = 4711;

	fixture_init(&fixture, RBS_LITTLE_ENDIAN);
	fake_target_hole(fixture.target, BASE + 4, 4, RBS_EXCLUDED);
	value = rbs_layout_read(&fixture.layout, WORD, fixture.target, BASE);
	cr_expect_eq(value.code, RBS_EXCLUDED);
	cr_expect_eq(value.address, 0xffff888000001004);
	cr_expect_eq(
		rbs_layout_require(&fixture.layout, WORD, fixture.target, BASE, &number, &error),
		RBS_EXCLUDED);
	cr_expect_eq(number, 4711);
	cr_expect_eq(error.address, 0xffff888000001004);
	cr_expect_str_eq(error.text, "box:word of ffff888000001000 cannot be read: page excluded "
				     "from the dump");
	cr_expect_eq(
		rbs_layout_require(&fixture.layout, HALF, fixture.target, BASE, &number, &error),
		RBS_OK);
	cr_expect_eq(number, 0x3412);
	fixture_free(&fixture);
}

enum {
	RENAMED,
	NEWEST,
	GONE,
	GONE_TYPE,
	MIXED,
	SIZE,
	SIZE_GONE,
	OPEN,
	FLOATING,
	NO_ENUMERATOR,
	IN_MODULE,
	UNUSED,
	HISTORY_COUNT,
};

/* How members move: renamed ones, ones that are gone, in types that are there or not. */
static const struct rbs_layout_entry history[HISTORY_COUNT] = {
	[RENAMED] = {"box:not_yet|box:word"},
	[NEWEST] = {"box:word|box:wide"},
	[GONE] = {"box:not_yet|box:nor_this", RBS_OPTIONAL},
	[GONE_TYPE] = {"no_box:word", RBS_OPTIONAL},
	[MIXED] = {"no_box:word|new_name:gone|no_more:x", RBS_OPTIONAL},
	[SIZE] = {"no_box|new_name", RBS_SIZE},
	[SIZE_GONE] = {"no_box", RBS_SIZE | RBS_OPTIONAL},
	[OPEN] = {"no_state:STATE_OPEN|state:STATE_OPEN", RBS_ENUMERATOR},
	[FLOATING] = {":FREE_FLOATING", RBS_ENUMERATOR},
	[NO_ENUMERATOR] = {"state:STATE_SHUT", RBS_ENUMERATOR | RBS_OPTIONAL},
	[IN_MODULE] = {"private:count", RBS_OPTIONAL},
};

static void history_init(struct rbs_layout *layout, struct rbs_types *chain, const char *module)
{
	struct rbs_error error;

	types_init(chain);
	cr_assert_eq(rbs_layout_init(layout, history, HISTORY_COUNT, chain, module, &error), RBS_OK,
		     "%s", error.text);
}

Test(layout, alternatives)
{
	struct rbs_layout layout;
	struct rbs_types chain;

	history_init(&layout, &chain, "driver");
	cr_expect(rbs_layout_has(&layout, RENAMED));
	cr_expect_eq(rbs_layout_offset(&layout, RENAMED), 4);
	cr_expect_eq(layout.slots[RENAMED].alternative, 1);
	cr_expect_eq(rbs_layout_offset(&layout, NEWEST), 4);
	cr_expect_eq(layout.slots[NEWEST].alternative, 0);
	cr_expect_eq(rbs_layout_size(&layout, SIZE), 16);
	cr_expect_not(rbs_layout_has(&layout, SIZE_GONE));
	cr_expect_eq(rbs_layout_size(&layout, SIZE_GONE), 0);
	cr_expect_eq(rbs_layout_enumerator(&layout, OPEN, 99), 3);
	cr_expect_eq(rbs_layout_enumerator(&layout, FLOATING, 99), -7);
	cr_expect_eq(rbs_layout_enumerator(&layout, NO_ENUMERATOR, 99), 99);
	cr_expect_eq(rbs_layout_offset(&layout, IN_MODULE), 6);
	/* an entry that the table leaves out */
	cr_expect_not(rbs_layout_has(&layout, UNUSED));
	cr_expect_str_eq(layout.answered, "fake");
	rbs_layout_deinit(&layout);
	rbs_types_deinit(&chain);
}

/* 'No such member' and 'no types' are different answers to the user. */
Test(layout, reasons)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_layout layout;
	struct rbs_types chain;

	fake_target_map_zeros(target, BASE, 4096);
	history_init(&layout, &chain, NULL);
	cr_expect_eq(rbs_layout_read(&layout, GONE, target, BASE).code, RBS_NO_MEMBER);
	cr_expect_eq(rbs_layout_read(&layout, GONE_TYPE, target, BASE).code, RBS_NO_TYPES);
	/* one type of three is known: so the member is what is missing */
	cr_expect_eq(rbs_layout_read(&layout, MIXED, target, BASE).code, RBS_NO_MEMBER);
	/* a module's own types are not the kernel's */
	cr_expect_eq(rbs_layout_read(&layout, IN_MODULE, target, BASE).code, RBS_NO_TYPES);
	cr_expect_eq(rbs_layout_get(&layout, GONE, target, "", 1).code, RBS_NO_MEMBER);
	cr_expect_eq(rbs_layout_read_element(&layout, GONE, target, BASE, 0).code, RBS_NO_MEMBER);
	rbs_layout_deinit(&layout);
	rbs_types_deinit(&chain);
	rbs_target_destroy(target);
}

static void expect_refused(const char *where, unsigned flags, const char *module,
			   enum rbs_code code, const char *text)
{
	const struct rbs_layout_entry table[] = {{"box:word", 0}, {where, flags}};
	struct rbs_layout layout;
	struct rbs_types chain;
	struct rbs_error error;

	types_init(&chain);
	cr_expect_eq(rbs_layout_init(&layout, table, 2, &chain, module, &error), code);
	cr_expect(strstr(error.text, text), "%s", error.text);
	cr_expect_null(layout.slots);
	rbs_types_deinit(&chain);
}

Test(layout, required_entries)
{
	expect_refused("box:gone|box:not_yet", 0, NULL, RBS_NO_MEMBER, "box:gone|box:not_yet");
	expect_refused("no_box:word", 0, "driver", RBS_NO_TYPES, "driver's no_box:word");
	expect_refused("no_box", RBS_SIZE, NULL, RBS_NO_TYPES, "no_box");
	expect_refused("state:STATE_SHUT", RBS_ENUMERATOR, NULL, RBS_NO_TYPES, "STATE_SHUT");
}

Test(layout, without_types)
{
	static const struct rbs_layout_entry optional[] = {{"box:word", RBS_OPTIONAL}};
	struct rbs_layout layout;
	struct rbs_types chain;

	rbs_types_init(&chain);
	cr_assert_eq(rbs_layout_init(&layout, optional, 1, &chain, NULL, NULL), RBS_OK);
	cr_expect_not(rbs_layout_has(&layout, 0));
	cr_expect_null(layout.answered);
	rbs_layout_deinit(&layout);
	cr_assert_eq(rbs_layout_init(&layout, optional, 0, &chain, NULL, NULL), RBS_OK);
	rbs_layout_deinit(&layout);
	rbs_types_deinit(&chain);
}
