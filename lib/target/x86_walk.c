/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/x86_walk.h"

#include <inttypes.h>

#include "lib/bytes.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE (UINT64_C(1) << PAGE_SHIFT)
#define LEVEL_BITS 9
#define LARGEST_SHIFT 30 /* of a page */
#define ENTRY_SIZE 8
#define ENTRY_PRESENT UINT64_C(1)
#define ENTRY_LARGE (UINT64_C(1) << 7)
#define ENTRY_ADDRESS UINT64_C(0x000ffffffffff000)
#define LARGE_PAT UINT64_C(0x1000) /* of a large page's entry; the bits above it are reserved */

void rbs_x86_walk_init(struct rbs_x86_walk *walk, struct rbs_target *machine, uint64_t root,
		       unsigned levels)
{
	*walk = (struct rbs_x86_walk){
		.machine = machine, .root = root & ENTRY_ADDRESS, .levels = levels};
}

/* Of the index into the top table. */
static unsigned top_shift(const struct rbs_x86_walk *walk)
{
	return PAGE_SHIFT + (walk->levels - 1) * LEVEL_BITS;
}

/* The highest bit that is translated is repeated above it. */
static bool is_canonical(const struct rbs_x86_walk *walk, uint64_t address)
{
	uint64_t top = address >> (top_shift(walk) + LEVEL_BITS - 1);

	return top == 0 || top == UINT64_MAX >> (top_shift(walk) + LEVEL_BITS - 1);
}

static enum rbs_code entry_read(struct rbs_x86_walk *walk, uint64_t at, uint64_t address,
				uint64_t *entry, struct rbs_error *err)
{
	uint8_t bytes[ENTRY_SIZE];
	struct rbs_error error;
	enum rbs_code code =
		rbs_target_read(walk->machine, RBS_PHYSICAL, at, bytes, sizeof(bytes), &error);

	if (code != RBS_OK)
		return rbs_error_set_at(err, code, address,
					"a page table of %" PRIx64 " cannot be read: %s", address,
					error.text);
	*entry = rbs_bytes_little(bytes, sizeof(bytes));
	return RBS_OK;
}

/*
 * Bits that are reserved (SDM, tables 4-14 to 4-19): a processor takes no such entry, so that
 * memory is damaged. In the tables of pages beyond 1 GiB no entry is of a page.
 */
static bool is_sound(uint64_t entry, unsigned shift)
{
	uint64_t in_page = (UINT64_C(1) << shift) - 1;

	if (shift == PAGE_SHIFT || !(entry & ENTRY_LARGE))
		return true;
	return shift <= LARGEST_SHIFT && !(entry & in_page & ENTRY_ADDRESS & ~LARGE_PAT);
}

static enum rbs_code tables_walk(struct rbs_x86_walk *walk, uint64_t address, uint64_t *physical,
				 struct rbs_error *err)
{
	uint64_t table = walk->root;

	for (unsigned shift = top_shift(walk);; shift -= LEVEL_BITS) {
		uint64_t index = address >> shift & ((1u << LEVEL_BITS) - 1);
		uint64_t in_page = (UINT64_C(1) << shift) - 1;
		uint64_t entry;
		enum rbs_code code =
			entry_read(walk, table + index * ENTRY_SIZE, address, &entry, err);

		if (code != RBS_OK)
			return code;
		if (!(entry & ENTRY_PRESENT))
			return rbs_error_set_at(err, RBS_UNMAPPED, address,
						"%" PRIx64 " is not mapped", address);
		if (!is_sound(entry, shift))
			return rbs_error_set_at(err, RBS_CORRUPT, address,
						"%" PRIx64 ": no page table has the entry %" PRIx64,
						address, entry);
		table = entry & ENTRY_ADDRESS;
		/* In the last table the bit is PAT. */
		if (shift == PAGE_SHIFT || (entry & ENTRY_LARGE)) {
			*physical = (table & ~in_page) | (address & in_page);
			return RBS_OK;
		}
	}
}

enum rbs_code rbs_x86_translate(struct rbs_x86_walk *walk, uint64_t address, uint64_t *physical,
				struct rbs_error *err)
{
	uint64_t number = address >> PAGE_SHIFT, offset = address & (PAGE_SIZE - 1);
	size_t slot = number % RBS_X86_TLB_SIZE;
	enum rbs_code code;

	if (!is_canonical(walk, address))
		return rbs_error_set_at(err, RBS_UNMAPPED, address,
					"%" PRIx64 " is no address of this machine", address);
	if (walk->tlb[slot].virtual_page != number + 1) {
		code = tables_walk(walk, address - offset, &walk->tlb[slot].physical, err);
		walk->tlb[slot].virtual_page = code == RBS_OK ? number + 1 : 0;
		if (code != RBS_OK)
			return code;
	}
	*physical = walk->tlb[slot].physical + offset;
	return RBS_OK;
}

enum rbs_code rbs_x86_read(struct rbs_x86_walk *walk, uint64_t address, void *buffer, size_t length,
			   struct rbs_error *err)
{
	uint8_t *to = buffer;

	while (length) {
		size_t step = rbs_page_part(address, length, PAGE_SIZE);
		struct rbs_error error;
		uint64_t physical;
		enum rbs_code code = rbs_x86_translate(walk, address, &physical, err);

		if (code != RBS_OK)
			return code;
		code = rbs_target_read(walk->machine, RBS_PHYSICAL, physical, to, step, &error);
		if (code != RBS_OK)
			return rbs_error_set_at(err, code, address, "%" PRIx64 ": %s", address,
						error.text);
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}
