/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_kernel - a kernel in a fake machine, with the tables of 6.0 to 6.3 named in VMCOREINFO,
 * and what their reader makes of it.
 */
#ifndef KALLSYMS_KERNEL_H
#define KALLSYMS_KERNEL_H

#include "dwarf/kallsyms.h"
#include "kallsyms_image.h"

struct kernel {
	struct rbs_target *target;
	struct rbs_symbol_source *source;
	struct rbs_error error;
	enum rbs_code code;
	uint64_t offsets, relative_base, num_syms, names, token_table, token_index;
	uint64_t stext;
	const char *addresses_name; /* VMCOREINFO's name of the table of addresses */
};

/* T _stext and D modules, and where kernel_build_two() puts them. */
extern const uint8_t two_names[6];
extern const uint64_t stext_modules[2];

void kernel_init(struct kernel *kernel, enum rbs_byte_order order, uint64_t stext);
void kernel_deinit(struct kernel *kernel);

/* Write the tables; base 0: without relative_base. Offsets are width bytes wide. */
void kernel_build(struct kernel *kernel, uint64_t base, const uint64_t *offsets, size_t width,
		  size_t count, const uint8_t *names, size_t names_size);

/* kernel_init() and kernel_build() of a little-endian kernel with two symbols. */
void kernel_build_two(struct kernel *kernel, const uint8_t *names, size_t names_size);

/* Write VMCOREINFO and read the tables. */
void kernel_open(struct kernel *kernel);

void assert_symbol(struct kernel *kernel, const char *name, uint64_t expected);

/* expected: NULL for no name. */
void assert_name(struct kernel *kernel, uint64_t address, const char *expected);

/* The tables must be refused, with this in the message; deinits. */
void assert_refused(struct kernel *kernel, enum rbs_code code, const char *text);

#endif
