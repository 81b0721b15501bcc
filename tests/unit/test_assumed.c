/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Built-in layouts: which table is used, when none is, and whether the shipped ones are whole. */
#include <criterion/criterion.h>
#include <string.h>

#include "dwarf/assumed_types.h"
#include "fake_sources.h"
#include "lib/probes/lttng/lttng.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Two members of a structure of module "m"; the tables differ in where 'at' is. */
#define TABLE(name_, version_, arch_, list_size_, at_)                                             \
	static const struct rbs_assumed_member name_##_members[] = {                               \
		{"thing", "at", {at_, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},                        \
		{"thing", "flag", {4, 4, 1, 4, RBS_KIND_INT, false, 3, 1}},                        \
	};                                                                                         \
	static const struct rbs_assumed_condition name_##_conditions[] = {                         \
		{"list_head", NULL, list_size_, NULL},                                             \
		{"holder", "mask", 8, NULL},                                                       \
	};                                                                                         \
	static const struct rbs_assumed_module name_##_modules[] = {{                              \
		.name = "m",                                                                       \
		.members = name_##_members,                                                        \
		.member_count = COUNT(name_##_members),                                            \
		.sizes = sizes,                                                                    \
		.size_count = COUNT(sizes),                                                        \
		.enumerators = enumerators,                                                        \
		.enumerator_count = COUNT(enumerators),                                            \
		.absences = absences,                                                              \
		.absence_count = COUNT(absences),                                                  \
	}};                                                                                        \
	static const struct rbs_assumed_table name_ = {                                            \
		.product = "Thing",                                                                \
		.version = version_,                                                               \
		.arch = arch_,                                                                     \
		.kernel = "5.0",                                                                   \
		.conditions = name_##_conditions,                                                  \
		.condition_count = COUNT(name_##_conditions),                                      \
		.modules = name_##_modules,                                                        \
		.module_count = 1,                                                                 \
	}

static const struct rbs_assumed_size sizes[] = {{"thing", 96}};
static const struct rbs_assumed_enumerator enumerators[] = {{NULL, "TWO", 2}, {"e", "MINUS", -1}};
static const struct rbs_assumed_absence absences[] = {{"thing", "gone"}, {"old_thing", NULL}};

TABLE(exact, "2.13.9", "x86_64", 16, 100);
TABLE(near, "2.13.12", "x86_64", 16, 200);
TABLE(far, "2.13.1", "x86_64", 16, 300);
TABLE(debug, "2.13.9", "x86_64", 24, 400);
TABLE(other_minor, "2.12.9", "x86_64", 16, 500);
TABLE(other_arch, "2.13.9", "aarch64", 16, 600);

static const struct fake_type kernel_types[] = {
	{NULL, "list_head", NULL, {.size = 16}},
	{NULL, "holder", "mask", {.size = 8, .count = 1, .element_size = 8}},
	{NULL, NULL, NULL, {0}},
};

struct bench {
	struct rbs_types types;
	struct rbs_module module;
	struct rbs_modules modules;
	struct rbs_type_source *source;
	struct rbs_error error;
};

static void bench_init_arch(struct bench *bench, const struct rbs_assumed_table *const *tables,
			    size_t count, const char *version, const char *arch, bool kernel_known)
{
	struct rbs_assumed_options options = {
		.types = &bench->types,
		.modules = &bench->modules,
		.arch = arch,
		.tables = tables,
		.table_count = count,
	};

	memset(bench, 0, sizeof(*bench));
	rbs_types_init(&bench->types);
	strcpy(bench->module.name, "m");
	strcpy(bench->module.version, version);
	bench->modules = (struct rbs_modules){&bench->module, 1};
	cr_assert_eq(rbs_assumed_types_create(&options, &bench->source, &bench->error), RBS_OK);
	rbs_types_add(&bench->types, bench->source);
	if (kernel_known)
		rbs_types_add(&bench->types, fake_types_create(kernel_types, NULL));
}

static void bench_init(struct bench *bench, const struct rbs_assumed_table *const *tables,
		       size_t count, const char *version, bool kernel_known)
{
	bench_init_arch(bench, tables, count, version, "x86_64", kernel_known);
}

/* The offset of 'at': it tells which table answers. 0: none. */
static uint64_t answer(struct bench *bench)
{
	struct rbs_member member;
	enum rbs_code code = bench->source->ops->find_member(bench->source, "m", "thing", "at",
							     &member, &bench->error);

	cr_assert(code == RBS_OK || code == RBS_NO_TYPES, "%s", rbs_code_name(code));
	return code == RBS_OK ? member.offset : 0;
}

static const char *remark(struct bench *bench)
{
	return rbs_types_remark(&bench->types, "assumed", "m");
}

Test(assumed, exact_version_first)
{
	static const struct rbs_assumed_table *const tables[] = {&far, &near, &other_arch, &exact};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "2.13.9", true);
	cr_expect_eq(answer(&bench), 100);
	cr_expect_str_eq(remark(&bench), "Thing 2.13.9 as built for 5.0");
	rbs_types_deinit(&bench.types);
}

