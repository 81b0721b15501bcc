/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_types - the types of a DWARF file as a graph (dwarf/type_path.h).
 *
 * A type's id is the offset of its entry in .debug_info; 0 is void. What was read once is kept, so
 * that a structure's members are found by index.
 */
#ifndef RBS_DWARF_TYPES_H
#define RBS_DWARF_TYPES_H

#include "dwarf/dwarf_die.h"
#include "dwarf/type_path.h"

#define RBS_DWARF_BUCKETS 256

struct rbs_dwarf_type;

struct rbs_dwarf_types {
	struct rbs_dwarf_object *object; /* borrowed */
	struct rbs_graph graph;
	struct rbs_dwarf_type *buckets[RBS_DWARF_BUCKETS];
};

/* The types must not move afterwards. */
void rbs_dwarf_types_init(struct rbs_dwarf_types *types, struct rbs_dwarf_object *object);
void rbs_dwarf_types_deinit(struct rbs_dwarf_types *types);

/*
 * The value of an enumerator of the enum whose entry is die. RBS_NO_MEMBER when it has no such
 * one.
 */
enum rbs_code rbs_dwarf_enumerator(struct rbs_dwarf_types *types, Dwarf_Die die, const char *name,
				   int64_t *value, struct rbs_error *err);

#endif
