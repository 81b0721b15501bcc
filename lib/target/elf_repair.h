/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_repair - an ELF dump in which one number is in the other byte order.
 *
 * Since 7.2, QEMU's dump-guest-memory writes a table of section names, and its size in the byte
 * order of the machine that QEMU runs on (dump/dump.c, prepare_elf_section_hdr_string()): a big
 * endian guest's dump taken on a little-endian machine claims to have exabytes of names.
 * libkdumpfile wants to load them.
 */
#ifndef RBS_ELF_REPAIR_H
#define RBS_ELF_REPAIR_H

#include "lib/error.h"

/* True when the file is such a dump; *at gets where the number of 8 bytes stands. */
bool rbs_elf_repair_needed(int fd, uint64_t *at);

/*
 * Copy the dump into a new unnamed file with that number put right; holes stay holes, and where the
 * file system can share blocks it costs nothing. The caller owns *repaired.
 */
enum rbs_code rbs_elf_repair(int fd, const char *path, uint64_t at, int *repaired,
			     struct rbs_error *err);

#endif
