/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "btf_samples.h"

static struct rbs_member find(struct rbs_btf *btf, const char *type, const char *path)
{
	struct rbs_error err = {.code = RBS_OK};
	struct rbs_member member;

	cr_assert_eq(rbs_btf_find_member(btf, type, path, &member, &err), RBS_OK, "%s.%s: %s", type,
		     path, err.text);
	return member;
}

static enum rbs_code try_find(struct rbs_btf *btf, const char *type, const char *path)
{
	struct rbs_member member;

	return rbs_btf_find_member(btf, type, path, &member, NULL);
}

/* struct ring { int head; struct { char *data; union { long size; int order; }; } buffer; } */
static struct rbs_btf *nested(void)
{
	struct btf *btf = sample_begin(NULL);
	int choice, buffer;

	sample_add_scalars(btf);
	choice = btf__add_union(btf, NULL, 8);
	btf__add_field(btf, "size", ID_LONG, 0, 0);
	btf__add_field(btf, "order", ID_INT, 0, 0);
	buffer = btf__add_struct(btf, NULL, 16);
	btf__add_field(btf, "data", ID_POINTER, 0, 0);
	btf__add_field(btf, NULL, choice, 64, 0);
	btf__add_struct(btf, "ring", 24);
	btf__add_field(btf, "head", ID_INT, 0, 0);
	btf__add_field(btf, "buffer", buffer, 64, 0);
	return sample_parse(btf, RBS_LITTLE_ENDIAN);
}

Test(btf, nested_and_anonymous_members)
{
	struct rbs_btf *btf = nested();
	struct rbs_member member;

	member = find(btf, "ring", "head");
	cr_expect_eq(member.offset, 0);
	cr_expect_eq(member.size, 4);
	cr_expect_eq(member.count, 1);
	cr_expect_eq(member.element_size, 4);
	cr_expect_eq(member.kind, RBS_KIND_INT);
	cr_expect(member.is_signed);
	cr_expect_eq(member.bit_size, 0);

	member = find(btf, "ring", "buffer.data");
	cr_expect_eq(member.offset, 8);
	cr_expect_eq(member.size, 8);
	cr_expect_eq(member.kind, RBS_KIND_POINTER);

	member = find(btf, "ring", "buffer.order");
	cr_expect_eq(member.offset, 16);
	cr_expect_eq(member.size, 4);

	member = find(btf, "ring", "buffer");
	cr_expect_eq(member.offset, 8);
	cr_expect_eq(member.size, 16);
	cr_expect_eq(member.kind, RBS_KIND_STRUCT);
	rbs_btf_destroy(btf);
}

