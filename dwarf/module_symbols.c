/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/module_symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/symbol_table.h"

/*
 * Made-up tables must not exhaust our memory. The largest module has tens of thousands of symbols.
 */
#define SYMBOLS_MAX (UINT32_C(1) << 20)		/* of a module */
#define SYMBOLS_TOTAL_MAX (UINT32_C(4) << 20)	/* of all modules */
#define STRINGS_MAX (UINT32_C(16) << 20)	/* bytes of a module's names */
#define STRINGS_TOTAL_MAX (UINT32_C(128) << 20) /* bytes of all modules' names */
#define NAME_MAX_BYTES 512			/* KSYM_NAME_LEN */
/* Stands for bytes that are missing: no name has it. Not 0, which would cut a name short. */
#define MISSING '\1'

struct damage {
	enum rbs_code code; /* RBS_OK: none */
	struct rbs_error error;
};

struct module_table {
	bool loaded;
	struct damage damage; /* why symbols are missing */
	char *strings;
	size_t strings_size;
	struct rbs_symbol_table table;
};

struct module_symbols {
	struct rbs_symbol_source source;
	struct rbs_target *target;
	const struct rbs_modules *modules;
	struct module_table *tables; /* one per module */
	size_t count;
	size_t symbols_left, strings_left;
};

/* The ELF symbol of the machine's word size (Elf32_Sym, Elf64_Sym). */
struct symbol_format {
	uint8_t size, section, value;
};

static const struct symbol_format format32 = {.size = 16, .section = 14, .value = 4};
static const struct symbol_format format64 = {.size = 24, .section = 6, .value = 8};

static void note_damage(struct damage *damage, enum rbs_code code, const struct rbs_error *error)
{
	if (damage->code == RBS_OK) {
		damage->code = code;
		damage->error = *error;
	}
}

/* Read what is there of a block; missing pages are filled, and the first one's reason noted. */
static void read_pages(struct rbs_target *target, uint64_t address, void *buffer, size_t size,
		       int filler, struct damage *damage)
{
	uint8_t *to = buffer;

	for (size_t done = 0; done < size;) {
		size_t page = (size_t)target->info.page_size;
		size_t piece = page - (size_t)((address + done) % page);
		struct rbs_error error;
		enum rbs_code code;

		if (piece > size - done)
			piece = size - done;
		code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, address + done, to + done, piece,
				       &error);
		if (code != RBS_OK) {
			memset(to + done, filler, piece);
			note_damage(damage, code, &error);
		}
		done += piece;
	}
}

/* How far the names of these symbols reach; those beyond any sense are noted. */
static size_t measure_strings(struct module_table *table, const struct rbs_target *target,
			      const struct symbol_format *format, const uint8_t *symbols,
			      uint32_t count)
{
	size_t last = 0;
	struct rbs_error error;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *symbol = symbols + (size_t)i * format->size;
		uint64_t name = rbs_target_get_uint(target, symbol, 4);

		if (!rbs_target_get_uint(target, symbol + format->section, 2))
			continue;
		if (name >= STRINGS_MAX) {
			rbs_error_set(&error, RBS_CORRUPT,
				      "symbol %" PRIu32 " has its name at byte %" PRIu64, i, name);
			note_damage(&table->damage, RBS_CORRUPT, &error);
		} else if (name > last) {
			last = (size_t)name;
		}
	}
	return last;
}

/* lost is why names are missing: noted when a symbol's name is among them. */
static bool add_symbols(struct module_table *table, const struct rbs_target *target,
			const struct symbol_format *format, const uint8_t *symbols, uint32_t count,
			const struct damage *lost)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *symbol = symbols + (size_t)i * format->size;
		uint64_t at = rbs_target_get_uint(target, symbol, 4);
		const char *name = table->strings + at;
		size_t length;

		/* Section 0 is an undefined symbol: another module's, or the kernel's. */
		if (!rbs_target_get_uint(target, symbol + format->section, 2) ||
		    at >= table->strings_size)
			continue;
		length = strnlen(name, NAME_MAX_BYTES);
		if (memchr(name, MISSING, length)) {
			note_damage(&table->damage, lost->code, &lost->error);
			continue;
		}
		if (!length || length == NAME_MAX_BYTES)
			continue;
		if (!rbs_symbol_table_add(&table->table, (uint32_t)at,
					  rbs_target_get_uint(target, symbol + format->value,
							      target->info.word_size),
					  true))
			return false;
	}
	return rbs_symbol_table_index(&table->table);
}

static void fail_table(struct module_table *table, enum rbs_code code, const char *what)
{
	struct rbs_error error;

	rbs_error_set(&error, code, "%s", what);
	note_damage(&table->damage, code, &error);
}

/* Allocate and read the names that these symbols have. */
static bool load_strings(struct module_symbols *self, struct module_table *table,
			 const struct rbs_module *module, size_t last, struct damage *lost)
{
	size_t size = last + NAME_MAX_BYTES;

	if (size > self->strings_left) {
		fail_table(table, RBS_LIMIT, "too many bytes of names in all modules");
		return false;
	}
	self->strings_left -= size;
	table->strings = malloc(size + 1);
	if (!table->strings) {
		fail_table(table, RBS_NOMEM, "out of memory");
		return false;
	}
	/* The last name ends somewhere behind its start: the page after need not exist. */
	read_pages(self->target, module->strtab, table->strings, size, MISSING, lost);
	table->strings[size] = '\0';
	table->strings_size = size;
	return true;
}

