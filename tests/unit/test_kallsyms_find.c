/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "dwarf/kallsyms.h"
#include "dwarf/kallsyms_find.h"
#include "kallsyms_image.h"

#define STEXT UINT64_C(0xffffffff81000000)
#define TABLES UINT64_C(0xffffffff81234560)
#define COUNT 700

/* What differs between the kernels. */
struct shape {
	enum rbs_byte_order order;
	bool addresses_last; /* 6.4 and later */
	enum rbs_kallsyms_encoding encoding;
	size_t marker_width;
	size_t count_width;
	bool seqs_before_tokens; /* 6.2 and 6.3 */
	uint64_t tables;
};

/* Symbol 0 is _stext, symbol i from 1 on "sNNN", 16 bytes further each. */
static size_t fill_names(uint8_t *names, uint64_t *markers)
{
	static const uint8_t first[] = {2, 0x01, 0x02};
	size_t used = sizeof(first);

	memcpy(names, first, used);
	markers[0] = 0;
	for (unsigned i = 1; i < COUNT; i++) {
		const uint8_t entry[] = {5,
					 i % 3 ? 0x05 : 0x06,
					 's',
					 (uint8_t)('0' + i / 100),
					 (uint8_t)('0' + i / 10 % 10),
					 (uint8_t)('0' + i % 10)};

		if (i % 256 == 0)
			markers[i / 256] = used;
		memcpy(names + used, entry, sizeof(entry));
		used += sizeof(entry);
	}
	return used;
}

static uint64_t put_addresses(struct rbs_target *target, const struct shape *shape, uint64_t at)
{
	uint64_t values[COUNT];
	bool words = shape->encoding == RBS_KALLSYMS_WORDS;

	for (uint64_t i = 0; i < COUNT; i++) {
		if (words)
			values[i] = STEXT + 16 * i;
		else if (shape->encoding == RBS_KALLSYMS_BASE_RELATIVE)
			values[i] = 0x2000 + 16 * i;
		else
			values[i] = 0xffffffff - 0x2000 - 16 * i;
	}
	at = image_numbers(target, at, values, COUNT, words ? 8 : 4);
	if (!words)
		at = image_number(target, at, STEXT - 0x2000, 8);
	return at;
}

static struct rbs_target *build(const struct shape *shape)
{
	struct rbs_target *target = fake_target_create(shape->order, 8);
	uint64_t at = shape->tables ? shape->tables : TABLES;
	uint64_t markers[3], index;
	uint8_t names[8 * COUNT], seqs[3 * COUNT];
	size_t names_size = fill_names(names, markers);

	/* Memory comes in whole pages. */
	fake_target_map_zeros(target, at / 4096 * 4096, (size_t)8 * 4096);
	if (!shape->addresses_last)
		at = put_addresses(target, shape, at);
	at = image_number(target, at, COUNT, shape->count_width);
	at = image_bytes(target, at, names, names_size);
	at = image_numbers(target, at, markers, 3, shape->marker_width);
	if (shape->seqs_before_tokens) {
		memset(seqs, 0x17, sizeof(seqs));
		at = image_bytes(target, at, seqs, sizeof(seqs));
	}
	at = image_tokens(target, at, &index);
	if (shape->addresses_last)
		put_addresses(target, shape, at);
	fake_target_vmcoreinfo(target, "OSRELEASE=5.10.0\n"
				       "SYMBOL(_stext)=ffffffff81000000\n"
				       "SYMBOL(init_uts_ns)=ffffffff81800000\n");
	return target;
}

static void assert_found(const struct shape *shape)
{
	struct rbs_target *target = build(shape);
	struct rbs_symbol_source *source;
	struct rbs_error error = {.code = RBS_OK};
	uint64_t address = 0;

	cr_assert_eq(rbs_kallsyms_create(target, &source, &error), RBS_OK, "%s", error.text);
	cr_assert_eq(rbs_kallsyms_count(source), 700);
	cr_assert_eq(source->ops->find(source, NULL, "_stext", &address, NULL), RBS_OK);
	cr_assert_eq(address, 0xffffffff81000000);
	cr_assert_eq(source->ops->find(source, NULL, "s123", &address, NULL), RBS_OK);
	cr_assert_eq(address, 0xffffffff810007b0);
	cr_assert_eq(source->ops->find(source, NULL, "s699", &address, NULL), RBS_OK);
	cr_assert_eq(address, 0xffffffff81002bb0);
	source->ops->destroy(source);
	rbs_target_destroy(target);
}

/* 4.20 to 6.1 on x86-64. */
Test(kallsyms_find, absolute_percpu_first)
{
	assert_found(&(struct shape){
		.encoding = RBS_KALLSYMS_ABSOLUTE_PERCPU, .marker_width = 4, .count_width = 4});
}

/* arm64 of those releases. */
Test(kallsyms_find, base_relative_first)
{
	assert_found(&(struct shape){
		.encoding = RBS_KALLSYMS_BASE_RELATIVE, .marker_width = 4, .count_width = 4});
}

/* Before 4.20 counts and markers were longs, before 4.6 addresses too. */
Test(kallsyms_find, everything_long)
{
	assert_found(&(struct shape){
		.encoding = RBS_KALLSYMS_WORDS, .marker_width = 8, .count_width = 8});
}

