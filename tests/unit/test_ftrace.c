/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ftrace probe on an image written by hand: names of all times, and damage. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "expect.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/probe.h"

#define HEAD UINT64_C(0xffffffff82001000)
#define GLOBAL UINT64_C(0xffff888000100000)
#define OTHER UINT64_C(0xffff888000200000)
#define BUFFER_AT 0x1000 /* of an instance: its buffer, the CPU's part of it, and its pages */
#define CPU_AT 0x2000
#define PAGES_AT 0x3000 /* three of 0x100 bytes: buffer_page at 0, what it holds at 0x80 */

#define INT(at)                                                                                    \
	{                                                                                          \
		.offset = (at), .size = 4, .count = 1, .element_size = 4, .is_signed = true        \
	}
#define LONG(at)                                                                                   \
	{                                                                                          \
		.offset = (at), .size = 8, .count = 1, .element_size = 8                           \
	}

/* The members that every kernel has, by the names of the two structures that were renamed. */
#define TYPES(array, ring)                                                                         \
	{NULL, "trace_array", "list", {.offset = 0x10, .size = 16}},                               \
		{NULL, "trace_array", "name", LONG(0x20)},                                         \
		{NULL, "trace_array", array ".buffer", LONG(0x28)}, {NULL, ring, "flags", INT(0)}, \
		{NULL, ring, "record_disabled", INT(4)}, {NULL, ring, "buffers", LONG(8)},         \
		{NULL, "ring_buffer_per_cpu", "entries", LONG(0)},                                 \
		{NULL, "ring_buffer_per_cpu", "overrun", LONG(8)},                                 \
		{NULL, "ring_buffer_per_cpu", "read", LONG(16)},                                   \
		{NULL, "ring_buffer_per_cpu", "entries_bytes", LONG(24)},                          \
		{NULL, "ring_buffer_per_cpu", "read_bytes", LONG(32)},                             \
		{NULL, "ring_buffer_per_cpu", "nr_pages", LONG(40)},                               \
		{NULL, "ring_buffer_per_cpu", "head_page", LONG(48)},                              \
		{NULL, "ring_buffer_per_cpu", "tail_page", LONG(56)},                              \
		{NULL, "ring_buffer_per_cpu", "reader_page", LONG(64)},                            \
		{NULL, "buffer_page", "list", {.offset = 0, .size = 16}},                          \
		{NULL, "buffer_page", "page", LONG(0x18)},                                         \
		{NULL, "buffer_data_page", "time_stamp", LONG(0)},                                 \
		{NULL, "buffer_data_page", "data", {.offset = 16}},                                \
		{NULL, "list_head", "prev", LONG(8)},                                              \
	{                                                                                          \
		NULL, NULL, NULL,                                                                  \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const struct fake_type types_new[] = {
	{NULL, "trace_buffer", "subbuf_order", INT(16)},
	TYPES("array_buffer", "trace_buffer"),
};

/* Before 5.6: what was called trace_buffer then is another structure. */
static const struct fake_type types_old[] = {
	{NULL, "trace_buffer", "buffer", LONG(8)},
	TYPES("trace_buffer", "ring_buffer"),
};

static const struct fake_enumerator enumerators[] = {
	{"ring_buffer_flags", "RB_FL_OVERWRITE", 1},
	{NULL, NULL, 0},
};

static const struct fake_symbol symbols[] = {
	{NULL, "ftrace_trace_arrays", HEAD},
	{NULL, NULL, 0},
};

static struct rbs_dump dump;
static struct rbs_report *report;
static struct rbs_section *section;
static struct rbs_error error;

static void put(uint64_t address, uint64_t value)
{
	fake_target_put(dump.target, address, 8, value);
}

static void list_put(uint64_t address, uint64_t next, uint64_t prev)
{
	put(address, next);
	put(address + 8, prev);
}

/* Three pages in a ring, the second is the head; a fourth is the reader's. */
static void pages_put(uint64_t instance)
{
	uint64_t first = instance + PAGES_AT;

	for (unsigned i = 0; i < 4; i++) {
		put(first + i * 0x100 + 0x18, first + i * 0x100 + 0x80);
		put(first + i * 0x100 + 0x80, 1000 + i);
	}
	list_put(first, (first + 0x100) | 1, first + 0x200);
	list_put(first + 0x100, first + 0x200, first);
	list_put(first + 0x200, first, first + 0x100);
	put(instance + CPU_AT + 40, 3);
	put(instance + CPU_AT + 48, first);
	put(instance + CPU_AT + 56, first);
	put(instance + CPU_AT + 64, first + 0x300);
}

static void instance_put(uint64_t instance, const char *name)
{
	fake_target_map_zeros(dump.target, instance, 0x4000);
	if (name) {
		put(instance + 0x20, instance + 0x100);
		fake_target_put_string(dump.target, instance + 0x100, name);
	}
	put(instance + 0x28, instance + BUFFER_AT);
	fake_target_put(dump.target, instance + BUFFER_AT, 4, 1);
	put(instance + BUFFER_AT + 8, instance + BUFFER_AT + 0x100);
	put(instance + BUFFER_AT + 0x100, instance + CPU_AT);
	put(instance + CPU_AT, 100);
	put(instance + CPU_AT + 8, 30);
	put(instance + CPU_AT + 16, 20);
	put(instance + CPU_AT + 24, 5000);
	put(instance + CPU_AT + 32, 700);
	pages_put(instance);
}

static void start(const struct fake_type *types)
{
	rbs_dump_init(&dump, fake_target_create(RBS_LITTLE_ENDIAN, 8));
	rbs_symbols_add(&dump.symbols, fake_symbols_create(symbols));
	rbs_types_add(&dump.types, fake_types_create(types, enumerators));
	fake_target_map_zeros(dump.target, HEAD, 0x10);
	instance_put(GLOBAL, NULL);
	instance_put(OTHER, "other");
	list_put(HEAD, OTHER + 0x10, GLOBAL + 0x10);
	list_put(OTHER + 0x10, GLOBAL + 0x10, HEAD);
	list_put(GLOBAL + 0x10, HEAD, OTHER + 0x10);
}

static void start_new(void)
{
	start(types_new);
}

static void start_old(void)
{
	start(types_old);
}

static void stop(void)
{
	rbs_report_destroy(report);
	rbs_dump_deinit(&dump);
}

static enum rbs_code run(void)
{
	const struct rbs_probe *probe = rbs_probe_find("ftrace");
	struct rbs_probe_context context = {.dump = &dump, .verbose = true};
	bool absent = false;

	rbs_report_destroy(report);
	report = rbs_report_create(&dump.target->info);
	section = rbs_report_add_section(report, probe->family);
	context.section = section;
	return probe->run(&context, &absent, &error);
}

static const struct rbs_node *child(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; node && i < node->child_count; i++) {
		if (!strcmp(node->children[i]->name, name))
			return node->children[i];
	}
	return NULL;
}

