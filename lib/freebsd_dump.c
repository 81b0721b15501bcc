/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/freebsd_dump.h"

#include <string.h>

#include "dwarf/ctf_source.h"
#include "dwarf/debuginfo.h"
#include "dwarf/dwarf_source.h"
#include "dwarf/freebsd_kernel.h"
#include "dwarf/loader_symbols.h"
#include "dwarf/system_map.h"
#include "lib/freebsd_facts.h"
#include "lib/freebsd_files.h"
#include "lib/target/freebsd.h"

struct opening {
	struct rbs_dump *dump;
	const struct rbs_session_options *options;
	struct rbs_freebsd_files files;
};

/*
 * The symbols of a kernel, or of a list that nm wrote, once they are known to fit: a full dump's
 * memory can only be read with them. With keep they become the dump's.
 */
static enum rbs_code symbols_try(struct rbs_dump *dump, const char *path, bool keep,
				 struct rbs_error *err)
{
	struct rbs_symbol_source *source;
	struct rbs_symbols alone;
	bool proved;
	enum rbs_code code = rbs_symbol_file_create(path, dump->target, &source, err);

	if (code != RBS_OK)
		return code;
	rbs_symbols_init(&alone);
	rbs_symbols_add(&alone, source);
	code = rbs_freebsd_root_find(dump->target, &alone, err);
	if (code == RBS_OK)
		code = rbs_freebsd_kernel_check(path, dump->target, &alone, &proved, err);
	if (code == RBS_OK && keep) {
		rbs_symbols_add(&dump->symbols, source);
		if (!proved)
			rbs_dump_add_note(dump, "%s could not be compared with the dump's kernel",
					  path);
	} else {
		rbs_symbols_deinit(&alone);
	}
	return code;
}

static enum rbs_code loader_symbols_add(struct rbs_dump *dump, struct rbs_error *err)
{
	struct rbs_symbol_source *source;
	uint64_t start, end;
	enum rbs_code code = rbs_freebsd_root_find(dump->target, &dump->symbols, err);

	rbs_freebsd_image_range(dump->target, &start, &end);
	if (code == RBS_OK)
		code = rbs_loader_symbols_create(dump->target, start, end, &source, err);
	if (code == RBS_OK)
		rbs_symbols_add(&dump->symbols, source);
	return code;
}

static enum rbs_code symbols_missing(struct rbs_dump *dump, struct rbs_error *err)
{
	const struct rbs_target_info *info = &dump->target->info;
	struct rbs_error reason = *err;

	return rbs_error_set(
		err, RBS_NO_SYMBOL,
		"%.1000s: no symbols: %s%s%.160s; give the kernel of %.100s, kernel or "
		"kernel.debug, as the second file",
		info->path, dump->note_count ? dump->notes[0] : "", dump->note_count ? "; " : "",
		reason.text, *info->version ? info->version : "this dump");
}

/* The user's files must fit; of those that are only found, one that does. */
static enum rbs_code symbols_open(struct opening *opening, struct rbs_error *err)
{
	const struct rbs_session_options *options = opening->options;
	struct rbs_dump *dump = opening->dump;
	struct rbs_error error;
	enum rbs_code code = RBS_OK;

	if (options->vmlinux)
		code = symbols_try(dump, options->vmlinux, true, err);
	if (code == RBS_OK && options->symbols_file)
		code = symbols_try(dump, options->symbols_file, true, err);
	if (code != RBS_OK)
		return code;
	for (size_t i = 0; i < opening->files.count && !dump->symbols.first; i++) {
		if (symbols_try(dump, opening->files.paths[i], true, &error) != RBS_OK)
			rbs_dump_add_note(dump, "%s", error.text);
	}
	if (dump->symbols.first)
		return RBS_OK;
	code = loader_symbols_add(dump, err);
	return code == RBS_OK || code == RBS_NOMEM || code == RBS_INTERRUPTED
		       ? code
		       : symbols_missing(dump, err);
}

static enum rbs_code dwarf_create(const char *path, struct rbs_type_source **source,
				  struct rbs_error *err)
{
	const struct rbs_build_id unknown = {0};
	bool verified;
	enum rbs_code code = rbs_debuginfo_check(path, &unknown, &verified, err);

