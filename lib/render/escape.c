/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/escape.h"

#include <string.h>

#include "lib/render/printable.h"

void rbs_html_puts(const char *text, FILE *out)
{
	char buffer[4096];

	for (const char *at = rbs_printable(text, buffer, sizeof(buffer)); *at; at++) {
		switch (*at) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*at, out);
		}
	}
}

void rbs_markdown_puts(const char *text, FILE *out)
{
	char buffer[4096];

	for (const char *at = rbs_printable(text, buffer, sizeof(buffer)); *at; at++) {
		/* HTML passes through Markdown: its start must not. */
		if (*at == '<') {
			fputs("&lt;", out);
			continue;
		}
		if (strchr("\\`*_{}[]()#+!|&>~", *at))
			fputc('\\', out);
		fputc(*at, out);
	}
}
