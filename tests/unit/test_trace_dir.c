/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where extracted traces go: names that a hostile dump chose, and folders that are there. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/trace_dir.h"
#include "scratch.h"

static struct scratch scratch;
static struct rbs_trace_dir dir;
static struct rbs_error error;
static char path[256];

static void start(void)
{
	scratch_init(&scratch);
	scratch_path(&scratch, "out", path);
}

static void stop(void)
{
	scratch_deinit(&scratch);
}

TestSuite(trace_dir, .init = start, .fini = stop);

static bool there(const char *name)
{
	char full[512];
	struct stat found;

	snprintf(full, sizeof(full), "%s/%s", path, name);
	return !lstat(full, &found);
}

static void name_check(const char *text, const char *wanted)
{
	char name[RBS_TRACE_NAME_SIZE];

	cr_expect_str_eq(rbs_trace_name(text, name), wanted);
}

Test(trace_dir, names)
{
	char longest[1000], name[RBS_TRACE_NAME_SIZE];

	name_check("my-session_1.2", "my-session_1.2");
	name_check("", "unnamed");
	name_check(".", "_");
	name_check("..", "_.");
	name_check("../../etc/passwd", "_._.._etc_passwd");
	name_check("-rf", "_rf");
	name_check("a/b\\c\n\033[31md e", "a_b_c___31md_e");
	name_check("\xc3\xa9;$(x)", "_____x_");
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	cr_expect_eq(strlen(rbs_trace_name(longest, name)), 128);
}

static int trace_open(const char *name, const char *place, const char *wanted)
{
	char relative[512];
	int fd = rbs_trace_dir_open(&dir, name, place, relative, sizeof(relative), &error);

	cr_assert_geq(fd, 0, "%s", error.text);
	cr_expect_str_eq(relative, wanted);
	return fd;
}

Test(trace_dir, writes_below)
{
	char final[RBS_TRACE_NAME_SIZE], data[8] = "";
	int folder, file;

	cr_assert_eq(rbs_trace_dir_init(&dir, path, &error), RBS_OK, "%s", error.text);
	close(trace_open("s", "kernel", "s/kernel"));
	/* Another trace of that session, and another session of that name. */
	close(trace_open("s", "ust/uid", "s/ust/uid"));
	close(trace_open("s", "kernel", "s-2/kernel"));
	folder = trace_open("../s", "kernel", "_._s/kernel");
	file = rbs_trace_dir_create(&dir, folder, "../x", final, &error);
	cr_assert_geq(file, 0);
	cr_expect_str_eq(final, "_._x");
	cr_expect_eq(rbs_trace_dir_write(&dir, file, "abc", 3, &error), RBS_OK);
	close(file);
	file = rbs_trace_dir_create(&dir, folder, "../x", final, &error);
	cr_assert_geq(file, 0);
	cr_expect_str_eq(final, "_._x-2");
	close(file);
	file = openat(folder, "_._x", O_RDONLY);
	cr_expect_eq(read(file, data, sizeof(data)), 3);
	cr_expect_str_eq(data, "abc");
	close(file);
	close(folder);
	rbs_trace_dir_deinit(&dir);
	cr_expect(there("s/kernel") && there("s/ust/uid") && there("s-2/kernel"));
	/* There is something in it now: not again. */
	cr_expect_eq(rbs_trace_dir_init(&dir, path, &error), RBS_USAGE);
	cr_expect(strstr(error.text, "is not empty"));
	cr_expect(there("s/kernel"));
}

/* A link that someone put there is not followed. */
Test(trace_dir, links)
{
	char final[RBS_TRACE_NAME_SIZE], relative[512];
	int folder;

	cr_assert_eq(rbs_trace_dir_init(&dir, path, &error), RBS_OK);
	folder = trace_open("s", "kernel", "s/kernel");
	scratch_run(&scratch, "ln -s ../../../victim out/s/kernel/metadata; ln -s / out/evil");
	cr_expect_geq(rbs_trace_dir_create(&dir, folder, "metadata", final, &error), 0);
	cr_expect_str_eq(final, "metadata-2");
	cr_expect_eq(rbs_trace_dir_open(&dir, "evil", "x", relative, sizeof(relative), &error), -1);
	close(folder);
	rbs_trace_dir_deinit(&dir);
}

Test(trace_dir, leaves_nothing_unused)
{
	cr_assert_eq(rbs_trace_dir_init(&dir, path, &error), RBS_OK);
	rbs_trace_dir_deinit(&dir);
	cr_expect(access(path, F_OK), "an empty folder was left");
	/* One that was there stays. */
	cr_assert_eq(mkdir(path, 0755), 0);
	cr_assert_eq(rbs_trace_dir_init(&dir, path, &error), RBS_OK);
	rbs_trace_dir_deinit(&dir);
	cr_expect_eq(access(path, F_OK), 0);
}

Test(trace_dir, no_folder)
{
	scratch_write(&scratch, "out", "x", 1);
	cr_expect_eq(rbs_trace_dir_init(&dir, path, &error), RBS_IO);
	scratch_path(&scratch, "none/out", path);
	cr_expect_eq(rbs_trace_dir_init(&dir, path, &error), RBS_IO);
}

Test(trace_dir, limit)
{
	char final[RBS_TRACE_NAME_SIZE];
	int folder, file;

	cr_assert_eq(rbs_trace_dir_init(&dir, path, &error), RBS_OK);
	folder = trace_open("s", "kernel", "s/kernel");
	file = rbs_trace_dir_create(&dir, folder, "x", final, &error);
	dir.bytes = RBS_TRACE_BYTES_LIMIT - 2;
	cr_expect_eq(rbs_trace_dir_write(&dir, file, "abc", 3, &error), RBS_LIMIT);
	cr_expect_eq(rbs_trace_dir_write(&dir, file, "ab", 2, &error), RBS_OK);
	cr_expect_eq(lseek(file, 0, SEEK_END), 2);
	close(file);
	close(folder);
	rbs_trace_dir_deinit(&dir);
}
