/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/session_xen.h"

#include <stdlib.h>

#include "dwarf/xen_syms.h"
#include "lib/xen_dump.h"

void rbs_session_xen_settle(struct rbs_session_options *options)
{
	if (!options->vmlinux || !rbs_xen_syms_detect(options->vmlinux))
		return;
	if (!options->xen_syms)
		options->xen_syms = options->vmlinux;
	options->vmlinux = NULL;
}

bool rbs_session_has_kernel(const struct rbs_session_options *options)
{
	return options->vmlinux || options->has_xen_guest || !options->xen_syms;
}

static enum rbs_code xen_open(struct rbs_dump *dump, struct rbs_target *machine,
			      const struct rbs_session_options *options, struct rbs_error *err)
{
	const struct rbs_xen_dump_options xen = {
		.xen_syms = options->xen_syms,
		.has_phys_start = options->has_xen_phys_start,
		.phys_start = options->xen_phys_start,
		.debuginfo = options->debuginfo,
		.debuginfo_count = options->debuginfo_count,
		.notes = options->xen_notes,
	};

	return rbs_xen_dump_open(dump, machine, &xen, err);
}

enum rbs_code rbs_session_xen_attach(struct rbs_dump *dump, struct rbs_target *target,
				     const struct rbs_session_options *options,
				     struct rbs_error *err)
{
	enum rbs_code code = xen_open(dump, target, options, err);

	if (code == RBS_OK)
		rbs_xen_target_own(dump->target, target);
	else
		rbs_target_destroy(target);
	return code;
}

enum rbs_code rbs_session_xen_below(struct rbs_dump **hypervisor, struct rbs_target *machine,
				    const struct rbs_session_options *options,
				    struct rbs_error *err)
{
	struct rbs_dump *dump = calloc(1, sizeof(*dump));
	enum rbs_code code;

	if (!dump)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = xen_open(dump, machine, options, err);
	if (code == RBS_OK)
		*hypervisor = dump;
	else
		free(dump);
	return code;
}
