/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash_symbols - crash's symbol tables as a source of symbols: its namelist's, and what it knows
 * of modules (from the dump, or from 'mod -S').
 *
 * A fallback: the dump's own kallsyms has the same symbols, module by module.
 */
#ifndef RBS_CRASH_SYMBOLS_H
#define RBS_CRASH_SYMBOLS_H

#include "lib/symbols.h"

/* True when 'mod -S' or 'mod -s' gave crash the debug file of that module. */
bool rbs_crash_module_is_loaded(const char *module);

enum rbs_code rbs_crash_symbols_create(struct rbs_symbol_source **source, struct rbs_error *err);

#endif
