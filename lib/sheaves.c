/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/sheaves.h"

#include "lib/walk.h"

#define CAPACITY_LIMIT 32768 /* no slab has more objects */
#define BARN_LIMIT 4096	     /* MAX_FULL_SHEAVES is 10 */

enum {
	SC_SHEAVES,
	SC_COUNT,
};

static const struct rbs_layout_entry cache_entries[SC_COUNT] = {
	[SC_SHEAVES] = {"kmem_cache:cpu_sheaves", RBS_OPTIONAL},
};

enum {
	SP_CAPACITY,
	SP_NODES,
	SP_NODE_SIZE,
	SP_BARN_OF_POINTERS,
	SP_BARN_OF_NODE,
	SP_FULL,
	SP_MAIN,
	SP_SPARE,
	SP_RCU,
	SP_SIZE,
	SP_OBJECTS,
	SP_LINK,
	SP_COUNT,
};

static const struct rbs_layout_entry parts_entries[SP_COUNT] = {
	[SP_CAPACITY] = {"kmem_cache:sheaf_capacity"},
	/* "slab: decouple pointer to barn from kmem_cache_node", 7.1. */
	[SP_NODES] = {"kmem_cache:per_node|kmem_cache:node"},
	[SP_NODE_SIZE] = {"kmem_cache_per_node_ptrs", RBS_SIZE | RBS_OPTIONAL},
	[SP_BARN_OF_POINTERS] = {"kmem_cache_per_node_ptrs:barn", RBS_OPTIONAL},
	[SP_BARN_OF_NODE] = {"kmem_cache_node:barn", RBS_OPTIONAL},
	[SP_FULL] = {"node_barn:sheaves_full"},
	[SP_MAIN] = {"slub_percpu_sheaves:main"},
	[SP_SPARE] = {"slub_percpu_sheaves:spare"},
	[SP_RCU] = {"slub_percpu_sheaves:rcu_free"},
	[SP_SIZE] = {"slab_sheaf:size"},
	[SP_OBJECTS] = {"slab_sheaf:objects"},
	[SP_LINK] = {"slab_sheaf:barn_list"},
};

/* What is looked for, and where. */
struct search {
	const struct rbs_sheaves *sheaves;
	uint64_t cache, object, size;
	uint64_t capacity; /* objects of a sheaf of this cache, at most */
	bool found;
};

void rbs_sheaves_init(struct rbs_sheaves *sheaves, struct rbs_dump *dump,
		      const struct rbs_cpus *cpus)
{
	*sheaves = (struct rbs_sheaves){.dump = dump, .cpus = cpus};
	sheaves->code =
		rbs_layout_init(&sheaves->cache, cache_entries, SC_COUNT, &dump->types, NULL, NULL);
	if (sheaves->code == RBS_OK && rbs_layout_has(&sheaves->cache, SC_SHEAVES))
		sheaves->code = rbs_layout_init(&sheaves->parts, parts_entries, SP_COUNT,
						&dump->types, NULL, NULL);
}

void rbs_sheaves_deinit(struct rbs_sheaves *sheaves)
{
	rbs_layout_deinit(&sheaves->cache);
	rbs_layout_deinit(&sheaves->parts);
}

static enum rbs_code part_read(const struct search *search, unsigned id, uint64_t base,
			       uint64_t *number)
{
	return rbs_layout_require(&search->sheaves->parts, id, search->sheaves->dump->target, base,
				  number, NULL);
}

static enum rbs_code sheaf_search(struct search *search, uint64_t sheaf)
{
	struct rbs_target *target = search->sheaves->dump->target;
	uint64_t at = sheaf + rbs_layout_offset(&search->sheaves->parts, SP_OBJECTS);
	uint64_t count, object;
	enum rbs_code code = part_read(search, SP_SIZE, sheaf, &count);

	if (code == RBS_OK && count > search->capacity)
		code = RBS_CORRUPT;
	for (uint64_t i = 0; code == RBS_OK && i < count && !search->found; i++) {
		code = rbs_target_read_pointer(target, at + i * target->info.word_size, &object,
					       NULL);
		search->found = code == RBS_OK && object >= search->object &&
				object - search->object < search->size;
	}
	return code;
}

/* The up to three sheaves of a CPU. A cache that has none points at an empty one (7.0). */
static enum rbs_code cpu_search(struct search *search, uint64_t cpu)
{
	static const unsigned members[] = {SP_MAIN, SP_SPARE, SP_RCU};
	enum rbs_code code = RBS_OK;
	uint64_t sheaf;

