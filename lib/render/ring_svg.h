/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ring_svg - a ring drawn: where reader and writer are, what is filled, sub-buffers by state.
 *
 * Colours are classes of the page's style sheet (html.c). A ring that lacks what a drawing needs is
 * not drawn.
 */
#ifndef RBS_RENDER_RING_SVG_H
#define RBS_RENDER_RING_SVG_H

#include <stdio.h>

#include "lib/result.h"

/* True when something was drawn. */
bool rbs_ring_svg(const struct rbs_node *row, FILE *out);

#endif
