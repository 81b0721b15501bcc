/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fake_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_types {
	struct rbs_type_source source;
	const struct fake_type *types;
	const struct fake_enumerator *enumerators;
};

struct fake_symbols {
	struct rbs_symbol_source source;
	const struct fake_symbol *symbols; /* NULL in a broken source */
	enum rbs_code code;
};

static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		abort();
	return memory;
}

static bool in_module(const char *have, const char *wanted)
{
	return !have || (wanted && !strcmp(have, wanted));
}

static enum rbs_code find_type(struct rbs_type_source *source, const char *module, const char *type,
			       const char *path, struct rbs_member *member, struct rbs_error *err)
{
	const struct fake_type *entry = ((struct fake_types *)source)->types;
	bool known = false;

	for (; entry->type; entry++) {
		if (strcmp(entry->type, type) || !in_module(entry->module, module))
			continue;
		known = true;
		if (path ? entry->path && !strcmp(entry->path, path) : !entry->path) {
			*member = entry->member;
			return RBS_OK;
		}
	}
	if (!known)
		return rbs_error_set(err, RBS_NO_TYPES, "struct %s is not known", type);
	return rbs_error_set(err, RBS_NO_MEMBER, "struct %s has no %s", type, path ? path : "size");
}

static enum rbs_code find_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	struct rbs_member member;
	enum rbs_code code = find_type(source, module, type, NULL, &member, err);

	if (code == RBS_OK)
		*size = member.size;
	return code;
}

static enum rbs_code find_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	const struct fake_enumerator *entry = ((struct fake_types *)source)->enumerators;

	(void)module;
	for (; entry && entry->name; entry++) {
		if (strcmp(entry->name, name))
			continue;
		if (type && (!entry->type || strcmp(entry->type, type)))
			continue;
		*value = entry->value;
		return RBS_OK;
	}
	return rbs_error_set(err, RBS_NO_TYPES, "no enumerator %s", name);
}

static void destroy_types(struct rbs_type_source *source)
{
	free(source);
}

static const struct rbs_type_source_ops fake_type_ops = {
	.name = "fake",
	.find_member = find_type,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = destroy_types,
};

struct rbs_type_source *fake_types_create(const struct fake_type *types,
					  const struct fake_enumerator *enumerators)
{
	struct fake_types *fake = allocate(sizeof(*fake));

	fake->source.ops = &fake_type_ops;
	fake->types = types;
	fake->enumerators = enumerators;
	return &fake->source;
}

static enum rbs_code find_symbol(struct rbs_symbol_source *source, const char *module,
				 const char *name, uint64_t *address, struct rbs_error *err)
{
	struct fake_symbols *fake = (struct fake_symbols *)source;

	if (!fake->symbols)
		return rbs_error_set(err, fake->code, "the fake source is broken");
	for (const struct fake_symbol *symbol = fake->symbols; symbol->name; symbol++) {
		if (strcmp(symbol->name, name) || !symbol->module != !module ||
		    (module && strcmp(symbol->module, module)))
			continue;
		*address = symbol->address;
		return RBS_OK;
	}
	return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s", name);
}

static enum rbs_code name_symbol(struct rbs_symbol_source *source, uint64_t address, char *buffer,
				 size_t size, struct rbs_error *err)
{
	struct fake_symbols *fake = (struct fake_symbols *)source;

	if (!fake->symbols)
		return rbs_error_set(err, fake->code, "the fake source is broken");
	for (const struct fake_symbol *symbol = fake->symbols; symbol->name; symbol++) {
		if (symbol->address == address) {
			snprintf(buffer, size, "%s", symbol->name);
			return RBS_OK;
		}
	}
	return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol there");
}

static void destroy_symbols(struct rbs_symbol_source *source)
{
	free(source);
}

static const struct rbs_symbol_source_ops fake_symbol_ops = {
	.name = "fake",
	.find = find_symbol,
	.name_at = name_symbol,
	.destroy = destroy_symbols,
};

struct rbs_symbol_source *fake_symbols_create(const struct fake_symbol *symbols)
{
	struct fake_symbols *fake = allocate(sizeof(*fake));

	fake->source.ops = &fake_symbol_ops;
	fake->symbols = symbols;
	return &fake->source;
}

struct rbs_symbol_source *fake_symbols_create_broken(enum rbs_code code)
{
	struct fake_symbols *fake = allocate(sizeof(*fake));

	fake->source.ops = &fake_symbol_ops;
	fake->code = code;
	return &fake->source;
}
