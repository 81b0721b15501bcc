/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms - the kernel's own symbol table, out of the dump, as a source of symbols.
 *
 * Since "vmcoreinfo: include kallsyms symbols" (6.0), VMCOREINFO says where the tables are; in
 * older kernels they are found by their shape. Names are kept compressed: about 30 bytes a symbol,
 * a tenth of a second or less to open.
 */
#ifndef RBS_KALLSYMS_H
#define RBS_KALLSYMS_H

#include "dwarf/kallsyms_tables.h"
#include "lib/symbols.h"

/*
 * target is only used here, not kept. RBS_NO_SYMBOL when there is no VMCOREINFO or no such table;
 * RBS_CORRUPT when it contradicts itself or VMCOREINFO's _stext.
 */
enum rbs_code rbs_kallsyms_create(struct rbs_target *target, struct rbs_symbol_source **source,
				  struct rbs_error *err);

/*
 * False when the kernel was built without CONFIG_KALLSYMS_ALL: then it has functions only, and no
 * variable will be found. Also false for a source of another kind.
 */
bool rbs_kallsyms_has_data(const struct rbs_symbol_source *source);

/* The number of symbols; 0 for a source of another kind. */
uint32_t rbs_kallsyms_count(const struct rbs_symbol_source *source);

/*
 * The tables, or NULL for a source of another kind; and which of their symbols a name is. Both only
 * after rbs_kallsyms_create().
 */
const struct rbs_kallsyms_tables *rbs_kallsyms_get_tables(const struct rbs_symbol_source *source);
bool rbs_kallsyms_find_index(const struct rbs_symbol_source *source, const char *name,
			     uint32_t *index);

#endif
