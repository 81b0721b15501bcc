/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a minidump: a page of header, the message buffer, dump_avail (newer versions), the
 * bitmap of dumped pages, pmap, and the pages. Each part begins on a page.
 *
 * A page's place is the number of set bits before its own: each block of the bitmap keeps how many
 * come before it, so that a look-up counts at most a block.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/target/freebsd_private.h"

#define MAGIC "minidump FreeBSD/"
#define MAGIC_SIZE 24
#define WORD_BITS 64
#define BLOCK_WORDS 8
#define PAGE_4K UINT64_C(4096)
#define PAGE_16K UINT64_C(16384)

/* Offsets in the header; 0: there is no such field. */
struct layout {
	const char *name; /* as FreeBSD says: what uname -p prints */
	unsigned newest;
	unsigned word_size;
	uint8_t dmapphys, dmapbase, dmapend;
	uint8_t avail; /* size of dump_avail */
	unsigned avail_since;
	uint8_t flags;
	unsigned flags_since;
	uint8_t paemode;
};

enum { VERSION = 24, MESSAGES_SIZE = 28, BITMAP_SIZE = 32, PMAP_SIZE = 36, KERNBASE = 40 };

static const struct layout layouts[] = {
	[FREEBSD_AMD64] = {"amd64", 3, 8, 0, 48, 56, 64, 3, 0, 0, 0},
	[FREEBSD_ARM64] = {"arm64", 3, 8, 48, 56, 64, 72, 2, 76, 3, 0},
	[FREEBSD_I386] = {"i386", 2, 4, 0, 0, 0, 48, 2, 0, 0, 44},
};

#define LAYOUT_COUNT (sizeof(layouts) / sizeof(layouts[0]))

bool freebsd_mini_detect(const uint8_t *head, size_t size)
{
	return size >= MAGIC_SIZE && !memcmp(head, MAGIC, sizeof(MAGIC) - 1);
}

static uint64_t field(const uint8_t *head, uint8_t offset, size_t size)
{
	return offset ? rbs_bytes_little(head + offset, size) : 0;
}

static enum rbs_code arch_find(struct freebsd_mini *mini, const uint8_t *head,
			       struct rbs_error *err)
{
	char name[MAGIC_SIZE] = "";

	/* Printable whatever was there: it is for the message as well. */
	for (size_t i = sizeof(MAGIC) - 1; i < MAGIC_SIZE && head[i] > ' ' && head[i] < 0x7f; i++)
		name[i - (sizeof(MAGIC) - 1)] = (char)head[i];
	mini->version = (unsigned)field(head, VERSION, 4);
	for (size_t i = 0; i < LAYOUT_COUNT; i++) {
		if (strcmp(layouts[i].name, name))
			continue;
		mini->arch = (enum freebsd_arch)i;
		if (mini->version && mini->version <= layouts[i].newest)
			return RBS_OK;
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "a FreeBSD minidump of %s, version %u; versions 1 to %u are "
				     "read",
				     name, mini->version, layouts[i].newest);
	}
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "a FreeBSD minidump of %s; amd64, arm64 and i386 are read", name);
}

/* minidump.h of arm64: MINIDUMP_FLAG_PS_MASK and its values; the field came with version 3. */
static enum rbs_code page_size_find(struct freebsd_target *self, const uint8_t *head,
				    struct rbs_error *err)
{
	const struct layout *layout = &layouts[self->mini.arch];
	uint64_t flags = 0;

	if (layout->flags && self->mini.version >= layout->flags_since)
		flags = field(head, layout->flags, 4);
	if ((flags & 3) > 1)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "a FreeBSD minidump with pages of an unknown size (flags "
				     "%" PRIx64 ")",
				     flags);
	self->target.info.page_size = (flags & 3) == 1 ? PAGE_16K : PAGE_4K;
	return RBS_OK;
}

static void info_fill(struct freebsd_target *self)
{
	struct rbs_target_info *info = &self->target.info;
	const struct layout *layout = &layouts[self->mini.arch];

	info->word_size = layout->word_size;
	snprintf(info->arch, sizeof(info->arch), "%s", layout->name);
	snprintf(info->format, sizeof(info->format), "FreeBSD minidump v%u", self->mini.version);
}

static enum rbs_code cut_off(struct rbs_error *err, const char *part)
{
	return rbs_error_set(err, RBS_TRUNCATED,
			     "the dump is cut off: the file ends before its %s does", part);
}

static enum rbs_code bitmap_load(struct freebsd_target *self, uint64_t offset, uint64_t size,
				 struct rbs_error *err)
{
	struct freebsd_mini *mini = &self->mini;
	size_t words = (size + 7) / 8, blocks = words / BLOCK_WORDS + 1;
	uint64_t count = 0;
	enum rbs_code code;

	if (!size || size > FREEBSD_BITMAP_LIMIT)
		return rbs_error_set(err, RBS_CORRUPT,
				     "the header is damaged: a bitmap of %" PRIu64 " bytes", size);
	if (offset > self->file.size || size > self->file.size - offset)
		return cut_off(err, "bitmap of pages");
	mini->words = calloc(words, sizeof(*mini->words));
	mini->counts = calloc(blocks, sizeof(*mini->counts));
	if (!mini->words || !mini->counts)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = freebsd_file_read(&self->file, offset, mini->words, size, err);
	if (code != RBS_OK)
		return code;
	for (size_t i = 0; i < words; i++) {
		if (i % BLOCK_WORDS == 0)
			mini->counts[i / BLOCK_WORDS] = count;
		mini->words[i] = rbs_bytes_little(&mini->words[i], 8);
		count += (uint64_t)__builtin_popcountll(mini->words[i]);
	}
	mini->bit_count = size * 8;
	mini->page_count = count;
	return RBS_OK;
}