Test(btf, what_is_not_there)
{
	struct rbs_btf *btf = nested();
	struct rbs_member member;
	struct rbs_error err;
	uint64_t size;

	cr_expect_eq(try_find(btf, "ring", "tail"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(btf, "ring", "hea"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(btf, "ring", "head2"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(btf, "ring", "order"), RBS_NO_MEMBER);
	cr_expect_eq(try_find(btf, "nosuch", "head"), RBS_NO_TYPES);
	cr_expect_eq(try_find(btf, "int", "head"), RBS_NO_TYPES);
	cr_expect_eq(try_find(btf, "", "head"), RBS_NO_TYPES);
	cr_expect_eq(try_find(btf, "ring", ""), RBS_USAGE);
	cr_expect_eq(try_find(btf, "ring", "buffer."), RBS_USAGE);
	cr_expect_eq(try_find(btf, "ring", ".buffer"), RBS_USAGE);
	cr_expect_eq(rbs_btf_find_size(btf, "nosuch", &size, NULL), RBS_NO_TYPES);
	cr_expect_eq(rbs_btf_find_member(btf, "ring", "buffer.data.x", &member, &err),
		     RBS_NO_MEMBER);
	cr_expect_str_eq(err.text, "ring: buffer.data is not a structure (of buffer.data.x)");
	rbs_btf_destroy(btf);
}

Test(btf, arrays)
{
	struct btf *raw = sample_begin(NULL);
	struct rbs_btf *btf;
	struct rbs_member member;
	int flexible, row, table;

	sample_add_scalars(raw);
	flexible = btf__add_array(raw, ID_U32, ID_CHAR, 0);
	row = btf__add_array(raw, ID_U32, ID_INT, 5);
	table = btf__add_array(raw, ID_U32, row, 3);
	btf__add_struct(raw, "stats", 64);
	btf__add_field(raw, "table", table, 32, 0);
	btf__add_field(raw, "data", flexible, 512, 0);
	btf = sample_parse(raw, RBS_LITTLE_ENDIAN);

	member = find(btf, "stats", "table");
	cr_expect_eq(member.kind, RBS_KIND_ARRAY);
	cr_expect_eq(member.offset, 4);
	cr_expect_eq(member.count, 3);
	cr_expect_eq(member.element_size, 20);
	cr_expect_eq(member.size, 60);

	member = find(btf, "stats", "data");
	cr_expect_eq(member.kind, RBS_KIND_ARRAY);
	cr_expect_eq(member.offset, 64);
	cr_expect_eq(member.count, 0);
	cr_expect_eq(member.element_size, 1);
	cr_expect_eq(member.size, 0);
	rbs_btf_destroy(btf);
}

/* u64_stats_t of 64-bit kernels, and LTTng's union v_atomic. */
static struct rbs_btf *wrappers(void)
{
	struct btf *btf = sample_begin(NULL);
	int atomic, local, stats, constant, v_atomic, pair, s64;

	sample_add_scalars(btf);
	s64 = btf__add_typedef(btf, "s64", ID_LONG);
	atomic = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "counter", s64, 0, 0);
	atomic = btf__add_typedef(btf, "atomic_long_t", atomic);
	local = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "a", atomic, 0, 0);
	local = btf__add_typedef(btf, "local_t", local);
	stats = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "v", local, 0, 0);
	stats = btf__add_typedef(btf, "u64_stats_t", stats);
	constant = btf__add_volatile(btf, btf__add_const(btf, stats));
	v_atomic = btf__add_union(btf, "v_atomic", 8);
	btf__add_field(btf, "l", local, 0, 0);
	btf__add_field(btf, "v", ID_LONG, 0, 0);
	pair = btf__add_struct(btf, "pair", 8);
	btf__add_field(btf, "low", ID_INT, 0, 0);
	btf__add_field(btf, "high", ID_INT, 32, 0);
	btf__add_struct(btf, "queue", 40);
	btf__add_field(btf, "packets", constant, 64, 0);
	btf__add_field(btf, "offset", v_atomic, 128, 0);
	btf__add_field(btf, "pair", pair, 192, 0);
	return sample_parse(btf, RBS_LITTLE_ENDIAN);
}

Test(btf, wrapped_scalars)
{
	struct rbs_btf *btf = wrappers();
	struct rbs_member member;
	uint64_t size;

	member = find(btf, "queue", "packets");
	cr_expect_eq(member.kind, RBS_KIND_INT);
	cr_expect_eq(member.offset, 8);
	cr_expect_eq(member.size, 8);
	cr_expect(member.is_signed);

	member = find(btf, "queue", "offset");
	cr_expect_eq(member.kind, RBS_KIND_INT);
	cr_expect_eq(member.offset, 16);

	/* The long way is a way, too. */
	member = find(btf, "queue", "offset.l.a.counter");
	cr_expect_eq(member.kind, RBS_KIND_INT);
	cr_expect_eq(member.offset, 16);

	/* Two halves are no wrapper. */
	member = find(btf, "queue", "pair");
	cr_expect_eq(member.kind, RBS_KIND_STRUCT);
	cr_expect_eq(member.size, 8);

	cr_assert_eq(rbs_btf_find_size(btf, "u64_stats_t", &size, NULL), RBS_OK);
	cr_expect_eq(size, 8);
	member = find(btf, "local_t", "a");
	cr_expect_eq(member.offset, 0);
	rbs_btf_destroy(btf);
}

