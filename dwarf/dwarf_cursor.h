/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_cursor - a place in a section of DWARF, which never leaves it.
 *
 * What would be read beyond the end is 0, and the cursor has failed from then on.
 */
#ifndef RBS_DWARF_CURSOR_H
#define RBS_DWARF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/target/target.h"

struct rbs_dwarf_bytes {
	const unsigned char *bytes;
	size_t size;
};

struct rbs_cursor {
	const struct rbs_dwarf_bytes *section; /* borrowed */
	enum rbs_byte_order byte_order;
	uint64_t at; /* offset in the section */
	bool failed;
};

struct rbs_cursor rbs_cursor_at(const struct rbs_dwarf_bytes *section,
				enum rbs_byte_order byte_order, uint64_t at);

/* A number of size bytes; and one as LEB128 (DWARF 5, section 7.6), a signed one for its length. */
uint64_t rbs_cursor_number(struct rbs_cursor *cursor, unsigned size);
uint64_t rbs_cursor_leb(struct rbs_cursor *cursor);

void rbs_cursor_skip(struct rbs_cursor *cursor, uint64_t size);

/* Bytes of an attribute's form (section 7.5.6) in 32-bit DWARF; where they differ, UNKNOWN. */
#define RBS_FORM_UNKNOWN SIZE_MAX
size_t rbs_form_size(uint64_t form, uint8_t address_size);

/* Step over an attribute of that form; fails when the form is not known. */
void rbs_cursor_skip_form(struct rbs_cursor *cursor, uint64_t form, uint8_t address_size);

#endif
