/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/debuginfo.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/debuginfo_tree.h"
#include "dwarf/debuginfod.h"
#include "dwarf/dwarf_elf.h"
#include "dwarf/dwarf_file.h"
#include "lib/build_id.h"

/* Before and after the release in the name of a file or folder. */
struct pattern {
	const char *before;
	const char *after;
};

/* A kernel's debug file: Debian and SUSE; Fedora and RHEL; a build tree. */
static const struct pattern kernel_places[] = {
	{"/usr/lib/debug/boot/vmlinux-", ""},
	{"/usr/lib/debug/lib/modules/", "/vmlinux"},
	{"/usr/lib/debug/usr/lib/modules/", "/vmlinux"},
	{"/lib/modules/", "/build/vmlinux"},
	{"/lib/modules/", "/vmlinux"},
	{"/boot/vmlinux-", ""},
};

/* Folders of modules' debug files; the last has files with DWARF when a kernel is self-built. */
static const struct pattern module_places[] = {
	{"/usr/lib/debug/lib/modules/", ""},
	{"/usr/lib/debug/usr/lib/modules/", ""},
	{"/lib/modules/", ""},
};

#define KERNEL_PLACES (sizeof(kernel_places) / sizeof(kernel_places[0]))
#define MODULE_PLACES (sizeof(module_places) / sizeof(module_places[0]))

struct place {
	char *path;
	bool is_folder;
	bool walked;
	struct rbs_debuginfo_tree tree;
};

struct rbs_debuginfo {
	struct place *named;
	size_t named_count;
	struct place system[MODULE_PLACES];
	char *kernel_name;
	char *release; /* "": not known */
	char *root;
	struct rbs_target *target;
};

/* One question and what has been learnt on the way. */
struct quest {
	struct rbs_debuginfo *debuginfo;
	const char *module; /* NULL: the kernel */
	const struct rbs_build_id *id;
	struct rbs_debuginfo_file *file;
	struct rbs_error rejected; /* the first file that was refused; code RBS_OK: none */
	char places[400];
	size_t places_used;
};

enum rbs_code rbs_debuginfo_check(const char *path, const struct rbs_build_id *id, bool *verified,
				  struct rbs_error *err)
{
	char wanted[2 * RBS_BUILD_ID_MAX + 1], actual[2 * RBS_BUILD_ID_MAX + 1];
	const struct rbs_elf_section *section;
	struct rbs_build_id found;
	struct rbs_debug_file file;
	struct rbs_elf elf;
	bool has_dwarf;
	enum rbs_code code = rbs_debug_file_open(path, &file, err);

	if (code)
		return code;
	code = rbs_elf_init(&elf, file.bytes, file.size, err);
	if (code) {
		rbs_debug_file_close(&file);
		rbs_error_prefix(err, "%s", path);
		return code;
	}
	found = rbs_elf_build_id(&elf);
	section = rbs_elf_find(&elf, ".debug_info");
	has_dwarf = section && section->type != SHT_NOBITS;
	rbs_elf_deinit(&elf);
	rbs_debug_file_close(&file);
	*verified = found.size && id->size;
	if (*verified && !rbs_build_id_equal(&found, id)) {
		rbs_build_id_format(id, wanted, sizeof(wanted));
		rbs_build_id_format(&found, actual, sizeof(actual));
		return rbs_error_set(err, RBS_MISMATCH,
				     "%s does not belong to this dump: its build-id is %s, the "
				     "dump's is %s",
				     path, actual, wanted);
	}
	if (!has_dwarf)
		return rbs_error_set(err, RBS_NO_TYPES, "%s has no DWARF (it is stripped)", path);
	return RBS_OK;
}

/* Remember, for the message, that path was looked at or into. */
static void note_place(struct quest *quest, const char *path)
{
	size_t room = sizeof(quest->places) - quest->places_used;
	int length = snprintf(quest->places + quest->places_used, room, "%s%s",
			      quest->places_used ? ", " : "", path);

	if (length > 0 && (size_t)length < room)
		quest->places_used += (size_t)length;
	else
		quest->places[quest->places_used] = '\0';
}

/*
 * Try one file. A mismatch outweighs other reasons to refuse a file: it is what the user must know
 * when nothing fits.
 */
static bool try_file(struct quest *quest, const char *path, const char *how, bool may_be_unverified)
{
	struct rbs_error err = {.code = RBS_OK};
	bool verified = false;

	if (!rbs_debuginfo_check(path, quest->id, &verified, &err)) {
		if (verified || may_be_unverified) {
			snprintf(quest->file->path, sizeof(quest->file->path), "%s", path);
			quest->file->how = how;
			quest->file->verified = verified;
			return true;
		}
		rbs_error_set(&err, RBS_NO_TYPES,
			      "%s cannot be verified: it or the dump has no "
			      "build-id",
			      path);
	}
	if (!quest->rejected.code ||
	    (err.code == RBS_MISMATCH && quest->rejected.code != RBS_MISMATCH))
		quest->rejected = err;
	return false;
}

