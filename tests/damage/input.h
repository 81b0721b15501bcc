/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * input - the command line that the programs of this folder share: a dump, and what it is read
 * with.
 */
#ifndef DAMAGE_INPUT_H
#define DAMAGE_INPUT_H

#include "lib/session.h"

struct input {
	const char *path;
	const char *xen_syms, *debuginfo, *symbols;
	bool xen_guest;
};

/* An option of one program's own; one of the three says where its value goes. */
struct input_option {
	const char *name;
	bool *flag;
	const char **text;
	size_t *number;
};

/* False: how the program is called has been said on standard error. options: the last has no name.
 */
bool input_read(struct input *input, const struct input_option *options, int argc, char **argv);

/* The options to open it with; they point into input. */
struct rbs_session_options input_session(const struct input *input);

#endif
