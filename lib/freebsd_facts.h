/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freebsd_facts - what a FreeBSD dump says about itself: version, panic, when it was booted.
 *
 * From memory first; then the header of the dump device or info.N; then the message buffer, which
 * has them as text.
 */
#ifndef RBS_FREEBSD_FACTS_H
#define RBS_FREEBSD_FACTS_H

#include "lib/dump.h"

/* What can be known without symbols; core is the dump's path. */
void rbs_freebsd_facts_early(struct rbs_target *target, const char *core);

/* Fill dump->target->info with what the kernel's memory says. */
void rbs_freebsd_facts_read(struct rbs_dump *dump);

#endif
