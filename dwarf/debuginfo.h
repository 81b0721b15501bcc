/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debuginfo - finds the debug file of the kernel or of a module.
 *
 * Asked in this order:
 *   1. what the user named: files, and folders (their .build-id tree, then all their files);
 *   2. /usr/lib/debug/.build-id/xx/yyyy.debug;
 *   3. the places where distributions put a kernel's debug files, by its release;
 *   4. debuginfod, when DEBUGINFOD_URLS is set and its client library is installed.
 *
 * A file is taken when it has DWARF and its build-id is the dump's. When the dump's build-id is
 * not known, a file that the user named, or whose place names the release, is taken unverified. A
 * file of another build-id is never taken.
 */
#ifndef RBS_DEBUGINFO_H
#define RBS_DEBUGINFO_H

#include <stddef.h>

#include "lib/modules.h"
#include "lib/target/target.h"

struct rbs_debuginfo;

struct rbs_debuginfo_options {
	const char *const *paths; /* --debuginfo: files and folders */
	size_t path_count;
	const char *kernel_name; /* how its files' names begin; NULL: "vmlinux". Xen: "xen-syms" */
	const char *release;	 /* uname -r of the dump; NULL or "" when unknown */
	const char *root;	 /* put before the system's places; NULL or "": none */
	/* For rbs_target_interrupted() during downloads; may be NULL. Borrowed. */
	struct rbs_target *target;
};

struct rbs_debuginfo_file {
	char path[4096];
	const char *how; /* "named by the user", "found by build-id" ... */
	bool verified;	 /* its build-id was compared with the dump's */
};

/* Options are copied. RBS_IO when a path that the user named does not exist. */
enum rbs_code rbs_debuginfo_create(const struct rbs_debuginfo_options *options,
				   struct rbs_debuginfo **debuginfo, struct rbs_error *err);
void rbs_debuginfo_destroy(struct rbs_debuginfo *debuginfo);

/*
 * The debug file of a module, or of the kernel when module is NULL. id is the dump's build-id, of
 * size 0 when it is not known. RBS_MISMATCH when all that was found belongs to another build: the
 * text has a path and both ids. RBS_NO_TYPES when nothing was found: the text says where it was
 * looked for.
 */
enum rbs_code rbs_debuginfo_find(struct rbs_debuginfo *debuginfo, const char *module,
				 const struct rbs_build_id *id, struct rbs_debuginfo_file *file,
				 struct rbs_error *err);

/*
 * Whether the file at path is the debug file of build-id id: RBS_OK (*verified tells whether ids
 * could be compared), RBS_MISMATCH, RBS_NO_TYPES when it has no DWARF, or why it cannot be read.
 */
enum rbs_code rbs_debuginfo_check(const char *path, const struct rbs_build_id *id, bool *verified,
				  struct rbs_error *err);

#endif
