/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_file - a debug file's bytes: mapped, or unpacked into memory when it is compressed.
 *
 * Debug files are large (a vmlinux: 600 MB) and little of them is looked at, so they are mapped and
 * never read as a whole. xz and gzip (X.ko.xz, X.ko.gz) are told by their first bytes, not by
 * their name.
 */
#ifndef RBS_DWARF_FILE_H
#define RBS_DWARF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* Modules with DWARF have some 10 MB, the largest GPU driver's 400 MB. */
#define RBS_UNPACKED_LIMIT (UINT64_C(1) << 30)

struct rbs_debug_file {
	const unsigned char *bytes;
	size_t size;
	void *unpacked;	 /* NULL when mapped */
	int64_t changed; /* when its contents were changed last, nanoseconds since 1970 */
};

/*
 * RBS_IO when it cannot be opened or is no plain file, RBS_CORRUPT when it cannot be unpacked,
 * RBS_LIMIT when it is too large for that, RBS_UNSUPPORTED when it is compressed with zstd.
 */
enum rbs_code rbs_debug_file_open(const char *path, struct rbs_debug_file *file,
				  struct rbs_error *err);
void rbs_debug_file_close(struct rbs_debug_file *file);

/* Let go of the pages that were touched; they come back, unchanged, when they are needed. */
void rbs_debug_file_release(const struct rbs_debug_file *file);

#endif
