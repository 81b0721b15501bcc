/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_modules.h"

#include <stdlib.h>
#include <string.h>

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

static enum rbs_code find_offsets(struct rbs_btf *vmlinux, struct offsets *offsets,
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
		enum rbs_code code = rbs_btf_find_member(vmlinux, wanted[i].type, wanted[i].path,
							 wanted[i].member, err);

		if (code)
			return code;
	}
	return RBS_OK;
}

enum rbs_code rbs_btf_read(struct rbs_target *target, uint64_t address, uint64_t size,
			   struct rbs_btf *base, struct rbs_btf **btf, struct rbs_error *err)
{
	enum rbs_code code;
	void *data;

	if (!size || size > RBS_BTF_SIZE_LIMIT)
		return rbs_error_set_at(err, RBS_CORRUPT, address,
					"BTF at %#llx: impossible size of %llu bytes",
					(unsigned long long)address, (unsigned long long)size);
	data = malloc(size);
	if (!data)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for %llu bytes of BTF",
				     (unsigned long long)size);
	code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, address, data, size, err);
	if (!code)
		code = rbs_btf_create(data, size, base, target->info.word_size,
				      target->info.byte_order, btf, err);
	free(data);
	return code;
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
			  struct rbs_symbols *symbols, struct rbs_btf *vmlinux)
{
	memset(modules, 0, sizeof(*modules));
	modules->target = target;
	modules->vmlinux = vmlinux;
	if (walk_list(modules, symbols, &modules->trouble))
		rbs_error_prefix(&modules->trouble, "the kernel's list of modules' BTF");
}

void rbs_btf_modules_deinit(struct rbs_btf_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		rbs_btf_destroy(modules->modules[i].btf);
	free(modules->modules);
	memset(modules, 0, sizeof(*modules));
}

enum rbs_code rbs_btf_modules_get(struct rbs_btf_modules *modules, const char *name,
				  struct rbs_btf **btf, struct rbs_error *err)
{
	struct rbs_btf_module *module = modules->modules;
	const struct rbs_btf_module *end = module + modules->count;

	while (module < end && !rbs_module_names_equal(module->name, name))
		module++;
	if (module == end) {
		if (!modules->trouble.code)
			return rbs_error_set(err, RBS_NO_TYPES, "module %s has no BTF", name);
		if (err)
			*err = modules->trouble;
		return modules->trouble.code;
	}
	if (module->failure.code == RBS_INTERRUPTED)
		rbs_error_clear(&module->failure); /* the user may ask again */
	if (!module->btf && !module->failure.code &&
	    rbs_btf_read(modules->target, module->data, module->size, modules->vmlinux,
			 &module->btf, &module->failure))
		rbs_error_prefix(&module->failure, "BTF of module %s", module->name);
	*btf = module->btf;
	if (module->failure.code && err)
		*err = module->failure;
	return module->failure.code;
}
