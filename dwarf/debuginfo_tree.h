/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debuginfo_tree - the files below a folder whose names are those of kernels and modules.
 *
 * Bounded in depth, folders and files; links to folders are not followed (/lib/modules/X/build
 * leads to a whole source tree).
 */
#ifndef RBS_DEBUGINFO_TREE_H
#define RBS_DEBUGINFO_TREE_H

#include <stddef.h>

#include "lib/error.h"

struct rbs_debuginfo_tree {
	char *folder;
	char **paths; /* owned, in the order of the walk: nearest first */
	size_t count;
	size_t capacity;
	bool cut_off; /* a limit was reached: there may be more */
};

/* Walk folder. A folder that cannot be read is an empty tree, not an error. */
enum rbs_code rbs_debuginfo_tree_init(struct rbs_debuginfo_tree *tree, const char *folder,
				      struct rbs_error *err);
void rbs_debuginfo_tree_deinit(struct rbs_debuginfo_tree *tree);

/*
 * Whether the file of that path is named like a kernel ("vmlinux" or "xen-syms" and a suffix), or
 * like the module (X.ko, X.ko.debug, X.ko.xz, X.ko.gz, X.ko.zst ...; '-' and '_' are the same).
 */
bool rbs_debuginfo_is_kernel(const char *path, const char *kernel_name);
bool rbs_debuginfo_is_module(const char *path, const char *module);

#endif
