/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_cursor.h"

#include "dwarf/dwarf_object.h"
#include "lib/bytes.h"

struct rbs_cursor rbs_cursor_at(const struct rbs_dwarf_bytes *section,
				enum rbs_byte_order byte_order, uint64_t at)
{
	return (struct rbs_cursor){.section = section, .byte_order = byte_order, .at = at};
}

uint64_t rbs_cursor_number(struct rbs_cursor *cursor, unsigned size)
{
	const unsigned char *bytes = cursor->section->bytes + cursor->at;

	if (cursor->failed || cursor->at > cursor->section->size ||
	    size > cursor->section->size - cursor->at) {
		cursor->failed = true;
		return 0;
	}
	cursor->at += size;
	return rbs_bytes_get(bytes, size, cursor->byte_order == RBS_BIG_ENDIAN);
}

uint64_t rbs_cursor_leb(struct rbs_cursor *cursor)
{
	const struct rbs_dwarf_bytes *section = cursor->section;
	uint64_t value = 0;

	/* Nearly all are of one byte. */
	if (cursor->at < section->size && !(section->bytes[cursor->at] & 0x80) && !cursor->failed)
		return section->bytes[cursor->at++];
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint64_t byte = rbs_cursor_number(cursor, 1);

		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->failed = true;
	return 0;
}

void rbs_cursor_skip(struct rbs_cursor *cursor, uint64_t size)
{
	if (cursor->failed || cursor->at > cursor->section->size ||
	    size > cursor->section->size - cursor->at)
		cursor->failed = true;
	else
		cursor->at += size;
}

size_t rbs_form_size(uint64_t form, uint8_t address_size)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return address_size;
	default:
		return RBS_FORM_UNKNOWN;
	}
}

void rbs_cursor_skip_form(struct rbs_cursor *cursor, uint64_t form, uint8_t address_size)
{
	size_t size = rbs_form_size(form, address_size);

	switch (form) {
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_ref_udata:
		rbs_cursor_leb(cursor);
		break;
	case DW_FORM_exprloc:
	case DW_FORM_block:
		rbs_cursor_skip(cursor, rbs_cursor_leb(cursor));
		break;
	case DW_FORM_block1:
		rbs_cursor_skip(cursor, rbs_cursor_number(cursor, 1));
		break;
	case DW_FORM_block2:
		rbs_cursor_skip(cursor, rbs_cursor_number(cursor, 2));
		break;
	case DW_FORM_block4:
		rbs_cursor_skip(cursor, rbs_cursor_number(cursor, 4));
		break;
	case DW_FORM_string:
		while (rbs_cursor_number(cursor, 1))
			;
		break;
	default:
		if (size == RBS_FORM_UNKNOWN)
			cursor->failed = true;
		else
			rbs_cursor_skip(cursor, size);
	}
}
