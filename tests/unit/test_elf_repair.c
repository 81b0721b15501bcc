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

/* Put a number into an ELF header, in the order that data names. */
static void put(uint8_t *bytes, size_t size, int data, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		bytes[data == ELFDATA2MSB ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

#define PUT(bytes, type, member, data, value)                                                      \
	put((bytes) + offsetof(type, member), sizeof(((type *)0)->member), data, value)

/*
 * A dump in order 'data' with two sections, the second of them the names: its type and offset in
 * order 'names', its size in order 'sized'.
 */
static FILE *dump_create(int data, int names, int sized, uint64_t size)
{
	uint8_t bytes[SECTIONS + 2 * sizeof(Elf64_Shdr)] = ELFMAG;
	uint8_t *section = bytes + SECTIONS + sizeof(Elf64_Shdr);
	FILE *file = tmpfile();

	cr_assert(file);
	bytes[EI_CLASS] = ELFCLASS64;
	bytes[EI_DATA] = (uint8_t)data;
	PUT(bytes, Elf64_Ehdr, e_type, data, ET_CORE);
	PUT(bytes, Elf64_Ehdr, e_shoff, data, SECTIONS);
	PUT(bytes, Elf64_Ehdr, e_shentsize, data, sizeof(Elf64_Shdr));
	PUT(bytes, Elf64_Ehdr, e_shnum, data, 2);
	PUT(bytes, Elf64_Ehdr, e_shstrndx, data, 1);
	PUT(section, Elf64_Shdr, sh_type, names, SHT_STRTAB);
	PUT(section, Elf64_Shdr, sh_offset, names, NAMES);
	PUT(section, Elf64_Shdr, sh_size, sized, size);
	fwrite(bytes, sizeof(bytes), 1, file);
	fseek(file, NAMES, SEEK_SET);
	fputs("names", file);
	cr_assert_eq(fflush(file), 0);
	cr_assert_eq(ftruncate(fileno(file), SIZE), 0);
	return file;
}

static bool needed(int data, int names, int sized, uint64_t size)
{
	FILE *file = dump_create(data, names, sized, size);
	bool answer = rbs_elf_repair_needed(fileno(file));

	fclose(file);
	return answer;
}

#define BIG ELFDATA2MSB
#define LITTLE ELFDATA2LSB

Test(elf_repair, only_what_makes_sense_the_other_way_round)
{
	/* QEMU 10 and 7.2 */
	cr_expect(needed(BIG, LITTLE, LITTLE, 11));
	cr_expect(needed(BIG, BIG, LITTLE, 11));
	cr_expect(needed(LITTLE, BIG, BIG, 11));
	cr_expect(needed(LITTLE, LITTLE, BIG, 11));
	/* right as they are */
	cr_expect_not(needed(BIG, BIG, BIG, 11));
	cr_expect_not(needed(LITTLE, LITTLE, LITTLE, SIZE - NAMES));
	/* outside the file in either order: not for a repair */
	cr_expect_not(needed(BIG, BIG, BIG, SIZE - NAMES + 1));
	cr_expect_not(needed(BIG, LITTLE, LITTLE, SIZE - NAMES + 1));
	cr_expect_not(needed(LITTLE, LITTLE, BIG, SIZE - NAMES + 1));
}

Test(elf_repair, other_files_are_left_alone)
{
	FILE *file = tmpfile();

	cr_expect_not(rbs_elf_repair_needed(fileno(file)));
	cr_expect_not(rbs_elf_repair_needed(-1));
	fputs(ELFMAG "\x02\x02 and no more", file);
	fflush(file);
	cr_expect_not(rbs_elf_repair_needed(fileno(file)));
	fclose(file);
}

Test(elf_repair, the_copy_has_no_names_and_is_otherwise_the_same)
{
	FILE *file = dump_create(BIG, LITTLE, LITTLE, 11);
	struct rbs_error error = {.text = ""};
	uint8_t before[SIZE], after[SIZE + 1];
	int repaired;

	cr_assert_eq(rbs_elf_repair(fileno(file), "some/dump", &repaired, &error), RBS_OK, "%s",
		     error.text);
	cr_expect_not(rbs_elf_repair_needed(repaired));
	cr_assert_eq(pread(fileno(file), before, SIZE, 0), SIZE);
	cr_assert_eq(pread(repaired, after, sizeof(after), 0), SIZE);
	/* e_shnum is 1, e_shstrndx SHN_UNDEF */
	cr_expect_eq(memcmp(after + 60, "\0\x01\0\0", 4), 0);
	memcpy(after + 60, before + 60, 4);
	cr_expect_eq(memcmp(before, after, SIZE), 0);
	close(repaired);
	fclose(file);
}

Test(elf_repair, no_copy_can_be_made)
{
	struct rbs_error error = {.text = ""};
	int repaired = -1;

	cr_expect_eq(rbs_elf_repair(-1, "some/dump", &repaired, &error), RBS_IO);
	cr_expect(strstr(error.text, "some/dump"), "%s", error.text);
	cr_expect(strstr(error.text, "byte order"), "%s", error.text);
	cr_expect_eq(repaired, -1);
}
