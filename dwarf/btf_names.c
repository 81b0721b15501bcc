/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/btf_names.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

static bool is_indexed(const struct btf_type *type)
{
	return type && type->name_off &&
	       (btf_is_composite(type) || btf_is_any_enum(type) || btf_is_typedef(type));
}

static const char *id_name(const struct btf *btf, uint32_t id)
{
	return btf__name_by_offset(btf, btf__type_by_id(btf, id)->name_off);
}

enum rbs_code rbs_btf_names_init(struct rbs_btf_names *names, const struct btf *btf,
				 uint32_t first_id, uint32_t end_id, struct rbs_error *err)
{
	uint32_t count = 0, size = 16;

	memset(names, 0, sizeof(*names));
	for (uint32_t id = first_id; id < end_id; id++)
		count += is_indexed(btf__type_by_id(btf, id));
	while (size < count)
		size *= 2;
	names->btf = btf;
	names->bucket_mask = size - 1;
	names->buckets = malloc(size * sizeof(*names->buckets));
	names->entries = calloc(count ? count : 1, sizeof(*names->entries));
	if (!names->buckets || !names->entries) {
		rbs_btf_names_deinit(names);
		return rbs_error_set(err, RBS_NOMEM, "out of memory for BTF names");
	}
	memset(names->buckets, 0xff, size * sizeof(*names->buckets));
	/* Backwards, because each becomes the first of its bucket. */
	for (uint32_t id = end_id; id-- > first_id;) {
		struct rbs_btf_entry *entry = &names->entries[names->entry_count];
		const char *name;
		uint32_t *bucket;

		if (!is_indexed(btf__type_by_id(btf, id)))
			continue;
		name = id_name(btf, id);
		if (!name)
			continue;
		bucket = &names->buckets[hash_name(name) & names->bucket_mask];
		entry->id = id;
		entry->next = *bucket;
		*bucket = names->entry_count++;
	}
	return RBS_OK;
}

void rbs_btf_names_deinit(struct rbs_btf_names *names)
{
	free(names->buckets);
	free(names->entries);
	memset(names, 0, sizeof(*names));
}

static struct rbs_btf_entry *first_from(const struct rbs_btf_names *names, uint32_t index,
					const char *name)
{
	while (index != RBS_BTF_NO_ENTRY) {
		struct rbs_btf_entry *entry = &names->entries[index];

		if (!strcmp(id_name(names->btf, entry->id), name))
			return entry;
		index = entry->next;
	}
	return NULL;
}

struct rbs_btf_entry *rbs_btf_names_first(const struct rbs_btf_names *names, const char *name)
{
	return first_from(names, names->buckets[hash_name(name) & names->bucket_mask], name);
}

struct rbs_btf_entry *rbs_btf_names_next(const struct rbs_btf_names *names,
					 const struct rbs_btf_entry *entry, const char *name)
{
	return first_from(names, entry->next, name);
}
