/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dwarf/dwarf_source.h"
#include "dwarf_sample.h"
#include "scratch.h"

/* A file of debug information, made by a command, and the source that reads it. */
struct sample_file {
	struct scratch scratch;
	struct rbs_type_source *source;
};

/* unit.c uses all types of dwarf_sample.h. */
static void write_unit(const struct scratch *scratch)
{
	static const char text[] = "#include \"dwarf_sample.h\"\n"
				   "struct sample sample;\n"
				   "struct sample_packed sample_packed;\n"
				   "enum sample_signed sample_signed = SAMPLE_LESS;\n"
				   "int main(void) { return sample.second; }\n";

	scratch_write(scratch, "unit.c", text, sizeof(text) - 1);
}

static void open_kernel(struct sample_file *file, const char *name)
{
	char path[256];

	cr_assert_eq(rbs_dwarf_source_create(scratch_path(&file->scratch, name, path), NULL,
					     &file->source, NULL),
		     RBS_OK);
}

static void file_init(struct sample_file *file, const char *command, const char *name)
{
	memset(file, 0, sizeof(*file));
	scratch_init(&file->scratch);
	write_unit(&file->scratch);
	scratch_run(&file->scratch, command);
	open_kernel(file, name);
}

static void file_deinit(struct sample_file *file)
{
	if (file->source)
		file->source->ops->destroy(file->source);
	scratch_deinit(&file->scratch);
}

static enum rbs_code try_find(struct sample_file *file, const char *type, const char *path)
{
	struct rbs_member member;

	return file->source->ops->find_member(file->source, NULL, type, path, &member, NULL);
}

static struct rbs_member find(struct sample_file *file, const char *type, const char *path)
{
	struct rbs_error err = {.code = RBS_OK};
	struct rbs_member member;

	cr_assert_eq(file->source->ops->find_member(file->source, NULL, type, path, &member, &err),
		     RBS_OK, "%s.%s: %s", type, path, err.text);
	return member;
}

