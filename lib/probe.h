/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe - one system's reader: knows kernels, fills a section, and nothing else.
 *
 * Adding a system: a file (or folder) in lib/probes/, one line in lib/probes/registry.c, one page
 * in docs/. A probe never prints, never opens a file, never asks where memory comes from.
 */
#ifndef RBS_PROBE_H
#define RBS_PROBE_H

#include "lib/dump.h"
#include "lib/layout.h"
#include "lib/packets.h"
#include "lib/result.h"
#include "lib/walk.h"

struct rbs_probe_context {
	struct rbs_dump *dump;
	struct rbs_section *section;
	bool verbose;			 /* fill the slots too */
	struct rbs_packet_sink *packets; /* wants the trace packets too; NULL: nobody does */
	bool scan; /* search all of memory for what the kernel's tables do not lead to */
	/* Called now and then during a search; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *progress_context;
};

struct rbs_probe {
	const struct rbs_family *family;
	bool of_hypervisor; /* reads Xen's memory, not a Linux kernel's */
	bool of_freebsd;    /* reads a FreeBSD kernel's as well as Linux's */
	/*
	 * Fill context->section->node. RBS_OK also when parts could not be read (they are problems
	 * of the report); RBS_NO_SYMBOL with *absent true when this kernel has nothing of the kind;
	 * anything else: the section failed as a whole.
	 */
	enum rbs_code (*run)(struct rbs_probe_context *context, bool *absent,
			     struct rbs_error *err);
};

/*
 * A layout that is only needed for some devices, resolved at its first use (it starts zeroed). NULL
 * when there are no types for it: that costs what depends on it and is reported once. The caller
 * deinits it in any case.
 */
const struct rbs_layout *rbs_layout_once(struct rbs_layout *layout,
					 const struct rbs_layout_entry *entries, size_t count,
					 struct rbs_probe_context *context, const char *module);

/*
 * After a walk over the section's devices: an error when it found none at all, else what ended it
 * early is a problem of the section, whose devices stand.
 */
enum rbs_code rbs_probe_walk_end(struct rbs_probe_context *context,
				 const struct rbs_list_walk *walk, struct rbs_error *err);

/* All probes, in the order of the output; *count gets their number. */
const struct rbs_probe *const *rbs_probes(size_t *count);

/* NULL when there is none of that name. */
const struct rbs_probe *rbs_probe_find(const char *family);

#endif
