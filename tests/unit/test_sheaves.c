/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free objects in sheaves: of CPUs and in barns, as 6.18 and as 7.1 have them. */
#include <criterion/criterion.h>

#include "fake_members.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/sheaves.h"

#define CACHE UINT64_C(0xffff888000600000)
#define OTHER UINT64_C(0xffff888000601000) /* a cache of 6.18 without sheaves */
#define AREA UINT64_C(0xffff888000700000)  /* of CPU 0, the only one */
#define SHEAF(n) (UINT64_C(0xffff888000800000) + 0x1000 * (uint64_t)(n))
#define BARN(n) (UINT64_C(0xffff888000900000) + 0x1000 * (uint64_t)(n))
#define NODE(n) (UINT64_C(0xffff888000a00000) + 0x1000 * (uint64_t)(n))
#define VARIABLE UINT64_C(0xffffffff83000000)
#define OBJECT UINT64_C(0xffff888001230400)
#define SIZE 1024
#define CAPACITY 5
#define PLACES 0x40 /* of kmem_cache's array of nodes: room for 4 */

#define COMMON_TYPES                                                                               \
	{NULL, "kmem_cache", "cpu_sheaves", POINTER(0)},                                           \
		{NULL, "kmem_cache", "sheaf_capacity", INT(8, 4)},                                 \
		{NULL, "node_barn", "sheaves_full", STRUCT(8, 16)},                                \
		{NULL, "slub_percpu_sheaves", "main", POINTER(8)},                                 \
		{NULL, "slub_percpu_sheaves", "spare", POINTER(16)},                               \
		{NULL, "slub_percpu_sheaves", "rcu_free", POINTER(24)},                            \
		{NULL, "slab_sheaf", "barn_list", STRUCT(0, 16)},                                  \
		{NULL, "slab_sheaf", "size", INT(24, 4)},                                          \
	{                                                                                          \
		NULL, "slab_sheaf", "objects", INT(32, 0)                                          \
	}

/* The barn's pointer is the node's. */
static const struct fake_type types_618[] = {
	COMMON_TYPES,
	{NULL, "kmem_cache", "node", INT(PLACES, 32)},
	{NULL, "kmem_cache_node", "barn", POINTER(16)},
	{NULL, NULL, NULL, {0}},
};

