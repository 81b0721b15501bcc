/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build_id - the linker's fingerprint of a kernel, a module or a debug file.
 *
 * It is the descriptor of an ELF note of type NT_GNU_BUILD_ID (3) and owner "GNU"; notes have the
 * same form in a file and in the kernel's memory.
 */
#ifndef RBS_BUILD_ID_H
#define RBS_BUILD_ID_H

#include "lib/modules.h"

/*
 * Search a run of notes in the machine's byte order. False when they hold no build-id, or end in
 * the middle of one.
 */
bool rbs_build_id_from_notes(struct rbs_build_id *id, const struct rbs_target *target,
			     const uint8_t *notes, size_t size);

/* Decode hexadecimal digits; false when they are something else, or too many. */
bool rbs_build_id_parse(struct rbs_build_id *id, const char *text);

/*
 * The kernel's own: VMCOREINFO's BUILD-ID ("kdump: append kernel build-id string to VMCOREINFO",
 * 5.9), else the notes between __start_notes and __stop_notes. RBS_NO_SYMBOL when there is neither,
 * RBS_CORRUPT when the notes hold none, or why they could not be read.
 */
enum rbs_code rbs_dump_build_id(struct rbs_target *target, struct rbs_symbols *symbols,
				struct rbs_build_id *id, struct rbs_error *err);

bool rbs_build_id_equal(const struct rbs_build_id *a, const struct rbs_build_id *b);

#endif
