/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freebsd - a FreeBSD kernel's dump as a target: no library reads them.
 *
 * Minidumps of amd64 (version 1 to 3), arm64 (1 to 3, 4K and 16K pages) and i386 (1, 2); full dumps
 * of amd64, which are ELF core files without notes; both also as they lie on a raw dump device,
 * behind a kernel dump header. The file is read by pread through a small cache, never mapped.
 *
 * Formats: FreeBSD's sys/sys/kerneldump.h, sys/ARCH/include/minidump.h,
 * sys/ARCH/ARCH/minidump_machdep.c, lib/libkvm/kvm_minidump_ARCH.c.
 */
#ifndef RBS_FREEBSD_H
#define RBS_FREEBSD_H

#include "lib/symbols.h"
#include "lib/target/target.h"

/* What savecore wrote beside the core (info.N), or the header of a raw dump device says. */
struct rbs_freebsd_header {
	char version[256]; /* first line of the kernel's version string; empty when unknown */
	char panic[256];   /* empty when unknown */
};

/*
 * Open the dump at path. *target is NULL, with RBS_OK, when the file is none of FreeBSD's: another
 * reader may know it. RBS_UNSUPPORTED with one line that says what to run for one that is
 * compressed or encrypted. What a minidump's file lacks at its end is RBS_TRUNCATED when it is
 * read.
 */
enum rbs_code rbs_freebsd_open(const char *path, struct rbs_target **target, struct rbs_error *err);

/* Whether a target is one of these. */
bool rbs_freebsd_is(const struct rbs_target *target);

/*
 * A full dump has page tables, and nothing says where: symbols has the kernel's KPML4phys, or
 * nothing, and then they are looked for. Without this only RBS_PHYSICAL can be read. Of other
 * dumps, and a second time, nothing is done.
 */
enum rbs_code rbs_freebsd_root_find(struct rbs_target *target, struct rbs_symbols *symbols,
				    struct rbs_error *err);

/* What the dump device's header says; empty strings without one. Lives as long as the target. */
const struct rbs_freebsd_header *rbs_freebsd_header_get(const struct rbs_target *target);

/*
 * The kernel's message buffer out of a minidump, as text without NULs that the caller frees; NULL
 * when there is none.
 */
char *rbs_freebsd_messages(struct rbs_target *target);

/* Where the kernel's image, and what the loader put behind it, is mapped. */
void rbs_freebsd_image_range(const struct rbs_target *target, uint64_t *start, uint64_t *end);

/* Bytes that the file lacks at its end; 0 for a whole one. */
uint64_t rbs_freebsd_missing(const struct rbs_target *target);

#endif
