/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ctf_metadata.h"

#include <ctype.h>
#include <string.h>

#define UUID_SIZE 16

/* "uuid = \"01234567-89ab-...\"" */
static bool uuid_parse(const char *text, const char *end, uint8_t *uuid)
{
	size_t digits = 0;

	while (text < end && (isspace((unsigned char)*text) || *text == '='))
		text++;
	if (text == end || *text++ != '"')
		return false;
	for (; text < end && digits < 2 * UUID_SIZE; text++) {
		int c = tolower((unsigned char)*text);
		unsigned digit;

		if (c == '-')
			continue;
		if (!isxdigit(c))
			return false;
		digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		uuid[digits / 2] = (uint8_t)(digits % 2 ? uuid[digits / 2] | digit : digit << 4);
		digits++;
	}
	return digits == 2 * UUID_SIZE && text < end && *text == '"';
}

bool rbs_ctf_uuid_find(const char *metadata, size_t length, uint8_t *uuid)
{
	const char *end = metadata + length, *at;

	/* The clock has one too: the trace's stands in the block that says so. */
	at = memmem(metadata, length, "trace {", 7);
	while (at && (at = memmem(at, (size_t)(end - at), "uuid", 4))) {
		at += 4;
		if (uuid_parse(at, end, uuid))
			return true;
	}
	return false;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* What stands behind "name =" before end; NULL when it is not there. */
static const char *assigned(const char *at, const char *end, const char *name)
{
	size_t length = strlen(name);

	while ((at = memmem(at, (size_t)(end - at), name, length))) {
		const char *before = at - 1;

		at += length;
		if (is_word(*before) || *before == '"')
			continue;
		while (at < end && isspace((unsigned char)*at))
			at++;
		if (at < end && *at == '=')
			return at + 1;
	}
	return NULL;
}

bool rbs_ctf_env_find(const char *metadata, size_t length, const char *name, char *value,
		      size_t size)
{
	const char *end = metadata + length, *at = memmem(metadata, length, "env {", 5);
	const char *close = at ? memmem(at, (size_t)(end - at), "\n};", 3) : NULL;
	size_t used = 0;
	bool quoted;

	at = close ? assigned(at + 5, close, name) : NULL;
	if (!at)
		return false;
	while (at < close && *at == ' ')
		at++;
	quoted = at < close && *at == '"';
	for (at += quoted; at < close && *at != (quoted ? '"' : ';') && *at != '\n'; at++) {
		if (quoted && *at == '\\' && at + 1 < close)
			at++;
		if (used + 1 < size)
			value[used++] = *at;
	}
	value[used] = '\0';
	return at < close && *at == (quoted ? '"' : ';');
}
