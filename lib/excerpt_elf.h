/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * excerpt_elf - the first bytes of an excerpt: ELF header, program headers and the note.
 *
 * Format: the System V ABI's ELF-64 core file, as the kernel's /proc/vmcore writes it
 * (fs/proc/vmcore.c, kernel/crash_core.c): one PT_NOTE with the target's note (VMCOREINFO; of a
 * hypervisor VMCOREINFO_XEN), and PT_LOADs whose p_paddr
 * are physical addresses. Every p_vaddr is 0, far from the kernel's addresses, so that a reader has
 * to translate those by page table, as rbstats does with every dump.
 */
#ifndef RBS_EXCERPT_ELF_H
#define RBS_EXCERPT_ELF_H

#include "lib/target/target.h"

/* Consecutive pages, both in physical memory and in the file. */
struct rbs_excerpt_run {
	uint64_t pfn;
	uint64_t count;
};

/*
 * Everything that stands before the pages, as a new array of *size bytes, a multiple of the page
 * size; the runs' pages follow it in order without a gap. The caller frees *head.
 */
enum rbs_code rbs_excerpt_head_build(struct rbs_target *target, const struct rbs_excerpt_run *runs,
				     size_t run_count, uint8_t **head, size_t *size,
				     struct rbs_error *err);

#endif
