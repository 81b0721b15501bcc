/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash_machine - a Xen machine's memory by machine addresses, below the dom0 that crash has open.
 *
 * crash translates a PV dom0's physical addresses through its tables of frames; with XENMACHADDR,
 * as 'rd -m' uses it, readmem() leaves them alone.
 */
#ifndef RBS_CRASH_MACHINE_H
#define RBS_CRASH_MACHINE_H

#include "lib/target/target.h"

/* RBS_UNSUPPORTED when crash's session is not on Xen. */
enum rbs_code rbs_crash_machine_create(struct rbs_target **target, struct rbs_error *err);

#endif
