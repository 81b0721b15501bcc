/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace_dir - the folder that extracted traces are written to.
 *
 * Nothing that was there before is touched: the folder is new or empty, each file and folder below
 * it is made by us (O_EXCL, no links followed), readable by its owner only since it holds memory of
 * the kernel. Names that come from a dump are made harmless first.
 */
#ifndef RBS_TRACE_DIR_H
#define RBS_TRACE_DIR_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* Room for a name that rbs_trace_name() makes, with the number that makes it unique. */
#define RBS_TRACE_NAME_SIZE 160
/* More than the memory for trace buffers of any machine: a damaged dump must not fill a disk. */
#define RBS_TRACE_BYTES_LIMIT (UINT64_C(64) << 30)

struct rbs_trace_dir {
	const char *path; /* as the user named it; borrowed */
	int fd;
	bool made;	/* by us */
	bool used;	/* something is in it */
	uint64_t bytes; /* written so far */
};

/* Make the folder, or take one that is empty. */
enum rbs_code rbs_trace_dir_init(struct rbs_trace_dir *dir, const char *path,
				 struct rbs_error *err);

/* Removes the folder when we made it and left it empty. */
void rbs_trace_dir_deinit(struct rbs_trace_dir *dir);

/*
 * A fresh folder NAME/PLACE (place may have several parts) for a trace; when there is one already,
 * NAME-2/PLACE and so on. name is made harmless. relative (size bytes) gets its path below the
 * folder. Returns its descriptor, the caller's, or -1.
 */
int rbs_trace_dir_open(struct rbs_trace_dir *dir, const char *name, const char *place,
		       char *relative, size_t size, struct rbs_error *err);

/*
 * A fresh file in such a folder; final (RBS_TRACE_NAME_SIZE bytes) gets the name that it has.
 * Returns its descriptor, the caller's, or -1.
 */
int rbs_trace_dir_create(struct rbs_trace_dir *dir, int folder, const char *name, char *final,
			 struct rbs_error *err);

/* All of bytes or an error; what a failed write left in the file is cut off again. */
enum rbs_code rbs_trace_dir_write(struct rbs_trace_dir *dir, int file, const void *bytes,
				  size_t length, struct rbs_error *err);

/*
 * A name that is one component of a path and safe in a shell and on a terminal: letters, digits and
 * ._+=:@%- stay, but no leading dot or dash; the rest becomes '_'. Cut at 128 bytes; returns
 * buffer.
 */
const char *rbs_trace_name(const char *text, char buffer[RBS_TRACE_NAME_SIZE]);

#endif
