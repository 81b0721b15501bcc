/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/debug_types.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_source.h"

struct search {
	char *module; /* owned; NULL: the kernel */
	bool found;
	struct rbs_error error;
};

struct debug_types {
	struct rbs_type_source source;
	struct rbs_debuginfo *debuginfo;
	struct rbs_type_source *kernel;	 /* NULL until its file is found */
	struct rbs_type_source *modules; /* of all modules whose files were found */
	struct rbs_build_id kernel_id;
	bool kernel_known;
	const struct rbs_modules *list; /* borrowed */
	struct rbs_cache *cache;	/* borrowed */
	struct search *searches;
	size_t search_count;
};

static struct debug_types *debug_types_from(struct rbs_type_source *source)
{
	return (struct debug_types *)source;
}

static bool same_module(const char *left, const char *right)
{
	return left == right || (left && right && !strcmp(left, right));
}

static struct search *search_find(const struct debug_types *self, const char *module)
{
	for (size_t i = 0; i < self->search_count; i++) {
		if (same_module(self->searches[i].module, module))
			return &self->searches[i];
	}
	return NULL;
}

static struct search *search_add(struct debug_types *self, const char *module)
{
	struct search *searches =
		reallocarray(self->searches, self->search_count + 1, sizeof(*searches));
	struct search *added;

	if (!searches)
		return NULL;
	self->searches = searches;
	added = &searches[self->search_count];
	*added = (struct search){.module = module ? strdup(module) : NULL};
	if (module && !added->module)
		return NULL;
	self->search_count++;
	return added;
}

static enum rbs_code file_add(struct debug_types *self, const char *module, const char *path,
			      struct rbs_error *err)
{
	if (module)
		return rbs_dwarf_source_add_module(self->modules, module, path, err);
	return rbs_dwarf_source_create(path, self->cache, &self->kernel, err);
}

/* Look for the file of a module once; afterwards the answer is known. */
static bool file_ready(struct debug_types *self, const char *module)
{
	struct search *search = search_find(self, module);
	struct rbs_debuginfo_file file;
	struct rbs_build_id id = self->kernel_id;
	enum rbs_code code;

	if (search)
		return search->found;
	search = search_add(self, module);
	if (!search)
		return false;
	if (module) {
		const struct rbs_module *loaded = rbs_modules_find(self->list, module);

		id = loaded ? loaded->build_id : (struct rbs_build_id){0};
	}
	code = rbs_debuginfo_find(self->debuginfo, module, &id, &file, &search->error);
	if (code == RBS_OK)
		code = file_add(self, module, file.path, &search->error);
	search->found = code == RBS_OK;
	return search->found;
}

/*
 * The sources to ask, in order, and how many: the module's own file, then the kernel's. A module
 * that was never loaded has no file: its code is in the kernel.
 */
static size_t sources_choose(struct debug_types *self, const char *module,
			     struct rbs_type_source *sources[2])
{
	size_t count = 0;

	if (module && rbs_modules_find(self->list, module) && file_ready(self, module))
		sources[count++] = self->modules;
	if (!self->kernel_known && (self->kernel || file_ready(self, NULL)))
		sources[count++] = self->kernel;
	return count;
}

static enum rbs_code no_types(const char *type, struct rbs_error *err)
{
	return rbs_error_set(err, RBS_NO_TYPES, "no debug file knows %s", type);
}

static enum rbs_code member_find(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	struct rbs_type_source *sources[2];
	size_t count = sources_choose(debug_types_from(source), module, sources);

	for (size_t i = 0; i < count; i++) {
		enum rbs_code code =
			sources[i]->ops->find_member(sources[i], module, type, path, member, err);

		if (code != RBS_NO_TYPES)
			return code;
	}
	return no_types(type, err);
}

static enum rbs_code size_find(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	struct rbs_type_source *sources[2];
	size_t count = sources_choose(debug_types_from(source), module, sources);

	for (size_t i = 0; i < count; i++) {
		enum rbs_code code =
			sources[i]->ops->find_size(sources[i], module, type, size, err);

		if (code != RBS_NO_TYPES)
			return code;
	}
	return no_types(type, err);
}

static enum rbs_code enumerator_find(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	struct rbs_type_source *sources[2];
	size_t count = sources_choose(debug_types_from(source), module, sources);

	for (size_t i = 0; i < count; i++) {
		enum rbs_code code = sources[i]->ops->find_enumerator(sources[i], module, type,
								      name, value, err);

		if (code != RBS_NO_TYPES)
			return code;
	}
	return no_types(type ? type : name, err);
}

static void debug_types_destroy(struct rbs_type_source *source)
{
	struct debug_types *self = debug_types_from(source);

	for (size_t i = 0; i < self->search_count; i++)
		free(self->searches[i].module);
	free(self->searches);
	if (self->kernel)
		self->kernel->ops->destroy(self->kernel);
	if (self->modules)
		self->modules->ops->destroy(self->modules);
	rbs_debuginfo_destroy(self->debuginfo);
	free(self);
}

static const struct rbs_type_source_ops debug_types_ops = {
	.name = "dwarf",
	.find_member = member_find,
	.find_size = size_find,
	.find_enumerator = enumerator_find,
	.destroy = debug_types_destroy,
};

const char *rbs_debug_types_reason(const struct rbs_type_source *source, const char *module)
{
	const struct search *search;

	if (source->ops != &debug_types_ops)
		return NULL;
	search = search_find((const struct debug_types *)source, module);
	return search && !search->found ? search->error.text : NULL;
}

static enum rbs_code vmlinux_use(struct debug_types *self, const char *path, struct rbs_error *err)
{
	bool verified;
	enum rbs_code code = rbs_debuginfo_check(path, &self->kernel_id, &verified, err);

	/* A vmlinux without debug information still has symbols: not this source's matter. */
	if (code == RBS_NO_TYPES)
		return RBS_OK;
	if (code == RBS_OK)
		code = rbs_dwarf_source_create(path, self->cache, &self->kernel, err);
	return code;
}

enum rbs_code rbs_debug_types_create(const struct rbs_debug_types_options *options,
				     struct rbs_type_source **source, struct rbs_error *err)
{
	struct debug_types *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->source.ops = &debug_types_ops;
	self->kernel_id = options->kernel_id;
	self->kernel_known = options->kernel_known;
	self->list = options->modules;
	self->cache = options->cache;
	code = rbs_debuginfo_create(&options->debuginfo, &self->debuginfo, err);
	if (code == RBS_OK)
		code = rbs_dwarf_source_create(NULL, self->cache, &self->modules, err);
	if (code == RBS_OK && options->vmlinux)
		code = vmlinux_use(self, options->vmlinux, err);
	if (code != RBS_OK) {
		debug_types_destroy(&self->source);
		return code;
	}
	*source = &self->source;
	return RBS_OK;
}
