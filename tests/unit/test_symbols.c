/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "fake_sources.h"

static const struct fake_symbol first[] = {
	{NULL, "modules", 0x1000},
	{"lttng_tracer", "sessions", 0x2000},
	{NULL, NULL, 0},
};

static const struct fake_symbol second[] = {
	{NULL, "modules", 0x9000},
	{NULL, "sessions", 0x3000},
	{"virtio", "virtio_bus", 0x4000},
	{NULL, NULL, 0},
};

static void chain_init(struct rbs_symbols *symbols)
{
	rbs_symbols_init(symbols);
	rbs_symbols_add(symbols, fake_symbols_create(first));
	rbs_symbols_add(symbols, fake_symbols_create(second));
}

static void assert_at(enum rbs_code code, const uint64_t *address, uint64_t expected)
{
	cr_assert_eq(code, RBS_OK);
	cr_assert_eq(*address, expected, "%llx", (unsigned long long)*address);
}

Test(symbols, asked_in_order)
{
	struct rbs_symbols symbols;
	uint64_t address = 0;

	chain_init(&symbols);
	assert_at(rbs_symbols_find(&symbols, NULL, "modules", &address, NULL), &address, 0x1000);
	assert_at(rbs_symbols_find(&symbols, NULL, "sessions", &address, NULL), &address, 0x3000);
	assert_at(rbs_symbols_find(&symbols, "lttng_tracer", "sessions", &address, NULL), &address,
		  0x2000);
	rbs_symbols_deinit(&symbols);
	cr_assert_null(symbols.first);
}

Test(symbols, fallbacks_are_asked_last)
{
	struct rbs_symbols symbols;
	struct rbs_symbol_source *fallback = fake_symbols_create(second);
	uint64_t address = 0;

	rbs_symbols_init(&symbols);
	fallback->fallback = true;
	rbs_symbols_add(&symbols, fallback);
	rbs_symbols_add(&symbols, fake_symbols_create(first));
	assert_at(rbs_symbols_find(&symbols, NULL, "modules", &address, NULL), &address, 0x1000);
	assert_at(rbs_symbols_find(&symbols, NULL, "sessions", &address, NULL), &address, 0x3000);
	rbs_symbols_deinit(&symbols);
}

Test(symbols, unknown)
{
	struct rbs_symbols symbols;
	struct rbs_error error;
	uint64_t address;

	chain_init(&symbols);
	cr_assert_eq(rbs_symbols_find(&symbols, "virtio", "modules", &address, &error),
		     RBS_NO_SYMBOL);
	cr_assert_str_eq(error.text, "no symbol modules in module virtio");
	cr_assert_eq(rbs_symbols_find(&symbols, NULL, "virtio_bus", &address, &error),
		     RBS_NO_SYMBOL);
	cr_assert_str_eq(error.text, "no symbol virtio_bus in the kernel");
	rbs_symbols_deinit(&symbols);
}

Test(symbols, either)
{
	struct rbs_symbols symbols;
	struct rbs_error error;
	uint64_t address = 0;

	chain_init(&symbols);
	assert_at(rbs_symbols_find_either(&symbols, "virtio", "virtio_bus", &address, NULL),
		  &address, 0x4000);
	assert_at(rbs_symbols_find_either(&symbols, "virtio", "modules", &address, NULL), &address,
		  0x1000);
	assert_at(rbs_symbols_find_either(&symbols, NULL, "modules", &address, NULL), &address,
		  0x1000);
	assert_at(rbs_symbols_find_either(&symbols, "lttng_tracer", "sessions", &address, NULL),
		  &address, 0x2000);
	cr_assert_eq(rbs_symbols_find_either(&symbols, "virtio", "nothing", &address, &error),
		     RBS_NO_SYMBOL);
	cr_assert_str_eq(error.text, "no symbol nothing in module virtio or the kernel");
	rbs_symbols_deinit(&symbols);
}

/* A source that cannot be read must not hide what another one has, nor be hidden itself. */
Test(symbols, broken_source)
{
	struct rbs_symbols symbols;
	struct rbs_error error;
	uint64_t address = 0;

	rbs_symbols_init(&symbols);
	rbs_symbols_add(&symbols, fake_symbols_create_broken(RBS_EXCLUDED));
	rbs_symbols_add(&symbols, fake_symbols_create_broken(RBS_CORRUPT));
	rbs_symbols_add(&symbols, fake_symbols_create(first));
	assert_at(rbs_symbols_find(&symbols, NULL, "modules", &address, &error), &address, 0x1000);
	cr_assert_eq(rbs_symbols_find(&symbols, NULL, "nothing", &address, &error), RBS_EXCLUDED);
	cr_assert_eq(error.code, RBS_EXCLUDED);
	cr_assert_str_eq(error.text, "symbol nothing: the fake source is broken");
	cr_assert_eq(rbs_symbols_find_either(&symbols, "virtio", "nothing", &address, NULL),
		     RBS_EXCLUDED);
	rbs_symbols_deinit(&symbols);
}

Test(symbols, name_at)
{
	struct rbs_symbols symbols;
	struct rbs_error error;
	char name[32];

	rbs_symbols_init(&symbols);
	cr_assert_eq(rbs_symbols_name_at(&symbols, 0x1000, name, sizeof(name), NULL),
		     RBS_NO_SYMBOL);
	rbs_symbols_add(&symbols, fake_symbols_create_broken(RBS_IO));
	rbs_symbols_add(&symbols, fake_symbols_create(first));
	rbs_symbols_add(&symbols, fake_symbols_create(second));
	cr_assert_eq(rbs_symbols_name_at(&symbols, 0x4000, name, sizeof(name), NULL), RBS_OK);
	cr_assert_str_eq(name, "virtio_bus");
	cr_assert_eq(rbs_symbols_name_at(&symbols, 0x4001, name, sizeof(name), &error),
		     RBS_NO_SYMBOL);
	cr_assert_eq(error.address, 0x4001);
	rbs_symbols_deinit(&symbols);
}
