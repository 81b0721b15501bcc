/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel_shift - from the addresses that a kernel was linked at to those that it ran at.
 *
 * With KASLR the whole image moves. How far, the run-time address of _stext tells (VMCOREINFO's
 * SYMBOL(_stext)), or VMCOREINFO's KERNELOFFSET. Not everything moves: absolute symbols do not, and
 * on x86-64 before 6.15 per-CPU variables are linked at 0, below the image.
 */
#ifndef RBS_KERNEL_SHIFT_H
#define RBS_KERNEL_SHIFT_H

#include "dwarf/symbol_table.h"
#include "lib/target/target.h"

/*
 * Move an indexed table of link-time addresses to where the kernel ran; a target without VMCOREINFO
 * (Xen, FreeBSD) moves nothing. path is only named in messages.
 *
 * RBS_MISMATCH when it cannot be the table of the kernel in the dump: it has no _stext, or Linux's
 * banner is not where it says. A page that is missing from the dump is no proof.
 */
enum rbs_code rbs_kernel_shift(struct rbs_symbol_table *table, struct rbs_target *target,
			       const char *path, struct rbs_error *err);

#endif
