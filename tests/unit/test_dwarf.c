/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What DWARF says of types, however the compiler wrote it. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_sample.h"
#include "sample_file.h"

static void expect_member(struct sample_file *file, const char *path, size_t offset, size_t size,
			  enum rbs_kind kind)
{
	struct rbs_member member = sample_find(file, "sample", path);

	cr_expect_eq(member.offset, offset, "%s at %llu", path, (unsigned long long)member.offset);
	cr_expect_eq(member.size, size, "%s of %llu", path, (unsigned long long)member.size);
	cr_expect_eq(member.kind, kind, "%s is a %d", path, member.kind);
	cr_expect_eq(member.bit_size, 0);
}

#define MEMBER(file, path, kind)                                                                   \
	expect_member(file, #path, offsetof(struct sample, path),                                  \
		      sizeof(((struct sample *)0)->path), kind)

static void expect_plain_members(struct sample_file *file)
{
	struct rbs_member member;
	uint64_t size;

	MEMBER(file, first, RBS_KIND_INT);
	MEMBER(file, second, RBS_KIND_INT);
	MEMBER(file, inner, RBS_KIND_STRUCT);
	MEMBER(file, inner.x, RBS_KIND_INT);
	MEMBER(file, inner.y, RBS_KIND_ARRAY);
	MEMBER(file, as_int, RBS_KIND_INT);
	MEMBER(file, text, RBS_KIND_POINTER);
	MEMBER(file, length, RBS_KIND_INT);
	MEMBER(file, pointer, RBS_KIND_POINTER);
	MEMBER(file, function, RBS_KIND_POINTER);
	MEMBER(file, color, RBS_KIND_INT);
	MEMBER(file, counter, RBS_KIND_INT); /* wrapped twice */
	MEMBER(file, counter.a.counter, RBS_KIND_INT);
	MEMBER(file, grid, RBS_KIND_ARRAY);
	MEMBER(file, real, RBS_KIND_OTHER);
	MEMBER(file, flag, RBS_KIND_INT);
	MEMBER(file, next, RBS_KIND_POINTER);
	cr_expect(sample_find(file, "sample", "second").is_signed);
	cr_expect(sample_find(file, "sample", "order").is_signed);
	cr_expect_not(sample_find(file, "sample", "length").is_signed);
	cr_expect_not(sample_find(file, "sample", "color").is_signed);
	member = sample_find(file, "sample", "grid");
	cr_expect_eq(member.count, 20);
	cr_expect_eq(member.element_size, sizeof(long));
	member = sample_find(file, "sample", "flexible");
	cr_expect_eq(member.kind, RBS_KIND_ARRAY);
	cr_expect_eq(member.offset, offsetof(struct sample, flexible));
	cr_expect_eq(member.count, 0);
	cr_expect_eq(member.element_size, 1);
	member = sample_find(file, "sample_packed", "odd");
	cr_expect_eq(member.offset, 1);
	cr_expect_eq(member.size, sizeof(long));
	cr_assert_eq(file->source->ops->find_size(file->source, NULL, "sample", &size, NULL),
		     RBS_OK);
	cr_expect_eq(size, sizeof(struct sample));
	cr_assert_eq(
		file->source->ops->find_size(file->source, NULL, "sample_inner_t", &size, NULL),
		RBS_OK);
	cr_expect_eq(size, sizeof(struct sample_inner));
}

/* The bits of a field that the compiler stored into bytes, in this machine's byte order. */
static uint64_t extract(const struct rbs_member *member, const void *bytes)
{
	const unsigned char *from = (const unsigned char *)bytes + member->offset;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t unit;

	memcpy(&u8, from, sizeof(u8));
	memcpy(&u16, from, member->size >= 2 ? 2 : 0);
	memcpy(&u32, from, member->size >= 4 ? 4 : 0);
	memcpy(&unit, from, member->size >= 8 ? 8 : 0);
	if (member->size < 8)
		unit = member->size == 4 ? u32 : member->size == 2 ? u16 : u8;
	return unit >> member->bit_offset & ((UINT64_C(1) << member->bit_size) - 1);
}

