/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/page_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "tests/damage/page_roots.h"

#define ENTRY_SIZE 8
#define LONG_RUN 32 /* entries */
/* Memory that no guest of the fixtures has, within what an entry of each architecture can name. */
#define BEYOND_STEP (UINT64_C(1) << 39)

struct page_format {
	const char *arch;
	uint64_t valid,
		valid_value; /* (entry & valid) == valid_value, at all levels but the last */
	uint64_t last_valid, last_valid_value;
	uint64_t large, large_value; /* what marks a large page, above the last level */
	unsigned large_levels;	     /* the highest level of large pages */
	uint64_t frame, last_table; /* the address in an entry; in one that leads to a last table */
};

static const struct page_format formats[] = {
	{
		.arch = "x86_64",
		.valid = 1,
		.valid_value = 1,
		.last_valid = 1,
		.last_valid_value = 1,
		.large = 0x80,
		.large_value = 0x80,
		.large_levels = 3,
		.frame = UINT64_C(0x000ffffffffff000),
		.last_table = UINT64_C(0x000ffffffffff000),
	},
	{
		.arch = "aarch64",
		.valid = 1,
		.valid_value = 1,
		.last_valid = 3,
		.last_valid_value = 3,
		.large = 2, /* a block, not a table */
		.large_value = 0,
		.large_levels = 3,
		.frame = UINT64_C(0x0000fffffffff000),
		.last_table = UINT64_C(0x0000fffffffff000),
	},
	{
		.arch = "s390x",
		.valid = 0x20,
		.valid_value = 0,
		.last_valid = 0x400,
		.last_valid_value = 0,
		.large = 0x400,
		.large_value = 0x400,
		.large_levels = 3,
		.frame = ~UINT64_C(0xfff),
		.last_table = ~UINT64_C(0x7ff), /* two of them on a page */
	},
};

struct table {
	uint64_t address; /* physical */
	unsigned level;
	bool half; /* the upper half is another's */
};

struct search {
	struct page_tables *tables;
	const struct excerpt *excerpt;
	struct page_roots roots;
	bool xen;
	struct table *todo;
	size_t todo_count, todo_room, room;
};

static bool page_find(const struct excerpt *excerpt, uint64_t pfn, size_t *page)
{
	size_t low = 0, high = excerpt->page_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (excerpt->pfns[middle] < pfn)
			low = middle + 1;
		else
			high = middle;
	}
	*page = low;
	return low < excerpt->page_count && excerpt->pfns[low] == pfn;
}

/* Whether the excerpt has any page of length bytes from there on. */
static bool has_any(const struct excerpt *excerpt, uint64_t address, uint64_t length)
{
	size_t page;

	return page_find(excerpt, address / excerpt->page_size, &page) ||
	       (page < excerpt->page_count &&
		excerpt->pfns[page] <= (address + length - 1) / excerpt->page_size);
}

static bool entry_is_valid(const struct page_format *format, unsigned level, uint64_t value)
{
	return level == 1 ? (value & format->last_valid) == format->last_valid_value
			  : (value & format->valid) == format->valid_value;
}

static bool entry_is_leaf(const struct page_format *format, unsigned level, uint64_t value)
{
	return level == 1 ||
	       (level <= format->large_levels && (value & format->large) == format->large_value);
}

static void *room_make(void *array, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return array;
	*room = *room ? 2 * *room : 256;
	array = reallocarray(array, *room, size);
	if (!array)
		abort();
	return array;
}

static void entry_add(struct search *self, size_t page, size_t offset, unsigned level,
		      uint64_t value)
{
	struct page_tables *tables = self->tables;

	tables->entries =
		room_make(tables->entries, tables->count, &self->room, sizeof(*tables->entries));
	tables->entries[tables->count++] = (struct table_entry){page, offset, level, value};
}

static void table_add(struct search *self, uint64_t address, unsigned level, bool half)
{
	self->todo = room_make(self->todo, self->todo_count, &self->todo_room, sizeof(*self->todo));
	self->todo[self->todo_count++] = (struct table){address, level, half};
}

