/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Virtual addresses of a minidump: the direct map by arithmetic, the rest by the entries that the
 * minidump keeps in its pmap part.
 *
 * amd64 keeps an entry for every 4 KiB above kernbase in version 1, and one for every 2 MiB since
 * version 2, whose tables are pages of the dump; arm64 and i386 keep an entry a page in all
 * versions (lib/libkvm/kvm_minidump_ARCH.c: _ARCH_minidump_vatop).
 */
#include <inttypes.h>

#include "lib/bytes.h"
#include "lib/target/freebsd_private.h"

/* Intel SDM volume 3, "4-Level Paging" and "PAE Paging". */
#define X86_PRESENT UINT64_C(1)
#define X86_LARGE UINT64_C(0x80)
#define X86_ADDRESS UINT64_C(0x000ffffffffff000)
#define X86_ADDRESS_2M UINT64_C(0x000fffffffe00000)
#define I386_ADDRESS UINT64_C(0xfffff000)
#define X86_SHIFT_2M 21
#define X86_TABLE_ENTRIES 512
/* Arm ARM, "VMSAv8-64 descriptor formats": a page at level 3; bits 50 and 51 are flags. */
#define ARM64_PAGE UINT64_C(3)
#define ARM64_ADDRESS UINT64_C(0x0003fffffffff000)

static enum rbs_code not_mapped(struct rbs_error *err)
{
	return rbs_error_set(err, RBS_UNMAPPED, "not mapped");
}

static enum rbs_code entry_read(struct freebsd_target *self, uint64_t index, size_t size,
				uint64_t *entry, struct rbs_error *err)
{
	uint8_t bytes[8];
	enum rbs_code code;

	if (index >= self->mini.pmap_size / size)
		return not_mapped(err);
	code = freebsd_file_read(&self->file, self->mini.pmap_offset + index * size, bytes, size,
				 err);
	if (code == RBS_OK)
		*entry = rbs_bytes_little(bytes, size);
	return code;
}

static enum rbs_code amd64_translate(struct freebsd_target *self, uint64_t address,
				     uint64_t *physical, struct rbs_error *err)
{
	uint64_t offset = address - self->mini.kernbase, entry, page;
	unsigned shift = self->mini.version == 1 ? 12 : X86_SHIFT_2M;
	uint8_t bytes[8];
	enum rbs_code code = entry_read(self, offset >> shift, 8, &entry, err);

	if (code != RBS_OK)
		return code;
	if (!(entry & X86_PRESENT))
		return not_mapped(err);
	if (shift == X86_SHIFT_2M && entry & X86_LARGE) {
		*physical =
			(entry & X86_ADDRESS_2M) | (address & ((UINT64_C(1) << X86_SHIFT_2M) - 1));
		return RBS_OK;
	}
	if (shift == X86_SHIFT_2M) {
		code = freebsd_mini_page(self, entry & X86_ADDRESS, &page, err);
		if (code == RBS_OK)
			code = freebsd_file_read(&self->file,
						 page + (address >> 12) % X86_TABLE_ENTRIES * 8,
						 bytes, 8, err);
		if (code != RBS_OK)
			return rbs_error_prefix(err, "its page table");
		entry = rbs_bytes_little(bytes, 8);
		if (!(entry & X86_PRESENT))
			return not_mapped(err);
	}
	*physical = (entry & X86_ADDRESS) | (address & 0xfff);
	return RBS_OK;
}

static enum rbs_code arm64_translate(struct freebsd_target *self, uint64_t address,
				     uint64_t *physical, struct rbs_error *err)
{
	uint64_t in_page = self->target.info.page_size - 1, entry;
	enum rbs_code code =
		entry_read(self, (address - self->mini.kernbase) / self->target.info.page_size, 8,
			   &entry, err);

	if (code == RBS_OK && (entry & ARM64_PAGE) != ARM64_PAGE)
		code = not_mapped(err);
	if (code == RBS_OK)
		*physical = (entry & ARM64_ADDRESS & ~in_page) | (address & in_page);
	return code;
}

static enum rbs_code i386_translate(struct freebsd_target *self, uint64_t address,
				    uint64_t *physical, struct rbs_error *err)
{
	uint64_t entry;
	enum rbs_code code = entry_read(self, (address - self->mini.kernbase) >> 12,
					self->mini.pae ? 8 : 4, &entry, err);

	if (code == RBS_OK && !(entry & X86_PRESENT))
		code = not_mapped(err);
	if (code == RBS_OK)
		*physical =
			(entry & (self->mini.pae ? X86_ADDRESS : I386_ADDRESS)) | (address & 0xfff);
	return code;
}

enum rbs_code freebsd_mini_translate(struct freebsd_target *self, uint64_t address,
				     uint64_t *physical, struct rbs_error *err)
{
	const struct freebsd_mini *mini = &self->mini;

	if (address >= mini->dmapbase && address < mini->dmapend) {
		*physical = address - mini->dmapbase + mini->dmapphys;
		return RBS_OK;
	}
	if (address < mini->kernbase)
		return rbs_error_set(err, RBS_UNMAPPED, "not an address of the kernel");
	switch (mini->arch) {
	case FREEBSD_AMD64:
		return amd64_translate(self, address, physical, err);
	case FREEBSD_ARM64:
		return arm64_translate(self, address, physical, err);
	default:
		return i386_translate(self, address, physical, err);
	}
}
