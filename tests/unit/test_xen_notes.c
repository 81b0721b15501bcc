/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/target/xen_notes.h"

static uint8_t bytes[8192];
static size_t used;
static struct rbs_xen_notes notes;

static void number_add(uint64_t value, size_t size)
{
	while (size--) {
		bytes[used++] = (uint8_t)value;
		value >>= 8;
	}
}

/* A note whose descriptor is zeros, except for numbers put into it afterwards. */
static uint8_t *note_add(const char *name, uint32_t type, size_t size)
{
	size_t name_size = strlen(name) + 1;
	uint8_t *desc;

	number_add(name_size, 4);
	number_add(size, 4);
	number_add(type, 4);
	memcpy(bytes + used, name, name_size);
	used += (name_size + 3) & ~(size_t)3;
	desc = bytes + used;
	used += (size + 3) & ~(size_t)3;
	return desc;
}

static void number_put(uint8_t *at, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static void parse(size_t size)
{
	notes = (struct rbs_xen_notes){0};
	cr_assert_eq(rbs_xen_notes_parse(&notes, bytes, size, NULL), RBS_OK);
}

/* QEMU writes 440 bytes a CPU, cr3 at 416, cr4 at 424 (read off a dump of QEMU 7.2). */
Test(xen_notes, cr3_of_qemu)
{
	uint8_t *desc;

	number_put(note_add("CORE", 1, 336) + 32, 0x1234);
	number_put(note_add("QEMU", 0, 440) + 416, 0x42a10000);
	desc = note_add("QEMU", 0, 440);
	number_put(desc + 416, 0x336b3000);
	number_put(desc + 424, 0x1006b0);
	number_put(note_add("QEMU", 0, 440) + 416, 0x42a10000);
	parse(used);
	cr_expect_eq(notes.cr3_count, 2, "one of two that are the same");
	cr_expect_eq(notes.cr3[0], 0x42a10000);
	cr_expect_eq(notes.cr4[0], 0);
	cr_expect_eq(notes.cr3[1], 0x336b3000);
	cr_expect_eq(notes.cr4[1], 0x1006b0);
	cr_expect_not(notes.has_phys_start);
}

Test(xen_notes, crash_notes_of_xen)
{
	uint8_t *info = note_add("Xen", 0x1000002, 32);

	number_put(info + 16, 0x4fc6e000);
	number_put(info + 24, 0x660);
	info = note_add("Xen", 0x1000001, 80);
	number_put(info, 4);
	number_put(info + 8, 17);
	number_put(info + 64, 0x4f800000);
	parse(used);
	cr_expect_eq(notes.cr3_count, 1);
	cr_expect_eq(notes.cr3[0], 0x4fc6e000);
	cr_expect_eq(notes.cr4[0], 0x660);
	cr_expect(notes.has_phys_start);
	cr_expect_eq(notes.phys_start, 0x4f800000);
	cr_expect(notes.has_version);
	cr_expect_eq(notes.major, 4);
	cr_expect_eq(notes.minor, 17);
}

Test(xen_notes, vmcoreinfo_xen)
{
	static const char text[] = "PAGESIZE=4096\nRBSTATS_XEN_PHYS_START=4f800000\n";

	memcpy(note_add("VMCOREINFO_XEN", 0, sizeof(text) - 1), text, sizeof(text) - 1);
	parse(used);
	cr_expect_str_eq(notes.vmcoreinfo, text);
	cr_expect(notes.has_phys_start);
	cr_expect_eq(notes.phys_start, 0x4f800000);
	rbs_xen_notes_deinit(&notes);
}

/* The last lines of an excerpt of a dump whose Xen notes said the version. */
Test(xen_notes, version_of_an_excerpt)
{
	static const char text[] = "RBSTATS_XEN_PHYS_START=4f800000\nRBSTATS_XEN_VERSION=4.17\n";
	static const char other[] = "RBSTATS_XEN_VERSION=four.17\n";

	memcpy(note_add("VMCOREINFO_XEN", 0, sizeof(text) - 1), text, sizeof(text) - 1);
	parse(used);
	cr_expect(notes.has_phys_start);
	cr_expect(notes.has_version);
	cr_expect_eq(notes.major, 4);
	cr_expect_eq(notes.minor, 17);
	rbs_xen_notes_deinit(&notes);
	used = 0;
	memset(bytes, 0, sizeof(bytes));
	memcpy(note_add("VMCOREINFO_XEN", 0, sizeof(other) - 1), other, sizeof(other) - 1);
	parse(used);
	cr_expect_not(notes.has_version);
	rbs_xen_notes_deinit(&notes);
}

Test(xen_notes, line_of_another_name_or_without_a_number)
{
	static const char text[] = "MY_RBSTATS_XEN_PHYS_START=1000\n";
	static const char other[] = "RBSTATS_XEN_PHYS_START=12zz\n";

	memcpy(note_add("VMCOREINFO_XEN", 0, sizeof(text) - 1), text, sizeof(text) - 1);
	parse(used);
	cr_expect_not(notes.has_phys_start);
	rbs_xen_notes_deinit(&notes);
	used = 0;
	memset(bytes, 0, sizeof(bytes));
	memcpy(note_add("VMCOREINFO_XEN", 0, sizeof(other) - 1), other, sizeof(other) - 1);
	parse(used);
	cr_expect_not(notes.has_phys_start);
	rbs_xen_notes_deinit(&notes);
}

/* Sizes that lead past the end: what came before them counts. */
Test(xen_notes, cut_off_and_lying_sizes)
{
	uint8_t *desc;
	size_t first;

	number_put(note_add("QEMU", 0, 440) + 416, 0x1000);
	first = used;
	desc = note_add("QEMU", 0, 440);
	number_put(desc + 416, 0x2000);
	for (size_t size = first; size < used; size++) {
		parse(size);
		cr_expect_eq(notes.cr3_count, 1, "at %zu", size);
	}
	memset(bytes + first, 0xff, 12);
	parse(used);
	cr_expect_eq(notes.cr3_count, 1);
	/* A note that is too short for the number. */
	used = first;
	note_add("QEMU", 0, 420);
	parse(used);
	cr_expect_eq(notes.cr3_count, 1);
}