	return code == RBS_OK ? rbs_dwarf_source_create(path, NULL, source, err) : code;
}

static const struct {
	const char *name;
	enum rbs_code (*create)(const char *path, struct rbs_type_source **source,
				struct rbs_error *err);
} type_sources[] = {
	{"dwarf", dwarf_create},
	{"ctf", rbs_ctf_source_create},
};

#define TYPE_SOURCE_COUNT (sizeof(type_sources) / sizeof(type_sources[0]))

/* The first file that has types of that kind and fits the dump. */
static enum rbs_code types_add(struct opening *opening, size_t kind, struct rbs_error *err)
{
	struct rbs_dump *dump = opening->dump;
	struct rbs_error error;

	for (size_t i = 0; i < opening->files.count; i++) {
		const char *path = opening->files.paths[i];
		struct rbs_type_source *source;
		enum rbs_code code = type_sources[kind].create(path, &source, &error);

		if (code == RBS_OK && symbols_try(dump, path, false, &error) != RBS_OK) {
			source->ops->destroy(source);
			code = error.code;
		}
		if (code == RBS_OK) {
			rbs_types_add(&dump->types, source);
			return RBS_OK;
		}
		if (code == RBS_NOMEM || code == RBS_INTERRUPTED) {
			*err = error;
			return code;
		}
		if (code != RBS_NO_TYPES)
			rbs_dump_add_note(dump, "%s", error.text);
	}
	return RBS_OK;
}

static enum rbs_code type_kind_find(const char *name, size_t *kind, struct rbs_error *err)
{
	for (*kind = 0; *kind < TYPE_SOURCE_COUNT; ++*kind) {
		if (!strcmp(type_sources[*kind].name, name))
			return RBS_OK;
	}
	return rbs_error_set(err, RBS_USAGE,
			     "no source of types '%s' for a FreeBSD dump; there are: dwarf, ctf",
			     name);
}

static enum rbs_code types_open(struct opening *opening, struct rbs_error *err)
{
	const struct rbs_session_options *options = opening->options;
	size_t count = options->type_source_count ? options->type_source_count : TYPE_SOURCE_COUNT;
	enum rbs_code code = RBS_OK;

	for (size_t i = 0; code == RBS_OK && i < count; i++) {
		size_t kind = i;

		if (options->type_source_count)
			code = type_kind_find(options->type_sources[i], &kind, err);
		if (code == RBS_OK)
			code = types_add(opening, kind, err);
	}
	return code;
}

static enum rbs_code usage_check(const struct rbs_session_options *options, struct rbs_error *err)
{
	if (options->xen_syms || options->has_xen_guest || options->has_xen_phys_start)
		return rbs_error_set(err, RBS_USAGE,
				     "the dump is a FreeBSD kernel's: Xen's options do not fit");
	return RBS_OK;
}

enum rbs_code rbs_freebsd_dump_open(struct rbs_dump *dump, struct rbs_target *target,
				    const struct rbs_session_options *options,
				    struct rbs_error *err)
{
	struct opening opening = {.dump = dump, .options = options};
	enum rbs_code code = usage_check(options, err);

	/* A front end's own sources are of the Linux kernel that it has open. */
	if (options->symbol_source)
		options->symbol_source->ops->destroy(options->symbol_source);
	if (options->type_source)
		options->type_source->ops->destroy(options->type_source);
	rbs_dump_init(dump, target);
	dump->is_freebsd = true;
	rbs_freebsd_facts_early(target, target->info.path);
	if (code == RBS_OK)
		code = rbs_freebsd_files_init(&opening.files, target->info.path, options->vmlinux,
					      options->debuginfo, options->debuginfo_count, err);
	if (code == RBS_OK)
		code = symbols_open(&opening, err);
	if (code == RBS_OK)
		code = types_open(&opening, err);
	if (code == RBS_OK)
		rbs_freebsd_facts_read(dump);
	else
		rbs_dump_deinit(dump);
	rbs_freebsd_files_deinit(&opening.files);
	return code;
}
