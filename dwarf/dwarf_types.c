/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_types.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER_LIMIT 65536
#define DIMENSION_LIMIT 16
#define ALIAS_LIMIT 16
#define SIZE_LIMIT (UINT64_C(1) << 37) /* bytes; leaves room to count bits */

/* A member as its entry says it; get_member() makes sense of it. */
struct raw_member {
	const char *name;
	uint64_t type;
	uint64_t location; /* bytes */
	uint64_t byte_size;
	uint64_t bit_size;
	int64_t bit_offset; /* DW_AT_bit_offset: from the unit's most significant bit */
	uint64_t data_bit_offset;
	bool has_byte_size;
	bool has_bit_offset;
	bool has_data_bit_offset;
};

struct rbs_dwarf_type {
	struct rbs_dwarf_type *next; /* in its bucket */
	uint64_t id;
	struct rbs_node node;
	struct raw_member *members;
	size_t capacity;
};

static enum rbs_code read_member(struct rbs_dwarf_object *object, Dwarf_Die die,
				 struct raw_member *member, struct rbs_error *err)
{
	uint64_t value;

	memset(member, 0, sizeof(*member));
	member->name = rbs_die_name(object, die);
	rbs_die_location(object, die, &member->location);
	rbs_die_number(object, die, DW_AT_bit_size, &member->bit_size);
	if (member->bit_size) {
		member->has_byte_size =
			rbs_die_number(object, die, DW_AT_byte_size, &member->byte_size);
		member->has_data_bit_offset = rbs_die_number(object, die, DW_AT_data_bit_offset,
							     &member->data_bit_offset);
		member->has_bit_offset = rbs_die_number(object, die, DW_AT_bit_offset, &value);
		if (member->has_bit_offset)
			member->bit_offset = (int64_t)value;
	}
	return rbs_die_type(object, die, &member->type, err);
}

static enum rbs_code add_member(struct rbs_dwarf_type *type, const struct raw_member *member,
				struct rbs_error *err)
{
	if (type->node.member_count == MEMBER_LIMIT)
		return rbs_error_set(err, RBS_LIMIT, "a structure of more than %d members",
				     MEMBER_LIMIT);
	if (type->node.member_count == type->capacity) {
		size_t capacity = type->capacity ? 2 * type->capacity : 16;
		void *grown = realloc(type->members, capacity * sizeof(*type->members));

		if (!grown)
			return rbs_error_set(err, RBS_NOMEM, "out of memory for a structure");
		type->members = grown;
		type->capacity = capacity;
	}
	type->members[type->node.member_count++] = *member;
	return RBS_OK;
}

static enum rbs_code read_record(struct rbs_dwarf_object *object, Dwarf_Die die,
				 struct rbs_dwarf_type *type, struct rbs_error *err)
{
	struct rbs_children children;
	enum rbs_code code = RBS_OK;

	if (rbs_die_has(object, die, DW_AT_declaration))
		return RBS_OK; /* stays RBS_NODE_OTHER */
	type->node.kind = RBS_NODE_RECORD;
	rbs_die_number(object, die, DW_AT_byte_size, &type->node.size);
	rbs_children_init(&children, object, die);
	while (!code && rbs_children_next(&children)) {
		struct raw_member member;

		if (children.tag != DW_TAG_member)
			continue;
		code = read_member(object, children.die, &member, err);
		if (!code)
			code = add_member(type, &member, err);
	}
	rbs_children_deinit(&children);
	if (!code && children.error.code) {
		code = children.error.code;
		rbs_error_give(err, &children.error);
	}
	return code;
}

/*
 * One dimension is a subrange with a count, or an upper bound one less; neither means a flexible
 * array, and so does the bound -1 of older compilers for [0].
 */
static uint64_t read_dimension(struct rbs_dwarf_object *object, Dwarf_Die die)
{
	uint64_t value;

	if (rbs_die_number(object, die, DW_AT_count, &value))
		return value;
	if (!rbs_die_number(object, die, DW_AT_upper_bound, &value))
		return 0;
	return value == UINT64_MAX || value == UINT32_MAX ? 0 : value + 1;
}

static enum rbs_code read_array(struct rbs_dwarf_object *object, Dwarf_Die die,
				struct rbs_node *node, struct rbs_error *err)
{
	struct rbs_children children;
	unsigned dimensions = 0;

