/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * excerpt - a small ELF dump of the pages that were read from a large one.
 *
 * Holds VMCOREINFO and whole pages, nothing else: no registers, no other notes. A page that the
 * dump lacks stays missing, so that it is found to be excluded here as there.
 */
#ifndef RBS_EXCERPT_H
#define RBS_EXCERPT_H

#include "lib/session.h"
#include "lib/target/page_set.h"

struct rbs_excerpt_stats {
	uint64_t pages;	     /* written */
	uint64_t missing;    /* asked for, but not in the dump: excluded, or no such memory */
	uint64_t unreadable; /* in the dump, but broken; missing from the excerpt */
	uint64_t bytes;
};

/*
 * Write the pages of target to fd, from its place on and without seeking. err names no file: the
 * caller knows where fd leads.
 */
enum rbs_code rbs_excerpt_write(struct rbs_target *target, const struct rbs_page_set *pages, int fd,
				struct rbs_excerpt_stats *stats, struct rbs_error *err);

/*
 * Read the excerpt at path and compare with whole, the report of the dump under the same options.
 * RBS_MISMATCH when anything differs but the dump's path and format; err names the first line.
 */
enum rbs_code rbs_excerpt_check(const char *path, const struct rbs_session_options *session,
				const struct rbs_show_options *show, struct rbs_report *whole,
				struct rbs_error *err);

#endif
