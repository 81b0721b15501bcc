/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * value - a number read from a dump, or the reason why it could not be had.
 *
 * A value that could not be read is never a 0: ask rbs_value_ok() before using .number.
 */
#ifndef RBS_VALUE_H
#define RBS_VALUE_H

#include "lib/error.h"

struct rbs_value {
	enum rbs_code code; /* RBS_OK: number holds */
	uint64_t number;    /* sign extended to 64 bits where is_signed */
	bool is_signed;
	uint64_t address; /* kernel virtual address it was to be read from, 0 when there is none */
};

static inline bool rbs_value_ok(const struct rbs_value *value)
{
	return value->code == RBS_OK;
}

static inline struct rbs_value rbs_value_of(uint64_t number)
{
	return (struct rbs_value){.code = RBS_OK, .number = number};
}

static inline struct rbs_value rbs_value_absent(enum rbs_code reason)
{
	return (struct rbs_value){.code = reason};
}

/* The number of a value that was checked, or a fallback for an absent one. */
static inline uint64_t rbs_value_or(const struct rbs_value *value, uint64_t fallback)
{
	return value->code == RBS_OK ? value->number : fallback;
}

#endif
