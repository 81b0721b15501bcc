/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_units.h"

#include <stdlib.h>
#include <string.h>

#include "lib/modules.h"

/* Where a name's bytes are in .debug_str: seldom more than two. */
#define STRING_LIMIT 16
#define BEST_SCORE 3
#define RELEASE_INTERVAL 64 /* units; of some 80 KB each */

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
	unit->die = offset;
	unit->name = name ? name : "";
	rbs_die_free(object, die);
	return RBS_OK;
}

enum rbs_code rbs_dwarf_units_init(struct rbs_dwarf_units *units, struct rbs_dwarf_object *object,
				   struct rbs_error *err)
{
	struct rbs_dwarf_unit unit = {.end = 0};
	enum rbs_code code = RBS_OK;

	memset(units, 0, sizeof(*units));
	units->object = object;
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
		unit.start = unit.end;
		unit.end = next;
		if (ret != DW_DLV_OK || unit.end <= unit.start)
			code = rbs_dwarf_error(object, error, "reading the units of its DWARF",
					       &units->trouble);
		else
			code = read_unit(object, &unit, &units->trouble);
		if (!code)
			code = add_unit(units, &unit, &units->trouble);
		if (units->count % RELEASE_INTERVAL == 0)
			rbs_debug_file_release(&object->file);
	}
	if (units->count && code != RBS_NOMEM)
		return RBS_OK;
	if (err)
		*err = units->trouble;
	rbs_dwarf_units_deinit(units);
	return code;
}

void rbs_dwarf_units_deinit(struct rbs_dwarf_units *units)
{
	free(units->units);
	units->units = NULL;
	units->count = 0;
	units->capacity = 0;
}

/*
 * Where to look for modules of several source files that do not bear the module's name, and for
 * structures that are mentioned everywhere but defined in a private header.
 */
static const struct {
	const char *name; /* of a module or a structure */
	const char *folder;
} folders[] = {
	{"hv_vmbus", "drivers/hv/"},	     {"virtio", "drivers/virtio/"},
	{"device_private", "drivers/base/"}, {"driver_private", "drivers/base/"},
	{"subsys_private", "drivers/base/"},
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

/* Tells which units can contain a name, without parsing them. */
struct filter {
	enum rbs_byte_order byte_order;
	const unsigned char *info;
	size_t info_size;
	const char *name;
	size_t name_size; /* with its NUL */
	uint64_t strings[STRING_LIMIT];
	size_t string_count;
	bool may_be_inline;
	bool pass_all; /* nothing can be ruled out */
};

static enum rbs_code filter_init(struct filter *filter, struct rbs_dwarf_object *object,
				 const char *name, struct rbs_error *err)
{
	const unsigned char *strings = NULL, *at;
	size_t size = 0;
	enum rbs_code code;

	memset(filter, 0, sizeof(*filter));
	filter->byte_order = object->elf.byte_order;
	filter->name = name;
	filter->name_size = strlen(name) + 1;
	code = rbs_dwarf_object_section(object, RBS_DEBUG_INFO, &filter->info, &filter->info_size,
					err);
	if (!code)
		code = rbs_dwarf_object_section(object, RBS_DEBUG_STR, &strings, &size, err);
	/* Through .debug_str_offsets (clang), units name strings by small numbers. */
	filter->pass_all = object->sections[RBS_DEBUG_STR_OFFSETS] != NULL;
	/*
	 * gcc puts a string into the unit only when it is no longer than a reference to it, or when
	 * strings are not merged (dwarf2out.cc, find_string_form()).
	 */
	filter->may_be_inline = filter->name_size <= 4 || !size;
	at = strings;
	while (!code && at && !filter->pass_all) {
		at = memmem(at, size - (size_t)(at - strings), name, filter->name_size);
		if (!at)
			break;
		if (filter->string_count == STRING_LIMIT)
			filter->pass_all = true;
		else
			filter->strings[filter->string_count++] = (uint64_t)(at - strings);
		at++;
	}
	return code;
}

static bool filter_passes(const struct filter *filter, const struct rbs_dwarf_unit *unit)
{
	const unsigned char *bytes = filter->info + unit->start;
	size_t size = unit->end - unit->start;

	if (filter->pass_all || unit->end > filter->info_size)
		return true;
	for (size_t i = 0; i < filter->string_count; i++) {
		unsigned char offset[4];

		for (unsigned b = 0; b < 4; b++)
			offset[filter->byte_order == RBS_BIG_ENDIAN ? 3 - b : b] =
				(unsigned char)(filter->strings[i] >> 8 * b);
		if (memmem(bytes, size, offset, sizeof(offset)))
			return true;
	}
	return filter->may_be_inline && memmem(bytes, size, filter->name, filter->name_size);
}

/* One search; a unit is handed to look(), which answers RBS_NO_TYPES to go on. */
struct search {
	const struct rbs_dwarf_units *units;
	struct rbs_dwarf_types *types;
	enum rbs_dwarf_class wanted;
	const char *name;
	uint64_t offset;
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
	struct rbs_dwarf_object *object = search->units->object;
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
		search->offset = children.offset;
	}
	rbs_children_deinit(&children);
	if (found)
		return RBS_OK;
	if (children.error.code) {
		if (err)
			*err = children.error;
		return children.error.code;
	}
	search->offset = alias;
	return alias && !is_incomplete_alias(object, alias) ? RBS_OK : RBS_NO_TYPES;
}

