/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_scan - the two questions about DWARF that are asked thousands of times, without libdwarf.
 *
 * A vmlinux has 2,400 units. To read the names of all takes libdwarf 0.2 s, and walking the entries
 * of one unit 1 to 30 ms; a structure of the kernel is declared in hundreds of units and defined in
 * few. What is here reads only headers and tables of abbreviations: where a unit ends and what it
 * is called, and whether an entry that defines a wanted name can be at one of the places where the
 * name's reference occurs. It rules out, and never finds: libdwarf reads what is left.
 *
 * Formats: DWARF 5, sections 7.5.1 (headers), 7.5.3 (abbreviations), 7.5.6 (forms). What is not
 * understood here (64-bit DWARF, unknown forms) is never ruled out.
 */
#ifndef RBS_DWARF_SCAN_H
#define RBS_DWARF_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf_cursor.h"

struct rbs_dwarf_scan {
	struct rbs_dwarf_bytes info, abbrev, str, line_str; /* borrowed sections */
	enum rbs_byte_order byte_order;
	/* The table of abbreviations that was read last; owned. */
	struct rbs_abbrev *table;
	size_t table_size; /* codes; entry 0 is not used */
	size_t table_capacity;
	struct rbs_abbrev_attribute *attributes; /* of all of them; owned */
	size_t attribute_count;
	size_t attribute_capacity;
	uint64_t table_offset;
	uint8_t table_address_size;
	bool table_valid;   /* read, whether or not it was understood */
	bool table_decides; /* understood: it can rule something out */
};

struct rbs_dwarf_header {
	uint64_t start;	 /* its own offset, from which those inside of the unit count */
	uint64_t end;	 /* of the unit */
	uint64_t die;	 /* offset of its entry */
	uint64_t abbrev; /* offset of its abbreviations */
	uint8_t version;
	uint8_t address_size;
};

void rbs_dwarf_scan_deinit(struct rbs_dwarf_scan *scan);

/* The header of the unit at offset start; false when it is of a kind that is not known here. */
bool rbs_dwarf_scan_header(const struct rbs_dwarf_scan *scan, uint64_t start,
			   struct rbs_dwarf_header *header);

/* The name of a unit's source file, within the sections; NULL when it is not found. */
const char *rbs_dwarf_scan_name(const struct rbs_dwarf_scan *scan,
				const struct rbs_dwarf_header *header);

/*
 * Whether all that the unit's entries refer to is certain to be in the unit itself. Other units are
 * referred to where a compiler or dwz shares entries (DW_FORM_ref_addr, DW_FORM_ref_sig8).
 */
bool rbs_dwarf_scan_stands_alone(struct rbs_dwarf_scan *scan,
				 const struct rbs_dwarf_header *header);

/*
 * Whether the bytes at offset at, which refer to a name (as an offset of .debug_str, or inline when
 * is_inline), can be the name of an entry in this unit that defines a structure, a union, an enum
 * or a typedef, not inside of another entry; or, for_enumerator, that of an enumerator. False only
 * when that is certain.
 */
bool rbs_dwarf_scan_may_define(struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header,
			       uint64_t at, bool is_inline, bool for_enumerator);

/* The same by walking through the unit's entries, for a name that can be at too many places. */
bool rbs_dwarf_scan_may_define_name(struct rbs_dwarf_scan *scan,
				    const struct rbs_dwarf_header *header, const char *name,
				    bool for_enumerator);

#endif
