/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A full dump of amd64: all memory, as segments of an ELF core file without notes
 * (sys/kern/kern_dump.c: dumpsys_generic).
 *
 * Its page tables are found by KPML4phys, a variable of the kernel that holds their physical
 * address. The kernel is linked for one place and may be loaded at another, 2 MiB steps away (UEFI,
 * 13.0 and later); that its own tables map the variable to where it was read from proves the place.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/target/freebsd_private.h"

#define KERNBASE UINT64_C(0xffffffff80000000)
#define LOAD_STEP (UINT64_C(2) << 20)
#define PAGE UINT64_C(4096)
#define ENTRY_PRESENT UINT64_C(1)
#define ENTRY_ADDRESS UINT64_C(0x000ffffffffff000)
/* amd64's pmap.h: PML4PML4I, the entry by which the top table maps itself; KPML4I, the kernel's. */
#define SELF_ENTRY 256
#define KERNEL_ENTRY 511
/* Where tables are looked for without symbols: they are made right behind the kernel. */
#define SEARCH_END (UINT64_C(1) << 30)

#define header_field(bytes, name)                                                                  \
	rbs_bytes_little((bytes) + offsetof(Elf64_Ehdr, name), sizeof(((Elf64_Ehdr *)0)->name))
#define segment_field(bytes, name)                                                                 \
	rbs_bytes_little((bytes) + offsetof(Elf64_Phdr, name), sizeof(((Elf64_Phdr *)0)->name))

static enum rbs_code program_header(struct freebsd_file *file, const uint8_t *head, uint64_t index,
				    uint8_t bytes[sizeof(Elf64_Phdr)], struct rbs_error *err)
{
	uint64_t table = header_field(head, e_phoff);

	if (table > file->size)
		return rbs_error_set(err, RBS_TRUNCATED, "the dump is cut off in its headers");
	return freebsd_file_read(file, table + index * sizeof(Elf64_Phdr), bytes,
				 sizeof(Elf64_Phdr), err);
}

bool freebsd_full_detect(struct freebsd_file *file, const uint8_t *head, size_t size)
{
	uint8_t bytes[sizeof(Elf64_Phdr)];
	uint64_t count;

	if (size < sizeof(Elf64_Ehdr) || memcmp(head, ELFMAG, SELFMAG) ||
	    head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB ||
	    header_field(head, e_type) != ET_CORE ||
	    header_field(head, e_phentsize) != sizeof(Elf64_Phdr))
		return false;
	count = header_field(head, e_phnum);
	for (uint64_t i = 0; i < count; i++) {
		if (program_header(file, head, i, bytes, NULL) != RBS_OK ||
		    segment_field(bytes, p_type) != PT_LOAD ||
		    segment_field(bytes, p_vaddr) != segment_field(bytes, p_paddr))
			return false;
	}
	return count != 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct freebsd_segment *left = a, *right = b;

	return left->physical < right->physical ? -1 : left->physical > right->physical;
}

static enum rbs_code segments_load(struct freebsd_target *self, const uint8_t *head,
				   struct rbs_error *err)
{
	struct freebsd_full *full = &self->full;
	uint64_t count = header_field(head, e_phnum);
	uint8_t bytes[sizeof(Elf64_Phdr)];

	full->segments = calloc(count, sizeof(*full->segments));
	if (!full->segments)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	for (uint64_t i = 0; i < count; i++) {
		struct freebsd_segment *segment = &full->segments[full->segment_count];
		enum rbs_code code = program_header(&self->file, head, i, bytes, err);

		if (code != RBS_OK)
			return code;
		segment->physical = segment_field(bytes, p_paddr);
		segment->size = segment_field(bytes, p_filesz);
		segment->offset = segment_field(bytes, p_offset);
		if (segment->physical + segment->size < segment->physical ||
		    segment->offset + segment->size < segment->offset)
			return rbs_error_set(err, RBS_CORRUPT,
					     "segment %" PRIu64 " of the dump runs over the end of "
					     "memory",
					     i);
		if (self->end < segment->offset + segment->size)
			self->end = segment->offset + segment->size;
		full->segment_count += segment->size != 0;
	}
	qsort(full->segments, full->segment_count, sizeof(*full->segments), compare_segments);
	for (size_t i = 1; i < full->segment_count; i++) {
		if (full->segments[i].physical - full->segments[i - 1].physical <
		    full->segments[i - 1].size)
			return rbs_error_set(err, RBS_CORRUPT,
					     "two segments of the dump hold the memory at %" PRIx64,
					     full->segments[i].physical);
	}
	return RBS_OK;
}

enum rbs_code freebsd_full_init(struct freebsd_target *self, const uint8_t *head,
				struct rbs_error *err)
{
	struct rbs_target_info *info = &self->target.info;

