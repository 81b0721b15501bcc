/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/kallsyms_tables.h"

#include <inttypes.h>
#include <stdlib.h>

enum rbs_code rbs_kallsyms_read_count(struct rbs_target *target, uint64_t num_syms, uint32_t *count,
				      struct rbs_error *err)
{
	uint64_t value;
	enum rbs_code code =
		rbs_target_read_uint(target, num_syms, target->info.word_size, &value, NULL);

	/* An unsigned int since "kallsyms: reduce size a little on 64-bit" (4.20), a long before. */
	if (code != RBS_OK || !value || value > RBS_KALLSYMS_LIMIT)
		code = rbs_target_read_uint(target, num_syms, 4, &value, err);
	if (code != RBS_OK)
		return code;
	if (!value || value > RBS_KALLSYMS_LIMIT)
		return rbs_error_set_at(err, RBS_CORRUPT, num_syms,
					"kallsyms: %" PRIu64 " symbols, expected 1 to %u", value,
					RBS_KALLSYMS_LIMIT);
	*count = (uint32_t)value;
	return RBS_OK;
}

/* A new buffer with a piece of the machine's memory. */
static enum rbs_code read_block(struct rbs_target *target, uint64_t address, size_t size,
				uint8_t **block, const char *what, struct rbs_error *err)
{
	enum rbs_code code;

	*block = malloc(size);
	if (!*block)
		return rbs_error_set(err, RBS_NOMEM, "kallsyms: no memory for %zu bytes of %s",
				     size, what);
	code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, address, *block, size, err);
	if (code != RBS_OK)
		rbs_error_prefix(err, "kallsyms: %s", what);
	return code;
}

static enum rbs_code read_tokens(struct rbs_kallsyms_tables *tables, struct rbs_target *target,
				 struct rbs_error *err)
{
	const struct rbs_kallsyms_layout *layout = &tables->layout;
	uint64_t size = layout->token_index - layout->token_table;
	uint8_t index[RBS_KALLSYMS_INDEX_SIZE];
	enum rbs_code code;

	/* The index follows its table in every release. */
	if (!size || size > RBS_KALLSYMS_TABLE_MAX)
		return rbs_error_set_at(err, RBS_CORRUPT, layout->token_table,
					"kallsyms: token table at %" PRIx64
					", but its index at %" PRIx64,
					layout->token_table, layout->token_index);
	code = read_block(target, layout->token_table, (size_t)size, &tables->token_text,
			  "token table", err);
	if (code != RBS_OK)
		return code;
	code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, layout->token_index, index,
			       sizeof(index), err);
	if (code != RBS_OK) {
		rbs_error_prefix(err, "kallsyms: token index");
		return code;
	}
	return rbs_kallsyms_codec_init(&tables->codec, target, tables->token_text, (size_t)size,
				       index, err);
}

static enum rbs_code read_names(struct rbs_kallsyms_tables *tables, struct rbs_target *target,
				struct rbs_error *err)
{
	const struct rbs_kallsyms_layout *layout = &tables->layout;
	/* The token table comes after the names in every release; what is between is small. */
	uint64_t size = layout->token_table - layout->names;

	if (size > RBS_KALLSYMS_NAMES_LIMIT || size < 2 * (uint64_t)tables->count)
		return rbs_error_set_at(err, RBS_CORRUPT, layout->names,
					"kallsyms: names of %" PRIu32 " symbols at %" PRIx64
					", but the token table at %" PRIx64,
					tables->count, layout->names, layout->token_table);
	tables->names_size = (size_t)size;
	return read_block(target, layout->names, tables->names_size, &tables->names, "names", err);
}

static enum rbs_code read_addresses(struct rbs_kallsyms_tables *tables, struct rbs_target *target,
				    struct rbs_error *err)
{
	const struct rbs_kallsyms_layout *layout = &tables->layout;
	size_t width = layout->addresses ? target->info.word_size : 4;
	uint64_t at = layout->addresses ? layout->addresses : layout->offsets;
	uint8_t *raw = NULL;
	enum rbs_code code = RBS_OK;

