/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare - what a damaged dump shows, against what the whole one showed.
 *
 * The rule of docs/robustness.md: every value of the damaged dump equals the whole dump's, or is
 * absent with a reason that fits; a path that is gone has a problem at it or above it; there is no
 * finding that the whole dump does not have.
 */
#ifndef DAMAGE_COMPARE_H
#define DAMAGE_COMPARE_H

#include "lib/result.h"

/* The whole dump's output. */
struct whole {
	struct rbs_report *report; /* owned */
	char **lines;		   /* 'path=value', sorted; owned */
	size_t count;
};

struct difference {
	size_t values;	  /* equal to the whole dump's */
	size_t absences;  /* absent here, with a reason */
	size_t wrong;	  /* breaks of the rule */
	bool list;	  /* in: print each of them */
	char first[1024]; /* the first of those, for a person */
};

/* Takes ownership of report. False when memory ran out. */
bool whole_init(struct whole *whole, struct rbs_report *report);
void whole_deinit(struct whole *whole);

/* False when memory ran out. */
bool report_compare(const struct whole *whole, const struct rbs_report *damaged,
		    struct difference *difference);

#endif
