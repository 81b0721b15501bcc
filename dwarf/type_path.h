/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * type_path - from "split.vring.num" to an offset, over any graph of types.
 *
 * BTF and DWARF say the same things in different words. Each presents its types as a graph of
 * nodes (struct rbs_graph_ops); what a path, a wrapper (atomic_t), an anonymous union or a bit
 * field means is decided here, once.
 *
 * The graph may come from a damaged dump or file: nothing here recurses, and every chain and
 * search has a limit (RBS_CORRUPT or RBS_LIMIT beyond it).
 */
#ifndef RBS_TYPE_PATH_H
#define RBS_TYPE_PATH_H

#include "lib/target/target.h"
#include "lib/types.h"

enum rbs_node_kind {
	RBS_NODE_VOID,
	RBS_NODE_INT, /* integers, bool, char, enums */
	RBS_NODE_POINTER,
	RBS_NODE_RECORD, /* structure or union, complete */
	RBS_NODE_ARRAY,
	RBS_NODE_ALIAS, /* typedef, const, volatile, restrict, type tag ... */
	RBS_NODE_OTHER, /* functions, floats, incomplete structures ... */
};

struct rbs_node {
	enum rbs_node_kind kind;
	uint64_t size; /* bytes; not of arrays and aliases */
	bool is_signed;
	uint64_t target; /* ARRAY: the elements' type; ALIAS: what it stands for */
	/*
	 * ARRAY: elements of all dimensions together, 0 when flexible. pahole makes one dimension
	 * of all for BTF, so that no source can tell them apart.
	 */
	uint64_t count;
	uint32_t member_count; /* RECORD */
};

struct rbs_node_member {
	const char *name; /* NULL or "": anonymous. Lives as long as the graph. */
	uint64_t type;
	/*
	 * From the start of the record. Of a bit field, as DW_AT_data_bit_offset and BTF count: in
	 * memory order, so that on a big-endian machine bit 0 is the first byte's most significant.
	 */
	uint64_t bit_offset;
	uint32_t bit_size; /* 0: not a bit field */
};

struct rbs_graph_ops {
	enum rbs_code (*get_node)(void *graph, uint64_t id, struct rbs_node *node,
				  struct rbs_error *err);
	enum rbs_code (*get_member)(void *graph, uint64_t id, uint32_t index,
				    struct rbs_node_member *member, struct rbs_error *err);
};

struct rbs_graph {
	const struct rbs_graph_ops *ops;
	void *graph;
	enum rbs_byte_order byte_order;
};

/*
 * The member of the structure or union id (or an alias of one) that path names. type is the name
 * for messages. RBS_NO_MEMBER when there is none, RBS_NO_TYPES when id is no structure.
 */
enum rbs_code rbs_type_path_find(const struct rbs_graph *graph, uint64_t id, const char *type,
				 const char *path, struct rbs_member *member,
				 struct rbs_error *err);

/* Bytes of the type id; of a flexible array 0. */
enum rbs_code rbs_type_path_size(const struct rbs_graph *graph, uint64_t id, uint64_t *size,
				 struct rbs_error *err);

#endif
