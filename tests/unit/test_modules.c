/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "dwarf/module_symbols.h"
#include "fake_sources.h"
#include "fake_target.h"

#define HEAD UINT64_C(0xffffffff82000000)
#define MODULE_A UINT64_C(0xffffffffc0100000)
#define MODULE_B UINT64_C(0xffffffffc0200000)
#define MODULE_C UINT64_C(0xffffffffc0300000)

/* struct module of no real kernel: list at 8, name at 24, and so on. */
#define LIST 8
#define NAME 24
#define MEMBER(at, bytes)                                                                          \
	{                                                                                          \
		.offset = (at), .size = (bytes), .count = 1, .element_size = (bytes)               \
	}

#define COMMON_TYPES                                                                               \
	{NULL, "module", "list", MEMBER(LIST, 16)}, {NULL, "module", "name", MEMBER(NAME, 56)},    \
		{NULL, "module", "version", MEMBER(80, 8)},                                        \
		{NULL, "module", "srcversion", MEMBER(88, 8)},                                     \
		{NULL, "module", "kallsyms", MEMBER(96, 8)},                                       \
		{NULL, "mod_kallsyms", "symtab", MEMBER(0, 8)},                                    \
		{NULL, "mod_kallsyms", "num_symtab", MEMBER(8, 4)},                                \
	{                                                                                          \
		NULL, "mod_kallsyms", "strtab", MEMBER(16, 8)                                      \
	}

/* 6.4 to 6.13: memory by kind, notes counted. */
static const struct fake_type types_64[] = {
	COMMON_TYPES,
	{NULL,
	 "module",
	 "mem",
	 {.offset = 112, .size = 72, .count = 3, .element_size = 24, .kind = RBS_KIND_ARRAY}},
	{NULL, "module_memory", NULL, MEMBER(0, 24)},
	{NULL, "module_memory", "base", MEMBER(8, 8)},
	{NULL, "module", "notes_attrs", MEMBER(184, 8)},
	{NULL, "module_notes_attrs", "notes", MEMBER(8, 4)},
	{NULL,
	 "module_notes_attrs",
	 "attrs",
	 {.offset = 16, .size = 0, .count = 0, .element_size = 32, .kind = RBS_KIND_ARRAY}},
	{NULL, "bin_attribute", NULL, MEMBER(0, 32)},
	{NULL, "bin_attribute", "size", MEMBER(8, 8)},
	{NULL, "bin_attribute", "private", MEMBER(16, 8)},
	{NULL, NULL, NULL, MEMBER(0, 0)},
};

static const struct fake_enumerator enumerators[] = {
	{"mod_mem_type", "MOD_TEXT", 1}, /* 0 in every kernel so far: must be asked for */
	{NULL, NULL, 0},
};

/* 5.14 to 6.3 with CONFIG_STACKTRACE_BUILD_ID. */
static const struct fake_type types_514[] = {
	COMMON_TYPES,
	{NULL, "module", "core_layout.base", MEMBER(112, 8)},
	{NULL, "module", "build_id", MEMBER(120, 20)},
	{NULL, NULL, NULL, MEMBER(0, 0)},
};

/* 3.x: no mod_kallsyms; the symbols are the module's own members. */
static const struct fake_type types_310[] = {
	{NULL, "module", "list", MEMBER(LIST, 16)},
	{NULL, "module", "name", MEMBER(NAME, 56)},
	{NULL, "module", "module_core", MEMBER(112, 8)},
	{NULL, "module", "symtab", MEMBER(80, 8)},
	{NULL, "module", "num_symtab", MEMBER(88, 4)},
	{NULL, "module", "strtab", MEMBER(96, 8)},
	{NULL, NULL, NULL, MEMBER(0, 0)},
};

/* 6.14 and later: the notes are a sysfs group. */
static const struct fake_type types_614[] = {
	{NULL, "module", "list", MEMBER(LIST, 16)},
	{NULL, "module", "name", MEMBER(NAME, 56)},
	{NULL, "module", "notes_attrs", MEMBER(80, 8)},
	{NULL, "module_notes_attrs", "grp.bin_attrs", MEMBER(24, 8)},
	{NULL,
	 "module_notes_attrs",
	 "attrs",
	 {.offset = 40, .size = 0, .count = 0, .element_size = 32, .kind = RBS_KIND_ARRAY}},
	{NULL, "bin_attribute", NULL, MEMBER(0, 32)},
	{NULL, "bin_attribute", "size", MEMBER(8, 8)},
	{NULL, "bin_attribute", "private", MEMBER(16, 8)},
	{NULL, NULL, NULL, MEMBER(0, 0)},
};

