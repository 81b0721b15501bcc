/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/overlay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096
#define WORD 8

struct page {
	struct page *next; /* of its bucket */
	enum rbs_space space;
	uint64_t address;
	enum rbs_code code;   /* why it cannot be read, or RBS_OK */
	enum rbs_code damage; /* the same, in the present image */
	bool altered;
	uint8_t *bytes; /* as they are now; NULL when it cannot be read */
	uint8_t *whole; /* as in the dump; made when it is altered */
	uint8_t *touched;
};

struct word {
	struct page *page;
	size_t offset;
};

struct words {
	struct word *words;
	size_t count, room;
};

struct overlay {
	struct rbs_target target;
	struct rbs_target *inner;
	struct page *buckets[BUCKETS];
	struct page **altered;
	size_t altered_count, altered_room;
	struct words read, unread;
	bool recording, limited;
	uint64_t left;
};

static struct overlay *overlay_of(const struct rbs_target *target)
{
	return (struct overlay *)(uintptr_t)target;
}

/* A test's tool: without memory there is no test. */
static void *allocate(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		abort();
	return memory;
}

static struct page *page_find(struct overlay *self, enum rbs_space space, uint64_t address)
{
	uint64_t size = self->target.info.page_size;
	struct page **link = &self->buckets[(address / size ^ address >> 40) % BUCKETS];
	struct page *page;

	for (page = *link; page; page = page->next) {
		if (page->address == address && page->space == space)
			return page;
	}
	page = allocate(sizeof(*page));
	page->next = *link;
	*link = page;
	page->space = space;
	page->address = address;
	page->bytes = allocate(size);
	page->code = rbs_target_read(self->inner, space, address, page->bytes, size, NULL);
	page->damage = page->code;
	if (page->code != RBS_OK) {
		free(page->bytes);
		page->bytes = NULL;
	}
	return page;
}

static void words_add(struct words *words, struct page *page, size_t offset)
{
	if (words->count == words->room) {
		words->room = words->room ? 2 * words->room : 1024;
		words->words = reallocarray(words->words, words->room, sizeof(*words->words));
		if (!words->words)
			abort();
	}
	words->words[words->count++] = (struct word){page, offset};
}

static void page_touch(struct overlay *self, struct page *page, size_t offset, size_t length)
{
	if (!page->touched)
		page->touched = allocate(self->target.info.page_size / WORD);
	for (size_t word = offset / WORD; word <= (offset + length - 1) / WORD; word++) {
		if (!page->touched[word])
			words_add(&self->read, page, word * WORD);
		page->touched[word] = 1;
	}
}

static enum rbs_code overlay_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				  void *buffer, size_t length, struct rbs_error *err)
{
	struct overlay *self = overlay_of(target);
	uint64_t size = target->info.page_size;
	uint8_t *to = buffer;

	if (self->limited && !self->left--) {
		self->left = 0;
		return rbs_error_set_at(err, RBS_IO, address, "more reads than there may be");
	}
	while (length) {
		size_t offset = address % size;
		size_t step = rbs_page_part(address, length, size);
		struct page *page = page_find(self, space, address - offset);

		if (page->damage != RBS_OK)
			return rbs_error_set_at(err, page->damage, address, "%" PRIx64 ": %s",
						address, rbs_code_text(page->damage));
		if (self->recording)
			page_touch(self, page, offset, step);
		memcpy(to, page->bytes + offset, step);
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}

static const char *overlay_vmcoreinfo(struct rbs_target *target)
{
	struct rbs_target *inner = overlay_of(target)->inner;

	return inner->ops->vmcoreinfo(inner);
}

static bool overlay_interrupted(struct rbs_target *target)
{
	return overlay_limit_reached(target);
}

static void overlay_destroy(struct rbs_target *target)
{
	struct overlay *self = overlay_of(target);

	for (size_t i = 0; i < BUCKETS; i++) {
		while (self->buckets[i]) {
			struct page *page = self->buckets[i];

			self->buckets[i] = page->next;
			free(page->bytes);
			free(page->whole);
			free(page->touched);
			free(page);
		}
	}
	free(self->altered);
	free(self->read.words);
	free(self->unread.words);
	rbs_target_destroy(self->inner);
	free(self);
}

static const struct rbs_target_ops overlay_ops = {
	.read = overlay_read,
	.vmcoreinfo = overlay_vmcoreinfo,
	.interrupted = overlay_interrupted,
	.destroy = overlay_destroy,
};

struct rbs_target *overlay_create(struct rbs_target *inner)
{
	struct overlay *self = allocate(sizeof(*self));

