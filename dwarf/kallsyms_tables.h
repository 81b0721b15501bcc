/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_tables - the kernel's symbol table, read out of a dump and checked.
 *
 * scripts/kallsyms.c has written the addresses in four ways; which one a kernel has is told by
 * decoding _stext, whose address VMCOREINFO gives:
 *   - a word each: kallsyms_addresses, everywhere before "kallsyms: add support for relative
 *     offsets in kallsyms address table" (4.6), later on a few architectures, gone with
 *     "kallsyms: get rid of code for absolute kallsyms" (6.11);
 *   - 32 bits each, from kallsyms_relative_base: base + (u32)offset;
 *   - the same with per-CPU symbols kept absolute (x86-64 before 6.15): an offset >= 0 is the
 *     address, a negative one means base - 1 - offset;
 *   - 32 bits each, relative to the place of the offset itself (7.x; there is no relative_base).
 */
#ifndef RBS_KALLSYMS_TABLES_H
#define RBS_KALLSYMS_TABLES_H

#include "dwarf/kallsyms_names.h"

#define RBS_KALLSYMS_LIMIT (1u << 22)	     /* symbols */
#define RBS_KALLSYMS_NAMES_LIMIT (64u << 20) /* bytes of compressed names */

enum rbs_kallsyms_encoding {
	RBS_KALLSYMS_WORDS,
	RBS_KALLSYMS_BASE_RELATIVE,
	RBS_KALLSYMS_ABSOLUTE_PERCPU,
	RBS_KALLSYMS_PLACE_RELATIVE,
};

/* Where the tables are, kernel virtual addresses. */
struct rbs_kallsyms_layout {
	uint64_t num_syms;
	uint64_t names;
	uint64_t token_table;
	uint64_t token_index;
	uint64_t addresses;	/* 0: this kernel has offsets */
	uint64_t offsets;	/* 0: this kernel has addresses */
	uint64_t relative_base; /* 0: the offsets are relative to their places */
};

struct rbs_kallsyms_tables {
	struct rbs_kallsyms_layout layout;
	enum rbs_kallsyms_encoding encoding;
	struct rbs_kallsyms_codec codec;
	uint32_t count;	     /* symbols */
	uint32_t data_count; /* those of them that are data, not code */
	uint64_t base;	     /* the value of kallsyms_relative_base */

	/* Owned copies, numbers in the host's order. */
	uint8_t *names;
	size_t names_size;
	uint8_t *token_text;
	uint32_t *offsets;   /* per symbol, or NULL */
	uint64_t *addresses; /* per symbol, or NULL */
	uint32_t *positions; /* per symbol: of its entry in names */
	uint32_t *hashes;    /* per symbol: of its name */
};

/*
 * Read and check the tables. stext is VMCOREINFO's address of _stext. RBS_CORRUPT when they
 * contradict themselves or _stext, or why they could not be read; then *tables holds nothing.
 */
enum rbs_code rbs_kallsyms_tables_init(struct rbs_kallsyms_tables *tables,
				       struct rbs_target *target,
				       const struct rbs_kallsyms_layout *layout, uint64_t stext,
				       struct rbs_error *err);
void rbs_kallsyms_tables_deinit(struct rbs_kallsyms_tables *tables);

/* The number of symbols at an address; kallsyms_num_syms was a long before 4.20. */
enum rbs_code rbs_kallsyms_read_count(struct rbs_target *target, uint64_t num_syms, uint32_t *count,
				      struct rbs_error *err);

/* Whether it is a number that does not move with the kernel; not known of RBS_KALLSYMS_WORDS. */
bool rbs_kallsyms_is_absolute(const struct rbs_kallsyms_tables *tables, uint32_t index);

/* The symbol that has an index below tables->count. */
uint64_t rbs_kallsyms_address(const struct rbs_kallsyms_tables *tables, uint32_t index);
void rbs_kallsyms_entry(const struct rbs_kallsyms_tables *tables, uint32_t index,
			struct rbs_kallsyms_entry *entry);

#endif
