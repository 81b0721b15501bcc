/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_modules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/btf_parse.h"
#include "lib/hash.h"
#include "lib/modules.h"
#include "lib/walk.h"

/* Where the list's structures keep what is needed, from the kernel's own BTF. */
struct offsets {
	struct rbs_member list;	  /* btf_module.list */
	struct rbs_member module; /* btf_module.module */
	struct rbs_member btf;	  /* btf_module.btf */
	struct rbs_member name;	  /* module.name */
	struct rbs_member data;	  /* btf.data */
	struct rbs_member size;	  /* btf.data_size */
};

static enum rbs_code find_offsets(struct rbs_btf_blob *vmlinux, struct offsets *offsets,
				  struct rbs_error *err)
{
	const struct {
		const char *type;
		const char *path;
		struct rbs_member *member;
	} wanted[] = {
		{"btf_module", "list", &offsets->list}, {"btf_module", "module", &offsets->module},
		{"btf_module", "btf", &offsets->btf},	{"module", "name", &offsets->name},
		{"btf", "data", &offsets->data},	{"btf", "data_size", &offsets->size},
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct rbs_type_question question = {
			.type = wanted[i].type, .path = wanted[i].path, .member = wanted[i].member};
		enum rbs_code code = rbs_btf_blob_ask(vmlinux, &question, err);

		if (code)
			return code;
	}
	return RBS_OK;
}

static enum rbs_code read_entry(struct rbs_target *target, const struct offsets *offsets,
				uint64_t entry, struct rbs_btf_module *module,
				struct rbs_error *err)
{
	uint64_t address, btf;
	enum rbs_code code;

	memset(module, 0, sizeof(*module));
	code = rbs_target_read_pointer(target, entry + offsets->module.offset, &address, err);
	if (!code)
		code = rbs_target_read_string(target, address + offsets->name.offset, module->name,
					      sizeof(module->name), err);
	if (code)
		return code;
	code = rbs_target_read_pointer(target, entry + offsets->btf.offset, &btf, &module->failure);
	if (!code)
		code = rbs_target_read_pointer(target, btf + offsets->data.offset, &module->data,
					       &module->failure);
	if (!code)
		rbs_target_read_uint(target, btf + offsets->size.offset, offsets->size.size,
				     &module->size, &module->failure);
	return RBS_OK; /* the module has a name: what is wrong with it is kept for who asks */
}

static enum rbs_code append(struct rbs_btf_modules *modules, const struct rbs_btf_module *module,
			    struct rbs_error *err)
{
	if (modules->count == modules->capacity) {
		size_t capacity = modules->capacity ? 2 * modules->capacity : 64;
		void *grown = realloc(modules->modules, capacity * sizeof(*module));

		if (!grown)
			return rbs_error_set(err, RBS_NOMEM, "out of memory for the modules' BTF");
		modules->modules = grown;
		modules->capacity = capacity;
	}
	modules->modules[modules->count++] = *module;
	return RBS_OK;
}

static enum rbs_code walk_list(struct rbs_btf_modules *modules, struct rbs_symbols *symbols,
			       struct rbs_error *err)
{
	struct rbs_error first_err = {.code = RBS_OK};
	struct rbs_list_walk walk;
	struct offsets offsets;
	uint64_t head, node;
	enum rbs_code code;

	code = rbs_symbols_find(symbols, NULL, "btf_modules", &head, err);
	if (!code)
		code = find_offsets(modules->vmlinux, &offsets, err);
	if (code)
		return code;
	rbs_list_walk_init(&walk, modules->target, head, RBS_MODULE_LIMIT);
	while (rbs_list_walk_next(&walk, &node)) {
		struct rbs_error entry_err = {.code = RBS_OK};
		struct rbs_btf_module module;

		if (rbs_target_interrupted(modules->target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (!read_entry(modules->target, &offsets, node - offsets.list.offset, &module,
				&entry_err))
			code = append(modules, &module, err);
		else if (!first_err.code)
			first_err = entry_err; /* without its name it could be any module */
		if (code)
			return code;
	}
	*err = walk.code ? walk.error : first_err;
	return err->code;
}

void rbs_btf_modules_init(struct rbs_btf_modules *modules, struct rbs_target *target,
			  struct rbs_symbols *symbols, struct rbs_btf_blob *vmlinux)
{
	modules->target = target;
	modules->vmlinux = vmlinux;
	if (walk_list(modules, symbols, &modules->trouble))
		rbs_error_prefix(&modules->trouble, "the kernel's list of modules' BTF");
}

void rbs_btf_modules_deinit(struct rbs_btf_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		if (modules->modules[i].blob)
			rbs_btf_blob_deinit(modules->modules[i].blob);
		free(modules->modules[i].blob);
	}
	free(modules->modules);
	memset(modules, 0, sizeof(*modules));
}

/* A module's blob has some 10 KB: its whole contents are the name of its shelf. */
static struct rbs_shelf *shelf_open(struct rbs_btf_modules *modules,
				    const struct rbs_btf_module *module)
{
	char name[160], id[2 * RBS_BUILD_ID_MAX + 1];
	void *bytes;
	bool is_read;

	if (!modules->cache || !modules->kernel.size || !module->size ||
	    module->size > RBS_BTF_SIZE_LIMIT)
		return NULL;
	bytes = malloc(module->size);
	if (!bytes)
		return NULL;
	is_read = rbs_target_read(modules->target, RBS_KERNEL_VIRTUAL, module->data, bytes,
				  module->size, NULL) == RBS_OK;
	rbs_build_id_format(&modules->kernel, id, sizeof(id));
	snprintf(name, sizeof(name), "btf-%s-%016" PRIx64, id,
		 is_read ? rbs_hash(bytes, module->size) : 0);
	free(bytes);
	return is_read ? rbs_cache_shelf(modules->cache, name) : NULL;
}

static void module_open(struct rbs_btf_modules *modules, struct rbs_btf_module *module)
{
	struct rbs_btf_blob *blob = calloc(1, sizeof(*blob));

	if (!blob) {
		rbs_error_set(&module->failure, RBS_NOMEM, "out of memory for BTF");
	} else if (rbs_btf_blob_init(blob, modules->target, module->data, module->size,
				     modules->vmlinux, shelf_open(modules, module),
				     &module->failure)) {
		free(blob);
		rbs_error_prefix(&module->failure, "BTF of module %s", module->name);
	} else {
		module->blob = blob;
	}
}

enum rbs_code rbs_btf_modules_get(struct rbs_btf_modules *modules, const char *name,
				  struct rbs_btf_blob **blob, struct rbs_error *err)
{
	struct rbs_btf_module *module;
	size_t at = 0;

	/* By number: the array of no modules is NULL. */
	while (at < modules->count && !rbs_module_names_equal(modules->modules[at].name, name))
		at++;
	if (at == modules->count) {
		if (!modules->trouble.code)
			return rbs_error_set(err, RBS_NO_TYPES, "module %s has no BTF", name);
		return rbs_error_give(err, &modules->trouble);
	}
	module = &modules->modules[at];
	if (module->failure.code == RBS_INTERRUPTED)
		rbs_error_clear(&module->failure); /* the user may ask again */
	if (!module->blob && !module->failure.code)
		module_open(modules, module);
	*blob = module->blob;
	if (module->failure.code && err)
		*err = module->failure;
	return module->failure.code;
}
