/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Four dumps that real FreeBSD kernels wrote (tests/fixtures/freebsd), read as the .txt beside each
 * says: its symbols, hz, and every thread from allproc on.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/system_map.h"
#include "lib/target/freebsd.h"
#include "lib/walk.h"
#include "scratch.h"

#define THREAD_MAX 64
#define LINE_SIZE 128

struct core {
	struct scratch scratch;
	char *text; /* the .txt */
	struct rbs_target *target;
	struct rbs_symbols symbols;
};

/* Unpack the core, and write the symbols of its .txt as nm would. */
static void core_open(struct core *core, const char *name)
{
	struct rbs_symbol_source *source;
	struct rbs_error error = {0};
	char command[512], path[256];
	size_t size;

	scratch_init(&core->scratch);
	snprintf(command, sizeof(command),
		 "xz -dc $SOURCES/../fixtures/freebsd/vmcore-%s.xz > core && "
		 "cp $SOURCES/../fixtures/freebsd/%s.txt text && "
		 "sed -n 's/^sym \\([^ ]*\\) \\(.*\\)/\\2 D \\1/p' text > map",
		 name, name);
	scratch_run(&core->scratch, command);
	core->text = (char *)scratch_read(&core->scratch, "text", &size);
	core->text[size] = '\0';
	cr_assert_eq(
		rbs_freebsd_open(scratch_path(&core->scratch, "core", path), &core->target, &error),
		RBS_OK, "%s", error.text);
	cr_assert(core->target, "%s is not recognised", name);
	rbs_symbols_init(&core->symbols);
	cr_assert_eq(rbs_symbol_file_create(scratch_path(&core->scratch, "map", path), core->target,
					    &source, &error),
		     RBS_OK, "%s", error.text);
	rbs_symbols_add(&core->symbols, source);
	cr_assert_eq(rbs_freebsd_root_find(core->target, &core->symbols, &error), RBS_OK, "%s",
		     error.text);
}

static void core_close(struct core *core)
{
	rbs_symbols_deinit(&core->symbols);
	rbs_target_destroy(core->target);
	free(core->text);
	scratch_deinit(&core->scratch);
}

static uint64_t symbol(struct core *core, const char *name)
{
	uint64_t address = 0;

	cr_assert_eq(rbs_symbols_find(&core->symbols, NULL, name, &address, NULL), RBS_OK, "%s",
		     name);
	return address;
}

static uint64_t number_at(struct core *core, uint64_t address, size_t size)
{
	struct rbs_error error = {0};
	uint64_t value = 0;

	cr_assert_eq(rbs_target_read_uint(core->target, address, size, &value, &error), RBS_OK,
		     "%s", error.text);
	return value;
}

/* The kernel says itself where the members are that a debugger needs (kern_proc.c, kern_thread.c).
 */
static uint64_t member(struct core *core, const char *name)
{
	return number_at(core, symbol(core, name), 4);
}

static void text_at(struct core *core, uint64_t address, char *text, size_t size)
{
	struct rbs_error error = {0};

	cr_assert_eq(rbs_target_read_string(core->target, address, text, size, &error), RBS_OK,
		     "%s", error.text);
}

static size_t threads_read(struct core *core, char lines[THREAD_MAX][LINE_SIZE])
{
	struct rbs_list_walk processes, threads;
	uint64_t process, thread;
	size_t count = 0;

	rbs_list_walk_init_chain(&processes, core->target, symbol(core, "allproc"),
				 member(core, "proc_off_p_list"), 1000);
	while (rbs_list_walk_next(&processes, &process)) {
		char comm[20], name[20];
		uint64_t pid = number_at(core, process + member(core, "proc_off_p_pid"), 4);

		text_at(core, process + member(core, "proc_off_p_comm"), comm, sizeof(comm));
		rbs_list_walk_init_chain(&threads, core->target,
					 process + member(core, "proc_off_p_threads"),
					 member(core, "thread_off_td_plist"), 1000);
		while (rbs_list_walk_next(&threads, &thread)) {
			cr_assert_lt(count, THREAD_MAX);
			text_at(core, thread + member(core, "thread_off_td_name"), name,
				sizeof(name));
			snprintf(lines[count++], LINE_SIZE,
				 "thread pid %" PRIu64 " comm %s tid %" PRIu64 " name %s", pid,
				 comm,
				 number_at(core, thread + member(core, "thread_off_td_tid"), 4),
				 name);
		}
		cr_assert_eq(threads.code, RBS_OK, "%s", threads.error.text);
	}
	cr_assert_eq(processes.code, RBS_OK, "%s", processes.error.text);
	return count;
}