/* The cache has pairs of pointers, the barn's first. */
static const struct fake_type types_71[] = {
	COMMON_TYPES,
	{NULL, "kmem_cache", "per_node", INT(PLACES, 64)},
	{NULL, "kmem_cache_per_node_ptrs", NULL, STRUCT_SIZE(16)},
	{NULL, "kmem_cache_per_node_ptrs", "barn", POINTER(0)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_type types_before[] = {
	{NULL, "kmem_cache", "name", POINTER(0)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_symbol symbols[] = {
	{NULL, "nr_node_ids", VARIABLE},
	{NULL, NULL, 0},
};

struct machine {
	struct rbs_target *target;
	struct rbs_dump dump;
	struct rbs_cpus cpus;
	struct rbs_sheaves sheaves;
};

/* The first objects of a sheaf are others' of the same cache. */
static void sheaf_fill(struct machine *machine, uint64_t sheaf, unsigned count, uint64_t last)
{
	fake_target_put(machine->target, sheaf + 24, 4, count);
	for (unsigned i = 0; i < count; i++)
		fake_target_put_pointer(machine->target, sheaf + 32 + 8 * i,
					i + 1 == count ? last : OBJECT - SIZE * (i + 1));
}

static void barn_map(struct machine *machine, unsigned number)
{
	fake_target_map_zeros(machine->target, BARN(number), 0x100);
	fake_target_put_pointer(machine->target, BARN(number) + 8, BARN(number) + 8);
	fake_target_put_pointer(machine->target, BARN(number) + 16, BARN(number) + 8);
}

static void machine_init(struct machine *machine, const struct fake_type *types)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);

	machine->target = target;
	rbs_dump_init(&machine->dump, target);
	rbs_types_add(&machine->dump.types, fake_types_create(types, NULL));
	rbs_symbols_add(&machine->dump.symbols, fake_symbols_create(symbols));
	fake_target_map_zeros(target, VARIABLE, 0x100);
	fake_target_put(target, VARIABLE, 4, 2);
	/* Behind the second node lies something else. */
	fake_target_map_zeros(target, CACHE, 0x100);
	fake_target_map_zeros(target, OTHER, 0x100);
	fake_target_put_pointer(target, CACHE, AREA);
	fake_target_put(target, CACHE + 8, 4, CAPACITY);
	fake_target_map_zeros(target, AREA, 0x100);
	for (unsigned i = 0; i < 4; i++)
		fake_target_map_zeros(target, SHEAF(i), 0x100);
	fake_target_put_pointer(target, AREA + 8, SHEAF(0));
	barn_map(machine, 0);
	barn_map(machine, 1);
	if (types == types_618) {
		for (unsigned i = 0; i < 2; i++) {
			fake_target_map_zeros(target, NODE(i), 0x100);
			fake_target_put_pointer(target, CACHE + PLACES + 8 * i, NODE(i));
			fake_target_put_pointer(target, NODE(i) + 16, BARN(i));
		}
		fake_target_put_pointer(target, CACHE + PLACES + 16, 0xdead);
	} else {
		for (unsigned i = 0; i < 2; i++)
			fake_target_put_pointer(target, CACHE + PLACES + 16 * i, BARN(i));
		fake_target_put_pointer(target, CACHE + PLACES + 32, 0xdead);
	}
	cr_assert_eq(rbs_cpus_init(&machine->cpus, &machine->dump, NULL), RBS_OK);
	rbs_sheaves_init(&machine->sheaves, &machine->dump, &machine->cpus);
}

static void machine_free(struct machine *machine)
{
	rbs_sheaves_deinit(&machine->sheaves);
	rbs_cpus_deinit(&machine->cpus);
	rbs_dump_deinit(&machine->dump);
}

/* 1: held, 0: not, negative: not known */
static int ask(struct machine *machine, uint64_t cache)
{
	bool held;
	enum rbs_code code = rbs_sheaves_ask(&machine->sheaves, cache, OBJECT, SIZE, &held);

	return code == RBS_OK ? held : -1;
}

static void each_place(const struct fake_type *types)
{
	struct machine machine;

	machine_init(&machine, types);
	cr_expect_eq(ask(&machine, CACHE), 0);
	sheaf_fill(&machine, SHEAF(0), 3, OBJECT + SIZE);
	cr_expect_eq(ask(&machine, CACHE), 0);
	sheaf_fill(&machine, SHEAF(0), 3, OBJECT);
	cr_expect_eq(ask(&machine, CACHE), 1);
	/* What was in it before does not count. */
	fake_target_put(machine.target, SHEAF(0) + 24, 4, 2);
	cr_expect_eq(ask(&machine, CACHE), 0);

	sheaf_fill(&machine, SHEAF(1), 1, OBJECT);
	fake_target_put_pointer(machine.target, AREA + 16, SHEAF(1));
	cr_expect_eq(ask(&machine, CACHE), 1);
	fake_target_put_pointer(machine.target, AREA + 16, 0);
	fake_target_put_pointer(machine.target, AREA + 24, SHEAF(1));
	cr_expect_eq(ask(&machine, CACHE), 1);
	fake_target_put_pointer(machine.target, AREA + 24, 0);
	cr_expect_eq(ask(&machine, CACHE), 0);

	/* In the second node's barn, the second of two. */
	sheaf_fill(&machine, SHEAF(2), CAPACITY, OBJECT + SIZE);
	sheaf_fill(&machine, SHEAF(3), CAPACITY, OBJECT);
	fake_target_put_pointer(machine.target, BARN(1) + 8, SHEAF(2));
	fake_target_put_pointer(machine.target, SHEAF(2), SHEAF(3));
	fake_target_put_pointer(machine.target, SHEAF(3), BARN(1) + 8);
	cr_expect_eq(ask(&machine, CACHE), 1);
	/* There is one node only. */
	fake_target_put(machine.target, VARIABLE, 4, 1);
	cr_expect_eq(ask(&machine, CACHE), 0);
	machine_free(&machine);
}

Test(sheaves, of_618)
{
	struct machine machine;

	each_place(types_618);
	machine_init(&machine, types_618);
	cr_expect_eq(ask(&machine, OTHER), 0);
	machine_free(&machine);
}

Test(sheaves, of_71)
{
	each_place(types_71);
}

Test(sheaves, before)
{
	struct machine machine;

	machine_init(&machine, types_before);
	cr_expect_eq(ask(&machine, CACHE), 0);
	machine_free(&machine);
}

/* What can't be followed is not known, rather than 'not there'. */
Test(sheaves, damaged)
{
	struct machine machine;

	machine_init(&machine, types_71);
	/* more objects than a sheaf of this cache has room for */
	sheaf_fill(&machine, SHEAF(0), CAPACITY + 1, OBJECT + SIZE);
	cr_expect_eq(ask(&machine, CACHE), -1);
	sheaf_fill(&machine, SHEAF(0), 0, 0);
	cr_expect_eq(ask(&machine, CACHE), 0);
	fake_target_put(machine.target, CACHE + 8, 4, 0x7fffffff);
	cr_expect_eq(ask(&machine, CACHE), -1);
	fake_target_put(machine.target, CACHE + 8, 4, CAPACITY);
	/* a page that is missing */
	fake_target_put_pointer(machine.target, AREA + 16, 0xdead000);
	cr_expect_eq(ask(&machine, CACHE), -1);
	fake_target_put_pointer(machine.target, AREA + 16, 0);
	/* a CPU in the middle of an exchange */
	fake_target_put_pointer(machine.target, AREA + 8, 0);
	cr_expect_eq(ask(&machine, CACHE), -1);
	fake_target_put_pointer(machine.target, AREA + 8, SHEAF(0));
	/* a circle in a barn */
	fake_target_put_pointer(machine.target, BARN(0) + 8, SHEAF(2));
	fake_target_put_pointer(machine.target, SHEAF(2), SHEAF(2));
	cr_expect_eq(ask(&machine, CACHE), -1);
	fake_target_put_pointer(machine.target, BARN(0) + 8, BARN(0) + 8);
	/* more nodes than there is room for */
	fake_target_put(machine.target, VARIABLE, 4, 5);
	cr_expect_eq(ask(&machine, CACHE), -1);
	fake_target_put(machine.target, VARIABLE, 4, 0);
	cr_expect_eq(ask(&machine, CACHE), -1);
	machine_free(&machine);
}

/* A kernel that has sheaves, without the types that say how they are laid out. */
Test(sheaves, types_missing)
{
	static const struct fake_type types[] = {
		{NULL, "kmem_cache", "cpu_sheaves", POINTER(0)},
		{NULL, NULL, NULL, {0}},
	};
	struct machine machine;

	machine_init(&machine, types);
	cr_expect_eq(ask(&machine, CACHE), -1);
	machine_free(&machine);
}
