/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/freebsd_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INFO_LINES 64
#define CORE_NAME "vmcore."

/* Where a system has its kernel, from its root and from the folder of the kernel itself. */
static const char *const places[] = {
	"kernel.debug",
	"kernel.full",
	"kernel",
	"boot/kernel/kernel.debug",
	"boot/kernel/kernel",
	"usr/lib/debug/boot/kernel/kernel.debug",
	"usr/lib/debug/kernel.debug",
};

static bool is_plain(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode);
}

/* Only what exists; path is taken over. */
static bool path_add(struct rbs_freebsd_files *files, char *path)
{
	char **paths;

	if (!path)
		return false;
	for (size_t i = 0; i < files->count; i++) {
		if (!strcmp(files->paths[i], path)) {
			free(path);
			return true;
		}
	}
	if (!is_plain(path)) {
		free(path);
		return true;
	}
	paths = reallocarray(files->paths, files->count + 1, sizeof(*paths));
	if (!paths) {
		free(path);
		return false;
	}
	files->paths = paths;
	paths[files->count++] = path;
	return true;
}

static char *path_join(const char *folder, size_t length, const char *name)
{
	char *path;

	return asprintf(&path, "%.*s%s", (int)length, folder, name) < 0 ? NULL : path;
}

static bool kernel_add(struct rbs_freebsd_files *files, const char *path)
{
	return path_add(files, strdup(path)) &&
	       path_add(files, path_join(path, strlen(path), ".debug"));
}

/* folder ends with a slash, or is empty for the current one. */
static bool folder_add(struct rbs_freebsd_files *files, const char *folder, size_t length)
{
	bool good = true;

	for (size_t i = 0; good && i < sizeof(places) / sizeof(places[0]); i++)
		good = path_add(files, path_join(folder, length, places[i]));
	return good;
}

static bool debuginfo_add(struct rbs_freebsd_files *files, const char *path)
{
	char *folder;
	bool good;

	if (is_plain(path))
		return kernel_add(files, path);
	folder = path_join(path, strlen(path), "/");
	good = folder && folder_add(files, folder, strlen(folder));
	free(folder);
	return good;
}

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

enum rbs_code rbs_freebsd_files_init(struct rbs_freebsd_files *files, const char *core,
				     const char *kernel, const char *const *debuginfo,
				     size_t debuginfo_count, struct rbs_error *err)
{
	bool good = true;

	*files = (struct rbs_freebsd_files){0};
	if (kernel)
		good = kernel_add(files, kernel);
	for (size_t i = 0; good && i < debuginfo_count; i++)
		good = debuginfo_add(files, debuginfo[i]);
	if (good && kernel)
		good = folder_add(files, kernel, folder_length(kernel));
	if (good)
		good = folder_add(files, core, folder_length(core));
	if (good)
		return RBS_OK;
	rbs_freebsd_files_deinit(files);
	return rbs_error_set(err, RBS_NOMEM, "out of memory");
}

void rbs_freebsd_files_deinit(struct rbs_freebsd_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	free(files->paths);
	*files = (struct rbs_freebsd_files){0};
}

static void value_take(const char *line, const char *key, char *to, size_t size)
{
	const char *found = strstr(line, key);

	if (found && !*to)
		snprintf(to, size, "%.*s", (int)strcspn(found + strlen(key), "\n"),
			 found + strlen(key));
}

void rbs_freebsd_info_read(const char *core, struct rbs_freebsd_header *header)
{
	size_t folder = folder_length(core);
	const char *name = core + folder;
	char line[1024];
	char *path;
	FILE *file;

	*header = (struct rbs_freebsd_header){0};
	if (strncmp(name, CORE_NAME, strlen(CORE_NAME)) ||
	    asprintf(&path, "%.*sinfo.%s", (int)folder, core, name + strlen(CORE_NAME)) < 0)
		return;
	file = is_plain(path) ? fopen(path, "re") : NULL;
	free(path);
	if (!file)
		return;
	for (unsigned i = 0; i < INFO_LINES && fgets(line, sizeof(line), file); i++) {
		value_take(line, "Version String: ", header->version, sizeof(header->version));
		value_take(line, "Panic String: ", header->panic, sizeof(header->panic));
	}
	fclose(file);
}
