/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hash - tells two pieces of memory apart that differ by accident. No protection against forgery.
 */
#ifndef RBS_HASH_H
#define RBS_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t rbs_hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = size ^ UINT64_C(0xcbf29ce484222325), word;

	/* FNV-1a in steps of eight bytes, with the upper half folded down. */
	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 32;
	}
	for (; size; size--, at++)
		hash = (hash ^ *at) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 29;
}

#endif
