/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/assumed_types.h"
#include "dwarf/btf_source.h"
#include "dwarf/debug_types.h"
#include "dwarf/kallsyms_cached.h"
#include "dwarf/module_symbols.h"
#include "dwarf/system_map.h"
#include "lib/build_id.h"
#include "lib/freebsd_dump.h"
#include "lib/session_xen.h"
#include "lib/tables_kernel.h"
#include "lib/target/freebsd.h"
#include "lib/target/kdump.h"
#include "lib/target/xen.h"
#include "lib/xen_domain.h"

static void kallsyms_add(struct rbs_dump *dump)
{
	struct rbs_symbol_source *source;
	struct rbs_error error;
	bool has_data;

	if (rbs_kallsyms_cached_create(dump->target, dump->cache, &source, &has_data, &error) !=
	    RBS_OK) {
		rbs_dump_add_note(dump, "no kallsyms in the dump: %s", error.text);
		return;
	}
	if (!has_data)
		rbs_dump_add_note(dump, "this kernel was built without CONFIG_KALLSYMS_ALL: its "
					"kallsyms has no variables");
	rbs_symbols_add(&dump->symbols, source);
}

static enum rbs_code symbol_file_add(struct rbs_dump *dump, const char *path, struct rbs_error *err)
{
	struct rbs_symbol_source *source;
	enum rbs_code code;

	if (!path)
		return RBS_OK;
	code = rbs_symbol_file_create(path, dump->target, &source, err);
	if (code == RBS_OK)
		rbs_symbols_add(&dump->symbols, source);
	return code;
}

static enum rbs_code symbols_open(struct rbs_dump *dump, const struct rbs_session_options *options,
				  struct rbs_error *err)
{
	enum rbs_code code;

	kallsyms_add(dump);
	code = symbol_file_add(dump, options->symbols_file, err);
	if (code == RBS_OK && !options->vmlinux_optional)
		code = symbol_file_add(dump, options->vmlinux, err);
	if (code != RBS_OK)
		return code;
	if (!dump->symbols.first)
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "%s: no symbols: %s; give the kernel's vmlinux, or its "
				     "System.map with --symbols",
				     dump->target->info.path,
				     dump->note_count ? dump->notes[0] : "none were found");
	return RBS_OK;
}

static enum rbs_code btf_add(struct rbs_dump *dump, const struct rbs_session_options *options,
			     struct rbs_error *err)
{
	struct rbs_type_source *source;
	struct rbs_error error;

	(void)options;
	(void)err;
	if (rbs_btf_source_create(dump->target, &dump->symbols, dump->cache, &source, &error) ==
	    RBS_OK) {
		source->knows_kernel = true;
		rbs_types_add(&dump->types, source);
	} else {
		rbs_dump_add_note(dump, "no BTF in the dump: %s", error.text);
	}
	return RBS_OK;
}

static enum rbs_code dwarf_add(struct rbs_dump *dump, const struct rbs_session_options *options,
			       struct rbs_error *err)
{
	struct rbs_debug_types_options debug = {
		.debuginfo =
			{
				.paths = options->debuginfo,
				.path_count = options->debuginfo_count,
				.release = dump->target->info.release,
				.target = dump->target,
			},
		.vmlinux = options->vmlinux,
		.kernel_known = dump->types.first != NULL,
		.modules = &dump->modules,
		.cache = dump->cache,
	};
	struct rbs_type_source *source;
	struct rbs_error error;
	enum rbs_code code;

	rbs_dump_build_id(dump->target, &dump->symbols, &debug.kernel_id, NULL);
	code = rbs_debug_types_create(&debug, &source, &error);
	if (code != RBS_OK && options->vmlinux && options->vmlinux_optional) {
		rbs_dump_add_note(dump, "%s is not used: %s", options->vmlinux, error.text);
		debug.vmlinux = NULL;
		code = rbs_debug_types_create(&debug, &source, &error);
	}
	if (code == RBS_OK) {
		source->knows_kernel = debug.vmlinux != NULL;
		rbs_types_add(&dump->types, source);
	} else if (err) {
		*err = error;
	}
	return code;
}

static enum rbs_code assumed_add(struct rbs_dump *dump, const struct rbs_session_options *options,
				 struct rbs_error *err)
{
	const struct rbs_assumed_options assumed = {
		.types = &dump->types,
		.modules = &dump->modules,
		.arch = dump->target->info.arch,
	};
	struct rbs_type_source *source;
	enum rbs_code code = rbs_assumed_types_create(&assumed, &source, err);

	(void)options;
	if (code == RBS_OK)
		rbs_types_add(&dump->types, source);
	return code;
}

static enum rbs_code front_end_add(struct rbs_dump *dump, const struct rbs_session_options *options,
				   struct rbs_error *err)
{
	struct rbs_type_source *source = options->type_source;

