/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_scan.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_cursor.h"
#include "dwarf/dwarf_object.h"

/* gcc numbers abbreviations from 1 without gaps; its largest unit has some 300. */
#define CODE_LIMIT 65536
#define CODE_BYTES 3 /* of a code below the limit */
#define ATTRIBUTE_LIMIT 256
#define SIZE_VARIES UINT32_MAX

struct rbs_abbrev_attribute {
	uint16_t attribute;
	uint16_t form;
};

struct rbs_abbrev {
	bool exists;
	bool has_children;
	bool is_declaration;
	uint16_t tag;
	uint16_t name_form; /* of the first attribute when that is the name; else 0 */
	uint32_t first;	    /* of its attributes */
	uint32_t count;
	/* Nearly all entries are of one size: bytes after the code, and where the sibling is told.
	 */
	uint32_t size;	  /* SIZE_VARIES: it must be walked over */
	uint32_t sibling; /* SIZE_VARIES: it is not told, or there is more before it */
};

bool rbs_dwarf_scan_header(const struct rbs_dwarf_scan *scan, uint64_t start,
			   struct rbs_dwarf_header *header)
{
	struct rbs_cursor cursor = rbs_cursor_at(&scan->info, scan->byte_order, start);
	uint64_t length = rbs_cursor_number(&cursor, 4);
	uint64_t type = DW_UT_compile;

	/* From 0xfffffff0 on they are no lengths: 64-bit DWARF. */
	if (cursor.failed || length >= 0xfffffff0 || length > scan->info.size - cursor.at)
		return false;
	header->start = start;
	header->end = cursor.at + length;
	header->version = (uint8_t)rbs_cursor_number(&cursor, 2);
	if (header->version >= 5) {
		type = rbs_cursor_number(&cursor, 1);
		header->address_size = (uint8_t)rbs_cursor_number(&cursor, 1);
		header->abbrev = rbs_cursor_number(&cursor, 4);
	} else {
		header->abbrev = rbs_cursor_number(&cursor, 4);
		header->address_size = (uint8_t)rbs_cursor_number(&cursor, 1);
	}
	header->die = cursor.at;
	return !cursor.failed && header->die < header->end && header->version >= 2 &&
	       header->version <= 5 && (type == DW_UT_compile || type == DW_UT_partial);
}

/* The next attribute of an abbreviation; false at its end. */
static bool take_attribute(struct rbs_cursor *abbrev, uint64_t *attribute, uint64_t *form)
{
	*attribute = rbs_cursor_leb(abbrev);
	*form = rbs_cursor_leb(abbrev);
	if (*form == DW_FORM_implicit_const)
		rbs_cursor_leb(abbrev);
	return !abbrev->failed && (*attribute || *form);
}

static const char *string_at(const struct rbs_dwarf_bytes *section, uint64_t offset)
{
	if (offset >= section->size ||
	    !memchr(section->bytes + offset, '\0', section->size - offset))
		return NULL;
	return (const char *)section->bytes + offset;
}

/* Move to the attributes of an abbreviation; false when the table does not have it. */
static bool abbrev_find(struct rbs_cursor *abbrev, uint64_t wanted)
{
	uint64_t attribute, form, code;

	while ((code = rbs_cursor_leb(abbrev)) && !abbrev->failed) {
		rbs_cursor_leb(abbrev);	      /* the tag */
		rbs_cursor_number(abbrev, 1); /* whether it has children */
		if (code == wanted)
			return true;
		while (take_attribute(abbrev, &attribute, &form))
			;
	}
	return false;
}