/* Every line of the .txt: symbols resolve, hz and the threads are what the dump has, in its order.
 */
static void core_check(const char *name, const char *arch, const char *format)
{
	char lines[THREAD_MAX][LINE_SIZE], *rest, symbol_name[64];
	size_t count, symbols = 0, threads = 0;
	struct core core;
	uint64_t value;

	core_open(&core, name);
	cr_expect_str_eq(core.target->info.arch, arch);
	cr_expect_str_eq(core.target->info.format, format);
	cr_expect_str_eq(core.target->info.system, "FreeBSD");
	count = threads_read(&core, lines);
	for (char *line = strtok_r(core.text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "sym %63s %" SCNx64, symbol_name, &value) == 2) {
			cr_expect_eq(symbol(&core, symbol_name), value, "%s", symbol_name);
			symbols++;
		} else if (sscanf(line, "hz %" SCNu64, &value) == 1) {
			cr_expect_eq(number_at(&core, symbol(&core, "hz"), 4), value);
		} else if (!strncmp(line, "thread ", 7)) {
			cr_assert_lt(threads, count);
			cr_expect_str_eq(lines[threads], line);
			threads++;
		}
	}
	cr_expect_geq(symbols, 17);
	cr_expect_geq(threads, 10);
	cr_expect_eq(threads, count);
	core_close(&core);
}

Test(freebsd_cores, amd64_minidump)
{
	core_check("amd64-minidump", "amd64", "FreeBSD minidump v3");
}

Test(freebsd_cores, arm64_minidump)
{
	core_check("arm64-minidump", "arm64", "FreeBSD minidump v2");
}

Test(freebsd_cores, i386_minidump)
{
	core_check("i386-minidump", "i386", "FreeBSD minidump v2");
}

Test(freebsd_cores, amd64_full)
{
	core_check("amd64-full", "amd64", "FreeBSD full dump");
}

/* The page tables of a full dump map themselves: they are found without any symbol. */
Test(freebsd_cores, full_without_symbols)
{
	struct scratch scratch;
	struct rbs_symbols none;
	struct rbs_target *target = NULL;
	struct rbs_error error = {0};
	uint64_t hz = 0;
	char path[256];

	scratch_init(&scratch);
	scratch_run(&scratch, "xz -dc $SOURCES/../fixtures/freebsd/vmcore-amd64-full.xz > core");
	cr_assert_eq(rbs_freebsd_open(scratch_path(&scratch, "core", path), &target, &error),
		     RBS_OK, "%s", error.text);
	cr_assert(target);
	rbs_symbols_init(&none);
	cr_expect_eq(rbs_target_read_uint(target, 0xffffffff81cd4c0c, 4, &hz, NULL), RBS_UNMAPPED);
	cr_assert_eq(rbs_freebsd_root_find(target, &none, &error), RBS_OK, "%s", error.text);
	cr_expect_eq(rbs_target_read_uint(target, 0xffffffff81cd4c0c, 4, &hz, &error), RBS_OK, "%s",
		     error.text);
	cr_expect_eq(hz, 100);
	rbs_target_destroy(target);
	scratch_deinit(&scratch);
}

/* LLVM's authors cut the files off behind the last page that they kept. */
Test(freebsd_cores, cut_off)
{
	struct core core;
	uint64_t value, end = 0;

	core_open(&core, "amd64-minidump");
	cr_expect_eq(rbs_freebsd_missing(core.target), 0x666a000 - 0x60f9800);
	/* The direct map's last page in dump_avail. */
	cr_expect_eq(rbs_target_read_uint(core.target, 0xfffff80007fde000, 8, &value, NULL),
		     RBS_TRUNCATED);
	cr_expect_eq(rbs_target_read_uint(core.target, 0xfffff800000a0000, 8, &value, NULL),
		     RBS_UNMAPPED, "a hole of dump_avail");
	cr_expect_eq(rbs_target_read_uint(core.target, 0xfffff00000000000, 8, &value, NULL),
		     RBS_UNMAPPED, "below the kernel");
	/* Pages that the minidump left out are excluded, not zeros. */
	for (uint64_t page = 0; page < 0x9f000 && !end; page += 4096) {
		if (rbs_target_read_uint(core.target, 0xfffff80000000000 + page, 8, &value, NULL) ==
		    RBS_EXCLUDED)
			end = page + 1;
	}
	cr_expect(end, "no page of the first range is excluded");
	core_close(&core);
}
