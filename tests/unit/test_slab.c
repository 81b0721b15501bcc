/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether memory is handed out: SLUB's lists, plain and mixed, and pages. */
#include <criterion/criterion.h>
#include <string.h>

#include "fake_members.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/slab.h"

#define LINEAR UINT64_C(0xffff900000000000)
#define PAGES UINT64_C(0xffffea0000000000)
#define VARIABLES UINT64_C(0xffffffff83000000)
#define CACHE UINT64_C(0xffff888000600000)
#define CPU_AREA UINT64_C(0xffff888000700000)
#define SLAB 0x8000 /* physical: two pages of objects of 512 bytes */
#define SIZE 512
#define LINK 256
#define RANDOM UINT64_C(0x0123456789abcdef)

#define COMMON_TYPES                                                                               \
	{NULL, "page", NULL, {.size = 64, .kind = RBS_KIND_STRUCT}},                               \
		{NULL, "page", "flags", INT(0, 8)}, {NULL, "page", "compound_head", INT(8, 8)},    \
		{NULL, "page", "_refcount", INT(52, 4)}, {NULL, "slab", "slab_cache", INT(16, 8)}, \
		{NULL, "slab", "freelist", INT(32, 8)}, {NULL, "kmem_cache", "name", INT(0, 8)},   \
		{NULL, "kmem_cache", "size", INT(8, 4)},                                           \
		{NULL, "kmem_cache", "offset", INT(12, 4)},                                        \
	{                                                                                          \
		NULL, "kmem_cache", "list", INT(16, 16)                                            \
	}

static const struct fake_type plain[] = {
	COMMON_TYPES,
	{NULL, NULL, NULL, {0}},
};

static const struct fake_type hardened[] = {
	COMMON_TYPES,
	{NULL, "kmem_cache", "random", INT(32, 8)},
	{NULL, "kmem_cache", "cpu_slab", INT(40, 8)},
	{NULL, "kmem_cache_cpu", "freelist", INT(0, 8)},
	{NULL, "kmem_cache_cpu", "slab", INT(16, 8)},
	{NULL, NULL, NULL, {0}},
};

/* 7.1: masks instead of addresses in later pages, no lists of CPUs, sheaves. */
static const struct fake_type sheaves[] = {
	{NULL, "page", NULL, {.size = 64, .kind = RBS_KIND_STRUCT}},
	{NULL, "page", "flags", INT(0, 8)},
	{NULL, "page", "compound_info", INT(8, 8)},
	{NULL, "page", "_refcount", INT(52, 4)},
	{NULL, "slab", "slab_cache", INT(16, 8)},
	{NULL, "slab", "freelist", INT(32, 8)},
	{NULL, "kmem_cache", "name", INT(0, 8)},
	{NULL, "kmem_cache", "size", INT(8, 4)},
	{NULL, "kmem_cache", "offset", INT(12, 4)},
	{NULL, "kmem_cache", "list", INT(16, 16)},
	{NULL, "kmem_cache", "random", INT(32, 8)},
	{NULL, "kmem_cache", "cpu_sheaves", INT(40, 8)},
	{NULL, "kmem_cache", "sheaf_capacity", INT(48, 4)},
	{NULL, "kmem_cache", "per_node", INT(56, 16)},
	{NULL, "kmem_cache_per_node_ptrs", NULL, {.size = 16, .kind = RBS_KIND_STRUCT}},
	{NULL, "kmem_cache_per_node_ptrs", "barn", INT(0, 8)},
	{NULL, "node_barn", "sheaves_full", INT(0, 16)},
	{NULL, "slub_percpu_sheaves", "main", INT(0, 8)},
	{NULL, "slub_percpu_sheaves", "spare", INT(8, 8)},
	{NULL, "slub_percpu_sheaves", "rcu_free", INT(16, 8)},
	{NULL, "slab_sheaf", "barn_list", INT(0, 16)},
	{NULL, "slab_sheaf", "size", INT(16, 4)},
	{NULL, "slab_sheaf", "objects", INT(24, 0)},
	{NULL, NULL, NULL, {0}},
};

