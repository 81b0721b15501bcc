/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system_map - a System.map as a source of symbols, shifted to where the kernel ran.
 *
 * Lines are "ADDRESS TYPE NAME", as nm writes them. A copy of the /proc/kallsyms of the machine
 * before it crashed works as well: its addresses have been moved already, and its lines of modules
 * ("... [module]") are left out.
 */
#ifndef RBS_SYSTEM_MAP_H
#define RBS_SYSTEM_MAP_H

#include "lib/symbols.h"
#include "lib/target/target.h"

#define RBS_SYSTEM_MAP_LIMIT (128u << 20) /* bytes of the file */

/*
 * target is only used here, not kept. Lines of another form are skipped, but a file of mostly such
 * lines is RBS_UNSUPPORTED; RBS_MISMATCH for a map of another kernel, RBS_IO when it cannot be
 * read.
 */
enum rbs_code rbs_system_map_create(const char *path, struct rbs_target *target,
				    struct rbs_symbol_source **source, struct rbs_error *err);

/* An ELF file or a System.map, by its first bytes. */
enum rbs_code rbs_symbol_file_create(const char *path, struct rbs_target *target,
				     struct rbs_symbol_source **source, struct rbs_error *err);

#endif
