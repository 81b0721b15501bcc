/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * header_check - finds dump files whose headers cannot be right, or are another machine's.
 *
 * To be asked before libkdumpfile sees the file, which takes its headers on trust: up to 0.5.1 at
 * least, numbers that contradict each other end the program inside kdump_open_fd() or kdump_free().
 *
 * Formats: elf(5); makedumpfile's diskdump_mod.h (struct disk_dump_header, kdump_sub_header).
 */
#ifndef RBS_HEADER_CHECK_H
#define RBS_HEADER_CHECK_H

#include "lib/error.h"

/*
 * RBS_UNSUPPORTED for an ELF file that is no core dump or of a machine that is not read yet and for
 * a part of a split dump,
 * RBS_CORRUPT for a header that contradicts itself, or RBS_OK; files in other formats are left
 * alone. path is for the message.
 */
enum rbs_code rbs_header_check(int fd, const char *path, struct rbs_error *err);

#endif
