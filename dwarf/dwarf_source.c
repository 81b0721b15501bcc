/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_units.h"
#include "dwarf/type_answers.h"
#include "lib/hash.h"
#include "lib/modules.h"

/* An answer that is kept; names are copies. */
struct answer {
	struct answer *next;
	enum rbs_dwarf_class wanted;
	char *module; /* NULL: the kernel */
	char *name;
	struct rbs_dwarf_place place; /* types NULL: the file does not know it */
};

/* A debug file. */
struct image {
	struct image *next;
	char *module; /* NULL: the kernel */
	char *path;
	struct rbs_cache *cache; /* borrowed; NULL: none, or its shelf was looked for */
	struct rbs_shelf *shelf; /* borrowed; NULL: none */
	bool opened;
	struct rbs_error failure; /* why it could not be opened; code RBS_OK when it could */
	struct rbs_dwarf_object object;
	struct rbs_dwarf_units units;
	struct answer *answers;
};

struct dwarf_source {
	struct rbs_type_source base;
	struct image *kernel; /* may be NULL */
	struct image *modules;
	struct rbs_cache *cache; /* borrowed; NULL: none */
};

static struct dwarf_source *source_of(struct rbs_type_source *source)
{
	return (struct dwarf_source *)source;
}

static void image_destroy(struct image *image)
{
	while (image->answers) {
		struct answer *answer = image->answers;

		image->answers = answer->next;
		free(answer->module);
		free(answer->name);
		free(answer);
	}
	if (image->opened && !image->failure.code) {
		rbs_dwarf_units_deinit(&image->units);
		rbs_dwarf_object_close(&image->object);
	}
	free(image->module);
	free(image->path);
	free(image);
}

static enum rbs_code image_create(const char *module, const char *path, struct rbs_cache *cache,
				  struct image **result, struct rbs_error *err)
{
	struct image *image = calloc(1, sizeof(*image));

	if (image) {
		image->cache = cache;
		image->path = strdup(path);
		image->module = module ? strdup(module) : NULL;
	}
	if (!image || !image->path || (module && !image->module)) {
		if (image)
			image_destroy(image);
		return rbs_error_set(err, RBS_NOMEM, "out of memory for %s", path);
	}
	*result = image;
	return RBS_OK;
}

/* Open the file if it was not tried before. */
static enum rbs_code image_open(struct image *image, struct rbs_error *err)
{
	if (!image->opened) {
		image->opened = true;
		if (!rbs_dwarf_object_open(&image->object, image->path, &image->failure)) {
			if (rbs_dwarf_units_init(&image->units, &image->object, &image->failure)) {
				rbs_dwarf_object_close(&image->object);
				rbs_error_prefix(&image->failure, "%s", image->path);
			}
		}
	}
	if (image->failure.code && err)
		*err = image->failure;
	return image->failure.code;
}

