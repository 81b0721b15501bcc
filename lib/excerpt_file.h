/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * excerpt_file - a file that appears whole or not at all.
 *
 * Written under a name of its own in the folder of the final one, readable by its owner only (it
 * holds memory of the kernel), and renamed when it is complete. What is not a regular file (a pipe,
 * a device) is written straight.
 */
#ifndef RBS_EXCERPT_FILE_H
#define RBS_EXCERPT_FILE_H

#include <stddef.h>

#include "lib/error.h"

struct rbs_excerpt_file {
	int fd;		 /* -1: not made yet */
	char *path;	 /* of the final file, links resolved; owned */
	char *temporary; /* its name until it is complete; NULL: written straight; owned */
	bool direct;
};

/*
 * Settle where to write, without making anything. Refuses a folder, a file that may not be written
 * and one of the inputs (count paths, NULLs are skipped). On success the caller deinits *file.
 */
enum rbs_code rbs_excerpt_file_init(struct rbs_excerpt_file *file, const char *path,
				    const char *const *inputs, size_t count, struct rbs_error *err);

/* Make it: file->fd can be written. */
enum rbs_code rbs_excerpt_file_create(struct rbs_excerpt_file *file, struct rbs_error *err);

/* Bring it to its final name, in place of an older file. */
enum rbs_code rbs_excerpt_file_commit(struct rbs_excerpt_file *file, struct rbs_error *err);

/* Leaves nothing behind unless it was committed. */
void rbs_excerpt_file_deinit(struct rbs_excerpt_file *file);

#endif
