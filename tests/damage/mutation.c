/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/mutation.h"

#include "lib/bytes.h"
#include "tests/damage/overlay.h"
#include "tests/damage/random.h"

#define HARMLESS 16 /* one of so many images */

/* Numbers at which lengths, indexes and counts go wrong. */
static uint64_t edge(uint64_t random)
{
	static const uint64_t edges[] = {
		0,
		1,
		2,
		0x7f,
		0xff,
		0x7fff,
		0x8000,
		0xffff,
		0x10000,
		0xfffff,
		0x1000000,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		0x7fffffffffffffff,
		0x8000000000000000,
		0xfffffffffffff000,
		0xffffffffffffffff,
	};

	return edges[random % (sizeof(edges) / sizeof(edges[0]))];
}

/* Replace a part of the word: 1, 2, 4 or all 8 bytes. */
static uint64_t part_replace(uint64_t word, uint64_t value, uint64_t random)
{
	unsigned bits = 8u << random % 4;
	unsigned shift = bits == 64 ? 0 : (unsigned)(random >> 8) % (64 / bits) * bits;
	uint64_t mask = (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1) << shift;

	return (word & ~mask) | (value << shift & mask);
}

static void word_damage(struct rbs_target *overlay, bool read, size_t at, unsigned kind,
			uint64_t random)
{
	size_t count = overlay_words(overlay, read);
	uint64_t word = overlay_word_get(overlay, read, at);
	uint64_t value = random;

	switch (kind) {
	case 0:
		value = word ^ UINT64_C(1) << random % 64;
		break;
	case 1:
		value = part_replace(word, random >> 16, random);
		break;
	case 2:
		value = part_replace(word, edge(random >> 16), random);
		break;
	case 3: /* the pointer, or number, of another place */
		value = overlay_word_get(overlay, read, random % count);
		break;
	case 4: /* a pointer to another place, or to itself */
		value = overlay_word_address(overlay, read, random & 1 ? at : random / 2 % count);
		break;
	case 5:
		value = word + (random % 33) - 16;
		break;
	default:
		value = edge(random);
		break;
	}
	overlay_word_put(overlay, read, at, value);
}

/* kinds above those of words */
static void damage(struct rbs_target *overlay, bool read, uint64_t place, unsigned kind,
		   uint64_t random)
{
	static const enum rbs_code reasons[] = {RBS_EXCLUDED, RBS_UNMAPPED, RBS_TRUNCATED, RBS_IO};
	size_t count = overlay_words(overlay, read);

	if (!count)
		return;
	if (read && kind == 14)
		overlay_page_fill(overlay, place % count, random & 1 ? 0 : (uint8_t)(random >> 8));
	else if (read && kind == 15)
		overlay_page_remove(overlay, place % count, reasons[random % 4]);
	else
		word_damage(overlay, read, place % count, kind % 7, random);
}

bool mutation_matters(uint64_t number)
{
	return number % HARMLESS != 0;
}

void mutation_apply(struct rbs_target *overlay, uint64_t number)
{
	uint64_t state = number;
	unsigned count = 1 + (unsigned)(random_next(&state) % 4);

	for (unsigned i = 0; i < count; i++) {
		uint64_t place = random_next(&state), random = random_next(&state);

		damage(overlay, mutation_matters(number), place, (unsigned)(random >> 60), random);
	}
}

void mutation_apply_bytes(struct rbs_target *overlay, const uint8_t *bytes, size_t size)
{
	/* {u8 kind, u24 place, u64 what} */
	for (size_t at = 0; at + 12 <= size; at += 12)
		damage(overlay, true, rbs_bytes_little(bytes + at + 1, 3), bytes[at] % 16,
		       rbs_bytes_little(bytes + at + 4, 8));
}
