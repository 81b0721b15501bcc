/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lines - collect lines of text and print them sorted. */
#ifndef RBS_RENDER_LINES_H
#define RBS_RENDER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/error.h"

struct rbs_lines {
	char **lines; /* owned */
	size_t count, room;
	bool failed; /* memory ran out */
};

void rbs_lines_add(struct rbs_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Print all in byte order, and free them. */
enum rbs_code rbs_lines_print(struct rbs_lines *lines, FILE *out, struct rbs_error *err);

#endif
