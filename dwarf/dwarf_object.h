/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dwarf_object - a debug file opened in libdwarf, over our own mapping of it.
 *
 * libdwarf's own ELF reader loads whole sections and applies the relocations that Debian's vmlinux
 * keeps though it is linked: 3 s and 800 MB. Through the object-access interface it sees six
 * sections of DWARF and nothing else: 1 ms.
 *
 * The interface changed between libdwarf 20210528 (Debian 12) and 0.3 (Debian 13 has 0.11): this
 * file and its .c are all that knows of it. DW_LIBDWARF_VERSION, which its header defines since
 * then, tells them apart.
 */
#ifndef RBS_DWARF_OBJECT_H
#define RBS_DWARF_OBJECT_H

#if __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

#include "dwarf/dwarf_elf.h"
#include "dwarf/dwarf_file.h"

enum rbs_dwarf_section {
	RBS_DEBUG_NULL, /* as ELF, libdwarf reserves section 0 */
	RBS_DEBUG_INFO,
	RBS_DEBUG_ABBREV,
	RBS_DEBUG_STR,
	RBS_DEBUG_LINE_STR,
	RBS_DEBUG_STR_OFFSETS,
	RBS_DEBUG_ADDR,
	RBS_DEBUG_SECTIONS,
};

struct rbs_dwarf_object {
	/* A view of one unit: whose object it is, and which bytes of .debug_info; else NULL. */
	struct rbs_dwarf_object *whole;
	uint64_t start, size;
	struct rbs_debug_file file;
	struct rbs_elf elf;
	const struct rbs_elf_section *sections[RBS_DEBUG_SECTIONS];
	struct rbs_elf_contents contents[RBS_DEBUG_SECTIONS];
	struct rbs_error failure; /* why a section could not be loaded */
	Dwarf_Debug debug;
#ifdef DW_LIBDWARF_VERSION
	Dwarf_Obj_Access_Interface_a interface;
#else
	Dwarf_Obj_Access_Interface interface;
#endif
};

/*
 * The object must not move afterwards. RBS_NO_TYPES when the file has no DWARF (it is stripped),
 * else why it cannot be read; the text begins with the path.
 */
enum rbs_code rbs_dwarf_object_open(struct rbs_dwarf_object *object, const char *path,
				    struct rbs_error *err);
void rbs_dwarf_object_close(struct rbs_dwarf_object *object);

/*
 * Open a view in which .debug_info is only size bytes from start, a whole unit: offsets count from
 * there. To reach an entry, libdwarf reads the beginning of each unit before it, 0.2 s in a
 * vmlinux; in a view there is none before it. whole must outlive the view, which must not move.
 */
enum rbs_code rbs_dwarf_object_view(struct rbs_dwarf_object *view, struct rbs_dwarf_object *whole,
				    uint64_t start, uint64_t size, struct rbs_error *err);

/* A section's bytes, loaded if they are not yet; size 0 when the file has none. */
enum rbs_code rbs_dwarf_object_section(struct rbs_dwarf_object *object,
				       enum rbs_dwarf_section section, const unsigned char **bytes,
				       size_t *size, struct rbs_error *err);

/* Turn an error of libdwarf, which is freed, into one of ours: RBS_CORRUPT, or object->failure. */
enum rbs_code rbs_dwarf_error(struct rbs_dwarf_object *object, Dwarf_Error error,
			      const char *action, struct rbs_error *err);

/* Free a libdwarf error that does not matter; error may be NULL. */
void rbs_dwarf_forget(struct rbs_dwarf_object *object, Dwarf_Error error);

#endif
