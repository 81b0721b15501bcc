/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen_notes - what the ELF notes of a dump file say of its CPUs' page tables, and of a hypervisor:
 * where it was loaded.
 *
 * Sources of the formats:
 *   "QEMU" notes: struct QEMUCPUState of QEMU's target/i386/arch_dump.c, one for each CPU.
 *   "Xen" notes: Xen's public/elfnote.h (XEN_ELFNOTE_CRASH_INFO, XEN_ELFNOTE_CRASH_REGS) and
 *   include/xen/elfcore.h (crash_xen_info_t, crash_xen_core_t), as a kexec kernel copies them.
 *   "VMCOREINFO_XEN": text lines like Linux's, written by Xen's common/kexec.c.
 * makedumpfile's compressed format keeps the same notes in its sub header. All numbers are of an
 * x86-64 machine: little endian.
 */
#ifndef RBS_XEN_NOTES_H
#define RBS_XEN_NOTES_H

#include <stddef.h>

#include "lib/error.h"

#define RBS_XEN_CR3_MAX 64 /* of so many CPUs; one is enough */

/*
 * Our own lines in the VMCOREINFO_XEN note of an excerpt, which has no other notes, behind those
 * that it had: where Xen was loaded (hexadecimal, without 0x), and its version (4.17) if known.
 */
#define RBS_XEN_OWN_PREFIX "RBSTATS_XEN_"
#define RBS_XEN_PHYS_START_KEY RBS_XEN_OWN_PREFIX "PHYS_START"
#define RBS_XEN_VERSION_KEY RBS_XEN_OWN_PREFIX "VERSION"

struct rbs_xen_notes {
	uint64_t cr3[RBS_XEN_CR3_MAX]; /* machine addresses */
	uint64_t cr4[RBS_XEN_CR3_MAX]; /* of the same CPU */
	size_t cr3_count;
	bool has_phys_start;
	uint64_t phys_start; /* machine address of the start of Xen's image area */
	bool has_version;
	uint64_t major, minor;
	char *vmcoreinfo; /* NUL terminated; NULL: there is none; owned */
};

/*
 * Read the notes of the ELF or kdump-compressed file behind fd. What is damaged is left out: notes
 * are hints, and what they lead to is checked.
 */
enum rbs_code rbs_xen_notes_init(struct rbs_xen_notes *notes, int fd, struct rbs_error *err);
void rbs_xen_notes_deinit(struct rbs_xen_notes *notes);

/* Take in a run of notes; public for the tests. */
enum rbs_code rbs_xen_notes_parse(struct rbs_xen_notes *notes, const uint8_t *bytes, size_t size,
				  struct rbs_error *err);

#endif
