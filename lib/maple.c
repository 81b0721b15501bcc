/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/maple.h"

#include <inttypes.h>

#define NODE_MASK 255
#define NODE_SLOTS_MAX 32

enum {
	M_ROOT,
	M_SLOTS,
	M_PIVOTS,
	M_RANGE_SLOTS,
	M_RANGE_PIVOTS,
	M_NODE_SIZE,
	M_COUNT,
};

static const struct rbs_layout_entry entries[M_COUNT] = {
	[M_ROOT] = {"maple_tree:ma_root"},
	[M_SLOTS] = {"maple_range_64:slot"},
	[M_PIVOTS] = {"maple_range_64:pivot"},
	[M_RANGE_SLOTS] = {"maple_arange_64:slot"},
	[M_RANGE_PIVOTS] = {"maple_arange_64:pivot"},
	[M_NODE_SIZE] = {"maple_node", RBS_SIZE},
};

/* enum maple_type */
enum {
	TYPE_DENSE,
	TYPE_LEAF,
	TYPE_RANGE,
	TYPE_ARANGE,
};

struct level {
	unsigned type, next, slots, pivots;
	uint64_t max; /* the highest index of the node */
	uint64_t slot[NODE_SLOTS_MAX], pivot[NODE_SLOTS_MAX];
};

struct walk {
	const struct rbs_maple_types *types;
	struct rbs_target *target;
	struct level levels[RBS_MAPLE_DEPTH];
	unsigned depth;
	size_t left;
	struct rbs_error *err;
};

enum rbs_code rbs_maple_types_init(struct rbs_maple_types *types, struct rbs_types *source,
				   struct rbs_error *err)
{
	*types = (struct rbs_maple_types){0};
	return rbs_layout_init(&types->layout, entries, M_COUNT, source, NULL, err);
}

void rbs_maple_types_deinit(struct rbs_maple_types *types)
{
	rbs_layout_deinit(&types->layout);
}

static bool entry_is_node(uint64_t entry)
{
	return (entry & 3) == 2 && entry > 4096;
}

static enum rbs_code array_read(struct walk *walk, unsigned id, uint64_t node, uint64_t *values,
				unsigned *count)
{
	const struct rbs_member *member = &walk->types->layout.slots[id].member;
	uint64_t word = member->element_size;
	uint8_t bytes[NODE_SLOTS_MAX * 8];
	enum rbs_code code;

	if (member->count > NODE_SLOTS_MAX || (word != 4 && word != 8))
		return rbs_error_set(walk->err, RBS_NO_MEMBER,
				     "maple_node is none that rbstats knows");
	code = rbs_target_read(walk->target, RBS_KERNEL_VIRTUAL,
			       node + rbs_layout_offset(&walk->types->layout, id), bytes,
			       member->count * word, walk->err);
	*count = (unsigned)member->count;
	for (unsigned i = 0; code == RBS_OK && i < *count; i++)
		values[i] = rbs_target_get_uint(walk->target, bytes + i * word, word);
	return code;
}

static enum rbs_code node_enter(struct walk *walk, uint64_t entry, uint64_t max)
{
	uint64_t node = entry & ~(uint64_t)NODE_MASK;
	unsigned type = entry >> 3 & 15;
	bool ranges = type == TYPE_ARANGE;
	struct level *level;
	enum rbs_code code;

	if (walk->depth == RBS_MAPLE_DEPTH || type == TYPE_DENSE || type > TYPE_ARANGE ||
	    (walk->depth && walk->levels[walk->depth - 1].type == TYPE_LEAF) || !walk->left)
		return rbs_error_set_at(walk->err, walk->left ? RBS_CORRUPT : RBS_LIMIT, node,
					"the tree of memory areas has a node at %" PRIx64
					" that does not belong there",
					node);
	walk->left--;
	level = &walk->levels[walk->depth];
	*level = (struct level){.type = type, .max = max};
	code = array_read(walk, ranges ? M_RANGE_SLOTS : M_SLOTS, node, level->slot, &level->slots);
	if (code == RBS_OK)
		code = array_read(walk, ranges ? M_RANGE_PIVOTS : M_PIVOTS, node, level->pivot,
				  &level->pivots);
	if (code == RBS_OK)
		walk->depth++;
	return code;
}

/*
 * The next slot of the node on top, and the highest index below it; false at its end. What lies
 * behind the end is not cleared, and the last slot may hold the node's own notes
 * (lib/maple_tree.c: mt_dump_range64).
 */
static bool slot_next(struct level *level, uint64_t *entry, uint64_t *max)
{
	unsigned slot = level->next;

	if (slot >= level->slots)
		return false;
	*max = slot < level->pivots ? level->pivot[slot] : level->max;
	if (slot && !*max)
		return false;
	*entry = level->slot[slot];
	level->next = *max >= level->max ? level->slots : slot + 1;
	return true;
}

enum rbs_code rbs_maple_walk(const struct rbs_maple_types *types, struct rbs_target *target,
			     uint64_t tree, size_t limit,
			     bool (*visit)(void *context, uint64_t entry), void *context,
			     struct rbs_error *err)
{
	struct walk walk = {.types = types, .target = target, .left = limit, .err = err};
	uint64_t entry, max;
	enum rbs_code code = rbs_layout_require(&types->layout, M_ROOT, target, tree, &entry, err);

	if (code == RBS_OK && entry_is_node(entry))
		code = node_enter(&walk, entry, UINT64_MAX);
	else if (code == RBS_OK && entry && !(entry & 3))
		visit(context, entry);
	while (code == RBS_OK && walk.depth) {
		struct level *level = &walk.levels[walk.depth - 1];

		if (rbs_target_interrupted(target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (!slot_next(level, &entry, &max))
			walk.depth--;
		else if (level->type != TYPE_LEAF && entry)
			code = node_enter(&walk, entry, max);
		else if (entry && !(entry & 3) && !visit(context, entry))
			return RBS_OK;
	}
	return code;
}
