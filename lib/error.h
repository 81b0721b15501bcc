/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * error - what went wrong, as an object that travels with the return code.
 *
 * Every function that can fail returns an enum rbs_code and takes a struct rbs_error * as its last
 * parameter. The pointer may be NULL when the caller only wants the code. The text is one line
 * without a newline: what, where, and what to do when that is known.
 */
#ifndef RBS_ERROR_H
#define RBS_ERROR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

enum rbs_code {
	RBS_OK = 0,

	/* Why a value could not be had: these are the reasons of the JSON contract. */
	RBS_EXCLUDED,	 /* the page was left out when the dump was written */
	RBS_UNMAPPED,	 /* no translation for the address, or no such memory */
	RBS_TRUNCATED,	 /* the dump file ends before the page */
	RBS_NO_MEMBER,	 /* this kernel's structure has no such member */
	RBS_NOT_COUNTED, /* this build never counts it */
	RBS_TORN,	 /* an update was under way when the machine stopped */
	RBS_CORRUPT,	 /* the bytes contradict what they must be */
	RBS_NO_TYPES,	 /* no source of types knows the structure */
	RBS_NO_SYMBOL,	 /* no source of symbols knows the name */
	RBS_IO,		 /* reading the dump failed for another reason */
	RBS_LIMIT,	 /* a documented limit of rbstats was reached */

	/* Why an operation as a whole failed. */
	RBS_NOMEM,
	RBS_UNSUPPORTED, /* a format or architecture that rbstats cannot read */
	RBS_MISMATCH,	 /* a file that does not belong to this dump */
	RBS_USAGE,
	RBS_INTERRUPTED, /* the user pressed ^C */
};

struct rbs_error {
	enum rbs_code code;
	bool has_address;
	uint64_t address; /* the address that could not be read, in the space named by text */
	char text[512];
};

/* Fill *err (when not NULL) and return code, so that 'return rbs_error_set(...)' reads well. */
enum rbs_code rbs_error_set(struct rbs_error *err, enum rbs_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for an error at an address. */
enum rbs_code rbs_error_set_at(struct rbs_error *err, enum rbs_code code, uint64_t address,
			       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Put "context: " before the text that *err already holds; returns err->code. */
enum rbs_code rbs_error_prefix(struct rbs_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* clang's analyzer looks into no other file: it must be told that what comes back is the code. */
#ifdef __clang_analyzer__
#define rbs_error_set(err, code, ...) (rbs_error_set(err, code, __VA_ARGS__), code)
#define rbs_error_set_at(err, code, ...) (rbs_error_set_at(err, code, __VA_ARGS__), code)
#endif

void rbs_error_clear(struct rbs_error *err);

/* Hand on an error that was kept elsewhere; returns its code. */
enum rbs_code rbs_error_give(struct rbs_error *err, const struct rbs_error *kept);

/* Of two reasons the first that there is. */
static inline enum rbs_code rbs_code_first(enum rbs_code one, enum rbs_code two)
{
	return one != RBS_OK ? one : two;
}

/* Remember an error, unless one was remembered before. */
void rbs_error_keep(struct rbs_error *kept, const struct rbs_error *error);

/* The stable name of a code ("excluded", "no-such-member" ...): the JSON contract's words. */
const char *rbs_code_name(enum rbs_code code);

/* The inverse; false when no code has that name. */
bool rbs_code_parse(const char *name, enum rbs_code *code);

/* A few plain words for a person ("page excluded from the dump"). */
const char *rbs_code_text(enum rbs_code code);

#endif
