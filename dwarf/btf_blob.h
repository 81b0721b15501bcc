/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_blob - a BTF blob in the dump, read and parsed when a question makes it necessary.
 *
 * What the cache knows of the same blob is answered from there. Else, and for whatever it does not
 * know, the blob is read; its answers, and the look of the pages that they came from, are kept.
 */
#ifndef RBS_BTF_BLOB_H
#define RBS_BTF_BLOB_H

#include "dwarf/btf_types.h"
#include "dwarf/type_answers.h"

struct rbs_btf_blob {
	struct rbs_target *target; /* borrowed */
	uint64_t address;	   /* kernel virtual */
	uint64_t size;		   /* bytes */
	struct rbs_btf_blob *base; /* borrowed: the kernel's when this is a module's, else NULL */
	struct rbs_shelf *shelf;   /* borrowed; NULL: no cache */
	struct rbs_shelf_region region;
	struct rbs_btf *btf;	  /* NULL until it is read */
	struct rbs_error failure; /* why it could not be; code RBS_OK: not tried, or it could */
};

/*
 * The blob at address. It is read now unless the shelf (NULL: none) is about the very same. Must
 * not move afterwards, also on failure; then there is nothing to deinit.
 */
enum rbs_code rbs_btf_blob_init(struct rbs_btf_blob *blob, struct rbs_target *target,
				uint64_t address, uint64_t size, struct rbs_btf_blob *base,
				struct rbs_shelf *shelf, struct rbs_error *err);
void rbs_btf_blob_deinit(struct rbs_btf_blob *blob);

/* As rbs_btf_find_member() and the others of btf_types.h, or why the blob cannot be read. */
enum rbs_code rbs_btf_blob_ask(struct rbs_btf_blob *blob, const struct rbs_type_question *question,
			       struct rbs_error *err);

#endif
