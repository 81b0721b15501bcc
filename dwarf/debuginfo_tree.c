/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/debuginfo_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/modules.h"

/* A distribution's kernel debug package: 700 folders, 6,000 files, 9 levels. */
#define DEPTH_LIMIT 24
#define FOLDER_LIMIT 50000
#define ENTRY_LIMIT 1000000

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool rbs_debuginfo_is_kernel(const char *path, const char *kernel_name)
{
	return !strncmp(base_name(path), kernel_name, strlen(kernel_name));
}

/* The length of the name before ".ko", 0 when the file is no module. */
static size_t module_length(const char *base)
{
	const char *end = strstr(base, ".ko");

	return end && (!end[3] || end[3] == '.') ? (size_t)(end - base) : 0;
}

bool rbs_debuginfo_is_module(const char *path, const char *module)
{
	const char *base = base_name(path);
	size_t length = module_length(base);

	return length && length == strlen(module) && rbs_module_name_starts(base, module, length);
}

/* Folders still to be read, in the order in which they were met. */
struct queue {
	struct folder {
		char *path;
		unsigned depth;
	} * folders;
	size_t first;
	size_t count;
	size_t capacity;
	size_t entries; /* looked at so far */
};

static bool grow(void **array, size_t *capacity, size_t element)
{
	size_t wanted = *capacity ? 2 * *capacity : 64;
	void *grown = realloc(*array, wanted * element);

	if (!grown)
		return false;
	*array = grown;
	*capacity = wanted;
	return true;
}

/* Takes path over; false when there is no memory. */
static bool push_folder(struct queue *queue, char *path, unsigned depth)
{
	void *folders = queue->folders;

	if (queue->count == queue->capacity) {
		if (!grow(&folders, &queue->capacity, sizeof(*queue->folders))) {
			free(path);
			return false;
		}
		queue->folders = folders;
	}
	queue->folders[queue->count++] = (struct folder){.path = path, .depth = depth};
	return true;
}

static bool push_path(struct rbs_debuginfo_tree *tree, char *path)
{
	void *paths = tree->paths;

	if (tree->count == tree->capacity) {
		if (!grow(&paths, &tree->capacity, sizeof(*tree->paths))) {
			free(path);
			return false;
		}
		tree->paths = paths;
	}
	tree->paths[tree->count++] = path;
	return true;
}

static bool is_folder(int folder_fd, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !fstatat(folder_fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
	       S_ISDIR(status.st_mode);
}

/* False when there is no memory. */
static bool take_entry(struct rbs_debuginfo_tree *tree, struct queue *queue,
		       const struct folder *folder, DIR *dir, const struct dirent *entry)
{
	bool wanted = rbs_debuginfo_is_kernel(entry->d_name, "vmlinux") ||
		      rbs_debuginfo_is_kernel(entry->d_name, "xen-syms") ||
		      module_length(entry->d_name);
	bool enter = is_folder(dirfd(dir), entry);
	char *path;

	if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || (!wanted && !enter))
		return true;
	if (enter && (folder->depth == DEPTH_LIMIT || queue->count == FOLDER_LIMIT)) {
		tree->cut_off = true;
		return true;
	}
	if (asprintf(&path, "%s/%s", folder->path, entry->d_name) < 0)
		return false;
	return enter ? push_folder(queue, path, folder->depth + 1) : push_path(tree, path);
}

static bool read_folder(struct rbs_debuginfo_tree *tree, struct queue *queue,
			const struct folder *folder)
{
	DIR *dir = opendir(folder->path);
	const struct dirent *entry;
	bool ok = true;

	if (!dir)
		return true;
	while (ok && (entry = readdir(dir))) {
		if (queue->entries++ == ENTRY_LIMIT) {
			tree->cut_off = true;
			break;
		}
		ok = take_entry(tree, queue, folder, dir, entry);
	}
	closedir(dir);
	return ok;
}

enum rbs_code rbs_debuginfo_tree_init(struct rbs_debuginfo_tree *tree, const char *folder,
				      struct rbs_error *err)
{
	struct queue queue = {.folders = NULL};
	char *start = strdup(folder);
	bool ok;

	memset(tree, 0, sizeof(*tree));
	tree->folder = strdup(folder);
	ok = tree->folder && start;
	if (!ok)
		free(start);
	ok = ok && push_folder(&queue, start, 0);
	while (ok && queue.first < queue.count && queue.entries <= ENTRY_LIMIT) {
		struct folder at = queue.folders[queue.first++]; /* the array may move */

		ok = read_folder(tree, &queue, &at);
	}
	for (size_t i = 0; i < queue.count; i++)
		free(queue.folders[i].path);
	free(queue.folders);
	if (ok)
		return RBS_OK;
	rbs_debuginfo_tree_deinit(tree);
	return rbs_error_set(err, RBS_NOMEM, "out of memory for the files in %s", folder);
}

void rbs_debuginfo_tree_deinit(struct rbs_debuginfo_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->paths[i]);
	free(tree->paths);
	free(tree->folder);
	memset(tree, 0, sizeof(*tree));
}
