/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctf_source - the CTF of a FreeBSD kernel as a source of types named "ctf". */
#ifndef RBS_CTF_SOURCE_H
#define RBS_CTF_SOURCE_H

#include "lib/types.h"

/* The errors of rbs_ctf_file_open(). */
enum rbs_code rbs_ctf_source_create(const char *path, struct rbs_type_source **source,
				    struct rbs_error *err);

#endif