static const struct rbs_node *events(const char *instance)
{
	return child(child(section->node, instance), "events");
}

static void expect(const struct rbs_node *node, const char *name, uint64_t wanted)
{
	const struct rbs_field *field = node ? rbs_node_find(node, name) : NULL;

	cr_assert_not_null(field, "no %s", name);
	cr_expect_eq(field->code, RBS_OK, "%s: %s", name, rbs_code_name(field->code));
	cr_expect_eq(field->number, wanted, "%s is %" PRIu64 ", not %" PRIu64, name, field->number,
		     wanted);
}

static void expect_figures(const char *instance)
{
	const struct rbs_node *cpu = child(events(instance), "cpu0");

	expect(cpu, "entries", 50);
	expect(cpu, "overrun", 30);
	expect(cpu, "read_events", 20);
	expect(cpu, "bytes", 4300);
	expect(cpu, "oldest_event_ts", 1001);
	expect(events(instance), "tracing_on", 1);
	expect(events(instance), "overwrite", 1);
}

TestSuite(ftrace, .init = start_new, .fini = stop);
TestSuite(ftrace_old, .init = start_old, .fini = stop);

Test(ftrace, figures)
{
	fake_target_put(dump.target, OTHER + BUFFER_AT + 16, 4, 2);
	cr_assert_eq(run(), RBS_OK, "%s", error.text);
	cr_expect_eq(report->problem_count, 0);
	expect_figures("global");
	expect_figures("other");
	expect(events("global"), "subbuf_size", dump.target->info.page_size - 16);
	expect(events("other"), "subbuf_size", 4 * dump.target->info.page_size - 16);
}

