/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debuginfod - debug files from a debuginfod server, when its client library is installed.
 *
 * libdebuginfod.so.1 is loaded when it is needed, so that rbstats does not depend on it (and on
 * curl). Nothing is asked unless DEBUGINFOD_URLS names a server. The library keeps what it
 * downloaded in the user's cache.
 */
#ifndef RBS_DEBUGINFOD_H
#define RBS_DEBUGINFOD_H

#include <stddef.h>

#include "lib/modules.h"
#include "lib/target/target.h"

/* True when DEBUGINFOD_URLS is set. */
bool rbs_debuginfod_wanted(void);

/*
 * The debug file of that build-id, downloaded if need be. A download stops when the user
 * interrupts target, which may be NULL: RBS_INTERRUPTED. RBS_UNSUPPORTED when the library is not
 * there, RBS_NO_TYPES when no server has the file.
 */
enum rbs_code rbs_debuginfod_fetch(const struct rbs_build_id *id, struct rbs_target *target,
				   char *path, size_t size, struct rbs_error *err);

#endif
