/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disk_machine - which machine a kdump-compressed dump is of.
 *
 * libkdumpfile ignores the whole of the header's utsname unless it holds a release, which QEMU's
 * kdump formats leave empty.
 */
#ifndef RBS_DISK_MACHINE_H
#define RBS_DISK_MACHINE_H

#include "lib/error.h"

#define RBS_MACHINE_SIZE 16

/*
 * uname's machine as the header names it (makedumpfile's struct disk_dump_header: utsname at 12,
 * its fields of 65 bytes). QEMU says "Unknown" of s390x (dump/dump.c): its CPUs' notes then tell.
 * False for other files, and where nothing is said.
 */
bool rbs_disk_machine(int fd, char machine[RBS_MACHINE_SIZE]);

#endif
