/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/xarray.h"

#include <inttypes.h>

enum {
	XA_HEAD,
	XA_SHIFT,
	XA_SLOTS,
	XA_COUNT,
};

static const struct rbs_layout_entry entries[XA_COUNT] = {
	[XA_HEAD] = {"xarray:xa_head"},
	[XA_SHIFT] = {"xa_node:shift"},
	[XA_SLOTS] = {"xa_node:slots"},
};

enum rbs_code rbs_xarray_types_init(struct rbs_xarray_types *types, struct rbs_types *source,
				    struct rbs_error *err)
{
	enum rbs_code code;
	uint64_t word;

	*types = (struct rbs_xarray_types){0};
	code = rbs_layout_init(&types->layout, entries, XA_COUNT, source, NULL, err);
	if (code != RBS_OK)
		return code;
	word = types->layout.slots[XA_SLOTS].member.element_size;
	types->slots = (unsigned)types->layout.slots[XA_SLOTS].member.count;
	if ((word == 4 || word == 8) && types->slots && types->slots <= RBS_XARRAY_SLOTS)
		return RBS_OK;
	rbs_xarray_types_deinit(types);
	return rbs_error_set(err, RBS_NO_MEMBER, "xa_node's slots are none that rbstats knows");
}

void rbs_xarray_types_deinit(struct rbs_xarray_types *types)
{
	rbs_layout_deinit(&types->layout);
}

/* Entries whose lowest bits are 10 are the array's own; small ones are marks and siblings. */
static bool entry_is_internal(uint64_t entry)
{
	return (entry & 3) == 2;
}

static bool entry_is_node(uint64_t entry)
{
	return entry_is_internal(entry) && entry > 4096;
}

/* The slot that holds the entry which this one is a further index of; false for others. */
static bool entry_is_sibling(const struct rbs_xarray_types *types, uint64_t entry, uint64_t *slot)
{
	*slot = entry >> 2;
	return entry_is_internal(entry) && *slot + 1 < types->slots;
}

static bool walk_fail(struct rbs_xarray_walk *walk, enum rbs_code code)
{
	walk->code = code;
	return false;
}

static bool node_enter(struct rbs_xarray_walk *walk, uint64_t entry, uint64_t base)
{
	const struct rbs_layout *layout = &walk->types->layout;
	uint64_t node = entry - 2;
	uint64_t word = layout->slots[XA_SLOTS].member.element_size;
	uint8_t bytes[RBS_XARRAY_SLOTS * 8];
	struct rbs_value shift = rbs_layout_read(layout, XA_SHIFT, walk->target, node);
	enum rbs_code code;

	if (!rbs_value_ok(&shift))
		return walk_fail(walk,
				 rbs_error_set_at(&walk->error, shift.code, node,
						  "the array's node at %" PRIx64 " can't be read",
						  node));
	if (shift.number > 60 || walk->depth == RBS_XARRAY_DEPTH || !walk->left ||
	    (walk->depth && shift.number >= walk->stack[walk->depth - 1].shift))
		return walk_fail(walk, rbs_error_set_at(&walk->error,
							walk->left ? RBS_CORRUPT : RBS_LIMIT, node,
							"the array's node at %" PRIx64 " %s", node,
							walk->left ? "is no child of its parent"
								   : "is one too many"));
	code = rbs_target_read(walk->target, RBS_KERNEL_VIRTUAL,
			       node + rbs_layout_offset(layout, XA_SLOTS), bytes,
			       walk->types->slots * word, &walk->error);
	if (code != RBS_OK)
		return walk_fail(walk, rbs_error_prefix(&walk->error, "the array's node"));
	walk->left--;
	walk->stack[walk->depth].base = base;
	walk->stack[walk->depth].shift = (unsigned)shift.number;
	walk->stack[walk->depth].next = 0;
	for (unsigned i = 0; i < walk->types->slots; i++)
		walk->stack[walk->depth].slots[i] =
			rbs_target_get_uint(walk->target, bytes + i * word, word);
	walk->depth++;
	return true;
}

void rbs_xarray_walk_init(struct rbs_xarray_walk *walk, const struct rbs_xarray_types *types,
			  struct rbs_target *target, uint64_t array, size_t limit)
{
	struct rbs_value head;

	walk->types = types;
	walk->target = target;
	walk->depth = 0;
	walk->single = 0;
	walk->left = limit;
	walk->code = RBS_OK;
	head = rbs_layout_read(&types->layout, XA_HEAD, target, array);
	if (!rbs_value_ok(&head))
		walk->code = rbs_error_set_at(&walk->error, head.code, array,
					      "the array at %" PRIx64 " can't be read", array);
	else if (entry_is_node(head.number))
		node_enter(walk, head.number, 0);
	else
		walk->single = head.number;
}

/* A slot of the node on top; false when it holds nothing to show. */
static bool slot_take(struct rbs_xarray_walk *walk, struct rbs_xarray_entry *found)
{
	unsigned top = walk->depth - 1, slot = walk->stack[top].next++;
	unsigned shift = walk->stack[top].shift;
	uint64_t entry = walk->stack[top].slots[slot], at;
	uint64_t base = walk->stack[top].base + ((uint64_t)slot << shift);

	if (!entry || entry_is_sibling(walk->types, entry, &at))
		return false;
	if (entry_is_node(entry)) {
		if (shift)
			return node_enter(walk, entry, base) && false;
		return walk_fail(walk, rbs_error_set_at(&walk->error, RBS_CORRUPT, entry,
							"the array has a node below its leaves"));
	}
	if (entry_is_internal(entry))
		return false;
	*found = (struct rbs_xarray_entry){
		.index = base,
		.count = UINT64_C(1) << shift,
		.entry = entry,
		.is_value = entry & 1,
	};
	while (walk->stack[top].next < walk->types->slots &&
	       entry_is_sibling(walk->types, walk->stack[top].slots[walk->stack[top].next], &at) &&
	       at == slot) {
		walk->stack[top].next++;
		found->count += UINT64_C(1) << shift;
	}
	return true;
}

bool rbs_xarray_walk_next(struct rbs_xarray_walk *walk, struct rbs_xarray_entry *entry)
{
	if (walk->code == RBS_OK && walk->single) {
		*entry = (struct rbs_xarray_entry){
			.count = 1, .entry = walk->single, .is_value = walk->single & 1};
		walk->single = 0;
		return !entry_is_internal(entry->entry);
	}
	while (walk->code == RBS_OK && walk->depth) {
		if (walk->stack[walk->depth - 1].next == walk->types->slots)
			walk->depth--;
		else if (slot_take(walk, entry))
			return true;
	}
	return false;
}
