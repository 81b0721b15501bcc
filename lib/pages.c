/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/pages.h"

#include <inttypes.h>
#include <stdlib.h>

#define FOLIO_LIMIT (UINT64_C(1) << 20) /* pages of a folio */

enum {
	P_SIZE,
	P_MAPPING,
	P_INDEX,
	P_HEAD,
	P_PAGES,
	P_COUNT_PAGES,
	P_COUNT,
};

static const struct rbs_layout_entry entries[P_COUNT] = {
	[P_SIZE] = {"page", RBS_SIZE},
	[P_MAPPING] = {"page:mapping|folio:mapping"},
	/* "mm: rename page->index to page->__folio_index", 6.16. */
	[P_INDEX] = {"page:__folio_index|page:index|folio:index"},
	[P_HEAD] = {RBS_PAGE_HEAD},
	[P_PAGES] = {"address_space:i_pages"},
	[P_COUNT_PAGES] = {"address_space:nrpages", RBS_OPTIONAL},
};

/* The value of a kernel variable that holds an address; 0 when there is no such thing. */
static uint64_t variable_read(struct rbs_dump *dump, const char *name)
{
	uint64_t address, value;

	if (rbs_symbols_find(&dump->symbols, NULL, name, &address, NULL) != RBS_OK ||
	    rbs_target_read_pointer(dump->target, address, &value, NULL) != RBS_OK)
		return 0;
	return value;
}

/*
 * arm64 computes both places from constants and memstart_addr (asm/memory.h: PAGE_OFFSET and
 * PHYS_OFFSET; asm/pgtable.h: vmemmap), all of which VMCOREINFO has since "arm64/kexec: Export
 * MODULES, VMALLOC, and VMEMMAP ranges" (6.0 or so). VA_BITS is what the kernel was built for:
 * where the machine has fewer, PHYS_OFFSET makes up for it.
 */
static void places_compute(struct rbs_places *places, struct rbs_target *target, uint64_t size)
{
	int64_t bits, offset, start;

	if (!target->info.page_size || !rbs_vmcoreinfo_number(target, "VA_BITS", &bits) ||
	    bits < 1 || bits > 63 || !rbs_vmcoreinfo_number(target, "PHYS_OFFSET", &offset) ||
	    !rbs_vmcoreinfo_number(target, "VMEMMAP_START", &start))
		return;
	places->has_linear = true;
	places->linear = -(UINT64_C(1) << bits) - (uint64_t)offset;
	places->map = (uint64_t)start - (uint64_t)(offset / (int64_t)target->info.page_size) * size;
}

void rbs_places_find(struct rbs_places *places, struct rbs_dump *dump, uint64_t size)
{
	/* x86_64's variable, or s390x's line of VMCOREINFO (6.10). */
	places->linear = variable_read(dump, "page_offset_base");
	places->has_linear =
		places->linear || rbs_vmcoreinfo_hex(dump->target, "IDENTITYBASE", &places->linear);
	/* x86_64 and s390x keep it in a variable. */
	places->map = variable_read(dump, "vmemmap_base");
	if (!places->map)
		places->map = variable_read(dump, "vmemmap");
	if (!places->map)
		places_compute(places, dump->target, size);
}

uint64_t rbs_page_head(uint64_t page, uint64_t word)
{
	if (!(word & 1))
		return page;
	/* A mask has all its upper bits set: as an address it lies behind all pages. */
	return word - 1 < page ? word - 1 : page & word;
}

enum rbs_code rbs_pages_init(struct rbs_pages *pages, struct rbs_dump *dump, struct rbs_error *err)
{
	enum rbs_code code;

	*pages = (struct rbs_pages){.dump = dump};
	code = rbs_layout_init(&pages->layout, entries, P_COUNT, &dump->types, NULL, err);
	if (code == RBS_OK)
		code = rbs_xarray_types_init(&pages->arrays, &dump->types, err);
	if (code == RBS_OK) {
		pages->size = rbs_layout_size(&pages->layout, P_SIZE);
		rbs_places_find(&pages->places, dump, pages->size);
	}
	if (code == RBS_OK && (!pages->places.map || !pages->size || !dump->target->info.page_size))
		code = rbs_error_set(err, RBS_NO_SYMBOL,
				     "where the kernel describes its pages is not known");
	/* Where a PV domain keeps its own pages in the machine's: arch/x86/xen/p2m.c. */
	pages->by_linear = code == RBS_OK && variable_read(dump, "xen_p2m_size");
	if (code != RBS_OK)
		rbs_pages_deinit(pages);
	return code;
}