Test(kallsyms_find, everything_long_big_endian)
{
	assert_found(&(struct shape){.order = RBS_BIG_ENDIAN,
				     .encoding = RBS_KALLSYMS_WORDS,
				     .marker_width = 8,
				     .count_width = 8});
}

Test(kallsyms_find, base_relative_big_endian)
{
	assert_found(&(struct shape){.order = RBS_BIG_ENDIAN,
				     .encoding = RBS_KALLSYMS_BASE_RELATIVE,
				     .marker_width = 4,
				     .count_width = 4});
}

Test(kallsyms_find, seqs_of_names)
{
	assert_found(&(struct shape){.encoding = RBS_KALLSYMS_ABSOLUTE_PERCPU,
				     .marker_width = 4,
				     .count_width = 4,
				     .seqs_before_tokens = true});
}

Test(kallsyms_find, addresses_last)
{
	assert_found(&(struct shape){.addresses_last = true,
				     .encoding = RBS_KALLSYMS_BASE_RELATIVE,
				     .marker_width = 4,
				     .count_width = 4});
}

/* Above the first data that VMCOREINFO names (0xffffffff81800000): the scan goes on upwards. */
Test(kallsyms_find, above_the_data)
{
	assert_found(&(struct shape){.encoding = RBS_KALLSYMS_BASE_RELATIVE,
				     .marker_width = 4,
				     .count_width = 4,
				     .tables = UINT64_C(0xffffffff82345678)});
}

/*
 * The token index begins 0x1cf0 behind the offsets: here on both sides of, and across, the end of a
 * scanned window at 0xffffffff81240000 (windows are 256 KiB from _stext on).
 */
Test(kallsyms_find, across_windows)
{
	for (uint64_t tables = UINT64_C(0xffffffff8123e080); tables < UINT64_C(0xffffffff8123e340);
	     tables += 0x40)
		assert_found(&(struct shape){.encoding = RBS_KALLSYMS_BASE_RELATIVE,
					     .marker_width = 4,
					     .count_width = 4,
					     .tables = tables});
}

static void assert_nothing(struct rbs_target *target, enum rbs_code expected)
{
	struct rbs_symbol_source *source;
	struct rbs_error error = {.code = RBS_OK};

	cr_assert_eq(rbs_kallsyms_create(target, &source, &error), expected, "%s", error.text);
	cr_assert_eq(error.code, expected);
	rbs_target_destroy(target);
}

static const struct shape plain = {
	.encoding = RBS_KALLSYMS_BASE_RELATIVE,
	.marker_width = 4,
	.count_width = 4,
};

Test(kallsyms_find, nothing_there)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);

	fake_target_vmcoreinfo(target, "SYMBOL(_stext)=ffffffff81000000\n");
	assert_nothing(target, RBS_NO_SYMBOL);
}

Test(kallsyms_find, excluded_names)
{
	struct rbs_target *target = build(&plain);

	fake_target_hole(target, TABLES + 0x1000, 1, RBS_EXCLUDED);
	assert_nothing(target, RBS_NO_SYMBOL);
}

/* Pages before and behind the tables may be missing. */
Test(kallsyms_find, excluded_neighbours)
{
	struct rbs_target *target = build(&plain);
	struct rbs_symbol_source *source;

	fake_target_map_zeros(target, UINT64_C(0xffffffff81200000), 0x34000);
	fake_target_map_zeros(target, UINT64_C(0xffffffff8123c000), 0x4000);
	fake_target_hole(target, UINT64_C(0xffffffff81233000), 0x1000, RBS_EXCLUDED);
	fake_target_hole(target, UINT64_C(0xffffffff81237000), 0x1000, RBS_EXCLUDED);
	cr_assert_eq(rbs_kallsyms_create(target, &source, NULL), RBS_OK);
	source->ops->destroy(source);
	rbs_target_destroy(target);
}

/* One marker that is not where its name is: these are no kernel's tables. */
Test(kallsyms_find, wrong_marker)
{
	struct rbs_target *target = build(&plain);
	/* 700 offsets and their base, the count, then 3 + 699 * 6 bytes of names. */
	uint64_t markers = TABLES + 2800 + 8 + 8 + 4200;
	uint64_t second;

	cr_assert_eq(rbs_target_read_uint(target, markers + 4, 4, &second, NULL), RBS_OK);
	cr_assert_eq(second, 1533);
	fake_target_put(target, markers + 4, 4, 1534);
	assert_nothing(target, RBS_NO_SYMBOL);
}

Test(kallsyms_find, other_stext)
{
	struct rbs_target *target = build(&plain);

	fake_target_vmcoreinfo(target, "SYMBOL(_stext)=ffffffff81000008\n");
	assert_nothing(target, RBS_NO_SYMBOL);
}

Test(kallsyms_find, stext_at_the_end_of_memory)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);

	fake_target_vmcoreinfo(target, "SYMBOL(_stext)=fffffffffffff000\n");
	assert_nothing(target, RBS_CORRUPT);
}

Test(kallsyms_find, interrupted)
{
	struct rbs_target *target = build(&plain);

	fake_target_interrupt(target, true);
	assert_nothing(target, RBS_INTERRUPTED);
}
