/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arch - the architectures whose dumps are read, by each of the names that dumps give them.
 *
 * A new one is a line in the table of arch.c. What differs between architectures beyond names, and
 * what a user is told, is found in the dump itself: byte order, word and page size, layouts.
 */
#ifndef RBS_ARCH_H
#define RBS_ARCH_H

#include "lib/target/target.h"

struct rbs_arch {
	const char *name;     /* uname's machine; libkdumpfile's too */
	unsigned elf_machine; /* e_machine of a dump, a kernel and its modules */
	unsigned word_size;   /* bytes */
	enum rbs_byte_order byte_order;
	const char *vmcoreinfo_advice; /* how a dump of it gets one, as the end of a message */
};

/* NULL when dumps of it are not read. */
const struct rbs_arch *rbs_arch_by_name(const char *name);
const struct rbs_arch *rbs_arch_by_elf(unsigned elf_machine);

/* RBS_UNSUPPORTED in one line, which names the architecture and those that are read. */
enum rbs_code rbs_arch_refuse(const char *path, const char *name, struct rbs_error *err);
enum rbs_code rbs_arch_refuse_elf(const char *path, uint64_t elf_machine, struct rbs_error *err);

#endif
