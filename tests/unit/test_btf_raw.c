/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BTF that libbpf's builder does not make: of older kernels, damaged, or malicious. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "btf_samples.h"

/* A blob written out by hand, little endian; words are types, names is the string section. */
struct blob {
	unsigned char bytes[4096];
	size_t size;
};

static void put_u32(struct blob *blob, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		blob->bytes[blob->size++] = (unsigned char)(value >> 8 * i);
}

static struct blob blob_make(const uint32_t *words, size_t word_count, const char *names,
			     size_t names_size)
{
	struct blob blob = {.size = 0};

	put_u32(&blob, 0x0001eb9f); /* magic, version 1, no flags */
	put_u32(&blob, 24);
	put_u32(&blob, 0);
	put_u32(&blob, (uint32_t)(4 * word_count));
	put_u32(&blob, (uint32_t)(4 * word_count));
	put_u32(&blob, (uint32_t)names_size);
	for (size_t i = 0; i < word_count; i++)
		put_u32(&blob, words[i]);
	memcpy(blob.bytes + blob.size, names, names_size);
	blob.size += names_size;
	return blob;
}

static enum rbs_code blob_parse(struct blob blob, struct rbs_btf **btf)
{
	return rbs_btf_create(blob.bytes, blob.size, NULL, 8, RBS_LITTLE_ENDIAN, NULL, btf, NULL);
}

#define INFO(kind, flag, length) ((uint32_t)(flag) << 31 | (uint32_t)(kind) << 24 | (length))
#define PARSE(btf, words, names)                                                                   \
	cr_assert_eq(blob_parse(blob_make(words, sizeof(words) / 4, names, sizeof(names)), btf),   \
		     RBS_OK)

static enum rbs_code try_find(struct rbs_btf *btf, const char *type, const char *path)
{
	struct rbs_member member;

	return rbs_btf_find_member(btf, type, path, &member, NULL);
}

/* Before pahole 1.13 a bit field was told by its type: here bits 3 to 6 of a byte of "flags". */
Test(btf_raw, bit_field_without_kind_flag)
{
	static const uint32_t words[] = {
		1,  INFO(BTF_KIND_INT, 0, 0),
		4,  0x00000020, /* 1: int, 32 bits */
		1,  INFO(BTF_KIND_INT, 0, 0),
		4,  0x00030004, /* 2: 4 bits from bit 3 on */
		0,  INFO(BTF_KIND_VOLATILE, 0, 0),
		2, /* 3 */
		5,  INFO(BTF_KIND_STRUCT, 0, 2),
		8, /* 4 */
		11, 1,
		0, /* id */
		14, 3,
		32, /* mode */
	};
	struct rbs_member member;
	struct rbs_btf *btf;

	PARSE(&btf, words, "\0int\0flags\0id\0mode");
	cr_assert_eq(rbs_btf_find_member(btf, "flags", "mode", &member, NULL), RBS_OK);
	cr_expect_eq(member.offset, 4);
	cr_expect_eq(member.size, 1);
	cr_expect_eq(member.bit_offset, 3);
	cr_expect_eq(member.bit_size, 4);
	cr_assert_eq(rbs_btf_find_member(btf, "flags", "id", &member, NULL), RBS_OK);
	cr_expect_eq(member.bit_size, 0);
	rbs_btf_destroy(btf);
}

/* Before 6.0 no enum was marked as signed. */
Test(btf_raw, negative_enumerator_without_mark)
{
	static const uint32_t words[] = {
		1, INFO(BTF_KIND_ENUM, 0, 2), 4, 7, 0, 12, 0xffffffff,
	};
	struct rbs_btf *btf;
	int64_t value;

	PARSE(&btf, words, "\0state\0LIVE\0LOST");
	cr_assert_eq(rbs_btf_find_enumerator(btf, "state", "LOST", &value, NULL), RBS_OK);
	cr_expect_eq(value, -1);
	rbs_btf_destroy(btf);
}