Test(assumed, nearest_of_the_series)
{
	static const struct rbs_assumed_table *const tables[] = {&far, &other_minor, &near};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "2.13.8", true);
	cr_expect_eq(answer(&bench), 200);
	cr_expect(strstr(remark(&bench), "; the dump has 2.13.8"), "%s", remark(&bench));
	rbs_types_deinit(&bench.types);
}

Test(assumed, no_other_series_or_architecture)
{
	static const struct rbs_assumed_table *const tables[] = {&other_minor, &other_arch};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "2.13.9", true);
	cr_expect_eq(answer(&bench), 0);
	cr_expect(strstr(bench.error.text, "no table for this version on x86_64"), "%s",
		  bench.error.text);
	cr_expect_null(remark(&bench));
	rbs_types_deinit(&bench.types);
}

/* In the table's kernel a list_head was larger: everything behind one has moved. */
Test(assumed, kernel_structure_of_another_size)
{
	static const struct rbs_assumed_table *const tables[] = {&debug, &near};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "2.13.9", true);
	cr_expect_eq(answer(&bench), 200);
	rbs_types_deinit(&bench.types);
	bench_init(&bench, tables, 1, "2.13.9", true);
	cr_expect_eq(answer(&bench), 0);
	cr_expect(strstr(bench.error.text, "list_head has 16 bytes, not 24"), "%s",
		  bench.error.text);
	rbs_types_deinit(&bench.types);
}

/* One structure has the kernel's inside, and another size of that costs this structure alone. */
Test(assumed, condition_of_one_structure)
{
	static const struct rbs_assumed_condition conditions[] = {
		{"list_head", NULL, 16, NULL},
		{"holder", "mask", 4, "thing"},
	};
	struct rbs_assumed_table table = exact;
	const struct rbs_assumed_table *tables[] = {&table};
	struct bench bench;
	int64_t value;

	table.conditions = conditions;
	table.condition_count = COUNT(conditions);
	bench_init(&bench, tables, 1, "2.13.9", true);
	cr_expect_eq(answer(&bench), 0);
	cr_expect(strstr(bench.error.text, "thing is laid out otherwise"), "%s", bench.error.text);
	cr_expect(strstr(remark(&bench), "without thing, which moved with the kernel's holder"),
		  "%s", remark(&bench));
	cr_expect_eq(
		bench.source->ops->find_enumerator(bench.source, "m", NULL, "TWO", &value, NULL),
		RBS_OK);
	rbs_types_deinit(&bench.types);
}

Test(assumed, kernel_types_unknown)
{
	static const struct rbs_assumed_table *const tables[] = {&debug};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "2.13.9", false);
	cr_expect_eq(answer(&bench), 400);
	cr_expect(strstr(remark(&bench), "not checked against the kernel's types"), "%s",
		  remark(&bench));
	rbs_types_deinit(&bench.types);
}

