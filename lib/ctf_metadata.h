/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctf_metadata - what the text that describes a trace tells of it (TSDL, Common Trace Format 1.8,
 * chapter 7): not a parser, but two questions to a text that LTTng wrote.
 */
#ifndef RBS_CTF_METADATA_H
#define RBS_CTF_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "uuid" of the trace (16 bytes). False when there is none. */
bool rbs_ctf_uuid_find(const char *metadata, size_t length, uint8_t *uuid);

/*
 * A value of the trace's environment ("env { procname = "bash"; vpid = 1234; }"), without its
 * quotes and escapes, cut to size. False when there is none.
 */
bool rbs_ctf_env_find(const char *metadata, size_t length, const char *name, char *value,
		      size_t size);

#endif
