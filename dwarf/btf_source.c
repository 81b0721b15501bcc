/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "dwarf/btf_modules.h"
#include "lib/build_id.h"

struct btf_source {
	struct rbs_type_source base;
	struct rbs_target *target;
	struct rbs_symbols *symbols;
	struct rbs_btf_blob vmlinux;
	struct rbs_cache *cache;   /* NULL: none */
	struct rbs_build_id build; /* the kernel's; size 0: not known */
	struct rbs_btf_modules modules;
	bool modules_known;
};

static struct btf_source *source_of(struct rbs_type_source *source)
{
	return (struct btf_source *)source;
}

/* The module first, then the kernel. */
static enum rbs_code ask_module(struct btf_source *source, const char *module,
				const struct rbs_type_question *question, struct rbs_error *err)
{
	struct rbs_error module_err = {.code = RBS_OK};
	struct rbs_btf_blob *btf = NULL;
	enum rbs_code code, module_code;

	if (!source->modules_known) {
		source->modules =
			(struct rbs_btf_modules){.cache = source->cache, .kernel = source->build};
		rbs_btf_modules_init(&source->modules, source->target, source->symbols,
				     &source->vmlinux);
		source->modules_known = source->modules.trouble.code != RBS_INTERRUPTED;
	}
	if (!source->modules_known) {
		rbs_btf_modules_deinit(&source->modules);
		return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
	}
	module_code = rbs_btf_modules_get(&source->modules, module, &btf, &module_err);
	if (module_code == RBS_OK) {
		code = rbs_btf_blob_ask(btf, question, err);
		if (code != RBS_NO_TYPES)
			return code;
	}
	code = rbs_btf_blob_ask(&source->vmlinux, question, err);
	if (code != RBS_NO_TYPES)
		return code;
	if (module_code == RBS_OK)
		return rbs_error_set(err, RBS_NO_TYPES,
				     "%s is neither in the BTF of module %s nor in the kernel's",
				     question->type ? question->type : question->path, module);
	/* What the module's BTF might have known is lost for the module's reason. */
	if (err) {
		*err = module_err;
		rbs_error_prefix(err, "%s is not in the kernel's BTF",
				 question->type ? question->type : question->path);
	}
	return module_code;
}

static enum rbs_code ask_any(struct rbs_type_source *base, const char *module,
			     const struct rbs_type_question *question, struct rbs_error *err)
{
	struct btf_source *source = source_of(base);

	if (module)
		return ask_module(source, module, question, err);
	return rbs_btf_blob_ask(&source->vmlinux, question, err);
}

static enum rbs_code find_member(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	const struct rbs_type_question question = {.type = type, .path = path, .member = member};

	return ask_any(source, module, &question, err);
}

static enum rbs_code find_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	const struct rbs_type_question question = {.type = type, .size = size};

	return ask_any(source, module, &question, err);
}

static enum rbs_code find_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	const struct rbs_type_question question = {.type = type, .path = name, .value = value};

	return ask_any(source, module, &question, err);
}

static void destroy(struct rbs_type_source *base)
{
	struct btf_source *source = source_of(base);

	if (source->modules_known)
		rbs_btf_modules_deinit(&source->modules);
	rbs_btf_blob_deinit(&source->vmlinux);
	free(source);
}

static const struct rbs_type_source_ops source_ops = {
	.name = "btf",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = destroy,
};

/* NULL when there is no cache, or nothing that names the kernel's build. */
static struct rbs_shelf *shelf_open(struct btf_source *source)
{
	char name[160], id[2 * RBS_BUILD_ID_MAX + 1];

	if (!source->cache ||
	    rbs_dump_build_id(source->target, source->symbols, &source->build, NULL) != RBS_OK)
		return NULL;
	rbs_build_id_format(&source->build, id, sizeof(id));
	snprintf(name, sizeof(name), "btf-%s", id);
	return rbs_cache_shelf(source->cache, name);
}

static enum rbs_code read_vmlinux(struct btf_source *source, struct rbs_error *err)
{
	uint64_t start, stop;
	enum rbs_code code;

	code = rbs_symbols_find(source->symbols, NULL, "__start_BTF", &start, err);
	if (!code)
		code = rbs_symbols_find(source->symbols, NULL, "__stop_BTF", &stop, err);
	if (code == RBS_NO_SYMBOL)
		return rbs_error_set(err, RBS_NO_TYPES,
				     "no symbol __start_BTF (a kernel without "
				     "CONFIG_DEBUG_INFO_BTF or CONFIG_KALLSYMS_ALL)");
	if (code)
		return code;
	if (stop <= start)
		return rbs_error_set_at(err, start == stop ? RBS_NO_TYPES : RBS_CORRUPT, start,
					"the kernel's BTF is %s",
					start == stop ? "empty" : "of negative size");
	code = rbs_btf_blob_init(&source->vmlinux, source->target, start, stop - start, NULL,
				 shelf_open(source), err);
	if (code)
		rbs_error_prefix(err, "the kernel's BTF");
	return code;
}

enum rbs_code rbs_btf_source_create(struct rbs_target *target, struct rbs_symbols *symbols,
				    struct rbs_cache *cache, struct rbs_type_source **result,
				    struct rbs_error *err)
{
	struct btf_source *source = calloc(1, sizeof(*source));
	enum rbs_code code;

	if (!source)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for BTF");
	source->base.ops = &source_ops;
	source->target = target;
	source->symbols = symbols;
	source->cache = cache;
	code = read_vmlinux(source, err);
	if (code) {
		free(source);
		return code;
	}
	*result = &source->base;
	return RBS_OK;
}
