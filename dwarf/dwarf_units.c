/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_units.h"

#include <stdlib.h>
#include <string.h>

static enum rbs_code add_unit(struct rbs_dwarf_units *units, const struct rbs_dwarf_unit *unit,
			      struct rbs_error *err)
{
	if (units->count == RBS_UNIT_LIMIT)
		return rbs_error_set(err, RBS_LIMIT, "more than %u units of DWARF", RBS_UNIT_LIMIT);
	if (units->count == units->capacity) {
		size_t capacity = units->capacity ? 2 * units->capacity : 64;
		void *grown = realloc(units->units, capacity * sizeof(*unit));

		if (!grown)
			return rbs_error_set(err, RBS_NOMEM, "out of memory for units of DWARF");
		units->units = grown;
		units->capacity = capacity;
	}
	units->units[units->count++] = *unit;
	return RBS_OK;
}

/* Read the unit's entry, which libdwarf gives right after its header, into unit. */
static enum rbs_code read_unit(struct rbs_dwarf_object *object, struct rbs_dwarf_unit *unit,
			       struct rbs_error *err)
{
	Dwarf_Error error = NULL;
	Dwarf_Die die = NULL;
	Dwarf_Off offset = 0;
	const char *name;

	if (dwarf_siblingof_b(object->debug, NULL, 1, &die, &error) != DW_DLV_OK ||
	    dwarf_dieoffset(die, &offset, &error) != DW_DLV_OK) {
		rbs_die_free(object, die);
		return rbs_dwarf_error(object, error, "reading a unit of its DWARF", err);
	}
	name = rbs_die_name(object, die);
	unit->header.die = offset;
	unit->name = name ? name : "";
	rbs_die_free(object, die);
	return RBS_OK;
}

/* Without libdwarf, as far as all units are of a kind that is understood; else none is kept. */
static bool scan_units(struct rbs_dwarf_units *units)
{
	struct rbs_dwarf_unit unit = {.is_scanned = true};
	uint64_t next = 0;

	while (next < units->scan.info.size) {
		if (!rbs_dwarf_scan_header(&units->scan, next, &unit.header))
			break;
		unit.name = rbs_dwarf_scan_name(&units->scan, &unit.header);
		if (!unit.name || add_unit(units, &unit, NULL))
			break;
		next = unit.header.end;
		if (units->count % RBS_UNIT_RELEASE == 0)
			rbs_debug_file_release(&units->object->file);
	}
	if (next < units->scan.info.size)
		units->count = 0;
	return units->count;
}

static enum rbs_code read_units(struct rbs_dwarf_units *units, struct rbs_error *err)
{
	struct rbs_dwarf_object *object = units->object;
	struct rbs_dwarf_unit unit = {.is_scanned = false};
	enum rbs_code code = RBS_OK;

	while (!code) {
		Dwarf_Unsigned length, type_offset, next;
		Dwarf_Half version, address_size, length_size, extension_size, type;
		Dwarf_Error error = NULL;
		Dwarf_Off abbreviations;
		Dwarf_Sig8 signature;
		int ret;

		ret = dwarf_next_cu_header_d(object->debug, 1, &length, &version, &abbreviations,
					     &address_size, &length_size, &extension_size,
					     &signature, &type_offset, &next, &type, &error);
		if (ret == DW_DLV_NO_ENTRY)
			return RBS_OK;
		unit.header.start = unit.header.end;
		unit.header.end = next;
		if (ret != DW_DLV_OK || unit.header.end <= unit.header.start)
			code = rbs_dwarf_error(object, error, "reading the units of its DWARF",
					       &units->trouble);
		else
			code = read_unit(object, &unit, &units->trouble);
		if (!code)
			code = add_unit(units, &unit, &units->trouble);
		if (units->count % RBS_UNIT_RELEASE == 0)
			rbs_debug_file_release(&object->file);
	}
	if (units->count && code != RBS_NOMEM)
		return RBS_OK;
	rbs_error_give(err, &units->trouble);
	return code;
}

static enum rbs_code section_get(struct rbs_dwarf_units *units, enum rbs_dwarf_section section,
				 struct rbs_dwarf_bytes *bytes, struct rbs_error *err)
{
	return rbs_dwarf_object_section(units->object, section, &bytes->bytes, &bytes->size, err);
}

enum rbs_code rbs_dwarf_units_init(struct rbs_dwarf_units *units, struct rbs_dwarf_object *object,
				   struct rbs_error *err)
{
	struct rbs_dwarf_scan *scan = &units->scan;
	enum rbs_code code;

	memset(units, 0, sizeof(*units));
	units->object = object;
	rbs_dwarf_types_init(&units->types, object);
	scan->byte_order = object->elf.byte_order;
	code = section_get(units, RBS_DEBUG_INFO, &scan->info, err);
	if (!code)
		code = section_get(units, RBS_DEBUG_ABBREV, &scan->abbrev, err);
	if (!code)
		code = section_get(units, RBS_DEBUG_STR, &scan->str, err);
	if (!code)
		code = section_get(units, RBS_DEBUG_LINE_STR, &scan->line_str, err);
	if (!code && !scan_units(units))
		code = read_units(units, err);
	if (code)
		rbs_dwarf_units_deinit(units);
	return code;
}

void rbs_dwarf_units_deinit(struct rbs_dwarf_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		struct rbs_dwarf_view *view = units->units[i].view;

		if (!view)
			continue;
		rbs_dwarf_types_deinit(&view->types);
		rbs_dwarf_object_close(&view->object);
		free(view);
	}
	rbs_dwarf_types_deinit(&units->types);
	rbs_dwarf_scan_deinit(&units->scan);
	free(units->units);
	units->units = NULL;
	units->count = 0;
	units->capacity = 0;
}

/* Best effort: without a view it takes longer. */
static void view_open(struct rbs_dwarf_units *units, struct rbs_dwarf_unit *unit)
{
	const struct rbs_dwarf_header *header = &unit->header;
	struct rbs_dwarf_view *view;

	if (unit->view || !unit->is_scanned || !rbs_dwarf_scan_stands_alone(&units->scan, header))
		return;
	view = malloc(sizeof(*view));
	if (!view)
		return;
	if (rbs_dwarf_object_view(&view->object, units->object, header->start,
				  header->end - header->start, NULL)) {
		free(view);
		return;
	}
	rbs_dwarf_types_init(&view->types, &view->object);
	unit->view = view;
}

struct rbs_dwarf_place rbs_dwarf_unit_entry(struct rbs_dwarf_units *units,
					    struct rbs_dwarf_unit *unit)
{
	view_open(units, unit);
	return (struct rbs_dwarf_place){
		.types = unit->view ? &unit->view->types : &units->types,
		.offset = unit->header.die - (unit->view ? unit->header.start : 0),
	};
}
