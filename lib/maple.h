/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maple - the entries of a struct maple_tree (include/linux/maple_tree.h; "Maple Tree: add new data
 * structure", 6.1), in the order of their ranges.
 *
 * A node's address holds its type in bits 3 to 6; nodes are aligned to 256 bytes. The tree's depth
 * and the number of nodes are limited: a tree that points into itself ends there.
 */
#ifndef RBS_MAPLE_H
#define RBS_MAPLE_H

#include "lib/layout.h"

#define RBS_MAPLE_DEPTH 31 /* MAPLE_HEIGHT_MAX */

struct rbs_maple_types {
	struct rbs_layout layout;
};

enum rbs_code rbs_maple_types_init(struct rbs_maple_types *types, struct rbs_types *source,
				   struct rbs_error *err);
void rbs_maple_types_deinit(struct rbs_maple_types *types);

/*
 * Visit each pointer that the tree at tree holds, at most limit; visit returns false to end. What a
 * broken tree held before it breaks has been visited.
 */
enum rbs_code rbs_maple_walk(const struct rbs_maple_types *types, struct rbs_target *target,
			     uint64_t tree, size_t limit,
			     bool (*visit)(void *context, uint64_t entry), void *context,
			     struct rbs_error *err);

#endif
