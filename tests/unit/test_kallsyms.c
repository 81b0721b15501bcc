/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What kallsyms' tables say, in each of the forms that they had. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "kallsyms_kernel.h"

/* x86-64 before 6.15: this_cpu_off is in no image, the others are base - 1 - offset. */
Test(kallsyms, absolute_percpu)
{
	static const uint8_t names[] = {
		2, 0x05, 'x',  /* D x */
		2, 0x01, 0x02, /* T _stext */
		2, 0x03, 0x04, /* D modules */
	};
	static const uint64_t offsets[] = {0x199e8, 0xffffffff, 0xfe4d6d5f};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel_build(&kernel, 0xffffffff81000000, offsets, 4, 3, names, sizeof(names));
	kernel_open(&kernel);
	assert_symbol(&kernel, "x", 0x199e8);
	assert_symbol(&kernel, "_stext", 0xffffffff81000000);
	assert_symbol(&kernel, "modules", 0xffffffff82b292a0);
	cr_assert_eq(rbs_kallsyms_count(kernel.source), 3);
	kernel_deinit(&kernel);
}

/* arm64: unsigned offsets from the base, beyond 2 GiB too. */
Test(kallsyms, base_relative)
{
	static const uint64_t offsets[] = {0x10000, 0x82345678};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0xffff800008010000);
	kernel_build(&kernel, 0xffff800008000000, offsets, 4, 2, two_names, sizeof(two_names));
	kernel_open(&kernel);
	assert_symbol(&kernel, "_stext", 0xffff800008010000);
	assert_symbol(&kernel, "modules", 0xffff80008a345678);
	kernel_deinit(&kernel);
}

/* s390x: the same in the other byte order. */
Test(kallsyms, base_relative_big_endian)
{
	static const uint64_t offsets[] = {0x0, 0x1234};
	struct kernel kernel;

	kernel_init(&kernel, RBS_BIG_ENDIAN, 0x100000);
	kernel_build(&kernel, 0x100000, offsets, 4, 2, two_names, sizeof(two_names));
	kernel_open(&kernel);
	assert_symbol(&kernel, "_stext", 0x100000);
	assert_symbol(&kernel, "modules", 0x101234);
	kernel_deinit(&kernel);
}

/* 7.x: relative to the place of each offset, and no relative_base. */
Test(kallsyms, place_relative)
{
	static const uint64_t offsets[] = {0xfe800000, 0x00100000};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel_build(&kernel, 0, offsets, 4, 2, two_names, sizeof(two_names));
	kernel_open(&kernel);
	assert_symbol(&kernel, "_stext", 0xffffffff81000000);
	assert_symbol(&kernel, "modules", 0xffffffff82900004);
	kernel_deinit(&kernel);
}

Test(kallsyms, whole_addresses)
{
	static const uint64_t addresses[] = {0xffffffff81000000, 0xffffffff82b292a0};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel.addresses_name = "kallsyms_addresses";
	kernel_build(&kernel, 0, addresses, 8, 2, two_names, sizeof(two_names));
	kernel_open(&kernel);
	assert_symbol(&kernel, "modules", 0xffffffff82b292a0);
	kernel_deinit(&kernel);
}

/* 0x82 0x01 is 130 codes: a 'D' and 129 characters. */
Test(kallsyms, big_symbol)
{
	uint8_t names[3 + 2 + 130] = {2, 0x01, 0x02, 0x82, 0x01, 0x05};
	char wanted[130] = "";
	struct kernel kernel;

	memset(names + 6, 'q', 129);
	memset(wanted, 'q', 129);
	kernel_build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_symbol(&kernel, wanted, 0xffffffff82b292a0);
	wanted[128] = '\0';
	cr_assert_eq(kernel.source->ops->find(kernel.source, NULL, wanted, &kernel.stext, NULL),
		     RBS_NO_SYMBOL);
	kernel_deinit(&kernel);
}