const char *rbs_dwarf_scan_name(const struct rbs_dwarf_scan *scan,
				const struct rbs_dwarf_header *header)
{
	struct rbs_cursor abbrev = rbs_cursor_at(&scan->abbrev, scan->byte_order, header->abbrev);
	struct rbs_cursor die = rbs_cursor_at(&scan->info, scan->byte_order, header->die);
	uint64_t attribute, form;

	if (!abbrev_find(&abbrev, rbs_cursor_leb(&die)))
		return NULL;
	for (unsigned i = 0; i < ATTRIBUTE_LIMIT; i++) {
		if (!take_attribute(&abbrev, &attribute, &form) || die.failed)
			return NULL;
		if (attribute != DW_AT_name) {
			rbs_cursor_skip_form(&die, form, header->address_size);
			continue;
		}
		if (form == DW_FORM_string)
			return string_at(&scan->info, die.at);
		if (form == DW_FORM_strp)
			return string_at(&scan->str, rbs_cursor_number(&die, 4));
		return form == DW_FORM_line_strp
			       ? string_at(&scan->line_str, rbs_cursor_number(&die, 4))
			       : NULL;
	}
	return NULL;
}

static bool is_wanted(uint64_t tag, bool for_enumerator)
{
	if (for_enumerator)
		return tag == DW_TAG_enumerator;
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_typedef;
}

static bool array_grow(void **array, size_t *capacity, size_t count, size_t size)
{
	size_t grown = *capacity ? *capacity : 256;
	void *moved;

	while (grown < count)
		grown *= 2;
	if (grown == *capacity)
		return true;
	moved = reallocarray(*array, grown, size);
	if (!moved)
		return false;
	*array = moved;
	*capacity = grown;
	return true;
}

static bool attribute_add(struct rbs_dwarf_scan *scan, uint64_t attribute, uint64_t form)
{
	if (attribute > UINT16_MAX || form > UINT16_MAX ||
	    !array_grow((void **)&scan->attributes, &scan->attribute_capacity,
			scan->attribute_count + 1, sizeof(*scan->attributes)))
		return false;
	scan->attributes[scan->attribute_count++] = (struct rbs_abbrev_attribute){
		.attribute = (uint16_t)attribute, .form = (uint16_t)form};
	return true;
}

static bool table_add(struct rbs_dwarf_scan *scan, uint64_t code, const struct rbs_abbrev *entry)
{
	if (code >= CODE_LIMIT || !array_grow((void **)&scan->table, &scan->table_capacity,
					      code + 1, sizeof(*scan->table)))
		return false;
	while (scan->table_size <= code)
		scan->table[scan->table_size++] = (struct rbs_abbrev){.exists = false};
	scan->table[code] = *entry;
	return true;
}

/* Count an attribute into the size of its entry. */
static void entry_measure(struct rbs_abbrev *entry, const struct rbs_dwarf_header *header,
			  uint64_t attribute, uint64_t form)
{
	size_t size = rbs_form_size(form, header->address_size);

	if (attribute == DW_AT_sibling && form == DW_FORM_ref4)
		entry->sibling = entry->size;
	if (entry->size != SIZE_VARIES)
		entry->size = size == RBS_FORM_UNKNOWN ? SIZE_VARIES : entry->size + (uint32_t)size;
}

/* One abbreviation; false at the table's end, or where it cannot be understood. */
static bool table_take(struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header,
		       struct rbs_cursor *abbrev)
{
	uint64_t code = rbs_cursor_leb(abbrev), tag = code ? rbs_cursor_leb(abbrev) : 0, attribute,
		 form;
	struct rbs_abbrev entry = {
		.exists = true, .sibling = SIZE_VARIES, .first = (uint32_t)scan->attribute_count};
	bool is_named = is_wanted(tag, false) || is_wanted(tag, true);

	if (!code || abbrev->failed)
		return false;
	entry.tag = (uint16_t)tag;
	entry.has_children = rbs_cursor_number(abbrev, 1);
	while (take_attribute(abbrev, &attribute, &form)) {
		entry_measure(&entry, header, attribute, form);
		if (attribute == DW_AT_declaration)
			entry.is_declaration = true;
		if (attribute == DW_AT_name && !entry.count)
			entry.name_form = (uint16_t)form;
		/* A name that comes later, or by another way, cannot be told from its bytes. */
		if (entry.count++ == ATTRIBUTE_LIMIT ||
		    (attribute == DW_AT_name && is_named && !entry.name_form) ||
		    !attribute_add(scan, attribute, form))
			abbrev->failed = true;
	}
	if (is_named && entry.name_form && entry.name_form != DW_FORM_strp &&
	    entry.name_form != DW_FORM_string)
		abbrev->failed = true;
	if (!abbrev->failed && !table_add(scan, code, &entry))
		abbrev->failed = true;
	return !abbrev->failed;
}

