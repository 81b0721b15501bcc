/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/build_id.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTE_HEADER 12 /* bytes: name size, descriptor size, type, each u32 */
#define NOTE_BUILD_ID 3
#define KERNEL_NOTES_MAX 65536 /* bytes; a kernel has less than 1,000 */

static bool id_set(struct rbs_build_id *id, const uint8_t *bytes, size_t size)
{
	if (!size || size > RBS_BUILD_ID_MAX)
		return false;
	id->size = (uint8_t)size;
	memcpy(id->bytes, bytes, size);
	return true;
}

static uint64_t note_align(uint64_t size)
{
	return (size + 3) & ~UINT64_C(3);
}

bool rbs_build_id_from_notes(struct rbs_build_id *id, const struct rbs_target *target,
			     const uint8_t *notes, size_t size)
{
	while (size >= NOTE_HEADER) {
		uint64_t name_size = rbs_target_get_uint(target, notes, 4);
		uint64_t id_size = rbs_target_get_uint(target, notes + 4, 4);
		uint64_t type = rbs_target_get_uint(target, notes + 8, 4);
		uint64_t id_at = NOTE_HEADER + note_align(name_size);
		uint64_t next = id_at + note_align(id_size);

		if (id_at + id_size > size)
			return false;
		if (type == NOTE_BUILD_ID && name_size == 4 &&
		    !memcmp(notes + NOTE_HEADER, "GNU", 4))
			return id_set(id, notes + id_at, (size_t)id_size);
		/* The last note need not be padded. */
		if (next >= size)
			return false;
		notes += next;
		size -= (size_t)next;
	}
	return false;
}

static int digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	digit = (char)tolower((unsigned char)digit);
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

bool rbs_build_id_parse(struct rbs_build_id *id, const char *text)
{
	struct rbs_build_id parsed = {.size = 0};
	size_t length = strlen(text);

	if (!length || length % 2 || length / 2 > RBS_BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < length; i += 2) {
		int high = digit_value(text[i]), low = digit_value(text[i + 1]);

		if (high < 0 || low < 0)
			return false;
		parsed.bytes[parsed.size++] = (uint8_t)(high << 4 | low);
	}
	*id = parsed;
	return true;
}

enum rbs_code rbs_dump_build_id(struct rbs_target *target, struct rbs_symbols *symbols,
				struct rbs_build_id *id, struct rbs_error *err)
{
	char text[2 * RBS_BUILD_ID_MAX + 1];
	uint64_t start, stop;
	enum rbs_code code;
	uint8_t *notes;

	*id = (struct rbs_build_id){.size = 0};
	if (rbs_vmcoreinfo_text(target, "BUILD-ID", text, sizeof(text)) &&
	    rbs_build_id_parse(id, text))
		return RBS_OK;
	code = rbs_symbols_find(symbols, NULL, "__start_notes", &start, err);
	if (code == RBS_OK)
		code = rbs_symbols_find(symbols, NULL, "__stop_notes", &stop, err);
	if (code != RBS_OK)
		return code;
	if (stop <= start || stop - start > KERNEL_NOTES_MAX)
		return rbs_error_set_at(err, RBS_CORRUPT, start,
					"the kernel's notes from %" PRIx64 " to %" PRIx64
					" make no sense",
					start, stop);
	notes = malloc((size_t)(stop - start));
	if (!notes)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, start, notes, (size_t)(stop - start),
			       err);
	if (code == RBS_OK && !rbs_build_id_from_notes(id, target, notes, (size_t)(stop - start)))
		code = rbs_error_set_at(err, RBS_CORRUPT, start,
					"the kernel's notes at %" PRIx64 " have no build-id",
					start);
	free(notes);
	return code;
}

bool rbs_build_id_equal(const struct rbs_build_id *a, const struct rbs_build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

void rbs_build_id_format(const struct rbs_build_id *id, char *text, size_t size)
{
	size_t used = 0;

	if (size)
		text[0] = '\0';
	for (size_t i = 0; i < id->size && used + 3 <= size; i++)
		used += (size_t)snprintf(text + used, size - used, "%02x", id->bytes[i]);
}
