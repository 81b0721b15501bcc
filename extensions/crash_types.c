/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extensions/crash_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extensions/crash_guard.h"
#include "extensions/crash_symbols.h"

#define WRAPPER_LIMIT 8 /* as in dwarf/type_path.c: structures around one scalar */
#define EXPRESSION_MAX 512

/* enum type_code of gdb/gdbtypes.h, the same from gdb 8 to 16. */
enum {
	GDB_POINTER = 1,
	GDB_ARRAY = 2,
	GDB_STRUCT = 3,
	GDB_UNION = 4,
	GDB_ENUM = 5,
	GDB_INT = 8,
	GDB_CHAR = 20,
	GDB_BOOL = 21,
};

/* What crash's own gdb command 'printm' says of an expression (print_command_2() in its patch). */
struct gdb_value {
	int code;
	int is_unsigned;
	uint64_t size;	 /* bytes, of a bit field's declared type */
	uint64_t offset; /* bytes from the base of the expression */
	uint64_t bit_offset, bit_size;
};

/* Structures asked about so far: looking a name up is what takes time. */
struct known_type {
	char *name;
	bool found;
	unsigned number; /* gdb's $rbstats_NUMBER is a null pointer to it */
	uint64_t size;
	struct known_type *next;
};

struct crash_types {
	struct rbs_type_source base;
	struct known_type *known;
	unsigned count;
};

static struct crash_types *crash_types_from(struct rbs_type_source *source)
{
	return (struct crash_types *)source;
}

static char *gdb_ask(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *gdb_ask(const char *format, ...)
{
	char command[EXPRESSION_MAX + 64];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return length < (int)sizeof(command) ? rbs_crash_gdb(command) : NULL;
}

static bool value_ask(const char *expression, struct gdb_value *value)
{
	char *text = gdb_ask("printm %s", expression);
	bool done = text && sscanf(text, "%d %d %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
				   &value->code, &value->is_unsigned, &value->size, &value->offset,
				   &value->bit_offset, &value->bit_size) == 6;

	free(text);
	return done;
}

static bool worth_asking(const struct rbs_type_source *source, const char *module)
{
	return !source->modules_only || (module && rbs_crash_module_is_loaded(module));
}

/* Nothing to say: see struct rbs_type_source_ops. */
static enum rbs_code not_asked(struct rbs_error *err)
{
	return rbs_error_set(err, RBS_NO_TYPES, "%s", "");
}

static enum rbs_code unknown(struct rbs_error *err, const char *name)
{
	if (rbs_crash_interrupted())
		return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
	return rbs_error_set(err, RBS_NO_TYPES, "crash's gdb has no %s", name);
}

static bool type_lookup(const char *name, unsigned number, uint64_t *size)
{
	static const char *const words[] = {"struct ", "union ", ""};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct gdb_value value;
		char pointer[32];
		char *text = gdb_ask("set $rbstats_%u = (%s%s *)0", number, words[i], name);

		if (!text)
			continue;
		free(text);
		snprintf(pointer, sizeof(pointer), "*$rbstats_%u", number);
		/* One that is declared and nowhere defined has no size. */
		if (value_ask(pointer, &value) && value.size) {
			*size = value.size;
			return true;
		}
	}
	return false;
}

static enum rbs_code type_find(struct crash_types *self, const char *name,
			       const struct known_type **type, struct rbs_error *err)
{
	struct known_type *known = self->known;

	while (known && strcmp(known->name, name))
		known = known->next;
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (known)
			known->name = strdup(name);
		if (!known || !known->name) {
			free(known);
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
		}
		known->number = self->count++;
		known->found = type_lookup(name, known->number, &known->size);
		known->next = self->known;
		self->known = known;
	}
	*type = known;
	return known->found ? RBS_OK : unknown(err, name);
}

static enum rbs_kind kind_of(const struct gdb_value *value)
{
	switch (value->code) {
	case GDB_POINTER:
		return RBS_KIND_POINTER;
	case GDB_ARRAY:
		return RBS_KIND_ARRAY;
	case GDB_STRUCT:
	case GDB_UNION:
		return RBS_KIND_STRUCT;
	case GDB_ENUM:
	case GDB_INT:
	case GDB_CHAR:
	case GDB_BOOL:
		return RBS_KIND_INT;
	default:
		return RBS_KIND_OTHER;
	}
}

/*
 * The first member in what ptype prints of a small structure: the word before the first ';' or '['.
 * Should it be no member (of an inner structure with a name, say), gdb will refuse it.
 */
static bool first_member(const char *text, char *name, size_t size)
{
	const char *end = strchr(text, '{');
	size_t length = 0;

	end = end ? strpbrk(end, ";[") : NULL;
	if (!end)
		return false;
	while (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789",
		      end[-1 - (ptrdiff_t)length]))
		length++;
	snprintf(name, size, "%.*s", (int)length, end - length);
	return length;
}

/*
 * A structure of up to 8 bytes whose first member fills it is that member: atomic_t, u64_stats_t,
 * LTTng's v_atomic. What is no scalar in the end is left as it was.
 */
