/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/tables_kernel.h"
#include "xen_machine.h"

/*
 * The top table is at 1000. Its last entry leads by 2000 to 3000, the table of 2 MiB pages of the
 * kernel's image: the second is made of 4 KiB pages, by 4000. Its entry for the direct map at
 * ffff888000000000 leads by 5000 to 6000, where the first 2 MiB of memory are mapped.
 */
#define ROOT 0x1000
#define IMAGE 0x8000 /* the image's first page, at ffffffff80200000 */
#define INFO 0x9000
#define INFO_ADDRESS (UINT64_C(0xffff888000000000) + INFO)
#define TEXT "OSRELEASE=6.1.0-test\nNUMBER(pgtable_l5_enabled)=0"

static struct rbs_target *machine, *kernel;
static struct rbs_error error;

static void setup(void)
{
	machine = xen_machine_create();
	xen_machine_put_number(machine, ROOT + 511 * 8, 0x2067);
	xen_machine_put_number(machine, 0x2000 + 510 * 8, 0x3067);
	xen_machine_put_number(machine, 0x3000 + 1 * 8, 0x4067);
	xen_machine_put_number(machine, 0x4000, IMAGE | 0x63);
	xen_machine_put_number(machine, ROOT + 273 * 8, 0x5067);
	xen_machine_put_number(machine, 0x5000, 0x6067);
	xen_machine_put_number(machine, 0x6000, 0xe3);
	xen_machine_put(machine, INFO, TEXT, sizeof(TEXT));
}

static void teardown(void)
{
	rbs_target_destroy(machine);
}

TestSuite(tables_kernel, .init = setup, .fini = teardown);

static enum rbs_code open_at(uint64_t root)
{
	return rbs_tables_kernel_open(machine, root, false, &kernel, &error);
}

Test(tables_kernel, vmcoreinfo_behind_a_pointer)
{
	const char *name, *note;
	char text[16];
	uint64_t root;

	/* Others lead to no page of the direct map, to none at all, and to another one. */
	xen_machine_put_number(machine, IMAGE + 8, UINT64_C(0xffffffff80200000));
	xen_machine_put_number(machine, IMAGE + 16, UINT64_C(0xffffc90000000000));
	xen_machine_put_number(machine, IMAGE + 24, INFO_ADDRESS + 0x1000);
	xen_machine_put_number(machine, IMAGE + 32, INFO_ADDRESS + 8);
	xen_machine_put_number(machine, IMAGE + 40, INFO_ADDRESS);
	cr_assert_eq(open_at(ROOT), RBS_OK, "%s", error.text);
	cr_expect_str_eq(kernel->info.release, "6.1.0-test");
	cr_assert_eq(rbs_target_read(kernel, RBS_KERNEL_VIRTUAL, INFO_ADDRESS, text, 10, &error),
		     RBS_OK);
	cr_expect_arr_eq(text, TEXT, 10);
	/* An excerpt's note ends with where the tables start. */
	note = rbs_target_note(kernel, &name);
	cr_expect_str_eq(name, "VMCOREINFO");
	cr_expect_str_eq(note, TEXT "\nRBSTATS_ROOT=1000\n");
	cr_expect_not(rbs_vmcoreinfo_hex(kernel, "RBSTATS_ROOT", &root), "only in an excerpt");
	/* What leads to VMCOREINFO is in the record, other pages of the search are not. */
	cr_expect(xen_machine_recorded(machine, IMAGE));
	cr_expect(xen_machine_recorded(machine, INFO));
	cr_expect(xen_machine_recorded(machine, 0x4000));
	cr_expect_not(xen_machine_recorded(machine, INFO + 0x1000));
	rbs_target_destroy(kernel);
}

Test(tables_kernel, no_kernel)
{
	cr_expect_eq(open_at(ROOT), RBS_UNSUPPORTED);
	cr_expect(strstr(error.text, "VMCOREINFO"));
	cr_expect_eq(open_at(0x7000), RBS_UNSUPPORTED, "nothing is mapped");
	cr_expect_eq(open_at(XEN_MACHINE_SIZE), RBS_UNSUPPORTED, "no memory");
}

/* 128 MiB of pages, all of them the same one full of pointers that lead nowhere. */
Test(tables_kernel, the_search_ends)
{
	for (unsigned i = 0; i < 512; i++) {
		xen_machine_put_number(machine, 0x3000 + i * 8, 0x4067);
		xen_machine_put_number(machine, 0x4000 + i * 8, IMAGE | 0x63);
		xen_machine_put_number(machine, IMAGE + i * 8,
				       UINT64_C(0xffffc90000000000) + i * 0x1000);
	}
	cr_expect_eq(open_at(ROOT), RBS_LIMIT);
	cr_expect_lt(xen_machine_reads(machine), 8u << 20);
}
