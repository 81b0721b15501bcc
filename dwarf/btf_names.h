/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_names - from a name to the types that bear it, in one BTF blob.
 *
 * Structures, unions, enums and typedefs that have a name are hashed once (150,000 types of which
 * some 20,000 are named so: a few milliseconds). btf__find_by_name_kind() walks all types for each
 * question and looks into a module's base as well.
 */
#ifndef RBS_BTF_NAMES_H
#define RBS_BTF_NAMES_H

#include "lib/error.h"

#define RBS_BTF_NO_ENTRY UINT32_MAX

struct btf;

struct rbs_btf_entry {
	uint32_t id;
	uint32_t next; /* in the same bucket, ids ascending; RBS_BTF_NO_ENTRY ends it */
	bool chosen;   /* by the user of the index, among several of one name */
};

struct rbs_btf_names {
	const struct btf *btf; /* not owned */
	uint32_t *buckets;
	uint32_t bucket_mask;
	struct rbs_btf_entry *entries;
	uint32_t entry_count;
};

/* Index the types first_id up to end_id of btf. */
enum rbs_code rbs_btf_names_init(struct rbs_btf_names *names, const struct btf *btf,
				 uint32_t first_id, uint32_t end_id, struct rbs_error *err);
void rbs_btf_names_deinit(struct rbs_btf_names *names);

/* The first entry of that name, whatever its kind, and the one after entry; NULL at the end. */
struct rbs_btf_entry *rbs_btf_names_first(const struct rbs_btf_names *names, const char *name);
struct rbs_btf_entry *rbs_btf_names_next(const struct rbs_btf_names *names,
					 const struct rbs_btf_entry *entry, const char *name);

#endif
