/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/excerpt_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_input(const struct stat *status, const char *const *inputs, size_t count,
		     const char **which)
{
	for (size_t i = 0; i < count; i++) {
		struct stat input;

		if (inputs[i] && !stat(inputs[i], &input) && input.st_dev == status->st_dev &&
		    input.st_ino == status->st_ino) {
			*which = inputs[i];
			return true;
		}
	}
	return false;
}

/* The place of a file that is there already. */
static enum rbs_code existing_check(struct rbs_excerpt_file *file, const char *path,
				    const struct stat *status, const char *const *inputs,
				    size_t count, struct rbs_error *err)
{
	const char *input;

	if (S_ISDIR(status->st_mode))
		return rbs_error_set(err, RBS_USAGE, "%s: is a directory", path);
	if (is_input(status, inputs, count, &input))
		return rbs_error_set(err, RBS_USAGE, "%s: is %s itself, which is never overwritten",
				     path, strcmp(path, input) ? input : "the input");
	if (access(path, W_OK))
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	file->direct = !S_ISREG(status->st_mode);
	return RBS_OK;
}

enum rbs_code rbs_excerpt_file_init(struct rbs_excerpt_file *file, const char *path,
				    const char *const *inputs, size_t count, struct rbs_error *err)
{
	struct stat status;
	enum rbs_code code;

	*file = (struct rbs_excerpt_file){.fd = -1};
	if (!stat(path, &status)) {
		code = existing_check(file, path, &status, inputs, count, err);
		if (code != RBS_OK)
			return code;
		/* Through links: the file is replaced, not the link to it. */
		if (!file->direct)
			file->path = realpath(path, NULL);
	} else if (errno != ENOENT) {
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	}
	if (!file->path)
		file->path = strdup(path);
	if (!file->path)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	return RBS_OK;
}

enum rbs_code rbs_excerpt_file_create(struct rbs_excerpt_file *file, struct rbs_error *err)
{
	const char *slash = strrchr(file->path, '/');

	if (file->direct) {
		file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
	} else {
		/* Not made from the final name, which may be as long as names can be. */
		if (asprintf(&file->temporary, "%.*s.rbstats-XXXXXX",
			     slash ? (int)(slash - file->path + 1) : 0, file->path) < 0) {
			file->temporary = NULL;
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
		}
		file->fd = mkostemp(file->temporary, O_CLOEXEC);
	}
	if (file->fd < 0)
		return rbs_error_set(err, RBS_IO, "%s: %s", file->path, strerror(errno));
	return RBS_OK;
}

enum rbs_code rbs_excerpt_file_commit(struct rbs_excerpt_file *file, struct rbs_error *err)
{
	/* A disk that writes later tells that it is full only now. */
	if (!file->direct && fsync(file->fd))
		return rbs_error_set(err, RBS_IO, "%s: %s", file->path, strerror(errno));
	if (close(file->fd)) {
		file->fd = -1;
		if (file->temporary)
			unlink(file->temporary);
		return rbs_error_set(err, RBS_IO, "%s: %s", file->path, strerror(errno));
	}
	file->fd = -1;
	if (file->temporary && rename(file->temporary, file->path)) {
		rbs_error_set(err, RBS_IO, "%s: %s", file->path, strerror(errno));
		unlink(file->temporary);
		return RBS_IO;
	}
	return RBS_OK;
}

void rbs_excerpt_file_deinit(struct rbs_excerpt_file *file)
{
	if (file->fd >= 0) {
		close(file->fd);
		if (file->temporary)
			unlink(file->temporary);
	}
	free(file->temporary);
	free(file->path);
	*file = (struct rbs_excerpt_file){.fd = -1};
}
