/* SPDX-License-Identifier: GPL-3.0-or-later */
/* facts - what a dump says about the crash itself, the same in every renderer. */
#ifndef RBS_RENDER_FACTS_H
#define RBS_RENDER_FACTS_H

#include <stddef.h>

#include "lib/target/target.h"

struct rbs_fact {
	const char *label; /* NULL: there is no such fact, nor one behind it */
	char text[256];	   /* as in the dump: make it printable */
};

/* The facts that a dump has, by number from 0. */
struct rbs_fact rbs_fact_get(const struct rbs_target_info *info, unsigned number);

/* "2026-11-30T14:58:00Z" into buffer; returns buffer. */
const char *rbs_time_format(int64_t seconds, char *buffer, size_t size);

/* The inverse; false for another text. */
bool rbs_time_parse(const char *text, int64_t *seconds);

#endif
