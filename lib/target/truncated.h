/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * truncated - finds a dump file that ends before its contents do: a full disk, a broken copy.
 *
 * To be asked before libkdumpfile sees the file: it reads what lies past the end of a file as
 * zeros, or is ended by SIGBUS (0.5.1). Knows ELF-64 core files and 64-bit kdump-compressed ones,
 * whose parts say where they end; leaves all others alone. A file that is not a regular one has no
 * end to be compared with.
 *
 * Formats: elf(5); makedumpfile's diskdump_mod.h (struct disk_dump_header, kdump_sub_header,
 * page_desc) and IMPLEMENTATION.
 */
#ifndef RBS_TRUNCATED_H
#define RBS_TRUNCATED_H

#include "lib/target/disk_map.h"

/*
 * RBS_TRUNCATED, or RBS_OK where nothing is known to be missing. path is for the message, map is
 * the same file's.
 */
enum rbs_code rbs_truncated_check(int fd, const char *path, const struct rbs_disk_map *map,
				  struct rbs_error *err);

#endif
