/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/kallsyms_find.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)256 << 10)    /* bytes scanned at a time, whole pages */
#define TOKEN_MAX 256		      /* bytes of a token; the kernel's names have up to 512 */
#define WALK_BUDGET (1u << 28)	      /* entries walked over in a whole scan */
#define TABLE_BUDGET 16		      /* token tables looked behind in a whole scan */
#define NAMES_FIRST ((size_t)4 << 20) /* bytes before the token table to begin with */
/* Bytes from the names to the token table per symbol: lengths, codes, markers, seqs_of_names. */
#define SYMBOL_MIN 2
#define SYMBOL_MAX 96

struct scan {
	struct rbs_target *target;
	struct rbs_kallsyms_tables *tables;
	uint64_t stext;
	size_t align; /* of every table: scripts/kallsyms.c's ALGN */
	/* Made-up memory must not keep us: what may still be spent. */
	uint32_t walks;
	uint32_t token_tables;
	uint8_t *window; /* WINDOW and a token index more */
};

/* Memory before an address, as far as it is there without a gap. */
struct span {
	uint8_t *bytes; /* owned */
	uint64_t address;
	size_t size;
};

static uint64_t align_up(uint64_t value, size_t align)
{
	return (value + align - 1) / align * align;
}

/* Missing pages read as 0xff: no table can begin with that. */
static void read_window(struct scan *scan, uint64_t address, size_t length)
{
	size_t page = (size_t)scan->target->info.page_size;

	if (rbs_target_read(scan->target, RBS_KERNEL_VIRTUAL, address, scan->window, length,
			    NULL) == RBS_OK)
		return;
	for (size_t done = 0; done < length;) {
		size_t piece = page - (size_t)((address + done) % page);

		if (piece > length - done)
			piece = length - done;
		if (rbs_target_read(scan->target, RBS_KERNEL_VIRTUAL, address + done,
				    scan->window + done, piece, NULL) != RBS_OK)
			memset(scan->window + done, 0xff, piece);
		done += piece;
	}
}

/* At most limit bytes that end at an address; what is below a missing page is left out. */
static void read_before(struct scan *scan, uint64_t end, size_t limit, struct span *span)
{
	size_t page = (size_t)scan->target->info.page_size;
	size_t size = 0;

	*span = (struct span){.bytes = malloc(limit), .address = end};
	if (!span->bytes)
		return;
	while (size < limit && size < end) {
		size_t piece = (size_t)((end - size) % page);

		if (!piece)
			piece = page;
		if (piece > limit - size)
			piece = limit - size;
		if (rbs_target_read(scan->target, RBS_KERNEL_VIRTUAL, end - size - piece,
				    span->bytes + limit - size - piece, piece, NULL) != RBS_OK)
			break;
		size += piece;
	}
	memmove(span->bytes, span->bytes + limit - size, size);
	span->address = end - size;
	span->size = size;
}

static bool looks_like_index(const struct scan *scan, const uint8_t *bytes)
{
	uint64_t last = 0;

	if (bytes[0] || bytes[1])
		return false;
	for (size_t i = 1; i < RBS_KALLSYMS_TOKENS; i++) {
		uint64_t offset = rbs_target_get_uint(scan->target, bytes + 2 * i, 2);

		if (offset <= last || offset - last > TOKEN_MAX)
			return false;
		last = offset;
	}
	return true;
}

/* Where the token table begins that this index belongs to; 0 when there is none before it. */
static uint64_t find_token_table(struct scan *scan, uint64_t index_address, const uint8_t *index)
{
	uint64_t last = rbs_target_get_uint(scan->target, index + 2 * (size_t)(RBS_KALLSYMS_TOKENS - 1), 2);
	size_t limit = (size_t)last + TOKEN_MAX + scan->align;
	struct span span;
	uint64_t found = 0;

	read_before(scan, index_address, limit, &span);
	for (uint64_t size = align_up(last + 1, scan->align); size <= span.size && !found;
	     size += scan->align) {
		const uint8_t *table = span.bytes + span.size - size;
		bool fits;
		const uint8_t *end = memchr(table + last, '\0', (size_t)(size - last));

		/* The last string, then nothing but padding. */
		fits = end && align_up((uint64_t)(end - table) + 1, scan->align) == size;
		for (size_t i = 1; fits && i < RBS_KALLSYMS_TOKENS; i++) {
			size_t from =
				(size_t)rbs_target_get_uint(scan->target, index + 2 * i - 2, 2);
			size_t to = (size_t)rbs_target_get_uint(scan->target, index + 2 * i, 2);

			fits = memchr(table + from, '\0', to - from) == table + to - 1;
		}
		if (fits)
			found = index_address - size;
	}
	free(span.bytes);
	return found;
}

