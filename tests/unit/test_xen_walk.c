/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/x86_walk.h"
#include "xen_machine.h"

/*
 * ffff82d040201234 has the indexes 261, 321, 1 and 1; its tables are at 1000, 2000, 3000 and 4000,
 * its page at 9000.
 */
#define ADDRESS UINT64_C(0xffff82d040201234)
#define ENTRY4 (0x1000 + 261 * 8)
#define ENTRY3 (0x2000 + 321 * 8)
#define ENTRY2 (0x3000 + 1 * 8)
#define ENTRY1 (0x4000 + 1 * 8)

static struct rbs_target *machine;
static struct rbs_x86_walk walk;
static struct rbs_error error;

static void setup(void)
{
	machine = xen_machine_create();
	xen_machine_put_number(machine, ENTRY4, 0x2067);
	xen_machine_put_number(machine, ENTRY3, 0x3067);
	xen_machine_put_number(machine, ENTRY2, 0x4067);
	xen_machine_put_number(machine, ENTRY1, 0x9163);
	rbs_x86_walk_init(&walk, machine, 0x1000, 4);
}

static void teardown(void)
{
	rbs_target_destroy(machine);
}

TestSuite(xen_walk, .init = setup, .fini = teardown);

static void expect_physical(uint64_t address, uint64_t expected)
{
	uint64_t physical = 0;

	cr_assert_eq(rbs_x86_translate(&walk, address, &physical, &error), RBS_OK, "%s",
		     error.text);
	cr_expect_eq(physical, expected, "%#lx", physical);
}

static void expect_failure(uint64_t address, enum rbs_code code)
{
	uint64_t physical;

	cr_expect_eq(rbs_x86_translate(&walk, address, &physical, &error), code, "%d", error.code);
	cr_expect(error.has_address);
	cr_expect_eq(error.address & ~UINT64_C(0xfff), address & ~UINT64_C(0xfff));
}

Test(xen_walk, page_of_4_kib)
{
	expect_physical(ADDRESS, 0x9234);
	expect_physical(ADDRESS + 0xdcb, 0x9fff);
	expect_failure(ADDRESS + 0xdcc, RBS_UNMAPPED);
}

/* Bits 48 to 56 of the address index a table at 5000, above those of four levels. */
Test(xen_walk, five_levels)
{
	const uint64_t address = UINT64_C(0xff1182d040201234);

	xen_machine_put_number(machine, 0x5000 + 0x111 * 8, 0x1067);
	rbs_x86_walk_init(&walk, machine, 0x5000, 5);
	expect_physical(address, 0x9234);
	expect_failure(ADDRESS, RBS_UNMAPPED);
	/* Bit 56 is not repeated above it. */
	expect_failure(address & ~(UINT64_C(1) << 60), RBS_UNMAPPED);
	/* No page is larger than 1 GiB. */
	xen_machine_put_number(machine, 0x5000 + 0x111 * 8, 0x10e7);
	rbs_x86_walk_init(&walk, machine, 0x5000, 5);
	expect_failure(address, RBS_CORRUPT);
	/* With four levels it is no address. */
	rbs_x86_walk_init(&walk, machine, 0x1000, 4);
	expect_failure(address, RBS_UNMAPPED);
}

Test(xen_walk, flags_of_cr3_and_no_execute_are_no_address)
{
	xen_machine_put_number(machine, ENTRY1, UINT64_C(0xfff0000000009163));
	rbs_x86_walk_init(&walk, machine, UINT64_C(0x8000000000001018), 4);
	expect_physical(ADDRESS, 0x9234);
}

Test(xen_walk, page_of_2_mib)
{
	/* Bit 12 of a large page's entry is PAT, not part of its address. */
	xen_machine_put_number(machine, ENTRY2, 0x6010e3 | 0x1000);
	expect_physical(ADDRESS, 0x601234);
	expect_physical(UINT64_C(0xffff82d040200234), 0x600234);
	expect_physical(UINT64_C(0xffff82d0403fffff), 0x7fffff);
}

Test(xen_walk, page_of_1_gib)
{
	xen_machine_put_number(machine, ENTRY3, UINT64_C(0x80000083));
	expect_physical(ADDRESS, UINT64_C(0x80201234));
}

