/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extensions/crash_symbols.h"

#include <defs.h>
#include <inttypes.h>

#include "lib/modules.h"

/* Both ends included: crash's last entry is its own end marker, of another name. */
static const struct syment *range_find(const struct syment *from, const struct syment *to,
				       const char *name)
{
	for (; from && from <= to; from++) {
		if (!strcmp(from->name, name))
			return from;
	}
	return NULL;
}

static const struct syment *module_find(const struct load_module *module, const char *name)
{
	const struct syment *found = range_find(module->mod_symtable, module->mod_symend, name);

#ifdef MODULE_MEMORY
	/* Modules of several memory ranges ("module: replace module_layout with
	 * module_memory", 6.4). */
	for (int type = 0; !found && module->symtable && type < MOD_MEM_NUM_TYPES; type++)
		found = range_find(module->symtable[type], module->symend[type], name);
#endif
	return found;
}

bool rbs_crash_module_is_loaded(const char *module)
{
	for (int i = 0; i < st->mods_installed; i++) {
		if (rbs_module_names_equal(st->load_modules[i].mod_name, module))
			return st->load_modules[i].mod_flags & MOD_LOAD_SYMS;
	}
	return false;
}

static enum rbs_code symbol_find(struct rbs_symbol_source *source, const char *module,
				 const char *name, uint64_t *address, struct rbs_error *err)
{
	const struct syment *found = NULL;

	(void)source;
	if (!module) {
		found = kernel_symbol_search((char *)name);
	} else {
		for (int i = 0; !found && i < st->mods_installed; i++) {
			if (rbs_module_names_equal(st->load_modules[i].mod_name, module))
				found = module_find(&st->load_modules[i], name);
		}
	}
	if (!found)
		return rbs_error_set(err, RBS_NO_SYMBOL, "crash knows no symbol %s in %s", name,
				     module ? module : "the kernel");
	*address = found->value;
	return RBS_OK;
}

static enum rbs_code symbol_name_at(struct rbs_symbol_source *source, uint64_t address,
				    char *buffer, size_t size, struct rbs_error *err)
{
	ulong offset = 0;
	const struct syment *found = value_search(address, &offset);

	(void)source;
	/* "_MODULE_START_x" and the like are crash's own. */
	if (!found || offset || !strncmp(found->name, "_MODULE_", 8))
		return rbs_error_set_at(err, RBS_NO_SYMBOL, address,
					"crash knows no symbol at %" PRIx64, address);
	snprintf(buffer, size, "%s", found->name);
	return RBS_OK;
}

static void symbols_destroy(struct rbs_symbol_source *source)
{
	free(source);
}

static const struct rbs_symbol_source_ops source_ops = {
	.name = "crash",
	.find = symbol_find,
	.name_at = symbol_name_at,
	.destroy = symbols_destroy,
};

enum rbs_code rbs_crash_symbols_create(struct rbs_symbol_source **source, struct rbs_error *err)
{
	*source = calloc(1, sizeof(**source));
	if (!*source)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	(*source)->ops = &source_ops;
	(*source)->fallback = true;
	return RBS_OK;
}