Test(btf_raw, circle_of_typedefs, .timeout = 10)
{
	static const uint32_t words[] = {
		1,  INFO(BTF_KIND_TYPEDEF, 0, 0),
		2, /* 1: a */
		3,  INFO(BTF_KIND_TYPEDEF, 0, 0),
		1, /* 2: b */
		5,  INFO(BTF_KIND_STRUCT, 0, 2),
		16, /* 3: s, an anonymous member first */
		0,  1,
		0,  7,
		2,  64,
		9,  INFO(BTF_KIND_STRUCT, 0, 1),
		8, /* 4: t */
		7,  2,
		0,
	};
	struct rbs_btf *btf;
	uint64_t size;

	PARSE(&btf, words, "\0a\0b\0s\0m\0t");
	cr_expect_eq(try_find(btf, "t", "m"), RBS_CORRUPT);
	cr_expect_eq(try_find(btf, "t", "m.x"), RBS_CORRUPT);
	cr_expect_eq(try_find(btf, "s", "x"), RBS_CORRUPT);
	cr_expect_eq(try_find(btf, "a", "x"), RBS_CORRUPT);
	cr_expect_eq(rbs_btf_find_size(btf, "b", &size, NULL), RBS_CORRUPT);
	rbs_btf_destroy(btf);
}

Test(btf_raw, structure_inside_itself, .timeout = 10)
{
	static const uint32_t words[] = {
		1, INFO(BTF_KIND_STRUCT, 0, 2),
		8, /* 1: s */
		0, 1,
		0, 0,
		1, 0,
		3, INFO(BTF_KIND_STRUCT, 0, 1),
		8, /* 2: w, a wrapper of itself */
		5, 2,
		0,
	};
	struct rbs_member member;
	struct rbs_btf *btf;

	PARSE(&btf, words, "\0s\0w\0m");
	cr_expect_eq(try_find(btf, "s", "x"), RBS_LIMIT);
	cr_assert_eq(rbs_btf_find_member(btf, "w", "m", &member, NULL), RBS_OK);
	cr_expect_eq(member.kind, RBS_KIND_STRUCT);
	rbs_btf_destroy(btf);
}

Test(btf_raw, impossible_arrays, .timeout = 10)
{
	static const uint32_t words[] = {
		0,	    INFO(BTF_KIND_ARRAY, 0, 0),
		0,	    1,
		1,	    2, /* 1: of itself */
		0,	    INFO(BTF_KIND_ARRAY, 0, 0),
		0,	    3,
		3,	    0xffffffff, /* 2: of 3 */
		0,	    INFO(BTF_KIND_ARRAY, 0, 0),
		0,	    4,
		4,	    0xffffffff, /* 3: of 4 */
		5,	    INFO(BTF_KIND_STRUCT, 0, 2),
		0xffffffff, /* 4: s */
		1,	    1,
		0,	    3,
		2,	    0,
	};
	struct rbs_btf *btf;

	PARSE(&btf, words, "\0a\0b\0s");
	cr_expect_eq(try_find(btf, "s", "a"), RBS_CORRUPT);
	cr_expect_eq(try_find(btf, "s", "b"), RBS_CORRUPT);
	rbs_btf_destroy(btf);
}

Test(btf_raw, references_into_nowhere)
{
	static const uint32_t words[] = {
		1,
		INFO(BTF_KIND_STRUCT, 0, 2),
		8, /* 1: s */
		3,
		77,
		0,
		5,
		0x7fffffff,
		0,
		7,
		INFO(BTF_KIND_STRUCT, 0, 1),
		8, /* 2: t, whose member has no name */
		99,
		1,
		0,
		100,
		INFO(BTF_KIND_STRUCT, 0, 0),
		8, /* 3: nameless */
	};
	struct rbs_btf *btf;
	enum rbs_code code;

	/* libbpf 1.3 and later look at all references as they load, and refuse. */
	code = blob_parse(blob_make(words, sizeof(words) / 4, "\0s\0a\0b\0t", 9), &btf);
	if (code != RBS_OK) {
		cr_expect_eq(code, RBS_CORRUPT);
		return;
	}
	cr_expect_eq(try_find(btf, "s", "a"), RBS_CORRUPT);
	cr_expect_eq(try_find(btf, "s", "b"), RBS_CORRUPT);
	cr_expect_eq(try_find(btf, "t", "a"), RBS_CORRUPT);
	rbs_btf_destroy(btf);
}

