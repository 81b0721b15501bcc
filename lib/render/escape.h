/* SPDX-License-Identifier: GPL-3.0-or-later */
/* escape - strings of a dump in HTML and Markdown: nothing in them is markup. */
#ifndef RBS_RENDER_ESCAPE_H
#define RBS_RENDER_ESCAPE_H

#include <stdio.h>

/* Printable, with & < > " ' as entities: safe as text and in quoted attributes. */
void rbs_html_puts(const char *text, FILE *out);

/* Printable, with Markdown's marks escaped and no pipe that would end a table's cell. */
void rbs_markdown_puts(const char *text, FILE *out);

#endif