static void table_ready(struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header)
{
	struct rbs_cursor abbrev = rbs_cursor_at(&scan->abbrev, scan->byte_order, header->abbrev);

	if (scan->table_valid && scan->table_offset == header->abbrev &&
	    scan->table_address_size == header->address_size)
		return;
	scan->table_address_size = header->address_size;
	scan->table_offset = header->abbrev;
	scan->table_valid = true;
	scan->table_size = 0;
	scan->attribute_count = 0;
	while (table_take(scan, header, &abbrev))
		;
	scan->table_decides = !abbrev.failed;
}

static const struct rbs_abbrev *table_find(const struct rbs_dwarf_scan *scan, uint64_t code)
{
	return code < scan->table_size && scan->table[code].exists ? &scan->table[code] : NULL;
}

/* Step over an entry and, when it says where its sibling is, over what is inside of it. */
static void skip_entry(const struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header,
		       struct rbs_cursor *cursor, const struct rbs_abbrev *abbrev, bool *inside)
{
	uint64_t sibling = 0, start = cursor->at;
	bool is_fixed = abbrev->size != SIZE_VARIES;

	if (is_fixed && abbrev->sibling != SIZE_VARIES) {
		cursor->at += abbrev->sibling;
		sibling = header->start + rbs_cursor_number(cursor, 4);
	}
	if (is_fixed) {
		cursor->at = start;
		rbs_cursor_skip(cursor, abbrev->size);
	}
	for (uint32_t i = 0; !is_fixed && i < abbrev->count && !cursor->failed; i++) {
		const struct rbs_abbrev_attribute *attribute = &scan->attributes[abbrev->first + i];

		if (attribute->attribute == DW_AT_sibling && attribute->form == DW_FORM_ref4)
			sibling = header->start + rbs_cursor_number(cursor, 4);
		else
			rbs_cursor_skip_form(cursor, attribute->form, header->address_size);
	}
	*inside = abbrev->has_children && !sibling;
	if (!abbrev->has_children || !sibling)
		return;
	if (sibling > cursor->at && sibling <= header->end)
		cursor->at = sibling;
	else
		cursor->failed = true;
}

bool rbs_dwarf_scan_stands_alone(struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header)
{
	table_ready(scan, header);
	for (size_t i = 0; i < scan->attribute_count; i++) {
		uint16_t form = scan->attributes[i].form;

		/* Forms beyond those of DWARF 5 are GNU's for supplementary files. */
		if (form == DW_FORM_ref_addr || form == DW_FORM_ref_sig8 ||
		    form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8 ||
		    form == DW_FORM_indirect || form > DW_FORM_addrx4)
			return false;
	}
	return scan->table_decides;
}

/* The unit's own children, one after the other; not what is inside of them. */
struct children {
	const struct rbs_dwarf_scan *scan;
	const struct rbs_dwarf_header *header;
	struct rbs_cursor cursor;
	uint64_t depth;
	uint64_t entry; /* where the child begins */
	uint64_t first; /* its first attribute */
	const struct rbs_abbrev *abbrev;
};

static void children_init(struct children *children, const struct rbs_dwarf_scan *scan,
			  const struct rbs_dwarf_header *header)
{
	struct rbs_cursor cursor = rbs_cursor_at(&scan->info, scan->byte_order, header->die);
	const struct rbs_abbrev *abbrev = table_find(scan, rbs_cursor_leb(&cursor));

	if (!abbrev || !abbrev->has_children)
		cursor.failed = true;
	/* The unit itself: its sibling, if it names one, is the next unit. */
	for (uint32_t i = 0; abbrev && i < abbrev->count; i++)
		rbs_cursor_skip_form(&cursor, scan->attributes[abbrev->first + i].form,
				     header->address_size);
	*children = (struct children){.scan = scan, .header = header, .cursor = cursor};
}