/*
 * Whether the name alone makes it likely enough that a file is of this kernel's release, when there
 * are no build-ids to compare.
 */
static bool name_allows(const struct quest *quest, const char *path)
{
	const char *release = quest->debuginfo->release;
	const char *modules = strstr(path, "/modules/");
	const char *slash = strrchr(path, '/');
	const char *suffix = slash ? slash + 1 : path;
	size_t length = strlen(release);

	if (!length)
		return true;
	if (modules && (strncmp(modules + 9, release, length) || modules[9 + length] != '/'))
		return false;
	if (!quest->module && rbs_debuginfo_is_kernel(path, quest->debuginfo->kernel_name))
		suffix += strlen(quest->debuginfo->kernel_name);
	return quest->module || *suffix != '-' || !strncmp(suffix + 1, release, length);
}

static bool fits_name(const struct quest *quest, const char *path)
{
	return quest->module ? rbs_debuginfo_is_module(path, quest->module)
			     : rbs_debuginfo_is_kernel(path, quest->debuginfo->kernel_name);
}

/* A file that the user named as the kernel's may have any name, but that of a module. */
static bool fits_named_file(const struct quest *quest, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (quest->module)
		return rbs_debuginfo_is_module(path, quest->module);
	return !strstr(slash ? slash : path, ".ko");
}

/* folder/.build-id/xx/yyyy.debug */
static bool try_build_id(struct quest *quest, const char *folder)
{
	char hex[2 * RBS_BUILD_ID_MAX + 1], path[4096 + 128];

	if (quest->id->size < 2)
		return false;
	rbs_build_id_format(quest->id, hex, sizeof(hex));
	snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", folder, hex, hex + 2);
	return !access(path, R_OK) && try_file(quest, path, "found by its build-id", false);
}

static enum rbs_code try_folder(struct quest *quest, struct place *place, const char *how,
				bool *found, struct rbs_error *err)
{
	*found = false;
	if (!place->walked) {
		enum rbs_code code = rbs_debuginfo_tree_init(&place->tree, place->path, err);

		if (code)
			return code;
		place->walked = true;
	}
	for (size_t i = 0; i < place->tree.count && !*found; i++) {
		const char *path = place->tree.paths[i];

		*found = fits_name(quest, path) &&
			 try_file(quest, path, how, name_allows(quest, path));
	}
	return RBS_OK;
}

static enum rbs_code try_named(struct quest *quest, bool *found, struct rbs_error *err)
{
	struct rbs_debuginfo *debuginfo = quest->debuginfo;

	*found = false;
	for (size_t i = 0; i < debuginfo->named_count && !*found; i++) {
		struct place *place = &debuginfo->named[i];
		enum rbs_code code;

		note_place(quest, place->path);
		if (!place->is_folder) {
			*found = fits_named_file(quest, place->path) &&
				 try_file(quest, place->path, "named by the user", true);
			continue;
		}
		*found = try_build_id(quest, place->path);
		if (*found)
			continue;
		code = try_folder(quest, place, "found in a folder named by the user", found, err);
		if (code)
			return code;
	}
	return RBS_OK;
}

static enum rbs_code try_system(struct quest *quest, bool *found, struct rbs_error *err)
{
	struct rbs_debuginfo *debuginfo = quest->debuginfo;
	char path[4096];

	snprintf(path, sizeof(path), "%s/usr/lib/debug", debuginfo->root);
	note_place(quest, path);
	*found = try_build_id(quest, path);
	if (*found || !*debuginfo->release)
		return RBS_OK;
	if (quest->module) {
		for (size_t i = 0; i < MODULE_PLACES && !*found; i++) {
			struct place *place = &debuginfo->system[i];
			enum rbs_code code =
				try_folder(quest, place, "found by the release", found, err);

			note_place(quest, place->path);
			if (code)
				return code;
		}
		return RBS_OK;
	}
	for (size_t i = 0; i < KERNEL_PLACES && !*found; i++) {
		snprintf(path, sizeof(path), "%s%s%s%s", debuginfo->root, kernel_places[i].before,
			 debuginfo->release, kernel_places[i].after);
		note_place(quest, path);
		*found = !access(path, R_OK) && try_file(quest, path, "found by the release", true);
	}
	return RBS_OK;
}

static enum rbs_code try_debuginfod(struct quest *quest, bool *found, struct rbs_error *err)
{
	struct rbs_error fetch_err = {.code = RBS_OK};
	char path[4096];
	enum rbs_code code;