void rbs_pages_deinit(struct rbs_pages *pages)
{
	rbs_xarray_types_deinit(&pages->arrays);
	rbs_layout_deinit(&pages->layout);
}

enum rbs_code rbs_page_physical(const struct rbs_pages *pages, uint64_t page, uint64_t *physical,
				struct rbs_error *err)
{
	uint64_t page_size = pages->dump->target->info.page_size;
	uint64_t number = (page - pages->places.map) / pages->size;

	if (page < pages->places.map || (page - pages->places.map) % pages->size ||
	    number > (UINT64_C(1) << 56) / page_size)
		return rbs_error_set_at(err, RBS_CORRUPT, page,
					"%" PRIx64 " is no description of a page", page);
	*physical = number * page_size;
	return RBS_OK;
}

uint64_t rbs_page_of(const struct rbs_pages *pages, uint64_t physical)
{
	return pages->places.map + physical / pages->dump->target->info.page_size * pages->size;
}

enum rbs_code rbs_page_read(const struct rbs_pages *pages, uint64_t physical, void *buffer,
			    size_t length, struct rbs_error *err)
{
	return rbs_target_read(
		pages->dump->target, pages->by_linear ? RBS_KERNEL_VIRTUAL : RBS_PHYSICAL,
		(pages->by_linear ? pages->places.linear : 0) + physical, buffer, length, err);
}

static enum rbs_code member_read(const struct rbs_pages *pages, unsigned id, uint64_t page,
				 uint64_t *number, struct rbs_error *err)
{
	return rbs_layout_require(&pages->layout, id, pages->dump->target, page, number, err);
}

/* Bits 0 and 1 say that it is no file's (include/linux/page-flags.h: PAGE_MAPPING_FLAGS). */
uint64_t rbs_page_mapping(const struct rbs_pages *pages, uint64_t page)
{
	uint64_t mapping;

	if (member_read(pages, P_MAPPING, page, &mapping, NULL) != RBS_OK || mapping & 3)
		return 0;
	return mapping;
}

bool rbs_page_decode(const struct rbs_pages *pages, const void *description, uint64_t *mapping,
		     uint64_t *index)
{
	const struct rbs_target *target = pages->dump->target;
	struct rbs_value head =
		rbs_layout_get(&pages->layout, P_HEAD, target, description, pages->size);
	struct rbs_value space =
		rbs_layout_get(&pages->layout, P_MAPPING, target, description, pages->size);
	struct rbs_value place =
		rbs_layout_get(&pages->layout, P_INDEX, target, description, pages->size);

	*mapping = space.number;
	*index = place.number;
	return rbs_value_ok(&head) && rbs_value_ok(&space) && rbs_value_ok(&place) &&
	       !(head.number & 1) && space.number && !(space.number & 3);
}

enum rbs_code rbs_page_index(const struct rbs_pages *pages, uint64_t page, uint64_t *index,
			     struct rbs_error *err)
{
	uint64_t head, first, a, b;
	enum rbs_code code = member_read(pages, P_HEAD, page, &head, err);

	if (code != RBS_OK)
		return code;
	/* A folio's later pages have no index of their own. */
	first = rbs_page_head(page, head);
	code = member_read(pages, P_INDEX, first, index, err);
	if (code != RBS_OK || first == page)
		return code;
	code = rbs_page_physical(pages, first, &a, err);
	if (code == RBS_OK)
		code = rbs_page_physical(pages, page, &b, err);
	if (code != RBS_OK)
		return code;
	*index += (b - a) / pages->dump->target->info.page_size;
	return b > a ? RBS_OK
		     : rbs_error_set_at(err, RBS_CORRUPT, page,
					"the page at %" PRIx64 " lies before its folio", page);
}

