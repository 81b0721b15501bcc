/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "dwarf/module_symbols.h"
#include "fake_target.h"

#define SYMTAB UINT64_C(0xffffffffc0101000)
#define STRTAB UINT64_C(0xffffffffc0102ff0) /* the names go over the end of a page */

struct loaded {
	struct rbs_target *target;
	struct rbs_module list[2];
	struct rbs_modules modules;
	struct rbs_symbol_source *source;
	struct rbs_error error;
};

/* Offset 0 "", 1 "sessions", 10 "init", 15 "printk". */
static const char names[] = "\0sessions\0init\0printk";

static void put_symbol(struct loaded *loaded, unsigned index, uint64_t name, uint64_t section,
		       uint64_t value)
{
	bool wide = loaded->target->info.word_size == 8;
	uint64_t at = SYMTAB + (wide ? 24 : 16) * index;

	fake_target_put(loaded->target, at, 4, name);
	fake_target_put(loaded->target, at + (wide ? 6 : 14), 2, section);
	fake_target_put_pointer(loaded->target, at + (wide ? 8 : 4), value);
}

static void loaded_init(struct loaded *loaded, enum rbs_byte_order order, unsigned word_size)
{
	*loaded = (struct loaded){.target = fake_target_create(order, word_size)};
	fake_target_map_zeros(loaded->target, SYMTAB, 4096);
	fake_target_map_zeros(loaded->target, STRTAB, 16 + 4096);
	fake_target_map(loaded->target, STRTAB, names, sizeof(names));
	put_symbol(loaded, 1, 1, 5, 0xc0104010);
	put_symbol(loaded, 2, 10, 2, 0xc0105020);
	put_symbol(loaded, 3, 15, 0, 0); /* undefined: the kernel's */
	strcpy(loaded->list[0].name, "empty");
	strcpy(loaded->list[1].name, "lttng_tracer");
	loaded->list[1].symtab = SYMTAB;
	loaded->list[1].strtab = STRTAB;
	loaded->list[1].symbol_count = 4;
	loaded->modules.modules = loaded->list;
	loaded->modules.count = 2;
	cr_assert_eq(
		rbs_module_symbols_create(loaded->target, &loaded->modules, &loaded->source, NULL),
		RBS_OK);
}

static void loaded_deinit(struct loaded *loaded)
{
	loaded->source->ops->destroy(loaded->source);
	rbs_target_destroy(loaded->target);
}

static enum rbs_code find(struct loaded *loaded, const char *module, const char *name,
			  uint64_t *address)
{
	return loaded->source->ops->find(loaded->source, module, name, address, &loaded->error);
}

static void assert_found(struct loaded *loaded, const char *name, uint64_t expected)
{
	uint64_t address = 0;

	cr_assert_eq(find(loaded, "lttng-tracer", name, &address), RBS_OK, "%s: %s", name,
		     loaded->error.text);
	cr_assert_eq(address, expected);
}

Test(module_symbols, by_module_and_name)
{
	struct loaded loaded;
	uint64_t address;
	char name[16];

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	assert_found(&loaded, "sessions", 0xc0104010);
	assert_found(&loaded, "init", 0xc0105020);
	cr_assert_eq(find(&loaded, "lttng_tracer", "printk", &address), RBS_NO_SYMBOL);
	cr_assert_eq(find(&loaded, "lttng_tracer", "", &address), RBS_NO_SYMBOL);
	cr_assert_eq(find(&loaded, "empty", "sessions", &address), RBS_NO_SYMBOL);
	cr_assert_eq(find(&loaded, "other", "sessions", &address), RBS_NO_SYMBOL);
	cr_assert_str_eq(loaded.error.text, "module other is not loaded");
	cr_assert_eq(find(&loaded, NULL, "sessions", &address), RBS_NO_SYMBOL);
	cr_assert_eq(
		loaded.source->ops->name_at(loaded.source, 0xc0105020, name, sizeof(name), NULL),
		RBS_OK);
	cr_assert_str_eq(name, "init");
	cr_assert_eq(
		loaded.source->ops->name_at(loaded.source, 0xc0105021, name, sizeof(name), NULL),
		RBS_NO_SYMBOL);
	loaded_deinit(&loaded);
}

Test(module_symbols, big_endian_and_32_bits)
{
	struct loaded loaded;

	loaded_init(&loaded, RBS_BIG_ENDIAN, 8);
	assert_found(&loaded, "sessions", 0xc0104010);
	loaded_deinit(&loaded);
	loaded_init(&loaded, RBS_BIG_ENDIAN, 4);
	assert_found(&loaded, "init", 0xc0105020);
	loaded_deinit(&loaded);
}