static void table_search(struct search *self, const struct table *table)
{
	const struct page_format *format = self->tables->format;
	uint64_t page_size = self->excerpt->page_size;
	uint64_t count = UINT64_C(1) << (self->roots.bits[table->level] - table->half);
	unsigned reach = 0; /* bits of an address below an entry of this level */

	for (unsigned i = 0; i < table->level; i++)
		reach += self->roots.bits[i];
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = table->address + i * ENTRY_SIZE, value, frame;
		size_t page;

		if (!page_find(self->excerpt, at / page_size, &page))
			continue;
		value = rbs_bytes_get(excerpt_page(self->excerpt, page) + at % page_size,
				      ENTRY_SIZE, self->excerpt->big_endian);
		if (!entry_is_valid(format, table->level, value))
			continue;
		if (entry_is_leaf(format, table->level, value)) {
			frame = value & format->frame & ~((UINT64_C(1) << reach) - 1);
			if (has_any(self->excerpt, frame, UINT64_C(1) << reach))
				entry_add(self, page, at % page_size, table->level, value);
			continue;
		}
		frame = value & (table->level == 2 ? format->last_table : format->frame);
		if (!has_any(self->excerpt, frame,
			     ENTRY_SIZE * (UINT64_C(1) << self->roots.bits[table->level - 1])))
			continue;
		entry_add(self, page, at % page_size, table->level, value);
		table_add(self, frame, table->level - 1, false);
	}
}

static int entry_compare(const void *left, const void *right)
{
	const struct table_entry *a = left, *b = right;

	return a->page != b->page ? (a->page > b->page) - (a->page < b->page)
				  : (a->offset > b->offset) - (a->offset < b->offset);
}

/* A table that two entries lead to has been searched twice. */
static void entries_unite(struct page_tables *tables, size_t from)
{
	size_t count = from;

	qsort(tables->entries + from, tables->count - from, sizeof(*tables->entries),
	      entry_compare);
	for (size_t i = from; i < tables->count; i++) {
		if (count == from ||
		    entry_compare(&tables->entries[count - 1], &tables->entries[i]))
			tables->entries[count++] = tables->entries[i];
	}
	tables->count = count;
}

/*
 * Symbols and types lie in long runs of pages, without which there is nothing to be seen: of their
 * entries a few are enough.
 */
static void entries_thin(struct page_tables *tables)
{
	size_t count = 0;

	for (size_t from = 0, to; from < tables->count; from = to) {
		size_t step;

		to = from + 1;
		while (to < tables->count &&
		       tables->entries[to].page == tables->entries[from].page &&
		       tables->entries[to].offset == tables->entries[to - 1].offset + ENTRY_SIZE)
			to++;
		step = to - from > LONG_RUN ? LONG_RUN : 1;
		for (size_t i = from; i < to; i += step)
			tables->entries[count++] = tables->entries[i];
	}
	tables->count = count;
}

static void tables_search(struct search *self)
{
	size_t from = self->tables->count;

	while (self->todo_count) {
		struct table table = self->todo[--self->todo_count];

		table_search(self, &table);
	}
	entries_unite(self->tables, from);
}

/*
 * The top tables of x86-64's processes: their upper half is the kernel's own (pgd_ctor(), kernel
 * mappings are shared). What is read of a process's memory is read through them.
 */
static void processes_search(struct search *self)
{
	const struct excerpt *excerpt = self->excerpt;
	size_t half = excerpt->page_size / 2, kernel;

	if (strcmp(self->roots.arch, "x86_64") || self->xen ||
	    !page_find(excerpt, self->roots.root / excerpt->page_size, &kernel))
		return;
	for (size_t i = 0; i < excerpt->page_count; i++) {
		if (i != kernel && !memcmp(excerpt_page(excerpt, i) + half,
					   excerpt_page(excerpt, kernel) + half, half))
			table_add(self, excerpt->pfns[i] * excerpt->page_size, self->roots.levels,
				  true);
	}
	tables_search(self);
}

