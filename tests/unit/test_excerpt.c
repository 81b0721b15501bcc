/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The excerpt's file, read back with libelf. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_target.h"
#include "lib/excerpt.h"

#define PAGE 4096
#define VMCOREINFO "OSRELEASE=6.1.0\nPAGESIZE=4096\nX=12345\n"

static struct rbs_target *target;
static struct rbs_page_set pages;
static struct rbs_excerpt_stats stats;
static int fd = -1;
static Elf *elf;

static void machine_make(enum rbs_byte_order order)
{
	target = fake_target_create(order, 8);
	fake_target_vmcoreinfo(target, VMCOREINFO);
	rbs_page_set_init(&pages);
}

/* A page of its frame number's low byte, which is wanted. */
static void page_make(uint64_t pfn)
{
	uint8_t bytes[PAGE];

	memset(bytes, (int)(pfn & 0xff), sizeof(bytes));
	fake_target_map_physical(target, pfn * PAGE, bytes, sizeof(bytes));
	cr_assert(rbs_page_set_add(&pages, pfn));
}

static void excerpt_write(void)
{
	struct rbs_error error = {0};
	FILE *file = tmpfile();

	cr_assert_not_null(file);
	fd = dup(fileno(file));
	fclose(file);
	cr_assert_eq(rbs_excerpt_write(target, &pages, fd, &stats, &error), RBS_OK, "%s",
		     error.text);
	cr_assert_neq(elf_version(EV_CURRENT), (unsigned)EV_NONE);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cr_assert_not_null(elf);
	cr_assert_eq(elf_kind(elf), ELF_K_ELF);
}

static void tear_down(void)
{
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	rbs_page_set_deinit(&pages);
	rbs_target_destroy(target);
}

static GElf_Phdr segment(int index)
{
	GElf_Phdr header;

	cr_assert_not_null(gelf_getphdr(elf, index, &header), "%s", elf_errmsg(-1));
	return header;
}

static void segment_check(int index, uint64_t pfn, uint64_t count)
{
	GElf_Phdr header = segment(index);

	cr_expect_eq(header.p_type, (GElf_Word)PT_LOAD);
	cr_expect_eq(header.p_paddr, pfn * PAGE);
	cr_expect_eq(header.p_vaddr, 0u);
	cr_expect_eq(header.p_filesz, count * PAGE);
	cr_expect_eq(header.p_memsz, count * PAGE);
	for (uint64_t i = 0; i < count; i++) {
		uint8_t bytes[PAGE], wanted[PAGE];

		memset(wanted, (int)((pfn + i) & 0xff), sizeof(wanted));
		cr_assert_eq(pread(fd, bytes, PAGE, (off_t)(header.p_offset + i * PAGE)), PAGE);
		cr_expect_arr_eq(bytes, wanted, PAGE);
	}
}

static void note_check(void)
{
	GElf_Phdr header = segment(0);
	Elf_Data *data =
		elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_NHDR);
	GElf_Nhdr note;
	size_t name, text, next;

	cr_assert_eq(header.p_type, (GElf_Word)PT_NOTE);
	cr_assert_not_null(data);
	next = gelf_getnote(data, 0, &note, &name, &text);
	cr_assert_neq(next, 0u);
	cr_expect_str_eq((char *)data->d_buf + name, "VMCOREINFO");
	cr_expect_eq(note.n_descsz, strlen(VMCOREINFO));
	cr_expect_arr_eq((char *)data->d_buf + text, VMCOREINFO, strlen(VMCOREINFO));
	cr_expect_eq(next, header.p_filesz, "there is one note and no more");
}

Test(excerpt, runs_and_note, .fini = tear_down)
{
	size_t segments;
	GElf_Ehdr header;

	machine_make(RBS_LITTLE_ENDIAN);
	page_make(7);
	page_make(0x12345);
	page_make(5);
	page_make(6);
	excerpt_write();
	cr_assert_not_null(gelf_getehdr(elf, &header));
	cr_expect_eq(header.e_type, ET_CORE);
	cr_expect_eq(header.e_machine, EM_X86_64);
	cr_expect_eq(header.e_ident[EI_DATA], ELFDATA2LSB);
	cr_assert_eq(elf_getphdrnum(elf, &segments), 0);
	cr_assert_eq(segments, 3u);
	note_check();
	segment_check(1, 5, 3);
	segment_check(2, 0x12345, 1);
	cr_expect_eq(stats.pages, 4u);
	cr_expect_eq(stats.missing, 0u);
	cr_expect_eq((off_t)stats.bytes, lseek(fd, 0, SEEK_END));
}

