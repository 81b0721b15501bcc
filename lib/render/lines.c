/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void rbs_lines_add(struct rbs_lines *lines, const char *format, ...)
{
	va_list args;
	char *line;

	if (lines->count == lines->room) {
		size_t room = lines->room ? 2 * lines->room : 256;
		char **grown = reallocarray(lines->lines, room, sizeof(*grown));

		if (!grown) {
			lines->failed = true;
			return;
		}
		lines->lines = grown;
		lines->room = room;
	}
	va_start(args, format);
	if (vasprintf(&line, format, args) >= 0)
		lines->lines[lines->count++] = line;
	else
		lines->failed = true;
	va_end(args);
}

static int line_compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

enum rbs_code rbs_lines_print(struct rbs_lines *lines, FILE *out, struct rbs_error *err)
{
	bool failed = lines->failed;

	if (lines->count)
		qsort(lines->lines, lines->count, sizeof(*lines->lines), line_compare);
	for (size_t i = 0; i < lines->count; i++) {
		fprintf(out, "%s\n", lines->lines[i]);
		free(lines->lines[i]);
	}
	free(lines->lines);
	*lines = (struct rbs_lines){0};
	return failed ? rbs_error_set(err, RBS_NOMEM, "out of memory") : RBS_OK;
}
