/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freebsd_kernel - whether a kernel file, or its kernel.debug, is of the kernel in a FreeBSD dump.
 *
 * By the build-id, where it is linked into the image, else by the string 'version'. A
 * kernel.debug has the build-id and lacks the string.
 */
#ifndef RBS_FREEBSD_KERNEL_H
#define RBS_FREEBSD_KERNEL_H

#include "lib/symbols.h"
#include "lib/target/target.h"

/*
 * symbols has the file's symbols. RBS_MISMATCH when it is of another kernel; RBS_OK when it fits,
 * and when nothing can be compared: *proved tells.
 */
enum rbs_code rbs_freebsd_kernel_check(const char *path, struct rbs_target *target,
				       struct rbs_symbols *symbols, bool *proved,
				       struct rbs_error *err);

#endif
