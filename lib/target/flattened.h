/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * flattened - dumps in makedumpfile's stream format, as QEMU's kdump formats and 'makedumpfile -F'
 * write them: pieces with their offsets, to be put in place ('makedumpfile -R').
 *
 * Format: makedumpfile's makedumpfile.h (struct makedumpfile_header, makedumpfile_data_header):
 * a header of 4096 bytes that starts with "makedumpfile", then records of big-endian s64 offset,
 * s64 size and size bytes, the last one with offset -1.
 */
#ifndef RBS_FLATTENED_H
#define RBS_FLATTENED_H

#include "lib/error.h"

bool rbs_flattened_detect(int fd);

/*
 * Rearrange the stream behind fd into a new unnamed file in $TMPDIR (else /var/tmp, /tmp), which
 * takes as much disk space as the dump and is gone when *rearranged is closed. The caller owns
 * *rearranged.
 */
enum rbs_code rbs_flattened_rearrange(int fd, const char *path, int *rearranged,
				      struct rbs_error *err);

#endif