static bool same_hint(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const struct answer *find_answer(const struct image *image, const char *module,
					enum rbs_dwarf_class wanted, const char *name)
{
	for (const struct answer *answer = image->answers; answer; answer = answer->next)
		if (answer->wanted == wanted && !strcmp(answer->name, name) &&
		    same_hint(answer->module, module))
			return answer;
	return NULL;
}

/* Best effort: without memory the search is made again next time. */
static void keep_answer(struct image *image, const char *module, enum rbs_dwarf_class wanted,
			const char *name, struct rbs_dwarf_place place)
{
	struct answer *answer = calloc(1, sizeof(*answer));

	if (!answer)
		return;
	answer->wanted = wanted;
	answer->place = place;
	answer->name = strdup(name);
	answer->module = module ? strdup(module) : NULL;
	if (!answer->name || (module && !answer->module)) {
		free(answer->name);
		free(answer->module);
		free(answer);
		return;
	}
	answer->next = image->answers;
	image->answers = answer;
}

static enum rbs_code find_type(struct image *image, const char *module, enum rbs_dwarf_class wanted,
			       const char *name, struct rbs_dwarf_place *place,
			       struct rbs_error *err)
{
	const struct answer *answer = find_answer(image, module, wanted, name);
	enum rbs_code code;

	if (answer) {
		*place = answer->place;
		if (place->types)
			return RBS_OK;
		return rbs_error_set(err, RBS_NO_TYPES, "%s does not have %s", image->path, name);
	}
	code = rbs_dwarf_units_find(&image->units, module, wanted, name, place, err);
	if (code)
		place->types = NULL;
	if (!code || code == RBS_NO_TYPES)
		keep_answer(image, module, wanted, name, *place);
	return code;
}

/*
 * The shelf of a file is named by its build-id. That it is about this very file is proved by the
 * file's size, its section headers, which tell where all of its contents are, and the time of its
 * last change: files that were cut out of one vmlinux have its build-id.
 */
static bool shelf_name(const struct rbs_debug_file *file, char *name, size_t size)
{
	char id[2 * RBS_BUILD_ID_MAX + 1];
	struct rbs_build_id build;
	const uint64_t identity[] = {file->size, (uint64_t)file->changed};
	uint64_t hash = rbs_hash(identity, sizeof(identity));
	struct rbs_elf elf;

	if (rbs_elf_init(&elf, file->bytes, file->size, NULL))
		return false;
	build = rbs_elf_build_id(&elf);
	for (size_t i = 0; i < elf.section_count; i++) {
		const struct rbs_elf_section *section = &elf.sections[i];
		const uint64_t numbers[] = {hash,	    section->type,   section->link,
					    section->flags, section->offset, section->size};

		hash = rbs_hash(numbers, sizeof(numbers));
	}
	rbs_elf_deinit(&elf);
	rbs_build_id_format(&build, id, sizeof(id));
	snprintf(name, size, "dwarf-%s-%016" PRIx64, id, hash);
	return build.size;
}

static struct rbs_shelf *image_shelf(struct image *image)
{
	struct rbs_debug_file file;
	char name[160];

	if (!image->cache || rbs_debug_file_open(image->path, &file, NULL))
		return image->shelf;
	if (shelf_name(&file, name, sizeof(name)))
		image->shelf = rbs_cache_shelf(image->cache, name);
	image->cache = NULL;
	rbs_debug_file_close(&file);
	return image->shelf;
}

static enum rbs_code ask_enumerator(struct image *image, const struct rbs_type_question *question,
				    struct rbs_error *err)
{
	struct rbs_dwarf_place place;
	enum rbs_code code;
	Dwarf_Die die;

	if (!question->type)
		return rbs_dwarf_units_find_enumerator(&image->units, question->hint,
						       question->path, question->value, err);
	code = find_type(image, question->hint, RBS_DWARF_ENUM, question->type, &place, err);
	if (!code)
		code = rbs_die_at(place.types->object, place.offset, &die, err);
	if (code)
		return code;
	code = rbs_dwarf_enumerator(place.types, die, question->path, question->value, err);
	rbs_die_free(place.types->object, die);
	return code;
}

static enum rbs_code ask_file(struct image *image, const struct rbs_type_question *question,
			      struct rbs_error *err)
{
	enum rbs_code code = image_open(image, err);
	struct rbs_dwarf_place place;

	if (code)
		return code;
	if (question->value)
		return ask_enumerator(image, question, err);
	if (!question->type)
		return rbs_error_set(err, RBS_USAGE, "a member of no type");
	code = find_type(image, question->hint, RBS_DWARF_RECORD, question->type, &place, err);
	if (code)
		return code;
	if (question->member)
		return rbs_type_path_find(&place.types->graph, place.offset, question->type,
					  question->path, question->member, err);
	return rbs_type_path_size(&place.types->graph, place.offset, question->size, err);
}

static enum rbs_code ask_image(struct image *image, const struct rbs_type_question *question,
			       struct rbs_error *err)
{
	struct rbs_shelf *shelf = image_shelf(image);
	struct rbs_error got = {.code = RBS_OK};
	enum rbs_code code;

	if (rbs_type_answer_get(shelf, question, &code, err))
		return code;
	code = ask_file(image, question, &got);
	if (code && err)
		*err = got;
	rbs_type_answer_put(shelf, question, code, &got);
	return code;
}

static enum rbs_code ask(struct rbs_type_source *base, const struct rbs_type_question *question,
			 struct rbs_error *err)
{
	struct dwarf_source *source = source_of(base);
	const char *name = question->type ? question->type : question->path;
	struct rbs_error module_err = {.code = RBS_NO_TYPES};
	struct image *image = question->hint ? source->modules : NULL;
	enum rbs_code code = RBS_NO_TYPES;

	while (image && !rbs_module_names_equal(image->module, question->hint))
		image = image->next;
	if (image) {
		code = ask_image(image, question, &module_err);
		if (!code || code == RBS_NO_MEMBER) {
			if (code && err)
				*err = module_err;
			return code;
		}
	}
	if (source->kernel)
		code = ask_image(source->kernel, question, err);
	if (source->kernel && code != RBS_NO_TYPES)
		return code;
	if (module_err.code != RBS_NO_TYPES)
		return rbs_error_give(err, &module_err);
	if (image)
		return rbs_error_set(err, RBS_NO_TYPES, "%s is not in %s%s%s", name, image->path,
				     source->kernel ? " nor in " : "",
				     source->kernel ? source->kernel->path : "");
	if (question->hint)
		return rbs_error_set(
			err, RBS_NO_TYPES, "no debug file of module %s, and %s is not in %s",
			question->hint, name, source->kernel ? source->kernel->path : "any other");
	return rbs_error_set(err, RBS_NO_TYPES, "%s is not in %s", name,
			     source->kernel ? source->kernel->path : "any debug file");
}

static enum rbs_code find_member(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	const struct rbs_type_question question = {
		.hint = module, .type = type, .path = path, .member = member};

	return ask(source, &question, err);
}

static enum rbs_code find_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	const struct rbs_type_question question = {.hint = module, .type = type, .size = size};

	return ask(source, &question, err);
}

