/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/modules.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/build_id.h"
#include "lib/layout.h"
#include "lib/walk.h"

#define NOTES_MAX 16	    /* note sections of a module */
#define NOTES_SIZE_MAX 4096 /* bytes of one; a build-id takes 36 */

enum {
	MODULE_LIST,
	MODULE_NAME,
	MODULE_VERSION,
	MODULE_SRCVERSION,
	MODULE_MEM,
	MODULE_TEXT,
	MODULE_KALLSYMS,
	MODULE_SYMTAB,
	MODULE_STRTAB,
	MODULE_NUM_SYMTAB,
	MODULE_BUILD_ID,
	MODULE_NOTES,
	MEM_BASE,
	MEM_SIZE,
	MEM_TYPE_TEXT,
	KALLSYMS_SYMTAB,
	KALLSYMS_STRTAB,
	KALLSYMS_NUM_SYMTAB,
	NOTES_COUNT,
	NOTES_ATTRS,
	NOTES_GROUP,
	ATTRIBUTE_PRIVATE,
	ATTRIBUTE_SIZE,
	ATTRIBUTE_TYPE,
};

static const struct rbs_layout_entry entries[] = {
	[MODULE_LIST] = {"module:list", 0},
	[MODULE_NAME] = {"module:name", 0},
	[MODULE_VERSION] = {"module:version", RBS_OPTIONAL},
	[MODULE_SRCVERSION] = {"module:srcversion", RBS_OPTIONAL},
	/*
	 * 'module: replace module_layout with module_memory' (6.4); 'module: use a structure to
	 * encapsulate layout' (4.5).
	 */
	[MODULE_MEM] = {"module:mem", RBS_OPTIONAL},
	[MODULE_TEXT] = {"module:core_layout.base|module:module_core", RBS_OPTIONAL},
	/* 'modules: fix longstanding /proc/kallsyms vs module insertion race' (4.5). */
	[MODULE_KALLSYMS] = {"module:kallsyms", RBS_OPTIONAL},
	[MODULE_SYMTAB] = {"module:symtab", RBS_OPTIONAL},
	[MODULE_STRTAB] = {"module:strtab", RBS_OPTIONAL},
	[MODULE_NUM_SYMTAB] = {"module:num_symtab", RBS_OPTIONAL},
	/* 'module: add printk formats to add module build ID to stacktraces' (5.14). */
	[MODULE_BUILD_ID] = {"module:build_id", RBS_OPTIONAL},
	[MODULE_NOTES] = {"module:notes_attrs", RBS_OPTIONAL},
	[MEM_BASE] = {"module_memory:base", RBS_OPTIONAL},
	[MEM_SIZE] = {"module_memory", RBS_OPTIONAL | RBS_SIZE},
	[MEM_TYPE_TEXT] = {"mod_mem_type:MOD_TEXT", RBS_OPTIONAL | RBS_ENUMERATOR},
	[KALLSYMS_SYMTAB] = {"mod_kallsyms:symtab", RBS_OPTIONAL},
	[KALLSYMS_STRTAB] = {"mod_kallsyms:strtab", RBS_OPTIONAL},
	[KALLSYMS_NUM_SYMTAB] = {"mod_kallsyms:num_symtab", RBS_OPTIONAL},
	/* 'module: sysfs: Add notes attributes through attribute_group' (6.14). */
	[NOTES_COUNT] = {"module_notes_attrs:notes", RBS_OPTIONAL},
	[NOTES_ATTRS] = {"module_notes_attrs:attrs", RBS_OPTIONAL},
	[NOTES_GROUP] = {"module_notes_attrs:grp.bin_attrs|module_notes_attrs:grp.bin_attrs_new",
			 RBS_OPTIONAL},
	[ATTRIBUTE_PRIVATE] = {"bin_attribute:private", RBS_OPTIONAL},
	[ATTRIBUTE_SIZE] = {"bin_attribute:size", RBS_OPTIONAL},
	[ATTRIBUTE_TYPE] = {"bin_attribute", RBS_OPTIONAL | RBS_SIZE},
};

struct reader {
	struct rbs_modules *modules;
	struct rbs_target *target;
	struct rbs_layout layout;
	size_t capacity;
	/* The first damage that was met. */
	enum rbs_code code;
	struct rbs_error error;
};

