/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash_target - the memory of a crash session, through crash's kvtop() and readmem().
 *
 * Why an address cannot be read is told as the stand-alone program tells it: RBS_UNMAPPED when
 * crash has no translation, RBS_EXCLUDED when it has one and the page (or a page table on the way)
 * is not in the dump. On a live system nothing is kept between two reads.
 */
#ifndef RBS_CRASH_TARGET_H
#define RBS_CRASH_TARGET_H

#include "lib/target/target.h"

/* RBS_NOMEM is the only error: crash has opened the dump already. */
enum rbs_code rbs_crash_target_create(struct rbs_target **target, struct rbs_error *err);

#endif