/* struct flags { u32 a : 3, b : 13, c : 16; int d : 5; }, and a packed field across 8 bytes. */
static struct rbs_btf *bit_fields(enum rbs_byte_order order)
{
	struct btf *btf = sample_begin(NULL);

	sample_add_scalars(btf);
	btf__add_struct(btf, "flags", 8);
	btf__add_field(btf, "a", ID_U32, 0, 3);
	btf__add_field(btf, "b", ID_U32, 3, 13);
	btf__add_field(btf, "c", ID_U32, 16, 16);
	btf__add_field(btf, "d", ID_INT, 32, 5);
	btf__add_struct(btf, "packed", 9);
	btf__add_field(btf, "before", ID_LONG, 0, 60);
	btf__add_field(btf, "across", ID_U32, 60, 8);
	btf__add_field(btf, "last", ID_U32, 68, 4);
	return sample_parse(btf, order);
}

static uint64_t extract(const struct rbs_member *member, const unsigned char *bytes,
			enum rbs_byte_order order)
{
	uint64_t unit = 0;

	for (uint64_t i = 0; i < member->size; i++) {
		uint64_t at = order == RBS_BIG_ENDIAN ? i : member->size - 1 - i;

		unit = unit << 8 | bytes[member->offset + at];
	}
	return unit >> member->bit_offset & ((UINT64_C(1) << member->bit_size) - 1);
}

static void expect_bits(enum rbs_byte_order order, const unsigned char *flags,
			const unsigned char *packed)
{
	static const struct {
		const char *name;
		uint64_t value;
		unsigned bits;
	} wanted[] = {{"a", 5, 3}, {"b", 0x1234, 13}, {"c", 0xbeef, 16}, {"d", 0x1e, 5}};
	struct rbs_btf *btf = bit_fields(order);
	struct rbs_member member;

	for (size_t i = 0; i < 4; i++) {
		member = find(btf, "flags", wanted[i].name);
		cr_expect_eq(member.bit_size, wanted[i].bits);
		cr_expect_eq(member.kind, RBS_KIND_INT);
		cr_expect_eq(extract(&member, flags, order), wanted[i].value, "%s", wanted[i].name);
	}
	cr_expect(member.is_signed);
	member = find(btf, "packed", "across");
	cr_expect_eq(extract(&member, packed, order), 0xa7);
	cr_expect_leq(member.offset + member.size, 9);
	member = find(btf, "packed", "last");
	cr_expect_eq(member.offset, 8);
	cr_expect_eq(member.size, 1);
	cr_expect_eq(extract(&member, packed, order), 0xc);
	rbs_btf_destroy(btf);
}

Test(btf, bit_fields_little_endian)
{
	/* What gcc makes on x86-64 of {5, 0x1234, 0xbeef, -2} and of {-1, 0xa7, 0xc}. */
	static const unsigned char flags[8] = {0xa5, 0x91, 0xef, 0xbe, 0x1e, 0, 0, 0};
	static const unsigned char packed[9] = {0xff, 0xff, 0xff, 0xff, 0xff,
						0xff, 0xff, 0x7f, 0xca};

	expect_bits(RBS_LITTLE_ENDIAN, flags, packed);
}

Test(btf, bit_fields_big_endian)
{
	/* The same on s390x: the first field is in the most significant bits. */
	static const unsigned char flags[8] = {0xb2, 0x34, 0xbe, 0xef, 0xf0, 0, 0, 0};
	static const unsigned char packed[9] = {0xff, 0xff, 0xff, 0xff, 0xff,
						0xff, 0xff, 0xfa, 0x7c};

	expect_bits(RBS_BIG_ENDIAN, flags, packed);
}

