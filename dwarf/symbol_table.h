/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbol_table - names to addresses and back, over a block of strings that someone else keeps.
 *
 * The common part of the sources that have an uncompressed table of strings: a module's, a
 * vmlinux's, a System.map's.
 */
#ifndef RBS_SYMBOL_TABLE_H
#define RBS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rbs_symbol_entry {
	uint64_t address;
	uint32_t name;	    /* offset of a NUL-terminated name in the strings */
	uint32_t next : 31; /* in its bucket */
	uint32_t fixed : 1; /* an absolute symbol: stays when the image is moved */
};

struct rbs_symbol_table {
	const char *strings; /* borrowed */
	struct rbs_symbol_entry *entries;
	uint32_t *heads; /* buckets; NULL until the table is indexed */
	uint32_t *order; /* indexes by address; NULL until asked for */
	uint32_t count, capacity, mask;
};

void rbs_symbol_table_init(struct rbs_symbol_table *table, const char *strings);
void rbs_symbol_table_deinit(struct rbs_symbol_table *table);

/* name is an offset of a terminated string; the caller has checked it. False: out of memory. */
bool rbs_symbol_table_add(struct rbs_symbol_table *table, uint32_t name, uint64_t address,
			  bool fixed);

/* After the last was added, before the first is asked for. False: out of memory. */
bool rbs_symbol_table_index(struct rbs_symbol_table *table);

/* Of several with that name the lowest address, as the kernel's own kallsyms answers. */
bool rbs_symbol_table_find(const struct rbs_symbol_table *table, const char *name,
			   uint64_t *address);

/* The name of the symbol that starts at address, or NULL (also when out of memory). */
const char *rbs_symbol_table_name_at(struct rbs_symbol_table *table, uint64_t address);

#endif
