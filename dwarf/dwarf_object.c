/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_object.h"

#include <elf.h>
#include <string.h>

static const char *const section_names[RBS_DEBUG_SECTIONS] = {
	[RBS_DEBUG_NULL] = "",
	[RBS_DEBUG_INFO] = ".debug_info",
	[RBS_DEBUG_ABBREV] = ".debug_abbrev",
	[RBS_DEBUG_STR] = ".debug_str",
	[RBS_DEBUG_LINE_STR] = ".debug_line_str",
	[RBS_DEBUG_STR_OFFSETS] = ".debug_str_offsets",
	[RBS_DEBUG_ADDR] = ".debug_addr",
};

static uint64_t section_size(const struct rbs_dwarf_object *object, uint64_t index)
{
	const struct rbs_elf_section *section = object->sections[index];

	if (object->whole)
		return index == RBS_DEBUG_INFO ? object->size : section_size(object->whole, index);
	return section ? rbs_elf_loaded_size(&object->elf, section) : 0;
}

enum rbs_code rbs_dwarf_object_section(struct rbs_dwarf_object *object,
				       enum rbs_dwarf_section section, const unsigned char **bytes,
				       size_t *size, struct rbs_error *err)
{
	struct rbs_elf_contents *contents = &object->contents[section];

	if (object->whole) {
		enum rbs_code code =
			rbs_dwarf_object_section(object->whole, section, bytes, size, err);

		if (code == RBS_OK && section == RBS_DEBUG_INFO) {
			*bytes += object->start;
			*size = object->size;
		}
		return code;
	}
	if (!contents->bytes && object->sections[section]) {
		enum rbs_code code =
			rbs_elf_load(&object->elf, object->sections[section], contents, err);

		if (code)
			return code;
	}
	*bytes = contents->bytes;
	*size = contents->size;
	return RBS_OK;
}

/* libdwarf's calls. The object is the struct rbs_dwarf_object. */

static int load_section(void *opaque, uint64_t index, Dwarf_Small **data, int *error)
{
	struct rbs_dwarf_object *object = opaque;
	const unsigned char *bytes;
	size_t size;

	if (index >= RBS_DEBUG_SECTIONS)
		return DW_DLV_NO_ENTRY;
	if (rbs_dwarf_object_section(object, (enum rbs_dwarf_section)index, &bytes, &size,
				     &object->failure)) {
		*error = DW_DLE_SECTION_ERROR;
		return DW_DLV_ERROR;
	}
	if (!size)
		return DW_DLV_NO_ENTRY;
	/* libdwarf takes it as writable, and does not write when there is nothing to relocate. */
	*data = (Dwarf_Small *)(uintptr_t)bytes;
	return DW_DLV_OK;
}

static Dwarf_Small get_length_size(void *opaque)
{
	(void)opaque;
	return 4;
}

static Dwarf_Small get_pointer_size(void *opaque)
{
	const struct rbs_dwarf_object *object = opaque;

	return object->elf.is_64 ? 8 : 4;
}

static Dwarf_Unsigned get_section_count(void *opaque)
{
	(void)opaque;
	return RBS_DEBUG_SECTIONS;
}

#ifdef DW_LIBDWARF_VERSION

static int get_section_info(void *opaque, Dwarf_Unsigned index, Dwarf_Obj_Access_Section_a *section,
			    int *error)
{
	(void)error;
	if (index >= RBS_DEBUG_SECTIONS)
		return DW_DLV_NO_ENTRY;
	memset(section, 0, sizeof(*section));
	section->as_name = section_names[index];
	section->as_type = index ? SHT_PROGBITS : SHT_NULL;
	section->as_size = section_size(opaque, index);
	return DW_DLV_OK;
}

static int load_section_by_number(void *opaque, Dwarf_Unsigned index, Dwarf_Small **data,
				  int *error)
{
	return load_section(opaque, index, data, error);
}

static Dwarf_Small get_byte_order(void *opaque)
{
	const struct rbs_dwarf_object *object = opaque;

	return object->elf.byte_order == RBS_BIG_ENDIAN ? DW_END_big : DW_END_little;
}

/* libdwarf takes no section for larger than the file: count them as they are when unpacked. */
static Dwarf_Unsigned get_file_size(void *opaque)
{
	const struct rbs_dwarf_object *object = opaque;
	uint64_t size = object->whole ? object->whole->file.size : object->file.size;

	for (unsigned i = 0; i < RBS_DEBUG_SECTIONS; i++)
		size += section_size(object, i);
	return size;
}

static const Dwarf_Obj_Access_Methods_a methods = {
	.om_get_section_info = get_section_info,
	.om_get_byte_order = get_byte_order,
	.om_get_length_size = get_length_size,
	.om_get_pointer_size = get_pointer_size,
	.om_get_filesize = get_file_size,
	.om_get_section_count = get_section_count,
	.om_load_section = load_section_by_number,
};