Test(assumed, refused_one_by_one)
{
	static const struct rbs_assumed_table *const tables[] = {&far, &exact, &near};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "2.13.9", true);
	cr_expect_eq(answer(&bench), 100);
	cr_expect(rbs_types_refuse(&bench.types, "assumed", "m", "wrong one"));
	cr_expect_eq(answer(&bench), 200);
	cr_expect(rbs_types_refuse(&bench.types, "assumed", "m", "wrong two"));
	cr_expect_eq(answer(&bench), 300);
	cr_expect_not(rbs_types_refuse(&bench.types, "assumed", "m", "wrong three"));
	cr_expect_eq(answer(&bench), 0);
	cr_expect(strstr(bench.error.text, "2.13.9 as built for 5.0: wrong one; 2.13.12"), "%s",
		  bench.error.text);
	cr_expect_not(rbs_types_refuse(&bench.types, "assumed", "m", "again"));
	cr_expect_not(rbs_types_refuse(&bench.types, "btf", "m", "not its business"));
	rbs_types_deinit(&bench.types);
}

Test(assumed, version_unknown)
{
	static const struct rbs_assumed_table *const tables[] = {&other_minor, &exact};
	struct bench bench;

	bench_init(&bench, tables, COUNT(tables), "", true);
	cr_expect_eq(answer(&bench), 100);
	cr_expect(strstr(remark(&bench), "unknown version"), "%s", remark(&bench));
	cr_expect(rbs_types_refuse(&bench.types, "assumed", "m", "no"));
	cr_expect_eq(answer(&bench), 500);
	rbs_types_deinit(&bench.types);
}

Test(assumed, answers)
{
	static const struct rbs_assumed_table *const tables[] = {&exact};
	struct rbs_member member;
	uint64_t size;
	int64_t value;
	struct bench bench;
	const struct rbs_type_source_ops *ops;
	struct rbs_type_source *source;

	bench_init(&bench, tables, COUNT(tables), "2.13.9", true);
	source = bench.source;
	ops = source->ops;
	cr_expect_eq(ops->find_member(source, "m", "thing", "flag", &member, NULL), RBS_OK);
	cr_expect_eq(member.bit_offset, 3);
	cr_expect_eq(member.bit_size, 1);
	cr_expect_eq(ops->find_member(source, "m", "thing", "gone", &member, NULL), RBS_NO_MEMBER);
	cr_expect_eq(ops->find_member(source, "m", "old_thing", "x", &member, NULL), RBS_NO_TYPES);
	cr_expect_eq(ops->find_size(source, "m", "thing", &size, NULL), RBS_OK);
	cr_expect_eq(size, 96);
	cr_expect_eq(ops->find_enumerator(source, "m", NULL, "TWO", &value, NULL), RBS_OK);
	cr_expect_eq(value, 2);
	cr_expect_eq(ops->find_enumerator(source, "m", "e", "MINUS", &value, NULL), RBS_OK);
	cr_expect_eq(value, -1);
	cr_expect_eq(ops->find_enumerator(source, "m", "f", "MINUS", &value, NULL), RBS_NO_TYPES);
	/* Of the kernel, and of modules that no table is about, it says nothing at all. */
	cr_expect_eq(ops->find_size(source, NULL, "thing", &size, &bench.error), RBS_NO_TYPES);
	cr_expect_str_eq(bench.error.text, "");
	cr_expect_eq(ops->find_size(source, "virtio", "thing", &size, &bench.error), RBS_NO_TYPES);
	cr_expect_str_eq(bench.error.text, "");
	rbs_types_deinit(&bench.types);
}

/* Passes questions on, and ends the test at one that the table has no answer to. */
struct strict {
	struct rbs_type_source base;
	struct rbs_type_source *inner;
	size_t found;
};

static enum rbs_code strict_check(struct strict *strict, enum rbs_code code, const char *type,
				  const char *name, const struct rbs_error *err)
{
	cr_expect(code == RBS_OK || !strstr(err->text, "does not say"),
		  "made before the layout asked for %s %s: run tools/layout_table.c again", type,
		  name ? name : "(size)");
	strict->found += code == RBS_OK;
	return code;
}

static enum rbs_code strict_member(struct rbs_type_source *base, const char *module,
				   const char *type, const char *path, struct rbs_member *member,
				   struct rbs_error *err)
{
	struct strict *strict = (struct strict *)base;

	*err = (struct rbs_error){.code = RBS_OK};
	return strict_check(
		strict,
		strict->inner->ops->find_member(strict->inner, module, type, path, member, err),
		type, path, err);
}

