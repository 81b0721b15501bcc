/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scratch - a folder for one test's files, and the compiler.
 *
 * Anything that goes wrong fails the test.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

struct scratch {
	char folder[64];
};

void scratch_init(struct scratch *scratch);
void scratch_deinit(struct scratch *scratch); /* removes the folder */

/* The path of a file in the folder, into a buffer of 256 bytes; returns buffer. */
char *scratch_path(const struct scratch *scratch, const char *name, char *buffer);

void scratch_write(const struct scratch *scratch, const char *name, const void *bytes, size_t size);
unsigned char *scratch_read(const struct scratch *scratch, const char *name, size_t *size);

/*
 * Run a command of the shell in the folder; $SOURCES is where the unit tests' sources are, $CC the
 * compiler of the build (cc unless the environment says otherwise).
 */
void scratch_run(const struct scratch *scratch, const char *command);

/* Whether a program can be found. */
bool scratch_has(const char *program);

#endif
