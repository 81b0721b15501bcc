/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/slab.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/pages.h"
#include "lib/walk.h"

#define OBJECT_LIMIT 32768 /* objects of a slab are counted in 15 bits */
#define CACHE_LIMIT 65536
#define PAGE_TYPE_SHIFT 24 /* since 6.11: enum pagetype in the upper byte of page_type */

enum {
	S_PAGE_SIZE,
	S_PAGE_FLAGS,
	S_PAGE_HEAD,
	S_PAGE_TYPE,
	S_PAGE_COUNT,
	S_TYPE_SLAB,
	S_FLAG_SLAB,
	S_SLAB_CACHE,
	S_SLAB_FREELIST,
	S_CACHE_NAME,
	S_CACHE_LIST,
	S_CACHE_SIZE,
	S_CACHE_OFFSET,
	S_CACHE_RANDOM,
	S_CACHE_CPU,
	S_CPU_FREELIST,
	S_CPU_SLAB,
	S_COUNT,
};

static const struct rbs_layout_entry entries[S_COUNT] = {
	[S_PAGE_SIZE] = {"page", RBS_SIZE},
	[S_PAGE_FLAGS] = {"page:flags", RBS_OPTIONAL},
	[S_PAGE_HEAD] = {RBS_PAGE_HEAD},
	[S_PAGE_TYPE] = {"page:page_type", RBS_OPTIONAL},
	[S_PAGE_COUNT] = {"page:_refcount|page:_count"},
	[S_TYPE_SLAB] = {"pagetype:PGTY_slab", RBS_ENUMERATOR | RBS_OPTIONAL},
	[S_FLAG_SLAB] = {"pageflags:PG_slab", RBS_ENUMERATOR | RBS_OPTIONAL},
	/* struct slab of its own since 5.17. */
	[S_SLAB_CACHE] = {"slab:slab_cache|page:slab_cache"},
	[S_SLAB_FREELIST] = {"slab:freelist|page:freelist"},
	[S_CACHE_NAME] = {"kmem_cache:name"},
	[S_CACHE_LIST] = {"kmem_cache:list"},
	[S_CACHE_SIZE] = {"kmem_cache:size"},
	[S_CACHE_OFFSET] = {"kmem_cache:offset"},
	[S_CACHE_RANDOM] = {"kmem_cache:random", RBS_OPTIONAL},
	[S_CACHE_CPU] = {"kmem_cache:cpu_slab", RBS_OPTIONAL},
	[S_CPU_FREELIST] = {"kmem_cache_cpu:freelist", RBS_OPTIONAL},
	[S_CPU_SLAB] = {"kmem_cache_cpu:slab|kmem_cache_cpu:page", RBS_OPTIONAL},
};

/* A slab, and what is asked about it. */
struct slab {
	uint64_t page; /* struct page of its first page */
	uint64_t base; /* virtual address of its first byte */
	uint64_t cache;
	uint64_t size, link_offset, random;
	uint64_t index; /* of the object that is asked about */
	bool swapped;	/* the links' addresses are mixed in with their bytes swapped */
};

static void unknown(struct rbs_slab_object *object, const char *why)
{
	object->state = RBS_SLAB_UNKNOWN;
	snprintf(object->why, sizeof(object->why), "%.*s", (int)sizeof(object->why) - 1, why);
}

void rbs_slabs_init(struct rbs_slabs *slabs, struct rbs_dump *dump, const uint64_t *linear)
{
	struct rbs_places places;
	enum rbs_code code;

	*slabs = (struct rbs_slabs){.dump = dump};
	code = rbs_layout_init(&slabs->layout, entries, S_COUNT, &dump->types, NULL, &slabs->error);
	rbs_places_find(&places, dump,
			code == RBS_OK ? rbs_layout_size(&slabs->layout, S_PAGE_SIZE) : 0);
	slabs->has_linear = places.has_linear || linear;
	if (slabs->has_linear)
		slabs->linear = places.has_linear ? places.linear : *linear;
	slabs->pages = places.map;
	if (code == RBS_OK)
		code = rbs_cpus_init(&slabs->cpus, dump, &slabs->error);
	rbs_sheaves_init(&slabs->sheaves, dump, &slabs->cpus);
	if (code == RBS_OK && (!slabs->has_linear || !slabs->pages))
		code = rbs_error_set(&slabs->error, RBS_NO_SYMBOL,
				     "where the kernel describes its pages is not known");
	slabs->error.code = code;
}

void rbs_slabs_deinit(struct rbs_slabs *slabs)
{
	rbs_sheaves_deinit(&slabs->sheaves);
	rbs_cpus_deinit(&slabs->cpus);
	rbs_layout_deinit(&slabs->layout);
}

/* Remember why something could not be read; returns whether it could. */
static bool read_note(struct rbs_slabs *slabs, enum rbs_code code)
{
	slabs->lost = rbs_code_first(slabs->lost, code);
	return code == RBS_OK;
}

