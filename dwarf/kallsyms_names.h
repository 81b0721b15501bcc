/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_names - the compressed names of the kernel's symbol table.
 *
 * scripts/kallsyms.c writes kallsyms_names as one entry after another: a length, then that many
 * token codes of a byte each. A token is a string of kallsyms_token_table, which
 * kallsyms_token_index says where to find. The first character of the expanded entry is the type
 * that nm shows, the name follows. Lengths from 0x80 take two bytes, seven low bits first, since
 * "kallsyms: support "big" kernel symbols" (6.1); before, every length is one byte.
 *
 * Works on copies of the tables; knows nothing of where they come from.
 */
#ifndef RBS_KALLSYMS_NAMES_H
#define RBS_KALLSYMS_NAMES_H

#include "lib/target/target.h"

#define RBS_KALLSYMS_TOKENS 256
#define RBS_KALLSYMS_INDEX_SIZE ((size_t)2 * RBS_KALLSYMS_TOKENS) /* bytes of kallsyms_token_index */
#define RBS_KALLSYMS_TABLE_MAX 65536 /* bytes of kallsyms_token_table that a u16 can index */
#define RBS_KALLSYMS_NAME_MAX 1024   /* characters; KSYM_NAME_LEN has been 512 at most */
/* The same where lengths are one byte: KSYM_NAME_LEN was 128. */
#define RBS_KALLSYMS_OLD_NAME_MAX 256

struct rbs_kallsyms_token {
	const char *text; /* not NUL terminated for our purposes: length counts */
	uint32_t length;
	/* Of the whole text, and of the text without its first character. */
	uint32_t hash, factor;
	uint32_t tail_hash, tail_factor;
};

struct rbs_kallsyms_codec {
	struct rbs_kallsyms_token tokens[RBS_KALLSYMS_TOKENS];
	bool wide_lengths; /* lengths from 0x80 take two bytes */
};

struct rbs_kallsyms_entry {
	const uint8_t *codes;
	size_t count; /* codes, at least 1 */
	size_t next;  /* position of the entry that follows */
};

/*
 * table (borrowed: the tokens point into it) and index are the bytes of the machine. RBS_CORRUPT
 * when a token would start or end outside of the table.
 */
enum rbs_code rbs_kallsyms_codec_init(struct rbs_kallsyms_codec *codec,
				      const struct rbs_target *target, const uint8_t *table,
				      size_t table_size,
				      const uint8_t index[RBS_KALLSYMS_INDEX_SIZE],
				      struct rbs_error *err);

/* The entry at a position of names; false when it is empty or runs over the end. */
bool rbs_kallsyms_entry_at(const struct rbs_kallsyms_codec *codec, const uint8_t *names,
			   size_t size, size_t position, struct rbs_kallsyms_entry *entry);

/* Type and hash of the name, not expanding it; false when it is no type and name, or too long. */
bool rbs_kallsyms_entry_hash(const struct rbs_kallsyms_codec *codec,
			     const struct rbs_kallsyms_entry *entry, char *type, uint32_t *hash);

bool rbs_kallsyms_entry_equals(const struct rbs_kallsyms_codec *codec,
			       const struct rbs_kallsyms_entry *entry, const char *name);

/* The name without its type, cut to size - 1 characters and terminated. */
void rbs_kallsyms_entry_name(const struct rbs_kallsyms_codec *codec,
			     const struct rbs_kallsyms_entry *entry, char *buffer, size_t size);

/* What rbs_kallsyms_entry_hash() answers for an entry of that name. */
uint32_t rbs_kallsyms_hash(const char *name);

#endif
