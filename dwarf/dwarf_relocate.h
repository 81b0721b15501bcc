/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_relocate - the relocations of a module's debug sections.
 *
 * A .ko is a relocatable object: names and references between its debug sections are zeros until
 * the relocations are applied. Only absolute ones of 32 and 64 bits matter for types; those of
 * other kinds stand in addresses and are left alone. Sections lie at address 0 here.
 */
#ifndef RBS_DWARF_RELOCATE_H
#define RBS_DWARF_RELOCATE_H

#include "dwarf/dwarf_elf.h"

/*
 * Apply all relocations for the section of that index to its contents, which are copied first when
 * they lie in the file. RBS_UNSUPPORTED for a machine that is not known.
 */
enum rbs_code rbs_elf_relocate(const struct rbs_elf *elf, uint32_t index,
			       struct rbs_elf_contents *contents, struct rbs_error *err);

#endif