Test(xen_walk, large_bit_in_the_last_level_is_pat)
{
	xen_machine_put_number(machine, ENTRY1, 0x91e3);
	expect_physical(ADDRESS, 0x9234);
}

Test(xen_walk, large_bit_in_the_top_level_is_reserved)
{
	xen_machine_put_number(machine, ENTRY4, 0x20e7);
	expect_failure(ADDRESS, RBS_CORRUPT);
}

/* A table that is said to be a large page: where it starts no large page can. */
Test(xen_walk, large_pages_that_start_in_the_middle)
{
	xen_machine_put_number(machine, ENTRY2, 0x40e7);
	expect_failure(ADDRESS, RBS_CORRUPT);
	xen_machine_put_number(machine, ENTRY3, 0x30e7);
	expect_failure(ADDRESS, RBS_CORRUPT);
	xen_machine_put_number(machine, ENTRY3, UINT64_C(0x802000e7));
	expect_failure(ADDRESS, RBS_CORRUPT);
}

Test(xen_walk, not_present)
{
	static const uint64_t entries[] = {ENTRY4, ENTRY3, ENTRY2, ENTRY1};

	for (size_t i = 0; i < 4; i++) {
		teardown();
		setup();
		xen_machine_put_number(machine, entries[i], 0x9166);
		expect_failure(ADDRESS, RBS_UNMAPPED);
	}
}

Test(xen_walk, addresses_that_are_none)
{
	expect_failure(UINT64_C(0x0000800000000000), RBS_UNMAPPED);
	expect_failure(UINT64_C(0xffff7fffffffffff), RBS_UNMAPPED);
	expect_failure(UINT64_C(0x800082d040201234), RBS_UNMAPPED);
	cr_expect_eq(xen_machine_reads(machine), 0);
}

/* A table that is its own entry: the walk ends all the same, after four reads. */
Test(xen_walk, table_that_points_at_itself)
{
	for (uint64_t i = 0; i < 512; i++)
		xen_machine_put_number(machine, 0x1000 + i * 8, 0x1067);
	expect_physical(ADDRESS, 0x1234);
	cr_expect_eq(xen_machine_reads(machine), 4);
	expect_physical(ADDRESS + 1, 0x1235);
	cr_expect_eq(xen_machine_reads(machine), 4, "the second time is remembered");
}

Test(xen_walk, table_outside_memory)
{
	xen_machine_put_number(machine, ENTRY2, UINT64_C(0x000ffffffffff067));
	expect_failure(ADDRESS, RBS_UNMAPPED);
}

Test(xen_walk, excluded_table)
{
	xen_machine_exclude(machine, 0x4000);
	expect_failure(ADDRESS, RBS_EXCLUDED);
	cr_expect_not_null(strstr(error.text, "page table"));
}

/* Bytes over the border of two pages that do not follow each other in memory. */
Test(xen_walk, read_over_pages)
{
	char text[11] = "";

	xen_machine_put_number(machine, ENTRY1 + 8, 0x5163);
	xen_machine_put(machine, 0x9ffb, "hyper", 5);
	xen_machine_put(machine, 0x5000, "visor", 5);
	cr_assert_eq(rbs_x86_read(&walk, UINT64_C(0xffff82d040201ffb), text, 10, &error), RBS_OK);
	cr_expect_str_eq(text, "hypervisor");
}

Test(xen_walk, read_of_an_excluded_page)
{
	char text[10];

	xen_machine_put_number(machine, ENTRY1 + 8, 0x5163);
	xen_machine_exclude(machine, 0x5000);
	cr_expect_eq(rbs_x86_read(&walk, UINT64_C(0xffff82d040201ffb), text, 10, &error),
		     RBS_EXCLUDED);
	cr_expect_eq(error.address, UINT64_C(0xffff82d040202000));
}

/* Two addresses that share a slot of the cache. */
Test(xen_walk, cache_of_translations)
{
	/* 4 MiB further, 1024 pages: index 3 of the second level. */
	xen_machine_put_number(machine, ENTRY2 + 16, 0x6067);
	xen_machine_put_number(machine, 0x6000 + 8, 0x7163);
	expect_physical(ADDRESS, 0x9234);
	expect_physical(ADDRESS + 0x400000, 0x7234);
	expect_physical(ADDRESS, 0x9234);
	expect_failure(ADDRESS + 0x200000, RBS_UNMAPPED);
}
