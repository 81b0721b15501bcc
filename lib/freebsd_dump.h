/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freebsd_dump - opens a FreeBSD kernel's dump: symbols, types, and what it says about itself.
 *
 * Part of the session (lib/session.h). Symbols come from a kernel file that is proved to fit, or
 * from the table that the loader left in memory; types from the DWARF of a kernel.debug or the CTF
 * of a plain kernel. Neither needs FreeBSD on this machine.
 */
#ifndef RBS_FREEBSD_DUMP_H
#define RBS_FREEBSD_DUMP_H

#include "lib/session.h"

/*
 * target is of rbs_freebsd_open(), and taken over, also on failure; so is what options owns. On
 * success the caller deinits *dump. RBS_MISMATCH when the kernel that the user named is of another
 * build, RBS_NO_SYMBOL when there are no symbols at all.
 */
enum rbs_code rbs_freebsd_dump_open(struct rbs_dump *dump, struct rbs_target *target,
				    const struct rbs_session_options *options,
				    struct rbs_error *err);

#endif