#define BITS(file, type, field, number)                                                            \
	do {                                                                                       \
		struct type bits_;                                                                 \
		struct rbs_member member_ = sample_find(file, #type, #field);                      \
		memset(&bits_, 0, sizeof(bits_));                                                  \
		bits_.field = number;                                                              \
		cr_expect_leq(member_.offset + member_.size, sizeof(bits_));                       \
		cr_expect_eq(extract(&member_, &bits_), number, #field);                           \
		memset(&bits_, 0xff, sizeof(bits_));                                               \
		bits_.field = 0;                                                                   \
		cr_expect_eq(extract(&member_, &bits_), 0, #field " of ones");                     \
	} while (0)

static void expect_bit_fields(struct sample_file *file)
{
	BITS(file, sample, a, 5);
	BITS(file, sample, b, 0x1234);
	BITS(file, sample, c, 0xbeef);
	BITS(file, sample, d, 0xd);
	BITS(file, sample, wide, 0x1234567890);
	BITS(file, sample, yes, 1);
	BITS(file, sample_packed, across, 0x71234567);
	BITS(file, sample_packed, rest, 2);
	cr_expect_eq(sample_find(file, "sample", "b").bit_size, 13);
	cr_expect(sample_find(file, "sample", "d").is_signed);
}

static void expect_enumerators(struct sample_file *file)
{
	static const struct {
		const char *type;
		const char *name;
		int64_t value;
	} wanted[] = {
		{"sample_color", "SAMPLE_GREEN", 200},
		{"sample_color", "SAMPLE_BLUE", 70000},
		{"sample_signed", "SAMPLE_LESS", -5},
		{"sample_signed", "SAMPLE_MORE", 5},
		{NULL, "SAMPLE_RED", 0},
		{NULL, "SAMPLE_LESS", -5},
	};
	const struct rbs_type_source_ops *ops = file->source->ops;
	int64_t value;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		value = 12345;
		cr_expect_eq(ops->find_enumerator(file->source, NULL, wanted[i].type,
						  wanted[i].name, &value, NULL),
			     RBS_OK, "%s", wanted[i].name);
		cr_expect_eq(value, wanted[i].value, "%s", wanted[i].name);
	}
	cr_expect_eq(ops->find_enumerator(file->source, NULL, "sample_color", "SAMPLE_LESS", &value,
					  NULL),
		     RBS_NO_MEMBER);
	cr_expect_eq(ops->find_enumerator(file->source, NULL, "sample", "SAMPLE_RED", &value, NULL),
		     RBS_NO_TYPES);
	cr_expect_eq(ops->find_enumerator(file->source, NULL, NULL, "SAMPLE_NO", &value, NULL),
		     RBS_NO_TYPES);
}

/* How debug information can be made: each must say the same. */
struct recipe {
	char command[200];
	char program[16]; /* that must be there, besides the compiler */
};

static struct recipe recipes[] = {
	{"$CC -g -gdwarf-4 -I$SOURCES -c unit.c -o out", "true"},
	{"$CC -g -gdwarf-5 -I$SOURCES -c unit.c -o out", "true"},
	{"$CC -g -gdwarf-3 -gstrict-dwarf -I$SOURCES -c unit.c -o out", "true"},
	{"$CC -g -I$SOURCES unit.c -o out -Wl,--emit-relocs", "true"},
	{"$CC -g -gz=zlib -I$SOURCES unit.c -o out", "true"},
	{"$CC -g -I$SOURCES unit.c -o x && objcopy --only-keep-debug x out", "objcopy"},
	{"clang -g -gdwarf-4 -I$SOURCES -c unit.c -o out", "clang"},
	{"clang -g -gdwarf-5 -I$SOURCES -c unit.c -o out", "clang"},
};

ParameterizedTestParameters(dwarf, all_forms)
{
	return cr_make_param_array(struct recipe, recipes, sizeof(recipes) / sizeof(recipes[0]));
}

ParameterizedTest(struct recipe *recipe, dwarf, all_forms)
{
	struct sample_file file;

	if (!scratch_has(recipe->program))
		cr_skip_test("no %s", recipe->program);
	sample_file_init(&file, recipe->command, "out");
	expect_plain_members(&file);
	expect_bit_fields(&file);
	expect_enumerators(&file);
	sample_file_deinit(&file);
}

Test(dwarf, what_is_not_there)
{
	struct sample_file file;

	sample_file_init(&file, "$CC -g -I$SOURCES -c unit.c -o out", "out");
	cr_expect_eq(sample_try_find(&file, "sample", "nosuch"), RBS_NO_MEMBER);
	cr_expect_eq(sample_try_find(&file, "sample", "inner.z"), RBS_NO_MEMBER);
	cr_expect_eq(sample_try_find(&file, "sample", "pointer.x"), RBS_NO_MEMBER);
	cr_expect_eq(sample_try_find(&file, "nosuch", "x"), RBS_NO_TYPES);
	cr_expect_eq(sample_try_find(&file, "nosuch", "x"), RBS_NO_TYPES); /* kept answers, too */
	/* Names that occur, but not as that of a structure. */
	cr_expect_eq(sample_try_find(&file, "main", "x"), RBS_NO_TYPES);
	cr_expect_eq(sample_try_find(&file, "as_int", "x"), RBS_NO_TYPES);
	sample_file_deinit(&file);
}

/* Another machine's file, of the other byte order: relocations, references and bit fields. */
static void expect_foreign(const char *target, const char *options)
{
	static const char text[] =
		"struct flags { unsigned a : 3, b : 13, c : 16; int d : 5; long l; };\n"
		"struct flags flags = {5, 0x1234, 0xbeef, -2, 0};\n"
		"enum state { LOST = -1, LIVE = 200 } state;\n";
	/* .data of what a compiler for s390x makes of it. */
	static const unsigned char stored[] = {0xb2, 0x34, 0xbe, 0xef, 0xf0};
	static const struct {
		const char *name;
		uint64_t value;
	} wanted[] = {{"a", 5}, {"b", 0x1234}, {"c", 0xbeef}, {"d", 0x1e}};
	struct sample_file file = {.source = NULL};
	struct rbs_member member;
	char command[256];
	int64_t value;

	if (!scratch_has("clang"))
		cr_skip_test("no clang");
	scratch_init(&file.scratch);
	scratch_write(&file.scratch, "f.c", text, sizeof(text) - 1);
	snprintf(command, sizeof(command), "clang -target %s -g %s -c f.c -o f.o", target, options);
	scratch_run(&file.scratch, command);
	sample_open(&file, "f.o");
	cr_expect_eq(sample_find(&file, "flags", "l").offset, 8);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		uint64_t unit = 0;

		member = sample_find(&file, "flags", wanted[i].name);
		cr_assert_leq(member.offset + member.size, sizeof(stored));
		for (uint64_t b = 0; b < member.size; b++)
			unit = unit << 8 | stored[member.offset + b];
		unit = unit >> member.bit_offset & ((UINT64_C(1) << member.bit_size) - 1);
		cr_expect_eq(unit, wanted[i].value, "%s", wanted[i].name);
	}
	cr_assert_eq(
		file.source->ops->find_enumerator(file.source, NULL, "state", "LOST", &value, NULL),
		RBS_OK);
	cr_expect_eq(value, -1);
	sample_file_deinit(&file);
}

Test(dwarf, big_endian_4)
{
	expect_foreign("s390x-linux-gnu", "-gdwarf-4");
}

Test(dwarf, big_endian_5)
{
	expect_foreign("s390x-linux-gnu", "-gdwarf-5");
}

Test(dwarf, big_endian_2)
{
	expect_foreign("s390x-linux-gnu", "-gdwarf-2 -gstrict-dwarf");
}