static void load_table(struct module_symbols *self, struct module_table *table,
		       const struct rbs_module *module)
{
	struct rbs_target *target = self->target;
	const struct symbol_format *format = target->info.word_size == 8 ? &format64 : &format32;
	uint32_t count = (uint32_t)module->symbol_count;
	size_t size = (size_t)count * format->size;
	struct damage lost = {.code = RBS_OK};
	uint8_t *symbols;
	size_t last;

	if (module->symbol_count > SYMBOLS_MAX || module->symbol_count > self->symbols_left) {
		fail_table(table, RBS_LIMIT, "more symbols than modules have");
		return;
	}
	self->symbols_left -= count;
	symbols = malloc(size ? size : 1);
	if (!symbols) {
		fail_table(table, RBS_NOMEM, "out of memory");
		return;
	}
	/* An all-zero symbol is an undefined one and is skipped. */
	read_pages(target, module->symtab, symbols, size, 0, &table->damage);
	last = measure_strings(table, target, format, symbols, count);
	if (load_strings(self, table, module, last, &lost)) {
		rbs_symbol_table_init(&table->table, table->strings);
		if (!add_symbols(table, target, format, symbols, count, &lost)) {
			rbs_symbol_table_deinit(&table->table);
			fail_table(table, RBS_NOMEM, "out of memory");
		}
	}
	free(symbols);
}

static struct module_table *get_table(struct module_symbols *self, const struct rbs_module *module)
{
	struct module_table *table = &self->tables[module - self->modules->modules];

	if (!table->loaded) {
		table->loaded = true;
		if (module->symtab && module->strtab)
			load_table(self, table, module);
		else if (module->symbols_code != RBS_OK)
			fail_table(table, module->symbols_code,
				   rbs_code_text(module->symbols_code));
	}
	return table;
}

static enum rbs_code module_find(struct rbs_symbol_source *source, const char *module,
				 const char *name, uint64_t *address, struct rbs_error *err)
{
	struct module_symbols *self = (struct module_symbols *)source;
	const struct rbs_module *loaded;
	struct module_table *table;

	if (!module)
		return rbs_error_set(err, RBS_NO_SYMBOL, "only modules' symbols here");
	loaded = rbs_modules_find(self->modules, module);
	if (!loaded && self->modules->incomplete.code != RBS_OK) {
		rbs_error_give(err, &self->modules->incomplete);
		rbs_error_prefix(err,
				 "whether module %s was loaded is not known, since the list of "
				 "modules cannot be read",
				 module);
		return self->modules->incomplete.code;
	}
	if (!loaded)
		return rbs_error_set(err, RBS_NO_SYMBOL, "module %s is not loaded", module);
	table = get_table(self, loaded);
	if (table->table.heads && rbs_symbol_table_find(&table->table, name, address))
		return RBS_OK;
	if (table->damage.code == RBS_OK)
		return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in module %s", name, module);
	rbs_error_give(err, &table->damage.error);
	rbs_error_prefix(err, "symbols of module %s", module);
	return table->damage.code;
}

static enum rbs_code module_name_at(struct rbs_symbol_source *source, uint64_t address,
				    char *buffer, size_t size, struct rbs_error *err)
{
	struct module_symbols *self = (struct module_symbols *)source;

	for (size_t i = 0; i < self->count; i++) {
		struct module_table *table = get_table(self, &self->modules->modules[i]);
		const char *name = rbs_symbol_table_name_at(&table->table, address);

		if (name) {
			snprintf(buffer, size, "%s", name);
			return RBS_OK;
		}
	}
	return rbs_error_set_at(err, RBS_NO_SYMBOL, address,
				"no symbol of a module starts at %" PRIx64, address);
}

static void module_destroy(struct rbs_symbol_source *source)
{
	struct module_symbols *self = (struct module_symbols *)source;

	for (size_t i = 0; i < self->count; i++) {
		rbs_symbol_table_deinit(&self->tables[i].table);
		free(self->tables[i].strings);
	}
	free(self->tables);
	free(self);
}

static const struct rbs_symbol_source_ops module_ops = {
	.name = "module kallsyms",
	.find = module_find,
	.name_at = module_name_at,
	.destroy = module_destroy,
};

enum rbs_code rbs_module_symbols_create(struct rbs_target *target,
					const struct rbs_modules *modules,
					struct rbs_symbol_source **source, struct rbs_error *err)
{
	struct module_symbols *self = calloc(1, sizeof(*self));

	if (self)
		self->tables = calloc(modules->count ? modules->count : 1, sizeof(*self->tables));
	if (!self || !self->tables) {
		free(self);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	self->source.ops = &module_ops;
	self->target = target;
	self->modules = modules;
	self->count = modules->count;
	self->symbols_left = SYMBOLS_TOTAL_MAX;
	self->strings_left = STRINGS_TOTAL_MAX;
	*source = &self->source;
	return RBS_OK;
}
