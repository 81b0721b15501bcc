/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/walk.h"

#include <inttypes.h>

void rbs_list_walk_init(struct rbs_list_walk *walk, struct rbs_target *target, uint64_t head,
			size_t limit)
{
	*walk = (struct rbs_list_walk){
		.target = target,
		.head = head,
		.at = head,
		.remembered = head,
		.until_remember = 1,
		.lap = 1,
		.left = limit,
		.limit = limit,
	};
}

void rbs_list_walk_init_backward(struct rbs_list_walk *walk, struct rbs_target *target,
				 uint64_t head, size_t limit)
{
	rbs_list_walk_init(walk, target, head, limit);
	walk->link = target->info.word_size;
}

void rbs_list_walk_init_chain(struct rbs_list_walk *walk, struct rbs_target *target, uint64_t head,
			      uint64_t link, size_t limit)
{
	/* As if the head lay at its place in a node. */
	rbs_list_walk_init(walk, target, head - link, limit);
	walk->link = link;
	walk->is_chain = true;
}

static bool walk_end(struct rbs_list_walk *walk, enum rbs_code code)
{
	walk->code = code;
	return false;
}

bool rbs_list_walk_next(struct rbs_list_walk *walk, uint64_t *node)
{
	uint64_t next;
	enum rbs_code code;

	if (walk->code != RBS_OK)
		return false;
	if (rbs_target_interrupted(walk->target))
		return walk_end(walk, rbs_error_set(&walk->error, RBS_INTERRUPTED, "interrupted"));
	code = rbs_target_read_pointer(walk->target, walk->at + walk->link, &next, &walk->error);
	if (code != RBS_OK) {
		rbs_error_prefix(&walk->error, "the list at %" PRIx64 " breaks off",
				 walk->is_chain ? walk->head + walk->link : walk->head);
		return walk_end(walk, code);
	}
	if (walk->is_chain ? !next : next == walk->head)
		return false;
	if (next == walk->remembered || !next)
		return walk_end(
			walk, rbs_error_set_at(&walk->error, RBS_CORRUPT, walk->at,
					       "the list at %" PRIx64 " %s at %" PRIx64, walk->head,
					       next ? "runs in a circle" : "ends in a NULL pointer",
					       walk->at));
	if (!walk->left--)
		return walk_end(walk, rbs_error_set_at(&walk->error, RBS_LIMIT, walk->head,
						       "the list at %" PRIx64
						       " has more than %zu entries",
						       walk->head, walk->limit));
	if (!--walk->until_remember) {
		walk->remembered = next;
		walk->lap *= 2;
		walk->until_remember = walk->lap;
	}
	walk->at = next;
	*node = next;
	return true;
}
