/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which units and files DWARF is taken from: modules, packed ones, kernels, those that have none.
 */
#include <criterion/criterion.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dwarf_sample.h"
#include "sample_file.h"

/* The first unit only declares the structure; the second has it. */
Test(dwarf_files, declarations_are_passed_over)
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
	sample_open(&file, "both.o");
	cr_assert_eq(file.source->ops->find_size(file.source, NULL, "hidden", &size, NULL), RBS_OK);
	cr_expect_eq(size, 2 * sizeof(long));
	cr_expect_eq(sample_find(&file, "hidden", "y").offset, sizeof(long));
	sample_file_deinit(&file);
}

/* Two units have a structure of one name: the file that fits the module's name decides. */
Test(dwarf_files, unit_that_fits_the_module)
{
	struct sample_file file = {.source = NULL};
	struct rbs_member member;

	scratch_init(&file.scratch);
	scratch_write(&file.scratch, "other.c", "struct queue { int n; } o;\n", 27);
	scratch_write(&file.scratch, "virtio-net.c", "struct queue { long l; int n; } v;\n", 35);
	scratch_run(&file.scratch, "$CC -g -c other.c && $CC -g -c virtio-net.c && "
				   "ld -r other.o virtio-net.o -o both.o");
	sample_open(&file, "both.o");
	cr_assert_eq(file.source->ops->find_member(file.source, "virtio_net", "queue", "n", &member,
						   NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, sizeof(long));
	cr_assert_eq(file.source->ops->find_member(file.source, NULL, "queue", "n", &member, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, 0);
	sample_file_deinit(&file);
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

Test(dwarf_files, compressed_modules)
{
	struct sample_file file = {.source = NULL};
	struct rbs_member member;
	char path[256];

	scratch_init(&file.scratch);
	sample_write_unit(&file.scratch);
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
	cr_expect_eq(sample_try_find(&file, "sample", "pointer"), RBS_NO_TYPES);
	cr_expect_eq(rbs_dwarf_source_add_module(file.source, "my-gz", path, NULL), RBS_USAGE);
	sample_file_deinit(&file);
}

Test(dwarf_files, module_first_then_kernel)
{
	struct sample_file file = {.source = NULL};
	struct rbs_member member;
	struct rbs_error err;
	char path[256];

	scratch_init(&file.scratch);
	scratch_write(&file.scratch, "k.c", "struct s { int n; } s; struct k { int n; } k;\n", 46);
	scratch_write(&file.scratch, "m.c", "struct s { long l; int n; } s;\n", 31);
	scratch_run(&file.scratch, "$CC -g -c k.c && $CC -g -c m.c");
	sample_open(&file, "k.o");
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
	sample_file_deinit(&file);
}

Test(dwarf_files, stripped_file)
{
	struct sample_file file;
	struct rbs_member member;
	struct rbs_error err;

	sample_file_init(&file, "$CC -I$SOURCES unit.c -o out", "out");
	cr_expect_eq(
		file.source->ops->find_member(file.source, NULL, "sample", "first", &member, &err),
		RBS_NO_TYPES);
	sample_file_deinit(&file);
}
