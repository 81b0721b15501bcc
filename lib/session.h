/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session - opens a dump with its symbols and types, and runs the probes on it.
 *
 * The one place that knows all parts. Both front ends (cli/, extensions/) use it and nothing below.
 */
#ifndef RBS_SESSION_H
#define RBS_SESSION_H

#include "lib/dump.h"
#include "lib/packets.h"
#include "lib/result.h"

struct rbs_session_options {
	const char *vmlinux;	      /* NULL: not given */
	const char *symbols_file;     /* a System.map; NULL: not given */
	const char *const *debuginfo; /* files and folders */
	size_t debuginfo_count;
	/*
	 * Which sources of types to ask, in this order, by the names of the output: "btf", "dwarf",
	 * "crash" (type_source below), "assumed". None: all, in that order.
	 */
	const char *const *type_sources;
	size_t type_source_count;
	/* Use the user's cache of what was found out about the same kernel (lib/cache.h). */
	bool cache;
	/*
	 * The hypervisor's own ELF file; NULL: not given. Alone, or as the vmlinux, it makes the
	 * session the hypervisor's; beside a vmlinux, the dump's hypervisor is read as well.
	 */
	const char *xen_syms;
	/* Beside a hypervisor: read the kernel of this PV domain out of the machine's memory. */
	bool has_xen_guest;
	uint32_t xen_guest;
	bool has_xen_phys_start; /* where the hypervisor was loaded, a machine address */
	uint64_t xen_phys_start;
	/* Of a target that is attached: its file's notes, and the machine's memory where that is
	 * not the target's physical memory (owned by the session then, also on failure). */
	const struct rbs_xen_notes *xen_notes;
	struct rbs_target *machine;
	/*
	 * The vmlinux is the one that the front end has open, not the user's wish: symbol_source
	 * has its symbols already, and that its types cannot be used is a note, not a failure.
	 */
	bool vmlinux_optional;
	/*
	 * What the front end itself knows (normally fallbacks); NULL: nothing. Opening a session
	 * takes ownership of both, also when it fails.
	 */
	struct rbs_symbol_source *symbol_source;
	struct rbs_type_source *type_source;
};

/*
 * Open the dump file at path. On success the caller deinits *dump. What is missing but not needed
 * is in dump->notes.
 */
enum rbs_code rbs_session_open(struct rbs_dump *dump, const char *path,
			       const struct rbs_session_options *options, struct rbs_error *err);

/* The same for a target that is open already; takes ownership of it, also on failure. */
enum rbs_code rbs_session_attach(struct rbs_dump *dump, struct rbs_target *target,
				 const struct rbs_session_options *options, struct rbs_error *err);

struct rbs_show_options {
	const char *const *families; /* none: all */
	size_t family_count;
	const char *device; /* shell pattern on device names and what names them; NULL: all */
	bool verbose;
	struct rbs_packet_sink *packets; /* gets trace packets while probes run; NULL: nobody */
	bool scan; /* search all of memory for what the kernel's tables do not lead to */
	/* Called now and then during a search; may be NULL. */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *progress_context;
};

/*
 * Run the probes. *report is the caller's to destroy. Fails when every family that was asked for
 * failed; *err is then the first one's reason, and *report is not set.
 */
enum rbs_code rbs_session_show(struct rbs_dump *dump, const struct rbs_show_options *options,
			       struct rbs_report **report, struct rbs_error *err);

/* Open the dump, show it, and close it: the report stands alone. */
enum rbs_code rbs_session_report(const char *path, const struct rbs_session_options *session,
				 const struct rbs_show_options *show, struct rbs_report **report,
				 struct rbs_error *err);

#endif
