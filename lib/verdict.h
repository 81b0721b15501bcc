/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdict - from figures to what is wrong: rules on results.
 *
 * A rule looks at one node of its family and level (and at its neighbours in the tree), never at
 * the dump: so crash, the program and stored results share it. It fires on evidence, which it
 * names: a snapshot shows many a ring in motion, so no rule above 'info' rests on one number alone
 * where two are needed.
 *
 * Adding a rule: an entry in a table of lib/verdicts/, with a test in which it fires and one in
 * which it must not.
 */
#ifndef RBS_VERDICT_H
#define RBS_VERDICT_H

#include "lib/result.h"

/* What a rule's check fills in. */
struct rbs_draft {
	enum rbs_severity severity; /* starts as the rule's own */
	char summary[400];	    /* one sentence with the figures */
	struct rbs_evidence evidence[RBS_EVIDENCE_MAX];
	size_t evidence_count;
};

struct rbs_rule {
	const char *code; /* stable: "vmbus.ring-full" */
	const char *family;
	enum rbs_level level;
	enum rbs_severity severity; /* the highest that it gives */
	const char *title;	    /* one line: what was found */
	const char *why;	    /* why it matters */
	const char *next;	    /* what to look at next */
	/* True when it fires. */
	bool (*check)(const struct rbs_node *node, struct rbs_draft *draft);
};

/* Ask all rules about all nodes; the findings go into the report, the worst first. */
void rbs_verdicts_run(struct rbs_report *report);

/* All rules, a table a family; *count gets the number of tables. */
struct rbs_rule_table {
	const struct rbs_rule *rules;
	size_t count;
};
const struct rbs_rule_table *rbs_rule_tables(size_t *count);

/* NULL when there is none of that code. */
const struct rbs_rule *rbs_rule_find(const char *code);

/* The field's number, recorded as evidence; false when the node does not have it or it is absent.
 */
bool rbs_draft_number(struct rbs_draft *draft, const struct rbs_node *node, const char *name,
		      uint64_t *number);

/* Set the summary; returns true, so that a check can end with it. */
bool rbs_draft_say(struct rbs_draft *draft, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
