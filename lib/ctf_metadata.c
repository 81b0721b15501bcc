/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ctf_metadata.h"

#include <ctype.h>
#include <string.h>

/* "uuid = \"01234567-89ab-...\"" */
static bool uuid_parse(const char *text, const char *end, uint8_t *uuid)
{
	size_t digits = 0;

	while (text < end && (isspace((unsigned char)*text) || *text == '='))
		text++;
	if (text == end || *text++ != '"')
		return false;
	for (; text < end && digits < 2 * RBS_CTF_UUID_SIZE; text++) {
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
	return digits == 2 * RBS_CTF_UUID_SIZE && text < end && *text == '"';
}

bool rbs_ctf_metadata_json(const char *metadata, size_t length)
{
	return length && metadata[0] == RBS_CTF2_RS;
}

/* "uuid": [\n 80, 160, ...], in the first of the texts. */
static bool uuid_find_json(const char *metadata, size_t length, uint8_t *uuid)
{
	const char *end = memchr(metadata + 1, RBS_CTF2_RS, length - 1);
	const char *at;

	end = end ? end : metadata + length;
	at = memmem(metadata, (size_t)(end - metadata), "\"uuid\": [", 9);
	at = at ? at + 9 : end;
	for (size_t i = 0; i < RBS_CTF_UUID_SIZE; i++) {
		unsigned number = 0, digits = 0;

		while (at < end && (isspace((unsigned char)*at) || (i && *at == ',')))
			at++;
		for (; at < end && isdigit((unsigned char)*at) && digits < 4; at++, digits++)
			number = number * 10 + (unsigned)(*at - '0');
		if (!digits || number > UINT8_MAX)
			return false;
		uuid[i] = (uint8_t)number;
	}
	return true;
}

bool rbs_ctf_uuid_find(const char *metadata, size_t length, uint8_t *uuid)
{
	const char *end = metadata + length, *at;

	if (rbs_ctf_metadata_json(metadata, length))
		return uuid_find_json(metadata, length, uuid);

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

/* The same of JSON: "name": value. */
static const char *assigned_json(const char *at, const char *end, const char *name)
{
	size_t length = strlen(name);

	while ((at = memmem(at, (size_t)(end - at), name, length))) {
		bool opened = at[-1] == '"';

		at += length;
		if (opened && end - at > 2 && at[0] == '"' && at[1] == ':')
			return at + 2;
	}
	return NULL;
}

/* A word up to stop, or a string, at at. */
static bool value_read(const char *at, const char *end, char stop, char *value, size_t size)
{
	size_t used = 0;
	bool quoted;

	while (at < end && *at == ' ')
		at++;
	quoted = at < end && *at == '"';
	for (at += quoted; at < end && *at != (quoted ? '"' : stop) && *at != '\n'; at++) {
		if (quoted && *at == '\\' && at + 1 < end)
			at++;
		if (used + 1 < size)
			value[used++] = *at;
	}
	value[used] = '\0';
	/* The last member of an object has no comma. */
	return at < end && (*at == (quoted ? '"' : stop) || (!quoted && stop == ','));
}

bool rbs_ctf_env_find(const char *metadata, size_t length, const char *name, char *value,
		      size_t size)
{
	bool json = rbs_ctf_metadata_json(metadata, length);
	const char *block = json ? "\"environment\": {" : "env {", *ending = json ? "}" : "\n};";
	const char *end = metadata + length;
	const char *at = memmem(metadata, length, block, strlen(block)), *close;

	if (!at)
		return false;
	at += strlen(block);
	close = memmem(at, (size_t)(end - at), ending, strlen(ending));
	if (!close)
		return false;
	at = json ? assigned_json(at, close, name) : assigned(at, close, name);
	return at && value_read(at, close, json ? ',' : ';', value, size);
}
