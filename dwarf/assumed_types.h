/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assumed_types - layouts of modules that carry no types, as a source of types named "assumed".
 *
 * DKMS strips LTTng's modules, so that most dumps have no types of them. The source answers from
 * built-in tables (dwarf/assumed_table.h) that were made from other builds of the same version, or
 * of the nearest one of the same minor series. A table is a candidate when its architecture fits
 * and the kernel's structures that it depends on have the same sizes in the dump; then whoever uses
 * it must compare it with memory, and refuse() it when it does not fit.
 */
#ifndef RBS_ASSUMED_TYPES_H
#define RBS_ASSUMED_TYPES_H

#include "dwarf/assumed_table.h"
#include "lib/modules.h"

struct rbs_assumed_options {
	/* The dump's types, for the kernel's own; borrowed, the source may be part of them. */
	struct rbs_types *types;
	const struct rbs_modules *modules; /* borrowed, may be filled until the first question */
	const char *arch;		   /* borrowed */
	const struct rbs_assumed_table *const *tables; /* NULL: the built-in ones */
	size_t table_count;
};

enum rbs_code rbs_assumed_types_create(const struct rbs_assumed_options *options,
				       struct rbs_type_source **source, struct rbs_error *err);

#endif
