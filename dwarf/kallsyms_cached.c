/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/kallsyms_cached.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/kallsyms.h"
#include "lib/build_id.h"

#define NAMES_REGION "names"
#define ADDRESSES_REGION "addresses"
#define DATA_QUESTION "has data"
#define LAYOUT_QUESTION "layout"

/* Where the tables are, as distances from _stext; sizes in bytes. */
struct layout {
	uint64_t names, names_size;
	uint64_t addresses, addresses_size;
	uint64_t num_syms, count;
	uint64_t base_at, base; /* 0, 0: this kernel has no kallsyms_relative_base */
};

struct cached {
	struct rbs_symbol_source source;
	struct rbs_target *target;
	struct rbs_shelf *shelf;
	uint64_t stext;
	struct rbs_symbol_source *inner; /* NULL until the tables are read */
	struct rbs_shelf_region names, addresses;
};

static void cached_destroy(struct rbs_symbol_source *source)
{
	struct cached *self = (struct cached *)source;

	if (self->inner) {
		rbs_shelf_region_keep(self->shelf, &self->names, NAMES_REGION);
		rbs_shelf_region_keep(self->shelf, &self->addresses, ADDRESSES_REGION);
		self->inner->ops->destroy(self->inner);
	}
	rbs_shelf_region_deinit(&self->names);
	rbs_shelf_region_deinit(&self->addresses);
	free(self);
}

static enum rbs_code ready(struct cached *self, struct rbs_error *err)
{
	return self->inner ? RBS_OK : rbs_kallsyms_create(self->target, &self->inner, err);
}

/* The answer's pages: of a name, of its address. */
static void note_symbol(struct cached *self, uint32_t index)
{
	const struct rbs_kallsyms_tables *tables = rbs_kallsyms_get_tables(self->inner);
	uint64_t width = self->addresses.size / tables->count;
	struct rbs_kallsyms_entry entry;

	rbs_kallsyms_entry(tables, index, &entry);
	rbs_shelf_region_use(&self->names, tables->positions[index],
			     entry.next - tables->positions[index]);
	rbs_shelf_region_use(&self->addresses, width * index, width);
}

static void keep_symbol(struct cached *self, const char *question, const char *name)
{
	const struct rbs_kallsyms_tables *tables = rbs_kallsyms_get_tables(self->inner);
	uint64_t address;
	char answer[32];
	uint32_t index;

	if (!rbs_kallsyms_find_index(self->inner, name, &index)) {
		rbs_shelf_put(self->shelf, question, "-");
		return;
	}
	address = rbs_kallsyms_address(tables, index);
	if (rbs_kallsyms_is_absolute(tables, index))
		snprintf(answer, sizeof(answer), "=%" PRIx64, address);
	else
		snprintf(answer, sizeof(answer), "+%" PRIx64, address - self->stext);
	rbs_shelf_put(self->shelf, question, answer);
	note_symbol(self, index);
}

static enum rbs_code cached_find(struct rbs_symbol_source *source, const char *module,
				 const char *name, uint64_t *address, struct rbs_error *err)
{
	struct cached *self = (struct cached *)source;
	char question[128];
	const char *answer;
	enum rbs_code code;

	if (module)
		return rbs_error_set(err, RBS_NO_SYMBOL, "kallsyms has no module's symbols");
	snprintf(question, sizeof(question), "symbol %s", name);
	answer = rbs_shelf_get(self->shelf, question);
	if (answer && *answer == '-')
		return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in kallsyms", name);
	if (answer) {
		*address = strtoull(answer + 1, NULL, 16);
		*address += *answer == '+' ? self->stext : 0;
		return RBS_OK;
	}
	code = ready(self, err);
	if (code == RBS_OK && self->shelf && strlen(name) < sizeof(question) - 8)
		keep_symbol(self, question, name);
	return code == RBS_OK ? self->inner->ops->find(self->inner, NULL, name, address, err)
			      : code;
}

static enum rbs_code cached_name_at(struct rbs_symbol_source *source, uint64_t address,
				    char *buffer, size_t size, struct rbs_error *err)
{
	struct cached *self = (struct cached *)source;
	enum rbs_code code = ready(self, err);

	/* Seldom asked; and what is no symbol in one boot (a module's) may be one in the next. */
	return code == RBS_OK ? self->inner->ops->name_at(self->inner, address, buffer, size, err)
			      : code;
}

static const struct rbs_symbol_source_ops cached_ops = {
	.name = "kallsyms",
	.find = cached_find,
	.name_at = cached_name_at,
	.destroy = cached_destroy,
};

static bool regions_init(struct cached *self, const struct layout *layout)
{
	return rbs_shelf_region_init(&self->names, self->target, self->stext + layout->names,
				     layout->names_size) &&
	       rbs_shelf_region_init(&self->addresses, self->target,
				     self->stext + layout->addresses, layout->addresses_size);
}

