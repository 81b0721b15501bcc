/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps of a machine of one byte order that QEMU wrote on a machine of the other. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/target/elf_repair.h"

#define SECTIONS 64  /* where the section headers are */
#define NAMES 0x3000 /* where the names are */
#define SIZE 0x4000  /* of the file */

/* A file with two sections, the second of them the names, whose size is the given 8 bytes. */
static FILE *dump_create(int data, const char *size)
{
	bool big = data == ELFDATA2MSB;
	uint8_t bytes[SECTIONS + 2 * sizeof(Elf64_Shdr)] = ELFMAG;
	FILE *file = tmpfile();

	cr_assert(file);
	bytes[EI_CLASS] = ELFCLASS64;
	bytes[EI_DATA] = (uint8_t)data;
#define PUT(base, type, member, value)                                                             \
	bytes[(base) + offsetof(type, member) + (big ? sizeof(((type *)0)->member) - 1 : 0)] = value
	PUT(0, Elf64_Ehdr, e_type, ET_CORE);
	PUT(0, Elf64_Ehdr, e_shoff, SECTIONS);
	PUT(0, Elf64_Ehdr, e_shentsize, sizeof(Elf64_Shdr));
	PUT(0, Elf64_Ehdr, e_shnum, 2);
	PUT(0, Elf64_Ehdr, e_shstrndx, 1);
	PUT(SECTIONS + sizeof(Elf64_Shdr), Elf64_Shdr, sh_type, SHT_STRTAB);
#undef PUT
	bytes[SECTIONS + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset) + (big ? 6 : 1)] =
		NAMES >> 8;
	memcpy(bytes + SECTIONS + sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size), size, 8);
	fwrite(bytes, sizeof(bytes), 1, file);
	fseek(file, NAMES, SEEK_SET);
	fputs("names", file);
	cr_assert_eq(fflush(file), 0);
	cr_assert_eq(ftruncate(fileno(file), SIZE), 0);
	return file;
}

static bool needed(int data, const char *size)
{
	FILE *file = dump_create(data, size);
	uint64_t at;
	bool answer = rbs_elf_repair_needed(fileno(file), &at);

	fclose(file);
	return answer;
}

Test(elf_repair, only_a_size_that_fits_the_other_way_round)
{
	cr_expect(needed(ELFDATA2MSB, "\x0b\0\0\0\0\0\0"));
	cr_expect(needed(ELFDATA2LSB, "\0\0\0\0\0\0\0\x0b"));
	/* right as they are */
	cr_expect_not(needed(ELFDATA2MSB, "\0\0\0\0\0\0\0\x0b"));
	cr_expect_not(needed(ELFDATA2LSB, "\x0b\0\0\0\0\0\0"));
	cr_expect_not(needed(ELFDATA2LSB, "\0\x10\0\0\0\0\0"));
	/* wrong in either order: not for a repair */
	cr_expect_not(needed(ELFDATA2MSB, "\x0b\0\0\0\0\0\0\x01"));
	cr_expect_not(needed(ELFDATA2MSB, "\x01\x10\0\0\0\0\0"));
}

Test(elf_repair, other_files_are_left_alone)
{
	FILE *file = tmpfile();
	uint64_t at;

	cr_expect_not(rbs_elf_repair_needed(fileno(file), &at));
	cr_expect_not(rbs_elf_repair_needed(-1, &at));
	fputs(ELFMAG "\x02\x02 and no more", file);
	fflush(file);
	cr_expect_not(rbs_elf_repair_needed(fileno(file), &at));
	fclose(file);
}

Test(elf_repair, the_copy_differs_in_that_number_alone)
{
	FILE *file = dump_create(ELFDATA2MSB, "\x0b\0\0\0\0\0\0");
	struct rbs_error error = {.text = ""};
	uint8_t before[SIZE], after[SIZE + 1];
	uint64_t at = 0, again;
	int repaired;

	cr_assert(rbs_elf_repair_needed(fileno(file), &at));
	cr_assert_eq(rbs_elf_repair(fileno(file), "some/dump", at, &repaired, &error), RBS_OK, "%s",
		     error.text);
	cr_expect_not(rbs_elf_repair_needed(repaired, &again));
	cr_assert_eq(pread(fileno(file), before, SIZE, 0), SIZE);
	cr_assert_eq(pread(repaired, after, sizeof(after), 0), SIZE);
	cr_expect_eq(memcmp(after + at, "\0\0\0\0\0\0\0\x0b", 8), 0);
	memcpy(after + at, before + at, 8);
	cr_expect_eq(memcmp(before, after, SIZE), 0);
	close(repaired);
	fclose(file);
}

Test(elf_repair, no_room_for_a_copy)
{
	FILE *file = dump_create(ELFDATA2MSB, "\x0b\0\0\0\0\0\0");
	struct rbs_error error = {.text = ""};
	uint64_t at = 0;
	int repaired = -1;

	cr_assert(rbs_elf_repair_needed(fileno(file), &at));
	/* a descriptor that cannot be read stands for a copy that cannot be made */
	cr_expect_eq(rbs_elf_repair(-1, "some/dump", at, &repaired, &error), RBS_IO);
	cr_expect(strstr(error.text, "some/dump"), "%s", error.text);
	cr_expect(strstr(error.text, "byte order"), "%s", error.text);
	cr_expect_eq(repaired, -1);
	fclose(file);
}