/* Pairs of start and end in bytes, 64 bits each on all machines, up to a pair that ends at 0. */
static enum rbs_code ranges_load(struct freebsd_target *self, uint64_t offset, uint64_t size,
				 struct rbs_error *err)
{
	struct freebsd_mini *mini = &self->mini;
	uint64_t page = self->target.info.page_size, bit = 0, last = 0;
	uint8_t pair[16];

	if (size > FREEBSD_RANGE_LIMIT * sizeof(pair))
		return rbs_error_set(err, RBS_CORRUPT,
				     "the header is damaged: a dump_avail of %" PRIu64 " bytes",
				     size);
	if (offset > self->file.size || size > self->file.size - offset)
		return cut_off(err, "dump_avail");
	mini->ranges = calloc(size / sizeof(pair) + 1, sizeof(*mini->ranges));
	if (!mini->ranges)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	for (uint64_t at = 0; at + sizeof(pair) <= size; at += sizeof(pair)) {
		struct freebsd_range *range = &mini->ranges[mini->range_count];
		uint64_t start, end;
		enum rbs_code code =
			freebsd_file_read(&self->file, offset + at, pair, sizeof(pair), err);

		if (code != RBS_OK)
			return code;
		start = rbs_bytes_little(pair, 8);
		end = rbs_bytes_little(pair + 8, 8);
		if (!end)
			break;
		*range = (struct freebsd_range){start / page, end / page + (end % page != 0), bit};
		if (end <= start || range->start < last)
			return rbs_error_set(err, RBS_CORRUPT,
					     "dump_avail is damaged: memory from %" PRIx64
					     " to %" PRIx64,
					     start, end);
		bit += range->end - range->start;
		last = range->end;
		mini->range_count++;
	}
	return RBS_OK;
}

enum rbs_code freebsd_mini_init(struct freebsd_target *self, const uint8_t *head,
				struct rbs_error *err)
{
	struct freebsd_mini *mini = &self->mini;
	const struct layout *layout;
	uint64_t page, at, avail = 0, bitmap = field(head, BITMAP_SIZE, 4);
	enum rbs_code code = arch_find(mini, head, err);

	if (code == RBS_OK)
		code = page_size_find(self, head, err);
	if (code != RBS_OK)
		return code;
	info_fill(self);
	layout = &layouts[mini->arch];
	page = self->target.info.page_size;
	mini->kernbase = field(head, KERNBASE, layout->word_size);
	mini->dmapphys = field(head, layout->dmapphys, 8);
	mini->dmapbase = field(head, layout->dmapbase, 8);
	mini->dmapend = field(head, layout->dmapend, 8);
	mini->pae = field(head, layout->paemode, 4) != 0;
	mini->messages_size = field(head, MESSAGES_SIZE, 4);
	mini->pmap_size = field(head, PMAP_SIZE, 4);
	if (mini->version >= layout->avail_since)
		avail = field(head, layout->avail, 4);
	/* 32-bit sizes: no sum of them overflows. */
	mini->messages_offset = page;
	at = page + (mini->messages_size + page - 1) / page * page;
	if (avail) {
		code = ranges_load(self, at, avail, err);
		at += (avail + page - 1) / page * page;
	}
	if (code == RBS_OK)
		code = bitmap_load(self, at, bitmap, err);
	mini->pmap_offset = at + (bitmap + page - 1) / page * page;
	mini->pages_offset = mini->pmap_offset + (mini->pmap_size + page - 1) / page * page;
	self->end = mini->pages_offset + mini->page_count * page;
	if (code == RBS_OK && mini->pages_offset > self->file.size)
		code = cut_off(err, "page tables");
	return code;
}

void freebsd_mini_deinit(struct freebsd_mini *mini)
{
	free(mini->words);
	free(mini->counts);
	free(mini->ranges);
}

/*
 * The bit of a page. Where dump_avail is in the dump (13.0 and later) bits count its pages; before,
 * they are page numbers.
 */
static bool bit_find(const struct freebsd_mini *mini, uint64_t page, uint64_t *bit)
{
	size_t low = 0, high = mini->range_count;

	*bit = page;
	if (!mini->ranges)
		return page < mini->bit_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mini->ranges[middle].end <= page)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == mini->range_count || page < mini->ranges[low].start)
		return false;
	*bit = mini->ranges[low].bit + (page - mini->ranges[low].start);
	return *bit < mini->bit_count;
}

enum rbs_code freebsd_mini_page(const struct freebsd_target *self, uint64_t physical,
				uint64_t *offset, struct rbs_error *err)
{
	const struct freebsd_mini *mini = &self->mini;
	uint64_t bit, word, before;

	if (!bit_find(mini, physical / self->target.info.page_size, &bit))
		return rbs_error_set(err, RBS_UNMAPPED, "there is no memory at %" PRIx64, physical);
	word = bit / WORD_BITS;
	if (!(mini->words[word] >> bit % WORD_BITS & 1))
		return rbs_error_set(err, RBS_EXCLUDED,
				     "the page at physical %" PRIx64 " is not in the minidump",
				     physical);
	before = mini->counts[word / BLOCK_WORDS];
	for (uint64_t i = word / BLOCK_WORDS * BLOCK_WORDS; i < word; i++)
		before += (uint64_t)__builtin_popcountll(mini->words[i]);
	before += (uint64_t)__builtin_popcountll(mini->words[word] &
						 ((UINT64_C(1) << bit % WORD_BITS) - 1));
	*offset = mini->pages_offset + before * self->target.info.page_size;
	return RBS_OK;
}
