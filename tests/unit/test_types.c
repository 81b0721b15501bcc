/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "fake_sources.h"

/* A source that cannot be read: every question ends with this code. */
struct broken_source {
	struct rbs_type_source base;
	enum rbs_code code;
	unsigned asked;
	bool *destroyed;
};

static enum rbs_code broken_answer(struct rbs_type_source *base, struct rbs_error *err)
{
	struct broken_source *source = (struct broken_source *)base;

	source->asked++;
	return rbs_error_set_at(err, source->code, 0xffff888000001000, "page of the table");
}

static enum rbs_code broken_member(struct rbs_type_source *source, const char *module,
				   const char *type, const char *path, struct rbs_member *member,
				   struct rbs_error *err)
{
	(void)module, (void)type, (void)path, (void)member;
	return broken_answer(source, err);
}

static enum rbs_code broken_size(struct rbs_type_source *source, const char *module,
				 const char *type, uint64_t *size, struct rbs_error *err)
{
	(void)module, (void)type, (void)size;
	return broken_answer(source, err);
}

static enum rbs_code broken_enumerator(struct rbs_type_source *source, const char *module,
				       const char *type, const char *name, int64_t *value,
				       struct rbs_error *err)
{
	(void)module, (void)type, (void)name, (void)value;
	return broken_answer(source, err);
}

static void broken_destroy(struct rbs_type_source *base)
{
	struct broken_source *source = (struct broken_source *)base;

	if (source->destroyed)
		*source->destroyed = true;
	free(source);
}

static const struct rbs_type_source_ops broken_ops = {
	.name = "broken",
	.find_member = broken_member,
	.find_size = broken_size,
	.find_enumerator = broken_enumerator,
	.destroy = broken_destroy,
};

static struct broken_source *broken_create(enum rbs_code code)
{
	struct broken_source *source = calloc(1, sizeof(*source));

	cr_assert(source);
	source->base.ops = &broken_ops;
	source->code = code;
	return source;
}

static const struct fake_type old_kernel[] = {
	{NULL, "virtqueue", "num_free", {.offset = 16, .size = 4, .count = 1}},
	{NULL, "virtqueue", NULL, {.size = 48}},
	{.type = NULL},
};

static const struct fake_type tables[] = {
	{NULL, "virtqueue", "num_free", {.offset = 99, .size = 4, .count = 1}},
	{NULL, "virtqueue", "index", {.offset = 12, .size = 4, .count = 1}},
	{NULL, "session", "active", {.offset = 8, .size = 1, .count = 1}},
	{NULL, "session", NULL, {.size = 72}},
	{.type = NULL},
};

static const struct fake_enumerator states[] = {
	{"session_state", "SESSION_DEAD", 3},
	{.name = NULL},
};

