/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expect - what a test expects of a node or a report.
 *
 * A node that is NULL, or that lacks the field, ends the test.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include "lib/result.h"

/* Fail the test unless the field is there and is that. */
void expect_number(const struct rbs_node *node, const char *field, uint64_t expected);
void expect_text(const struct rbs_node *node, const char *field, const char *expected);

/* ... unless it is there without a value, for that reason. */
void expect_absent(const struct rbs_node *node, const char *field, enum rbs_code reason);

/* ... unless the report has a problem with that subject, code and part of the text. */
void expect_problem(const struct rbs_report *report, const char *subject, enum rbs_code code,
		    const char *text);

#endif
