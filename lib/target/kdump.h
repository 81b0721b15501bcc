/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kdump - a dump file as a target, through libkdumpfile.
 *
 * Translation is libaddrxlat's. A hook on its page reads records which page tables it used, so that
 * an excerpt can hold them. Flattened dumps are rearranged into an unnamed temporary file first.
 */
#ifndef RBS_KDUMP_H
#define RBS_KDUMP_H

#include "lib/target/page_set.h"
#include "lib/target/target.h"

enum rbs_code rbs_kdump_open(const char *path, struct rbs_target **target, struct rbs_error *err);

/* The physical pages read so far, page tables included; lives as long as the target. */
const struct rbs_page_set *rbs_kdump_pages(const struct rbs_target *target);

#endif