static void unwrap(const char *expression, struct gdb_value *value)
{
	struct gdb_value inner = *value;
	char path[EXPRESSION_MAX];

	snprintf(path, sizeof(path), "%s", expression);
	for (unsigned i = 0; i < WRAPPER_LIMIT; i++) {
		enum rbs_kind kind = kind_of(&inner);
		size_t length = strlen(path);
		char member[128];
		char *text;
		bool named;

		if (kind == RBS_KIND_INT || kind == RBS_KIND_POINTER) {
			*value = inner;
			return;
		}
		if (kind != RBS_KIND_STRUCT || inner.size > 8)
			return;
		text = gdb_ask("ptype %s", path);
		named = text && first_member(text, member, sizeof(member));
		free(text);
		if (!named || length + strlen(member) + 2 > sizeof(path))
			return;
		snprintf(path + length, sizeof(path) - length, ".%s", member);
		if (!value_ask(path, &inner) || inner.size != value->size ||
		    inner.offset != value->offset || inner.bit_size)
			return;
	}
}

/* The smallest aligned unit that holds the bits, as dwarf/type_path.c chooses it. */
static enum rbs_code bits_describe(const struct gdb_value *value, struct rbs_member *member,
				   struct rbs_error *err)
{
	uint64_t first = 8 * value->offset + value->bit_offset;
	uint64_t bits = value->bit_size;
	uint64_t unit = 1, shift;

	while (unit <= 8 && first / (8 * unit) != (first + bits - 1) / (8 * unit))
		unit *= 2;
	if (unit > 8 || bits > 64)
		return rbs_error_set(err, RBS_LIMIT, "a packed bit field that no unit holds");
	member->offset = first / (8 * unit) * unit;
	member->size = unit;
	member->element_size = unit;
	shift = first - 8 * member->offset;
	if (__BYTE_ORDER == __BIG_ENDIAN)
		shift = 8 * unit - shift - bits;
	member->bit_offset = (uint8_t)shift;
	member->bit_size = (uint8_t)bits;
	return RBS_OK;
}

static enum rbs_code array_describe(const char *expression, struct rbs_member *member,
				    struct rbs_error *err)
{
	char element[EXPRESSION_MAX + 4];
	struct gdb_value value;

	snprintf(element, sizeof(element), "%s[0]", expression);
	if (!value_ask(element, &value))
		return unknown(err, expression);
	member->element_size = value.size;
	member->count = value.size ? member->size / value.size : 0;
	return RBS_OK;
}

static enum rbs_code member_describe(const char *expression, struct gdb_value *value,
				     struct rbs_member *member, struct rbs_error *err)
{
	if (!value->bit_size)
		unwrap(expression, value);
	*member = (struct rbs_member){
		.offset = value->offset,
		.size = value->size,
		.count = 1,
		.element_size = value->size,
		.kind = kind_of(value),
	};
	if (member->kind == RBS_KIND_ARRAY)
		return array_describe(expression, member, err);
	member->is_signed = member->kind == RBS_KIND_INT && !value->is_unsigned;
	return value->bit_size ? bits_describe(value, member, err) : RBS_OK;
}

static enum rbs_code find_member(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	char expression[EXPRESSION_MAX];
	const struct known_type *known;
	struct gdb_value value;
	enum rbs_code code;

	if (!worth_asking(source, module))
		return not_asked(err);
	code = type_find(crash_types_from(source), type, &known, err);
	if (code != RBS_OK)
		return code;
	if (snprintf(expression, sizeof(expression), "$rbstats_%u->%s", known->number, path) >=
	    EXPRESSION_MAX / 2)
		return rbs_error_set(err, RBS_LIMIT, "%s is too long a path", path);
	if (value_ask(expression, &value))
		return member_describe(expression, &value, member, err);
	if (rbs_crash_interrupted())
		return unknown(err, type);
	return rbs_error_set(err, RBS_NO_MEMBER, "%s has no member %s", type, path);
}

static enum rbs_code find_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	const struct known_type *known;
	enum rbs_code code;

	if (!worth_asking(source, module))
		return not_asked(err);
	code = type_find(crash_types_from(source), type, &known, err);
	if (code == RBS_OK)
		*size = known->size;
	return code;
}

/* A name is that of one thing in C: an enumerator of another enum is not the one asked for. */
static bool enum_fits(const char *name, const char *type)
{
	char *text = gdb_ask("whatis %s", name);
	char tag[128];
	bool fits = text && sscanf(text, "type = enum %127[A-Za-z0-9_]", tag) == 1 &&
		    !strcmp(tag, type);

	free(text);
	return fits;
}

static enum rbs_code find_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	struct gdb_value found;
	char *text;
	bool done;

	if (!worth_asking(source, module))
		return not_asked(err);
	if (!value_ask(name, &found) || found.code != GDB_ENUM || (type && !enum_fits(name, type)))
		return unknown(err, name);
	text = gdb_ask("printf \"%%ld\\n\", (long)%s", name);
	done = text && sscanf(text, "%" SCNd64, value) == 1;
	free(text);
	return done ? RBS_OK : unknown(err, name);
}

static void types_destroy(struct rbs_type_source *source)
{
	struct crash_types *self = crash_types_from(source);

	while (self->known) {
		struct known_type *known = self->known;

		self->known = known->next;
		free(known->name);
		free(known);
	}
	free(self);
}

static const struct rbs_type_source_ops source_ops = {
	.name = "crash",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = types_destroy,
};

enum rbs_code rbs_crash_types_create(struct rbs_type_source **source, struct rbs_error *err)
{
	struct crash_types *self = calloc(1, sizeof(*self));

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->base.ops = &source_ops;
	self->base.fallback = true;
	*source = &self->base;
	return RBS_OK;
}
