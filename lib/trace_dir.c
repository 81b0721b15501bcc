/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/trace_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_LENGTH 128
/* So many of one name. */
#define NUMBER_LIMIT 4096

const char *rbs_trace_name(const char *text, char buffer[RBS_TRACE_NAME_SIZE])
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+=:@%-";
	size_t length = 0;

	for (; length < NAME_LENGTH && text[length]; length++)
		buffer[length] = strchr(allowed, text[length]) ? text[length] : '_';
	buffer[length] = '\0';
	if (buffer[0] == '.' || buffer[0] == '-')
		buffer[0] = '_';
	if (!length)
		snprintf(buffer, RBS_TRACE_NAME_SIZE, "unnamed");
	return buffer;
}

static enum rbs_code fail(const struct rbs_trace_dir *dir, const char *name, struct rbs_error *err)
{
	return rbs_error_set(err, RBS_IO, "%s%s%s: %s", dir->path, *name ? "/" : "", name,
			     strerror(errno));
}

static enum rbs_code empty_check(const struct rbs_trace_dir *dir, struct rbs_error *err)
{
	int copy = dup(dir->fd);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	bool empty = true;

	if (!stream) {
		if (copy >= 0)
			close(copy);
		return fail(dir, "", err);
	}
	while (empty && (entry = readdir(stream)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(stream);
	if (empty)
		return RBS_OK;
	return rbs_error_set(err, RBS_USAGE,
			     "%s is not empty: name a new folder, nothing is overwritten",
			     dir->path);
}

enum rbs_code rbs_trace_dir_init(struct rbs_trace_dir *dir, const char *path, struct rbs_error *err)
{
	enum rbs_code code;

	*dir = (struct rbs_trace_dir){.path = path, .fd = -1};
	dir->made = !mkdir(path, 0700);
	if (!dir->made && errno != EEXIST)
		return fail(dir, "", err);
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	code = dir->fd < 0 ? fail(dir, "", err) : empty_check(dir, err);
	if (code != RBS_OK)
		rbs_trace_dir_deinit(dir);
	return code;
}

void rbs_trace_dir_deinit(struct rbs_trace_dir *dir)
{
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->made && !dir->used)
		rmdir(dir->path);
	dir->fd = -1;
	dir->made = false;
}

/* One step down; made: the folder must not be there yet. Takes over the descriptor parent. */
static int step(struct rbs_trace_dir *dir, int parent, const char *name, bool made)
{
	int fd = -1, reason;

	if (!mkdirat(parent, name, 0700) || (errno == EEXIST && !made)) {
		dir->used = true;
		fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	reason = errno;
	close(parent);
	errno = reason;
	return fd;
}

/* All parts of relative, which is not empty. -1 and EEXIST when the last one is there. */
static int path_make(struct rbs_trace_dir *dir, const char *relative)
{
	int fd = dup(dir->fd);

	while (fd >= 0 && relative) {
		const char *end = strchr(relative, '/');
		char part[RBS_TRACE_NAME_SIZE];

		snprintf(part, sizeof(part), "%.*s",
			 end ? (int)(end - relative) : (int)strlen(relative), relative);
		fd = step(dir, fd, part, !end);
		relative = end ? end + 1 : NULL;
	}
	return fd;
}

int rbs_trace_dir_open(struct rbs_trace_dir *dir, const char *name, const char *place,
		       char *relative, size_t size, struct rbs_error *err)
{
	char safe[RBS_TRACE_NAME_SIZE];

	rbs_trace_name(name, safe);
	for (unsigned number = 1; number <= NUMBER_LIMIT; number++) {
		int fd;

		if (number == 1)
			snprintf(relative, size, "%s/%s", safe, place);
		else
			snprintf(relative, size, "%s-%u/%s", safe, number, place);
		fd = path_make(dir, relative);
		if (fd >= 0 || errno != EEXIST) {
			if (fd < 0)
				fail(dir, relative, err);
			return fd;
		}
	}
	rbs_error_set(err, RBS_LIMIT, "more than %d traces of the name %s", NUMBER_LIMIT, safe);
	return -1;
}

int rbs_trace_dir_create(struct rbs_trace_dir *dir, int folder, const char *name, char *final,
			 struct rbs_error *err)
{
	char safe[RBS_TRACE_NAME_SIZE];

	rbs_trace_name(name, safe);
	for (unsigned number = 1; number <= NUMBER_LIMIT; number++) {
		int fd;

		if (number == 1)
			snprintf(final, RBS_TRACE_NAME_SIZE, "%s", safe);
		else
			snprintf(final, RBS_TRACE_NAME_SIZE, "%.*s-%u", NAME_LENGTH, safe, number);
		fd = openat(folder, final, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    0600);
		if (fd >= 0 || errno != EEXIST) {
			if (fd < 0)
				fail(dir, final, err);
			return fd;
		}
	}
	rbs_error_set(err, RBS_LIMIT, "more than %d files of the name %s", NUMBER_LIMIT, safe);
	return -1;
}

enum rbs_code rbs_trace_dir_write(struct rbs_trace_dir *dir, int file, const void *bytes,
				  size_t length, struct rbs_error *err)
{
	const char *from = bytes;
	size_t done = 0;

	if (length > RBS_TRACE_BYTES_LIMIT - dir->bytes)
		return rbs_error_set(err, RBS_LIMIT,
				     "%s: more than %llu GiB of trace: no machine's buffers",
				     dir->path, (unsigned long long)(RBS_TRACE_BYTES_LIMIT >> 30));
	while (done < length) {
		ssize_t got = write(file, from + done, length - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			off_t end = lseek(file, 0, SEEK_CUR);

			fail(dir, "", err);
			/* Half a packet would spoil those before it. */
			if (end >= (off_t)done && ftruncate(file, end - (off_t)done))
				rbs_error_prefix(err, "a packet is cut short");
			return RBS_IO;
		}
		done += (size_t)got;
	}
	dir->bytes += length;
	return RBS_OK;
}
