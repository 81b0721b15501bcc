/* SPDX-License-Identifier: GPL-3.0-or-later */
/* random - numbers that look random, and are the same ones for the same seed. */
#ifndef DAMAGE_RANDOM_H
#define DAMAGE_RANDOM_H

#include <stdint.h>

/* splitmix64 (Vigna): every seed gives a stream of its own. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);

	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

#endif