	*found = false;
	if (!rbs_debuginfod_wanted() || !quest->id->size)
		return RBS_OK;
	code = rbs_debuginfod_fetch(quest->id, quest->debuginfo->target, path, sizeof(path),
				    &fetch_err);
	note_place(quest, code ? fetch_err.text : path);
	if (code == RBS_INTERRUPTED)
		return rbs_error_set(err, code, "%s", fetch_err.text);
	*found = !code && try_file(quest, path, "fetched by debuginfod", false);
	return RBS_OK;
}

enum rbs_code rbs_debuginfo_find(struct rbs_debuginfo *debuginfo, const char *module,
				 const struct rbs_build_id *id, struct rbs_debuginfo_file *file,
				 struct rbs_error *err)
{
	struct quest quest = {.debuginfo = debuginfo, .module = module, .id = id, .file = file};
	bool found;
	enum rbs_code code = try_named(&quest, &found, err);

	if (!code && !found)
		code = try_system(&quest, &found, err);
	if (!code && !found)
		code = try_debuginfod(&quest, &found, err);
	if (code || found)
		return code;
	if (quest.rejected.code == RBS_MISMATCH) {
		rbs_error_give(err, &quest.rejected);
		return RBS_MISMATCH;
	}
	return rbs_error_set(err, RBS_NO_TYPES, "no debug file of %s%s (looked in %s)%s%s",
			     module ? "module " : "the kernel", module ? module : "", quest.places,
			     quest.rejected.code ? "; " : "", quest.rejected.text);
}

static enum rbs_code place_init(struct place *place, const char *path, bool is_folder,
				struct rbs_error *err)
{
	place->path = strdup(path);
	place->is_folder = is_folder;
	if (!place->path)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for %s", path);
	return RBS_OK;
}

static enum rbs_code set_named(struct rbs_debuginfo *debuginfo,
			       const struct rbs_debuginfo_options *options, struct rbs_error *err)
{
	debuginfo->named = calloc(options->path_count + 1, sizeof(*debuginfo->named));
	if (!debuginfo->named)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for debug files");
	for (size_t i = 0; i < options->path_count; i++) {
		const char *path = options->paths[i];
		struct stat status;
		enum rbs_code code;

		if (stat(path, &status))
			return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
		code = place_init(&debuginfo->named[debuginfo->named_count++], path,
				  S_ISDIR(status.st_mode), err);
		if (code)
			return code;
	}
	return RBS_OK;
}

static enum rbs_code set_system(struct rbs_debuginfo *debuginfo, struct rbs_error *err)
{
	for (size_t i = 0; i < MODULE_PLACES; i++) {
		char path[4096];
		enum rbs_code code;

		snprintf(path, sizeof(path), "%s%s%s%s", debuginfo->root, module_places[i].before,
			 debuginfo->release, module_places[i].after);
		code = place_init(&debuginfo->system[i], path, true, err);
		if (code)
			return code;
	}
	return RBS_OK;
}

enum rbs_code rbs_debuginfo_create(const struct rbs_debuginfo_options *options,
				   struct rbs_debuginfo **result, struct rbs_error *err)
{
	struct rbs_debuginfo *debuginfo = calloc(1, sizeof(*debuginfo));
	const char *release = options->release;
	enum rbs_code code;

	/* It comes out of the dump: it must not lead out of the folders that it is put into. */
	if (!release || strchr(release, '/'))
		release = "";
	if (!debuginfo)
		return rbs_error_set(err, RBS_NOMEM, "out of memory for debug files");
	debuginfo->target = options->target;
	debuginfo->kernel_name = strdup(options->kernel_name ? options->kernel_name : "vmlinux");
	debuginfo->release = strdup(release);
	debuginfo->root = strdup(options->root ? options->root : "");
	if (debuginfo->kernel_name && debuginfo->release && debuginfo->root)
		code = set_named(debuginfo, options, err);
	else
		code = rbs_error_set(err, RBS_NOMEM, "out of memory for debug files");
	if (!code)
		code = set_system(debuginfo, err);
	if (code) {
		rbs_debuginfo_destroy(debuginfo);
		return code;
	}
	*result = debuginfo;
	return RBS_OK;
}

static void place_deinit(struct place *place)
{
	if (place->walked)
		rbs_debuginfo_tree_deinit(&place->tree);
	free(place->path);
}

void rbs_debuginfo_destroy(struct rbs_debuginfo *debuginfo)
{
	if (!debuginfo)
		return;
	for (size_t i = 0; i < debuginfo->named_count; i++)
		place_deinit(&debuginfo->named[i]);
	for (size_t i = 0; i < MODULE_PLACES; i++)
		place_deinit(&debuginfo->system[i]);
	free(debuginfo->named);
	free(debuginfo->kernel_name);
	free(debuginfo->release);
	free(debuginfo->root);
	free(debuginfo);
}
