/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ust/heap.h"

#include <stdlib.h>
#include <string.h>

#include "lib/ctf_metadata.h"
#include "lib/packets.h"
#include "lib/target/x86_walk.h"

/* How a text begins: TSDL, and since 2.15 the first JSON text of CTF 2. */
static const char *const signatures[] = {"/* CTF 1.8 */", "\x1e{\n  \"type\": \"preamble\""};

/* A daemon for each user and word size. */
#define DAEMON_LIMIT 256
/* Of a process; more than their heaps, less than address space that is only reserved. */
#define AREA_BYTES_LIMIT (UINT64_C(16) << 30)
#define TEXT_LIMIT 65536

struct search {
	struct rbs_ust_texts *texts;
	const struct rbs_ust *ust;
	const struct rbs_task *task;
	struct rbs_x86_walk walk;
	/* Memory without a gap, as far as it was read. */
	char *run;
	size_t length, room;
	uint64_t bytes; /* looked at, of this process */
	enum rbs_code code;
};

static bool is_text(unsigned char c)
{
	return c >= ' ' ? c != 0x7f : c == '\n' || c == '\t' || c == RBS_CTF2_RS;
}

/* Where a string or a comment that starts at at ends; length when it does not. */
static size_t skip(const char *bytes, size_t length, size_t at)
{
	if (bytes[at] == '"') {
		for (at++; at < length && bytes[at] != '"'; at++) {
			if (bytes[at] == '\\')
				at++;
		}
		return at < length ? at + 1 : length;
	}
	for (at += 2; at + 1 < length; at++) {
		if (bytes[at] == '*' && bytes[at + 1] == '/')
			return at + 2;
	}
	return length;
}

size_t rbs_ust_text_length(const char *bytes, size_t length, bool *ended)
{
	size_t end = 0, depth = 0, whole = 0;
	bool json = rbs_ctf_metadata_json(bytes, length);

	while (end < length && is_text((unsigned char)bytes[end]))
		end++;
	*ended = end < length && !bytes[end];
	for (size_t i = 0; i < end;) {
		if (bytes[i] == '"' || (bytes[i] == '/' && i + 1 < end && bytes[i + 1] == '*')) {
			i = skip(bytes, end, i);
			continue;
		}
		if (bytes[i] == '{')
			depth++;
		else if (bytes[i] == '}' && !depth--)
			break;
		if (json && bytes[i] == '}' && !depth)
			whole = i + 1;
		if (!json && bytes[i] == ';' && !depth && i + 1 < end && bytes[i + 1] == '\n')
			whole = i + 2;
		i++;
	}
	return whole;
}

static struct rbs_ust_text *text_of(struct rbs_ust_texts *texts, const uint8_t *uuid)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (!memcmp(texts->texts[i].uuid, uuid, RBS_UST_UUID_SIZE))
			return &texts->texts[i];
	}
	return NULL;
}

const struct rbs_ust_text *rbs_ust_texts_find(const struct rbs_ust_texts *texts,
					      const uint8_t *uuid)
{
	return text_of((struct rbs_ust_texts *)texts, uuid);
}

static struct rbs_ust_text *text_add(struct rbs_ust_texts *texts)
{
	struct rbs_ust_text *moved;

	if (texts->count == TEXT_LIMIT)
		return NULL;
	moved = reallocarray(texts->texts, texts->count + 1, sizeof(*moved));
	if (!moved)
		return NULL;
	texts->texts = moved;
	moved += texts->count++;
	*moved = (struct rbs_ust_text){0};
	return moved;
}

/*
 * Of several copies the longest: a text grows, and memory that was given back keeps older states.
 * What memory ended with a NUL was zeroed for it; behind others anything may follow.
 */
static void text_take(struct search *search, const char *bytes, size_t length)
{
	struct rbs_ust_text *text;
	uint8_t uuid[RBS_UST_UUID_SIZE];
	bool ended;
	size_t whole = rbs_ust_text_length(bytes, length, &ended);
	char *copy;

	if (!whole || !rbs_ctf_uuid_find(bytes, whole, uuid))
		return;
	text = text_of(search->texts, uuid);
	if (text && (text->ended != ended ? text->ended : text->length >= whole))
		return;
	copy = malloc(whole + 1);
	if (copy && !text)
		text = text_add(search->texts);
	if (!copy || !text) {
		free(copy);
		search->code = RBS_NOMEM;
		return;
	}
	memcpy(copy, bytes, whole);
	copy[whole] = '\0';
	free(text->text);
	memcpy(text->uuid, uuid, sizeof(uuid));
	text->text = copy;
	text->length = whole;
	text->ended = ended;
	text->task = search->task;
}

