/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/page_set.h"

#include <stdlib.h>

void rbs_page_set_init(struct rbs_page_set *set)
{
	*set = (struct rbs_page_set){0};
}

void rbs_page_set_deinit(struct rbs_page_set *set)
{
	free(set->slots);
	rbs_page_set_init(set);
}

static size_t slot_find(const uint64_t *slots, size_t size, uint64_t key)
{
	size_t at = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);

	while (slots[at] && slots[at] != key)
		at = (at + 1) & (size - 1);
	return at;
}

static bool page_set_grow(struct rbs_page_set *set)
{
	size_t size = set->size ? 2 * set->size : 1024;
	uint64_t *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < set->size; i++) {
		if (set->slots[i])
			slots[slot_find(slots, size, set->slots[i])] = set->slots[i];
	}
	free(set->slots);
	set->slots = slots;
	set->size = size;
	return true;
}

bool rbs_page_set_add(struct rbs_page_set *set, uint64_t pfn)
{
	size_t at;

	if (2 * set->count >= set->size && !page_set_grow(set))
		return false;
	at = slot_find(set->slots, set->size, pfn + 1);
	if (set->slots[at])
		return false;
	set->slots[at] = pfn + 1;
	set->count++;
	return true;
}

bool rbs_page_set_has(const struct rbs_page_set *set, uint64_t pfn)
{
	return set->size && set->slots[slot_find(set->slots, set->size, pfn + 1)];
}

static int pfn_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

uint64_t *rbs_page_set_sorted(const struct rbs_page_set *set)
{
	uint64_t *pfns = malloc((set->count ? set->count : 1) * sizeof(*pfns));
	size_t count = 0;

	if (!pfns)
		return NULL;
	for (size_t i = 0; i < set->size; i++) {
		if (set->slots[i])
			pfns[count++] = set->slots[i] - 1;
	}
	qsort(pfns, count, sizeof(*pfns), pfn_compare);
	return pfns;
}
