/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>

#include "lib/ringmath.h"

Test(ringmath, free_running_indexes)
{
	static const struct {
		uint16_t ahead, behind, distance;
	} cases[] = {
		{0, 0, 0},
		{5, 5, 0},
		{3595, 3346, 249},
		{1, 0, 1},
		/* avail has wrapped, used has not yet */
		{3, 65530, 9},
		{0, 65535, 1},
		{65535, 0, 65535},
		/* behind is ahead: what a damaged ring looks like */
		{10, 11, 65535},
		{32768, 0, 32768},
		{0, 32768, 32768},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect_eq(rbs_ring_distance16(cases[i].ahead, cases[i].behind),
			     cases[i].distance, "%u ahead of %u", cases[i].ahead, cases[i].behind);
}

static void expect_wrapped(uint16_t ahead, bool ahead_wrap, uint16_t behind, bool behind_wrap,
			   uint32_t num, uint32_t expected)
{
	uint32_t distance = 4711;

	cr_expect(rbs_ring_distance_wrapped(ahead, ahead_wrap, behind, behind_wrap, num, &distance),
		  "%u/%d ahead of %u/%d in %u", ahead, ahead_wrap, behind, behind_wrap, num);
	cr_expect_eq(distance, expected, "%u/%d ahead of %u/%d in %u: %u", ahead, ahead_wrap,
		     behind, behind_wrap, num, distance);
}

Test(ringmath, positions_with_wrap_bits)
{
	expect_wrapped(0, true, 0, true, 256, 0);
	expect_wrapped(21, true, 5, true, 256, 16);
	expect_wrapped(244, false, 244, false, 256, 0);
	/* the one ahead is on the next lap */
	expect_wrapped(50, true, 51, false, 256, 255);
	expect_wrapped(129, true, 133, false, 256, 252);
	expect_wrapped(0, false, 255, true, 256, 1);
	/* a full ring: the same position, another lap */
	expect_wrapped(7, false, 7, true, 128, 128);
	expect_wrapped(0, false, 0, true, 1, 1);
	/* sizes need not be powers of two */
	expect_wrapped(1, false, 99, true, 100, 2);
	expect_wrapped(32767, true, 0, true, 32768, 32767);
}

Test(ringmath, positions_that_cannot_be)
{
	static const struct {
		uint16_t ahead;
		bool ahead_wrap;
		uint16_t behind;
		bool behind_wrap;
		uint32_t num;
	} cases[] = {
		/* outside the ring */
		{256, true, 0, true, 256},
		{0, true, 256, true, 256},
		{65535, false, 65535, true, 256},
		/* no ring */
		{0, true, 0, true, 0},
		/* on the same lap, and yet behind */
		{4, true, 5, true, 256},
		/* more than one lap ahead */
		{6, false, 5, true, 256},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t distance = 4711;

		cr_expect_not(rbs_ring_distance_wrapped(cases[i].ahead, cases[i].ahead_wrap,
							cases[i].behind, cases[i].behind_wrap,
							cases[i].num, &distance),
			      "case %zu", i);
		cr_expect_eq(distance, 4711, "case %zu", i);
	}
}
