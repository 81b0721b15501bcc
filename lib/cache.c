/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

struct kept {
	struct kept *next;
	char name[160];
	struct rbs_shelf shelf;
};

struct rbs_cache {
	int folder;
	struct kept *first;
};

/* Ours alone: others who could write it could put answers there. */
static bool is_private(int fd, mode_t kind)
{
	struct stat status;

	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == kind &&
	       status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* A folder in a folder, made if it is not there; closes parent. */
static int folder_enter(int parent, const char *name)
{
	int fd = -1;

	if (parent < 0)
		return -1;
	if (mkdirat(parent, name, 0700) == 0 || errno == EEXIST)
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(parent);
	if (fd >= 0 && !is_private(fd, S_IFDIR)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Where users' caches are: XDG Base Directory Specification, "$XDG_CACHE_HOME". */
static int user_folder_open(void)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[PATH_MAX];
	int length = -1, fd;

	/* "If the path is relative it should be ignored." */
	if (base && *base == '/')
		length = snprintf(path, sizeof(path), "%s", base);
	else if (home && *home == '/')
		length = snprintf(path, sizeof(path), "%s/.cache", home);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -1;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder_enter(folder_enter(fd, "rbstats"), "layouts");
}

struct rbs_cache *rbs_cache_open(const char *folder)
{
	struct rbs_cache *cache;
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : user_folder_open();

	if (fd < 0)
		return NULL;
	cache = is_private(fd, S_IFDIR) ? calloc(1, sizeof(*cache)) : NULL;
	if (!cache) {
		close(fd);
		return NULL;
	}
	cache->folder = fd;
	return cache;
}

static void shelf_load(const struct rbs_cache *cache, struct kept *kept)
{
	int fd = openat(cache->folder, kept->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = fd >= 0 && is_private(fd, S_IFREG) ? malloc(RBS_SHELF_LIMIT + 1) : NULL;
	size_t size = 0;
	ssize_t got = text ? 1 : 0;

	while (got > 0 && size <= RBS_SHELF_LIMIT) {
		got = read(fd, text + size, RBS_SHELF_LIMIT + 1 - size);
		size += got > 0 ? (size_t)got : 0;
	}
	if (text && got == 0 && size <= RBS_SHELF_LIMIT)
		rbs_shelf_read(&kept->shelf, kept->name, text, size);
	free(text);
	if (fd >= 0)
		close(fd);
}

static bool write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t done = write(fd, text, size);

		if (done <= 0)
			return false;
		text += done;
		size -= (size_t)done;
	}
	return true;
}

static void shelf_store(const struct rbs_cache *cache, const struct kept *kept)
{
	char name[sizeof(kept->name) + 32];
	uint64_t salt = 0;
	size_t size = 0;
	char *text = rbs_shelf_write(&kept->shelf, kept->name, &size);
	bool written;
	int fd = -1;

	if (text && getrandom(&salt, sizeof(salt), 0) == (ssize_t)sizeof(salt)) {
		snprintf(name, sizeof(name), ".%s.%016llx", kept->name, (unsigned long long)salt);
		fd = openat(cache->folder, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (fd >= 0) {
		written = write_all(fd, text, size);
		written = close(fd) == 0 && written;
		if (!written || renameat(cache->folder, name, cache->folder, kept->name) != 0)
			unlinkat(cache->folder, name, 0);
	}
	free(text);
}

void rbs_cache_close(struct rbs_cache *cache)
{
	if (!cache)
		return;
	while (cache->first) {
		struct kept *kept = cache->first;

		cache->first = kept->next;
		if (kept->shelf.changed)
			shelf_store(cache, kept);
		rbs_shelf_deinit(&kept->shelf);
		free(kept);
	}
	close(cache->folder);
	free(cache);
}

struct rbs_shelf *rbs_cache_shelf(struct rbs_cache *cache, const char *name)
{
	struct kept *kept = cache ? cache->first : NULL;

	while (kept && strcmp(kept->name, name) != 0)
		kept = kept->next;
	if (kept)
		return &kept->shelf;
	if (!cache || !*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] ||
	    strlen(name) >= sizeof(kept->name))
		return NULL;
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	snprintf(kept->name, sizeof(kept->name), "%s", name);
	kept->next = cache->first;
	cache->first = kept;
	shelf_load(cache, kept);
	return &kept->shelf;
}
