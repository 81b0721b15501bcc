/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xarray - the entries of a struct xarray (include/linux/xarray.h; "xarray: Define struct xa_node",
 * 4.20), in the order of their indexes.
 *
 * Nodes are read one level below the other, each with a smaller shift than its parent, so that
 * nodes that point at themselves end; the number of nodes has a limit. No recursion, no memory of
 * its own.
 */
#ifndef RBS_XARRAY_H
#define RBS_XARRAY_H

#include "lib/layout.h"

#define RBS_XARRAY_DEPTH 12 /* 64 bits of index in nodes of 6 */
#define RBS_XARRAY_SLOTS 64 /* XA_CHUNK_SIZE; 16 on small machines */

struct rbs_xarray_types {
	struct rbs_layout layout;
	unsigned slots; /* of a node */
};

struct rbs_xarray_entry {
	uint64_t index; /* of the first of count indexes that share the entry */
	uint64_t count;
	uint64_t entry;
	bool is_value; /* a number, not a pointer (xa_is_value) */
};

struct rbs_xarray_walk {
	const struct rbs_xarray_types *types;
	struct rbs_target *target;
	struct {
		uint64_t base; /* index of its first slot */
		unsigned shift, next;
		uint64_t slots[RBS_XARRAY_SLOTS];
	} stack[RBS_XARRAY_DEPTH];
	unsigned depth;
	uint64_t single; /* an array of one entry at index 0 has no node */
	size_t left;	 /* nodes */
	enum rbs_code code;
	struct rbs_error error;
};

enum rbs_code rbs_xarray_types_init(struct rbs_xarray_types *types, struct rbs_types *source,
				    struct rbs_error *err);
void rbs_xarray_types_deinit(struct rbs_xarray_types *types);

/* array: address of the struct xarray; limit: nodes. */
void rbs_xarray_walk_init(struct rbs_xarray_walk *walk, const struct rbs_xarray_types *types,
			  struct rbs_target *target, uint64_t array, size_t limit);

/*
 * False at the end or on an error, when walk->code is not RBS_OK. A node that can't be read or is
 * none ends the walk: what came before is good.
 */
bool rbs_xarray_walk_next(struct rbs_xarray_walk *walk, struct rbs_xarray_entry *entry);

#endif
