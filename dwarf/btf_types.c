/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_types.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "dwarf/btf_names.h"
#include "dwarf/btf_parse.h"

#define ALIAS_LIMIT 64

struct rbs_btf {
	struct btf *btf;
	uint32_t first_id; /* of the blob's own types */
	uint32_t end_id;
	unsigned word_size;
	/*
	 * Whether signed enums are marked. Before "bpf: Add enum64 support" and its companions
	 * (6.0) they were not, and a value of 32 bits was signed.
	 */
	bool marks_signed;
	struct rbs_shelf_region *region; /* borrowed; or NULL */
	const unsigned char *types;	 /* of the blob's own types, in libbpf's copy */
	uint64_t types_at, strings_at;	 /* offsets in the region */
	uint64_t strings_end; /* of the blob and what it is based on, as offsets of names */
	struct rbs_btf *base; /* borrowed; or NULL */
	struct rbs_graph graph;
	struct rbs_btf_names names;
};

/* Tell the region that a part of the description of type id was read. */
static void note_bytes(const struct rbs_btf *btf, uint64_t id, const void *bytes, size_t size)
{
	while (id < btf->first_id && btf->base)
		btf = btf->base;
	if (btf->region && id >= btf->first_id)
		rbs_shelf_region_use(btf->region,
				     btf->types_at +
					     (uint64_t)((const unsigned char *)bytes - btf->types),
				     size);
}

static void note_name(const struct rbs_btf *btf, uint32_t offset, const char *name)
{
	while (btf->base && offset < btf->base->strings_end)
		btf = btf->base;
	if (btf->region && name)
		rbs_shelf_region_use(btf->region,
				     btf->strings_at + offset -
					     (btf->base ? btf->base->strings_end : 0),
				     strlen(name) + 1);
}

/* A type's own words, and the one to three that follow in an integer, an array or the like. */
static void note_type(const struct rbs_btf *btf, uint64_t id, const struct btf_type *type)
{
	note_bytes(btf, id, type, sizeof(*type) + (btf_is_composite(type) ? 0 : 12));
}

static enum rbs_code get_type(const struct rbs_btf *btf, uint64_t id, const struct btf_type **type,
			      struct rbs_error *err)
{
	*type = id < btf->end_id ? btf__type_by_id(btf->btf, (uint32_t)id) : NULL;
	if (!*type)
		return rbs_error_set(err, RBS_CORRUPT, "BTF refers to type %llu of %u",
				     (unsigned long long)id, btf->end_id);
	note_type(btf, id, *type);
	return RBS_OK;
}

static enum rbs_code get_node(void *graph, uint64_t id, struct rbs_node *node,
			      struct rbs_error *err)
{
	const struct rbs_btf *btf = graph;
	const struct btf_type *type;
	enum rbs_code code = get_type(btf, id, &type, err);

	if (code)
		return code;
	memset(node, 0, sizeof(*node));
	if (!id)
		return RBS_OK;
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		node->kind = RBS_NODE_INT;
		node->size = type->size;
		node->is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		node->kind = RBS_NODE_INT;
		node->size = type->size;
		node->is_signed = btf_kflag(type);
		break;
	case BTF_KIND_PTR:
		node->kind = RBS_NODE_POINTER;
		node->size = btf->word_size;
		break;
	case BTF_KIND_ARRAY:
		node->kind = RBS_NODE_ARRAY;
		node->target = btf_array(type)->type;
		node->count = btf_array(type)->nelems;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		node->kind = RBS_NODE_RECORD;
		node->size = type->size;
		node->member_count = btf_vlen(type);
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		node->kind = RBS_NODE_ALIAS;
		node->target = type->type;
		break;
	case BTF_KIND_FLOAT:
		node->kind = RBS_NODE_OTHER;
		node->size = type->size;
		break;
	default:
		node->kind = RBS_NODE_OTHER;
		break;
	}
	return RBS_OK;
}

/*
 * Without the kind flag a bit field is told by its type alone, an integer of fewer bits than its
 * bytes have (btf.rst, "BTF_KIND_STRUCT").
 */
static enum rbs_code get_old_bit_field(const struct rbs_btf *btf, uint32_t id,
				       struct rbs_node_member *member, struct rbs_error *err)
{
	for (unsigned i = 0; i < ALIAS_LIMIT; i++) {
		const struct btf_type *type;
		enum rbs_code code = get_type(btf, id, &type, err);

		if (code)
			return code;
		if (btf_is_mod(type) || btf_is_typedef(type)) {
			id = type->type;
			continue;
		}
		if (btf_is_int(type) && btf_int_bits(type) != 8 * type->size) {
			member->bit_size = btf_int_bits(type);
			member->bit_offset += btf_int_offset(type);
		}
		return RBS_OK;
	}
	return RBS_OK; /* a circle of aliases: whoever uses the member finds it */
}