static enum rbs_code find_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	const struct rbs_type_question question = {
		.hint = module, .type = type, .path = name, .value = value};

	return ask(source, &question, err);
}

static void destroy(struct rbs_type_source *base)
{
	struct dwarf_source *source = source_of(base);

	while (source->modules) {
		struct image *image = source->modules;

		source->modules = image->next;
		image_destroy(image);
	}
	if (source->kernel)
		image_destroy(source->kernel);
	free(source);
}

static const struct rbs_type_source_ops source_ops = {
	.name = "dwarf",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = destroy,
};

enum rbs_code rbs_dwarf_source_create(const char *vmlinux, struct rbs_cache *cache,
				      struct rbs_type_source **result, struct rbs_error *err)
{
	struct dwarf_source *source = calloc(1, sizeof(*source));
	enum rbs_code code;

	if (!source)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for DWARF");
	source->base.ops = &source_ops;
	source->cache = cache;
	if (vmlinux) {
		code = image_create(NULL, vmlinux, cache, &source->kernel, err);
		if (code) {
			free(source);
			return code;
		}
	}
	*result = &source->base;
	return RBS_OK;
}

enum rbs_code rbs_dwarf_source_add_module(struct rbs_type_source *base, const char *module,
					  const char *path, struct rbs_error *err)
{
	struct dwarf_source *source = source_of(base);
	struct image *image = NULL;
	enum rbs_code code;

	for (image = source->modules; image; image = image->next)
		if (rbs_module_names_equal(image->module, module))
			return rbs_error_set(err, RBS_USAGE, "module %s: %s as well as %s", module,
					     image->path, path);
	code = image_create(module, path, source->cache, &image, err);
	if (code)
		return code;
	image->next = source->modules;
	source->modules = image;
	return RBS_OK;
}