static bool number_read(struct rbs_slabs *slabs, unsigned id, uint64_t base, uint64_t *number)
{
	struct rbs_value value = rbs_layout_read(&slabs->layout, id, slabs->dump->target, base);

	*number = rbs_value_or(&value, 0);
	return read_note(slabs, value.code);
}

static uint64_t bytes_swap(uint64_t value, unsigned size)
{
	uint64_t swapped = 0;

	for (unsigned i = 0; i < size; i++)
		swapped = swapped << 8 | (value >> 8 * i & 0xff);
	return swapped;
}

/* The link that lies in an object; false when it can't be read. */
static bool link_read(struct rbs_slabs *slabs, const struct slab *slab, uint64_t object,
		      uint64_t *next)
{
	uint64_t at = object + slab->link_offset, mixed = at;
	unsigned word = slabs->dump->target->info.word_size;

	if (!read_note(slabs, rbs_target_read_pointer(slabs->dump->target, at, next, NULL)))
		return false;
	if (!rbs_layout_has(&slabs->layout, S_CACHE_RANDOM))
		return true;
	if (slab->swapped)
		mixed = bytes_swap(at, word);
	*next ^= slab->random ^ mixed;
	return true;
}

/* A freelist belongs to its slab, or was decoded by the wrong rule. */
static bool object_fits(const struct slab *slab, uint64_t object)
{
	return object >= slab->base && object - slab->base < OBJECT_LIMIT * slab->size;
}

/* Whether the object is on the list; false in *ok when that can't be told. */
static bool list_holds(struct rbs_slabs *slabs, const struct slab *slab, uint64_t first, bool *ok)
{
	uint64_t object = first;

	*ok = true;
	for (size_t i = 0; object; i++) {
		if (i == OBJECT_LIMIT || !object_fits(slab, object)) {
			*ok = false;
			return false;
		}
		if ((object - slab->base) / slab->size == slab->index)
			return true;
		if (!link_read(slabs, slab, object, &object)) {
			*ok = false;
			return false;
		}
	}
	return false;
}

/* The list by the newer rule and, when that leads nowhere, by the older. */
static bool list_ask(struct rbs_slabs *slabs, struct slab *slab, uint64_t first, bool *ok)
{
	bool held;

	slab->swapped = true;
	held = list_holds(slabs, slab, first, ok);
	if (*ok)
		return held;
	slab->swapped = false;
	return list_holds(slabs, slab, first, ok);
}

/* Whether a CPU that works with this slab has the object on its own list. */
static bool cpus_hold(struct rbs_slabs *slabs, struct slab *slab, bool *ok)
{
	const struct rbs_layout *layout = &slabs->layout;
	uint64_t area, freelist, page;

	*ok = true;
	if (!rbs_layout_has(layout, S_CACHE_CPU))
		return false; /* "slab: remove cpu (partial) slabs usage ...", 7.0 */
	*ok = number_read(slabs, S_CACHE_CPU, slab->cache, &area);
	for (uint32_t i = 0; *ok && i < slabs->cpus.count; i++) {
		uint64_t cpu = area + slabs->cpus.offsets[i];

		if (!slabs->cpus.possible[i])
			continue;
		*ok = number_read(slabs, S_CPU_SLAB, cpu, &page) &&
		      number_read(slabs, S_CPU_FREELIST, cpu, &freelist);
		if (*ok && page == slab->page && list_ask(slabs, slab, freelist, ok))
			return true;
	}
	return false;
}

/* Whether it is a cache at all: what is no slab may hold anything in that place. */
static bool cache_is_listed(struct rbs_slabs *slabs, uint64_t cache)
{
	struct rbs_list_walk walk;
	uint64_t head, node;

	if (rbs_symbols_find(&slabs->dump->symbols, NULL, "slab_caches", &head, NULL) != RBS_OK)
		return false;
	rbs_list_walk_init(&walk, slabs->dump->target, head, CACHE_LIMIT);
	while (rbs_list_walk_next(&walk, &node)) {
		if (node - rbs_layout_offset(&slabs->layout, S_CACHE_LIST) == cache)
			return true;
	}
	read_note(slabs, walk.code);
	return false;
}

/* By the page's type (6.11), else by its flag; false when neither says that it is a slab. */
static bool page_is_slab(struct rbs_slabs *slabs, uint64_t page)
{
	const struct rbs_layout *layout = &slabs->layout;
	int64_t type = rbs_layout_enumerator(layout, S_TYPE_SLAB, -1);
	int64_t flag = rbs_layout_enumerator(layout, S_FLAG_SLAB, -1);
	uint64_t number, cache;

	if (type >= 0)
		return number_read(slabs, S_PAGE_TYPE, page, &number) &&
		       (number & UINT32_MAX) >> PAGE_TYPE_SHIFT == (uint64_t)type;
	if (flag >= 0)
		return number_read(slabs, S_PAGE_FLAGS, page, &number) && number >> flag & 1;
	return number_read(slabs, S_SLAB_CACHE, page, &cache) && cache_is_listed(slabs, cache);
}

/*
 * Whether a link lies in a free object. One in a sheaf has its bytes still, unless it came there by
 * way of its slab's list: then that list's link is left in it, and leads to the slab or nowhere.
 */