/*
 * Do count entries at a position end where the markers begin, and do these name the place of every
 * 256th entry? kallsyms_markers are longs before "kallsyms: reduce size a little on 64-bit" (4.20).
 */
static bool names_fit(struct scan *scan, const struct span *span, size_t names, uint32_t count,
		      bool wide_lengths)
{
	struct rbs_kallsyms_codec lengths = {.wide_lengths = wide_lengths};
	size_t marks = (count + 255) / 256;
	uint32_t *starts = calloc(marks, sizeof(*starts));
	size_t position = names;
	bool fits = starts != NULL;

	for (uint32_t i = 0; fits && i < count; i++) {
		struct rbs_kallsyms_entry entry;

		if (i % 256 == 0)
			starts[i / 256] = (uint32_t)(position - names);
		fits = scan->walks &&
		       rbs_kallsyms_entry_at(&lengths, span->bytes, span->size, position, &entry);
		if (fits) {
			scan->walks--;
			position = entry.next;
		}
	}
	if (fits) {
		size_t markers =
			(size_t)(align_up(span->address + position, scan->align) - span->address);

		fits = false;
		for (size_t width = 4; !fits && width <= scan->target->info.word_size; width += 4) {
			fits = markers <= span->size && marks * width <= span->size - markers;
			for (size_t i = 0; fits && i < marks; i++)
				fits = rbs_target_get_uint(scan->target,
							   span->bytes + markers + width * i,
							   width) == starts[i];
		}
	}
	free(starts);
	return fits;
}

static bool try_layout(struct scan *scan, const struct rbs_kallsyms_layout *layout, uint32_t count)
{
	if (scan->walks < count)
		return false;
	scan->walks -= count;
	return rbs_kallsyms_tables_init(scan->tables, scan->target, layout, scan->stext, NULL) ==
	       RBS_OK;
}

/* The addresses are where one of the orders puts them; the one that gives _stext is it. */
static bool try_orders(struct scan *scan, const struct rbs_kallsyms_layout *found, uint32_t count)
{
	size_t word = scan->target->info.word_size;
	uint64_t words = (uint64_t)count * word;
	uint64_t offsets = align_up(4 * (uint64_t)count, scan->align);
	uint64_t after = align_up(found->token_index + RBS_KALLSYMS_INDEX_SIZE, scan->align);
	struct rbs_kallsyms_layout layout = *found;

	layout.relative_base = found->num_syms - word;
	layout.offsets = layout.relative_base - offsets;
	if (try_layout(scan, &layout, count))
		return true;
	layout.offsets = after;
	layout.relative_base = after + offsets;
	if (try_layout(scan, &layout, count))
		return true;
	layout.offsets = layout.relative_base = 0;
	layout.addresses = found->num_syms - words;
	return try_layout(scan, &layout, count);
}

/*
 * kallsyms_num_syms is right before the names; the rest must prove that a number is it. The first
 * 'done' bytes before the token table have been searched.
 */
static bool search_names(struct scan *scan, const struct span *span, size_t done,
			 struct rbs_kallsyms_layout *layout)
{
	for (size_t back = done + 2 * scan->align; back <= span->size; back += scan->align) {
		const uint8_t *at = span->bytes + span->size - back;
		size_t names = span->size - back + scan->align;
		size_t distance = span->size - names;
		uint64_t count = rbs_target_get_uint(scan->target, at, 4);

		if (!count && scan->align == 8)
			count = rbs_target_get_uint(scan->target, at, 8);
		if (count < distance / SYMBOL_MAX || count > distance / SYMBOL_MIN || !count)
			continue;
		if (!names_fit(scan, span, names, (uint32_t)count, true) &&
		    !names_fit(scan, span, names, (uint32_t)count, false))
			continue;
		layout->num_syms = span->address + names - scan->align;
		layout->names = span->address + names;
		if (try_orders(scan, layout, (uint32_t)count))
			return true;
	}
	return false;
}

