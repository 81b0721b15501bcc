/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/page_roots.h"

#include <stdio.h>

#include "dwarf/xen_syms.h"
#include "lib/target/kdump_private.h"
#include "lib/target/xen_find.h"

static enum rbs_code kernel_find(struct rbs_target *target, struct page_roots *roots,
				 struct rbs_error *err)
{
	struct kdump_target *self = kdump_target_from(target);
	enum rbs_code code = rbs_kdump_linux_init(target, err);
	const addrxlat_meth_t *method;
	addrxlat_fulladdr_t root;

	if (code != RBS_OK)
		return code;
	method = addrxlat_sys_get_meth(self->xlat_system, ADDRXLAT_SYS_METH_PGT);
	if (method->kind != ADDRXLAT_PGT || method->param.pgt.pf.nfields > PAGE_LEVELS_MAX)
		return rbs_error_set(err, RBS_UNSUPPORTED, "no page tables of a known shape");
	roots->levels = method->param.pgt.pf.nfields - 1u;
	for (unsigned i = 0; i <= roots->levels; i++)
		roots->bits[i] = method->param.pgt.pf.fieldsz[i];
	root = method->param.pgt.root;
	if (addrxlat_fulladdr_conv(&root, ADDRXLAT_MACHPHYSADDR, self->xlat_context,
				   self->xlat_system) != ADDRXLAT_OK)
		return rbs_error_set(err, RBS_UNMAPPED, "the root of its page tables is nowhere");
	roots->root = root.addr;
	return RBS_OK;
}

static enum rbs_code xen_find(struct rbs_target *machine, const char *path,
			      struct page_roots *roots, struct rbs_error *err)
{
	struct rbs_symbol_source *symbols;
	struct rbs_xen_notes notes;
	struct rbs_xen_image image;
	struct rbs_xen_place place;
	const struct rbs_xen_options options = {.image = &image, .notes = &notes};
	enum rbs_code code = rbs_xen_notes_init(&notes, rbs_kdump_fd(machine), err);

	if (code != RBS_OK)
		return code;
	code = rbs_xen_syms_open(path, machine, &image, &symbols, err);
	if (code == RBS_OK) {
		code = rbs_xen_find(machine, &options, &place, err);
		symbols->ops->destroy(symbols);
	}
	rbs_xen_notes_deinit(&notes);
	if (code != RBS_OK)
		return code;
	roots->root = place.root;
	roots->levels = 4;
	roots->bits[0] = 12;
	for (unsigned i = 1; i <= roots->levels; i++)
		roots->bits[i] = 9;
	return RBS_OK;
}

bool page_roots_find(const struct input *input, struct page_roots *roots)
{
	struct rbs_target *target;
	struct rbs_error error;
	enum rbs_code code = rbs_kdump_open_file(input->path, &target, &error);

	*roots = (struct page_roots){0};
	if (code == RBS_OK) {
		snprintf(roots->arch, sizeof(roots->arch), "%s", target->info.arch);
		code = input->xen_syms ? xen_find(target, input->xen_syms, roots, &error)
				       : kernel_find(target, roots, &error);
		rbs_target_destroy(target);
	}
	if (code != RBS_OK)
		fprintf(stderr, "%s: %s\n", input->path, error.text);
	return code == RBS_OK;
}