static const struct fake_symbol roots[] = {{NULL, "modules", HEAD}, {NULL, NULL, 0}};

struct kernel {
	struct rbs_target *target;
	struct rbs_symbols symbols;
	struct rbs_types types;
	struct rbs_modules modules;
	struct rbs_error error;
	enum rbs_code code;
};

static void link_nodes(struct rbs_target *target, uint64_t from, uint64_t to)
{
	fake_target_put(target, from, 8, to);
	fake_target_put(target, to + 8, 8, from);
}

static void add_module(struct rbs_target *target, uint64_t address, const char *name)
{
	fake_target_map_zeros(target, address, 4096);
	fake_target_put_string(target, address + NAME, name);
}

/* Three modules a, b, c. */
static void kernel_init(struct kernel *kernel, enum rbs_byte_order order,
			const struct fake_type *types)
{
	*kernel = (struct kernel){.target = fake_target_create(order, 8)};
	rbs_symbols_init(&kernel->symbols);
	rbs_symbols_add(&kernel->symbols, fake_symbols_create(roots));
	rbs_types_init(&kernel->types);
	rbs_types_add(&kernel->types, fake_types_create(types, enumerators));
	fake_target_map_zeros(kernel->target, HEAD, 16);
	add_module(kernel->target, MODULE_A, "mod_a");
	add_module(kernel->target, MODULE_B, "mod_b");
	add_module(kernel->target, MODULE_C, "mod_c");
	link_nodes(kernel->target, HEAD, MODULE_A + LIST);
	link_nodes(kernel->target, MODULE_A + LIST, MODULE_B + LIST);
	link_nodes(kernel->target, MODULE_B + LIST, MODULE_C + LIST);
	link_nodes(kernel->target, MODULE_C + LIST, HEAD);
}

static void kernel_read(struct kernel *kernel)
{
	kernel->code = rbs_modules_init(&kernel->modules, kernel->target, &kernel->symbols,
					&kernel->types, &kernel->error);
}

static void kernel_deinit(struct kernel *kernel)
{
	rbs_modules_deinit(&kernel->modules);
	rbs_types_deinit(&kernel->types);
	rbs_symbols_deinit(&kernel->symbols);
	rbs_target_destroy(kernel->target);
}

static const uint8_t note_bytes[] = {
	/* An owner of three characters that is not ours, padded. */
	4, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 'X', 'e', 'n', 0, 1, 2, 0, 0,
	/* GNU, type 3, four bytes. */
	4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0xbe, 0xef};

Test(modules, everything_of_one)
{
	struct kernel kernel;
	const struct rbs_module *module;
	char id[2 * RBS_BUILD_ID_MAX + 1];

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	fake_target_map_zeros(kernel.target, 0xffff888000000000, 4096);
	fake_target_put_string(kernel.target, 0xffff888000000010, "2.13.9");
	fake_target_put_string(kernel.target, 0xffff888000000020, "C64DED13861C663AFD9A349");
	fake_target_put(kernel.target, MODULE_B + 80, 8, 0xffff888000000010);
	fake_target_put(kernel.target, MODULE_B + 88, 8, 0xffff888000000020);
	/* mod_kallsyms */
	fake_target_put(kernel.target, MODULE_B + 96, 8, MODULE_B + 0x800);
	fake_target_put(kernel.target, MODULE_B + 0x800, 8, 0xffffffffc0205000);
	fake_target_put(kernel.target, MODULE_B + 0x808, 4, 156);
	fake_target_put(kernel.target, MODULE_B + 0x80c, 4, 0xffffffff); /* padding */
	fake_target_put(kernel.target, MODULE_B + 0x810, 8, 0xffffffffc0207000);
	/* mem[1].base */
	fake_target_put(kernel.target, MODULE_B + 112 + 24 + 8, 8, 0xffffffffc01ff000);
	/* Two notes: one with nothing in it, and the build-id. */
	fake_target_put(kernel.target, MODULE_B + 184, 8, 0xffff888000000100);
	fake_target_put(kernel.target, 0xffff888000000108, 4, 2);
	fake_target_put(kernel.target, 0xffff888000000110 + 32 + 8, 8, sizeof(note_bytes));
	fake_target_put(kernel.target, 0xffff888000000110 + 32 + 16, 8, 0xffffffffc0208000);
	fake_target_map(kernel.target, 0xffffffffc0208000, note_bytes, sizeof(note_bytes));
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK, "%s", kernel.error.text);
	cr_assert_eq(kernel.modules.count, 3);
	module = rbs_modules_find(&kernel.modules, "mod-b");
	cr_assert_not_null(module);
	cr_assert_str_eq(module->name, "mod_b");
	cr_assert_str_eq(module->version, "2.13.9");
	cr_assert_str_eq(module->srcversion, "C64DED13861C663AFD9A349");
	cr_assert_eq(module->address, MODULE_B);
	cr_assert_eq(module->symtab, 0xffffffffc0205000);
	cr_assert_eq(module->strtab, 0xffffffffc0207000);
	cr_assert_eq(module->symbol_count, 156);
	cr_assert_eq(module->text_base, 0xffffffffc01ff000);
	rbs_build_id_format(&module->build_id, id, sizeof(id));
	cr_assert_str_eq(id, "deadbeef");
	/* The others have none of it. */
	module = rbs_modules_find(&kernel.modules, "mod_a");
	cr_assert_str_eq(module->version, "");
	cr_assert_eq(module->symbol_count, 0);
	cr_assert_eq(module->build_id.size, 0);
	cr_assert_null(rbs_modules_find(&kernel.modules, "mod_"));
	cr_assert_null(rbs_modules_find(&kernel.modules, "mod_bb"));
	kernel_deinit(&kernel);
}

