/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/ctf_source.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/ctf_file.h"
#include "dwarf/type_path.h"

#define ALIAS_LIMIT 64
#define DIMENSION_LIMIT 16

struct ctf_source {
	struct rbs_type_source base;
	struct rbs_ctf_file file;
	struct rbs_graph graph;
	/* Of structures that share a name: which was taken, by id. */
	bool *chosen;
};

static bool is_alias(enum rbs_ctf_kind kind)
{
	return kind == RBS_CTF_TYPEDEF || kind == RBS_CTF_CONST || kind == RBS_CTF_VOLATILE ||
	       kind == RBS_CTF_RESTRICT;
}

/* CTF has an array of arrays for each dimension; the graph wants all of them together. */
static enum rbs_code array_fill(const struct rbs_ctf_file *file, const struct rbs_ctf_type *type,
				struct rbs_node *node, struct rbs_error *err)
{
	struct rbs_ctf_type at = *type;

	node->kind = RBS_NODE_ARRAY;
	node->count = 1;
	for (unsigned i = 0; i < DIMENSION_LIMIT; i++) {
		uint32_t element, count;
		enum rbs_code code;

		rbs_ctf_array_get(file, &at, &element, &count);
		node->count *= count;
		node->target = element;
		if (!element)
			return RBS_OK;
		code = rbs_ctf_type_get(file, element, &at, err);
		if (code != RBS_OK || at.kind != RBS_CTF_ARRAY)
			return code;
	}
	return rbs_error_set(err, RBS_CORRUPT, "CTF has an array of too many dimensions");
}

static enum rbs_code get_node(void *graph, uint64_t id, struct rbs_node *node,
			      struct rbs_error *err)
{
	const struct rbs_ctf_file *file = graph;
	struct rbs_ctf_type type;
	enum rbs_code code;
	unsigned bits;

	*node = (struct rbs_node){.kind = RBS_NODE_VOID};
	if (!id)
		return RBS_OK;
	code = rbs_ctf_type_get(file, id, &type, err);
	if (code != RBS_OK)
		return code;
	node->size = type.size;
	switch (type.kind) {
	case RBS_CTF_INTEGER:
		node->kind = RBS_NODE_INT;
		rbs_ctf_integer_get(file, &type, &bits, &node->is_signed);
		break;
	case RBS_CTF_ENUM:
		node->kind = RBS_NODE_INT;
		node->size = type.size ? type.size : 4;
		node->is_signed = true;
		break;
	case RBS_CTF_POINTER:
		node->kind = RBS_NODE_POINTER;
		node->size = file->word_size;
		break;
	case RBS_CTF_ARRAY:
		return array_fill(file, &type, node, err);
	case RBS_CTF_STRUCT:
	case RBS_CTF_UNION:
		node->kind = RBS_NODE_RECORD;
		node->member_count = type.count;
		break;
	default:
		node->kind = is_alias(type.kind) ? RBS_NODE_ALIAS : RBS_NODE_OTHER;
		node->target = type.target;
		break;
	}
	return RBS_OK;
}

/* A bit field is told by its type: an integer of fewer bits than its bytes have. */
static void bit_field_find(const struct rbs_ctf_file *file, uint32_t id,
			   struct rbs_node_member *member)
{
	for (unsigned i = 0; i < ALIAS_LIMIT && id; i++) {
		struct rbs_ctf_type type;
		unsigned bits;
		bool is_signed;

		if (rbs_ctf_type_get(file, id, &type, NULL) != RBS_OK)
			return;
		if (type.kind == RBS_CTF_INTEGER) {
			rbs_ctf_integer_get(file, &type, &bits, &is_signed);
			if (bits && bits < type.size * 8)
				member->bit_size = bits;
		}
		if (!is_alias(type.kind))
			return;
		id = type.target;
	}
}

static enum rbs_code get_member(void *graph, uint64_t id, uint32_t index,
				struct rbs_node_member *result, struct rbs_error *err)
{
	const struct rbs_ctf_file *file = graph;
	struct rbs_ctf_member member;
	struct rbs_ctf_type type;
	enum rbs_code code = rbs_ctf_type_get(file, id, &type, err);

	if (code != RBS_OK)
		return code;
	if ((type.kind != RBS_CTF_STRUCT && type.kind != RBS_CTF_UNION) || index >= type.count)
		return rbs_error_set(err, RBS_CORRUPT, "CTF type %llu has no member %u",
				     (unsigned long long)id, index);
	rbs_ctf_member_get(file, &type, index, &member);
	*result = (struct rbs_node_member){
		.name = member.name, .type = member.type, .bit_offset = member.bit_offset};
	bit_field_find(file, member.type, result);
	return RBS_OK;
}

static const struct rbs_graph_ops graph_ops = {.get_node = get_node, .get_member = get_member};

static struct ctf_source *source_of(struct rbs_type_source *source)
{
	return (struct ctf_source *)source;
}