/* Whether the shelf is about the tables of this very dump. */
static bool shelf_fits(struct cached *self)
{
	const char *text = rbs_shelf_get(self->shelf, LAYOUT_QUESTION);
	struct layout layout;
	uint64_t base = 0;
	uint32_t count;

	if (!text ||
	    sscanf(text,
		   "%" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64,
		   &layout.names, &layout.names_size, &layout.addresses, &layout.addresses_size,
		   &layout.num_syms, &layout.count, &layout.base_at, &layout.base) != 8 ||
	    rbs_kallsyms_read_count(self->target, self->stext + layout.num_syms, &count, NULL) !=
		    RBS_OK ||
	    count != layout.count)
		return false;
	if (layout.base_at && (rbs_target_read_pointer(self->target, self->stext + layout.base_at,
						       &base, NULL) != RBS_OK ||
			       base - self->stext != layout.base))
		return false;
	return regions_init(self, &layout) &&
	       rbs_shelf_region_fits(self->shelf, &self->names, NAMES_REGION) &&
	       rbs_shelf_region_fits(self->shelf, &self->addresses, ADDRESSES_REGION);
}

/* Begin the shelf with what the tables are; without a use for it there is none. */
static void shelf_begin(struct cached *self, bool has_data)
{
	const struct rbs_kallsyms_tables *tables = rbs_kallsyms_get_tables(self->inner);
	const struct rbs_kallsyms_layout *at = &tables->layout;
	uint64_t width = at->addresses ? self->target->info.word_size : 4;
	const struct layout layout = {
		.names = at->names - self->stext,
		.names_size = at->token_index + RBS_KALLSYMS_INDEX_SIZE - at->names,
		.addresses = (at->addresses ? at->addresses : at->offsets) - self->stext,
		.addresses_size = width * tables->count,
		.num_syms = at->num_syms - self->stext,
		.count = tables->count,
		.base_at = at->relative_base ? at->relative_base - self->stext : 0,
		.base = at->relative_base ? tables->base - self->stext : 0,
	};
	char text[256];

	rbs_shelf_clear(self->shelf);
	/* Words do not tell addresses, which move, from numbers, which do not. */
	if (tables->encoding == RBS_KALLSYMS_WORDS)
		self->shelf = NULL;
	rbs_shelf_region_deinit(&self->names);
	rbs_shelf_region_deinit(&self->addresses);
	if (!self->shelf || !regions_init(self, &layout)) {
		self->shelf = NULL;
		return;
	}
	rbs_shelf_region_use(&self->names, at->token_table - at->names,
			     layout.names_size - (at->token_table - at->names));
	snprintf(text, sizeof(text),
		 "%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64
		 " %" PRIx64,
		 layout.names, layout.names_size, layout.addresses, layout.addresses_size,
		 layout.num_syms, layout.count, layout.base_at, layout.base);
	rbs_shelf_put(self->shelf, LAYOUT_QUESTION, text);
	rbs_shelf_put(self->shelf, DATA_QUESTION, has_data ? "yes" : "no");
}

/* NULL when there is no cache, or VMCOREINFO does not name the build (BUILD-ID, since 5.9). */
static struct rbs_shelf *shelf_open(struct rbs_target *target, struct rbs_cache *cache)
{
	struct rbs_symbols none = {.first = NULL};
	struct rbs_build_id build;
	char name[160], id[2 * RBS_BUILD_ID_MAX + 1];

	if (!cache || rbs_dump_build_id(target, &none, &build, NULL) != RBS_OK)
		return NULL;
	rbs_build_id_format(&build, id, sizeof(id));
	snprintf(name, sizeof(name), "kallsyms-%s", id);
	return rbs_cache_shelf(cache, name);
}

enum rbs_code rbs_kallsyms_cached_create(struct rbs_target *target, struct rbs_cache *cache,
					 struct rbs_symbol_source **source, bool *has_data,
					 struct rbs_error *err)
{
	struct cached *self = calloc(1, sizeof(*self));
	const char *data;
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	self->source.ops = &cached_ops;
	self->target = target;
	if (rbs_vmcoreinfo_symbol(target, "_stext", &self->stext))
		self->shelf = shelf_open(target, cache);
	data = rbs_shelf_get(self->shelf, DATA_QUESTION);
	if (data && shelf_fits(self)) {
		*has_data = !strcmp(data, "yes");
		*source = &self->source;
		return RBS_OK;
	}
	code = ready(self, err);
	if (code != RBS_OK) {
		cached_destroy(&self->source);
		return code;
	}
	*has_data = rbs_kallsyms_has_data(self->inner);
	shelf_begin(self, *has_data);
	*source = &self->source;
	return RBS_OK;
}
