/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/kallsyms.h"
#include "kallsyms_image.h"

#define TABLES UINT64_C(0xffffffff82800000)

/* A kernel with the tables of 6.0 to 6.3, named in VMCOREINFO. */
struct kernel {
	struct rbs_target *target;
	struct rbs_symbol_source *source;
	struct rbs_error error;
	enum rbs_code code;
	uint64_t offsets, relative_base, num_syms, names, token_table, token_index;
	uint64_t stext;
	const char *addresses_name; /* VMCOREINFO's name of the table of addresses */
};

static const uint8_t two_names[] = {
	2, 0x01, 0x02, /* T _stext */
	2, 0x03, 0x04, /* D modules */
};

static void kernel_init(struct kernel *kernel, enum rbs_byte_order order, uint64_t stext)
{
	*kernel = (struct kernel){.target = fake_target_create(order, 8), .stext = stext};
	kernel->addresses_name = "kallsyms_offsets";
}

static void kernel_build(struct kernel *kernel, uint64_t base, const uint64_t *offsets,
			 size_t width, size_t count, const uint8_t *names, size_t names_size)
{
	struct rbs_target *target = kernel->target;
	uint64_t at = TABLES;

	kernel->offsets = at;
	at = image_numbers(target, at, offsets, count, width);
	if (base) {
		kernel->relative_base = at;
		at = image_number(target, at, base, 8);
	}
	kernel->num_syms = at;
	at = image_number(target, at, count, 4);
	kernel->names = at;
	at = image_bytes(target, at, names, names_size);
	kernel->token_table = at;
	image_tokens(target, at, &kernel->token_index);
}

static void kernel_open(struct kernel *kernel)
{
	char text[1024];
	int used = snprintf(text, sizeof(text),
			    "OSRELEASE=6.1.0\n"
			    "SYMBOL(_stext)=%llx\n"
			    "SYMBOL(kallsyms_names)=%llx\n"
			    "SYMBOL(kallsyms_num_syms)=%llx\n"
			    "SYMBOL(kallsyms_token_table)=%llx\n"
			    "SYMBOL(kallsyms_token_index)=%llx\n"
			    "SYMBOL(%s)=%llx\n",
			    (unsigned long long)kernel->stext, (unsigned long long)kernel->names,
			    (unsigned long long)kernel->num_syms,
			    (unsigned long long)kernel->token_table,
			    (unsigned long long)kernel->token_index, kernel->addresses_name,
			    (unsigned long long)kernel->offsets);

	if (kernel->relative_base)
		snprintf(text + used, sizeof(text) - (size_t)used,
			 "SYMBOL(kallsyms_relative_base)=%llx\n",
			 (unsigned long long)kernel->relative_base);
	fake_target_vmcoreinfo(kernel->target, text);
	kernel->code = rbs_kallsyms_create(kernel->target, &kernel->source, &kernel->error);
}

static void kernel_deinit(struct kernel *kernel)
{
	if (kernel->source)
		kernel->source->ops->destroy(kernel->source);
	rbs_target_destroy(kernel->target);
}

static void assert_symbol(struct kernel *kernel, const char *name, uint64_t expected)
{
	uint64_t address = 0;
	enum rbs_code code;

	cr_assert_eq(kernel->code, RBS_OK, "%s", kernel->error.text);
	code = kernel->source->ops->find(kernel->source, NULL, name, &address, &kernel->error);
	cr_assert_eq(code, RBS_OK, "%s: %s", name, kernel->error.text);
	cr_assert_eq(address, expected, "%s is at %llx", name, (unsigned long long)address);
}

static void assert_name(struct kernel *kernel, uint64_t address, const char *expected)
{
	char name[64] = "";
	enum rbs_code code = kernel->source->ops->name_at(kernel->source, address, name,
							  sizeof(name), &kernel->error);

	cr_assert_eq(code, expected ? RBS_OK : RBS_NO_SYMBOL);
	if (expected)
		cr_assert_str_eq(name, expected);
}

/* The tables must be refused, with this in the message. */
static void assert_refused(struct kernel *kernel, enum rbs_code code, const char *text)
{
	cr_assert_eq(kernel->code, code, "%s (%s)", rbs_code_name(kernel->code),
		     kernel->error.text);
	cr_assert_null(kernel->source);
	cr_assert_not_null(strstr(kernel->error.text, text), "%s", kernel->error.text);
	kernel_deinit(kernel);
}

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

static const uint64_t stext_modules[] = {0, 0x1b292a0};

