/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctf_metadata - what the text that describes a trace tells of it: TSDL (Common Trace Format 1.8,
 * chapter 7), or since LTTng 2.15 JSON texts that each begin with RS (CTF2-SPEC-2.0, chapter 5).
 * Not a parser, but two questions to a text that LTTng wrote.
 */
#ifndef RBS_CTF_METADATA_H
#define RBS_CTF_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RBS_CTF_UUID_SIZE ((size_t)16)

#define RBS_CTF2_RS '\x1e'

/* Whether it is of CTF 2. */
bool rbs_ctf_metadata_json(const char *metadata, size_t length);

/* "uuid" of the trace (RBS_CTF_UUID_SIZE bytes). False when there is none. */
bool rbs_ctf_uuid_find(const char *metadata, size_t length, uint8_t *uuid);

/*
 * A value of the trace's environment ("env { procname = "bash"; vpid = 1234; }"), without its
 * quotes and escapes, cut to size. False when there is none.
 */
bool rbs_ctf_env_find(const char *metadata, size_t length, const char *name, char *value,
		      size_t size);

#endif
