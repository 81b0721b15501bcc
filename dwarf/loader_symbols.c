/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/loader_symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/symbol_table.h"
#include "lib/bytes.h"

#define PAGE UINT64_C(4096)
#define RECORD_LIMIT 64
#define TYPE_RECORD "\2\0\0\0\13\0\0\0elf kernel"

enum { MODINFO_END = 0, MODINFO_NAME = 1, MODINFO_SSYM = 0x8003, MODINFO_ESYM = 0x8004 };

struct loader_symbols {
	struct rbs_symbol_source source;
	char *strings; /* owned */
	struct rbs_symbol_table table;
};

struct tables {
	struct rbs_target *target;
	uint64_t start, end; /* of both, as the metadata says; 0: it does not */
};

static uint64_t word_round(const struct tables *tables, uint64_t size)
{
	uint64_t word = tables->target->info.word_size;

	return (size + word - 1) / word * word;
}

/* The records that follow the kernel's type, up to the next file's name. */
static void records_read(struct tables *tables, uint64_t at)
{
	for (unsigned i = 0; i < RECORD_LIMIT; i++) {
		uint64_t type, length, word = tables->target->info.word_size, value;

		if (rbs_target_read_uint(tables->target, at, 4, &type, NULL) != RBS_OK ||
		    rbs_target_read_uint(tables->target, at + 4, 4, &length, NULL) != RBS_OK ||
		    type == MODINFO_END || (type == MODINFO_NAME && i) ||
		    length > RBS_LOADER_TABLE_LIMIT)
			return;
		if (length == word && (type == MODINFO_SSYM || type == MODINFO_ESYM) &&
		    rbs_target_read_uint(tables->target, at + 8, word, &value, NULL) == RBS_OK)
			*(type == MODINFO_SSYM ? &tables->start : &tables->end) = value;
		at += 8 + word_round(tables, length);
	}
}

/* A table and the word of its size before it; *at moves behind it. */
static enum rbs_code table_read(const struct tables *tables, uint64_t *at, char **bytes,
				uint64_t *size, struct rbs_error *err)
{
	uint64_t word = tables->target->info.word_size;
	enum rbs_code code = rbs_target_read_uint(tables->target, *at, word, size, err);

	*bytes = NULL;
	if (code != RBS_OK)
		return code;
	if (!*size || *size > RBS_LOADER_TABLE_LIMIT ||
	    (tables->end && (tables->end < *at + word || *size > tables->end - *at - word)))
		return rbs_error_set_at(err, RBS_CORRUPT, *at,
					"a symbol table of %" PRIu64 " bytes at %" PRIx64, *size,
					*at);
	*bytes = malloc(*size + 1);
	if (!*bytes)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	(*bytes)[*size] = '\0';
	code = rbs_target_read(tables->target, RBS_KERNEL_VIRTUAL, *at + word, *bytes, *size, err);
	*at += word + word_round(tables, *size);
	return code;
}

