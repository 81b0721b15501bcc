/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scratch.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scratch_init(struct scratch *scratch)
{
	strcpy(scratch->folder, "/tmp/rbstats-unit-XXXXXX");
	cr_assert(mkdtemp(scratch->folder));
}

void scratch_deinit(struct scratch *scratch)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", scratch->folder);
	cr_assert_eq(system(command), 0);
}

char *scratch_path(const struct scratch *scratch, const char *name, char *buffer)
{
	snprintf(buffer, 256, "%s/%s", scratch->folder, name);
	return buffer;
}

void scratch_write(const struct scratch *scratch, const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file = fopen(scratch_path(scratch, name, path), "wb");

	cr_assert(file, "%s", path);
	cr_assert_eq(fwrite(bytes, 1, size, file), size);
	cr_assert_eq(fclose(file), 0);
}

unsigned char *scratch_read(const struct scratch *scratch, const char *name, size_t *size)
{
	char path[256];
	FILE *file = fopen(scratch_path(scratch, name, path), "rb");
	unsigned char *bytes;
	long length;

	cr_assert(file, "%s", path);
	cr_assert_eq(fseek(file, 0, SEEK_END), 0);
	length = ftell(file);
	cr_assert_geq(length, 0);
	rewind(file);
	bytes = malloc((size_t)length + 1);
	cr_assert(bytes);
	cr_assert_eq(fread(bytes, 1, (size_t)length, file), (size_t)length);
	fclose(file);
	*size = (size_t)length;
	return bytes;
}

void scratch_run(const struct scratch *scratch, const char *command)
{
	char whole[4096], sources[PATH_MAX] = __FILE__;
	char *slash = strrchr(sources, '/');
	char *absolute;

	if (slash)
		*slash = '\0';
	absolute = realpath(slash ? sources : ".", NULL);
	cr_assert(absolute, "run the tests in the folder in which they were built");
	snprintf(whole, sizeof(whole), "cd '%s' && SOURCES='%s' && CC=${CC:-cc} && { %s; }",
		 scratch->folder, absolute, command);
	free(absolute);
	cr_assert_eq(system(whole), 0, "failed: %s", command);
}

bool scratch_has(const char *program)
{
	char command[256];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", program);
	return system(command) == 0;
}
