/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_die - reading DWARF's entries (DIEs) through libdwarf, with the freeing done.
 *
 * Offsets are from the start of .debug_info. Names point into the file and live as long as the
 * object.
 */
#ifndef RBS_DWARF_DIE_H
#define RBS_DWARF_DIE_H

#include "dwarf/dwarf_object.h"

/* The entry at offset; to be freed with rbs_die_free(). */
enum rbs_code rbs_die_at(struct rbs_dwarf_object *object, uint64_t offset, Dwarf_Die *die,
			 struct rbs_error *err);
void rbs_die_free(struct rbs_dwarf_object *object, Dwarf_Die die);

/*
 * The children of an entry, one after the other:
 *
 *	rbs_children_init(&children, object, parent);
 *	while (rbs_children_next(&children))
 *		... children.die, children.offset, children.tag
 *	rbs_children_deinit(&children);
 *
 * Offsets must grow, so that damaged data cannot make it turn in circles.
 */
struct rbs_children {
	struct rbs_dwarf_object *object;
	Dwarf_Die parent; /* borrowed */
	Dwarf_Die die;
	uint64_t offset;
	Dwarf_Half tag;
	struct rbs_error error; /* code RBS_OK when the last child was reached */
};

void rbs_children_init(struct rbs_children *children, struct rbs_dwarf_object *object,
		       Dwarf_Die parent);
bool rbs_children_next(struct rbs_children *children);
void rbs_children_deinit(struct rbs_children *children);

/* NULL when the entry has no name, or a damaged one. */
const char *rbs_die_name(struct rbs_dwarf_object *object, Dwarf_Die die);

bool rbs_die_has(struct rbs_dwarf_object *object, Dwarf_Die die, Dwarf_Half attribute);

/* A number; a signed one is sign-extended. False when there is none, or it is no constant. */
bool rbs_die_number(struct rbs_dwarf_object *object, Dwarf_Die die, Dwarf_Half attribute,
		    uint64_t *value);

/* DW_AT_data_member_location in bytes: a number, or DWARF 2's expression that adds one. */
bool rbs_die_location(struct rbs_dwarf_object *object, Dwarf_Die die, uint64_t *value);

/*
 * The entry that DW_AT_type refers to; 0 when there is none (void). RBS_UNSUPPORTED when it lies in
 * another file or a type unit.
 */
enum rbs_code rbs_die_type(struct rbs_dwarf_object *object, Dwarf_Die die, uint64_t *offset,
			   struct rbs_error *err);

#endif
