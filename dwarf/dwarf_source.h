/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_source - the types of debug files, as a source of types named "dwarf".
 *
 * One file for the kernel (or the hypervisor) and any number for modules. A file is opened when it
 * is first asked, and stays mapped: about 1 ms and, for a vmlinux, 60 MB of its pages. Types are
 * looked for in the module's file, then in the kernel's; answers are kept.
 *
 * Whether a file belongs to the dump is not checked here but where it was found
 * (dwarf/debuginfo.h).
 */
#ifndef RBS_DWARF_SOURCE_H
#define RBS_DWARF_SOURCE_H

#include "lib/cache.h"
#include "lib/types.h"

/*
 * vmlinux may be NULL: then modules alone are known. Nothing is opened yet. cache (borrowed; NULL:
 * none) keeps the answers of files that have a build-id.
 */
enum rbs_code rbs_dwarf_source_create(const char *vmlinux, struct rbs_cache *cache,
				      struct rbs_type_source **source, struct rbs_error *err);

/*
 * The debug file of a module; '-' and '_' are the same in its name. A second file for the same
 * module replaces nothing and is RBS_USAGE.
 */
enum rbs_code rbs_dwarf_source_add_module(struct rbs_type_source *source, const char *module,
					  const char *path, struct rbs_error *err);

#endif
