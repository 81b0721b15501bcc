/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text - what the parts of the text for people share. */
#ifndef RBS_RENDER_TEXT_H
#define RBS_RENDER_TEXT_H

#include <stdio.h>

#include "lib/result.h"

#define TEXT_WIDTH 80 /* columns */

#define TEXT_BOLD "\033[1m"
#define TEXT_RED "\033[1;31m"

/* The words in that style, or plain where there is no colour. */
void rbs_text_style(FILE *out, bool colour, const char *style, const char *words);

/* "s" unless there is one. */
const char *rbs_text_plural(size_t count);

/* The block of findings, the worst first; those of severity info are only listed when verbose. */
void rbs_text_findings(const struct rbs_report *report, bool verbose, bool colour, FILE *out);

#endif
