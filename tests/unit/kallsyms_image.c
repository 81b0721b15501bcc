/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kallsyms_image.h"

#include <string.h>

uint64_t image_bytes(struct rbs_target *target, uint64_t at, const void *bytes, size_t size)
{
	uint64_t word = target->info.word_size;

	fake_target_map(target, at, bytes, size);
	at += size;
	while (at % word) {
		fake_target_map_zeros(target, at, 1);
		at++;
	}
	return at;
}

uint64_t image_numbers(struct rbs_target *target, uint64_t at, const uint64_t *numbers,
		       size_t count, size_t width)
{
	uint64_t end;

	fake_target_map_zeros(target, at, count * width);
	for (size_t i = 0; i < count; i++)
		fake_target_put(target, at + i * width, width, numbers[i]);
	end = at + count * width;
	/* Nothing to write: only the padding. */
	return image_bytes(target, end, "", 0);
}

uint64_t image_number(struct rbs_target *target, uint64_t at, uint64_t number, size_t width)
{
	return image_numbers(target, at, &number, 1, width);
}

uint64_t image_tokens(struct rbs_target *target, uint64_t at, uint64_t *index)
{
	static const char *const special[] = {
		[1] = "T_st", [2] = "ext", [3] = "Dmod", [4] = "ules", [5] = "D", [6] = "T",
	};
	uint64_t offsets[256];
	uint8_t table[1024];
	size_t used = 0;

	for (size_t i = 0; i < 256; i++) {
		char character[2] = {(char)(i >= 0x20 && i < 0x7f ? i : 0), '\0'};
		const char *text = i >= 1 && i <= 6 ? special[i] : character;

		offsets[i] = used;
		memcpy(table + used, text, strlen(text) + 1);
		used += strlen(text) + 1;
	}
	*index = image_bytes(target, at, table, used);
	return image_numbers(target, *index, offsets, 256, 2);
}
