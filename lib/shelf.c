/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/shelf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"

/*
 * The Makefile makes it from the sources that find answers: what another state of them found is not
 * believed.
 */
#ifndef RBS_CACHE_KEY
#error "RBS_CACHE_KEY is not defined"
#endif

void rbs_shelf_clear(struct rbs_shelf *shelf)
{
	if (!shelf)
		return;
	for (size_t i = 0; i < shelf->count; i++) {
		free(shelf->entries[i].question);
		free(shelf->entries[i].answer);
	}
	shelf->count = 0;
	shelf->last = 0;
}

void rbs_shelf_deinit(struct rbs_shelf *shelf)
{
	rbs_shelf_clear(shelf);
	free(shelf->entries);
	*shelf = (struct rbs_shelf){.entries = NULL};
}

static struct rbs_shelf_entry *entry_find(struct rbs_shelf *shelf, const char *question)
{
	for (size_t i = 0; i < shelf->count; i++) {
		size_t at = (shelf->last + 1 + i) % shelf->count;

		if (strcmp(shelf->entries[at].question, question) != 0)
			continue;
		shelf->last = at;
		return &shelf->entries[at];
	}
	return NULL;
}

const char *rbs_shelf_get(struct rbs_shelf *shelf, const char *question)
{
	const struct rbs_shelf_entry *entry = shelf ? entry_find(shelf, question) : NULL;

	return entry ? entry->answer : NULL;
}

static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	}
	return true;
}

static bool entry_add(struct rbs_shelf *shelf, const char *question, const char *answer)
{
	struct rbs_shelf_entry entry;

	if (shelf->count == shelf->capacity) {
		size_t capacity = shelf->capacity ? 2 * shelf->capacity : 64;
		void *grown = reallocarray(shelf->entries, capacity, sizeof(*shelf->entries));

		if (!grown)
			return false;
		shelf->entries = grown;
		shelf->capacity = capacity;
	}
	entry = (struct rbs_shelf_entry){.question = strdup(question), .answer = strdup(answer)};
	if (!entry.question || !entry.answer) {
		free(entry.question);
		free(entry.answer);
		return false;
	}
	shelf->entries[shelf->count++] = entry;
	return true;
}

void rbs_shelf_put(struct rbs_shelf *shelf, const char *question, const char *answer)
{
	struct rbs_shelf_entry *entry;
	char *copy;

	if (!shelf || !is_plain(question) || !is_plain(answer))
		return;
	entry = entry_find(shelf, question);
	if (!entry) {
		shelf->changed = entry_add(shelf, question, answer) || shelf->changed;
		return;
	}
	copy = strcmp(entry->answer, answer) ? strdup(answer) : NULL;
	if (!copy)
		return;
	free(entry->answer);
	entry->answer = copy;
	shelf->changed = true;
}

/* -- as text: a header line, then "question TAB answer" lines ---------------- */

static void header_format(char *header, size_t size, const char *name, const char *body,
			  size_t length)
{
	snprintf(header, size, "rbstats answers 1 %s %s %zu %016" PRIx64 "\n", RBS_CACHE_KEY, name,
		 length, rbs_hash(body, length));
}

char *rbs_shelf_write(const struct rbs_shelf *shelf, const char *name, size_t *size)
{
	char header[256], *text = NULL, *whole = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	bool failed;

	if (!stream)
		return NULL;
	for (size_t i = 0; i < shelf->count; i++)
		fprintf(stream, "%s\t%s\n", shelf->entries[i].question, shelf->entries[i].answer);
	failed = ferror(stream);
	if (fclose(stream) == 0 && !failed && length < RBS_SHELF_LIMIT) {
		header_format(header, sizeof(header), name, text, length);
		*size = strlen(header) + length;
		whole = malloc(*size + 1);
		if (whole)
			snprintf(whole, *size + 1, "%s%s", header, text);
	}
	free(text);
	return whole;
}

/* One line of the body, which ends at end and is changed. */
static bool line_take(struct rbs_shelf *shelf, char **at, const char *end)
{
	char *newline = memchr(*at, '\n', (size_t)(end - *at));
	char *tab = newline ? memchr(*at, '\t', (size_t)(newline - *at)) : NULL;

	if (!tab)
		return false;
	*tab = '\0';
	*newline = '\0';
	if (!entry_add(shelf, *at, tab + 1))
		return false;
	*at = newline + 1;
	return true;
}

bool rbs_shelf_read(struct rbs_shelf *shelf, const char *name, const char *text, size_t size)
{
	const char *newline = memchr(text, '\n', size);
	size_t header_size = newline ? (size_t)(newline - text) + 1 : 0;
	char header[256], *body, *at;
	bool is_good;

	rbs_shelf_clear(shelf);
	if (!newline || memchr(text, '\0', size))
		return false;
	header_format(header, sizeof(header), name, newline + 1, size - header_size);
	if (strlen(header) != header_size || memcmp(header, text, header_size) != 0)
		return false;
	body = strndup(newline + 1, size - header_size);
	if (!body)
		return false;
	at = body;
	while (*at && line_take(shelf, &at, body + (size - header_size)))
		;
	is_good = !*at;
	if (!is_good)
		rbs_shelf_clear(shelf);
	free(body);
	return is_good;
}
