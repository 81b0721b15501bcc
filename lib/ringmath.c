/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ringmath.h"

uint16_t rbs_ring_distance16(uint16_t ahead, uint16_t behind)
{
	return (uint16_t)(ahead - behind);
}

bool rbs_ring_distance_wrapped(uint16_t ahead, bool ahead_wrap, uint16_t behind, bool behind_wrap,
			       uint32_t num, uint32_t *distance)
{
	if (ahead >= num || behind >= num)
		return false;
	/* The same wrap bit: on the same lap; different ones: ahead is a lap further. */
	if (ahead_wrap == behind_wrap) {
		if (ahead < behind)
			return false;
		*distance = (uint32_t)(ahead - behind);
		return true;
	}
	if (ahead > behind)
		return false;
	*distance = num - behind + ahead;
	return true;
}

uint32_t rbs_ring_bytes_used(uint32_t ahead, uint32_t behind, uint32_t size)
{
	return ahead >= behind ? ahead - behind : size - behind + ahead;
}
