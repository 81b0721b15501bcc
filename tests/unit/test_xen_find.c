/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/target/xen.h"
#include "lib/target/xen_find.h"
#include "xen_machine.h"

/*
 * A hypervisor that was loaded at 600000: its image area begins at ffff82d040000000, its build-id
 * is at ffff82d040001000 (machine 601000), its top page table at ffff82d040002000 (602000), the
 * variable xen_phys_start at ffff82d040006000 (606000).
 */
#define LOADED 0x600000

static const uint8_t note[] = {4, 0, 0, 0, 20, 0, 0, 0,	 3,  0,	 0,  0,	 'G', 'N', 'U', 0,  1,	2,
			       3, 4, 5, 6, 7,  8, 9, 10, 11, 12, 13, 14, 15,  16,  17,	18, 19, 20};

static struct rbs_target *machine;
static struct rbs_xen_image image;
static struct rbs_xen_notes notes;
static struct rbs_xen_options options;
static struct rbs_xen_place place;
static struct rbs_error error;

static void setup(void)
{
	machine = xen_machine_create();
	image = (struct rbs_xen_image){
		.path = "xen-syms",
		.build_id = {.size = 20},
		.virt_start = UINT64_C(0xffff82d040000000),
		.build_id_note = UINT64_C(0xffff82d040001000),
		.page_table = UINT64_C(0xffff82d040002000),
		.phys_start_variable = UINT64_C(0xffff82d040006000),
	};
	memcpy(image.build_id.bytes, note + 16, 20);
	xen_machine_put(machine, LOADED + 0x1000, note, sizeof(note));
	/* indexes 261, 321, 0 and page numbers */
	xen_machine_put_number(machine, LOADED + 0x2000 + 261 * 8, 0x603067);
	xen_machine_put_number(machine, LOADED + 0x3000 + 321 * 8, 0x604067);
	xen_machine_put_number(machine, LOADED + 0x4000, 0x6000e3);
	xen_machine_put_number(machine, LOADED + 0x6000, LOADED);
	notes = (struct rbs_xen_notes){0};
	options = (struct rbs_xen_options){.image = &image, .notes = &notes};
}

static void teardown(void)
{
	rbs_target_destroy(machine);
}

TestSuite(xen_find, .init = setup, .fini = teardown);

static void expect_found(void)
{
	cr_assert_eq(rbs_xen_find(machine, &options, &place, &error), RBS_OK, "%s", error.text);
	cr_expect_eq(place.phys_start, 0x600000, "%#lx", place.phys_start);
	cr_expect_eq(place.root, 0x602000, "%#lx", place.root);
}

Test(xen_find, where_the_user_says)
{
	options.has_phys_start = true;
	options.phys_start = LOADED;
	expect_found();
}

Test(xen_find, where_the_user_is_wrong)
{
	options.has_phys_start = true;
	options.phys_start = 0x800000;
	notes.cr3_count = 1;
	notes.cr3[0] = 0x602000;
	cr_expect_eq(rbs_xen_find(machine, &options, &place, &error), RBS_MISMATCH);
	cr_expect_not_null(strstr(error.text, "is not at 800000"), "%s", error.text);
}

Test(xen_find, where_the_notes_say)
{
	notes.has_phys_start = true;
	notes.phys_start = LOADED;
	expect_found();
}

/* Another table that maps Xen: the hypervisor's own one is used all the same. */
Test(xen_find, by_the_tables_of_a_cpu)
{
	xen_machine_put_number(machine, 0x100000 + 261 * 8, 0x603067);
	notes.cr3_count = 2;
	notes.cr3[0] = 0x555000; /* maps nothing */
	notes.cr3[1] = 0x100000;
	expect_found();
	cr_expect_not(xen_machine_recorded(machine, 0x100000), "another table was used");
}

Test(xen_find, without_idle_pg_table)
{
	image.page_table = 0;
	notes.cr3_count = 1;
	notes.cr3[0] = 0x602000;
	expect_found();
}