static bool link_remains(struct rbs_slabs *slabs, struct slab *slab, uint64_t object)
{
	uint64_t next;

	for (int way = 0; way < 2; way++) {
		slab->swapped = !way;
		if (!link_read(slabs, slab, object, &next) || !next || object_fits(slab, next))
			return true;
	}
	return false;
}

static enum rbs_slab_state lists_ask(struct rbs_slabs *slabs, struct slab *slab, uint64_t first,
				     struct rbs_slab_object *object)
{
	uint64_t freelist = 0;
	bool ok = number_read(slabs, S_SLAB_FREELIST, slab->page, &freelist), held;

	held = ok && list_ask(slabs, slab, freelist, &ok);
	if (ok && !held)
		held = cpus_hold(slabs, slab, &ok);
	object->linked = held;
	if (!ok)
		unknown(object, "its slab's list of free objects can't be followed");
	if (!ok || held)
		return held ? RBS_SLAB_FREE : RBS_SLAB_UNKNOWN;
	if (!read_note(slabs,
		       rbs_sheaves_ask(&slabs->sheaves, slab->cache, first, slab->size, &held))) {
		unknown(object, "its cache's sheaves of free objects can't be read");
		return RBS_SLAB_UNKNOWN;
	}
	return held ? RBS_SLAB_FREE : RBS_SLAB_ALLOCATED;
}

static void object_judge(struct rbs_slabs *slabs, struct slab *slab, uint64_t address,
			 struct rbs_slab_object *object)
{
	uint64_t first = slab->base + slab->index * slab->size;

	object->state = lists_ask(slabs, slab, first, object);
	object->link_known = true;
	object->link = (int64_t)(first + slab->link_offset - address);
	if (object->state != RBS_SLAB_ALLOCATED && !object->linked)
		object->linked = link_remains(slabs, slab, first);
}

static void slab_ask(struct rbs_slabs *slabs, uint64_t page, uint64_t address,
		     struct rbs_slab_object *object)
{
	uint64_t page_size = slabs->dump->target->info.page_size;
	uint64_t entry = rbs_layout_size(&slabs->layout, S_PAGE_SIZE);
	struct slab slab = {.page = page,
			    .base = slabs->linear + (page - slabs->pages) / entry * page_size};
	uint64_t name;

	if (!number_read(slabs, S_SLAB_CACHE, page, &slab.cache) ||
	    !cache_is_listed(slabs, slab.cache) ||
	    !number_read(slabs, S_CACHE_SIZE, slab.cache, &slab.size) || !slab.size ||
	    slab.size > UINT32_MAX ||
	    !number_read(slabs, S_CACHE_OFFSET, slab.cache, &slab.link_offset) ||
	    slab.link_offset >= slab.size) {
		unknown(object, "its slab's cache can't be read");
		return;
	}
	if (rbs_layout_has(&slabs->layout, S_CACHE_RANDOM) &&
	    !number_read(slabs, S_CACHE_RANDOM, slab.cache, &slab.random)) {
		unknown(object, "its slab's cache can't be read");
		return;
	}
	if (number_read(slabs, S_CACHE_NAME, slab.cache, &name) &&
	    !read_note(slabs, rbs_target_read_string(slabs->dump->target, name, object->cache,
						     sizeof(object->cache), NULL)))
		object->cache[0] = '\0';
	slab.index = (address - slab.base) / slab.size;
	object_judge(slabs, &slab, address, object);
}

static void memory_ask(struct rbs_slabs *slabs, uint64_t physical, struct rbs_slab_object *object)
{
	uint64_t page_size = slabs->dump->target->info.page_size;
	uint64_t page, head, count;

	if (slabs->error.code != RBS_OK || !page_size) {
		unknown(object, slabs->error.text);
		return;
	}
	page = slabs->pages + physical / page_size * rbs_layout_size(&slabs->layout, S_PAGE_SIZE);
	if (!number_read(slabs, S_PAGE_HEAD, page, &head)) {
		unknown(object, "the kernel's description of its page can't be read");
		return;
	}
	page = rbs_page_head(page, head);
	if (page_is_slab(slabs, page)) {
		slab_ask(slabs, page, slabs->linear + physical, object);
	} else if (slabs->lost == RBS_OK && number_read(slabs, S_PAGE_COUNT, page, &count)) {
		object->state = (int32_t)count > 0 ? RBS_SLAB_PAGES : RBS_SLAB_FREE_PAGES;
		object->link_known = true;
	} else {
		unknown(object, "the kernel's description of its page can't be read");
	}
}

void rbs_slab_find(struct rbs_slabs *slabs, uint64_t physical, struct rbs_slab_object *object)
{
	*object = (struct rbs_slab_object){0};
	slabs->lost = slabs->error.code;
	memory_ask(slabs, physical, object);
	object->code = slabs->lost;
}

const char *rbs_slab_state_name(enum rbs_slab_state state)
{
	static const char *const names[] = {"unknown", "allocated", "free", "pages in use",
					    "free pages"};

	return names[state];
}
