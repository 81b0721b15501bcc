/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/kallsyms_names.h"

#include <string.h>

/*
 * A polynomial hash: that of a concatenation follows from those of its parts, so a name costs one
 * step a token and not one a character.
 */
#define HASH_BASE 0x9e3779b1u

static uint32_t hash_text(const char *text, size_t length, uint32_t *factor)
{
	uint32_t hash = 0;

	*factor = 1;
	for (size_t i = 0; i < length; i++) {
		hash = hash * HASH_BASE + (unsigned char)text[i];
		*factor *= HASH_BASE;
	}
	return hash;
}

/* The low bits select a bucket, and those of the polynomial depend on few characters. */
static uint32_t hash_finish(uint32_t hash)
{
	hash ^= hash >> 16;
	hash *= 0x7feb352du;
	return hash ^ hash >> 15;
}

uint32_t rbs_kallsyms_hash(const char *name)
{
	uint32_t factor;

	return hash_finish(hash_text(name, strlen(name), &factor));
}

enum rbs_code rbs_kallsyms_codec_init(struct rbs_kallsyms_codec *codec,
				      const struct rbs_target *target, const uint8_t *table,
				      size_t table_size,
				      const uint8_t index[RBS_KALLSYMS_INDEX_SIZE],
				      struct rbs_error *err)
{
	codec->wide_lengths = true;
	for (size_t i = 0; i < RBS_KALLSYMS_TOKENS; i++) {
		struct rbs_kallsyms_token *token = &codec->tokens[i];
		size_t offset = (size_t)rbs_target_get_uint(target, index + 2 * i, 2);
		const char *end;

		if (offset >= table_size)
			return rbs_error_set(err, RBS_CORRUPT,
					     "kallsyms: token %zu is at byte %zu of a table of "
					     "%zu bytes",
					     i, offset, table_size);
		token->text = (const char *)table + offset;
		end = memchr(token->text, '\0', table_size - offset);
		if (!end)
			return rbs_error_set(err, RBS_CORRUPT,
					     "kallsyms: token %zu runs over the end of its table",
					     i);
		token->length = (uint32_t)(end - token->text);
		token->hash = hash_text(token->text, token->length, &token->factor);
		if (token->length)
			token->tail_hash =
				hash_text(token->text + 1, token->length - 1, &token->tail_factor);
	}
	return RBS_OK;
}

bool rbs_kallsyms_entry_at(const struct rbs_kallsyms_codec *codec, const uint8_t *names,
			   size_t size, size_t position, struct rbs_kallsyms_entry *entry)
{
	size_t length;

	if (position >= size)
		return false;
	length = names[position++];
	if (codec->wide_lengths && length & 0x80) {
		if (position >= size)
			return false;
		length = (length & 0x7f) | (size_t)names[position++] << 7;
	}
	if (!length || length > size - position)
		return false;
	entry->codes = names + position;
	entry->count = length;
	entry->next = position + length;
	return true;
}

bool rbs_kallsyms_entry_hash(const struct rbs_kallsyms_codec *codec,
			     const struct rbs_kallsyms_entry *entry, char *type, uint32_t *hash)
{
	const struct rbs_kallsyms_token *token = &codec->tokens[entry->codes[0]];
	size_t limit = codec->wide_lengths ? RBS_KALLSYMS_NAME_MAX : RBS_KALLSYMS_OLD_NAME_MAX;
	size_t length = token->length;
	uint32_t sum = token->tail_hash;

	if (!length)
		return false;
	*type = token->text[0];
	for (size_t i = 1; i < entry->count; i++) {
		token = &codec->tokens[entry->codes[i]];
		sum = sum * token->factor + token->hash;
		length += token->length;
	}
	*hash = hash_finish(sum);
	return length >= 2 && length <= limit;
}

bool rbs_kallsyms_entry_equals(const struct rbs_kallsyms_codec *codec,
			       const struct rbs_kallsyms_entry *entry, const char *name)
{
	for (size_t i = 0; i < entry->count; i++) {
		const struct rbs_kallsyms_token *token = &codec->tokens[entry->codes[i]];
		size_t skip = i == 0 && token->length;
		size_t length = token->length - skip;

		if (strncmp(name, token->text + skip, length))
			return false;
		name += length;
	}
	return !*name;
}

void rbs_kallsyms_entry_name(const struct rbs_kallsyms_codec *codec,
			     const struct rbs_kallsyms_entry *entry, char *buffer, size_t size)
{
	size_t used = 0;

	if (!size)
		return;
	for (size_t i = 0; i < entry->count; i++) {
		const struct rbs_kallsyms_token *token = &codec->tokens[entry->codes[i]];
		size_t skip = i == 0 && token->length;
		size_t length = token->length - skip;

		if (length > size - 1 - used)
			length = size - 1 - used;
		memcpy(buffer + used, token->text + skip, length);
		used += length;
	}
	buffer[used] = '\0';
}
