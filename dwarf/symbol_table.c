/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#define NO_INDEX 0x7fffffffu /* the largest that fits the chains */

void rbs_symbol_table_init(struct rbs_symbol_table *table, const char *strings)
{
	*table = (struct rbs_symbol_table){.strings = strings};
}

void rbs_symbol_table_deinit(struct rbs_symbol_table *table)
{
	free(table->entries);
	free(table->heads);
	free(table->order);
	*table = (struct rbs_symbol_table){.strings = NULL};
}

bool rbs_symbol_table_add(struct rbs_symbol_table *table, uint32_t name, uint64_t address,
			  bool fixed)
{
	if (table->count == table->capacity) {
		uint32_t capacity = table->capacity ? table->capacity * 2 : 256;
		void *grown;

		if (capacity > NO_INDEX)
			return false;
		grown = reallocarray(table->entries, capacity, sizeof(*table->entries));
		if (!grown)
			return false;
		table->entries = grown;
		table->capacity = capacity;
	}
	table->entries[table->count++] = (struct rbs_symbol_entry){
		.address = address,
		.name = name,
		.fixed = fixed,
	};
	return true;
}

/* FNV-1a. */
static uint32_t hash_name(const char *name)
{
	uint32_t hash = 0x811c9dc5u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193u;
	return hash ^ hash >> 16;
}

bool rbs_symbol_table_index(struct rbs_symbol_table *table)
{
	uint32_t buckets = 1;

	while (buckets < table->count)
		buckets *= 2;
	table->mask = buckets - 1;
	table->heads = malloc(sizeof(*table->heads) * buckets);
	if (!table->heads)
		return false;
	for (uint32_t i = 0; i < buckets; i++)
		table->heads[i] = NO_INDEX;
	for (uint32_t i = 0; i < table->count; i++) {
		struct rbs_symbol_entry *entry = &table->entries[i];
		uint32_t *head =
			&table->heads[hash_name(table->strings + entry->name) & table->mask];

		entry->next = *head & NO_INDEX;
		*head = i;
	}
	return true;
}

bool rbs_symbol_table_find(const struct rbs_symbol_table *table, const char *name,
			   uint64_t *address)
{
	bool found = false;

	for (uint32_t i = table->heads[hash_name(name) & table->mask]; i != NO_INDEX;
	     i = table->entries[i].next) {
		const struct rbs_symbol_entry *entry = &table->entries[i];

		if (strcmp(table->strings + entry->name, name))
			continue;
		if (!found || entry->address < *address)
			*address = entry->address;
		found = true;
	}
	return found;
}

static int compare_addresses(const void *a, const void *b, void *context)
{
	const struct rbs_symbol_entry *entries = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (entries[left].address != entries[right].address)
		return entries[left].address < entries[right].address ? -1 : 1;
	return left < right ? -1 : left > right;
}

const char *rbs_symbol_table_name_at(struct rbs_symbol_table *table, uint64_t address)
{
	uint32_t low = 0, high = table->count;

	if (!table->count)
		return NULL;
	if (!table->order) {
		table->order = malloc(sizeof(*table->order) * table->count);
		if (!table->order)
			return NULL;
		for (uint32_t i = 0; i < table->count; i++)
			table->order[i] = i;
		qsort_r(table->order, table->count, sizeof(*table->order), compare_addresses,
			table->entries);
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (table->entries[table->order[middle]].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->count || table->entries[table->order[low]].address != address)
		return NULL;
	return table->strings + table->entries[table->order[low]].name;
}
