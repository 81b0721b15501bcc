/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/xen_dump.h"

#include <stdlib.h>

#include "dwarf/debug_types.h"
#include "dwarf/xen_syms.h"
#include "lib/target/xen.h"

static enum rbs_code types_add(struct rbs_dump *dump, const struct rbs_xen_image *image,
			       const struct rbs_xen_dump_options *options, struct rbs_error *err)
{
	const struct rbs_debug_types_options debug = {
		.debuginfo =
			{
				.paths = options->debuginfo,
				.path_count = options->debuginfo_count,
				.kernel_name = "xen-syms",
				.target = dump->target,
			},
		.vmlinux = image->path,
		.kernel_id = image->build_id,
		.modules = &dump->modules,
	};
	struct rbs_type_source *source;
	enum rbs_code code = rbs_debug_types_create(&debug, &source, err);

	if (code == RBS_OK)
		rbs_types_add(&dump->types, source);
	return code;
}

enum rbs_code rbs_xen_dump_open(struct rbs_dump *dump, struct rbs_target *machine,
				const struct rbs_xen_dump_options *options, struct rbs_error *err)
{
	struct rbs_symbol_source *symbols;
	struct rbs_xen_image image;
	struct rbs_xen_options target_options = {
		.image = &image,
		.notes = options->notes,
		.has_phys_start = options->has_phys_start,
		.phys_start = options->phys_start,
	};
	struct rbs_target *target;
	enum rbs_code code = rbs_xen_syms_open(options->xen_syms, machine, &image, &symbols, err);

	if (code != RBS_OK)
		return code;
	code = rbs_xen_target_create(machine, &target_options, &target, err);
	if (code != RBS_OK) {
		symbols->ops->destroy(symbols);
		return code;
	}
	rbs_dump_init(dump, target);
	dump->is_hypervisor = true;
	rbs_symbols_add(&dump->symbols, symbols);
	code = types_add(dump, &image, options, err);
	if (code != RBS_OK)
		rbs_dump_deinit(dump);
	return code;
}
