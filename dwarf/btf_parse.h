/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_parse - a BTF blob's bytes, given to libbpf in the form that every release of it can read.
 *
 * Checks the header, which libbpf 1.1.2 takes as it comes, and hides what its releases do
 * differently. Format: Documentation/bpf/btf.rst, "BTF Type and String Encoding".
 */
#ifndef RBS_BTF_PARSE_H
#define RBS_BTF_PARSE_H

#include "lib/error.h"
#include "lib/target/target.h"

/* The largest blobs seen: 4.4 MB (Debian 6.1) to 7 MB. */
#define RBS_BTF_SIZE_LIMIT (64u << 20)

struct btf;

struct rbs_btf_blob_form {
	struct btf *btf; /* owned by the caller: btf__free() */
	/* Bytes of the blob as it was given. */
	uint64_t types_at, strings_at;
	uint32_t strings_size;
	uint64_t header_size;
	/* The header was longer than the known one: types and strings were moved. */
	bool moved;
};

/*
 * Parse size bytes of data, which is changed and still the caller's; base: of the kernel when data
 * is a module's, else NULL. RBS_CORRUPT when it is no BTF, RBS_LIMIT when it is too large.
 */
enum rbs_code rbs_btf_parse(void *data, size_t size, struct btf *base,
			    enum rbs_byte_order byte_order, struct rbs_btf_blob_form *form,
			    struct rbs_error *err);

#endif