Test(modules, build_id_member)
{
	struct kernel kernel;
	char id[2 * RBS_BUILD_ID_MAX + 1];

	kernel_init(&kernel, RBS_BIG_ENDIAN, types_514);
	fake_target_put(kernel.target, MODULE_A + 120, 8, 0x0001020304050607);
	fake_target_put(kernel.target, MODULE_A + 128, 8, 0x08090a0b0c0d0e0f);
	fake_target_put(kernel.target, MODULE_A + 136, 4, 0x10111213);
	fake_target_put(kernel.target, MODULE_A + 112, 8, 0xffffffffc00ff000);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	rbs_build_id_format(&kernel.modules.modules[0].build_id, id, sizeof(id));
	cr_assert_str_eq(id, "000102030405060708090a0b0c0d0e0f10111213");
	cr_assert_eq(kernel.modules.modules[0].text_base, 0xffffffffc00ff000);
	cr_assert_eq(kernel.modules.modules[1].build_id.size, 0);
	kernel_deinit(&kernel);
}

Test(modules, notes_of_a_group)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_614);
	fake_target_put(kernel.target, MODULE_C + 80, 8, MODULE_C + 0x100);
	fake_target_put(kernel.target, MODULE_C + 0x100 + 24, 8, MODULE_C + 0x200);
	fake_target_put(kernel.target, MODULE_C + 0x200, 8, MODULE_C + 0x300);
	fake_target_put(kernel.target, MODULE_C + 0x208, 8, MODULE_C + 0x400);
	fake_target_put(kernel.target, MODULE_C + 0x408, 8, sizeof(note_bytes));
	fake_target_put(kernel.target, MODULE_C + 0x410, 8, 0xffffffffc0308000);
	fake_target_map(kernel.target, 0xffffffffc0308000, note_bytes, sizeof(note_bytes));
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	cr_assert_eq(kernel.modules.modules[2].build_id.size, 4);
	cr_assert_eq(kernel.modules.modules[2].build_id.bytes[3], 0xef);
	kernel_deinit(&kernel);
}

Test(modules, old_kernel)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_310);
	fake_target_put(kernel.target, MODULE_A + 80, 8, 0xffffffffc0105000);
	fake_target_put(kernel.target, MODULE_A + 88, 4, 7);
	fake_target_put(kernel.target, MODULE_A + 96, 8, 0xffffffffc0106000);
	fake_target_put(kernel.target, MODULE_A + 112, 8, 0xffffffffc00ff000);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	cr_assert_eq(kernel.modules.modules[0].symbol_count, 7);
	cr_assert_eq(kernel.modules.modules[0].symtab, 0xffffffffc0105000);
	cr_assert_eq(kernel.modules.modules[0].strtab, 0xffffffffc0106000);
	cr_assert_eq(kernel.modules.modules[0].text_base, 0xffffffffc00ff000);
	kernel_deinit(&kernel);
}

Test(modules, none)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	link_nodes(kernel.target, HEAD, HEAD);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	cr_assert_eq(kernel.modules.count, 0);
	cr_assert_null(rbs_modules_find(&kernel.modules, ""));
	kernel_deinit(&kernel);
}

Test(modules, no_roots)
{
	static const struct fake_symbol nothing[] = {{NULL, NULL, 0}};
	static const struct fake_type unknown[] = {{NULL, NULL, NULL, MEMBER(0, 0)}};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, unknown);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_NO_TYPES);
	cr_assert_eq(kernel.modules.count, 0);
	rbs_symbols_deinit(&kernel.symbols);
	rbs_symbols_add(&kernel.symbols, fake_symbols_create(nothing));
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_NO_SYMBOL);
	cr_assert_eq(kernel.modules.incomplete.code, RBS_NO_SYMBOL);
	kernel_deinit(&kernel);
}