bool page_tables_init(struct page_tables *tables, const struct input *input,
		      const struct excerpt *excerpt)
{
	struct search search = {
		.tables = tables, .excerpt = excerpt, .xen = input->xen_syms != NULL};

	*tables = (struct page_tables){0};
	if (!page_roots_find(input, &search.roots))
		return false;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].arch, search.roots.arch))
			tables->format = &formats[i];
	}
	tables->end = (excerpt->pfns[excerpt->page_count - 1] + 1) * excerpt->page_size;
	if (tables->format) {
		table_add(&search, search.roots.root, search.roots.levels, false);
		tables_search(&search);
		entries_thin(tables);
		tables->own = tables->count;
		processes_search(&search);
	}
	free(search.todo);
	if (!tables->own)
		fprintf(stderr, "%s: no page tables found\n", input->path);
	return tables->own;
}

void page_tables_deinit(struct page_tables *tables)
{
	free(tables->entries);
	*tables = (struct page_tables){0};
}

static void entry_put(const struct excerpt *excerpt, uint8_t *bytes, uint64_t value)
{
	for (size_t i = 0; i < ENTRY_SIZE; i++)
		bytes[excerpt->big_endian ? ENTRY_SIZE - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t entry_invalid(const struct page_format *format, unsigned level, uint64_t value)
{
	uint64_t bits = level == 1 ? format->last_valid : format->valid;
	uint64_t good = level == 1 ? format->last_valid_value : format->valid_value;

	/* arm64's last level has two bits: without the first the entry is not valid. */
	return good ? value & ~UINT64_C(1) : value | bits;
}

static void all_put(const struct page_tables *tables, const struct excerpt *excerpt,
		    const struct table_entry *entry, bool itself, uint64_t frame, uint8_t *bytes)
{
	for (size_t at = 0; at < excerpt->page_size; at += ENTRY_SIZE) {
		uint64_t value = rbs_bytes_get(bytes + at, ENTRY_SIZE, excerpt->big_endian);

		entry_put(excerpt, bytes + at,
			  itself ? frame : entry_invalid(tables->format, entry->level, value));
	}
}

void page_tables_damage(const struct page_tables *tables, const struct excerpt *excerpt,
			const struct table_entry *entry, enum table_damage damage, uint64_t random,
			uint8_t *bytes)
{
	const struct page_format *format = tables->format;
	const struct table_entry *other = &tables->entries[random % tables->count];
	uint64_t own = excerpt->pfns[entry->page] * excerpt->page_size;
	uint64_t attributes = entry->value & ~format->frame;
	uint64_t value = entry->value;

	switch (damage) {
	case TABLE_INVALID:
		value = entry_invalid(format, entry->level, value);
		break;
	case TABLE_BEYOND:
		value = attributes | (tables->end / BEYOND_STEP + 1 + random % 64) * BEYOND_STEP;
		break;
	case TABLE_ALL_INVALID:
	case TABLE_ALL_ITSELF:
		all_put(tables, excerpt, entry, damage == TABLE_ALL_ITSELF, attributes | own,
			bytes);
		return;
	case TABLE_OTHER:
		value = other->value;
		break;
	case TABLE_ITSELF:
		value = attributes | own;
		break;
	case TABLE_ANOTHER_PAGE:
		value = attributes |
			excerpt->pfns[random % excerpt->page_count] * excerpt->page_size;
		break;
	case TABLE_LARGE:
		value ^= format->large;
		break;
	case TABLE_NEIGHBOUR:
		value += random % 2 ? excerpt->page_size : -excerpt->page_size;
		break;
	case TABLE_BIT:
		value ^= UINT64_C(1) << random % 64;
		break;
	case TABLE_RANDOM:
		value = random;
		break;
	case TABLE_COPY:
		memcpy(bytes, excerpt_page(excerpt, other->page), excerpt->page_size);
		return;
	case TABLE_DAMAGES:
		break;
	}
	entry_put(excerpt, bytes + entry->offset, value);
}
