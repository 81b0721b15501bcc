/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "expect.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct rbs_field *field_find(const struct rbs_node *node, const char *name)
{
	const struct rbs_field *field;

	cr_assert_not_null(node, "nothing that could have a %s", name);
	field = rbs_node_find(node, name);
	cr_assert_not_null(field, "%s has no %s", node->name, name);
	return field;
}

void expect_number(const struct rbs_node *node, const char *name, uint64_t expected)
{
	const struct rbs_field *field = field_find(node, name);

	cr_expect_eq(field->code, RBS_OK, "%s: %s", name, rbs_code_name(field->code));
	cr_expect(!field->is_signed, "%s is signed", name);
	cr_expect_eq(field->number, expected, "%s: %llu, not %llu", name,
		     (unsigned long long)field->number, (unsigned long long)expected);
}

void expect_text(const struct rbs_node *node, const char *name, const char *expected)
{
	const struct rbs_field *field = field_find(node, name);

	cr_expect_eq(field->code, RBS_OK, "%s: %s", name, rbs_code_name(field->code));
	cr_assert_not_null(field->text);
	cr_expect_str_eq(field->text, expected);
}

void expect_absent(const struct rbs_node *node, const char *name, enum rbs_code reason)
{
	const struct rbs_field *field = field_find(node, name);

	cr_expect_eq(field->code, reason, "%s: %s, not %s", name, rbs_code_name(field->code),
		     rbs_code_name(reason));
}

void expect_problem(const struct rbs_report *report, const char *subject, enum rbs_code code,
		    const char *text)
{
	for (size_t i = 0; i < report->problem_count; i++) {
		const struct rbs_problem *problem = &report->problems[i];

		if (!strcmp(problem->subject, subject) && problem->code == code &&
		    strstr(problem->text, text))
			return;
		cr_log_warn("%s: %s\n", problem->subject, problem->text);
	}
	cr_expect(false, "no problem '%s' of %s among %zu", text, subject, report->problem_count);
}