static void build_two(struct kernel *kernel, const uint8_t *names, size_t names_size)
{
	kernel_init(kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel_build(kernel, 0xffffffff81000000, stext_modules, 4, 2, names, names_size);
}

/* 0x82 0x01 is 130 codes: a 'D' and 129 characters. */
Test(kallsyms, big_symbol)
{
	uint8_t names[3 + 2 + 130] = {2, 0x01, 0x02, 0x82, 0x01, 0x05};
	char wanted[130] = "";
	struct kernel kernel;

	memset(names + 6, 'q', 129);
	memset(wanted, 'q', 129);
	build_two(&kernel, names, sizeof(names));
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
	build_two(&kernel, names, sizeof(names));
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

	build_two(&kernel, two_names, sizeof(two_names));
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

	build_two(&kernel, two_names, sizeof(two_names));
	kernel_open(&kernel);
	cr_assert(rbs_kallsyms_has_data(kernel.source));
	kernel_deinit(&kernel);
	build_two(&kernel, text_only, sizeof(text_only));
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

	build_two(&kernel, two_names, sizeof(two_names));
	kernel_open(&kernel);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		cr_assert_eq(
			kernel.source->ops->find(kernel.source, NULL, unknown[i], &address, NULL),
			RBS_NO_SYMBOL, "%s", unknown[i]);
	cr_assert_eq(kernel.source->ops->find(kernel.source, "ext4", "modules", &address, NULL),
		     RBS_NO_SYMBOL);
	kernel_deinit(&kernel);
}

Test(kallsyms, no_vmcoreinfo)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, 0);
	kernel.code = rbs_kallsyms_create(kernel.target, &kernel.source, &kernel.error);
	assert_refused(&kernel, RBS_NO_SYMBOL, "no VMCOREINFO");
}

Test(kallsyms, other_stext)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	kernel.stext = 0xffffffff81000010;
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "VMCOREINFO says ffffffff81000010");
}

Test(kallsyms, no_stext_among_the_names)
{
	static const uint8_t names[] = {2, 0x06, 'a', 2, 0x06, 'b'};
	struct kernel kernel;

	build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "no _stext");
}

Test(kallsyms, token_beyond_its_table)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.token_index + 2 * 200, 2, 0xfff0);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "token 200 is at byte 65520");
}

Test(kallsyms, unterminated_token)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	/* All that is behind the last token's start, its padding included. */
	for (uint64_t at = kernel.token_index - 16; at < kernel.token_index; at++)
		fake_target_put(kernel.target, at, 1, 'x');
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "runs over the end of its table");
}

Test(kallsyms, token_index_before_its_table)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	kernel.token_index = kernel.token_table - 8;
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "token table at");
}

Test(kallsyms, names_behind_the_token_table)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	kernel.names = kernel.token_table + 8;
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "names of 2 symbols at");
}

Test(kallsyms, no_symbols)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.num_syms, 4, 0);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "0 symbols");
}

Test(kallsyms, too_many_symbols)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.num_syms, 4, 0xfffffff0);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "4294967280 symbols, expected 1 to 4194304");
}

/* More than there are names for: the third would begin in the padding. */
Test(kallsyms, more_symbols_than_names)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	fake_target_put(kernel.target, kernel.num_syms, 4, 3);
	fake_target_map_zeros(kernel.target, kernel.offsets + 8, 4);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "run over their end at symbol 2 of 3");
}

Test(kallsyms, name_runs_over_the_end)
{
	static const uint8_t names[] = {2, 0x01, 0x02, 0x7f, 0x03, 0x04};
	struct kernel kernel;

	build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "run over their end at symbol 1 of 2");
}

/* By one byte: the names and nothing else are before the token table. */
Test(kallsyms, name_runs_one_byte_over)
{
	static const uint8_t whole[] = {2, 0x01, 0x02, 4, 'd', 'k', 'e', 'y'};
	static const uint8_t over[] = {2, 0x01, 0x02, 5, 'd', 'k', 'e', 'y'};
	struct kernel kernel;

	build_two(&kernel, whole, sizeof(whole));
	cr_assert_eq(kernel.token_table - kernel.names, sizeof(whole));
	kernel_open(&kernel);
	assert_symbol(&kernel, "key", 0xffffffff82b292a0);
	kernel_deinit(&kernel);
	build_two(&kernel, over, sizeof(over));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "run over their end at symbol 1 of 2");
}

/* Codes of empty tokens only, then a type without a name. */
Test(kallsyms, empty_names)
{
	static const uint8_t nothing[] = {2, 0x01, 0x02, 2, 0xf0, 0xf1};
	static const uint8_t type_only[] = {2, 0x01, 0x02, 2, 0x05, 0xf1};
	struct kernel kernel;

	build_two(&kernel, nothing, sizeof(nothing));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "name of symbol 1 makes no sense");
	build_two(&kernel, type_only, sizeof(type_only));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "name of symbol 1 makes no sense");
}

/* 300 codes of four characters are 1,200: no kernel has such a name. */
Test(kallsyms, endless_name)
{
	uint8_t names[3 + 2 + 300] = {2, 0x01, 0x02, 0xac, 0x02};
	struct kernel kernel;

	memset(names + 5, 0x04, 300);
	build_two(&kernel, names, sizeof(names));
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_CORRUPT, "name of symbol 1 makes no sense");
}

Test(kallsyms, excluded_pages)
{
	struct kernel kernel;

	build_two(&kernel, two_names, sizeof(two_names));
	fake_target_hole(kernel.target, kernel.names + 1, 1, RBS_EXCLUDED);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_EXCLUDED, "kallsyms: names: ");
	build_two(&kernel, two_names, sizeof(two_names));
	fake_target_hole(kernel.target, kernel.offsets, 1, RBS_TRUNCATED);
	kernel_open(&kernel);
	assert_refused(&kernel, RBS_TRUNCATED, "kallsyms: addresses: ");
}