/* The page at index by an entry of several: the entry's page itself has an index of its own. */
static enum rbs_code entry_page(const struct rbs_pages *pages, uint64_t page, uint64_t index,
				uint64_t *physical, struct rbs_error *err)
{
	uint64_t own;
	enum rbs_code code = rbs_page_physical(pages, page, physical, err);

	if (code == RBS_OK)
		code = rbs_page_index(pages, page, &own, err);
	if (code != RBS_OK)
		return code;
	if (own > index || index - own >= FOLIO_LIMIT)
		return rbs_error_set_at(err, RBS_CORRUPT, page,
					"the page of index %" PRIu64 " says that its index is "
					"%" PRIu64,
					index, own);
	*physical += (index - own) * pages->dump->target->info.page_size;
	return RBS_OK;
}

static void entry_add(struct rbs_page_list *list, const struct rbs_pages *pages,
		      const struct rbs_xarray_entry *entry)
{
	struct rbs_error error;

	for (uint64_t i = 0; i < entry->count && entry->index + i < list->count; i++) {
		uint64_t *place = &list->physical[entry->index + i];
		enum rbs_code code;

		if (entry->is_value) {
			*place = RBS_PAGE_SWAPPED;
			list->swapped++;
			continue;
		}
		code = entry_page(pages, entry->entry, entry->index + i, place, &error);
		if (code == RBS_OK) {
			list->present++;
			continue;
		}
		*place = RBS_PAGE_NONE;
		if (list->code == RBS_OK) {
			list->code = code;
			list->error = error;
		}
	}
}

enum rbs_code rbs_page_list_init(struct rbs_page_list *list, const struct rbs_pages *pages,
				 uint64_t mapping, size_t count, struct rbs_error *err)
{
	struct rbs_xarray_walk walk;
	struct rbs_xarray_entry entry;

	*list = (struct rbs_page_list){.count = count};
	list->physical = calloc(count ? count : 1, sizeof(*list->physical));
	if (!list->physical)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	for (size_t i = 0; i < count; i++)
		list->physical[i] = RBS_PAGE_NONE;
	rbs_xarray_walk_init(&walk, &pages->arrays, pages->dump->target,
			     mapping + rbs_layout_offset(&pages->layout, P_PAGES), count + 64);
	while (rbs_xarray_walk_next(&walk, &entry) && entry.index < count)
		entry_add(list, pages, &entry);
	if (walk.code == RBS_OK)
		return RBS_OK;
	list->code = walk.code;
	list->error = walk.error;
	if (list->present || list->swapped)
		return RBS_OK;
	rbs_error_give(err, &walk.error);
	return walk.code;
}

void rbs_page_list_deinit(struct rbs_page_list *list)
{
	free(list->physical);
	*list = (struct rbs_page_list){0};
}

enum rbs_code rbs_page_first(const struct rbs_pages *pages, uint64_t mapping, uint64_t *physical,
			     struct rbs_error *err)
{
	struct rbs_page_list list;
	enum rbs_code code = rbs_page_list_init(&list, pages, mapping, 1, err);

	*physical = code == RBS_OK ? list.physical[0] : RBS_PAGE_NONE;
	/* Whether there is a page can't be told then. */
	if (code == RBS_OK && list.code != RBS_OK && *physical == RBS_PAGE_NONE) {
		code = list.code;
		rbs_error_give(err, &list.error);
	}
	rbs_page_list_deinit(&list);
	return code;
}

struct rbs_value rbs_page_count(const struct rbs_pages *pages, uint64_t mapping)
{
	return rbs_layout_read(&pages->layout, P_COUNT_PAGES, pages->dump->target, mapping);
}

enum rbs_code rbs_page_list_read(const struct rbs_page_list *list, const struct rbs_pages *pages,
				 uint64_t offset, void *buffer, size_t length,
				 struct rbs_error *err)
{
	uint64_t page_size = pages->dump->target->info.page_size;
	uint8_t *out = buffer;

	while (length) {
		uint64_t index = offset / page_size, within = offset % page_size;
		size_t part = page_size - within < length ? page_size - within : length;
		uint64_t physical = index < list->count ? list->physical[index] : RBS_PAGE_NONE;
		enum rbs_code code;

		if (physical >= RBS_PAGE_SWAPPED)
			return rbs_error_set_at(
				err, RBS_UNMAPPED, offset, "page %" PRIu64 " %s", index,
				physical == RBS_PAGE_SWAPPED ? "was swapped out"
							     : "of the file is not in memory");
		code = rbs_page_read(pages, physical + within, out, part, err);
		if (code != RBS_OK)
			return code;
		out += part;
		offset += part;
		length -= part;
	}
	return RBS_OK;
}
