/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_types - questions about the types of one BTF blob: its names indexed, its types as a graph.
 *
 * libbpf has parsed the blob (btf_parse.h) and swapped a foreign byte order. It does not check what
 * types refer to (1.1.2, btf_parse_type_sec()), so nothing here trusts an id, an offset of a name
 * or a chain, and none of libbpf's functions that follow chains is used.
 *
 * Format: Documentation/bpf/btf.rst. A module's blob is "split": its ids and string offsets
 * continue those of the kernel's blob.
 */
#ifndef RBS_BTF_TYPES_H
#define RBS_BTF_TYPES_H

#include "dwarf/type_path.h"
#include "lib/shelf.h"

struct rbs_btf;

/*
 * Parse size bytes of data, which is changed and still the caller's. base is the kernel's BTF when
 * data is a module's, and must outlive the result; else NULL. RBS_CORRUPT when it is no BTF,
 * RBS_UNSUPPORTED when libbpf is too old for its kinds of types. region (borrowed, or NULL) is told
 * which bytes of data answers are read from.
 */
enum rbs_code rbs_btf_create(void *data, size_t size, struct rbs_btf *base, unsigned word_size,
			     enum rbs_byte_order byte_order, struct rbs_shelf_region *region,
			     struct rbs_btf **btf, struct rbs_error *err);
void rbs_btf_destroy(struct rbs_btf *btf);

/*
 * These look at the blob's own types only, never at its base's. RBS_NO_TYPES when it does not
 * know the type. Where several structures bear the name, the first that has the member asked for
 * is chosen, and stays chosen: offsets of two structures are never mixed.
 */
enum rbs_code rbs_btf_find_member(struct rbs_btf *btf, const char *type, const char *path,
				  struct rbs_member *member, struct rbs_error *err);
enum rbs_code rbs_btf_find_size(struct rbs_btf *btf, const char *type, uint64_t *size,
				struct rbs_error *err);
enum rbs_code rbs_btf_find_enumerator(struct rbs_btf *btf, const char *type, const char *name,
				      int64_t *value, struct rbs_error *err);

/* Whether several structures bear the name. */
bool rbs_btf_is_ambiguous(const struct rbs_btf *btf, const char *type);

#endif