/* Before 6.1 a length of 0x81 was 129 codes; as two bytes it would be 641 and run over. */
Test(kallsyms, long_symbol_with_short_length)
{
	uint8_t names[3 + 1 + 129] = {2, 0x01, 0x02, 0x81, 0x05};
	char wanted[129] = "";
	struct kernel kernel;

	memset(names + 5, 'q', 128);
	memset(wanted, 'q', 128);
	kernel_build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_symbol(&kernel, wanted, 0xffffffff82b292a0);
	cr_assert_eq(kernel.error.code, RBS_OK);
	kernel_deinit(&kernel);
}

Test(kallsyms, first_of_equal_names)
{
	static const uint8_t names[] = {
		2, 0x01, 0x02,		      /* T _stext */
		4, 'd',	 'k',  'e', 'y',      /* d key */
		5, 'd',	 'k',  'e', 'y', '2', /* d key2 */
		4, 'd',	 'k',  'e', 'y',      /* d key */
	};
	static const uint64_t offsets[] = {0, 0x10, 0x20, 0x30};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel_build(&kernel, 0xffffffff81000000, offsets, 4, 4, names, sizeof(names));
	kernel_open(&kernel);
	assert_symbol(&kernel, "key", 0xffffffff81000010);
	assert_symbol(&kernel, "key2", 0xffffffff81000020);
	kernel_deinit(&kernel);
}

/* Not in the order of addresses; two at one address are answered with the first. */
Test(kallsyms, name_at)
{
	static const uint8_t names[] = {
		2, 0x06, 'b',  /* T b */
		2, 0x01, 0x02, /* T _stext */
		2, 0x06, 'a',  /* T a */
		2, 0x06, 'c',  /* T c */
	};
	static const uint64_t offsets[] = {0x40, 0, 0x20, 0x40};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel_build(&kernel, 0xffffffff81000000, offsets, 4, 4, names, sizeof(names));
	kernel_open(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	assert_name(&kernel, 0xffffffff81000000, "_stext");
	assert_name(&kernel, 0xffffffff81000020, "a");
	assert_name(&kernel, 0xffffffff81000040, "b");
	assert_name(&kernel, 0xffffffff81000021, NULL);
	assert_name(&kernel, 0xffffffff81000041, NULL);
	assert_name(&kernel, 0, NULL);
	kernel_deinit(&kernel);
}

Test(kallsyms, name_at_cuts_to_the_buffer)
{
	char name[4];
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	kernel_open(&kernel);
	cr_assert_eq(kernel.source->ops->name_at(kernel.source, 0xffffffff82b292a0, name,
						 sizeof(name), NULL),
		     RBS_OK);
	cr_assert_str_eq(name, "mod");
	kernel_deinit(&kernel);
}

Test(kallsyms, has_data)
{
	static const uint8_t text_only[] = {2, 0x01, 0x02, 2, 't', 'x'};
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	kernel_open(&kernel);
	cr_assert(rbs_kallsyms_has_data(kernel.source));
	kernel_deinit(&kernel);
	kernel_build_two(&kernel, text_only, sizeof(text_only));
	kernel_open(&kernel);
	assert_symbol(&kernel, "x", 0xffffffff82b292a0);
	cr_assert_not(rbs_kallsyms_has_data(kernel.source));
	kernel_deinit(&kernel);
}

Test(kallsyms, unknown_names)
{
	static const char *const unknown[] = {"", "_stex", "_stextt", "T_stext", "odules"};
	struct kernel kernel;
	uint64_t address;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	kernel_open(&kernel);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		cr_assert_eq(
			kernel.source->ops->find(kernel.source, NULL, unknown[i], &address, NULL),
			RBS_NO_SYMBOL, "%s", unknown[i]);
	cr_assert_eq(kernel.source->ops->find(kernel.source, "ext4", "modules", &address, NULL),
		     RBS_NO_SYMBOL);
	kernel_deinit(&kernel);
}
