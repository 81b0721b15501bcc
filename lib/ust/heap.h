/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heap - the texts that describe traces, as LTTng's daemons hold them in memory of their own.
 *
 * The consumer pushes metadata into its ring late, and readers empty that. But lttng-sessiond keeps
 * each trace's text in its registry (ust-registry.h: metadata, of type char *, grown by zeroed
 * realloc) and lttng-consumerd in its cache (consumer-metadata-cache.h). They are found by how they
 * start; which trace one is of it says itself. Memory is read through the page tables of the
 * process: x86-64 only.
 */
#ifndef RBS_UST_HEAP_H
#define RBS_UST_HEAP_H

#include "lib/ust/ust.h"

struct rbs_ust_text {
	uint8_t uuid[RBS_UST_UUID_SIZE];
	char *text; /* NUL terminated; owned */
	size_t length;
	bool ended; /* by a NUL in memory */
	const struct rbs_task *task;
};

/* The best text of each trace. */
struct rbs_ust_texts {
	struct rbs_ust_text *texts; /* owned */
	size_t count;
	size_t daemons;	  /* whose memory was looked through */
	uint64_t missing; /* pages of them that could not be read */
	/* Not RBS_OK: why there may be texts that were not found. */
	enum rbs_code code;
};

/* Looks through all daemons. RBS_UNSUPPORTED where page tables can't be followed. */
enum rbs_code rbs_ust_texts_init(struct rbs_ust_texts *texts, const struct rbs_ust *ust,
				 struct rbs_error *err);
void rbs_ust_texts_deinit(struct rbs_ust_texts *texts);

/* NULL when there is none. */
const struct rbs_ust_text *rbs_ust_texts_find(const struct rbs_ust_texts *texts,
					      const uint8_t *uuid);

/*
 * Bytes of the text at the start of bytes that are whole declarations. TSDL: up to the last ';' and
 * line's end outside of braces, strings and comments; JSON (CTF 2): up to the end of the last whole
 * object. *ended: whether a NUL follows the text.
 */
size_t rbs_ust_text_length(const char *bytes, size_t length, bool *ended);

#endif
