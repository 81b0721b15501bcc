/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bytes - numbers of up to 8 bytes whose order is known. */
#ifndef RBS_BYTES_H
#define RBS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint64_t rbs_bytes_get(const void *bytes, size_t size, bool big_endian)
{
	const uint8_t *byte = bytes;
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | byte[big_endian ? i : size - 1 - i];
	return value;
}

static inline uint64_t rbs_bytes_little(const void *bytes, size_t size)
{
	return rbs_bytes_get(bytes, size, false);
}

static inline uint64_t rbs_bytes_big(const void *bytes, size_t size)
{
	return rbs_bytes_get(bytes, size, true);
}

#endif