static bool find_names(struct scan *scan, struct rbs_kallsyms_layout *layout)
{
	size_t done = 0;
	bool found = false;

	/* 15 bytes a symbol are usual: seldom is a second, larger piece needed. */
	for (size_t limit = NAMES_FIRST; !found && limit <= RBS_KALLSYMS_NAMES_LIMIT; limit *= 4) {
		struct span span;

		read_before(scan, layout->token_table, limit, &span);
		found = search_names(scan, &span, done, layout);
		free(span.bytes);
		if (span.size < limit)
			break;
		done = limit - 2 * scan->align;
	}
	return found;
}

/* Look for the tables whose index begins at address up to address + length. */
static bool scan_window(struct scan *scan, uint64_t address, size_t length)
{
	read_window(scan, address, length + RBS_KALLSYMS_INDEX_SIZE);
	for (size_t at = 0; at < length; at += scan->align) {
		struct rbs_kallsyms_layout layout = {.token_index = address + at};

		if (!scan->token_tables || !looks_like_index(scan, scan->window + at))
			continue;
		layout.token_table = find_token_table(scan, layout.token_index, scan->window + at);
		if (layout.token_table <= scan->stext)
			continue;
		scan->token_tables--;
		if (find_names(scan, &layout))
			return true;
	}
	return false;
}

/*
 * The tables are read-only data, between the code and the data. Where data is, VMCOREINFO knows: so
 * begin there and go down, which reads a third of what going up from _stext would.
 */
static uint64_t guess_data(struct scan *scan)
{
	static const char *const names[] = {"init_uts_ns", "swapper_pg_dir", "node_online_map",
					    "mem_section", "vmap_area_list"};
	uint64_t lowest = scan->stext;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t address;

		if (!rbs_vmcoreinfo_symbol(scan->target, names[i], &address))
			continue;
		if (address <= scan->stext || address - scan->stext > RBS_KALLSYMS_SCAN_LIMIT)
			continue;
		if (lowest == scan->stext || address < lowest)
			lowest = address;
	}
	return scan->stext + (lowest - scan->stext) / WINDOW * WINDOW;
}

static enum rbs_code scan_image(struct scan *scan, struct rbs_error *err)
{
	uint64_t middle = guess_data(scan);
	uint64_t top = scan->stext + RBS_KALLSYMS_SCAN_LIMIT;
	size_t below = (size_t)((middle - scan->stext) / WINDOW);
	size_t all = (size_t)((top - scan->stext) / WINDOW);

	for (size_t i = 0; i < all; i++) {
		uint64_t address =
			i < below ? middle - (i + 1) * WINDOW : middle + (i - below) * WINDOW;

		if (rbs_target_interrupted(scan->target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (scan_window(scan, address, WINDOW))
			return RBS_OK;
	}
	return rbs_error_set_at(err, RBS_NO_SYMBOL, scan->stext,
				"no kallsyms tables in the %u MiB from _stext at %" PRIx64,
				RBS_KALLSYMS_SCAN_LIMIT >> 20, scan->stext);
}

enum rbs_code rbs_kallsyms_find(struct rbs_kallsyms_tables *tables, struct rbs_target *target,
				uint64_t stext, struct rbs_error *err)
{
	struct scan scan = {
		.target = target,
		.tables = tables,
		.stext = stext,
		.align = target->info.word_size,
		.walks = WALK_BUDGET,
		.token_tables = TABLE_BUDGET,
	};
	enum rbs_code code;

	if (stext % scan.align || stext + RBS_KALLSYMS_SCAN_LIMIT + WINDOW < stext)
		return rbs_error_set_at(err, RBS_CORRUPT, stext,
					"_stext at %" PRIx64 " makes no sense", stext);
	scan.window = malloc(WINDOW + RBS_KALLSYMS_INDEX_SIZE);
	if (!scan.window)
		return rbs_error_set(err, RBS_NOMEM, "kallsyms: out of memory");
	code = scan_image(&scan, err);
	free(scan.window);
	return code;
}