	if (!source && options->type_source_count)
		return rbs_error_set(err, RBS_USAGE, "crash's types are only there inside crash");
	if (!source)
		return RBS_OK;
	/* A place that the user chose counts. */
	if (options->type_source_count)
		source->fallback = false;
	for (struct rbs_type_source *other = dump->types.first; other; other = other->next)
		source->modules_only = source->modules_only || other->knows_kernel;
	rbs_types_add(&dump->types, source);
	return RBS_OK;
}

static const struct {
	const char *name;
	enum rbs_code (*add)(struct rbs_dump *dump, const struct rbs_session_options *options,
			     struct rbs_error *err);
} type_sources[] = {
	{"btf", btf_add},
	{"dwarf", dwarf_add},
	{"crash", front_end_add},
	{"assumed", assumed_add},
};

#define TYPE_SOURCE_COUNT (sizeof(type_sources) / sizeof(type_sources[0]))

static enum rbs_code type_source_add(struct rbs_dump *dump, const char *name,
				     const struct rbs_session_options *options,
				     struct rbs_error *err)
{
	char names[64] = "";

	for (size_t i = 0; i < TYPE_SOURCE_COUNT; i++) {
		if (!strcmp(type_sources[i].name, name))
			return type_sources[i].add(dump, options, err);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 i ? ", " : "", type_sources[i].name);
	}
	return rbs_error_set(err, RBS_USAGE, "no source of types '%s'; there are: %s", name, names);
}

static enum rbs_code types_open(struct rbs_dump *dump, const struct rbs_session_options *options,
				struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;

	for (size_t i = 0; code == RBS_OK && i < options->type_source_count; i++)
		code = type_source_add(dump, options->type_sources[i], options, err);
	for (size_t i = 0; code == RBS_OK && !options->type_source_count && i < TYPE_SOURCE_COUNT;
	     i++)
		code = type_sources[i].add(dump, options, err);
	return code;
}

static enum rbs_code modules_open(struct rbs_dump *dump, struct rbs_error *err)
{
	struct rbs_symbol_source *source;
	struct rbs_error error;
	enum rbs_code code;

	/* A list that breaks off keeps what came before: not a reason to give up. */
	if (rbs_modules_init(&dump->modules, dump->target, &dump->symbols, &dump->types, &error) !=
	    RBS_OK)
		rbs_dump_add_note(dump, "the list of modules: %s", error.text);
	code = rbs_module_symbols_create(dump->target, &dump->modules, &source, err);
	if (code == RBS_OK)
		rbs_symbols_add(&dump->symbols, source);
	return code;
}

static void options_discard(const struct rbs_session_options *options)
{
	if (options->symbol_source)
		options->symbol_source->ops->destroy(options->symbol_source);
	if (options->type_source)
		options->type_source->ops->destroy(options->type_source);
	rbs_target_destroy(options->machine);
}

/* The front end's source of types when it was not wanted, or something failed before its turn. */
static void type_source_discard(struct rbs_dump *dump, const struct rbs_session_options *options)
{
	struct rbs_type_source *source = dump->types.first;

	while (source && source != options->type_source)
		source = source->next;
	if (!source && options->type_source)
		options->type_source->ops->destroy(options->type_source);
}

/*
 * A kernel whose variables nobody names, or whose structures nobody knows, has no figure to give:
 * one line says what it lacks and what to give instead, before each family says so in its own way.
 */
static enum rbs_code kernel_check(struct rbs_dump *dump, struct rbs_error *err)
{
	const struct rbs_target_info *info = &dump->target->info;
	uint64_t value;
	bool variables =
		rbs_symbols_find(&dump->symbols, NULL, "init_task", &value, NULL) != RBS_NO_SYMBOL;
	bool types =
		rbs_types_find_size(&dump->types, NULL, "list_head", &value, NULL) != RBS_NO_TYPES;

	if (variables && types)
		return RBS_OK;
	if (types)
		return rbs_error_set(
			err, RBS_NO_SYMBOL,
			"%s: the kernel %s names no variables (it was built without "
			"CONFIG_KALLSYMS_ALL): give its System.map with --symbols, or its "
			"vmlinux",
			info->path, info->release);
	if (variables)
		return rbs_error_set(
			err, RBS_NO_TYPES,
			"%s: the structures of the kernel %s are not known (%s): give its "
			"vmlinux with debug information",
			info->path, info->release,
			dump->note_count ? dump->notes[dump->note_count - 1]
					 : "no source of types was asked");
	return rbs_error_set(
		err, RBS_NO_SYMBOL,
		"%s: the kernel %s names no variables (it was built without "
		"CONFIG_KALLSYMS_ALL), so that no BTF is found either: give its vmlinux with "
		"debug information, or its System.map with --symbols if it has BTF",
		info->path, info->release);
}