static const struct fake_enumerator enumerators[] = {
	{"pageflags", "PG_slab", 9},
	{NULL, NULL, 0},
};

static const struct fake_symbol symbols[] = {
	{NULL, "page_offset_base", VARIABLES},
	{NULL, "vmemmap_base", VARIABLES + 8},
	{NULL, "slab_caches", VARIABLES + 16},
	{NULL, NULL, 0},
};

/* arm64 has neither base in a variable. */
static const struct fake_symbol computed_symbols[] = {
	{NULL, "slab_caches", VARIABLES + 16},
	{NULL, NULL, 0},
};

struct machine {
	struct rbs_target *target;
	struct rbs_dump dump;
	struct rbs_slabs slabs;
};

static uint64_t page_struct(uint64_t physical)
{
	return PAGES + physical / 4096 * 64;
}

static void machine_init(struct machine *machine, const struct fake_type *types)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);

	machine->target = target;
	rbs_dump_init(&machine->dump, target);
	rbs_types_add(&machine->dump.types, fake_types_create(types, enumerators));
	rbs_symbols_add(&machine->dump.symbols, fake_symbols_create(symbols));
	fake_target_map_zeros(target, VARIABLES, 0x100);
	fake_target_put_pointer(target, VARIABLES, LINEAR);
	fake_target_put_pointer(target, VARIABLES + 8, PAGES);
	fake_target_put_pointer(target, VARIABLES + 16, CACHE + 16);
	fake_target_map_zeros(target, CACHE, 0x100);
	fake_target_put_pointer(target, CACHE, CACHE + 0x80);
	fake_target_put_string(target, CACHE + 0x80, "kmalloc-512");
	fake_target_put(target, CACHE + 8, 4, SIZE);
	fake_target_put(target, CACHE + 12, 4, LINK);
	fake_target_put_pointer(target, CACHE + 16, VARIABLES + 16);
	fake_target_put_pointer(target, CACHE + 32, RANDOM);
	fake_target_put_pointer(target, CACHE + 40, CPU_AREA);
	fake_target_map_zeros(target, CPU_AREA, 0x100);
	fake_target_map_zeros(target, PAGES, 0x1000);
	fake_target_put(target, page_struct(SLAB), 8, UINT64_C(1) << 9);
	fake_target_put_pointer(target, page_struct(SLAB) + 16, CACHE);
	fake_target_put_pointer(target, page_struct(SLAB + 4096) + 8, page_struct(SLAB) | 1);
	fake_target_map_zeros(target, LINEAR + SLAB, 0x2000);
	rbs_slabs_init(&machine->slabs, &machine->dump, NULL);
}

static void machine_free(struct machine *machine)
{
	rbs_slabs_deinit(&machine->slabs);
	rbs_dump_deinit(&machine->dump);
}

static uint64_t object_at(unsigned index)
{
	return LINEAR + SLAB + SIZE * index;
}

static enum rbs_slab_state state_of(struct machine *machine, uint64_t physical,
				    struct rbs_slab_object *object)
{
	rbs_slab_find(&machine->slabs, physical, object);
	return object->state;
}

Test(slab, plain_list)
{
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, plain);
	/* 3 and 10 (in the second page) are free. */
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, object_at(3));
	fake_target_put_pointer(machine.target, object_at(3) + LINK, object_at(10));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 3, &object), RBS_SLAB_FREE);
	cr_expect_eq(object.link, LINK);
	cr_expect_str_eq(object.cache, "kmalloc-512");
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 10 + 300, &object), RBS_SLAB_FREE);
	cr_expect_eq(object.link, LINK - 300);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 4, &object), RBS_SLAB_ALLOCATED);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 9, &object), RBS_SLAB_ALLOCATED);
	machine_free(&machine);
}

/*
 * The link of object 3 to object 10, and the end of the list in object 10, as
 * CONFIG_SLAB_FREELIST_HARDENED writes them: worked out by hand from RANDOM and the addresses
 * ffff900000008700 and ffff900000009500.
 */
