/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * walk - bounded walks over the kernel's lists.
 *
 * Every walk has a limit and finds cycles that do not come back to its head (Brent's algorithm: one
 * remembered address, no memory). Addresses are kernel virtual.
 */
#ifndef RBS_WALK_H
#define RBS_WALK_H

#include "lib/target/target.h"

/*
 * A circular struct list_head (include/linux/types.h: next is its first member).
 *
 *	struct rbs_list_walk walk;
 *	rbs_list_walk_init(&walk, target, head, limit);
 *	while (rbs_list_walk_next(&walk, &node))
 *		...
 *	if (walk.code != RBS_OK)
 *		... walk.error tells why it ended early; what came before is good
 */
struct rbs_list_walk {
	struct rbs_target *target;
	uint64_t link; /* offset of the pointer that is followed */
	bool is_chain; /* it ends in a NULL pointer */
	uint64_t head;
	uint64_t at;
	uint64_t remembered;
	uint64_t until_remember;
	uint64_t lap;
	size_t left;
	size_t limit;
	enum rbs_code code;
	struct rbs_error error;
};

void rbs_list_walk_init(struct rbs_list_walk *walk, struct rbs_target *target, uint64_t head,
			size_t limit);

/* The same from the last entry to the first, by prev (the second member). */
void rbs_list_walk_init_backward(struct rbs_list_walk *walk, struct rbs_target *target,
				 uint64_t head, size_t limit);

/*
 * A chain that ends in a NULL pointer, as FreeBSD's TAILQ and SLIST: head is the address of the
 * pointer to the first node, link the offset in a node of the pointer to the next one. Nodes are
 * structures, not links in them.
 */
void rbs_list_walk_init_chain(struct rbs_list_walk *walk, struct rbs_target *target, uint64_t head,
			      uint64_t link, size_t limit);

/* The address of the next node's list_head; false at the end or on an error. */
bool rbs_list_walk_next(struct rbs_list_walk *walk, uint64_t *node);

#endif
