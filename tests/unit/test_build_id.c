/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "fake_sources.h"
#include "fake_target.h"
#include "lib/build_id.h"

static const uint8_t little[] = {
	/* Xen's note of type 3: the right type, the wrong owner. */
	4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 'X', 'e', 'n', 0, 9, 9, 9, 0,
	/* GNU's of another type, with an owner that needs no padding. */
	4, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 'G', 'N', 'U', 0, 7, 7, 7, 7,
	/* An owner that needs padding. */
	6, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 'L', 'i', 'n', 'u', 'x', 0, 0, 0, 8, 0, 0, 0,
	/* The build-id. */
	4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef, 0x01};

static const uint8_t big[] = {0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 3, 'G', 'N', 'U', 0, 0xca, 0xfe};

static void assert_id(const struct rbs_build_id *id, const char *expected)
{
	char text[2 * RBS_BUILD_ID_MAX + 1];

	rbs_build_id_format(id, text, sizeof(text));
	cr_assert_str_eq(text, expected);
}

Test(build_id, from_notes)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_build_id id = {.size = 0};

	cr_assert(rbs_build_id_from_notes(&id, target, little, sizeof(little)));
	assert_id(&id, "deadbeef01");
	/* Cut at every place before its end: never found, never read beyond. */
	for (size_t size = 0; size < sizeof(little); size++) {
		uint8_t *copy = malloc(size ? size : 1);

		memcpy(copy, little, size);
		cr_assert_not(rbs_build_id_from_notes(&id, target, copy, size), "%zu", size);
		free(copy);
	}
	rbs_target_destroy(target);
	target = fake_target_create(RBS_BIG_ENDIAN, 8);
	cr_assert(rbs_build_id_from_notes(&id, target, big, sizeof(big)));
	assert_id(&id, "cafe");
	cr_assert_not(rbs_build_id_from_notes(&id, target, little, sizeof(little)));
	rbs_target_destroy(target);
}

Test(build_id, senseless_notes)
{
	static const uint8_t empty[] = {4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	uint8_t huge[12 + 4 + 64] = {4, 0, 0, 0, 33, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0};
	uint8_t wild[16];
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_build_id id = {.size = 0};

	memset(wild, 0xff, sizeof(wild));
	cr_assert_not(rbs_build_id_from_notes(&id, target, empty, sizeof(empty)));
	cr_assert_not(rbs_build_id_from_notes(&id, target, huge, sizeof(huge)));
	cr_assert_not(rbs_build_id_from_notes(&id, target, wild, sizeof(wild)));
	cr_assert_eq(id.size, 0);
	rbs_target_destroy(target);
}

Test(build_id, parse)
{
	static const char *const senseless[] = {
		"",	 "abc",
		"xy",	 "0x12",
		"12 34", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20"};
	struct rbs_build_id id = {.size = 0}, other;

	for (size_t i = 0; i < sizeof(senseless) / sizeof(senseless[0]); i++)
		cr_assert_not(rbs_build_id_parse(&id, senseless[i]), "%s", senseless[i]);
	cr_assert_eq(id.size, 0);
	cr_assert(rbs_build_id_parse(&id, "6A2b4ac7"));
	assert_id(&id, "6a2b4ac7");
	other = id;
	cr_assert(rbs_build_id_equal(&id, &other));
	other.bytes[3] ^= 1;
	cr_assert_not(rbs_build_id_equal(&id, &other));
	other = id;
	other.size = 3;
	cr_assert_not(rbs_build_id_equal(&id, &other));
}

Test(build_id, format_cuts_whole_bytes)
{
	struct rbs_build_id id;
	char text[6];

	cr_assert(rbs_build_id_parse(&id, "0123456789"));
	rbs_build_id_format(&id, text, sizeof(text));
	cr_assert_str_eq(text, "0123");
}

static const struct fake_symbol notes_symbols[] = {
	{NULL, "__start_notes", 0xffffffff81f00000},
	{NULL, "__stop_notes", 0xffffffff81f00000 + sizeof(little)},
	{NULL, NULL, 0},
};

static void assert_dump(struct rbs_target *target, const struct fake_symbol *list,
			enum rbs_code expected, const char *text)
{
	struct rbs_symbols symbols;
	struct rbs_build_id id;

	rbs_symbols_init(&symbols);
	rbs_symbols_add(&symbols, fake_symbols_create(list));
	cr_assert_eq(rbs_dump_build_id(target, &symbols, &id, NULL), expected);
	assert_id(&id, text);
	rbs_symbols_deinit(&symbols);
}

Test(build_id, of_the_dump)
{
	static const struct fake_symbol nothing[] = {{NULL, NULL, 0}};
	static const struct fake_symbol senseless[] = {
		{NULL, "__start_notes", 0xffffffff81f00000},
		{NULL, "__stop_notes", 0xffffffffffffffff},
		{NULL, NULL, 0},
	};
	static const struct fake_symbol reversed[] = {
		{NULL, "__start_notes", 0xffffffff81f00010},
		{NULL, "__stop_notes", 0xffffffff81f00000},
		{NULL, NULL, 0},
	};
	static const struct fake_symbol without[] = {
		{NULL, "__start_notes", 0xffffffff81f00000},
		{NULL, "__stop_notes", 0xffffffff81f00014}, /* Xen's note only */
		{NULL, NULL, 0},
	};
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);

	assert_dump(target, notes_symbols, RBS_UNMAPPED, "");
	fake_target_map(target, 0xffffffff81f00000, little, sizeof(little));
	assert_dump(target, notes_symbols, RBS_OK, "deadbeef01");
	assert_dump(target, nothing, RBS_NO_SYMBOL, "");
	assert_dump(target, senseless, RBS_CORRUPT, "");
	assert_dump(target, reversed, RBS_CORRUPT, "");
	assert_dump(target, without, RBS_CORRUPT, "");
	/* VMCOREINFO's line is asked first; a senseless one is passed over. */
	fake_target_vmcoreinfo(target, "OSRELEASE=6.1.0\nBUILD-ID=6a2b4ac77585\nPAGESIZE=4096\n");
	assert_dump(target, notes_symbols, RBS_OK, "6a2b4ac77585");
	fake_target_vmcoreinfo(target, "BUILD-ID=none\n");
	assert_dump(target, notes_symbols, RBS_OK, "deadbeef01");
	rbs_target_destroy(target);
}
