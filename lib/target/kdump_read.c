/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading memory: translation, the pages that were read, and why one could not be. */
#include "lib/target/kdump_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static bool map_has(kdump_bmp_t *map, uint64_t pfn)
{
	kdump_addr_t found = pfn;

	return kdump_bmp_find_set(map, &found) == KDUMP_OK && found == pfn;
}

/*
 * In ELF dumps libkdumpfile (0.5.1 to 0.5.4) reads a missing page right before one that is there as
 * zeros: its search for the closest segment also takes the one that starts where the page ends. Its
 * page map is right.
 */
enum rbs_code kdump_page_note(struct kdump_target *self, uint64_t physical)
{
	uint64_t pfn = physical / self->target.info.page_size;
	bool known = rbs_page_set_has(&self->pages, pfn);
	enum rbs_code code = RBS_OK;

	if (known && !rbs_page_set_has(&self->missing, pfn))
		return RBS_OK;
	if (self->page_map && !map_has(self->page_map, pfn))
		code = RBS_EXCLUDED;
	else if (!rbs_disk_map_sound(&self->disk, pfn, self->target.info.page_size))
		code = RBS_CORRUPT;
	if (self->recording && !known) {
		rbs_page_set_add(&self->pages, pfn);
		self->target.stats.pages_read++;
		if (code != RBS_OK)
			rbs_page_set_add(&self->missing, pfn);
	}
	return code;
}

enum rbs_code kdump_code(kdump_status status)
{
	switch (status) {
	case KDUMP_OK:
		return RBS_OK;
	case KDUMP_ERR_NODATA:
		return RBS_EXCLUDED;
	case KDUMP_ERR_EOF:
		return RBS_TRUNCATED;
	case KDUMP_ERR_CORRUPT:
		return RBS_CORRUPT;
	case KDUMP_ERR_NOTIMPL:
		return RBS_UNSUPPORTED;
	case KDUMP_ERR_ADDRXLAT:
		return RBS_UNMAPPED;
	default:
		return RBS_IO;
	}
}

static enum rbs_code code_from_addrxlat(addrxlat_status status)
{
	switch (status) {
	case ADDRXLAT_OK:
		return RBS_OK;
	case ADDRXLAT_ERR_NODATA:
		return RBS_EXCLUDED;
	case ADDRXLAT_ERR_NOTPRESENT:
	case ADDRXLAT_ERR_INVALID:
	case ADDRXLAT_ERR_NOMETH:
		return RBS_UNMAPPED;
	case ADDRXLAT_ERR_NOMEM:
		return RBS_NOMEM;
	case ADDRXLAT_ERR_NOTIMPL:
		return RBS_UNSUPPORTED;
	default:
		/* A page table that could not be read: libkdumpfile's own status, negated. */
		return status < 0 ? kdump_code((kdump_status)-status) : RBS_IO;
	}
}

static enum rbs_code page_translate(struct kdump_target *self, uint64_t page,
				    addrxlat_fulladdr_t *physical, struct rbs_error *err)
{
	uint64_t number = page / self->target.info.page_size;
	struct translation *slot = &self->tlb[number % TLB_SIZE];
	addrxlat_fulladdr_t address = {.addr = page, .as = ADDRXLAT_KVADDR};
	addrxlat_status status;

	if (slot->virtual_page == number + 1) {
		*physical = slot->physical;
		return RBS_OK;
	}
	self->table_status = ADDRXLAT_OK;
	status = addrxlat_fulladdr_conv(&address, ADDRXLAT_MACHPHYSADDR, self->xlat_context,
					self->xlat_system);
	/* 'No way to translate' is what it says once all ways failed, for whatever reason. */
	if (status == ADDRXLAT_ERR_NOMETH && self->table_status != ADDRXLAT_OK)
		status = self->table_status;
	if (status != ADDRXLAT_OK) {
		enum rbs_code code = code_from_addrxlat(status);
		const char *detail = addrxlat_ctx_get_err(self->xlat_context);

		if (code == RBS_EXCLUDED || code == RBS_TRUNCATED)
			rbs_error_set_at(err, code, page,
					 "a page table of %" PRIx64 " is not in the dump: %s", page,
					 detail);
		else
			rbs_error_set_at(err, code, page, "%" PRIx64 " is not mapped: %s", page,
					 detail ? detail : "no translation");
		addrxlat_ctx_clear_err(self->xlat_context);
		return code;
	}
	slot->virtual_page = number + 1;
	slot->physical = address;
	*physical = address;
	return RBS_OK;
}

static enum rbs_code physical_read(struct kdump_target *self, addrxlat_fulladdr_t from,
				   uint64_t named, void *buffer, size_t length,
				   struct rbs_error *err)
{
	size_t got = length;
	enum rbs_code code = kdump_page_note(self, from.addr);
	kdump_status status = KDUMP_ERR_NODATA;