static enum rbs_code get_member(void *graph, uint64_t id, uint32_t index,
				struct rbs_node_member *member, struct rbs_error *err)
{
	const struct rbs_btf *btf = graph;
	const struct btf_type *type;
	const struct btf_member *raw;
	enum rbs_code code = get_type(btf, id, &type, err);

	if (code)
		return code;
	if (!btf_is_composite(type) || index >= btf_vlen(type))
		return rbs_error_set(err, RBS_CORRUPT, "BTF type %llu has no member %u",
				     (unsigned long long)id, index);
	raw = btf_members(type) + index;
	member->name = btf__name_by_offset(btf->btf, raw->name_off);
	note_bytes(btf, id, raw, sizeof(*raw));
	note_name(btf, raw->name_off, member->name);
	if (!member->name)
		return rbs_error_set(err, RBS_CORRUPT, "BTF type %llu: name of member %u is lost",
				     (unsigned long long)id, index);
	member->type = raw->type;
	member->bit_offset = btf_member_bit_offset(type, index);
	member->bit_size = btf_member_bitfield_size(type, index);
	if (btf_kflag(type))
		return RBS_OK;
	return get_old_bit_field(btf, raw->type, member, err);
}

static const struct rbs_graph_ops graph_ops = {
	.get_node = get_node,
	.get_member = get_member,
};

static bool is_signed_enum(const struct btf_type *type)
{
	return btf_is_enum64(type) || (btf_is_enum(type) && btf_kflag(type));
}

/* data was size bytes. */
static void region_init(struct rbs_btf *btf, struct rbs_shelf_region *region,
			const struct rbs_btf_blob_form *form, size_t size)
{
	btf->types_at = form->types_at;
	btf->strings_at = form->strings_at;
	btf->strings_end = form->strings_size + (btf->base ? btf->base->strings_end : 0);
	if (!region)
		return;
	rbs_shelf_region_use(region, 0, form->moved ? size : form->header_size);
	if (form->moved || btf->first_id == btf->end_id)
		return;
	btf->region = region;
	btf->types = (const unsigned char *)btf__type_by_id(btf->btf, btf->first_id);
}

enum rbs_code rbs_btf_create(void *data, size_t size, struct rbs_btf *base, unsigned word_size,
			     enum rbs_byte_order byte_order, struct rbs_shelf_region *region,
			     struct rbs_btf **result, struct rbs_error *err)
{
	struct rbs_btf_blob_form form;
	struct rbs_btf *btf;
	enum rbs_code code;

	btf = calloc(1, sizeof(*btf));
	if (!btf)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for BTF");
	code = rbs_btf_parse(data, size, base ? base->btf : NULL, byte_order, &form, err);
	if (code) {
		free(btf);
		return code;
	}
	btf->btf = form.btf;
	btf->first_id = base ? base->end_id : 1;
	btf->end_id = btf__type_cnt(btf->btf);
	btf->base = base;
	region_init(btf, region, &form, size);
	btf->word_size = word_size;
	btf->marks_signed = base && base->marks_signed;
	btf->graph = (struct rbs_graph){.ops = &graph_ops, .graph = btf, .byte_order = byte_order};
	for (uint32_t id = btf->first_id; id < btf->end_id && !btf->marks_signed; id++)
		btf->marks_signed = is_signed_enum(btf__type_by_id(btf->btf, id));
	code = rbs_btf_names_init(&btf->names, btf->btf, btf->first_id, btf->end_id, err);
	if (code) {
		rbs_btf_destroy(btf);
		return code;
	}
	*result = btf;
	return RBS_OK;
}

void rbs_btf_destroy(struct rbs_btf *btf)
{
	if (!btf)
		return;
	btf__free(btf->btf);
	rbs_btf_names_deinit(&btf->names);
	free(btf);
}

static const struct btf_type *entry_type(const struct rbs_btf *btf,
					 const struct rbs_btf_entry *entry)
{
	const struct btf_type *type = btf__type_by_id(btf->btf, entry->id);

	note_type(btf, entry->id, type);
	note_name(btf, type->name_off, btf__name_by_offset(btf->btf, type->name_off));
	return type;
}

/* The structure of that name that was chosen before, else the first; NULL when there is none. */
static struct rbs_btf_entry *find_record(const struct rbs_btf *btf, const char *name, bool *several)
{
	struct rbs_btf_entry *first = NULL;
	struct rbs_btf_entry *entry = rbs_btf_names_first(&btf->names, name);