	for (size_t i = 0; code == RBS_OK && i < sizeof(members) / sizeof(members[0]); i++) {
		code = part_read(search, members[i], cpu, &sheaf);
		if (code == RBS_OK && sheaf)
			code = sheaf_search(search, sheaf);
		else if (code == RBS_OK && members[i] == SP_MAIN)
			code = RBS_TORN;
	}
	return code;
}

static enum rbs_code barn_search(struct search *search, uint64_t barn)
{
	const struct rbs_layout *parts = &search->sheaves->parts;
	struct rbs_list_walk walk;
	enum rbs_code code = RBS_OK;
	uint64_t node;

	rbs_list_walk_init(&walk, search->sheaves->dump->target,
			   barn + rbs_layout_offset(parts, SP_FULL), BARN_LIMIT);
	while (code == RBS_OK && !search->found && rbs_list_walk_next(&walk, &node))
		code = sheaf_search(search, node - rbs_layout_offset(parts, SP_LINK));
	return code == RBS_OK ? walk.code : code;
}

/* How many places the cache has for nodes: the array is cut off behind the last node there is. */
static enum rbs_code nodes_count(const struct search *search, uint64_t places, uint64_t *count)
{
	struct rbs_dump *dump = search->sheaves->dump;
	uint64_t address, number;
	enum rbs_code code;

	*count = places;
	/* Without NUMA there is one, and nr_node_ids is no variable. */
	if (places == 1)
		return RBS_OK;
	code = rbs_symbols_find(&dump->symbols, NULL, "nr_node_ids", &address, NULL);
	if (code == RBS_OK)
		code = rbs_target_read_uint(dump->target, address, 4, &number, NULL);
	if (code == RBS_OK && (!number || number > places))
		code = RBS_CORRUPT;
	if (code == RBS_OK)
		*count = number;
	return code;
}

/* The barn of a node; 0 where the node has none. */
static enum rbs_code barn_find(const struct search *search, uint64_t place, uint64_t *barn)
{
	enum rbs_code code;
	uint64_t node;

	*barn = 0;
	if (rbs_layout_has(&search->sheaves->parts, SP_BARN_OF_POINTERS))
		return part_read(search, SP_BARN_OF_POINTERS, place, barn);
	code = rbs_target_read_pointer(search->sheaves->dump->target, place, &node, NULL);
	return code == RBS_OK && node ? part_read(search, SP_BARN_OF_NODE, node, barn) : code;
}

static enum rbs_code nodes_search(struct search *search)
{
	const struct rbs_layout *parts = &search->sheaves->parts;
	uint64_t size = rbs_layout_has(parts, SP_BARN_OF_POINTERS)
				? rbs_layout_size(parts, SP_NODE_SIZE)
				: search->sheaves->dump->target->info.word_size;
	uint64_t first = search->cache + rbs_layout_offset(parts, SP_NODES);
	uint64_t count, barn;
	enum rbs_code code =
		size ? nodes_count(search, rbs_layout_size(parts, SP_NODES) / size, &count)
		     : RBS_NO_TYPES;

	for (uint64_t i = 0; code == RBS_OK && i < count && !search->found; i++) {
		code = barn_find(search, first + i * size, &barn);
		if (code == RBS_OK && barn)
			code = barn_search(search, barn);
	}
	return code;
}

enum rbs_code rbs_sheaves_ask(const struct rbs_sheaves *sheaves, uint64_t cache, uint64_t object,
			      uint64_t size, bool *held)
{
	struct search search = {.sheaves = sheaves, .cache = cache, .object = object, .size = size};
	const struct rbs_cpus *cpus = sheaves->cpus;
	enum rbs_code code = sheaves->code;
	uint64_t area = 0;

	*held = false;
	if (code == RBS_OK && !rbs_layout_has(&sheaves->cache, SC_SHEAVES))
		return RBS_OK;
	if (code == RBS_OK)
		code = rbs_layout_require(&sheaves->cache, SC_SHEAVES, sheaves->dump->target, cache,
					  &area, NULL);
	/* Before 7.0 caches that keep none have no place for them either. */
	if (code != RBS_OK || !area)
		return code;
	code = part_read(&search, SP_CAPACITY, cache, &search.capacity);
	if (code == RBS_OK && search.capacity > CAPACITY_LIMIT)
		code = RBS_CORRUPT;
	for (uint32_t i = 0; code == RBS_OK && i < cpus->count && !search.found; i++) {
		if (cpus->possible[i])
			code = cpu_search(&search, area + cpus->offsets[i]);
	}
	if (code == RBS_OK && !search.found)
		code = nodes_search(&search);
	*held = search.found;
	return code;
}
