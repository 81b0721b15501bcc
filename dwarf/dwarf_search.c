/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for a type in the units of a DWARF file: which to look into, and in what order. */
#include <string.h>

#include "dwarf/dwarf_units.h"
#include "lib/modules.h"

/* Where a name's bytes are in .debug_str: seldom more than two, as the end of other strings. */
#define STRING_LIMIT 16
#define BEST_SCORE 3

/*
 * Where to look for modules of several source files that do not bear the module's name, and for
 * structures that are mentioned everywhere but defined in a private header.
 */
static const struct {
	const char *name; /* of a module or a structure */
	const char *folder;
} folders[] = {
	{"hv_vmbus", "drivers/hv/"},
	{"virtio", "drivers/virtio/"},
	{"device_private", "drivers/base/"},
	{"driver_private", "drivers/base/"},
	{"subsys_private", "drivers/base/"},
	{"module_notes_attrs", "kernel/module"},
	{"slab", "mm/slub"},
	{"kmem_cache", "mm/slub"},
	{"kmem_cache_cpu", "mm/slub"},
	{"maple_node", "lib/maple_tree"},
	{"maple_range_64", "lib/maple_tree"},
	{"maple_arange_64", "lib/maple_tree"},
	{"tracer", "kernel/trace/"},
	{"trace_buffer", "kernel/trace/"},
	{"buffer_page", "kernel/trace/"},
	{"buffer_data_page", "kernel/trace/"},
};

static bool fits_folder(const char *file, const char *name)
{
	for (size_t i = 0; name && i < sizeof(folders) / sizeof(folders[0]); i++)
		if (!strcmp(folders[i].name, name) && strstr(file, folders[i].folder))
			return true;
	return false;
}

unsigned rbs_dwarf_unit_score(const char *file, const char *module, const char *type)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t length = strcspn(base, ".");

	if (module && length == strlen(module) && rbs_module_name_starts(base, module, length))
		return 3;
	if (fits_folder(file, module) || fits_folder(file, type))
		return 2;
	/* ring_buffer.c for ring_buffer_per_cpu */
	if (type && length && rbs_module_name_starts(type, base, length) &&
	    (!type[length] || type[length] == '_'))
		return 1;
	return 0;
}

/* Tells which units can define a name, without parsing them. */
struct filter {
	struct rbs_dwarf_scan *scan;
	const char *name;
	size_t name_size; /* with its NUL */
	uint64_t strings[STRING_LIMIT];
	size_t string_count;
	bool for_enumerator;
	bool pass_all;	   /* nothing can be ruled out */
	bool walk_through; /* the name ends too many strings to look for each */
};

static void filter_init(struct filter *filter, struct rbs_dwarf_units *units, const char *name,
			bool for_enumerator)
{
	const struct rbs_dwarf_bytes *strings = &units->scan.str;
	const unsigned char *at = strings->bytes;

	memset(filter, 0, sizeof(*filter));
	filter->scan = &units->scan;
	filter->name = name;
	filter->for_enumerator = for_enumerator;
	filter->name_size = strlen(name) + 1;
	/* Through .debug_str_offsets (clang), units name strings by small numbers. */
	filter->pass_all = units->object->sections[RBS_DEBUG_STR_OFFSETS] != NULL;
	while (at && !filter->pass_all && !filter->walk_through) {
		at = memmem(at, strings->size - (size_t)(at - strings->bytes), name,
			    filter->name_size);
		if (!at)
			break;
		if (filter->string_count == STRING_LIMIT)
			filter->walk_through = true;
		else
			filter->strings[filter->string_count++] = (uint64_t)(at - strings->bytes);
		at++;
	}
}