Test(slab, mixed_list)
{
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, hardened);
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, object_at(3));
	/* ffff900000009400 ^ random ^ 008700000090ffff, ffff900000008700 with its bytes swapped */
	fake_target_put_pointer(machine.target, object_at(3) + LINK, UINT64_C(0xfe5bd567893ba610));
	fake_target_put_pointer(machine.target, object_at(10) + LINK, UINT64_C(0x01b64567893b3210));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 10, &object), RBS_SLAB_FREE);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 5, &object), RBS_SLAB_ALLOCATED);
	machine_free(&machine);
}

/* The CPU that works with a slab has its free objects on a list of its own. */
Test(slab, list_of_a_cpu)
{
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, hardened);
	fake_target_put_pointer(machine.target, CPU_AREA, object_at(6));
	fake_target_put_pointer(machine.target, CPU_AREA + 16, page_struct(SLAB));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 6, &object), RBS_SLAB_FREE);
	/* It works with another one now. */
	fake_target_put_pointer(machine.target, CPU_AREA + 16, page_struct(SLAB) + 640);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 6, &object), RBS_SLAB_ALLOCATED);
	machine_free(&machine);
}

/* What can't be followed is not known, rather than allocated. */
Test(slab, unknown)
{
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, plain);
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, object_at(3));
	fake_target_hole(machine.target, object_at(3), SIZE, RBS_EXCLUDED);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 5, &object), RBS_SLAB_UNKNOWN);
	cr_expect(*object.why);
	machine_free(&machine);

	machine_init(&machine, plain);
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, 0xdead000);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 5, &object), RBS_SLAB_UNKNOWN);
	/* A circle. */
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, object_at(3));
	fake_target_put_pointer(machine.target, object_at(3) + LINK, object_at(3));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 5, &object), RBS_SLAB_UNKNOWN);
	/* A cache that the kernel does not list. */
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 16, CACHE + 8);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 3, &object), RBS_SLAB_UNKNOWN);
	machine_free(&machine);
}

/*
 * An object in a sheaf is free, though its slab's list does not have it. Links are those of
 * mixed_list: where one is left in the object it was on a list before.
 */
Test(slab, sheaf)
{
	const uint64_t sheaf = CPU_AREA + 0x40;
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, sheaves);
	fake_target_put(machine.target, CACHE + 48, 4, 4);
	fake_target_put_pointer(machine.target, CPU_AREA, sheaf);
	fake_target_put_pointer(machine.target, page_struct(SLAB + 4096) + 8, ~UINT64_C(0x7f) | 1);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 10, &object), RBS_SLAB_ALLOCATED);
	cr_expect_not(object.linked);
	fake_target_put(machine.target, sheaf + 16, 4, 1);
	fake_target_put_pointer(machine.target, sheaf + 24, object_at(10));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 10 + 8, &object), RBS_SLAB_FREE);
	cr_expect_str_eq(object.cache, "kmalloc-512");
	cr_expect_not(object.linked);
	fake_target_put_pointer(machine.target, object_at(10) + LINK, UINT64_C(0x01b64567893b3210));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 10 + 8, &object), RBS_SLAB_FREE);
	cr_expect(object.linked);
	cr_expect_eq(object.link, LINK - 8);
	/* A sheaf that claims more than it can hold. */
	fake_target_put(machine.target, sheaf + 16, 4, 5);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 9, &object), RBS_SLAB_UNKNOWN);
	cr_expect(*object.why);
	/* On the slab's list it is free whatever the sheaves hold. */
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, object_at(10));
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 10, &object), RBS_SLAB_FREE);
	cr_expect(object.linked);
	machine_free(&machine);
}

/*
 * A kernel for 52-bit addresses on a machine with 48, whose memory begins at 1 GiB, so that
 * PHYS_OFFSET lies far below 0. By hand from asm/memory.h and asm/pgtable.h: 40008000 is mapped at
 * (40008000 - PHYS_OFFSET) | fff0000000000000 = ffff900000008000, and described at VMEMMAP_START +
 * (40008 - (PHYS_OFFSET >> 12)) * 64 = VMEMMAP_START + f900000008 * 64 = ffffea0000000200.
 */
