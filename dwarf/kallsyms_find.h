/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_find - the kernel's symbol table by its shape, for kernels whose VMCOREINFO does not say
 * where it is (before "vmcoreinfo: include kallsyms symbols", 6.0).
 *
 * kallsyms_token_index is 256 increasing u16 from 0, right after the 256 strings that they index,
 * and that alone is all but unique. Everything else is found from there. scripts/kallsyms.c has
 * written its tables in these orders, each aligned to a word:
 *   to 6.3:  addresses or offsets and relative_base, num_syms, names, markers, [seqs_of_names in
 *            6.2 and 6.3], token_table, token_index;
 *   6.4 on:  num_syms, names, markers, token_table, token_index, offsets, relative_base,
 *            seqs_of_names ("scripts/kallsyms: change the output order").
 * The place-relative tables of 7.x, aligned to 4 bytes, are not looked for: VMCOREINFO names them.
 */
#ifndef RBS_KALLSYMS_FIND_H
#define RBS_KALLSYMS_FIND_H

#include "dwarf/kallsyms_tables.h"

#define RBS_KALLSYMS_SCAN_LIMIT (64u << 20) /* bytes of the kernel's image from _stext on */

/*
 * Scan the kernel's image for the tables and read them. Pages that are missing from the dump are
 * skipped. RBS_NO_SYMBOL when there are none.
 */
enum rbs_code rbs_kallsyms_find(struct rbs_kallsyms_tables *tables, struct rbs_target *target,
				uint64_t stext, struct rbs_error *err);

#endif
