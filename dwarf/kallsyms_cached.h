/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_cached - the kernel's own symbol table, read when the cache does not know a name.
 *
 * Symbols are kept as their distance from _stext, which VMCOREINFO tells: the kernel is moved as a
 * whole when it is loaded (KASLR). Those of the tables that are numbers and no addresses (per-CPU
 * offsets) stay what they are.
 */
#ifndef RBS_KALLSYMS_CACHED_H
#define RBS_KALLSYMS_CACHED_H

#include "lib/cache.h"
#include "lib/symbols.h"

/*
 * As rbs_kallsyms_create(), but target and cache (NULL: none) must outlive the source. *has_data is
 * what rbs_kallsyms_has_data() says.
 */
enum rbs_code rbs_kallsyms_cached_create(struct rbs_target *target, struct rbs_cache *cache,
					 struct rbs_symbol_source **source, bool *has_data,
					 struct rbs_error *err);

#endif