	if (code == RBS_CORRUPT)
		return rbs_error_set_at(err, code, named,
					"%" PRIx64 " (physical %" PRIx64
					"): the page's descriptor in the file is damaged",
					named, (uint64_t)from.addr);
	if (code == RBS_OK)
		status = kdump_read(self->context,
				    from.as == ADDRXLAT_MACHPHYSADDR ? KDUMP_MACHPHYSADDR
								     : KDUMP_KPHYSADDR,
				    from.addr, buffer, &got);
	if (status == KDUMP_OK)
		return RBS_OK;
	code = kdump_code(status);
	if (code == RBS_EXCLUDED)
		rbs_error_set_at(err, code, named,
				 "the page of %" PRIx64 " (physical %" PRIx64
				 ") was excluded from the dump",
				 named, (uint64_t)from.addr);
	else
		rbs_error_set_at(err, code, named, "%" PRIx64 " (physical %" PRIx64 "): %s", named,
				 (uint64_t)from.addr, kdump_get_err(self->context));
	kdump_clear_err(self->context);
	return code;
}

static enum rbs_code kdump_target_read(struct rbs_target *target, enum rbs_space space,
				       uint64_t address, void *buffer, size_t length,
				       struct rbs_error *err)
{
	struct kdump_target *self = kdump_target_from(target);
	uint64_t page_size = target->info.page_size;
	uint8_t *to = buffer;

	while (length) {
		uint64_t offset = address % page_size;
		size_t step = rbs_page_part(address, length, page_size);
		addrxlat_fulladdr_t from = {.addr = address, .as = ADDRXLAT_MACHPHYSADDR};
		enum rbs_code code = RBS_OK;

		if (space == RBS_KERNEL_VIRTUAL && !self->xlat_context)
			return rbs_error_set_at(err, RBS_UNMAPPED, address,
						"%" PRIx64 ": no kernel's translation was set up",
						address);
		if (space == RBS_KERNEL_VIRTUAL) {
			code = page_translate(self, address - offset, &from, err);
			from.addr += offset;
		}
		if (code == RBS_OK)
			code = physical_read(self, from, address, to, step, err);
		if (code != RBS_OK)
			return code;
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}

static bool kdump_target_has(struct rbs_target *target, uint64_t address, uint64_t length)
{
	struct kdump_target *self = kdump_target_from(target);
	uint64_t page_size = target->info.page_size;
	bool has = self->xlat_context;
	kdump_attr_t map;

	if (kdump_get_attr(self->context, KDUMP_ATTR_FILE_PAGEMAP, &map) != KDUMP_OK ||
	    map.type != KDUMP_BITMAP) {
		kdump_clear_err(self->context);
		return false;
	}
	for (uint64_t page = address - address % page_size; has && page < address + length;
	     page += page_size) {
		addrxlat_fulladdr_t physical = {.addr = 0};

		has = page_translate(self, page, &physical, NULL) == RBS_OK &&
		      map_has(map.val.bitmap, physical.addr / page_size);
	}
	return has;
}

static const char *kdump_target_vmcoreinfo(struct rbs_target *target)
{
	return kdump_target_from(target)->vmcoreinfo;
}

static void kdump_target_destroy(struct rbs_target *target)
{
	struct kdump_target *self = kdump_target_from(target);

	if (self->page_map)
		kdump_bmp_decref(self->page_map);
	if (self->xlat_context)
		addrxlat_ctx_decref(self->xlat_context);
	if (self->kdump_xlat)
		addrxlat_ctx_decref(self->kdump_xlat);
	if (self->xlat_system)
		addrxlat_sys_decref(self->xlat_system);
	if (self->context)
		kdump_free(self->context);
	if (self->fd >= 0)
		close(self->fd);
	free(self->vmcoreinfo);
	rbs_page_set_deinit(&self->pages);
	rbs_page_set_deinit(&self->missing);
	rbs_disk_map_deinit(&self->disk);
	free(self);
}

static const struct rbs_page_set *kdump_target_pages(const struct rbs_target *target)
{
	return &((const struct kdump_target *)target)->pages;
}

static void kdump_target_pages_record(struct rbs_target *target, bool on)
{
	kdump_target_from(target)->recording = on;
}

const struct rbs_target_ops kdump_ops = {
	.read = kdump_target_read,
	.has = kdump_target_has,
	.vmcoreinfo = kdump_target_vmcoreinfo,
	.pages = kdump_target_pages,
	.pages_record = kdump_target_pages_record,
	.destroy = kdump_target_destroy,
};

int rbs_kdump_fd(const struct rbs_target *target)
{
	return ((const struct kdump_target *)target)->fd;
}
