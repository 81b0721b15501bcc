/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kallsyms_kernel.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TABLES UINT64_C(0xffffffff82800000)

const uint8_t two_names[] = {
	2, 0x01, 0x02, /* T _stext */
	2, 0x03, 0x04, /* D modules */
};

void kernel_init(struct kernel *kernel, enum rbs_byte_order order, uint64_t stext)
{
	*kernel = (struct kernel){.target = fake_target_create(order, 8), .stext = stext};
	kernel->addresses_name = "kallsyms_offsets";
}

void kernel_build(struct kernel *kernel, uint64_t base, const uint64_t *offsets, size_t width,
		  size_t count, const uint8_t *names, size_t names_size)
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

void kernel_open(struct kernel *kernel)
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

void kernel_deinit(struct kernel *kernel)
{
	if (kernel->source)
		kernel->source->ops->destroy(kernel->source);
	rbs_target_destroy(kernel->target);
}

void assert_symbol(struct kernel *kernel, const char *name, uint64_t expected)
{
	uint64_t address = 0;
	enum rbs_code code;

	cr_assert_eq(kernel->code, RBS_OK, "%s", kernel->error.text);
	code = kernel->source->ops->find(kernel->source, NULL, name, &address, &kernel->error);
	cr_assert_eq(code, RBS_OK, "%s: %s", name, kernel->error.text);
	cr_assert_eq(address, expected, "%s is at %llx", name, (unsigned long long)address);
}

void assert_name(struct kernel *kernel, uint64_t address, const char *expected)
{
	char name[64] = "";
	enum rbs_code code = kernel->source->ops->name_at(kernel->source, address, name,
							  sizeof(name), &kernel->error);

	cr_assert_eq(code, expected ? RBS_OK : RBS_NO_SYMBOL);
	if (expected)
		cr_assert_str_eq(name, expected);
}

void assert_refused(struct kernel *kernel, enum rbs_code code, const char *text)
{
	cr_assert_eq(kernel->code, code, "%s (%s)", rbs_code_name(kernel->code),
		     kernel->error.text);
	cr_assert_null(kernel->source);
	cr_assert_not_null(strstr(kernel->error.text, text), "%s", kernel->error.text);
	kernel_deinit(kernel);
}

const uint64_t stext_modules[] = {0, 0x1b292a0};

void kernel_build_two(struct kernel *kernel, const uint8_t *names, size_t names_size)
{
	kernel_init(kernel, RBS_LITTLE_ENDIAN, 0xffffffff81000000);
	kernel_build(kernel, 0xffffffff81000000, stext_modules, 4, 2, names, names_size);
}