/* Its variables are known, and there is no list among them: CONFIG_MODULES=n. */
Test(modules, kernel_without_modules)
{
	static const struct fake_symbol symbols[] = {{NULL, "linux_banner", HEAD}, {NULL, NULL, 0}};
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	rbs_symbols_deinit(&kernel.symbols);
	rbs_symbols_add(&kernel.symbols, fake_symbols_create(symbols));
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	cr_assert_eq(kernel.modules.incomplete.code, RBS_OK);
	kernel_deinit(&kernel);
}

/* The module is known, and where its symbols are is not. */
Test(modules, unreadable_kallsyms)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	fake_target_put(kernel.target, MODULE_A + 96, 8, 0xffffffffc0999000);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	cr_assert_eq(kernel.modules.modules[0].symtab, 0);
	cr_assert_eq(kernel.modules.modules[0].symbols_code, RBS_UNMAPPED);
	kernel_deinit(&kernel);
}

/* The list breaks off behind a; c is reached from the other end, b is not reachable twice. */
Test(modules, broken_list)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	fake_target_hole(kernel.target, MODULE_B, 4096, RBS_EXCLUDED);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_EXCLUDED, "%s", kernel.error.text);
	cr_assert_eq(kernel.modules.incomplete.code, RBS_EXCLUDED);
	cr_assert_eq(kernel.modules.count, 2);
	cr_assert_not_null(rbs_modules_find(&kernel.modules, "mod_a"));
	cr_assert_not_null(rbs_modules_find(&kernel.modules, "mod_c"));
	kernel_deinit(&kernel);
}

Test(modules, damaged_name_costs_one)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	fake_target_put(kernel.target, MODULE_B + NAME, 1, 0x07);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_CORRUPT);
	cr_assert_eq(kernel.error.address, MODULE_B);
	cr_assert_eq(kernel.modules.count, 2);
	cr_assert_not_null(rbs_modules_find(&kernel.modules, "mod_c"));
	kernel_deinit(&kernel);
}

/* b points back to itself, and to a: no module twice, no endless walk, c from the other end. */
Test(modules, circles)
{
	for (int i = 0; i < 2; i++) {
		struct kernel kernel;

		kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
		fake_target_put(kernel.target, MODULE_B + LIST, 8,
				(i ? MODULE_A : MODULE_B) + LIST);
		kernel_read(&kernel);
		cr_assert_eq(kernel.code, RBS_CORRUPT);
		cr_assert_eq(kernel.modules.count, 3, "%zu", kernel.modules.count);
		cr_assert_not_null(rbs_modules_find(&kernel.modules, "mod_c"));
		kernel_deinit(&kernel);
	}
}

/* A list that never comes back, of more modules than there may be. */
Test(modules, endless_list)
{
	const uint64_t start = 0xffffffffc1000000;
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_614);
	fake_target_map_zeros(kernel.target, start, 5000 * 128);
	for (uint64_t i = 0; i < 4999; i++) {
		fake_target_put_string(kernel.target, start + 128 * i + NAME, "m");
		fake_target_put(kernel.target, start + 128 * i + LIST, 8,
				start + 128 * (i + 1) + LIST);
	}
	link_nodes(kernel.target, HEAD, start + LIST);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_LIMIT);
	cr_assert_eq(kernel.modules.count, 4096);
	kernel_deinit(&kernel);
}

/* Where a damaged module says that it has a million notes, or one of a gigabyte. */
Test(modules, senseless_notes)
{
	struct kernel kernel;

	kernel_init(&kernel, RBS_LITTLE_ENDIAN, types_64);
	fake_target_put(kernel.target, MODULE_A + 184, 8, MODULE_A + 0x400);
	fake_target_put(kernel.target, MODULE_A + 0x408, 4, 0xffffffff);
	fake_target_put(kernel.target, MODULE_A + 0x410 + 8, 8, 0x40000000);
	fake_target_put(kernel.target, MODULE_A + 0x410 + 16, 8, MODULE_A);
	fake_target_put(kernel.target, MODULE_B + 184, 8, 0x10);
	kernel_read(&kernel);
	cr_assert_eq(kernel.code, RBS_OK);
	cr_assert_eq(kernel.modules.count, 3);
	cr_assert_eq(kernel.modules.modules[0].build_id.size, 0);
	kernel_deinit(&kernel);
}
