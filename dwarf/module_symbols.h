/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * module_symbols - the symbols of loaded modules, static ones too, from the tables that the kernel
 * keeps in memory for its own kallsyms (struct mod_kallsyms, include/linux/module.h).
 *
 * A module's table is read when the first of its symbols is asked for, and kept. Missing pages cost
 * the symbols on them: a name that is then not found is answered with the reason.
 */
#ifndef RBS_MODULE_SYMBOLS_H
#define RBS_MODULE_SYMBOLS_H

#include "lib/modules.h"

/* target and modules are borrowed and must outlive the source. */
enum rbs_code rbs_module_symbols_create(struct rbs_target *target,
					const struct rbs_modules *modules,
					struct rbs_symbol_source **source, struct rbs_error *err);

#endif