	node->kind = RBS_NODE_ARRAY;
	rbs_children_init(&children, object, die);
	while (dimensions < DIMENSION_LIMIT && rbs_children_next(&children)) {
		uint64_t count;

		if (children.tag != DW_TAG_subrange_type)
			continue;
		count = read_dimension(object, children.die);
		if (!dimensions++)
			node->count = count;
		else if (count && node->count > SIZE_LIMIT / count)
			node->count = SIZE_LIMIT;
		else
			node->count *= count;
	}
	rbs_children_deinit(&children);
	if (children.error.code)
		return rbs_error_give(err, &children.error);
	return rbs_die_type(object, die, &node->target, err);
}

static bool is_signed_encoding(uint64_t encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* An enum has an encoding, or the type of the integers that it stands for. */
static bool is_signed_enum(struct rbs_dwarf_object *object, Dwarf_Die die)
{
	uint64_t encoding = 0, offset = 0;
	Dwarf_Die at = NULL;

	if (rbs_die_number(object, die, DW_AT_encoding, &encoding))
		return is_signed_encoding(encoding);
	for (unsigned i = 0; i < ALIAS_LIMIT; i++) {
		enum rbs_code code = rbs_die_type(object, at ? at : die, &offset, NULL);

		rbs_die_free(object, at);
		at = NULL;
		if (code || !offset || rbs_die_at(object, offset, &at, NULL))
			return false;
		if (rbs_die_number(object, at, DW_AT_encoding, &encoding))
			break;
	}
	rbs_die_free(object, at);
	return is_signed_encoding(encoding);
}

static enum rbs_code read_type(struct rbs_dwarf_object *object, Dwarf_Die die,
			       struct rbs_dwarf_type *type, struct rbs_error *err)
{
	struct rbs_node *node = &type->node;
	Dwarf_Error error = NULL;
	uint64_t encoding = 0;
	Dwarf_Half tag;

	if (dwarf_tag(die, &tag, &error) != DW_DLV_OK)
		return rbs_dwarf_error(object, error, "reading a type of its DWARF", err);
	node->kind = RBS_NODE_OTHER;
	switch (tag) {
	case DW_TAG_base_type:
		rbs_die_number(object, die, DW_AT_byte_size, &node->size);
		rbs_die_number(object, die, DW_AT_encoding, &encoding);
		if (encoding != DW_ATE_float && encoding != DW_ATE_complex_float)
			node->kind = RBS_NODE_INT;
		node->is_signed = is_signed_encoding(encoding);
		return RBS_OK;
	case DW_TAG_enumeration_type:
		if (rbs_die_has(object, die, DW_AT_declaration))
			return RBS_OK;
		node->kind = RBS_NODE_INT;
		rbs_die_number(object, die, DW_AT_byte_size, &node->size);
		node->is_signed = is_signed_enum(object, die);
		return RBS_OK;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
		node->kind = RBS_NODE_POINTER;
		if (!rbs_die_number(object, die, DW_AT_byte_size, &node->size))
			node->size = object->elf.is_64 ? 8 : 4;
		return RBS_OK;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return read_record(object, die, type, err);
	case DW_TAG_array_type:
		return read_array(object, die, node, err);
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		node->kind = RBS_NODE_ALIAS;
		return rbs_die_type(object, die, &node->target, err);
	default:
		return RBS_OK;
	}
}

static void type_free(struct rbs_dwarf_type *type)
{
	free(type->members);
	free(type);
}

static enum rbs_code get_type(struct rbs_dwarf_types *types, uint64_t id,
			      struct rbs_dwarf_type **result, struct rbs_error *err)
{
	struct rbs_dwarf_type **bucket = &types->buckets[id % RBS_DWARF_BUCKETS];
	struct rbs_dwarf_type *type = *bucket;
	enum rbs_code code;
	Dwarf_Die die;

	while (type && type->id != id)
		type = type->next;
	if (type) {
		*result = type;
		return RBS_OK;
	}
	type = calloc(1, sizeof(*type));
	if (!type)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for types");
	type->id = id;
	if (id) { /* else void, which has no entry */
		code = rbs_die_at(types->object, id, &die, err);
		if (!code) {
			code = read_type(types->object, die, type, err);
			rbs_die_free(types->object, die);
		}
		if (code) {
			type_free(type);
			return code;
		}
	}
	type->next = *bucket;
	*bucket = type;
	*result = type;
	return RBS_OK;
}

static enum rbs_code get_node(void *graph, uint64_t id, struct rbs_node *node,
			      struct rbs_error *err)
{
	struct rbs_dwarf_type *type;
	enum rbs_code code = get_type(graph, id, &type, err);

	if (!code)
		*node = type->node;
	return code;
}

/* Where a bit field begins, in memory order; up to DWARF 4 it was told by its storage unit. */
static enum rbs_code find_bit_offset(const struct rbs_dwarf_types *types,
				     const struct raw_member *raw, uint64_t *bit_offset,
				     struct rbs_error *err)
{
	uint64_t unit = raw->byte_size;
	int64_t start;

	if (raw->has_data_bit_offset) {
		*bit_offset = raw->data_bit_offset;
		return RBS_OK;
	}
	*bit_offset = 8 * raw->location;
	if (!raw->has_bit_offset)
		return RBS_OK;
	if (!raw->has_byte_size) {
		enum rbs_code code = rbs_type_path_size(&types->graph, raw->type, &unit, err);

		if (code)
			return code;
	}
	if (raw->bit_offset < -1024 || raw->bit_offset > 1024 || unit > 64 || raw->bit_size > 1024)
		return rbs_error_set(err, RBS_CORRUPT, "an impossible bit field");
	if (types->graph.byte_order == RBS_BIG_ENDIAN)
		start = raw->bit_offset;
	else
		start = 8 * (int64_t)unit - raw->bit_offset - (int64_t)raw->bit_size;
	if (start < 0 && (uint64_t)-start > *bit_offset)
		return rbs_error_set(err, RBS_CORRUPT, "a bit field before its structure");
	*bit_offset += (uint64_t)start;
	return RBS_OK;
}

static enum rbs_code get_member(void *graph, uint64_t id, uint32_t index,
				struct rbs_node_member *member, struct rbs_error *err)
{
	const struct rbs_dwarf_types *types = graph;
	const struct raw_member *raw;
	struct rbs_dwarf_type *type;
	enum rbs_code code = get_type(graph, id, &type, err);

	if (code)
		return code;
	if (index >= type->node.member_count)
		return rbs_error_set(err, RBS_CORRUPT, "a structure without member %u", index);
	raw = &type->members[index];
	if (raw->location > SIZE_LIMIT || raw->bit_size > UINT32_MAX)
		return rbs_error_set(err, RBS_CORRUPT, "a member at an impossible offset");
	member->name = raw->name;
	member->type = raw->type;
	member->bit_size = (uint32_t)raw->bit_size;
	return find_bit_offset(types, raw, &member->bit_offset, err);
}

static const struct rbs_graph_ops graph_ops = {
	.get_node = get_node,
	.get_member = get_member,
};

void rbs_dwarf_types_init(struct rbs_dwarf_types *types, struct rbs_dwarf_object *object)
{
	memset(types, 0, sizeof(*types));
	types->object = object;
	types->graph = (struct rbs_graph){
		.ops = &graph_ops, .graph = types, .byte_order = object->elf.byte_order};
}

void rbs_dwarf_types_deinit(struct rbs_dwarf_types *types)
{
	for (size_t i = 0; i < RBS_DWARF_BUCKETS; i++) {
		while (types->buckets[i]) {
			struct rbs_dwarf_type *type = types->buckets[i];

			types->buckets[i] = type->next;
			type_free(type);
		}
	}
}

/* Constants of fixed size are read as unsigned; those of a signed enum get their sign back. */
static bool get_value(struct rbs_dwarf_object *object, Dwarf_Die parent, Dwarf_Die die,
		      int64_t *value)
{
	uint64_t raw, size = 0;

	if (!rbs_die_number(object, die, DW_AT_const_value, &raw))
		return false;
	*value = (int64_t)raw;
	rbs_die_number(object, parent, DW_AT_byte_size, &size);
	if (size && size < 8 && is_signed_enum(object, parent)) {
		unsigned shift = 64 - 8 * (unsigned)size;

		*value = (int64_t)(raw << shift) >> shift;
	}
	return true;
}

enum rbs_code rbs_dwarf_enumerator(struct rbs_dwarf_types *types, Dwarf_Die parent,
				   const char *wanted, int64_t *value, struct rbs_error *err)
{
	struct rbs_dwarf_object *object = types->object;
	struct rbs_children children;
	bool found = false;

	rbs_children_init(&children, object, parent);
	while (!found && rbs_children_next(&children)) {
		const char *name = rbs_die_name(object, children.die);

		found = children.tag == DW_TAG_enumerator && name && !strcmp(name, wanted) &&
			get_value(object, parent, children.die, value);
	}
	rbs_children_deinit(&children);
	if (found)
		return RBS_OK;
	if (children.error.code)
		return rbs_error_give(err, &children.error);
	return rbs_error_set(err, RBS_NO_MEMBER, "no enumerator %s", wanted);
}
