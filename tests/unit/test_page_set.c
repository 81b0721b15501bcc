/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "lib/target/page_set.h"

Test(page_set, empty)
{
	struct rbs_page_set set;
	uint64_t *pfns;

	rbs_page_set_init(&set);
	cr_assert_eq(set.count, 0);
	cr_assert_not(rbs_page_set_has(&set, 0));
	pfns = rbs_page_set_sorted(&set);
	cr_assert_not_null(pfns);
	free(pfns);
	rbs_page_set_deinit(&set);
}

Test(page_set, each_page_once)
{
	static const uint64_t pfns[] = {5, 0, 0xfffffffffffff, 5, 1048576, 0, 1};
	static const bool fresh[] = {true, true, true, false, true, false, true};
	static const uint64_t expected[] = {0, 1, 5, 1048576, 0xfffffffffffff};
	struct rbs_page_set set;
	uint64_t *sorted;

	rbs_page_set_init(&set);
	for (size_t i = 0; i < sizeof(pfns) / sizeof(pfns[0]); i++)
		cr_expect_eq(rbs_page_set_add(&set, pfns[i]), fresh[i], "page %zu", i);
	cr_assert_eq(set.count, 5);
	cr_expect(rbs_page_set_has(&set, 0));
	cr_expect(rbs_page_set_has(&set, 0xfffffffffffff));
	cr_expect_not(rbs_page_set_has(&set, 2));
	sorted = rbs_page_set_sorted(&set);
	for (size_t i = 0; i < 5; i++)
		cr_expect_eq(sorted[i], expected[i], "%zu: %llu", i, (unsigned long long)sorted[i]);
	free(sorted);
	rbs_page_set_deinit(&set);
	cr_expect_eq(set.count, 0);
}

/* More than the set starts with, in an order that is not theirs. */
Test(page_set, grows)
{
	struct rbs_page_set set;
	uint64_t *sorted;

	rbs_page_set_init(&set);
	for (uint64_t i = 0; i < 20000; i++)
		cr_assert(rbs_page_set_add(&set, i * 7919 % 20011 * 512));
	for (uint64_t i = 0; i < 20000; i++)
		cr_assert_not(rbs_page_set_add(&set, i * 7919 % 20011 * 512));
	cr_assert_eq(set.count, 20000);
	sorted = rbs_page_set_sorted(&set);
	for (size_t i = 1; i < 20000; i++)
		cr_assert_lt(sorted[i - 1], sorted[i]);
	cr_assert_eq(sorted[0], 0);
	cr_expect_not(rbs_page_set_has(&set, 1));
	free(sorted);
	rbs_page_set_deinit(&set);
}
