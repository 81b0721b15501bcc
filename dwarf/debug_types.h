/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debug_types - debug files as a source of types, found when they are first needed.
 *
 * Joins dwarf/debuginfo.h (which file) and dwarf/dwarf_source.h (what it says). A search can be
 * slow (folders, a download), so none is made for a module whose types another source knows.
 */
#ifndef RBS_DEBUG_TYPES_H
#define RBS_DEBUG_TYPES_H

#include "dwarf/debuginfo.h"
#include "lib/cache.h"
#include "lib/types.h"

struct rbs_debug_types_options {
	struct rbs_debuginfo_options debuginfo;
	/* The kernel's file when the user named it; NULL: look for it. */
	const char *vmlinux;
	/* The dump's build-id; size 0 when it is not known. */
	struct rbs_build_id kernel_id;
	/* Another source has all of the kernel's types: never look for the kernel's file. */
	bool kernel_known;
	/* For the modules' build-ids; borrowed, may be filled later. */
	const struct rbs_modules *modules;
	struct rbs_cache *cache; /* borrowed; NULL: none */
};

/* RBS_MISMATCH when the vmlinux named by the user is of another build: the text has both ids. */
enum rbs_code rbs_debug_types_create(const struct rbs_debug_types_options *options,
				     struct rbs_type_source **source, struct rbs_error *err);

/*
 * Why no file is used for a module (NULL: the kernel): the text of the search's error, or NULL when
 * there was no search or it found one. Lives as long as the source.
 */
const char *rbs_debug_types_reason(const struct rbs_type_source *source, const char *module);

#endif
