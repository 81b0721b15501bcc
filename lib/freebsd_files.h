/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freebsd_files - the files that may belong to a FreeBSD core: kernels, and savecore's info.N.
 *
 * A kernel is looked for where the user said, and beside the core; nothing that is looked for has
 * to exist.
 */
#ifndef RBS_FREEBSD_FILES_H
#define RBS_FREEBSD_FILES_H

#include <stddef.h>

#include "lib/target/freebsd.h"

struct rbs_freebsd_files {
	char **paths; /* owned; those that exist, the best guess first */
	size_t count;
};

/*
 * kernel (NULL: not given) is the user's own, and comes first with its KERNEL.debug; then the files
 * and folders of debuginfo; then kernel.debug, kernel.full, kernel and boot/kernel/ beside the
 * core. RBS_NOMEM.
 */
enum rbs_code rbs_freebsd_files_init(struct rbs_freebsd_files *files, const char *core,
				     const char *kernel, const char *const *debuginfo,
				     size_t debuginfo_count, struct rbs_error *err);
void rbs_freebsd_files_deinit(struct rbs_freebsd_files *files);

/* What info.N beside vmcore.N says; empty strings where there is none. */
void rbs_freebsd_info_read(const char *core, struct rbs_freebsd_header *header);

#endif
