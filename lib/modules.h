/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules - the kernel modules that were loaded when the machine stopped.
 *
 * Read from the kernel's list 'modules' (kernel/module/main.c) through the kernel's own types.
 * Names and versions are copies; addresses are kernel virtual.
 */
#ifndef RBS_MODULES_H
#define RBS_MODULES_H

#include <stddef.h>

#include "lib/symbols.h"
#include "lib/target/target.h"
#include "lib/types.h"

#define RBS_MODULE_LIMIT 4096
#define RBS_BUILD_ID_MAX 32

struct rbs_build_id {
	uint8_t size; /* bytes; 0: unknown */
	uint8_t bytes[RBS_BUILD_ID_MAX];
};

struct rbs_module {
	char name[64];
	char version[64]; /* MODULE_VERSION, empty when there is none, or for this reason: */
	enum rbs_code version_code;
	char srcversion[32]; /* empty when there is none */
	uint64_t address;    /* struct module */
	uint64_t text_base;  /* start of its core text, 0 when unknown */
	/* struct mod_kallsyms; 0 when this kernel keeps none, or for the reason in symbols_code */
	uint64_t symtab;
	uint64_t strtab;
	uint64_t symbol_count;
	enum rbs_code symbols_code;
	struct rbs_build_id build_id;
};

struct rbs_modules {
	struct rbs_module *modules; /* owned */
	size_t count;
	/* Why modules may be missing here; code RBS_OK: these are all that were loaded. */
	struct rbs_error incomplete;
};

/*
 * Read the list. A list that breaks off keeps the modules read so far and returns the reason.
 * RBS_NO_SYMBOL or RBS_NO_TYPES when the roots are not known: then *modules is empty. A kernel
 * without CONFIG_MODULES, whose symbols of variables are known, has no modules: RBS_OK.
 */
enum rbs_code rbs_modules_init(struct rbs_modules *modules, struct rbs_target *target,
			       struct rbs_symbols *symbols, struct rbs_types *types,
			       struct rbs_error *err);
void rbs_modules_deinit(struct rbs_modules *modules);

/*
 * A module's file has '-' where its name has '_': here they are the same. The second: whether the
 * first length characters of both agree; start has at least as many.
 */
bool rbs_module_names_equal(const char *a, const char *b);
bool rbs_module_name_starts(const char *name, const char *start, size_t length);

/* NULL when it was not loaded. '-' and '_' are the same. */
const struct rbs_module *rbs_modules_find(const struct rbs_modules *modules, const char *name);

/* Two lower-case hex digits a byte into text (at least 2 * RBS_BUILD_ID_MAX + 1 bytes). */
void rbs_build_id_format(const struct rbs_build_id *id, char *text, size_t size);

#endif
