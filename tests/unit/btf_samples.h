/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_samples - small BTF blobs, built with libbpf, whose offsets the tests know by heart.
 */
#ifndef BTF_SAMPLES_H
#define BTF_SAMPLES_H

#include <bpf/btf.h>

#include "dwarf/btf_types.h"

/* Ids of types that every sample begins with. */
enum {
	ID_INT = 1,  /* signed, 4 bytes */
	ID_U32 = 2,  /* unsigned, 4 bytes */
	ID_LONG = 3, /* signed, 8 bytes */
	ID_CHAR = 4,
	ID_POINTER = 5, /* to void */
	ID_NEXT = 6,	/* the first that a test adds */
};

/* A blob under construction; base is NULL or the one it continues. */
struct btf *sample_begin(struct btf *base);

/* The types of enum ID_*; only for a sample without a base. */
void sample_add_scalars(struct btf *btf);

/* struct module, btf, btf_module and list_head, as btf_modules.c needs them, and struct shared. */
void sample_add_kernel(struct btf *btf);

/* A copy of the blob in that byte order, to be freed. */
unsigned char *sample_bytes(struct btf *btf, enum rbs_byte_order order, size_t *size);

/* Finish the construction and parse the blob; btf is freed. Fails the test when that fails. */
struct rbs_btf *sample_parse(struct btf *btf, enum rbs_byte_order order);

#endif