	self->target.ops = &overlay_ops;
	self->target.info = inner->info;
	self->inner = inner;
	return &self->target;
}

static void unread_find(struct overlay *self)
{
	for (size_t i = 0; i < BUCKETS; i++) {
		for (struct page *page = self->buckets[i]; page; page = page->next) {
			for (size_t word = 0;
			     page->touched && word < self->target.info.page_size / WORD; word++) {
				if (!page->touched[word])
					words_add(&self->unread, page, word * WORD);
			}
		}
	}
}

void overlay_record(struct rbs_target *overlay, bool on)
{
	struct overlay *self = overlay_of(overlay);

	self->recording = on;
	self->unread.count = 0;
	if (!on)
		unread_find(self);
}

static const struct words *words_of(const struct rbs_target *overlay, bool read)
{
	return read ? &overlay_of(overlay)->read : &overlay_of(overlay)->unread;
}

size_t overlay_words(const struct rbs_target *overlay, bool read)
{
	return words_of(overlay, read)->count;
}

uint64_t overlay_word_get(const struct rbs_target *overlay, bool read, size_t number)
{
	const struct word *word = &words_of(overlay, read)->words[number];

	return word->page->bytes
		       ? rbs_target_get_uint(overlay, word->page->bytes + word->offset, WORD)
		       : 0;
}

uint64_t overlay_word_address(const struct rbs_target *overlay, bool read, size_t number)
{
	const struct word *word = &words_of(overlay, read)->words[number];

	return word->page->address + word->offset;
}

/* Keep what it was, once. */
static bool page_alter(struct overlay *self, struct page *page)
{
	if (!page->bytes)
		return false;
	if (page->altered)
		return true;
	if (!page->whole) {
		page->whole = allocate(self->target.info.page_size);
		memcpy(page->whole, page->bytes, self->target.info.page_size);
	}
	page->altered = true;
	if (self->altered_count == self->altered_room) {
		self->altered_room = self->altered_room ? 2 * self->altered_room : 16;
		self->altered =
			reallocarray(self->altered, self->altered_room, sizeof(struct page *));
		if (!self->altered)
			abort();
	}
	self->altered[self->altered_count++] = page;
	return true;
}

void overlay_word_put(struct rbs_target *overlay, bool read, size_t number, uint64_t value)
{
	const struct word *word = &words_of(overlay, read)->words[number];
	bool big = overlay->info.byte_order == RBS_BIG_ENDIAN;

	if (!page_alter(overlay_of(overlay), word->page))
		return;
	for (size_t i = 0; i < WORD; i++)
		word->page->bytes[word->offset + (big ? WORD - 1 - i : i)] =
			(uint8_t)(value >> 8 * i);
}

void overlay_page_fill(struct rbs_target *overlay, size_t number, uint8_t byte)
{
	struct page *page = words_of(overlay, true)->words[number].page;

	if (page_alter(overlay_of(overlay), page))
		memset(page->bytes, byte, overlay->info.page_size);
}

void overlay_page_remove(struct rbs_target *overlay, size_t number, enum rbs_code reason)
{
	struct page *page = words_of(overlay, true)->words[number].page;

	if (page_alter(overlay_of(overlay), page))
		page->damage = reason;
}

void overlay_restore(struct rbs_target *overlay)
{
	struct overlay *self = overlay_of(overlay);

	while (self->altered_count) {
		struct page *page = self->altered[--self->altered_count];

		memcpy(page->bytes, page->whole, overlay->info.page_size);
		page->damage = page->code;
		page->altered = false;
	}
}

void overlay_limit(struct rbs_target *overlay, uint64_t reads)
{
	struct overlay *self = overlay_of(overlay);

	self->limited = reads;
	self->left = reads;
}

bool overlay_limit_reached(const struct rbs_target *overlay)
{
	const struct overlay *self = overlay_of(overlay);

	return self->limited && !self->left;
}