static enum rbs_code look_for_enumerator(struct search *search, Dwarf_Die unit,
					 struct rbs_error *err)
{
	struct rbs_children children;
	enum rbs_code code = RBS_NO_TYPES;

	rbs_children_init(&children, search->units->object, unit);
	while (code == RBS_NO_TYPES && rbs_children_next(&children)) {
		if (children.tag != DW_TAG_enumeration_type)
			continue;
		code = rbs_dwarf_enumerator(search->types, children.die, search->name,
					    &search->value, err);
		if (code == RBS_NO_MEMBER)
			code = RBS_NO_TYPES;
	}
	rbs_children_deinit(&children);
	if (code == RBS_NO_TYPES && children.error.code) {
		if (err)
			*err = children.error;
		return children.error.code;
	}
	return code;
}

static enum rbs_code look_into(struct search *search, const struct rbs_dwarf_unit *unit,
			       struct rbs_error *err)
{
	struct rbs_dwarf_object *object = search->units->object;
	enum rbs_code code;
	Dwarf_Die die;

	code = rbs_die_at(object, unit->die, &die, err);
	if (code)
		return code;
	code = search->look(search, die, err);
	rbs_die_free(object, die);
	return code;
}

static enum rbs_code run_search(struct search *search, const char *module, const char *type,
				struct rbs_error *err)
{
	const struct rbs_dwarf_units *units = search->units;
	/* A damaged unit costs only itself, unless the name is found nowhere else. */
	struct rbs_error trouble = units->trouble;
	struct filter filter;
	enum rbs_code code = filter_init(&filter, units->object, search->name, err);

	if (code)
		return code;
	for (unsigned score = BEST_SCORE + 1; score-- > 0;) {
		for (size_t i = 0; i < units->count; i++) {
			const struct rbs_dwarf_unit *unit = &units->units[i];
			struct rbs_error unit_err = {.code = RBS_OK};

			if (i % RELEASE_INTERVAL == 0)
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
	if (err)
		*err = trouble;
	return trouble.code;
}

enum rbs_code rbs_dwarf_units_find(const struct rbs_dwarf_units *units, const char *module,
				   enum rbs_dwarf_class wanted, const char *name, uint64_t *offset,
				   struct rbs_error *err)
{
	struct search search = {
		.units = units, .wanted = wanted, .name = name, .look = look_for_type};
	enum rbs_code code = run_search(&search, module, name, err);

	*offset = search.offset;
	return code;
}

enum rbs_code rbs_dwarf_units_find_enumerator(const struct rbs_dwarf_units *units,
					      struct rbs_dwarf_types *types, const char *module,
					      const char *name, int64_t *value,
					      struct rbs_error *err)
{
	struct search search = {
		.units = units, .types = types, .name = name, .look = look_for_enumerator};
	enum rbs_code code = run_search(&search, module, NULL, err);

	*value = search.value;
	return code;
}
