/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extensions/help.h"

#include <stddef.h>

/* Name, one line, synopsis, then the description line by line. '%' would be printf's. */
char *rbs_help_rbstats[] = {
	"rbstats",
	"ring buffer statistics",
	"[-f family,...] [-d glob] [-v] [-F text|json|flat] [-o file]\n"
	"          [--debuginfo path]... [--symbols file]",
	"x",
	NULL,
};
