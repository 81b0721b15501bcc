/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctf_file - the types that FreeBSD keeps in a plain kernel: CTF, versions 2 and 3.
 *
 * In section .SUNW_ctf, usually compressed with zlib. Debian's libctf rejects FreeBSD's versions.
 * Format: FreeBSD's sys/sys/ctf.h and ctf(5). Version 3 (14.0) has wider fields and nothing else.
 *
 * The file may be damaged: all offsets are checked when it is opened, types when they are asked
 * for.
 */
#ifndef RBS_CTF_FILE_H
#define RBS_CTF_FILE_H

#include <stddef.h>

#include "lib/error.h"
#include "lib/target/target.h"

#define RBS_CTF_SIZE_LIMIT (UINT64_C(256) << 20) /* bytes, unpacked; a GENERIC kernel has 2 MB */

enum rbs_ctf_kind {
	RBS_CTF_INTEGER = 1,
	RBS_CTF_FLOAT,
	RBS_CTF_POINTER,
	RBS_CTF_ARRAY,
	RBS_CTF_FUNCTION,
	RBS_CTF_STRUCT,
	RBS_CTF_UNION,
	RBS_CTF_ENUM,
	RBS_CTF_FORWARD,
	RBS_CTF_TYPEDEF,
	RBS_CTF_VOLATILE,
	RBS_CTF_CONST,
	RBS_CTF_RESTRICT,
};

struct rbs_ctf_file {
	uint8_t *bytes; /* what follows the header, unpacked; owned */
	size_t size;
	bool big_endian;
	unsigned word_size; /* of the machine */
	bool wide;	    /* version 3 */
	const char *strings;
	size_t strings_size;
	uint32_t *types; /* offsets of the types; ids count from 1, [0] is not used */
	uint32_t type_count;
};

struct rbs_ctf_type {
	enum rbs_ctf_kind kind;
	const char *name; /* "" when it has none */
	uint64_t size;	  /* bytes, of what has a size */
	uint32_t target;  /* of pointers and aliases: an id */
	uint32_t count;	  /* members, values */
	uint32_t data;	  /* offset of what follows the type's head */
};

struct rbs_ctf_member {
	const char *name;
	uint32_t type;
	uint64_t bit_offset;
};

/* RBS_NO_TYPES when the file has no CTF, RBS_UNSUPPORTED for another version of it. */
enum rbs_code rbs_ctf_file_open(struct rbs_ctf_file *ctf, const char *path, struct rbs_error *err);
void rbs_ctf_file_close(struct rbs_ctf_file *ctf);

/* RBS_CORRUPT for an id that there is not; id 0 is void and not asked for. */
enum rbs_code rbs_ctf_type_get(const struct rbs_ctf_file *ctf, uint64_t id,
			       struct rbs_ctf_type *type, struct rbs_error *err);

/* index is below type->count; of structures and unions. */
void rbs_ctf_member_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
			uint32_t index, struct rbs_ctf_member *member);

/* The same of an enum. */
const char *rbs_ctf_value_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
			      uint32_t index, int64_t *value);

/* What an array has, and how many. */
void rbs_ctf_array_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
		       uint32_t *element, uint32_t *count);

/* An integer's bits and whether it has a sign. */
void rbs_ctf_integer_get(const struct rbs_ctf_file *ctf, const struct rbs_ctf_type *type,
			 unsigned *bits, bool *is_signed);

#endif