	if (header_field(head, e_machine) != EM_X86_64)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "a full dump of FreeBSD on a machine of ELF number %" PRIu64
				     "; only amd64's are read, and minidumps of arm64 and i386",
				     header_field(head, e_machine));
	info->word_size = 8;
	info->page_size = PAGE;
	snprintf(info->arch, sizeof(info->arch), "amd64");
	snprintf(info->format, sizeof(info->format), "FreeBSD full dump");
	return segments_load(self, head, err);
}

void freebsd_full_deinit(struct freebsd_full *full)
{
	free(full->segments);
}

enum rbs_code freebsd_full_find(const struct freebsd_target *self, uint64_t physical,
				uint64_t *offset, uint64_t *length, struct rbs_error *err)
{
	const struct freebsd_full *full = &self->full;
	size_t low = 0, high = full->segment_count;
	uint64_t into;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (full->segments[middle].physical <= physical)
			low = middle + 1;
		else
			high = middle;
	}
	into = low ? physical - full->segments[low - 1].physical : 0;
	if (!low || into >= full->segments[low - 1].size)
		return rbs_error_set(err, RBS_UNMAPPED, "there is no memory at %" PRIx64, physical);
	*offset = full->segments[low - 1].offset + into;
	*length = full->segments[low - 1].size - into;
	return RBS_OK;
}

static bool word_read(struct freebsd_target *self, uint64_t physical, uint64_t *word)
{
	uint8_t bytes[8];

	if (rbs_target_read(&self->target, RBS_PHYSICAL, physical, bytes, sizeof(bytes), NULL) !=
	    RBS_OK)
		return false;
	*word = rbs_bytes_little(bytes, sizeof(bytes));
	return true;
}

/* The root that the variable would hold if it lay at physical, where the tables agree. */
static bool root_try(struct freebsd_target *self, uint64_t variable, uint64_t physical)
{
	uint64_t root, found;

	if (!word_read(self, physical, &root) || !root || root & (PAGE - 1))
		return false;
	rbs_x86_walk_init(&self->full.walk, &self->target, root, 4);
	self->full.has_root =
		rbs_x86_translate(&self->full.walk, variable, &found, NULL) == RBS_OK &&
		found == physical;
	return self->full.has_root;
}

static uint64_t memory_end(const struct freebsd_full *full)
{
	const struct freebsd_segment *last = full->segments + full->segment_count - 1;

	return full->segment_count ? last->physical + last->size : 0;
}

static enum rbs_code root_by_symbol(struct freebsd_target *self, uint64_t variable, uint64_t base,
				    struct rbs_error *err)
{
	uint64_t linked = variable - base, first = linked % LOAD_STEP,
		 end = memory_end(&self->full);

	if (variable < base)
		return rbs_error_set(
			err, RBS_MISMATCH,
			"the kernel's symbols are not of an amd64 kernel: KPML4phys is "
			"at %" PRIx64,
			variable);
	if (root_try(self, variable, linked))
		return RBS_OK;
	for (uint64_t at = first; at < end && at >= first; at += LOAD_STEP) {
		if (rbs_target_interrupted(&self->target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (root_try(self, variable, at))
			return RBS_OK;
	}
	return rbs_error_set(err, RBS_MISMATCH,
			     "no page tables where the symbols say (KPML4phys at %" PRIx64
			     "): they are not of the kernel in this dump",
			     variable);
}

/* A page whose entry for itself is its own address, and that maps a kernel. */
static enum rbs_code root_by_search(struct freebsd_target *self, struct rbs_error *err)
{
	uint64_t end = memory_end(&self->full), entry, found;

	for (uint64_t page = 0; page < end && page < SEARCH_END; page += PAGE) {
		if (!word_read(self, page + UINT64_C(8) * SELF_ENTRY, &entry) ||
		    !(entry & ENTRY_PRESENT) || (entry & ENTRY_ADDRESS) != page ||
		    !word_read(self, page + UINT64_C(8) * KERNEL_ENTRY, &entry) ||
		    !(entry & ENTRY_PRESENT))
			continue;
		rbs_x86_walk_init(&self->full.walk, &self->target, page, 4);
		for (uint64_t step = 0; step < 8 && !self->full.has_root; step++)
			self->full.has_root =
				rbs_x86_translate(&self->full.walk, KERNBASE + step * LOAD_STEP,
						  &found, NULL) == RBS_OK;
		if (self->full.has_root)
			return RBS_OK;
	}
	return rbs_error_set(err, RBS_NO_SYMBOL,
			     "no page tables were found: give the kernel of this dump as the "
			     "second file");
}

enum rbs_code rbs_freebsd_root_find(struct rbs_target *target, struct rbs_symbols *symbols,
				    struct rbs_error *err)
{
	struct freebsd_target *self = freebsd_target_from(target);
	uint64_t variable, base;

	if (!self->is_full || self->full.has_root)
		return RBS_OK;
	if (rbs_symbols_find(symbols, NULL, "KPML4phys", &variable, NULL) != RBS_OK)
		return root_by_search(self, err);
	if (rbs_symbols_find(symbols, NULL, "kernbase", &base, NULL) != RBS_OK)
		base = KERNBASE;
	return root_by_symbol(self, variable, base, err);
}
