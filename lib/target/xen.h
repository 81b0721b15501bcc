/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xen - the hypervisor's memory as a target, over a machine whose physical memory can be read.
 *
 * Virtual addresses are translated by our own walk (lib/target/x86_walk.h) of Xen's page tables in
 * machine memory: it works alike on all formats, with and without Xen's notes. Where they are:
 *   Xen's image is moved as a whole: machine address = xen_phys_start + (address - XEN_VIRT_START);
 *   its own top table is idle_pg_table (VMCOREINFO_XEN's SYMBOL(pgd_l4)); and every CR3 maps Xen.
 * So xen_phys_start or a CR3 is enough. The build-id in memory proves what was found, and that
 * xen-syms belongs to the dump.
 */
#ifndef RBS_XEN_H
#define RBS_XEN_H

#include "lib/modules.h"
#include "lib/target/target.h"
#include "lib/target/xen_notes.h"

/* A hypervisor without a hint is looked for at 2 MiB steps below this machine address. */
#define RBS_XEN_SEARCH_END (UINT64_C(1) << 40)

/* What xen-syms says: link-time addresses, which are those that Xen runs at. */
struct rbs_xen_image {
	const char *path;	      /* borrowed, for messages */
	struct rbs_build_id build_id; /* size 0: linked without one */
	uint64_t virt_start;	      /* XEN_VIRT_START: where xen_phys_start is mapped */
	uint64_t build_id_note;	      /* address of the ELF note; 0: none */
	uint64_t page_table;	      /* idle_pg_table; 0: no such symbol */
	uint64_t phys_start_variable; /* xen_phys_start */
};

struct rbs_xen_options {
	const struct rbs_xen_image *image;
	const struct rbs_xen_notes *notes; /* of the dump file; NULL: none */
	bool has_phys_start;		   /* the user knows xen_phys_start */
	uint64_t phys_start;
};

/*
 * machine is borrowed and must outlive the target. RBS_MISMATCH when xen-syms is of another build
 * than the hypervisor in the dump: the text has both build-ids; RBS_UNSUPPORTED when no hypervisor
 * was found.
 */
enum rbs_code rbs_xen_target_create(struct rbs_target *machine,
				    const struct rbs_xen_options *options,
				    struct rbs_target **target, struct rbs_error *err);

/* Takes over machine, and destroys it with the target. */
void rbs_xen_target_own(struct rbs_target *target, struct rbs_target *machine);

/* The machine below a target of this kind, or NULL for another kind. */
struct rbs_target *rbs_xen_target_machine(struct rbs_target *target);

/* The machine address that the hypervisor was loaded at. */
uint64_t rbs_xen_phys_start(const struct rbs_target *target);

#endif
