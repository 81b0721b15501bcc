/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_source.h"

#include <stdlib.h>

#include "dwarf/btf_modules.h"
#include "dwarf/btf_types.h"

struct btf_source {
	struct rbs_type_source base;
	struct rbs_target *target;
	struct rbs_symbols *symbols;
	struct rbs_btf *vmlinux;
	struct rbs_btf_modules modules;
	bool modules_known;
};

/* What a question is about; one of three kinds of answers is wanted. */
struct question {
	const char *type;
	const char *path; /* of a member, or the name of an enumerator */
	struct rbs_member *member;
	uint64_t *size;
	int64_t *value;
};

static enum rbs_code ask(struct rbs_btf *btf, const struct question *question,
			 struct rbs_error *err)
{
	if (question->member)
		return rbs_btf_find_member(btf, question->type, question->path, question->member,
					   err);
	if (question->size)
		return rbs_btf_find_size(btf, question->type, question->size, err);
	return rbs_btf_find_enumerator(btf, question->type, question->path, question->value, err);
}

static struct btf_source *source_of(struct rbs_type_source *source)
{
	return (struct btf_source *)source;
}

/* The module first, then the kernel. */
static enum rbs_code ask_module(struct btf_source *source, const char *module,
				const struct question *question, struct rbs_error *err)
{
	struct rbs_error module_err = {.code = RBS_OK};
	struct rbs_btf *btf = NULL;
	enum rbs_code code, module_code;

	if (!source->modules_known) {
		rbs_btf_modules_init(&source->modules, source->target, source->symbols,
				     source->vmlinux);
		source->modules_known = source->modules.trouble.code != RBS_INTERRUPTED;
	}
	if (!source->modules_known) {
		rbs_btf_modules_deinit(&source->modules);
		return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
	}
	module_code = rbs_btf_modules_get(&source->modules, module, &btf, &module_err);
	if (module_code == RBS_OK) {
		code = ask(btf, question, err);
		if (code != RBS_NO_TYPES)
			return code;
	}
	code = ask(source->vmlinux, question, err);
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
			     const struct question *question, struct rbs_error *err)
{
	struct btf_source *source = source_of(base);

	if (module)
		return ask_module(source, module, question, err);
	return ask(source->vmlinux, question, err);
}

static enum rbs_code find_member(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	const struct question question = {.type = type, .path = path, .member = member};

	return ask_any(source, module, &question, err);
}

static enum rbs_code find_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	const struct question question = {.type = type, .size = size};

	return ask_any(source, module, &question, err);
}

static enum rbs_code find_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	const struct question question = {.type = type, .path = name, .value = value};

	return ask_any(source, module, &question, err);
}

static void destroy(struct rbs_type_source *base)
{
	struct btf_source *source = source_of(base);

	if (source->modules_known)
		rbs_btf_modules_deinit(&source->modules);
	rbs_btf_destroy(source->vmlinux);
	free(source);
}

static const struct rbs_type_source_ops source_ops = {
	.name = "btf",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = destroy,
};

static enum rbs_code read_vmlinux(struct btf_source *source, struct rbs_error *err)
{
	uint64_t start, stop;
	enum rbs_code code;

	code = rbs_symbols_find(source->symbols, NULL, "__start_BTF", &start, err);
	if (!code)
		code = rbs_symbols_find(source->symbols, NULL, "__stop_BTF", &stop, err);
	if (code == RBS_NO_SYMBOL)
		return rbs_error_set(err, RBS_NO_TYPES,
				     "no BTF in the dump: no symbol __start_BTF (a kernel without "
				     "CONFIG_DEBUG_INFO_BTF or CONFIG_KALLSYMS_ALL)");
	if (code)
		return code;
	if (stop <= start)
		return rbs_error_set_at(err, start == stop ? RBS_NO_TYPES : RBS_CORRUPT, start,
					"the kernel's BTF is %s",
					start == stop ? "empty" : "of negative size");
	code = rbs_btf_read(source->target, start, stop - start, NULL, &source->vmlinux, err);
	if (code)
		rbs_error_prefix(err, "the kernel's BTF");
	return code;
}

enum rbs_code rbs_btf_source_create(struct rbs_target *target, struct rbs_symbols *symbols,
				    struct rbs_type_source **result, struct rbs_error *err)
{
	struct btf_source *source = calloc(1, sizeof(*source));
	enum rbs_code code;

	if (!source)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for BTF");
	source->base.ops = &source_ops;
	source->target = target;
	source->symbols = symbols;
	code = read_vmlinux(source, err);
	if (code) {
		free(source);
		return code;
	}
	*result = &source->base;
	return RBS_OK;
}