/* A page that the dump lacks splits the run, also where zeros would have filled the gap. */
Test(excerpt, missing_pages_stay_missing, .fini = tear_down)
{
	size_t segments;

	machine_make(RBS_LITTLE_ENDIAN);
	page_make(20);
	cr_assert(rbs_page_set_add(&pages, 21));
	page_make(22);
	cr_assert(rbs_page_set_add(&pages, UINT64_C(1) << 40));
	excerpt_write();
	cr_assert_eq(elf_getphdrnum(elf, &segments), 0);
	cr_assert_eq(segments, 3u);
	segment_check(1, 20, 1);
	segment_check(2, 22, 1);
	cr_expect_eq(stats.missing, 2u);
	cr_expect_eq(stats.unreadable, 0u);
}

Test(excerpt, big_endian, .fini = tear_down)
{
	GElf_Ehdr header;

	machine_make(RBS_BIG_ENDIAN);
	snprintf(target->info.arch, sizeof(target->info.arch), "s390x");
	page_make(3);
	excerpt_write();
	cr_assert_not_null(gelf_getehdr(elf, &header));
	cr_expect_eq(header.e_ident[EI_DATA], ELFDATA2MSB);
	cr_expect_eq(header.e_machine, EM_S390);
	note_check();
	segment_check(1, 3, 1);
}

static enum rbs_code sparse_read(struct rbs_target *self, enum rbs_space space, uint64_t address,
				 void *buffer, size_t length, struct rbs_error *err)
{
	(void)self;
	(void)err;
	cr_assert_eq(space, RBS_PHYSICAL);
	memset(buffer, (int)(address / PAGE & 0xff), length);
	return RBS_OK;
}

static const char *sparse_vmcoreinfo(struct rbs_target *self)
{
	(void)self;
	return VMCOREINFO;
}

static void sparse_destroy(struct rbs_target *self)
{
	free(self);
}

static const struct rbs_target_ops sparse_ops = {
	.read = sparse_read, .vmcoreinfo = sparse_vmcoreinfo, .destroy = sparse_destroy};

/* e_phnum has 16 bits: more segments are counted elsewhere. */
Test(excerpt, more_segments_than_fit, .fini = tear_down)
{
	size_t segments;
	GElf_Ehdr header;

	target = calloc(1, sizeof(*target));
	cr_assert_not_null(target);
	target->ops = &sparse_ops;
	target->info =
		(struct rbs_target_info){.arch = "x86_64", .word_size = 8, .page_size = PAGE};
	rbs_page_set_init(&pages);
	for (uint64_t i = 0; i < 70000; i++)
		cr_assert(rbs_page_set_add(&pages, 1 + 2 * i));
	excerpt_write();
	cr_assert_not_null(gelf_getehdr(elf, &header));
	cr_expect_eq(header.e_phnum, PN_XNUM);
	cr_assert_eq(elf_getphdrnum(elf, &segments), 0);
	cr_assert_eq(segments, 70001u);
	note_check();
	segment_check(1, 1, 1);
	segment_check(70000, 1 + 2 * 69999, 1);
}

Test(excerpt, refuses_what_it_cannot_write, .fini = tear_down)
{
	struct rbs_error error;

	machine_make(RBS_LITTLE_ENDIAN);
	cr_expect_eq(rbs_excerpt_write(target, &pages, -1, &stats, &error), RBS_IO);
	page_make(1);
	cr_expect_eq(rbs_excerpt_write(target, &pages, -1, &stats, &error), RBS_IO);
	cr_expect_str_eq(error.text, "Bad file descriptor");
	snprintf(target->info.arch, sizeof(target->info.arch), "vax");
	cr_expect_eq(rbs_excerpt_write(target, &pages, -1, &stats, &error), RBS_UNSUPPORTED);
	fake_target_interrupt(target, true);
	cr_expect_eq(rbs_excerpt_write(target, &pages, -1, &stats, &error), RBS_INTERRUPTED);
}