/* An optional member: 0 for one that is not there or cannot be read, where 0 means unknown. */
static uint64_t read_or_zero(struct reader *reader, unsigned id, uint64_t base)
{
	struct rbs_value value = rbs_layout_read(&reader->layout, id, reader->target, base);

	return rbs_value_or(&value, 0);
}

/* Empty when there is none; else RBS_OK or why it cannot be read. */
static enum rbs_code read_text(struct reader *reader, unsigned id, uint64_t base, char *buffer,
			       size_t size)
{
	struct rbs_value text = rbs_layout_read(&reader->layout, id, reader->target, base);

	buffer[0] = '\0';
	if (text.code == RBS_NO_MEMBER || text.code == RBS_NO_TYPES)
		return RBS_OK;
	if (rbs_value_ok(&text) && text.number)
		return rbs_target_read_string(reader->target, text.number, buffer, size, NULL);
	return text.code;
}

static void read_text_base(struct reader *reader, struct rbs_module *module)
{
	const struct rbs_layout *layout = &reader->layout;

	if (rbs_layout_has(layout, MODULE_MEM) && rbs_layout_has(layout, MEM_BASE) &&
	    rbs_layout_has(layout, MEM_SIZE)) {
		uint64_t index = (uint64_t)rbs_layout_enumerator(layout, MEM_TYPE_TEXT, 0);

		module->text_base =
			read_or_zero(reader, MEM_BASE,
				     module->address + rbs_layout_offset(layout, MODULE_MEM) +
					     index * rbs_layout_size(layout, MEM_SIZE));
	} else {
		module->text_base = read_or_zero(reader, MODULE_TEXT, module->address);
	}
}

static void read_kallsyms(struct reader *reader, struct rbs_module *module)
{
	const unsigned members[2][3] = {
		{MODULE_SYMTAB, MODULE_STRTAB, MODULE_NUM_SYMTAB},
		{KALLSYMS_SYMTAB, KALLSYMS_STRTAB, KALLSYMS_NUM_SYMTAB},
	};
	bool apart = rbs_layout_has(&reader->layout, MODULE_KALLSYMS);
	struct rbs_value base = rbs_value_of(module->address);
	struct rbs_value found[3];

	if (apart)
		base = rbs_layout_read(&reader->layout, MODULE_KALLSYMS, reader->target,
				       module->address);
	module->symbols_code = base.code;
	for (size_t i = 0; i < 3 && module->symbols_code == RBS_OK; i++) {
		if (!base.number)
			return;
		found[i] = rbs_layout_read(&reader->layout, members[apart][i], reader->target,
					   base.number);
		/* A kernel that keeps none has no such member. */
		if (found[i].code == RBS_NO_MEMBER || (rbs_value_ok(&found[i]) && !found[i].number))
			return;
		module->symbols_code = found[i].code;
	}
	if (module->symbols_code != RBS_OK)
		return;
	module->symtab = found[0].number;
	module->strtab = found[1].number;
	module->symbol_count = found[2].number;
}

/* One note section of the module, as sysfs has it in notes/. */
static bool read_note(struct reader *reader, uint64_t attribute, struct rbs_build_id *id)
{
	uint64_t notes = read_or_zero(reader, ATTRIBUTE_PRIVATE, attribute);
	uint64_t size = read_or_zero(reader, ATTRIBUTE_SIZE, attribute);
	uint8_t bytes[NOTES_SIZE_MAX];

	if (!notes || !size || size > sizeof(bytes))
		return false;
	return rbs_target_read(reader->target, RBS_KERNEL_VIRTUAL, notes, bytes, (size_t)size,
			       NULL) == RBS_OK &&
	       rbs_build_id_from_notes(id, reader->target, bytes, (size_t)size);
}

