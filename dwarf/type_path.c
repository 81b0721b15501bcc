/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/type_path.h"

#include <string.h>

/* The kernel's longest alias chains are below 10, its deepest anonymous nests below 8. */
#define ALIAS_LIMIT 64
#define ARRAY_LIMIT 16
#define WRAPPER_LIMIT 16
#define ANONYMOUS_LIMIT 256
#define PATH_LIMIT 64

/* No kernel structure comes near; keeps sums of offsets away from overflow. */
#define SIZE_LIMIT (UINT64_C(1) << 40)

/* A type without its aliases. */
struct stripped {
	uint64_t id;
	struct rbs_node node;
};

static enum rbs_code strip(const struct rbs_graph *graph, uint64_t id, struct stripped *out,
			   struct rbs_error *err)
{
	for (unsigned i = 0; i < ALIAS_LIMIT; i++) {
		enum rbs_code code = graph->ops->get_node(graph->graph, id, &out->node, err);

		if (code)
			return code;
		if (out->node.kind != RBS_NODE_ALIAS) {
			out->id = id;
			return RBS_OK;
		}
		id = out->node.target;
	}
	return rbs_error_set(err, RBS_CORRUPT, "a type stands for itself in a circle");
}

static enum rbs_code multiply(uint64_t *size, uint64_t count, struct rbs_error *err)
{
	if (count && *size > SIZE_LIMIT / count)
		return rbs_error_set(err, RBS_CORRUPT, "an array of impossible size");
	*size *= count;
	return RBS_OK;
}

enum rbs_code rbs_type_path_size(const struct rbs_graph *graph, uint64_t id, uint64_t *size,
				 struct rbs_error *err)
{
	uint64_t total = 1;

	for (unsigned i = 0; i < ARRAY_LIMIT; i++) {
		struct stripped type;
		enum rbs_code code = strip(graph, id, &type, err);

		if (code)
			return code;
		if (type.node.kind != RBS_NODE_ARRAY) {
			*size = type.node.size;
			return multiply(size, total, err);
		}
		code = multiply(&total, type.node.count, err);
		if (code)
			return code;
		id = type.node.target;
	}
	return rbs_error_set(err, RBS_CORRUPT, "an array of itself");
}

/* A structure to be searched, and where it begins in the outermost one. */
struct place {
	uint64_t id;
	uint64_t bit_offset;
	uint32_t member_count;
	uint64_t size;
};

struct found {
	struct rbs_node_member member; /* bit_offset from the start of the outermost structure */
	uint64_t record_end;	       /* bytes */
};

static bool same_name(const char *name, const char *wanted, size_t length)
{
	return name && !strncmp(name, wanted, length) && !name[length];
}

static bool is_anonymous(const struct rbs_node_member *member)
{
	return !member->name || !member->name[0];
}

/* Append the anonymous structure that member is, if it is one, to the list of places to search. */
static enum rbs_code add_anonymous(const struct rbs_graph *graph,
				   const struct rbs_node_member *member, struct place *places,
				   size_t *count, struct rbs_error *err)
{
	struct stripped type;
	enum rbs_code code = strip(graph, member->type, &type, err);

	if (code)
		return code;
	if (type.node.kind != RBS_NODE_RECORD)
		return RBS_OK;
	if (*count == ANONYMOUS_LIMIT)
		return rbs_error_set(err, RBS_LIMIT,
				     "a structure with more than %d anonymous members",
				     ANONYMOUS_LIMIT);
	places[(*count)++] = (struct place){
		.id = type.id,
		.bit_offset = member->bit_offset,
		.member_count = type.node.member_count,
		.size = type.node.size,
	};
	return RBS_OK;
}

/*
 * Search a structure, and the anonymous ones inside it, for one name: breadth first over an
 * explicit list, so that a structure that contains itself cannot overflow the stack.
 */
static enum rbs_code find_name(const struct rbs_graph *graph, const struct place *start,
			       const char *name, size_t length, struct found *found,
			       struct rbs_error *err)
{
	struct place places[ANONYMOUS_LIMIT];
	size_t count = 1;

	places[0] = *start;
	for (size_t p = 0; p < count; p++) {
		for (uint32_t i = 0; i < places[p].member_count; i++) {
			struct rbs_node_member *member = &found->member;
			enum rbs_code code;

			code = graph->ops->get_member(graph->graph, places[p].id, i, member, err);
			if (code)
				return code;
			if (member->bit_offset > SIZE_LIMIT)
				return rbs_error_set(err, RBS_CORRUPT,
						     "a member at an impossible offset");
			member->bit_offset += places[p].bit_offset;
			if (same_name(member->name, name, length)) {
				found->record_end = places[p].bit_offset / 8 + places[p].size;
				return RBS_OK;
			}
			if (is_anonymous(member))
				code = add_anonymous(graph, member, places, &count, err);
			if (code)
				return code;
		}
	}
	return RBS_NO_MEMBER;
}

/*
 * Replace a structure whose first member fills it by that member, for as long as that goes on:
 * u64_stats_t is { local64_t { local_t { atomic_long_t { s64 counter } } } }, and v_atomic of LTTng
 * a union of the same.
 */
static enum rbs_code unwrap(const struct rbs_graph *graph, struct stripped *type,
			    struct rbs_error *err)
{
	struct stripped inner = *type;

