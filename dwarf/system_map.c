/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/system_map.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/elf_symbols.h"
#include "dwarf/kernel_shift.h"
#include "dwarf/symbol_table.h"

struct system_map {
	struct rbs_symbol_source source;
	char *text; /* the file; names in it are terminated in place */
	size_t size;
	struct rbs_symbol_table table;
};

/* Read the file and a NUL behind it. */
static enum rbs_code read_file(const char *path, char **text, size_t *size, struct rbs_error *err)
{
	FILE *file = fopen(path, "re");
	size_t capacity = 1u << 20;
	enum rbs_code code = RBS_OK;

	*text = NULL;
	*size = 0;
	if (!file)
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	while (code == RBS_OK) {
		char *grown = realloc(*text, capacity + 1);
		size_t got;

		if (!grown) {
			code = rbs_error_set(err, RBS_NOMEM, "%s: out of memory", path);
			break;
		}
		*text = grown;
		errno = 0;
		got = fread(grown + *size, 1, capacity - *size, file);
		*size += got;
		grown[*size] = '\0';
		if (ferror(file))
			code = rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
		else if (*size < capacity)
			break;
		else if (capacity >= RBS_SYSTEM_MAP_LIMIT)
			code = rbs_error_set(err, RBS_UNSUPPORTED,
					     "%s is larger than any System.map", path);
		capacity *= 2;
	}
	fclose(file);
	return code;
}

struct map_line {
	uint64_t address;
	char type;
	char *name;
	size_t length;
	bool in_module;
};

/* False for a line of another form. The line is terminated. */
static bool parse_line(char *line, struct map_line *parsed)
{
	char *at;

	if (!isxdigit((unsigned char)*line))
		return false;
	errno = 0;
	parsed->address = strtoull(line, &at, 16);
	if (errno || at - line > 16 || at[0] != ' ' || !isgraph((unsigned char)at[1]) ||
	    at[2] != ' ')
		return false;
	parsed->type = at[1];
	parsed->name = at + 3;
	parsed->length = strcspn(parsed->name, " \t\r");
	for (size_t i = 0; i < parsed->length; i++)
		if (!isgraph((unsigned char)parsed->name[i]))
			return false;
	at = parsed->name + parsed->length;
	at += strspn(at, " \t\r");
	parsed->in_module = *at == '[';
	return parsed->length && (!*at || parsed->in_module);
}

static enum rbs_code parse(struct system_map *self, const char *path, struct rbs_error *err)
{
	size_t good = 0, bad = 0;
	char *line = self->text, *end = self->text + self->size;

	rbs_symbol_table_init(&self->table, self->text);
	while (line < end) {
		char *next = memchr(line, '\n', (size_t)(end - line));
		struct map_line parsed;

		if (!next)
			next = end;
		*next = '\0';
		/* A line cut short by a NUL of its own is no line of a map. */
		if (strlen(line) != (size_t)(next - line) || !parse_line(line, &parsed)) {
			bad += *line != '\0' || next != line;
		} else {
			good++;
			parsed.name[parsed.length] = '\0';
			if (!parsed.in_module &&
			    !rbs_symbol_table_add(
				    &self->table, (uint32_t)(parsed.name - self->text),
				    parsed.address, parsed.type == 'A' || parsed.type == 'a'))
				return rbs_error_set(err, RBS_NOMEM, "%s: out of memory", path);
		}
		line = next + 1;
	}
	if (!good && !bad)
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s is empty", path);
	if (bad > good)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s is not a System.map: %zu of its %zu lines are no "
				     "'ADDRESS TYPE NAME'",
				     path, bad, good + bad);
	if (!rbs_symbol_table_index(&self->table))
		return rbs_error_set(err, RBS_NOMEM, "%s: out of memory", path);
	return RBS_OK;
}

static enum rbs_code map_find(struct rbs_symbol_source *source, const char *module,
			      const char *name, uint64_t *address, struct rbs_error *err)
{
	struct system_map *self = (struct system_map *)source;

	if (!module && rbs_symbol_table_find(&self->table, name, address))
		return RBS_OK;
	return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in the System.map", name);
}

static enum rbs_code map_name_at(struct rbs_symbol_source *source, uint64_t address, char *buffer,
				 size_t size, struct rbs_error *err)
{
	struct system_map *self = (struct system_map *)source;
	const char *name = rbs_symbol_table_name_at(&self->table, address);

	if (!name)
		return rbs_error_set_at(err, RBS_NO_SYMBOL, address,
					"no symbol of the System.map is at %" PRIx64, address);
	snprintf(buffer, size, "%s", name);
	return RBS_OK;
}

static void map_destroy(struct rbs_symbol_source *source)
{
	struct system_map *self = (struct system_map *)source;

	rbs_symbol_table_deinit(&self->table);
	free(self->text);
	free(self);
}

static const struct rbs_symbol_source_ops map_ops = {
	.name = "System.map",
	.find = map_find,
	.name_at = map_name_at,
	.destroy = map_destroy,
};

enum rbs_code rbs_system_map_create(const char *path, struct rbs_target *target,
				    struct rbs_symbol_source **source, struct rbs_error *err)
{
	struct system_map *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->source.ops = &map_ops;
	code = read_file(path, &self->text, &self->size, err);
	if (code == RBS_OK)
		code = parse(self, path, err);
	if (code == RBS_OK)
		code = rbs_kernel_shift(&self->table, target, path, err);
	if (code != RBS_OK)
		map_destroy(&self->source);
	else
		*source = &self->source;
	return code;
}

enum rbs_code rbs_symbol_file_create(const char *path, struct rbs_target *target,
				     struct rbs_symbol_source **source, struct rbs_error *err)
{
	FILE *file = fopen(path, "re");
	char magic[4] = "";
	size_t got;

	if (!file)
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	got = fread(magic, 1, sizeof(magic), file);
	fclose(file);
	if (got == sizeof(magic) && !memcmp(magic, "\177ELF", sizeof(magic)))
		return rbs_elf_symbols_create(path, target, source, err);
	return rbs_system_map_create(path, target, source, err);
}
