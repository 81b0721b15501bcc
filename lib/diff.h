/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * diff - what moved between two results: of the same machine at two times, or of two machines.
 *
 * Values are matched by their path. Indexes that start again (free-running 16-bit counters, offsets
 * into a ring) are compared by how far they went forward, up to one lap.
 */
#ifndef RBS_DIFF_H
#define RBS_DIFF_H

#include <stdio.h>

#include "lib/result.h"

enum rbs_change_kind {
	RBS_CHANGE_VALUE,    /* the same field, another value */
	RBS_CHANGE_APPEARED, /* a field, a node or a family that only the second has */
	RBS_CHANGE_GONE,     /* ... that only the first has */
};

struct rbs_change {
	enum rbs_change_kind kind;
	char *path;	 /* owned; of the field or the node */
	char *from, *to; /* owned; values as printable words; NULL where there is none */
	bool has_delta;
	int64_t delta; /* to - from, over the wrap for indexes */
};

struct rbs_diff {
	struct rbs_change *changes; /* owned, in the order of the second result */
	size_t count, room;
	size_t same; /* values that both have, equal */
	bool failed; /* memory ran out */
};

void rbs_diff_init(struct rbs_diff *diff, const struct rbs_report *first,
		   const struct rbs_report *second);
void rbs_diff_deinit(struct rbs_diff *diff);

#endif
