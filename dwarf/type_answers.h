/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * type_answers - what a source of types was asked, and its answers as text on a shelf of the cache.
 */
#ifndef RBS_TYPE_ANSWERS_H
#define RBS_TYPE_ANSWERS_H

#include "lib/shelf.h"
#include "lib/types.h"

/* What a question is about; one of three kinds of answers is wanted. */
struct rbs_type_question {
	const char *hint; /* where the source looks first, when that can matter; or NULL */
	const char *type; /* NULL: an enumerator of any enum */
	const char *path; /* of a member, or the name of an enumerator */
	struct rbs_member *member;
	uint64_t *size;
	int64_t *value;
};

/* Answer out of the shelf: true, and *code is what the source returned. */
bool rbs_type_answer_get(struct rbs_shelf *shelf, const struct rbs_type_question *question,
			 enum rbs_code *code, struct rbs_error *err);

/* Keep an answer: RBS_OK, RBS_NO_MEMBER or RBS_NO_TYPES (err has its text); others are not kept. */
void rbs_type_answer_put(struct rbs_shelf *shelf, const struct rbs_type_question *question,
			 enum rbs_code code, const struct rbs_error *err);

#endif
