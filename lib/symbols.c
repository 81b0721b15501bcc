/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/symbols.h"

#include <inttypes.h>

void rbs_symbols_init(struct rbs_symbols *symbols)
{
	symbols->first = NULL;
}

void rbs_symbols_deinit(struct rbs_symbols *symbols)
{
	struct rbs_symbol_source *source = symbols->first;

	while (source) {
		struct rbs_symbol_source *next = source->next;

		source->ops->destroy(source);
		source = next;
	}
	symbols->first = NULL;
}

void rbs_symbols_add(struct rbs_symbols *symbols, struct rbs_symbol_source *source)
{
	struct rbs_symbol_source **link = &symbols->first;

	while (*link && (source->fallback || !(*link)->fallback))
		link = &(*link)->next;
	source->next = *link;
	*link = source;
}

enum rbs_code rbs_symbols_find(struct rbs_symbols *symbols, const char *module, const char *name,
			       uint64_t *address, struct rbs_error *err)
{
	enum rbs_code failed = RBS_OK;
	struct rbs_error first = {.code = RBS_OK};

	for (struct rbs_symbol_source *source = symbols->first; source; source = source->next) {
		struct rbs_error reason = {.code = RBS_OK};
		enum rbs_code code = source->ops->find(source, module, name, address, &reason);

		if (code == RBS_OK)
			return RBS_OK;
		/* A source that could not be read explains more than 'no such symbol'. */
		if (code != RBS_NO_SYMBOL && failed == RBS_OK) {
			failed = code;
			first = reason;
		}
	}
	if (failed != RBS_OK) {
		rbs_error_give(err, &first);
		rbs_error_prefix(err, "symbol %s", name);
		return failed;
	}
	return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in %s%s", name,
			     module ? "module " : "the kernel", module ? module : "");
}

enum rbs_code rbs_symbols_find_either(struct rbs_symbols *symbols, const char *module,
				      const char *name, uint64_t *address, struct rbs_error *err)
{
	struct rbs_error in_module = {.code = RBS_OK};
	enum rbs_code module_code, code;

	if (!module)
		return rbs_symbols_find(symbols, NULL, name, address, err);
	module_code = rbs_symbols_find(symbols, module, name, address, &in_module);
	if (module_code == RBS_OK)
		return RBS_OK;
	code = rbs_symbols_find(symbols, NULL, name, address, err);
	if (code == RBS_NO_SYMBOL && module_code != RBS_NO_SYMBOL) {
		rbs_error_give(err, &in_module);
		return module_code;
	}
	if (code == RBS_NO_SYMBOL)
		rbs_error_set(err, code, "no symbol %s in module %s or the kernel", name, module);
	return code;
}

enum rbs_code rbs_symbols_name_at(struct rbs_symbols *symbols, uint64_t address, char *buffer,
				  size_t size, struct rbs_error *err)
{
	for (struct rbs_symbol_source *source = symbols->first; source; source = source->next) {
		enum rbs_code code;

		if (!source->ops->name_at)
			continue;
		code = source->ops->name_at(source, address, buffer, size, NULL);
		if (code == RBS_OK)
			return RBS_OK;
	}
	return rbs_error_set_at(err, RBS_NO_SYMBOL, address, "no symbol starts at %" PRIx64,
				address);
}
