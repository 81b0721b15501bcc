/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * elf_repair - an ELF dump whose table of section names has a header in the other byte order.
 *
 * Since 7.2, QEMU's dump-guest-memory writes such a table, and its header (7.2: the size alone) in
 * the byte order of the machine that QEMU runs on (dump/dump.c, prepare_elf_section_hdr_string()):
 * a big-endian guest's dump taken on a little-endian machine claims to have exabytes of names.
 * libkdumpfile wants to load them. Nobody needs them: the repaired dump has none.
 */
#ifndef RBS_ELF_REPAIR_H
#define RBS_ELF_REPAIR_H

#include "lib/error.h"

/* True when the file is such a dump. */
bool rbs_elf_repair_needed(int fd);

/*
 * Copy the dump into a new unnamed file without that table; holes stay holes, and where the file
 * system can share blocks it costs nothing. The caller owns *repaired.
 */
enum rbs_code rbs_elf_repair(int fd, const char *path, int *repaired, struct rbs_error *err);

#endif