/* A Linux kernel; hypervisor may be NULL, and is the session's, also on failure. */
static enum rbs_code kernel_attach(struct rbs_dump *dump, struct rbs_target *target,
				   struct rbs_dump *hypervisor,
				   const struct rbs_session_options *options, struct rbs_error *err)
{
	enum rbs_code code;

	rbs_dump_init(dump, target);
	dump->hypervisor = hypervisor;
	if (options->cache)
		dump->cache = rbs_cache_open(NULL);
	if (options->symbol_source)
		rbs_symbols_add(&dump->symbols, options->symbol_source);
	code = symbols_open(dump, options, err);
	if (code == RBS_OK)
		code = types_open(dump, options, err);
	type_source_discard(dump, options);
	if (code == RBS_OK)
		code = kernel_check(dump, err);
	if (code == RBS_OK)
		code = modules_open(dump, err);
	if (code != RBS_OK)
		rbs_dump_deinit(dump);
	return code;
}

enum rbs_code rbs_session_attach(struct rbs_dump *dump, struct rbs_target *target,
				 const struct rbs_session_options *given, struct rbs_error *err)
{
	struct rbs_session_options settled = *given, *options = &settled;
	struct rbs_dump *hypervisor = NULL;
	enum rbs_code code = RBS_OK;

	rbs_session_xen_settle(options);
	if (!rbs_session_has_kernel(options)) {
		options_discard(options);
		return rbs_session_xen_attach(dump, target, options, err);
	}
	if (options->xen_syms)
		code = rbs_session_xen_below(
			&hypervisor, options->machine ? options->machine : target, options, err);
	if (code != RBS_OK) {
		options_discard(options);
		rbs_target_destroy(target);
		return code;
	}
	if (options->machine && hypervisor)
		rbs_xen_target_own(hypervisor->target, options->machine);
	else
		rbs_target_destroy(options->machine);
	return kernel_attach(dump, target, hypervisor, options, err);
}

/* *kernel: what reads it, where that is not the target itself; NULL: it is. */
static enum rbs_code kernel_find(struct rbs_target *target, struct rbs_target **kernel,
				 struct rbs_error *err)
{
	bool five = false;
	uint64_t root;
	enum rbs_code code;

	if (rbs_kdump_domain_root(target, 0, &root) || rbs_kdump_excerpt_root(target, &root, &five))
		return rbs_tables_kernel_open(target, root, five, kernel, err);
	code = rbs_kdump_linux_init(target, err);
	if (code != RBS_OK && !target->ops->vmcoreinfo(target) &&
	    rbs_tables_kernel_of_cpus(target, kernel))
		return RBS_OK;
	return code;
}

/* A kernel in the dump, and the hypervisor below it when that is asked for. */
static enum rbs_code file_attach_kernel(struct rbs_dump *dump, struct rbs_target *target,
					const struct rbs_session_options *options,
					struct rbs_error *err)
{
	struct rbs_dump *hypervisor = NULL;
	struct rbs_target *kernel = NULL;
	enum rbs_code code = RBS_OK;

	if (options->xen_syms)
		code = rbs_session_xen_below(&hypervisor, target, options, err);
	else if (options->has_xen_guest)
		code = rbs_error_set(err, RBS_USAGE,
				     "--xen-guest needs the hypervisor's --xen-syms");
	if (code == RBS_OK && options->has_xen_guest)
		code = rbs_xen_domain_open(hypervisor, target, options->xen_guest, &kernel, err);
	else if (code == RBS_OK)
		code = kernel_find(target, &kernel, err);
	if (code == RBS_OK && kernel) {
		rbs_tables_kernel_own(kernel);
		target = kernel;
	}
	if (code == RBS_OK)
		return kernel_attach(dump, target, hypervisor, options, err);
	if (hypervisor)
		rbs_dump_deinit(hypervisor);
	free(hypervisor);
	options_discard(options);
	rbs_target_destroy(target);
	return code;
}

enum rbs_code rbs_session_open(struct rbs_dump *dump, const char *path,
			       const struct rbs_session_options *given, struct rbs_error *err)
{
	struct rbs_session_options options = *given;
	struct rbs_xen_notes notes = {0};
	struct rbs_target *target = NULL;
	enum rbs_code code = rbs_freebsd_open(path, &target, err);

	if (code == RBS_OK && target)
		return rbs_freebsd_dump_open(dump, target, &options, err);
	if (code == RBS_OK)
		code = rbs_kdump_open_file(path, &target, err);
	options.xen_notes = &notes;
	rbs_session_xen_settle(&options);
	if (code == RBS_OK && options.xen_syms)
		code = rbs_xen_notes_init(&notes, rbs_kdump_fd(target), err);
	if (code == RBS_OK && rbs_session_has_kernel(&options)) {
		code = file_attach_kernel(dump, target, &options, err);
	} else if (code == RBS_OK) {
		code = rbs_session_attach(dump, target, &options, err);
	} else {
		options_discard(&options);
		rbs_target_destroy(target);
	}
	rbs_xen_notes_deinit(&notes);
	return code;
}
