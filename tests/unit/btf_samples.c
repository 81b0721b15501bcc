/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "btf_samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct btf *sample_begin(struct btf *base)
{
	struct btf *btf = base ? btf__new_empty_split(base) : btf__new_empty();

	cr_assert(btf);
	return btf;
}

void sample_add_scalars(struct btf *btf)
{
	cr_assert_eq(btf__add_int(btf, "int", 4, BTF_INT_SIGNED), ID_INT);
	cr_assert_eq(btf__add_int(btf, "unsigned int", 4, 0), ID_U32);
	cr_assert_eq(btf__add_int(btf, "long int", 8, BTF_INT_SIGNED), ID_LONG);
	cr_assert_eq(btf__add_int(btf, "char", 1, BTF_INT_SIGNED), ID_CHAR);
	cr_assert_eq(btf__add_ptr(btf, 0), ID_POINTER);
}

void sample_add_kernel(struct btf *btf)
{
	int name, list, list_pointer;

	name = btf__add_array(btf, ID_U32, ID_CHAR, 56);
	list = btf__add_struct(btf, "list_head", 16);
	btf__add_field(btf, "next", ID_POINTER, 0, 0);
	btf__add_field(btf, "prev", ID_POINTER, 64, 0);
	list_pointer = btf__add_ptr(btf, list);
	cr_assert(list_pointer > 0);
	btf__add_struct(btf, "module", 128);
	btf__add_field(btf, "state", ID_U32, 0, 0);
	btf__add_field(btf, "list", list, 64, 0);
	btf__add_field(btf, "name", name, 192, 0);
	btf__add_struct(btf, "btf", 64);
	btf__add_field(btf, "data", ID_POINTER, 0, 0);
	btf__add_field(btf, "data_size", ID_U32, 256, 0);
	btf__add_struct(btf, "btf_module", 48);
	btf__add_field(btf, "list", list, 64, 0);
	btf__add_field(btf, "module", ID_POINTER, 192, 0);
	btf__add_field(btf, "btf", ID_POINTER, 256, 0);
	btf__add_struct(btf, "shared", 24);
	btf__add_field(btf, "where", ID_LONG, 64, 0);
}

unsigned char *sample_bytes(struct btf *btf, enum rbs_byte_order order, size_t *size)
{
	const void *raw;
	unsigned char *copy;
	uint32_t length;

	cr_assert_eq(btf__set_endianness(btf, order == RBS_BIG_ENDIAN ? BTF_BIG_ENDIAN
								      : BTF_LITTLE_ENDIAN),
		     0);
	raw = btf__raw_data(btf, &length);
	cr_assert(raw);
	copy = malloc(length);
	cr_assert(copy);
	memcpy(copy, raw, length);
	*size = length;
	return copy;
}

struct rbs_btf *sample_parse(struct btf *btf, enum rbs_byte_order order)
{
	struct rbs_error err = {.code = RBS_OK};
	struct rbs_btf *parsed = NULL;
	size_t size;
	unsigned char *bytes = sample_bytes(btf, order, &size);

	cr_assert_eq(rbs_btf_create(bytes, size, NULL, 8, order, NULL, &parsed, &err), RBS_OK, "%s",
		     err.text);
	free(bytes);
	btf__free(btf);
	return parsed;
}
