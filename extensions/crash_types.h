/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash_types - the types of the gdb inside crash (its namelist's, and those of modules loaded with
 * 'mod -S') as a source of types.
 *
 * A fallback: the dump's own BTF and the namelist's DWARF know the same, and gdb takes 20 ms or
 * more to look a name up. So when another source has all of the kernel's types (modules_only), gdb
 * is asked for modules that crash has the debug file of, and for nothing else. gdb keeps all types
 * in one pool: that a module was named makes no further difference.
 */
#ifndef RBS_CRASH_TYPES_H
#define RBS_CRASH_TYPES_H

#include "lib/types.h"

enum rbs_code rbs_crash_types_create(struct rbs_type_source **source, struct rbs_error *err);

#endif
