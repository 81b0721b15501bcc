/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * assumed_table - the form of the built-in layouts in dwarf/tables/.
 *
 * tools/layout_table.c writes them from modules with debug information. A table holds every answer
 * that resolving a probe's layout got there: also that a structure or member does not exist.
 */
#ifndef RBS_ASSUMED_TABLE_H
#define RBS_ASSUMED_TABLE_H

#include "lib/types.h"

struct rbs_assumed_member {
	const char *type, *path;
	struct rbs_member member;
};

struct rbs_assumed_size {
	const char *type;
	uint64_t size; /* bytes */
};

struct rbs_assumed_enumerator {
	const char *type; /* NULL: of any enum */
	const char *name;
	int64_t value;
};

struct rbs_assumed_absence {
	const char *type;
	const char *path; /* NULL: the structure itself does not exist */
};

/*
 * What must hold for the table to be right: the kernel's own structures, which LTTng's contain,
 * have the size that they had where the table was made.
 */
struct rbs_assumed_condition {
	const char *type;
	const char *path; /* a member, whose size it is; NULL: the structure */
	uint64_t size;	  /* bytes */
	/* The one structure that it is about: where it does not hold, only that is not known. */
	const char *only; /* NULL: all of the table depends on it */
};

struct rbs_assumed_module {
	const char *name; /* with '_' */
	const struct rbs_assumed_member *members;
	size_t member_count;
	const struct rbs_assumed_size *sizes;
	size_t size_count;
	const struct rbs_assumed_enumerator *enumerators;
	size_t enumerator_count;
	const struct rbs_assumed_absence *absences;
	size_t absence_count;
};

struct rbs_assumed_table {
	const char *product; /* "LTTng" */
	const char *version; /* of modules[0]: its MODULE_VERSION */
	const char *arch;    /* as uname -m prints it */
	const char *kernel;  /* release that it was built for */
	const struct rbs_assumed_condition *conditions;
	size_t condition_count;
	const struct rbs_assumed_module *modules;
	size_t module_count;
};

/* All built-in tables; *count gets their number. dwarf/tables/tables.c */
const struct rbs_assumed_table *const *rbs_assumed_tables(size_t *count);

#endif
