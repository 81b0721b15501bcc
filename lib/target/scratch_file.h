/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scratch_file - an unnamed file for a copy of a dump, gone when it is closed. */
#ifndef RBS_SCRATCH_FILE_H
#define RBS_SCRATCH_FILE_H

#include <stddef.h>

/*
 * In $TMPDIR, else /var/tmp or /tmp; where gets the folder's name. -1 with errno when there can be
 * none; the caller closes it.
 */
int rbs_scratch_file_open(char *where, size_t size);

#endif
