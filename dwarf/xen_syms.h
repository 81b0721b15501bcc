/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_syms - the hypervisor's own ELF file: told apart from a vmlinux, and what it says of where
 * Xen is.
 *
 * By its contents, never by its name: sections in the address range that Xen reserves for its image
 * (XEN_VIRT_START, xen/arch/x86/include/asm/config.h: one of the first gigabytes of
 * 0xffff82d000000000), and the symbols domain_list and xen_phys_start.
 */
#ifndef RBS_XEN_SYMS_H
#define RBS_XEN_SYMS_H

#include "lib/symbols.h"
#include "lib/target/xen.h"

/* False for anything else, also for what cannot be read: others say why. */
bool rbs_xen_syms_detect(const char *path);

/*
 * Read the symbols (the caller owns *symbols) and what they say of the image; path is borrowed by
 * *image. machine tells the byte order. RBS_MISMATCH for an ELF file that is not Xen's, or the
 * errors of rbs_elf_symbols_create().
 */
enum rbs_code rbs_xen_syms_open(const char *path, const struct rbs_target *machine,
				struct rbs_xen_image *image, struct rbs_symbol_source **symbols,
				struct rbs_error *err);

#endif