static enum rbs_code strict_size(struct rbs_type_source *base, const char *module, const char *type,
				 uint64_t *size, struct rbs_error *err)
{
	struct strict *strict = (struct strict *)base;

	*err = (struct rbs_error){.code = RBS_OK};
	return strict_check(strict,
			    strict->inner->ops->find_size(strict->inner, module, type, size, err),
			    type, NULL, err);
}

static enum rbs_code strict_enumerator(struct rbs_type_source *base, const char *module,
				       const char *type, const char *name, int64_t *value,
				       struct rbs_error *err)
{
	struct strict *strict = (struct strict *)base;

	*err = (struct rbs_error){.code = RBS_OK};
	return strict_check(
		strict,
		strict->inner->ops->find_enumerator(strict->inner, module, type, name, value, err),
		type ? type : "", name, err);
}

static const struct rbs_type_source_ops strict_ops = {
	.name = "strict",
	.find_member = strict_member,
	.find_size = strict_size,
	.find_enumerator = strict_enumerator,
};

static const struct {
	const char *module;
	const struct rbs_layout_entry *entries;
	size_t count;
} layouts[] = {
	{LTTNG_TRACER, lttng_session_entries, LS_COUNT},
	{LTTNG_RING_BUFFER, lttng_ring_entries, LR_COUNT},
	{LTTNG_CLIENT, lttng_packet_entries, LK_COUNT},
};

static void table_check(const struct rbs_assumed_table *table)
{
	const struct rbs_assumed_table *const tables[] = {table};
	struct bench bench;
	struct strict strict = {.base.ops = &strict_ops};
	struct rbs_types types = {.first = &strict.base};

	bench_init_arch(&bench, tables, 1, table->version, table->arch, false);
	/* The sample's only module stands for whatever the table is about. */
	strcpy(bench.module.name, table->modules[0].name);
	strict.inner = bench.source;
	for (size_t i = 0; i < COUNT(layouts); i++) {
		struct rbs_layout layout;

		cr_assert_eq(rbs_layout_init(&layout, layouts[i].entries, layouts[i].count, &types,
					     layouts[i].module, &bench.error),
			     RBS_OK, "%s for %s: %s", table->version, table->kernel,
			     bench.error.text);
		rbs_layout_deinit(&layout);
	}
	cr_expect_gt(strict.found, 85, "%s: only %zu answers", table->version, strict.found);
	cr_expect_geq(table->condition_count, 8);
	rbs_types_deinit(&bench.types);
}

Test(assumed, shipped_tables_are_whole)
{
	size_t count;
	const struct rbs_assumed_table *const *tables = rbs_assumed_tables(&count);

	cr_assert_geq(count, 5);
	for (size_t i = 0; i < count; i++)
		table_check(tables[i]);
}

/* Measured with other tools on Debian 12's 6.1: what struct lttng_kernel_ring_buffer looks like. */
Test(assumed, shipped_table_of_2_13)
{
	static const struct {
		const char *path;
		uint64_t offset;
	} known[] = {
		{"offset", 0},
		{"commit_hot", 8},
		{"consumed", 16},
		{"record_disabled", 24},
		{"commit_cold", 112},
		{"records_lost_full", 136},
		{"records_lost_wrap", 144},
		{"records_lost_big", 152},
		{"records_count", 160},
		{"records_overrun", 168},
	};
	size_t count;
	const struct rbs_assumed_table *const *tables = rbs_assumed_tables(&count);
	struct bench bench;

	bench_init(&bench, tables, count, "2.13.9", false);
	strcpy(bench.module.name, LTTNG_TRACER);
	for (size_t i = 0; i < COUNT(known); i++) {
		struct rbs_member member;

		cr_assert_eq(bench.source->ops->find_member(bench.source, LTTNG_RING_BUFFER,
							    "lttng_kernel_ring_buffer",
							    known[i].path, &member, &bench.error),
			     RBS_OK, "%s", bench.error.text);
		cr_expect_eq(member.offset, known[i].offset, "%s", known[i].path);
	}
	rbs_types_deinit(&bench.types);
}