	if (!at)
		return rbs_error_set(err, RBS_NO_SYMBOL, "kallsyms: no table of addresses");
	if (!layout->addresses && layout->relative_base) {
		code = rbs_target_read_pointer(target, layout->relative_base, &tables->base, err);
		if (code != RBS_OK) {
			rbs_error_prefix(err, "kallsyms: relative base");
			return code;
		}
	}
	code = read_block(target, at, width * tables->count, &raw, "addresses", err);
	if (code == RBS_OK) {
		if (layout->addresses)
			tables->addresses = malloc(sizeof(uint64_t) * tables->count);
		else
			tables->offsets = malloc(sizeof(uint32_t) * tables->count);
		if (!tables->addresses && !tables->offsets)
			code = rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	}
	for (uint32_t i = 0; code == RBS_OK && i < tables->count; i++) {
		uint64_t value = rbs_target_get_uint(target, raw + width * i, width);

		if (tables->addresses)
			tables->addresses[i] = value;
		else if (tables->offsets)
			tables->offsets[i] = (uint32_t)value;
	}
	free(raw);
	return code;
}

/* Symbol types of nm that are not code: initialised data and bss. */
static bool is_data(char type)
{
	return type == 'd' || type == 'D' || type == 'b' || type == 'B';
}

/* Walk all names once. *stext gets the index of _stext. */
static enum rbs_code decode_names(struct rbs_kallsyms_tables *tables, uint32_t *stext,
				  struct rbs_error *err)
{
	const uint32_t wanted = rbs_kallsyms_hash("_stext");
	size_t position = 0;
	bool found = false;

	tables->data_count = 0;
	for (uint32_t i = 0; i < tables->count; i++) {
		struct rbs_kallsyms_entry entry;
		char type;

		if (!rbs_kallsyms_entry_at(&tables->codec, tables->names, tables->names_size,
					   position, &entry))
			return rbs_error_set_at(err, RBS_CORRUPT, tables->layout.names + position,
						"kallsyms: the names run over their end at "
						"symbol %" PRIu32 " of %" PRIu32,
						i, tables->count);
		if (!rbs_kallsyms_entry_hash(&tables->codec, &entry, &type, &tables->hashes[i]))
			return rbs_error_set_at(
				err, RBS_CORRUPT, tables->layout.names + position,
				"kallsyms: the name of symbol %" PRIu32 " makes no sense", i);
		tables->positions[i] = (uint32_t)position;
		tables->data_count += is_data(type);
		if (!found && tables->hashes[i] == wanted &&
		    rbs_kallsyms_entry_equals(&tables->codec, &entry, "_stext")) {
			found = true;
			*stext = i;
		}
		position = entry.next;
	}
	if (!found)
		return rbs_error_set(err, RBS_CORRUPT,
				     "kallsyms: no _stext among %" PRIu32 " symbols",
				     tables->count);
	return RBS_OK;
}

static enum rbs_code choose_encoding(struct rbs_kallsyms_tables *tables, uint32_t index,
				     uint64_t stext, struct rbs_error *err)
{
	static const enum rbs_kallsyms_encoding words[] = {RBS_KALLSYMS_WORDS};
	static const enum rbs_kallsyms_encoding based[] = {RBS_KALLSYMS_ABSOLUTE_PERCPU,
							   RBS_KALLSYMS_BASE_RELATIVE};
	static const enum rbs_kallsyms_encoding placed[] = {RBS_KALLSYMS_PLACE_RELATIVE};
	const enum rbs_kallsyms_encoding *candidates = placed;
	size_t count = 1;

	if (tables->layout.addresses) {
		candidates = words;
	} else if (tables->layout.relative_base) {
		candidates = based;
		count = 2;
	}
	for (size_t i = 0; i < count; i++) {
		tables->encoding = candidates[i];
		if (rbs_kallsyms_address(tables, index) == stext)
			return RBS_OK;
	}
	return rbs_error_set_at(err, RBS_CORRUPT, stext,
				"kallsyms: _stext decodes as %" PRIx64
				", but VMCOREINFO says %" PRIx64,
				rbs_kallsyms_address(tables, index), stext);
}