Test(types, first_that_knows_answers)
{
	struct rbs_types types;
	struct rbs_member member;
	const char *answered = NULL;
	uint64_t size;

	rbs_types_init(&types);
	rbs_types_add(&types, fake_types_create(old_kernel, NULL));
	rbs_types_add(&types, fake_types_create(tables, NULL));
	cr_assert_eq(rbs_types_find_member(&types, NULL, "virtqueue", "num_free", &member,
					   &answered, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, 16);
	cr_expect_str_eq(answered, types.first->ops->name);
	cr_assert_eq(rbs_types_find_size(&types, NULL, "virtqueue", &size, NULL), RBS_OK);
	cr_expect_eq(size, 48);
	rbs_types_deinit(&types);
}

Test(types, missing_member_is_an_answer)
{
	struct rbs_types types;
	struct rbs_member member;

	rbs_types_init(&types);
	rbs_types_add(&types, fake_types_create(old_kernel, NULL));
	rbs_types_add(&types, fake_types_create(tables, NULL));
	cr_expect_eq(rbs_types_find_member(&types, NULL, "virtqueue", "index", &member, NULL, NULL),
		     RBS_NO_MEMBER);
	rbs_types_deinit(&types);
}

Test(types, unknown_structure_goes_to_the_next)
{
	struct rbs_types types;
	struct rbs_member member;
	int64_t value;

	rbs_types_init(&types);
	rbs_types_add(&types, fake_types_create(old_kernel, NULL));
	rbs_types_add(&types, fake_types_create(tables, states));
	cr_assert_eq(rbs_types_find_member(&types, NULL, "session", "active", &member, NULL, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, 8);
	cr_assert_eq(rbs_types_find_enumerator(&types, NULL, "session_state", "SESSION_DEAD",
					       &value, NULL),
		     RBS_OK);
	cr_expect_eq(value, 3);
	rbs_types_deinit(&types);
}

Test(types, fallback_is_asked_after_sources_added_later)
{
	struct rbs_types types;
	struct rbs_type_source *fallback = fake_types_create(tables, NULL);
	struct rbs_member member;

	rbs_types_init(&types);
	fallback->fallback = true;
	rbs_types_add(&types, fallback);
	rbs_types_add(&types, fake_types_create(old_kernel, NULL));
	cr_assert_eq(
		rbs_types_find_member(&types, NULL, "virtqueue", "num_free", &member, NULL, NULL),
		RBS_OK);
	cr_expect_eq(member.offset, 16);
	cr_assert_eq(rbs_types_find_member(&types, NULL, "session", "active", &member, NULL, NULL),
		     RBS_OK);
	cr_expect_eq(member.offset, 8);
	rbs_types_deinit(&types);
}

Test(types, broken_source_hides_nothing)
{
	struct rbs_types types;
	struct rbs_member member;
	const char *answered = NULL;

	rbs_types_init(&types);
	rbs_types_add(&types, &broken_create(RBS_EXCLUDED)->base);
	rbs_types_add(&types, fake_types_create(tables, NULL));
	cr_assert_eq(
		rbs_types_find_member(&types, NULL, "session", "active", &member, &answered, NULL),
		RBS_OK);
	cr_expect_str_neq(answered, "broken");
	rbs_types_deinit(&types);
}

Test(types, reason_of_a_broken_source_wins)
{
	struct rbs_types types;
	struct rbs_member member;
	struct rbs_error err;

	rbs_types_init(&types);
	rbs_types_add(&types, fake_types_create(old_kernel, NULL));
	rbs_types_add(&types, &broken_create(RBS_EXCLUDED)->base);
	cr_expect_eq(rbs_types_find_member(&types, NULL, "session", "active", &member, NULL, &err),
		     RBS_EXCLUDED);
	cr_expect(err.has_address);
	cr_expect_eq(err.address, 0xffff888000001000);
	cr_expect(strstr(err.text, "broken: page of the table"), "text: %s", err.text);
	rbs_types_deinit(&types);
}

Test(types, interrupt_stops_the_chain)
{
	struct rbs_types types;
	struct broken_source *second = broken_create(RBS_EXCLUDED);
	uint64_t size;

	rbs_types_init(&types);
	rbs_types_add(&types, &broken_create(RBS_INTERRUPTED)->base);
	rbs_types_add(&types, &second->base);
	cr_expect_eq(rbs_types_find_size(&types, NULL, "session", &size, NULL), RBS_INTERRUPTED);
	cr_expect_eq(second->asked, 0);
	rbs_types_deinit(&types);
}

Test(types, empty_chain_knows_nothing)
{
	struct rbs_types types;
	struct rbs_error err;
	uint64_t size;
	int64_t value;

	rbs_types_init(&types);
	cr_expect_eq(rbs_types_find_size(&types, NULL, "session", &size, &err), RBS_NO_TYPES);
	cr_expect(strstr(err.text, "session"), "text: %s", err.text);
	cr_expect_eq(rbs_types_find_enumerator(&types, NULL, NULL, "SESSION_DEAD", &value, NULL),
		     RBS_NO_TYPES);
	rbs_types_deinit(&types);
}

Test(types, sources_are_destroyed_once)
{
	struct rbs_types types;
	struct broken_source *first = broken_create(RBS_CORRUPT);
	struct broken_source *second = broken_create(RBS_CORRUPT);
	bool first_gone = false, second_gone = false;

	first->destroyed = &first_gone;
	second->destroyed = &second_gone;
	rbs_types_init(&types);
	rbs_types_add(&types, &first->base);
	rbs_types_add(&types, &second->base);
	rbs_types_deinit(&types);
	cr_expect(first_gone);
	cr_expect(second_gone);
	cr_expect_null(types.first);
}
