/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample_file - a file of debug information, made by a command in a folder of its own, and the
 * source that reads it. What cannot be made ends the test.
 */
#ifndef SAMPLE_FILE_H
#define SAMPLE_FILE_H

#include "dwarf/dwarf_source.h"
#include "scratch.h"

struct sample_file {
	struct scratch scratch;
	struct rbs_type_source *source;
};

/* Write unit.c, compile it by command, and open what that wrote as name. */
void sample_file_init(struct sample_file *file, const char *command, const char *name);
void sample_file_deinit(struct sample_file *file);

/* unit.c uses all types of dwarf_sample.h. */
void sample_write_unit(const struct scratch *scratch);

/* As a kernel's: it belongs to no module. */
void sample_open(struct sample_file *file, const char *name);

/* The member, or what is said of one that may not be there. */
struct rbs_member sample_find(struct sample_file *file, const char *type, const char *path);
enum rbs_code sample_try_find(struct sample_file *file, const char *type, const char *path);

#endif