Test(slab, places_of_arm64)
{
	struct rbs_slab_object object;
	struct rbs_slabs slabs;
	struct machine machine;

	machine_init(&machine, plain);
	rbs_slabs_deinit(&machine.slabs);
	rbs_symbols_deinit(&machine.dump.symbols);
	rbs_symbols_init(&machine.dump.symbols);
	rbs_symbols_add(&machine.dump.symbols, fake_symbols_create(computed_symbols));
	rbs_slabs_init(&slabs, &machine.dump, NULL);
	rbs_slab_find(&slabs, 0x40008000, &object);
	cr_expect_eq(object.state, RBS_SLAB_UNKNOWN);
	rbs_slabs_deinit(&slabs);

	fake_target_vmcoreinfo(machine.target, "NUMBER(VA_BITS)=52\n"
					       "NUMBER(VMEMMAP_START)=0xffffabc000000000\n"
					       "NUMBER(PHYS_OFFSET)=0xfff0700040000000\n");
	rbs_slabs_init(&machine.slabs, &machine.dump, NULL);
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, object_at(3));
	cr_expect_eq(state_of(&machine, 0x40008000 + SIZE * 3 + 8, &object), RBS_SLAB_FREE);
	cr_expect_str_eq(object.cache, "kmalloc-512");
	cr_expect_eq(state_of(&machine, 0x40008000 + SIZE * 4, &object), RBS_SLAB_ALLOCATED);
	machine_free(&machine);
}

/* s390x's direct map may start at address 0: that is no 'unknown'. */
Test(slab, places_of_s390x)
{
	static const struct fake_symbol variables[] = {
		{NULL, "vmemmap", VARIABLES + 8},
		{NULL, "slab_caches", VARIABLES + 16},
		{NULL, NULL, 0},
	};
	const uint64_t guess = 0;
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, plain);
	rbs_slabs_deinit(&machine.slabs);
	rbs_symbols_deinit(&machine.dump.symbols);
	rbs_symbols_init(&machine.dump.symbols);
	rbs_symbols_add(&machine.dump.symbols, fake_symbols_create(variables));
	fake_target_map_zeros(machine.target, SLAB, 0x2000);
	fake_target_put_pointer(machine.target, page_struct(SLAB) + 32, SLAB + SIZE * 3);
	/* 6.1: by the caller's guess, which is 0 */
	rbs_slabs_init(&machine.slabs, &machine.dump, &guess);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 3, &object), RBS_SLAB_FREE);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 4, &object), RBS_SLAB_ALLOCATED);
	rbs_slabs_deinit(&machine.slabs);
	rbs_slabs_init(&machine.slabs, &machine.dump, NULL);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 3, &object), RBS_SLAB_UNKNOWN);
	rbs_slabs_deinit(&machine.slabs);
	/* 6.10 and later say it */
	fake_target_vmcoreinfo(machine.target, "IDENTITYBASE=0\n");
	rbs_slabs_init(&machine.slabs, &machine.dump, NULL);
	cr_expect_eq(state_of(&machine, SLAB + SIZE * 3, &object), RBS_SLAB_FREE);
	machine_free(&machine);
}

Test(slab, pages)
{
	struct rbs_slab_object object;
	struct machine machine;

	machine_init(&machine, plain);
	cr_expect_eq(state_of(&machine, 0x3000, &object), RBS_SLAB_FREE_PAGES);
	fake_target_put(machine.target, page_struct(0x3000) + 52, 4, 1);
	cr_expect_eq(state_of(&machine, 0x3123, &object), RBS_SLAB_PAGES);
	cr_expect_str_empty(object.cache);
	/* Of a larger piece its first page counts. */
	fake_target_put_pointer(machine.target, page_struct(0x4000) + 8, page_struct(0x3000) | 1);
	cr_expect_eq(state_of(&machine, 0x4000, &object), RBS_SLAB_PAGES);
	cr_expect_eq(state_of(&machine, UINT64_C(1) << 40, &object), RBS_SLAB_UNKNOWN);
	machine_free(&machine);
}
