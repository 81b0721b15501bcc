/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printable - strings of a dump, made safe to send to a terminal.
 *
 * Names come from the memory of a machine that failed or was attacked: control characters (escape
 * sequences) and bytes that are not valid UTF-8 become \xNN, a backslash becomes two.
 */
#ifndef RBS_PRINTABLE_H
#define RBS_PRINTABLE_H

#include <stddef.h>

/* Into buffer, always terminated, cut to size; returns buffer. */
const char *rbs_printable(const char *text, char *buffer, size_t size);

/* The string that became text, for a reader of what was written: the same rules of buffer. What
 * rbs_printable() does not write, and a NUL, stays as it is. */
const char *rbs_printable_undo(const char *text, char *buffer, size_t size);

#endif