static void run_search(struct search *search)
{
	const char *end = search->run + search->length;

	for (size_t i = 0; search->length && i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		size_t length = strlen(signatures[i]);
		const char *at = search->run;

		while ((at = memmem(at, (size_t)(end - at), signatures[i], length))) {
			text_take(search, at, (size_t)(end - at));
			at += length;
		}
	}
	search->length = 0;
}

static bool run_room(struct search *search, size_t page)
{
	size_t room = search->room ? search->room * 2 : 64 * page;
	char *moved;

	if (search->length + page <= search->room)
		return true;
	/* Longer than any text: it is searched as two. */
	if (search->length + page > RBS_METADATA_LIMIT) {
		run_search(search);
		return true;
	}
	moved = realloc(search->run, room);
	if (!moved)
		return false;
	search->run = moved;
	search->room = room;
	return true;
}

static void loss_note(struct rbs_ust_texts *texts, enum rbs_code code)
{
	texts->code = rbs_code_first(texts->code, code);
}

static bool area_visit(void *context, uint64_t area)
{
	struct search *search = context;
	struct rbs_target *target = search->ust->dump->target;
	size_t page = (size_t)target->info.page_size;
	struct rbs_mapping mapping;
	enum rbs_code code = rbs_mapping_read(&search->ust->tasks, area, &mapping, NULL);

	loss_note(search->texts, code);
	if (code != RBS_OK || mapping.file || mapping.shared || !mapping.readable)
		return true;
	for (uint64_t at = mapping.start; at < mapping.end; at += page) {
		if (search->bytes >= AREA_BYTES_LIMIT || rbs_target_interrupted(target))
			return false;
		search->bytes += page;
		if (!run_room(search, page)) {
			search->code = RBS_NOMEM;
			return false;
		}
		code = rbs_x86_read(&search->walk, at, search->run + search->length, page, NULL);
		if (code == RBS_OK) {
			search->length += page;
			continue;
		}
		/* Not mapped: reserved and never touched, or swapped out. */
		if (code != RBS_UNMAPPED) {
			search->texts->missing++;
			loss_note(search->texts, code);
		}
		run_search(search);
	}
	run_search(search);
	return search->code == RBS_OK;
}

enum rbs_code rbs_ust_texts_init(struct rbs_ust_texts *texts, const struct rbs_ust *ust,
				 struct rbs_error *err)
{
	struct search search = {.texts = texts, .ust = ust};
	size_t refused = 0;
	enum rbs_code code;

	*texts = (struct rbs_ust_texts){.code = ust->tasks.code};
	for (size_t i = 0; i < ust->tasks.count && texts->daemons < DAEMON_LIMIT; i++) {
		search.task = &ust->tasks.tasks[i];
		search.bytes = 0;
		/* It may be a daemon. */
		loss_note(texts, search.task->code);
		if (!search.task->mm ||
		    (!rbs_ust_is_consumer(search.task) && !rbs_ust_is_sessiond(search.task)))
			continue;
		code = rbs_ust_tables_find(ust, search.task->mm, &search.walk);
		if (code != RBS_OK) {
			refused += code == RBS_UNSUPPORTED;
			if (code != RBS_UNSUPPORTED)
				loss_note(texts, code);
			continue;
		}
		texts->daemons++;
		/* Areas that can't be followed to their end: what came before counts. */
		loss_note(texts,
			  rbs_task_areas(&ust->tasks, search.task->mm, area_visit, &search, NULL));
		if (search.code != RBS_OK)
			break;
	}
	free(search.run);
	if (search.code != RBS_OK) {
		rbs_ust_texts_deinit(texts);
		return rbs_error_set(err, search.code, "out of memory");
	}
	if (refused && !texts->daemons)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "the page tables of LTTng's daemons cannot be followed on "
				     "this machine");
	return RBS_OK;
}

void rbs_ust_texts_deinit(struct rbs_ust_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->texts[i].text);
	free(texts->texts);
	*texts = (struct rbs_ust_texts){0};
}
