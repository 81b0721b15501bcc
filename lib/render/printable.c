/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at text (Unicode 15, table 3-7), 0 when there is none. */
static size_t utf8_length(const unsigned char *text)
{
	size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;

	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	/* U+0080 to U+009f are control characters as well; so is what changes the direction, with
	 * U+061c, the Arabic letter mark. */
	if ((text[0] == 0xc2 && text[1] < 0xa0) || (text[0] == 0xd8 && text[1] == 0x9c))
		return 0;
	if (text[0] == 0xe2 && ((text[1] == 0x80 && text[2] >= 0x8b && text[2] <= 0xaf) ||
				(text[1] == 0x81 && text[2] >= 0xa0 && text[2] <= 0xaf)))
		return 0;
	return length;
}

const char *rbs_printable(const char *text, char *buffer, size_t size)
{
	const unsigned char *from = (const unsigned char *)text;
	size_t used = 0;

	while (*from) {
		char piece[5];
		size_t length = 1, step = 1;

		if (*from >= 0x20 && *from < 0x7f && *from != '\\') {
			piece[0] = (char)*from;
		} else if (*from == '\\') {
			/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): length counts */
			memcpy(piece, "\\\\", 2);
			length = 2;
		} else if (*from >= 0x80 && (step = utf8_length(from)) != 0) {
			memcpy(piece, from, step);
			length = step;
		} else {
			static const char hex[] = "0123456789abcdef";

			piece[0] = '\\';
			piece[1] = 'x';
			piece[2] = hex[*from >> 4];
			piece[3] = hex[*from & 15];
			length = 4;
			step = 1;
		}
		if (used + length >= size)
			break;
		memcpy(buffer + used, piece, length);
		used += length;
		from += step;
	}
	buffer[used] = '\0';
	return buffer;
}

/* The byte of \xNN at text; 0: there is none. */
static unsigned char escape_byte(const char *text)
{
	unsigned byte = 0;

	if (text[0] != '\\' || text[1] != 'x')
		return 0;
	for (size_t i = 2; i < 4; i++) {
		char digit = text[i];

		if (digit >= '0' && digit <= '9')
			byte = byte * 16 + (unsigned)(digit - '0');
		else if (digit >= 'a' && digit <= 'f')
			byte = byte * 16 + (unsigned)(digit - 'a') + 10;
		else
			return 0;
	}
	return (unsigned char)byte;
}

const char *rbs_printable_undo(const char *text, char *buffer, size_t size)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		unsigned char byte = escape_byte(text);

		if (byte) {
			buffer[used++] = (char)byte;
			text += 4;
		} else {
			if (text[0] == '\\' && text[1] == '\\')
				text++;
			buffer[used++] = *text++;
		}
	}
	buffer[used] = '\0';
	return buffer;
}