static void expect_member(struct sample_file *file, const char *path, size_t offset, size_t size,
			  enum rbs_kind kind)
{
	struct rbs_member member = find(file, "sample", path);

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
	cr_expect(find(file, "sample", "second").is_signed);
	cr_expect(find(file, "sample", "order").is_signed);
	cr_expect_not(find(file, "sample", "length").is_signed);
	cr_expect_not(find(file, "sample", "color").is_signed);
	member = find(file, "sample", "grid");
	cr_expect_eq(member.count, 20);
	cr_expect_eq(member.element_size, sizeof(long));
	member = find(file, "sample", "flexible");
	cr_expect_eq(member.kind, RBS_KIND_ARRAY);
	cr_expect_eq(member.offset, offsetof(struct sample, flexible));
	cr_expect_eq(member.count, 0);
	cr_expect_eq(member.element_size, 1);
	member = find(file, "sample_packed", "odd");
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
		struct rbs_member member_ = find(file, #type, #field);                             \
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
	cr_expect_eq(find(file, "sample", "b").bit_size, 13);
	cr_expect(find(file, "sample", "d").is_signed);
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
	file_init(&file, recipe->command, "out");
	expect_plain_members(&file);
	expect_bit_fields(&file);
	expect_enumerators(&file);
	file_deinit(&file);
}

Test(dwarf, what_is_not_there)
{
	struct sample_file file;

	file_init(&file, "$CC -g -I$SOURCES -c unit.c -o out", "out");
	cr_expect_eq(try_find(&file, "sample", "nosuch"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(&file, "sample", "inner.z"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(&file, "sample", "pointer.x"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(&file, "nosuch", "x"), RBS_NO_TYPES);
	cr_expect_eq(try_find(&file, "nosuch", "x"), RBS_NO_TYPES); /* kept answers, too */
	/* Names that occur, but not as that of a structure. */
	cr_expect_eq(try_find(&file, "main", "x"), RBS_NO_TYPES);
	cr_expect_eq(try_find(&file, "as_int", "x"), RBS_NO_TYPES);
	file_deinit(&file);
}

/* The first unit only declares the structure; the second has it. */
Test(dwarf, declarations_are_passed_over)
{
	static const char declares[] =
		"struct hidden; typedef struct hidden hidden_t; typedef struct hidden hidden;\n"
		"hidden_t *a_pointer; hidden *another;\n";
	static const char defines[] = "struct hidden { int x; long y; } object;\n";
	struct sample_file file = {.source = NULL};
	uint64_t size;

	scratch_init(&file.scratch);
	scratch_write(&file.scratch, "a.c", declares, sizeof(declares) - 1);
	scratch_write(&file.scratch, "b.c", defines, sizeof(defines) - 1);
	scratch_run(&file.scratch, "$CC -g -c a.c && $CC -g -c b.c && ld -r a.o b.o -o both.o");
	open_kernel(&file, "both.o");
	cr_assert_eq(file.source->ops->find_size(file.source, NULL, "hidden", &size, NULL), RBS_OK);
	cr_expect_eq(size, 2 * sizeof(long));
	cr_expect_eq(find(&file, "hidden", "y").offset, sizeof(long));
	file_deinit(&file);
}

/* Two units have a structure of one name: the file that fits the module's name decides. */
Test(dwarf, unit_that_fits_the_module)
{
	struct sample_file file = {.source = NULL};
	struct rbs_member member;

	scratch_init(&file.scratch);
	scratch_write(&file.scratch, "other.c", "struct queue { int n; } o;\n", 27);
	scratch_write(&file.scratch, "virtio-net.c", "struct queue { long l; int n; } v;\n", 35);
	scratch_run(&file.scratch, "$CC -g -c other.c && $CC -g -c virtio-net.c && "
				   "ld -r other.o virtio-net.o -o both.o");
	open_kernel(&file, "both.o");
	cr_assert_eq(file.source->ops->find_member(file.source, "virtio_net", "queue", "n", &member,
						   NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, sizeof(long));
	cr_assert_eq(file.source->ops->find_member(file.source, NULL, "queue", "n", &member, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, 0);
	file_deinit(&file);
}

static void write_xz(const struct scratch *scratch, const char *from, const char *to)
{
	size_t size, capacity, used = 0;
	unsigned char *bytes = scratch_read(scratch, from, &size);
	unsigned char *packed;

	capacity = lzma_stream_buffer_bound(size);
	packed = malloc(capacity);
	cr_assert(packed);
	cr_assert_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, bytes, size, packed, &used,
					     capacity),
		     LZMA_OK);
	scratch_write(scratch, to, packed, used);
	free(packed);
	free(bytes);
}

static void write_gzip(const struct scratch *scratch, const char *from, const char *to)
{
	size_t size;
	unsigned char *bytes = scratch_read(scratch, from, &size);
	char path[256];
	gzFile file = gzopen(scratch_path(scratch, to, path), "wb");

	cr_assert(file);
	cr_assert_eq(gzwrite(file, bytes, (unsigned)size), (int)size);
	cr_assert_eq(gzclose(file), Z_OK);
	free(bytes);
}

Test(dwarf, compressed_modules)
{
	struct sample_file file = {.source = NULL};
	struct rbs_member member;
	char path[256];

	scratch_init(&file.scratch);
	write_unit(&file.scratch);
	scratch_run(&file.scratch, "$CC -g -I$SOURCES -c unit.c -o unit.ko");
	write_xz(&file.scratch, "unit.ko", "my-xz.ko.xz");
	write_gzip(&file.scratch, "unit.ko", "my-gz.ko.gz");
	cr_assert_eq(rbs_dwarf_source_create(NULL, NULL, &file.source, NULL), RBS_OK);
	cr_assert_eq(rbs_dwarf_source_add_module(file.source, "my-xz",
						 scratch_path(&file.scratch, "my-xz.ko.xz", path),
						 NULL),
		     RBS_OK);
	cr_assert_eq(rbs_dwarf_source_add_module(file.source, "my_gz",
						 scratch_path(&file.scratch, "my-gz.ko.gz", path),
						 NULL),
		     RBS_OK);
	cr_assert_eq(file.source->ops->find_member(file.source, "my_xz", "sample", "pointer",
						   &member, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, offsetof(struct sample, pointer));
	cr_assert_eq(file.source->ops->find_member(file.source, "my_gz", "sample", "real", &member,
						   NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, offsetof(struct sample, real));
	/* Without a kernel's file, the kernel's types are not known. */
	cr_expect_eq(try_find(&file, "sample", "pointer"), RBS_NO_TYPES);
	cr_expect_eq(rbs_dwarf_source_add_module(file.source, "my-gz", path, NULL), RBS_USAGE);
	file_deinit(&file);
}

Test(dwarf, module_first_then_kernel)
{
	struct sample_file file = {.source = NULL};
	struct rbs_member member;
	struct rbs_error err;
	char path[256];

	scratch_init(&file.scratch);
	scratch_write(&file.scratch, "k.c", "struct s { int n; } s; struct k { int n; } k;\n", 46);
	scratch_write(&file.scratch, "m.c", "struct s { long l; int n; } s;\n", 31);
	scratch_run(&file.scratch, "$CC -g -c k.c && $CC -g -c m.c");
	open_kernel(&file, "k.o");
	rbs_dwarf_source_add_module(file.source, "m", scratch_path(&file.scratch, "m.o", path),
				    NULL);
	rbs_dwarf_source_add_module(file.source, "gone",
				    scratch_path(&file.scratch, "gone.ko", path), NULL);
	cr_assert_eq(file.source->ops->find_member(file.source, "m", "s", "n", &member, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, sizeof(long));
	cr_expect_eq(file.source->ops->find_member(file.source, "m", "k", "n", &member, NULL),
		     RBS_OK);
	cr_assert_eq(file.source->ops->find_member(file.source, NULL, "s", "n", &member, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, 0);
	cr_expect_eq(file.source->ops->find_member(file.source, "m", "x", "n", &member, &err),
		     RBS_NO_TYPES);
	cr_expect(strstr(err.text, "m.o nor in "), "text: %s", err.text);
	/* A file that is gone: what the kernel's has is answered, for the rest there is a reason.
	 */
	cr_expect_eq(file.source->ops->find_member(file.source, "gone", "k", "n", &member, NULL),
		     RBS_OK);
	cr_expect_eq(file.source->ops->find_member(file.source, "gone", "x", "n", &member, &err),
		     RBS_IO);
	cr_expect(strstr(err.text, "gone.ko"), "text: %s", err.text);
	file_deinit(&file);
}

Test(dwarf, stripped_file)
{
	struct sample_file file;
	struct rbs_member member;
	struct rbs_error err;

	file_init(&file, "$CC -I$SOURCES unit.c -o out", "out");
	cr_expect_eq(
		file.source->ops->find_member(file.source, NULL, "sample", "first", &member, &err),
		RBS_NO_TYPES);
	file_deinit(&file);
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
	open_kernel(&file, "f.o");
	cr_expect_eq(find(&file, "flags", "l").offset, 8);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		uint64_t unit = 0;

		member = find(&file, "flags", wanted[i].name);
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
	file_deinit(&file);
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