/* Whether the unit has the wanted bytes where a definition's name can be. */
static bool defines(const struct filter *filter, const struct rbs_dwarf_unit *unit,
		    const void *wanted, size_t size, bool is_inline)
{
	const unsigned char *info = filter->scan->info.bytes;
	const unsigned char *at = info + unit->header.start, *end = info + unit->header.end;

	while ((at = memmem(at, (size_t)(end - at), wanted, size))) {
		if (!unit->is_scanned ||
		    rbs_dwarf_scan_may_define(filter->scan, &unit->header, (uint64_t)(at - info),
					      is_inline, filter->for_enumerator))
			return true;
		at++;
	}
	return false;
}

/*
 * gcc puts a string into the unit only when it is no longer than a reference to it (8 bytes in the
 * 64-bit DWARF that is not scanned), or when strings are not merged (dwarf2out.cc,
 * find_string_form()).
 */
static bool may_be_inline(const struct filter *filter, const struct rbs_dwarf_unit *unit)
{
	return filter->name_size <= (unit->is_scanned ? 4 : 8) || !filter->scan->str.size;
}

static bool filter_passes(const struct filter *filter, const struct rbs_dwarf_unit *unit)
{
	if (filter->pass_all || unit->header.end > filter->scan->info.size)
		return true;
	if (filter->walk_through)
		return !unit->is_scanned ||
		       rbs_dwarf_scan_may_define_name(filter->scan, &unit->header, filter->name,
						      filter->for_enumerator);
	for (size_t i = 0; i < filter->string_count; i++) {
		unsigned char offset[4];

		for (unsigned b = 0; b < 4; b++)
			offset[filter->scan->byte_order == RBS_BIG_ENDIAN ? 3 - b : b] =
				(unsigned char)(filter->strings[i] >> 8 * b);
		if (defines(filter, unit, offset, sizeof(offset), false))
			return true;
	}
	return may_be_inline(filter, unit) &&
	       defines(filter, unit, filter->name, filter->name_size, true);
}

/* One search; a unit is handed to look(), which answers RBS_NO_TYPES to go on. */
struct search {
	struct rbs_dwarf_units *units;
	enum rbs_dwarf_class wanted;
	bool for_enumerator;
	const char *name;
	struct rbs_dwarf_place place; /* of the unit's entry, then of what was found in it */
	int64_t value;
	enum rbs_code (*look)(struct search *search, Dwarf_Die unit, struct rbs_error *err);
};

static bool is_complete(struct rbs_dwarf_object *object, const struct rbs_children *children,
			const char *wanted)
{
	const char *name = rbs_die_name(object, children->die);

	return name && !strcmp(name, wanted) &&
	       !rbs_die_has(object, children->die, DW_AT_declaration);
}

/* A typedef of a structure that this unit only declares: another unit may define it. */
static bool is_incomplete_alias(struct rbs_dwarf_object *object, uint64_t offset)
{
	bool incomplete = true;
	uint64_t target = 0;
	Dwarf_Die die;

	if (rbs_die_at(object, offset, &die, NULL))
		return true;
	if (rbs_die_type(object, die, &target, NULL))
		target = 0;
	rbs_die_free(object, die);
	if (target && !rbs_die_at(object, target, &die, NULL)) {
		incomplete = rbs_die_has(object, die, DW_AT_declaration);
		rbs_die_free(object, die);
	}
	return incomplete;
}

static enum rbs_code look_for_type(struct search *search, Dwarf_Die unit, struct rbs_error *err)
{
	struct rbs_dwarf_object *object = search->place.types->object;
	struct rbs_children children;
	uint64_t alias = 0;
	bool found = false;

	rbs_children_init(&children, object, unit);
	while (!found && rbs_children_next(&children)) {
		bool is_record = children.tag == DW_TAG_structure_type ||
				 children.tag == DW_TAG_union_type ||
				 children.tag == DW_TAG_class_type;

		if (search->wanted == RBS_DWARF_ENUM)
			found = children.tag == DW_TAG_enumeration_type &&
				is_complete(object, &children, search->name);
		else if (is_record)
			found = is_complete(object, &children, search->name);
		else if (children.tag == DW_TAG_typedef && !alias &&
			 is_complete(object, &children, search->name))
			alias = children.offset;
		search->place.offset = children.offset;
	}
	rbs_children_deinit(&children);
	if (found)
		return RBS_OK;
	if (children.error.code)
		return rbs_error_give(err, &children.error);
	search->place.offset = alias;
	return alias && !is_incomplete_alias(object, alias) ? RBS_OK : RBS_NO_TYPES;
}