static void read_notes(struct reader *reader, uint64_t attrs, struct rbs_build_id *id)
{
	const struct rbs_layout *layout = &reader->layout;
	unsigned word = reader->target->info.word_size;

	if (rbs_layout_has(layout, NOTES_GROUP)) {
		uint64_t list = read_or_zero(reader, NOTES_GROUP, attrs);

		for (uint64_t i = 0; list && i < NOTES_MAX; i++) {
			uint64_t attribute;

			if (rbs_target_read_pointer(reader->target, list + i * word, &attribute,
						    NULL) != RBS_OK ||
			    !attribute || read_note(reader, attribute, id))
				return;
		}
	} else if (rbs_layout_has(layout, NOTES_ATTRS) && rbs_layout_has(layout, ATTRIBUTE_TYPE)) {
		uint64_t count = read_or_zero(reader, NOTES_COUNT, attrs);
		uint64_t first = attrs + rbs_layout_offset(layout, NOTES_ATTRS);
		uint64_t size = rbs_layout_size(layout, ATTRIBUTE_TYPE);

		for (uint64_t i = 0; i < count && i < NOTES_MAX; i++)
			if (read_note(reader, first + i * size, id))
				return;
	}
}

static void read_build_id(struct reader *reader, struct rbs_module *module)
{
	const struct rbs_layout *layout = &reader->layout;
	uint64_t size = rbs_layout_size(layout, MODULE_BUILD_ID);
	uint8_t bytes[RBS_BUILD_ID_MAX];
	uint64_t attrs;

	/* CONFIG_STACKTRACE_BUILD_ID keeps a copy; it is all zeros in a module without one. */
	if (size && size <= sizeof(bytes) &&
	    rbs_target_read(reader->target, RBS_KERNEL_VIRTUAL,
			    module->address + rbs_layout_offset(layout, MODULE_BUILD_ID), bytes,
			    (size_t)size, NULL) == RBS_OK) {
		for (size_t i = 0; i < size; i++) {
			if (bytes[i]) {
				module->build_id.size = (uint8_t)size;
				memcpy(module->build_id.bytes, bytes, (size_t)size);
				return;
			}
		}
	}
	attrs = read_or_zero(reader, MODULE_NOTES, module->address);
	if (attrs)
		read_notes(reader, attrs, &module->build_id);
}

static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isgraph((unsigned char)*at))
			return false;
	return *name;
}

static enum rbs_code read_module(struct reader *reader, struct rbs_module *module,
				 struct rbs_error *err)
{
	const struct rbs_layout *layout = &reader->layout;
	size_t size = sizeof(module->name);
	enum rbs_code code;

	if (size > rbs_layout_size(layout, MODULE_NAME))
		size = (size_t)rbs_layout_size(layout, MODULE_NAME);
	code = rbs_target_read_string(reader->target,
				      module->address + rbs_layout_offset(layout, MODULE_NAME),
				      module->name, size, err);
	if (code != RBS_OK) {
		rbs_error_prefix(err, "the name of the module at %" PRIx64, module->address);
		return code;
	}
	if (!is_name(module->name))
		return rbs_error_set_at(err, RBS_CORRUPT, module->address,
					"the module at %" PRIx64 " has no sensible name",
					module->address);
	module->version_code = read_text(reader, MODULE_VERSION, module->address, module->version,
					 sizeof(module->version));
	read_text(reader, MODULE_SRCVERSION, module->address, module->srcversion,
		  sizeof(module->srcversion));
	read_text_base(reader, module);
	read_kallsyms(reader, module);
	read_build_id(reader, module);
	return RBS_OK;
}

static void note_damage(struct reader *reader, enum rbs_code code, const struct rbs_error *error)
{
	if (reader->code == RBS_OK) {
		reader->code = code;
		reader->error = *error;
	}
}

static bool have_module(const struct rbs_modules *modules, uint64_t address)
{
	for (size_t i = 0; i < modules->count; i++)
		if (modules->modules[i].address == address)
			return true;
	return false;
}

/* The module whose list member is at node. A damaged one costs only itself. */
static bool add_module(struct reader *reader, uint64_t node)
{
	struct rbs_modules *modules = reader->modules;
	struct rbs_module module = {
		.address = node - rbs_layout_offset(&reader->layout, MODULE_LIST),
	};
	struct rbs_error error;
	enum rbs_code code;

	if (modules->count == reader->capacity) {
		size_t capacity = reader->capacity ? 2 * reader->capacity : 64;
		void *grown = reallocarray(modules->modules, capacity, sizeof(module));

		if (!grown) {
			rbs_error_set(&error, RBS_NOMEM, "no memory for the list of modules");
			note_damage(reader, RBS_NOMEM, &error);
			return false;
		}
		modules->modules = grown;
		reader->capacity = capacity;
	}
	code = read_module(reader, &module, &error);
	if (code == RBS_OK)
		modules->modules[modules->count++] = module;
	else
		note_damage(reader, code, &error);
	return true;
}