static void set_interface(struct rbs_dwarf_object *object)
{
	object->interface.ai_object = object;
	object->interface.ai_methods = &methods;
}

static void finish(Dwarf_Debug debug)
{
	dwarf_object_finish(debug);
}

#else

static int get_section_info(void *opaque, Dwarf_Half index, Dwarf_Obj_Access_Section *section,
			    int *error)
{
	(void)error;
	if (index >= RBS_DEBUG_SECTIONS)
		return DW_DLV_NO_ENTRY;
	memset(section, 0, sizeof(*section));
	section->name = section_names[index];
	section->type = index ? SHT_PROGBITS : SHT_NULL;
	section->size = section_size(opaque, index);
	return DW_DLV_OK;
}

static int load_section_by_number(void *opaque, Dwarf_Half index, Dwarf_Small **data, int *error)
{
	return load_section(opaque, index, data, error);
}

static Dwarf_Endianness get_byte_order(void *opaque)
{
	const struct rbs_dwarf_object *object = opaque;

	return object->elf.byte_order == RBS_BIG_ENDIAN ? DW_OBJECT_MSB : DW_OBJECT_LSB;
}

static const Dwarf_Obj_Access_Methods methods = {
	.get_section_info = get_section_info,
	.get_byte_order = get_byte_order,
	.get_length_size = get_length_size,
	.get_pointer_size = get_pointer_size,
	.get_section_count = get_section_count,
	.load_section = load_section_by_number,
};

static void set_interface(struct rbs_dwarf_object *object)
{
	object->interface.object = object;
	object->interface.methods = &methods;
}

static void finish(Dwarf_Debug debug)
{
	Dwarf_Error error = NULL;

	dwarf_object_finish(debug, &error);
}

#endif

void rbs_dwarf_forget(struct rbs_dwarf_object *object, Dwarf_Error error)
{
	if (error)
		dwarf_dealloc(object->debug, error, DW_DLA_ERROR);
}

enum rbs_code rbs_dwarf_error(struct rbs_dwarf_object *object, Dwarf_Error error,
			      const char *action, struct rbs_error *err)
{
	enum rbs_code code = object->failure.code;

	if (code) {
		rbs_error_give(err, &object->failure);
	} else {
		code = rbs_error_set(err, RBS_CORRUPT, "%s: %s", action,
				     error ? dwarf_errmsg(error) : "libdwarf found nothing");
	}
	rbs_dwarf_forget(object, error);
	return code;
}

static enum rbs_code open_dwarf(struct rbs_dwarf_object *object, struct rbs_error *err)
{
	Dwarf_Error error = NULL;

	set_interface(object);
	if (dwarf_object_init_b(&object->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &object->debug,
				&error) == DW_DLV_OK)
		return RBS_OK;
	object->debug = NULL;
	return rbs_dwarf_error(object, error, "opening its DWARF", err);
}

static enum rbs_code open_elf(struct rbs_dwarf_object *object, struct rbs_error *err)
{
	enum rbs_code code;

	code = rbs_elf_init(&object->elf, object->file.bytes, object->file.size, err);
	if (code)
		return code;
	object->elf.file = &object->file;
	for (unsigned i = 1; i < RBS_DEBUG_SECTIONS; i++)
		object->sections[i] = rbs_elf_find(&object->elf, section_names[i]);
	if (!object->sections[RBS_DEBUG_INFO] ||
	    object->sections[RBS_DEBUG_INFO]->type == SHT_NOBITS)
		return rbs_error_set(err, RBS_NO_TYPES, "no DWARF in it (it is stripped)");
	return open_dwarf(object, err);
}

enum rbs_code rbs_dwarf_object_view(struct rbs_dwarf_object *view, struct rbs_dwarf_object *whole,
				    uint64_t start, uint64_t size, struct rbs_error *err)
{
	*view = (struct rbs_dwarf_object){.whole = whole, .start = start, .size = size};
	/* What the calls ask of the file as such. */
	view->elf.is_64 = whole->elf.is_64;
	view->elf.byte_order = whole->elf.byte_order;
	return open_dwarf(view, err);
}

enum rbs_code rbs_dwarf_object_open(struct rbs_dwarf_object *object, const char *path,
				    struct rbs_error *err)
{
	enum rbs_code code;

	memset(object, 0, sizeof(*object));
	code = rbs_debug_file_open(path, &object->file, err);
	if (code)
		return code;
	code = open_elf(object, err);
	if (code) {
		rbs_dwarf_object_close(object);
		rbs_error_prefix(err, "%s", path);
	}
	return code;
}

void rbs_dwarf_object_close(struct rbs_dwarf_object *object)
{
	if (object->debug)
		finish(object->debug);
	for (unsigned i = 0; i < RBS_DEBUG_SECTIONS; i++)
		rbs_elf_unload(&object->contents[i]);
	rbs_elf_deinit(&object->elf);
	rbs_debug_file_close(&object->file);
	memset(object, 0, sizeof(*object));
}
