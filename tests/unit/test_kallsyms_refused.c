/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of kallsyms that cannot be: refused, with the reason. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "kallsyms_kernel.h"

Test(kallsyms_refused, no_vmcoreinfo)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0);
	kernel.code = rbs_kallsyms_create(kernel.target, &kernel.source, &kernel.error);
	assert_refused(&kernel, RBS_NO_SYMBOL, "no VMCOREINFO");
}

Test(kallsyms_refused, other_stext)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	kernel.stext = 0xffffffff81000010;
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "VMCOREINFO says ffffffff81000010");
}

Test(kallsyms_refused, no_stext_among_the_names)
{
	static const uint8_t names[] = {2, 0x06, 'a', 2, 0x06, 'b'};
	struct kernel kernel;

	kernel_build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "no _stext");
}

Test(kallsyms_refused, token_beyond_its_table)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.token_index + 2 * 200, 2, 0xfff0);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "token 200 is at byte 65520");
}

Test(kallsyms_refused, unterminated_token)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	/* All that is behind the last token's start, its padding included. */
	for (uint64_t at = kernel.token_index - 16; at < kernel.token_index; at++)
		fake_target_put(kernel.target, at, 1, 'x');
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "runs over the end of its table");
}

Test(kallsyms_refused, token_index_before_its_table)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	kernel.token_index = kernel.token_table - 8;
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "token table at");
}

Test(kallsyms_refused, names_behind_the_token_table)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	kernel.names = kernel.token_table + 8;
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "names of 2 symbols at");
}

Test(kallsyms_refused, no_symbols)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.num_syms, 4, 0);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "0 symbols");
}

Test(kallsyms_refused, too_many_symbols)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.num_syms, 4, 0xfffffff0);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "4294967280 symbols, expected 1 to 4194304");
}

/* More than there are names for: the third would begin in the padding. */
Test(kallsyms_refused, more_symbols_than_names)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.num_syms, 4, 3);
	fake_target_map_zeros(kernel.target, kernel.offsets + 8, 4);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "run over their end at symbol 2 of 3");
}

Test(kallsyms_refused, name_runs_over_the_end)
{
	static const uint8_t names[] = {2, 0x01, 0x02, 0x7f, 0x03, 0x04};
	struct kernel kernel;

	kernel_build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "run over their end at symbol 1 of 2");
}

/* By one byte: the names and nothing else are before the token table. */
Test(kallsyms_refused, name_runs_one_byte_over)
{
	static const uint8_t whole[] = {2, 0x01, 0x02, 4, 'd', 'k', 'e', 'y'};
	static const uint8_t over[] = {2, 0x01, 0x02, 5, 'd', 'k', 'e', 'y'};
	struct kernel kernel;

	kernel_build_two(&kernel, whole, sizeof(whole));
	cr_assert_eq(kernel.token_table - kernel.names, sizeof(whole));
	kernel_open(&kernel);
	assert_symbol(&kernel, "key", 0xffffffff82b292a0);
	kernel_deinit(&kernel);
	kernel_build_two(&kernel, over, sizeof(over));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "run over their end at symbol 1 of 2");
}

/* Codes of empty tokens only, then a type without a name. */
Test(kallsyms_refused, empty_names)
{
	static const uint8_t nothing[] = {2, 0x01, 0x02, 2, 0xf0, 0xf1};
	static const uint8_t type_only[] = {2, 0x01, 0x02, 2, 0x05, 0xf1};
	struct kernel kernel;

	kernel_build_two(&kernel, nothing, sizeof(nothing));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "name of symbol 1 makes no sense");
	kernel_build_two(&kernel, type_only, sizeof(type_only));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "name of symbol 1 makes no sense");
}

/* 300 codes of four characters are 1,200: no kernel has such a name. */
Test(kallsyms_refused, endless_name)
{
	uint8_t names[3 + 2 + 300] = {2, 0x01, 0x02, 0xac, 0x02};
	struct kernel kernel;

	memset(names + 5, 0x04, 300);
	kernel_build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "name of symbol 1 makes no sense");
}

Test(kallsyms_refused, excluded_pages)
{
	struct kernel kernel;

	kernel_build_two(&kernel, two_names, sizeof(two_names));
	fake_target_hole(kernel.target, kernel.names + 1, 1, RBS_EXCLUDED);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_EXCLUDED, "kallsyms: names: ");
	kernel_build_two(&kernel, two_names, sizeof(two_names));
	fake_target_hole(kernel.target, kernel.offsets, 1, RBS_TRUNCATED);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_TRUNCATED, "kallsyms: addresses: ");
}
