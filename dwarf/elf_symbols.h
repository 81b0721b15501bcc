/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_symbols - the .symtab of a vmlinux (or xen-syms, or a kernel's debug file) as a source of
 * symbols, shifted to where the kernel ran.
 *
 * The file is mapped; only its symbol and string tables are touched.
 */
#ifndef RBS_ELF_SYMBOLS_H
#define RBS_ELF_SYMBOLS_H

#include "lib/modules.h"

/*
 * target is only used here, not kept. RBS_UNSUPPORTED for a file that is no ELF or has no .symtab,
 * RBS_MISMATCH for one of another machine or kernel, RBS_IO when it cannot be opened.
 */
enum rbs_code rbs_elf_symbols_create(const char *path, struct rbs_target *target,
				     struct rbs_symbol_source **source, struct rbs_error *err);

/* The build-id of an ELF file; *id has size 0 when it has none. The same errors. */
enum rbs_code rbs_elf_build_id_read(const char *path, struct rbs_build_id *id,
				    struct rbs_error *err);

#endif
