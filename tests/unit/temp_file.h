/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * temp_file - a file with given bytes that a test removes again.
 */
#ifndef TEMP_FILE_H
#define TEMP_FILE_H

#include <stddef.h>

struct temp_file {
	char path[64];
};

/* Failing to write ends the test by abort(). */
void temp_file_init(struct temp_file *file, const void *bytes, size_t size);
void temp_file_deinit(struct temp_file *file);

#endif