static void write_sample(unsigned char **bytes, size_t *size)
{
	struct btf *btf = sample_begin(NULL);

	sample_add_scalars(btf);
	sample_add_kernel(btf);
	*bytes = sample_bytes(btf, RBS_LITTLE_ENDIAN, size);
	btf__free(btf);
}

Test(btf_raw, every_truncation_is_refused, .timeout = 30)
{
	unsigned char *bytes, *copy;
	struct rbs_error err;
	size_t size;

	write_sample(&bytes, &size);
	for (size_t length = 0; length < size; length++) {
		struct rbs_btf *btf = NULL;
		enum rbs_code code;

		copy = malloc(length ? length : 1); /* of that size: sanitizers see beyond */
		cr_assert(copy);
		memcpy(copy, bytes, length);
		code = rbs_btf_create(copy, length, NULL, 8, RBS_LITTLE_ENDIAN, NULL, &btf, &err);
		cr_expect_eq(code, RBS_CORRUPT, "%zu of %zu bytes: %d", length, size, code);
		free(copy);
	}
	free(bytes);
}

static unsigned ask_everything(struct rbs_btf *btf)
{
	static const char *const questions[][2] = {
		{"module", "name"},	  {"module", "list.next"}, {"btf", "data"},
		{"btf_module", "module"}, {"shared", "where"},	   {"list_head", "nosuch"},
	};
	unsigned answers = 0;
	uint64_t size;
	int64_t value;

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		answers += try_find(btf, questions[i][0], questions[i][1]) == RBS_OK;
		rbs_btf_find_size(btf, questions[i][0], &size, NULL);
	}
	rbs_btf_find_enumerator(btf, NULL, "nosuch", &value, NULL);
	return answers;
}

/* Must neither crash nor hang; that some are refused and some are not shows that it tries. */
Test(btf_raw, every_byte_damaged, .timeout = 60)
{
	static const unsigned char damage[] = {0x00, 0x01, 0x7f, 0xff};
	unsigned refused = 0, answers = 0;
	unsigned char *bytes, *copy;
	size_t size;

	write_sample(&bytes, &size);
	copy = malloc(size);
	cr_assert(copy);
	for (size_t i = 0; i < size; i++) {
		for (size_t d = 0; d < sizeof(damage); d++) {
			struct rbs_btf *btf = NULL;

			memcpy(copy, bytes, size);
			copy[i] = copy[i] == damage[d] ? 0x80 : damage[d];
			if (rbs_btf_create(copy, size, NULL, 8, RBS_LITTLE_ENDIAN, NULL, &btf, NULL)) {
				refused++;
				continue;
			}
			answers += ask_everything(btf);
			rbs_btf_destroy(btf);
		}
	}
	cr_expect_gt(refused, 0);
	cr_expect_gt(answers, 0);
	free(copy);
	free(bytes);
}

Test(btf_raw, not_btf)
{
	unsigned char zeros[64] = {0};
	unsigned char header[24] = {0x9f, 0xeb, 1, 0, 24};
	struct rbs_btf *btf = NULL;

	cr_expect_eq(rbs_btf_create(zeros, 64, NULL, 8, RBS_LITTLE_ENDIAN, NULL, &btf, NULL),
		     RBS_CORRUPT);
	/* The other byte order than the machine's is not BTF of this machine. */
	cr_expect_eq(rbs_btf_create(header, 24, NULL, 8, RBS_BIG_ENDIAN, NULL, &btf, NULL), RBS_CORRUPT);
	cr_expect_null(btf);
}