/* Read once, when the first is asked for: later damage to the dump is not seen. */
Test(module_symbols, read_once)
{
	struct loaded loaded;

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	cr_assert_eq(loaded.target->stats.reads, 0);
	assert_found(&loaded, "sessions", 0xc0104010);
	fake_target_hole(loaded.target, SYMTAB, 4096, RBS_EXCLUDED);
	assert_found(&loaded, "init", 0xc0105020);
	loaded_deinit(&loaded);
}

/* "sessions" begins on the first page and ends on the second. */
Test(module_symbols, missing_page_of_names)
{
	struct loaded loaded;
	uint64_t address;
	char name[16];

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	put_symbol(&loaded, 3, 10, 2, 0xc0105020);
	fake_target_map(loaded.target, STRTAB + 10, "abcde_f", 8);
	put_symbol(&loaded, 2, 1, 5, 0xc0104010);
	fake_target_hole(loaded.target, UINT64_C(0xffffffffc0103000), 4096, RBS_EXCLUDED);
	assert_found(&loaded, "sessions", 0xc0104010);
	/* Neither the whole name nor its first half is known: the reason, not 'no such symbol'. */
	cr_assert_eq(find(&loaded, "lttng_tracer", "abcde_f", &address), RBS_EXCLUDED);
	cr_assert_eq(find(&loaded, "lttng_tracer", "abcde_", &address), RBS_EXCLUDED);
	cr_assert_not_null(strstr(loaded.error.text, "symbols of module lttng_tracer: "));
	cr_assert_eq(
		loaded.source->ops->name_at(loaded.source, 0xc0105020, name, sizeof(name), NULL),
		RBS_NO_SYMBOL);
	loaded_deinit(&loaded);
}

Test(module_symbols, missing_symbol_table)
{
	struct loaded loaded;
	uint64_t address;

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	fake_target_hole(loaded.target, SYMTAB, 4096, RBS_TRUNCATED);
	cr_assert_eq(find(&loaded, "lttng_tracer", "sessions", &address), RBS_TRUNCATED);
	loaded_deinit(&loaded);
}

/* Where its table is could not be read: that is no 'no such symbol'. */
Test(module_symbols, missing_place_of_table)
{
	struct loaded loaded;
	uint64_t address;

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	loaded.list[0].symbols_code = RBS_EXCLUDED;
	cr_assert_eq(find(&loaded, "empty", "sessions", &address), RBS_EXCLUDED);
	loaded_deinit(&loaded);
}

/* Whether a module is loaded, nobody knows without the whole list. */
Test(module_symbols, incomplete_list)
{
	struct loaded loaded;
	uint64_t address;

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	rbs_error_set(&loaded.modules.incomplete, RBS_TRUNCATED, "it breaks off");
	cr_assert_eq(find(&loaded, "other", "sessions", &address), RBS_TRUNCATED);
	cr_assert_str_eq(loaded.error.text,
			 "whether module other was loaded is not known, since the list of modules "
			 "cannot be read: it breaks off");
	assert_found(&loaded, "sessions", 0xc0104010);
	loaded_deinit(&loaded);
}

Test(module_symbols, senseless_tables)
{
	struct loaded loaded;
	uint64_t address;
	char name[16];

	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	loaded.list[1].symbol_count = UINT64_C(0xffffffff);
	cr_assert_eq(find(&loaded, "lttng_tracer", "sessions", &address), RBS_LIMIT);
	loaded_deinit(&loaded);
	/* A name four gigabytes away costs only its symbol. */
	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	put_symbol(&loaded, 2, 0xfffffff0, 2, 0xc0105020);
	assert_found(&loaded, "sessions", 0xc0104010);
	cr_assert_eq(find(&loaded, "lttng_tracer", "init", &address), RBS_CORRUPT);
	loaded_deinit(&loaded);
	/* Names that never end are no names. */
	loaded_init(&loaded, RBS_LITTLE_ENDIAN, 8);
	for (unsigned i = 0; i < 1024; i++)
		fake_target_put(loaded.target, STRTAB + 1 + i, 1, 'x');
	cr_assert_eq(find(&loaded, "lttng_tracer", "sessions", &address), RBS_NO_SYMBOL);
	cr_assert_eq(
		loaded.source->ops->name_at(loaded.source, 0xc0104010, name, sizeof(name), NULL),
		RBS_NO_SYMBOL);
	loaded_deinit(&loaded);
}
