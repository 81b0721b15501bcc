/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fake_sources - types and symbols that a test writes out by hand.
 *
 * The arrays are borrowed and must outlive the source. They end with an entry whose type or name is
 * NULL.
 */
#ifndef FAKE_SOURCES_H
#define FAKE_SOURCES_H

#include "lib/symbols.h"
#include "lib/types.h"

struct fake_type {
	const char
		*module; /* NULL: the kernel's; asked for any module, the kernel's are seen too */
	const char *type;
	const char *path; /* of a member; NULL: this entry is the structure, member.size its size */
	struct rbs_member member;
};

struct fake_enumerator {
	const char *type; /* NULL: anonymous */
	const char *name;
	int64_t value;
};

/* enumerators may be NULL. A structure is known when any entry names it. */
struct rbs_type_source *fake_types_create(const struct fake_type *types,
					  const struct fake_enumerator *enumerators);

struct fake_symbol {
	const char *module; /* NULL: the kernel's */
	const char *name;
	uint64_t address;
};

struct rbs_symbol_source *fake_symbols_create(const struct fake_symbol *symbols);

/* A source that can only fail, with this code. */
struct rbs_symbol_source *fake_symbols_create_broken(enum rbs_code code);

#endif