/* False at the end, and where an entry cannot be understood (cursor.failed). */
static bool children_next(struct children *children)
{
	struct rbs_cursor *cursor = &children->cursor;
	bool inside, is_child = false;

	while (!is_child && !cursor->failed && cursor->at < children->header->end) {
		uint64_t entry = cursor->at, code = rbs_cursor_leb(cursor);

		if (!code && !children->depth--)
			return false;
		if (!code)
			continue;
		is_child = !children->depth;
		children->entry = entry;
		children->first = cursor->at;
		children->abbrev = table_find(children->scan, code);
		if (!children->abbrev) {
			cursor->failed = true;
			return false;
		}
		skip_entry(children->scan, children->header, cursor, children->abbrev, &inside);
		children->depth += inside;
	}
	return is_child && !cursor->failed;
}

/* Whether one of the unit's own children begins at offset wanted; true when that is not clear. */
static bool is_child(const struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header,
		     uint64_t wanted)
{
	struct children children;

	children_init(&children, scan, header);
	while (children_next(&children)) {
		if (children.entry >= wanted)
			return children.entry == wanted;
	}
	return children.cursor.failed;
}

static bool is_named(const struct children *children, const char *name, size_t size)
{
	const struct rbs_dwarf_scan *scan = children->scan;
	struct rbs_cursor cursor = rbs_cursor_at(&scan->info, scan->byte_order, children->first);
	const struct rbs_dwarf_bytes *section = &scan->info;
	uint64_t at = cursor.at;

	if (children->abbrev->name_form == DW_FORM_strp) {
		section = &scan->str;
		at = rbs_cursor_number(&cursor, 4);
	}
	return at <= section->size && size <= section->size - at &&
	       !memcmp(section->bytes + at, name, size);
}

bool rbs_dwarf_scan_may_define_name(struct rbs_dwarf_scan *scan,
				    const struct rbs_dwarf_header *header, const char *name,
				    bool for_enumerator)
{
	size_t size = strlen(name) + 1;
	struct children children;

	table_ready(scan, header);
	if (!scan->table_decides || for_enumerator)
		return true;
	children_init(&children, scan, header);
	while (children_next(&children)) {
		if (is_wanted(children.abbrev->tag, false) && !children.abbrev->is_declaration &&
		    children.abbrev->name_form && is_named(&children, name, size))
			return true;
	}
	return children.cursor.failed;
}

bool rbs_dwarf_scan_may_define(struct rbs_dwarf_scan *scan, const struct rbs_dwarf_header *header,
			       uint64_t at, bool is_inline, bool for_enumerator)
{
	uint64_t form = is_inline ? DW_FORM_string : DW_FORM_strp;

	table_ready(scan, header);
	if (!scan->table_decides)
		return true;
	/* The entry begins with its code, of one byte or more; then comes its first attribute. */
	for (unsigned bytes = 1; bytes <= CODE_BYTES && at >= header->die + bytes; bytes++) {
		struct rbs_cursor entry = rbs_cursor_at(&scan->info, scan->byte_order, at - bytes);
		const struct rbs_abbrev *abbrev = table_find(scan, rbs_cursor_leb(&entry));

		if (entry.at == at && abbrev && is_wanted(abbrev->tag, for_enumerator) &&
		    !abbrev->is_declaration && abbrev->name_form == form &&
		    (for_enumerator || is_child(scan, header, at - bytes)))
			return true;
	}
	return false;
}

void rbs_dwarf_scan_deinit(struct rbs_dwarf_scan *scan)
{
	free(scan->table);
	free(scan->attributes);
	*scan = (struct rbs_dwarf_scan){.table = NULL};
}
