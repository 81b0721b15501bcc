/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_units - the compilation units of a DWARF file, and the search for a type in them.
 *
 * A vmlinux has 2,400 units and no index of types. Looking through a unit's types takes 1 to 30 ms,
 * for all of them 3 s. So the units whose source file fits the question come first (a module's name
 * when it is built in, a file named like the structure), and a unit is looked through only if the
 * wanted name occurs in it, as bytes or as the offset of one of its occurrences in .debug_str,
 * where a definition can bear it (dwarf/dwarf_scan.h).
 */
#ifndef RBS_DWARF_UNITS_H
#define RBS_DWARF_UNITS_H

#include "dwarf/dwarf_scan.h"
#include "dwarf/dwarf_types.h"

#define RBS_UNIT_LIMIT (1u << 20)

#define RBS_UNIT_RELEASE 64 /* units of some 80 KB each between rbs_debug_file_release() */

/* A unit that was looked into, alone; its offsets count from its start. */
struct rbs_dwarf_view {
	struct rbs_dwarf_object object;
	struct rbs_dwarf_types types;
};

struct rbs_dwarf_unit {
	struct rbs_dwarf_header header; /* start, end and die alone unless is_scanned */
	bool is_scanned;		/* its header is of a kind that dwarf_scan knows */
	struct rbs_dwarf_view *view;	/* owned; NULL when not (or not possible) */
	const char *name;		/* the source file; "" when unknown */
};

struct rbs_dwarf_units {
	struct rbs_dwarf_object *object; /* borrowed */
	struct rbs_dwarf_unit *units;
	size_t count;
	size_t capacity;
	struct rbs_dwarf_types types; /* of the whole file, for units that have no view */
	struct rbs_dwarf_scan scan;
	struct rbs_error trouble; /* why the units after the last could not be read */
};

/* An entry: an offset in the .debug_info of types->object. */
struct rbs_dwarf_place {
	struct rbs_dwarf_types *types;
	uint64_t offset;
};

/* The units must not move afterwards. Damaged units end the list; it is an error only when there is
 * none before them. */
enum rbs_code rbs_dwarf_units_init(struct rbs_dwarf_units *units, struct rbs_dwarf_object *object,
				   struct rbs_error *err);
void rbs_dwarf_units_deinit(struct rbs_dwarf_units *units);

/* The unit's own entry, in a view of the unit if that is possible. */
struct rbs_dwarf_place rbs_dwarf_unit_entry(struct rbs_dwarf_units *units,
					    struct rbs_dwarf_unit *unit);

enum rbs_dwarf_class {
	RBS_DWARF_RECORD, /* structure or union, else a typedef of that name */
	RBS_DWARF_ENUM,
};

/*
 * The entry of the complete type of that name. module, which may be NULL, is a hint where to look
 * first. RBS_NO_TYPES when no unit has it.
 */
enum rbs_code rbs_dwarf_units_find(struct rbs_dwarf_units *units, const char *module,
				   enum rbs_dwarf_class wanted, const char *name,
				   struct rbs_dwarf_place *place, struct rbs_error *err);

/*
 * The value of an enumerator of any enum: the first found. RBS_NO_TYPES when there is none.
 */
enum rbs_code rbs_dwarf_units_find_enumerator(struct rbs_dwarf_units *units, const char *module,
					      const char *name, int64_t *value,
					      struct rbs_error *err);

/* How well a source file fits a question about type (or NULL) in module (or NULL): 0 to 3. */
unsigned rbs_dwarf_unit_score(const char *file, const char *module, const char *type);

#endif
