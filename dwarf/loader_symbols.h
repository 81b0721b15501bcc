/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loader_symbols - a FreeBSD kernel's own symbol table, out of the dump's memory.
 *
 * The loader puts the kernel's .symtab and .strtab behind its image, for the kernel debugger, and
 * says so in its metadata: records {u32 type, u32 length, data padded to a word}, of which
 * MODINFO_TYPE (2) is "elf kernel" and MODINFOMD_SSYM (0x8003) and MODINFOMD_ESYM (0x8004) hold the
 * start and end of the tables (sys/sys/linker.h, stand/common/load_elf.c). At the start: a word
 * with the size of the symbols, the symbols, a word with the size of the strings, the strings.
 * Static symbols are there.
 */
#ifndef RBS_LOADER_SYMBOLS_H
#define RBS_LOADER_SYMBOLS_H

#include "lib/symbols.h"
#include "lib/target/target.h"

#define RBS_LOADER_TABLE_LIMIT (64u << 20) /* bytes of either table; GENERIC has 2 MB */

/*
 * Look for the metadata between two kernel virtual addresses. RBS_NO_SYMBOL when there is none. The
 * target is only used here, not kept.
 */
enum rbs_code rbs_loader_symbols_create(struct rbs_target *target, uint64_t start, uint64_t end,
					struct rbs_symbol_source **source, struct rbs_error *err);

#endif