	*several = false;
	for (; entry; entry = rbs_btf_names_next(&btf->names, entry, name)) {
		if (!btf_is_composite(entry_type(btf, entry)))
			continue;
		if (entry->chosen) {
			*several = false;
			return entry;
		}
		if (first)
			*several = true;
		else
			first = entry;
	}
	return first;
}

static struct rbs_btf_entry *find_typedef(const struct rbs_btf *btf, const char *name)
{
	struct rbs_btf_entry *entry = rbs_btf_names_first(&btf->names, name);

	while (entry && !btf_is_typedef(entry_type(btf, entry)))
		entry = rbs_btf_names_next(&btf->names, entry, name);
	return entry;
}

static enum rbs_code unknown_type(struct rbs_error *err, const char *type)
{
	return rbs_error_set(err, RBS_NO_TYPES, "no structure %s", type);
}

enum rbs_code rbs_btf_find_member(struct rbs_btf *btf, const char *type, const char *path,
				  struct rbs_member *member, struct rbs_error *err)
{
	bool several;
	struct rbs_btf_entry *entry = find_record(btf, type, &several);
	enum rbs_code code;

	if (!entry)
		entry = find_typedef(btf, type);
	if (!entry)
		return unknown_type(err, type);
	code = rbs_type_path_find(&btf->graph, entry->id, type, path, member, err);
	while (several && code == RBS_NO_MEMBER) {
		entry = rbs_btf_names_next(&btf->names, entry, type);
		if (!entry)
			return rbs_error_set(err, RBS_NO_MEMBER,
					     "none of the structures %s has a member %s", type,
					     path);
		if (btf_is_composite(entry_type(btf, entry)))
			code = rbs_type_path_find(&btf->graph, entry->id, type, path, member, err);
	}
	if (several && !code)
		entry->chosen = true;
	return code;
}

enum rbs_code rbs_btf_find_size(struct rbs_btf *btf, const char *type, uint64_t *size,
				struct rbs_error *err)
{
	bool several;
	struct rbs_btf_entry *entry = find_record(btf, type, &several);

	if (!entry)
		entry = find_typedef(btf, type);
	if (!entry)
		return unknown_type(err, type);
	return rbs_type_path_size(&btf->graph, entry->id, size, err);
}

static bool find_value(const struct rbs_btf *btf, const struct btf_type *type, const char *wanted,
		       int64_t *value)
{
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_enum64 *wide = btf_is_enum64(type) ? btf_enum64(type) + i : NULL;
		const struct btf_enum *narrow = wide ? NULL : btf_enum(type) + i;
		const char *name;

		name = btf__name_by_offset(btf->btf, wide ? wide->name_off : narrow->name_off);
		if (!name || strcmp(name, wanted))
			continue;
		note_type(btf, btf->first_id, type);
		note_bytes(btf, btf->first_id, wide ? (const void *)wide : narrow,
			   wide ? sizeof(*wide) : sizeof(*narrow));
		note_name(btf, wide ? wide->name_off : narrow->name_off, name);
		if (wide)
			*value = (int64_t)btf_enum64_value(wide);
		else if (btf_kflag(type) || !btf->marks_signed)
			*value = narrow->val;
		else
			*value = (uint32_t)narrow->val;
		return true;
	}
	return false;
}

enum rbs_code rbs_btf_find_enumerator(struct rbs_btf *btf, const char *type, const char *name,
				      int64_t *value, struct rbs_error *err)
{
	struct rbs_btf_entry *entry;
	bool known = false;

	if (!type) {
		for (uint32_t id = btf->first_id; id < btf->end_id; id++) {
			const struct btf_type *candidate = btf__type_by_id(btf->btf, id);

			if (btf_is_any_enum(candidate) && find_value(btf, candidate, name, value))
				return RBS_OK;
		}
		return rbs_error_set(err, RBS_NO_TYPES, "no enumerator %s", name);
	}
	entry = rbs_btf_names_first(&btf->names, type);
	for (; entry; entry = rbs_btf_names_next(&btf->names, entry, type)) {
		if (!btf_is_any_enum(entry_type(btf, entry)))
			continue;
		known = true;
		if (find_value(btf, entry_type(btf, entry), name, value))
			return RBS_OK;
	}
	if (known)
		return rbs_error_set(err, RBS_NO_MEMBER, "enum %s has no %s", type, name);
	return rbs_error_set(err, RBS_NO_TYPES, "no enum %s", type);
}

bool rbs_btf_is_ambiguous(const struct rbs_btf *btf, const char *type)
{
	const struct rbs_btf_entry *entry = rbs_btf_names_first(&btf->names, type);
	unsigned count = 0;

	for (; entry; entry = rbs_btf_names_next(&btf->names, entry, type))
		count += btf_is_composite(entry_type(btf, entry));
	return count > 1;
}