static enum rbs_code load(struct rbs_kallsyms_tables *tables, struct rbs_target *target,
			  uint64_t stext, struct rbs_error *err)
{
	enum rbs_code code;
	uint32_t index = 0;

	code = rbs_kallsyms_read_count(target, tables->layout.num_syms, &tables->count, err);
	if (code == RBS_OK)
		code = read_tokens(tables, target, err);
	if (code == RBS_OK)
		code = read_names(tables, target, err);
	if (code == RBS_OK)
		code = read_addresses(tables, target, err);
	if (code != RBS_OK)
		return code;
	tables->positions = malloc(sizeof(uint32_t) * tables->count);
	tables->hashes = malloc(sizeof(uint32_t) * tables->count);
	if (!tables->positions || !tables->hashes)
		return rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	code = decode_names(tables, &index, err);
	if (code == RBS_CORRUPT) {
		/* Before 6.1, a name of 128 tokens or more had a length of one byte. */
		tables->codec.wide_lengths = false;
		if (decode_names(tables, &index, NULL) == RBS_OK) {
			rbs_error_clear(err);
			code = RBS_OK;
		}
	}
	return code == RBS_OK ? choose_encoding(tables, index, stext, err) : code;
}

enum rbs_code rbs_kallsyms_tables_init(struct rbs_kallsyms_tables *tables,
				       struct rbs_target *target,
				       const struct rbs_kallsyms_layout *layout, uint64_t stext,
				       struct rbs_error *err)
{
	enum rbs_code code;

	*tables = (struct rbs_kallsyms_tables){.layout = *layout};
	code = load(tables, target, stext, err);
	if (code != RBS_OK)
		rbs_kallsyms_tables_deinit(tables);
	return code;
}

void rbs_kallsyms_tables_deinit(struct rbs_kallsyms_tables *tables)
{
	free(tables->names);
	free(tables->token_text);
	free(tables->offsets);
	free(tables->addresses);
	free(tables->positions);
	free(tables->hashes);
	*tables = (struct rbs_kallsyms_tables){.count = 0};
}

bool rbs_kallsyms_is_absolute(const struct rbs_kallsyms_tables *tables, uint32_t index)
{
	return tables->encoding == RBS_KALLSYMS_ABSOLUTE_PERCPU &&
	       (int32_t)tables->offsets[index] >= 0;
}

uint64_t rbs_kallsyms_address(const struct rbs_kallsyms_tables *tables, uint32_t index)
{
	uint32_t offset = tables->offsets ? tables->offsets[index] : 0;

	switch (tables->encoding) {
	case RBS_KALLSYMS_WORDS:
		return tables->addresses[index];
	case RBS_KALLSYMS_BASE_RELATIVE:
		return tables->base + offset;
	case RBS_KALLSYMS_ABSOLUTE_PERCPU:
		if ((int32_t)offset >= 0)
			return offset;
		/* base - 1 - offset, and -1 - offset is its complement. */
		return tables->base + (uint32_t)~offset;
	case RBS_KALLSYMS_PLACE_RELATIVE:
		break;
	}
	return tables->layout.offsets + 4 * (uint64_t)index + (uint64_t)(int64_t)(int32_t)offset;
}

void rbs_kallsyms_entry(const struct rbs_kallsyms_tables *tables, uint32_t index,
			struct rbs_kallsyms_entry *entry)
{
	rbs_kallsyms_entry_at(&tables->codec, tables->names, tables->names_size,
			      tables->positions[index], entry);
}