static bool is_record(const struct rbs_ctf_type *type)
{
	return type->kind == RBS_CTF_STRUCT || type->kind == RBS_CTF_UNION;
}

/* The next type behind id with that name: a structure, or a typedef where aliases is set. */
static uint32_t named_next(const struct ctf_source *self, uint32_t id, const char *name,
			   bool aliases)
{
	for (id++; id <= self->file.type_count; id++) {
		struct rbs_ctf_type type;

		if (rbs_ctf_type_get(&self->file, id, &type, NULL) == RBS_OK &&
		    (aliases ? type.kind == RBS_CTF_TYPEDEF : is_record(&type)) &&
		    !strcmp(type.name, name))
			return id;
	}
	return 0;
}

static enum rbs_code unknown(const char *name, struct rbs_error *err)
{
	return rbs_error_set(err, RBS_NO_TYPES, "the kernel's CTF does not have %s", name);
}

/* Try each of that name until one has the member; once one was taken, no other is. */
static enum rbs_code record_ask(struct ctf_source *self, const char *name, bool aliases,
				const char *path, struct rbs_member *member, struct rbs_error *err)
{
	enum rbs_code code = RBS_NO_TYPES;
	uint32_t taken = 0;

	for (uint32_t id = named_next(self, 0, name, aliases); id && !taken;
	     id = named_next(self, id, name, aliases))
		taken = self->chosen[id] ? id : 0;
	for (uint32_t id = taken ? taken : named_next(self, 0, name, aliases); id;
	     id = taken ? 0 : named_next(self, id, name, aliases)) {
		code = rbs_type_path_find(&self->graph, id, name, path, member, err);
		if (code == RBS_OK)
			self->chosen[id] = true;
		if (code != RBS_NO_MEMBER && code != RBS_NO_TYPES)
			break;
	}
	return code;
}

static enum rbs_code find_member(struct rbs_type_source *source, const char *module,
				 const char *type, const char *path, struct rbs_member *member,
				 struct rbs_error *err)
{
	struct ctf_source *self = source_of(source);
	enum rbs_code code = record_ask(self, type, false, path, member, err);

	(void)module;
	if (code == RBS_NO_TYPES)
		code = record_ask(self, type, true, path, member, err);
	return code == RBS_NO_TYPES ? unknown(type, err) : code;
}

static enum rbs_code find_size(struct rbs_type_source *source, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	struct ctf_source *self = source_of(source);
	uint32_t id = named_next(self, 0, type, false);

	(void)module;
	if (!id)
		id = named_next(self, 0, type, true);
	return id ? rbs_type_path_size(&self->graph, id, size, err) : unknown(type, err);
}

/* Whether an enum goes by that name: its own, or a typedef's. */
static bool enum_named(const struct ctf_source *self, uint32_t id, const struct rbs_ctf_type *type,
		       const char *name)
{
	if (!name || !strcmp(type->name, name))
		return true;
	for (uint32_t alias = named_next(self, 0, name, true); alias;
	     alias = named_next(self, alias, name, true)) {
		struct rbs_ctf_type found;

		if (rbs_ctf_type_get(&self->file, alias, &found, NULL) == RBS_OK &&
		    found.target == id)
			return true;
	}
	return false;
}

static enum rbs_code find_enumerator(struct rbs_type_source *source, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	struct ctf_source *self = source_of(source);

	(void)module;
	for (uint32_t id = 1; id <= self->file.type_count; id++) {
		struct rbs_ctf_type found;

		if (rbs_ctf_type_get(&self->file, id, &found, NULL) != RBS_OK ||
		    found.kind != RBS_CTF_ENUM)
			continue;
		for (uint32_t i = 0; i < found.count; i++) {
			if (!strcmp(rbs_ctf_value_get(&self->file, &found, i, value), name) &&
			    enum_named(self, id, &found, type))
				return RBS_OK;
		}
	}
	return unknown(name, err);
}

static void destroy(struct rbs_type_source *source)
{
	struct ctf_source *self = source_of(source);

	rbs_ctf_file_close(&self->file);
	free(self->chosen);
	free(self);
}

static const struct rbs_type_source_ops source_ops = {
	.name = "ctf",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = destroy,
};

enum rbs_code rbs_ctf_source_create(const char *path, struct rbs_type_source **source,
				    struct rbs_error *err)
{
	struct ctf_source *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for CTF");
	self->base.ops = &source_ops;
	code = rbs_ctf_file_open(&self->file, path, err);
	if (code != RBS_OK) {
		free(self);
		return code;
	}
	self->graph = (struct rbs_graph){.ops = &graph_ops,
					 .graph = &self->file,
					 .byte_order = self->file.big_endian ? RBS_BIG_ENDIAN
									     : RBS_LITTLE_ENDIAN};
	self->chosen = calloc(self->file.type_count + 1UL, sizeof(*self->chosen));
	if (!self->chosen) {
		destroy(&self->base);
		return rbs_error_set(err, RBS_NOMEM, "out of memory for CTF");
	}
	*source = &self->base;
	return RBS_OK;
}