#define symbol_field(bytes, class, name)                                                           \
	rbs_bytes_little((bytes) + offsetof(Elf##class##_Sym, st_##name),                          \
			 sizeof(((Elf##class##_Sym *)0)->st_##name))

static bool symbol_add(struct loader_symbols *self, bool is_64, const char *bytes,
		       uint64_t strings_size)
{
	uint64_t name = is_64 ? symbol_field(bytes, 64, name) : symbol_field(bytes, 32, name);
	uint64_t value = is_64 ? symbol_field(bytes, 64, value) : symbol_field(bytes, 32, value);
	uint64_t info = is_64 ? symbol_field(bytes, 64, info) : symbol_field(bytes, 32, info);
	uint64_t section = is_64 ? symbol_field(bytes, 64, shndx) : symbol_field(bytes, 32, shndx);

	if (section == SHN_UNDEF || ELF64_ST_TYPE(info) == STT_FILE ||
	    ELF64_ST_TYPE(info) == STT_SECTION || name >= strings_size || !self->strings[name])
		return true;
	return rbs_symbol_table_add(&self->table, (uint32_t)name, value, section == SHN_ABS);
}

static enum rbs_code symbols_load(struct loader_symbols *self, const struct tables *tables,
				  struct rbs_error *err)
{
	bool is_64 = tables->target->info.word_size == 8;
	size_t each = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	uint64_t at = tables->start, size, strings_size;
	char *symbols;
	enum rbs_code code;

	if (tables->end && tables->end <= at)
		return rbs_error_set_at(err, RBS_CORRUPT, at, "a symbol table of no size");
	code = table_read(tables, &at, &symbols, &size, err);
	if (code == RBS_OK)
		code = table_read(tables, &at, &self->strings, &strings_size, err);
	if (code == RBS_OK)
		rbs_symbol_table_init(&self->table, self->strings);
	for (uint64_t i = 0; code == RBS_OK && i + each <= size; i += each) {
		if (!symbol_add(self, is_64, symbols + i, strings_size))
			code = rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	free(symbols);
	if (code == RBS_OK && !self->table.count)
		return rbs_error_set_at(err, RBS_CORRUPT, tables->start, "no symbols in the table");
	if (code == RBS_OK && !rbs_symbol_table_index(&self->table))
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	return code;
}

static enum rbs_code symbols_find(struct rbs_symbol_source *source, const char *module,
				  const char *name, uint64_t *address, struct rbs_error *err)
{
	struct loader_symbols *self = (struct loader_symbols *)source;

	if (!module && rbs_symbol_table_find(&self->table, name, address))
		return RBS_OK;
	return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in the kernel's own table", name);
}

static enum rbs_code symbols_name_at(struct rbs_symbol_source *source, uint64_t address,
				     char *buffer, size_t size, struct rbs_error *err)
{
	struct loader_symbols *self = (struct loader_symbols *)source;
	const char *name = rbs_symbol_table_name_at(&self->table, address);

	if (!name)
		return rbs_error_set_at(err, RBS_NO_SYMBOL, address, "no symbol starts at %" PRIx64,
					address);
	snprintf(buffer, size, "%s", name);
	return RBS_OK;
}

static void symbols_destroy(struct rbs_symbol_source *source)
{
	struct loader_symbols *self = (struct loader_symbols *)source;

	rbs_symbol_table_deinit(&self->table);
	free(self->strings);
	free(self);
}

static const struct rbs_symbol_source_ops symbols_ops = {
	.name = "loader",
	.find = symbols_find,
	.name_at = symbols_name_at,
	.destroy = symbols_destroy,
};

/* Metadata found at an address: what a stale copy says may not hold, and the search goes on. */
static enum rbs_code metadata_try(struct rbs_target *target, uint64_t at,
				  struct rbs_symbol_source **source, struct rbs_error *err)
{
	struct tables tables = {.target = target};
	struct loader_symbols *self;
	enum rbs_code code;

	records_read(&tables, at);
	if (!tables.start)
		return rbs_error_set_at(err, RBS_NO_SYMBOL, at,
					"the loader's metadata at %" PRIx64
					" does not say where the symbols are",
					at);
	self = calloc(1, sizeof(*self));
	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->source.ops = &symbols_ops;
	code = symbols_load(self, &tables, err);
	if (code == RBS_OK)
		*source = &self->source;
	else
		symbols_destroy(&self->source);
	return code;
}

enum rbs_code rbs_loader_symbols_create(struct rbs_target *target, uint64_t start, uint64_t end,
					struct rbs_symbol_source **source, struct rbs_error *err)
{
	enum rbs_code code = rbs_error_set(err, RBS_NO_SYMBOL,
					   "the loader's metadata is not in the dump's memory");

	for (uint64_t page = start; page < end; page += PAGE) {
		uint8_t bytes[PAGE];
		const uint8_t *at = bytes;

		if (rbs_target_interrupted(target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (rbs_target_read(target, RBS_KERNEL_VIRTUAL, page, bytes, sizeof(bytes), NULL) !=
		    RBS_OK)
			continue;
		while ((at = memmem(at, (size_t)(bytes + sizeof(bytes) - at), TYPE_RECORD,
				    sizeof(TYPE_RECORD)))) {
			code = metadata_try(target, page + (uint64_t)(at - bytes), source, err);
			if (code == RBS_OK || code == RBS_NOMEM)
				return code;
			at++;
		}
	}
	return code;
}