	for (unsigned i = 0; i < WRAPPER_LIMIT; i++) {
		struct rbs_node_member member;
		uint64_t size = inner.node.size;
		enum rbs_code code;

		if (inner.node.kind == RBS_NODE_INT || inner.node.kind == RBS_NODE_POINTER) {
			*type = inner;
			return RBS_OK;
		}
		if (inner.node.kind != RBS_NODE_RECORD || !size || size > 8 ||
		    !inner.node.member_count)
			return RBS_OK;
		code = graph->ops->get_member(graph->graph, inner.id, 0, &member, err);
		if (code)
			return code;
		if (member.bit_size || member.bit_offset)
			return RBS_OK;
		code = strip(graph, member.type, &inner, err);
		if (code)
			return code;
		if (inner.node.size != size)
			return RBS_OK;
	}
	return RBS_OK;
}

/*
 * The smallest aligned unit of 1, 2, 4 or 8 bytes that holds the bits and, unlike the declared type
 * of a packed field, does not reach beyond the structure: its last byte may be the last of a
 * readable page.
 */
static enum rbs_code describe_bits(const struct rbs_graph *graph, const struct found *found,
				   struct rbs_member *member, struct rbs_error *err)
{
	uint64_t first = found->member.bit_offset;
	uint64_t bits = found->member.bit_size;
	uint64_t unit = 1, start, shift;

	if (bits > 64)
		return rbs_error_set(err, RBS_CORRUPT, "a bit field of %u bits",
				     found->member.bit_size);
	while (unit <= 8 && first / (8 * unit) != (first + bits - 1) / (8 * unit))
		unit *= 2;
	start = first / (8 * unit) * unit;
	if (unit > 8 || start + unit > found->record_end) {
		/* A packed structure: begin at the field's own byte, or earlier at the end. */
		for (unit = 1; 8 * unit < first % 8 + bits;)
			unit *= 2;
		start = first / 8;
		if (start + unit > found->record_end && found->record_end >= unit)
			start = found->record_end - unit;
	}
	if (unit > 8 || first - 8 * start + bits > 8 * unit)
		return rbs_error_set(err, RBS_LIMIT,
				     "a packed bit field that no 8-byte unit holds");
	shift = first - 8 * start;
	if (graph->byte_order == RBS_BIG_ENDIAN)
		shift = 8 * unit - shift - bits;
	member->offset = start;
	member->size = unit;
	member->element_size = unit;
	member->bit_offset = (uint8_t)shift;
	member->bit_size = (uint8_t)bits;
	return RBS_OK;
}

static enum rbs_code describe_array(const struct rbs_graph *graph, const struct rbs_node *array,
				    struct rbs_member *member, struct rbs_error *err)
{
	enum rbs_code code = rbs_type_path_size(graph, array->target, &member->element_size, err);

	if (code)
		return code;
	member->count = array->count;
	member->size = member->element_size;
	return multiply(&member->size, array->count, err);
}

static enum rbs_code describe(const struct rbs_graph *graph, const struct found *found,
			      struct stripped *type, struct rbs_member *member,
			      struct rbs_error *err)
{
	enum rbs_code code = unwrap(graph, type, err);

	if (code)
		return code;
	memset(member, 0, sizeof(*member));
	member->offset = found->member.bit_offset / 8;
	member->size = type->node.size;
	member->element_size = type->node.size;
	member->count = 1;
	member->is_signed = type->node.is_signed;
	switch (type->node.kind) {
	case RBS_NODE_INT:
		member->kind = RBS_KIND_INT;
		break;
	case RBS_NODE_POINTER:
		member->kind = RBS_KIND_POINTER;
		break;
	case RBS_NODE_RECORD:
		member->kind = RBS_KIND_STRUCT;
		break;
	case RBS_NODE_ARRAY:
		member->kind = RBS_KIND_ARRAY;
		return describe_array(graph, &type->node, member, err);
	default:
		member->kind = RBS_KIND_OTHER;
		break;
	}
	return found->member.bit_size ? describe_bits(graph, found, member, err) : RBS_OK;
}

static enum rbs_code no_member(struct rbs_error *err, const char *type, const char *path,
			       size_t length)
{
	if (!path[length])
		return rbs_error_set(err, RBS_NO_MEMBER, "%s has no member %s", type, path);
	return rbs_error_set(err, RBS_NO_MEMBER, "%s has no member %.*s (of %s)", type, (int)length,
			     path, path);
}

enum rbs_code rbs_type_path_find(const struct rbs_graph *graph, uint64_t id, const char *type,
				 const char *path, struct rbs_member *member, struct rbs_error *err)
{
	struct place place = {.bit_offset = 0};
	struct stripped current;
	const char *name = path;
	enum rbs_code code = strip(graph, id, &current, err);

	if (code)
		return code;
	if (current.node.kind != RBS_NODE_RECORD)
		return rbs_error_set(err, RBS_NO_TYPES, "%s is not a structure", type);
	for (unsigned depth = 0; depth < PATH_LIMIT; depth++) {
		size_t length = strcspn(name, ".");
		struct found found;

		if (!length)
			return rbs_error_set(err, RBS_USAGE, "malformed member path '%s'", path);
		place.id = current.id;
		place.member_count = current.node.member_count;
		place.size = current.node.size;
		code = find_name(graph, &place, name, length, &found, err);
		if (code == RBS_NO_MEMBER)
			return no_member(err, type, path, (size_t)(name - path) + length);
		if (code)
			return code;
		code = strip(graph, found.member.type, &current, err);
		if (code)
			return code;
		name += length;
		if (!*name)
			return describe(graph, &found, &current, member, err);
		if (current.node.kind != RBS_NODE_RECORD)
			return rbs_error_set(err, RBS_NO_MEMBER,
					     "%s: %.*s is not a structure (of %s)", type,
					     (int)(name - path), path, path);
		place.bit_offset = found.member.bit_offset;
		name++;
	}
	return rbs_error_set(err, RBS_USAGE, "member path '%s' is too deep", path);
}
