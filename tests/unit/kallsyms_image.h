/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kallsyms_image - a kernel's symbol tables, as scripts/kallsyms.c lays them out, in a fake
 *machine.
 *
 * The tokens are those of a very small kernel: a code below 0x80 is that character, but
 *	0x01 "T_st"  0x02 "ext"  0x03 "Dmod"  0x04 "ules"  0x05 "D"  0x06 "T"
 * and the others are empty. Offsets and entries of names are the test's own literals.
 */
#ifndef KALLSYMS_IMAGE_H
#define KALLSYMS_IMAGE_H

#include "fake_target.h"

/* Write one table at an address (mapping it) and return the first word-aligned address behind. */
uint64_t image_bytes(struct rbs_target *target, uint64_t at, const void *bytes, size_t size);
uint64_t image_numbers(struct rbs_target *target, uint64_t at, const uint64_t *numbers,
		       size_t count, size_t width);
uint64_t image_number(struct rbs_target *target, uint64_t at, uint64_t number, size_t width);

/* The token table, then its index, whose address goes to *index. */
uint64_t image_tokens(struct rbs_target *target, uint64_t at, uint64_t *index);

#endif