static enum rbs_code look_for_enumerator(struct search *search, Dwarf_Die unit,
					 struct rbs_error *err)
{
	struct rbs_children children;
	enum rbs_code code = RBS_NO_TYPES;

	rbs_children_init(&children, search->place.types->object, unit);
	while (code == RBS_NO_TYPES && rbs_children_next(&children)) {
		if (children.tag != DW_TAG_enumeration_type)
			continue;
		code = rbs_dwarf_enumerator(search->place.types, children.die, search->name,
					    &search->value, err);
		if (code == RBS_NO_MEMBER)
			code = RBS_NO_TYPES;
	}
	rbs_children_deinit(&children);
	if (code == RBS_NO_TYPES && children.error.code)
		return rbs_error_give(err, &children.error);
	return code;
}

static enum rbs_code look_into(struct search *search, struct rbs_dwarf_unit *unit,
			       struct rbs_error *err)
{
	struct rbs_dwarf_object *object;
	enum rbs_code code;
	Dwarf_Die die;

	search->place = rbs_dwarf_unit_entry(search->units, unit);
	object = search->place.types->object;
	code = rbs_die_at(object, search->place.offset, &die, err);
	if (code)
		return code;
	code = search->look(search, die, err);
	rbs_die_free(object, die);
	return code;
}

static enum rbs_code run_search(struct search *search, const char *module, const char *type,
				struct rbs_error *err)
{
	struct rbs_dwarf_units *units = search->units;
	/* A damaged unit costs only itself, unless the name is found nowhere else. */
	struct rbs_error trouble = units->trouble;
	struct filter filter;
	enum rbs_code code;

	filter_init(&filter, units, search->name, search->for_enumerator);
	for (unsigned score = BEST_SCORE + 1; score-- > 0;) {
		for (size_t i = 0; i < units->count; i++) {
			struct rbs_dwarf_unit *unit = &units->units[i];
			struct rbs_error unit_err = {.code = RBS_OK};

			if (i % RBS_UNIT_RELEASE == 0)
				rbs_debug_file_release(&units->object->file);
			if (rbs_dwarf_unit_score(unit->name, module, type) != score ||
			    !filter_passes(&filter, unit))
				continue;
			code = look_into(search, unit, &unit_err);
			if (!code)
				return RBS_OK;
			if (code != RBS_NO_TYPES && !trouble.code)
				trouble = unit_err;
		}
	}
	if (!trouble.code)
		return rbs_error_set(err, RBS_NO_TYPES, "none of %zu units of DWARF has %s",
				     units->count, search->name);
	return rbs_error_give(err, &trouble);
}

enum rbs_code rbs_dwarf_units_find(struct rbs_dwarf_units *units, const char *module,
				   enum rbs_dwarf_class wanted, const char *name,
				   struct rbs_dwarf_place *place, struct rbs_error *err)
{
	struct search search = {
		.units = units, .wanted = wanted, .name = name, .look = look_for_type};
	enum rbs_code code = run_search(&search, module, name, err);

	*place = search.place;
	return code;
}

enum rbs_code rbs_dwarf_units_find_enumerator(struct rbs_dwarf_units *units, const char *module,
					      const char *name, int64_t *value,
					      struct rbs_error *err)
{
	struct search search = {
		.units = units, .for_enumerator = true, .name = name, .look = look_for_enumerator};
	enum rbs_code code = run_search(&search, module, NULL, err);

	*value = search.value;
	return code;
}