Test(btf, enumerators)
{
	struct btf *raw = sample_begin(NULL);
	struct rbs_btf *btf;
	struct rbs_member member;
	int state;
	int64_t value;

	sample_add_scalars(raw);
	state = btf__add_enum(raw, "state", 4);
	btf__add_enum_value(raw, "STATE_LIVE", 0);
	btf__add_enum_value(raw, "STATE_LOST", -1);
	btf__add_enum(raw, NULL, 4);
	btf__add_enum_value(raw, "FLAG_HIGH", 0x80000000);
	btf__add_enum64(raw, "wide", 8, false);
	btf__add_enum64_value(raw, "WIDE_BIT", UINT64_C(1) << 50);
	btf__add_struct(raw, "holder", 4);
	btf__add_field(raw, "state", state, 0, 0);
	btf = sample_parse(raw, RBS_LITTLE_ENDIAN);

	cr_assert_eq(rbs_btf_find_enumerator(btf, "state", "STATE_LOST", &value, NULL), RBS_OK);
	cr_expect_eq(value, -1);
	cr_assert_eq(rbs_btf_find_enumerator(btf, NULL, "FLAG_HIGH", &value, NULL), RBS_OK);
	cr_expect_eq(value, INT64_C(0x80000000));
	cr_assert_eq(rbs_btf_find_enumerator(btf, "wide", "WIDE_BIT", &value, NULL), RBS_OK);
	cr_expect_eq(value, INT64_C(0x4000000000000));
	cr_expect_eq(rbs_btf_find_enumerator(btf, "state", "WIDE_BIT", &value, NULL),
		     RBS_NO_MEMBER);
	cr_expect_eq(rbs_btf_find_enumerator(btf, "holder", "STATE_LIVE", &value, NULL),
		     RBS_NO_TYPES);
	cr_expect_eq(rbs_btf_find_enumerator(btf, NULL, "NO_SUCH", &value, NULL), RBS_NO_TYPES);
	member = find(btf, "holder", "state");
	cr_expect_eq(member.kind, RBS_KIND_INT);
	cr_expect(member.is_signed);
	rbs_btf_destroy(btf);
}

/* Two drivers have a structure of one name: answers must not mix them. */
Test(btf, structures_of_one_name)
{
	struct btf *raw = sample_begin(NULL);
	struct rbs_btf *btf;

	sample_add_scalars(raw);
	btf__add_struct(raw, "channel", 16);
	btf__add_field(raw, "name", ID_POINTER, 0, 0);
	btf__add_field(raw, "id", ID_INT, 64, 0);
	btf__add_struct(raw, "channel", 32);
	btf__add_field(raw, "commit_count_mask", ID_LONG, 0, 0);
	btf__add_field(raw, "name", ID_POINTER, 128, 0);
	btf = sample_parse(raw, RBS_LITTLE_ENDIAN);

	cr_expect_eq(find(btf, "channel", "commit_count_mask").offset, 0);
	cr_expect_eq(find(btf, "channel", "name").offset, 16);
	cr_expect_eq(try_find(btf, "channel", "id"), RBS_NO_MEMBER);
	rbs_btf_destroy(btf);
}

Test(btf, longer_header_is_shortened)
{
	struct btf *raw = sample_begin(NULL);
	struct rbs_btf *btf = NULL;
	unsigned char *bytes, *longer;
	size_t size;

	sample_add_scalars(raw);
	btf__add_struct(raw, "ring", 8);
	btf__add_field(raw, "tail", ID_INT, 32, 0);
	bytes = sample_bytes(raw, RBS_BIG_ENDIAN, &size);
	longer = calloc(1, size + 8);
	cr_assert(longer);
	memcpy(longer, bytes, 24);
	memcpy(longer + 32, bytes + 24, size - 24);
	longer[7] = 32; /* hdr_len, big endian */
	cr_assert_eq(rbs_btf_create(longer, size + 8, NULL, 8, RBS_BIG_ENDIAN, NULL, &btf, NULL), RBS_OK);
	cr_expect_eq(find(btf, "ring", "tail").offset, 4);
	rbs_btf_destroy(btf);
	btf__free(raw);
	free(bytes);
	free(longer);
}