Test(ftrace_old, figures)
{
	cr_assert_eq(run(), RBS_OK, "%s", error.text);
	expect_figures("global");
	expect_figures("other");
	expect(events("global"), "subbuf_size", dump.target->info.page_size - 16);
	cr_expect_null(rbs_node_find(events("global"), "subbuf_order"));
}

/* tracing_on is one bit of record_disabled; the others are the kernel's own affair. */
Test(ftrace, tracing_on)
{
	fake_target_put(dump.target, GLOBAL + BUFFER_AT + 4, 4, 0x100000);
	fake_target_put(dump.target, OTHER + BUFFER_AT + 4, 4, 3);
	cr_assert_eq(run(), RBS_OK);
	expect(events("global"), "tracing_on", 0);
	expect(events("other"), "tracing_on", 1);
}

/* When the reader's page is the one that is written, it has the oldest events. */
Test(ftrace, reader_page_is_written)
{
	put(GLOBAL + CPU_AT + 56, GLOBAL + PAGES_AT + 0x300);
	cr_assert_eq(run(), RBS_OK);
	expect(child(events("global"), "cpu0"), "oldest_event_ts", 1003);
}

/* No page carries the head's flag: the writer was moving it. */
Test(ftrace, head_is_moving)
{
	put(GLOBAL + PAGES_AT, GLOBAL + PAGES_AT + 0x100);
	cr_assert_eq(run(), RBS_OK);
	expect_absent(child(events("global"), "cpu0"), "oldest_event_ts", RBS_TORN);
	expect(child(events("global"), "cpu0"), "entries", 50);
	expect_figures("other");
}

/* A ring of pages that never comes back, with a number of pages that cannot be. */
Test(ftrace, pages_corrupt)
{
	put(GLOBAL + PAGES_AT, GLOBAL + PAGES_AT);
	put(OTHER + CPU_AT + 40, UINT64_C(1) << 60);
	cr_assert_eq(run(), RBS_OK);
	expect_absent(child(events("global"), "cpu0"), "oldest_event_ts", RBS_TORN);
	expect_absent(child(events("other"), "cpu0"), "oldest_event_ts", RBS_CORRUPT);
}

/* Caught between two updates: more overrun and read than was ever written. */
Test(ftrace, counters_torn)
{
	put(GLOBAL + CPU_AT, 40);
	cr_assert_eq(run(), RBS_OK);
	expect_absent(child(events("global"), "cpu0"), "entries", RBS_TORN);
	expect(child(events("global"), "cpu0"), "overrun", 30);
}

Test(ftrace, cpu_excluded)
{
	fake_target_hole(dump.target, GLOBAL + CPU_AT, 0x100, RBS_EXCLUDED);
	cr_assert_eq(run(), RBS_OK);
	expect_absent(child(events("global"), "cpu0"), "entries", RBS_EXCLUDED);
	expect_absent(child(events("global"), "cpu0"), "oldest_event_ts", RBS_EXCLUDED);
	expect_figures("other");
}

Test(ftrace, list_cyclic)
{
	put(GLOBAL + 0x10, GLOBAL + 0x10);
	cr_assert_eq(run(), RBS_OK);
	expect_figures("global");
	expect_figures("other");
	cr_expect_eq(report->problem_count, 1);
}

Test(ftrace, list_torn)
{
	put(OTHER + 0x10, 0x6b6b6b6b6b6b6b6b);
	cr_assert_eq(run(), RBS_OK);
	expect_figures("other");
	cr_expect_null(child(section->node, "global"));
	cr_expect_geq(report->problem_count, 1);
}

Test(ftrace, order_corrupt)
{
	fake_target_put(dump.target, GLOBAL + BUFFER_AT + 16, 4, 60);
	cr_assert_eq(run(), RBS_OK);
	expect_absent(events("global"), "subbuf_size", RBS_CORRUPT);
}
