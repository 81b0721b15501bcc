/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout - the structures and members that a probe uses, declared as a table and resolved once per
 * dump.
 *
 * A table entry names where a member was over the years, newest first:
 *
 *	[VQ_LAST_USED] = {"vring_virtqueue:last_used_idx"},
 *	[VQ_MAP_API] = {"vring_virtqueue:use_map_api|vring_virtqueue:use_dma_api", RBS_OPTIONAL},
 *	[VRING_DESC_SIZE] = {"vring_desc", RBS_SIZE},
 *	[LAYOUT_PACKED] = {"vq_layout:VQ_LAYOUT_PACKED", RBS_ENUMERATOR | RBS_OPTIONAL},
 *
 * No table asks for a kernel version: distributions backport. Entries are addressed by the probe's
 * own enum.
 */
#ifndef RBS_LAYOUT_H
#define RBS_LAYOUT_H

#include "lib/target/target.h"
#include "lib/types.h"
#include "lib/value.h"

#define RBS_OPTIONAL 1u	  /* absent members make reads return RBS_NO_MEMBER, not the probe fail */
#define RBS_SIZE 2u	  /* the size of a type, not a member */
#define RBS_ENUMERATOR 4u /* the value of an enumerator; "ENUM:NAME", or ":NAME" for any enum */

struct rbs_layout_entry {
	const char *where; /* "type:path", alternatives separated by '|' */
	unsigned flags;
};

struct rbs_layout_slot {
	enum rbs_code code; /* RBS_OK, RBS_NO_MEMBER or RBS_NO_TYPES */
	struct rbs_member member;
	int64_t enumerator;
	uint8_t alternative; /* which of the names it was, from 0 */
};

struct rbs_layout {
	const struct rbs_layout_entry *entries; /* borrowed */
	size_t count;
	struct rbs_layout_slot *slots; /* owned */
	const char *answered;	       /* the type source of the first required member */
};

/*
 * Resolve the table's entries in the types of module (NULL: the kernel). Fails with RBS_NO_TYPES or
 * RBS_NO_MEMBER, naming the first required entry that was not found.
 */
enum rbs_code rbs_layout_init(struct rbs_layout *layout, const struct rbs_layout_entry *entries,
			      size_t count, struct rbs_types *types, const char *module,
			      struct rbs_error *err);
void rbs_layout_deinit(struct rbs_layout *layout);

bool rbs_layout_has(const struct rbs_layout *layout, unsigned id);

/* Bytes from the start of the structure; only for an entry that is there. */
uint64_t rbs_layout_offset(const struct rbs_layout *layout, unsigned id);

/* The size of a member or, for RBS_SIZE, of the type; 0 for one that is not there. */
uint64_t rbs_layout_size(const struct rbs_layout *layout, unsigned id);

/* The value of an RBS_ENUMERATOR entry; fallback when this kernel does not have it. */
int64_t rbs_layout_enumerator(const struct rbs_layout *layout, unsigned id, int64_t fallback);

/* Decode a member out of a copy of its structure (length bytes, from its start). */
struct rbs_value rbs_layout_get(const struct rbs_layout *layout, unsigned id,
				const struct rbs_target *target, const void *copy, size_t length);

/* Read a member of the structure at base. Never fails: the value says why it is absent. */
struct rbs_value rbs_layout_read(const struct rbs_layout *layout, unsigned id,
				 struct rbs_target *target, uint64_t base);

/* The same for a member that is needed to go on. */
enum rbs_code rbs_layout_require(const struct rbs_layout *layout, unsigned id,
				 struct rbs_target *target, uint64_t base, uint64_t *number,
				 struct rbs_error *err);

/* Element index of an array member of scalars. */
struct rbs_value rbs_layout_read_element(const struct rbs_layout *layout, unsigned id,
					 struct rbs_target *target, uint64_t base, uint64_t index);

#endif
