/* SPDX-License-Identifier: GPL-3.0-or-later */
/* render_sample - a family made for the tests of renderers, and what they print. */
#ifndef RENDER_SAMPLE_H
#define RENDER_SAMPLE_H

#include "lib/render/render.h"

enum {
	TYPE,
	FEATURES,
	FAILED,
	NAME,
	ADDRESS,
	COUNT,
	DEBT,
	RARE,
	BYTES,
	BROKEN,
	DETAIL,
	STATE,
	LENGTH,
	DESC_COUNT,
};

extern const struct rbs_desc sample_descs[DESC_COUNT];
extern const struct rbs_family sample_family;
extern const struct rbs_target_info sample_info;

/* A channel with that name and title, which is not broken. */
struct rbs_node *sample_channel_add(struct rbs_node *device, const char *name, const char *title,
				    uint64_t count);

/* What is printed; the caller frees it. */
char *rendered(rbs_render_fn *render, const struct rbs_report *report, bool verbose);

/* Destroys the report. */
void expect_rendered(rbs_render_fn *render, struct rbs_report *report, bool verbose,
		     const char *expected);

#endif
