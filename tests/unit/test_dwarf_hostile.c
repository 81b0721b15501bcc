/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug files that are cut off, damaged or something else: none may crash or hang. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_source.h"
#include "scratch.h"

static const char unit[] = "#include \"dwarf_sample.h\"\n"
			   "struct sample sample;\n"
			   "enum sample_signed sample_signed = SAMPLE_LESS;\n";

/* A good object file, whole. */
static unsigned char *make_object(struct scratch *scratch, const char *options, size_t *size)
{
	char command[256];

	scratch_init(scratch);
	scratch_write(scratch, "unit.c", unit, sizeof(unit) - 1);
	snprintf(command, sizeof(command), "$CC %s -g -I$SOURCES -c unit.c -o good", options);
	scratch_run(scratch, command);
	return scratch_read(scratch, "good", size);
}

/* Ask a file all kinds of questions; the code of the last, about a member. */
static enum rbs_code ask(const struct scratch *scratch, const char *name, struct rbs_error *err)
{
	struct rbs_type_source *source;
	struct rbs_member member;
	enum rbs_code code;
	char path[256];
	uint64_t size;
	int64_t value;

	cr_assert_eq(rbs_dwarf_source_create(scratch_path(scratch, name, path), NULL, &source, NULL),
		     RBS_OK);
	source->ops->find_size(source, NULL, "sample_inner_t", &size, NULL);
	source->ops->find_enumerator(source, NULL, NULL, "SAMPLE_LESS", &value, NULL);
	source->ops->find_enumerator(source, NULL, "sample_color", "SAMPLE_BLUE", &value, NULL);
	source->ops->find_member(source, NULL, "sample", "nosuch", &member, NULL);
	source->ops->find_member(source, NULL, "sample", "wide", &member, NULL);
	code = source->ops->find_member(source, NULL, "sample", "inner.y", &member, err);
	source->ops->destroy(source);
	return code;
}

static enum rbs_code ask_bytes(const struct scratch *scratch, const void *bytes, size_t size)
{
	scratch_write(scratch, "bad", bytes, size);
	return ask(scratch, "bad", NULL);
}

Test(dwarf_hostile, truncated, .timeout = 60)
{
	struct scratch scratch;
	size_t size;
	unsigned char *bytes = make_object(&scratch, "-gdwarf-5", &size);

	cr_assert_eq(ask(&scratch, "good", NULL), RBS_OK);
	/* The section headers are at the end: without them there is nothing. */
	for (size_t i = 0; i < 100; i++) {
		size_t length = size * i / 100;
		enum rbs_code code = ask_bytes(&scratch, bytes, length);

		cr_expect(code == RBS_TRUNCATED || (code == RBS_UNSUPPORTED && length < 16),
			  "%zu of %zu bytes: %d", length, size, code);
	}
	free(bytes);
	scratch_deinit(&scratch);
}

Test(dwarf_hostile, no_elf)
{
	static const char text[] =
		"vmlinux, they said, but it is a text of more than sixteen bytes";
	struct scratch scratch;
	struct rbs_error err;

	scratch_init(&scratch);
	scratch_write(&scratch, "text", text, sizeof(text));
	cr_expect_eq(ask(&scratch, "text", &err), RBS_UNSUPPORTED);
	cr_expect(strstr(err.text, "text: not an ELF file"), "text: %s", err.text);
	scratch_write(&scratch, "empty", "", 0);
	cr_expect_eq(ask(&scratch, "empty", &err), RBS_UNSUPPORTED);
	cr_expect_eq(ask(&scratch, "nosuch", &err), RBS_IO);
	cr_expect_eq(ask(&scratch, ".", &err), RBS_IO);
	scratch_write(&scratch, "zstd", "\x28\xb5\x2f\xfd zstd", 9);
	cr_expect_eq(ask(&scratch, "zstd", &err), RBS_UNSUPPORTED);
	cr_expect(strstr(err.text, "zstd -d"), "text: %s", err.text);
	scratch_write(&scratch, "xz", "\3757zXZ\0\0\4 not really", 18);
	cr_expect_eq(ask(&scratch, "xz", &err), RBS_CORRUPT);
	scratch_write(&scratch, "gzip", "\x1f\x8b\x08 not really", 14);
	cr_expect_eq(ask(&scratch, "gzip", &err), RBS_CORRUPT);
	scratch_deinit(&scratch);
}

/* Where a section's contents are in the object file of this machine. */
static bool find_section(const unsigned char *bytes, const char *name, size_t *start,
			 size_t *length)
{
	Elf64_Ehdr header;
	Elf64_Shdr names, section;

	memcpy(&header, bytes, sizeof(header));
	memcpy(&names, bytes + header.e_shoff + header.e_shstrndx * sizeof(names), sizeof(names));
	for (unsigned i = 0; i < header.e_shnum; i++) {
		memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
		if (strcmp((const char *)bytes + names.sh_offset + section.sh_name, name))
			continue;
		*start = section.sh_offset;
		*length = section.sh_size;
		return true;
	}
	return false;
}

/* The same sequence in every run. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33);
}

static void damage_section(const char *options, const char *name, unsigned rounds)
{
	struct scratch scratch;
	uint64_t state = 2026;
	size_t size, start = 0, length = 0;
	unsigned char *bytes = make_object(&scratch, options, &size);
	unsigned char *copy = malloc(size);
	unsigned good = 0, bad = 0;

	cr_assert(copy);
	cr_assert(find_section(bytes, name, &start, &length), "no %s", name);
	for (unsigned i = 0; i < rounds; i++) {
		memcpy(copy, bytes, size);
		for (unsigned b = 0; b <= i % 3; b++)
			copy[start + next_random(&state) % length] =
				(unsigned char)next_random(&state);
		if (ask_bytes(&scratch, copy, size) == RBS_OK)
			good++;
		else
			bad++;
	}
	cr_expect_gt(good, 0);
	cr_expect_gt(bad, 0);
	free(copy);
	free(bytes);
	scratch_deinit(&scratch);
}

Test(dwarf_hostile, damaged_info_4, .timeout = 120)
{
	damage_section("-gdwarf-4", ".debug_info", 400);
}

Test(dwarf_hostile, damaged_info_5, .timeout = 120)
{
	damage_section("-gdwarf-5", ".debug_info", 400);
}

Test(dwarf_hostile, damaged_abbreviations, .timeout = 120)
{
	damage_section("-gdwarf-5", ".debug_abbrev", 400);
}

Test(dwarf_hostile, damaged_relocations, .timeout = 120)
{
	damage_section("-gdwarf-5", ".rela.debug_info", 400);
}

/* All of the ELF header and of the section headers, byte by byte. */
Test(dwarf_hostile, damaged_headers, .timeout = 120)
{
	struct scratch scratch;
	Elf64_Ehdr header;
	size_t size;
	unsigned char *bytes = make_object(&scratch, "-gdwarf-5", &size);
	unsigned char *copy = malloc(size);
	unsigned good = 0, bad = 0;

	cr_assert(copy);
	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < size; i = i + 1 == sizeof(header) ? header.e_shoff : i + 1) {
		memcpy(copy, bytes, size);
		copy[i] ^= 0xff;
		if (ask_bytes(&scratch, copy, size) == RBS_OK)
			good++;
		else
			bad++;
	}
	cr_expect_gt(good, 0);
	cr_expect_gt(bad, 0);
	free(copy);
	free(bytes);
	scratch_deinit(&scratch);
}