Test(xen_find, by_search)
{
	expect_found();
	cr_expect_not(xen_machine_recorded(machine, 0x401000), "only tried");
	cr_expect(xen_machine_recorded(machine, 0x601000), "the build-id");
	cr_expect(xen_machine_recorded(machine, 0x602000), "page tables");
	cr_expect(xen_machine_recorded(machine, 0x604000));
}

Test(xen_find, wrong_notes_do_no_harm)
{
	notes.has_phys_start = true;
	notes.phys_start = 0xa00000;
	expect_found();
}

Test(xen_find, other_build_names_both)
{
	image.build_id.bytes[0] = 0xff;
	notes.cr3_count = 1;
	notes.cr3[0] = 0x602000;
	cr_expect_eq(rbs_xen_find(machine, &options, &place, &error), RBS_MISMATCH);
	cr_expect_not_null(strstr(error.text, "xen-syms (build-id "
					      "ff02030405060708090a0b0c0d0e0f1011121314)"),
			   "%s", error.text);
	cr_expect_not_null(strstr(error.text, "machine.elf (build-id "
					      "0102030405060708090a0b0c0d0e0f1011121314)"),
			   "%s", error.text);
}

/* In another build the note is somewhere else: it is found in what the page tables map. */
Test(xen_find, other_build_with_its_note_elsewhere)
{
	static const uint8_t zeros[sizeof(note)];

	xen_machine_put(machine, LOADED + 0x1000, zeros, sizeof(zeros));
	xen_machine_put(machine, LOADED + 0x155a84, note, sizeof(note));
	image.build_id.bytes[0] = 0xff;
	notes.cr3_count = 1;
	notes.cr3[0] = 0x602000;
	cr_expect_eq(rbs_xen_find(machine, &options, &place, &error), RBS_MISMATCH);
	cr_expect_not_null(strstr(error.text, "0102030405060708090a0b0c0d0e0f1011121314"), "%s",
			   error.text);
}

Test(xen_find, no_hypervisor_at_all)
{
	xen_machine_exclude(machine, LOADED + 0x1000);
	cr_expect_eq(rbs_xen_find(machine, &options, &place, &error), RBS_UNSUPPORTED);
	cr_expect_not_null(strstr(error.text, "--xen-phys-start"), "%s", error.text);
}

Test(xen_find, page_tables_not_in_the_dump)
{
	xen_machine_exclude(machine, LOADED + 0x2000);
	cr_expect_eq(rbs_xen_find(machine, &options, &place, &error), RBS_UNSUPPORTED);
	cr_expect_not_null(strstr(error.text, "page tables are not in the dump"), "%s", error.text);
}

Test(xen_find, linked_without_a_build_id)
{
	image.build_id.size = 0;
	image.build_id_note = 0;
	options.has_phys_start = true;
	options.phys_start = LOADED;
	expect_found();
	xen_machine_put_number(machine, LOADED + 0x6000, 0x400000);
	cr_expect_eq(rbs_xen_find(machine, &options, &place, &error), RBS_MISMATCH);
}

Test(xen_find, target_reads_and_names_its_note)
{
	struct rbs_target *target;
	const char *name;
	uint64_t value;

	notes.has_version = true;
	notes.major = 4;
	notes.minor = 17;
	notes.vmcoreinfo = (char *)"SYMBOL(pgd_l4)=ffff82d040002000";
	cr_assert_eq(rbs_xen_target_create(machine, &options, &target, &error), RBS_OK);
	cr_expect_str_eq(target->info.release, "Xen 4.17");
	cr_assert_eq(rbs_target_read_pointer(target, UINT64_C(0xffff82d040006000), &value, &error),
		     RBS_OK);
	cr_expect_eq(value, 0x600000);
	cr_expect_null(target->ops->vmcoreinfo(target));
	cr_expect_str_eq(rbs_target_note(target, &name),
			 "SYMBOL(pgd_l4)=ffff82d040002000\nRBSTATS_XEN_PHYS_START=600000\n"
			 "RBSTATS_XEN_VERSION=4.17\n");
	cr_expect_str_eq(name, "VMCOREINFO_XEN");
	cr_expect_eq(rbs_xen_target_machine(target), machine);
	cr_expect_eq(rbs_xen_phys_start(target), 0x600000);
	rbs_target_destroy(target);
}