/* Where the list broke going forward, its other end can still be reached from the head. */
static void read_backward(struct reader *reader, uint64_t head)
{
	unsigned word = reader->target->info.word_size;
	uint64_t node = head;

	for (size_t left = RBS_MODULE_LIMIT - reader->modules->count; left > 0; left--) {
		/* struct list_head is next, prev. */
		if (rbs_target_read_pointer(reader->target, node + word, &node, NULL) != RBS_OK)
			return;
		if (!node || node == head ||
		    have_module(reader->modules,
				node - rbs_layout_offset(&reader->layout, MODULE_LIST)))
			return;
		if (!add_module(reader, node))
			return;
	}
}

static void read_list(struct reader *reader, uint64_t head)
{
	struct rbs_list_walk walk;
	uint64_t node;

	rbs_list_walk_init(&walk, reader->target, head, RBS_MODULE_LIMIT);
	while (rbs_list_walk_next(&walk, &node)) {
		/* In a circle the walk comes by again before it notices. */
		if (!have_module(reader->modules,
				 node - rbs_layout_offset(&reader->layout, MODULE_LIST)) &&
		    !add_module(reader, node))
			return;
	}
	if (walk.code == RBS_OK)
		return;
	rbs_error_prefix(&walk.error, "modules");
	note_damage(reader, walk.code, &walk.error);
	if (walk.code != RBS_INTERRUPTED)
		read_backward(reader, head);
}

/* A kernel's own text, whatever it was built with: without it the symbols lack variables. */
static bool variables_are_known(struct rbs_symbols *symbols)
{
	uint64_t address;

	return rbs_symbols_find(symbols, NULL, "linux_banner", &address, NULL) == RBS_OK;
}

static enum rbs_code read_all(struct reader *reader, struct rbs_symbols *symbols,
			      struct rbs_types *types, struct rbs_error *err)
{
	enum rbs_code code;
	uint64_t head;

	code = rbs_symbols_find(symbols, NULL, "modules", &head, err);
	if (code == RBS_NO_SYMBOL && variables_are_known(symbols))
		return RBS_OK;
	if (code != RBS_OK)
		return code;
	code = rbs_layout_init(&reader->layout, entries, sizeof(entries) / sizeof(entries[0]),
			       types, NULL, err);
	if (code != RBS_OK)
		return code;
	read_list(reader, head);
	rbs_layout_deinit(&reader->layout);
	*err = reader->error;
	return reader->code;
}

enum rbs_code rbs_modules_init(struct rbs_modules *modules, struct rbs_target *target,
			       struct rbs_symbols *symbols, struct rbs_types *types,
			       struct rbs_error *err)
{
	struct reader reader = {.modules = modules, .target = target, .code = RBS_OK};
	struct rbs_error error = {.code = RBS_OK};
	enum rbs_code code;

	*modules = (struct rbs_modules){.modules = NULL};
	code = read_all(&reader, symbols, types, &error);
	if (code != RBS_OK) {
		modules->incomplete = error;
		modules->incomplete.code = code;
		rbs_error_give(err, &error);
	}
	return code;
}

void rbs_modules_deinit(struct rbs_modules *modules)
{
	free(modules->modules);
	*modules = (struct rbs_modules){.modules = NULL};
}

bool rbs_module_name_starts(const char *name, const char *start, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		/* Also at the end of name. */
		if ((name[i] == '-' ? '_' : name[i]) != (start[i] == '-' ? '_' : start[i]))
			return false;
	}
	return true;
}

bool rbs_module_names_equal(const char *a, const char *b)
{
	size_t length = strlen(a);

	return length == strlen(b) && rbs_module_name_starts(a, b, length);
}

const struct rbs_module *rbs_modules_find(const struct rbs_modules *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (rbs_module_names_equal(modules->modules[i].name, name))
			return &modules->modules[i];
	return NULL;
}
