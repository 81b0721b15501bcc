/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rbs_draft_number(struct rbs_draft *draft, const struct rbs_node *node, const char *name,
		      uint64_t *number)
{
	if (!rbs_node_number(node, name, number))
		return false;
	if (draft->evidence_count < RBS_EVIDENCE_MAX)
		draft->evidence[draft->evidence_count++] = (struct rbs_evidence){
			.name = rbs_node_find(node, name)->desc->name, .number = *number};
	return true;
}

bool rbs_draft_say(struct rbs_draft *draft, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(draft->summary, sizeof(draft->summary), format, args);
	va_end(args);
	return true;
}

static void node_judge(struct rbs_report *report, const struct rbs_node *node,
		       const struct rbs_rule_table *table, const char *family)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rbs_rule *rule = &table->rules[i];
		struct rbs_draft draft = {.severity = rule->severity};
		char subject[512];

		if (rule->level != node->level || strcmp(rule->family, family) ||
		    !rule->check(node, &draft))
			continue;
		rbs_report_add_finding(report, rule->code, draft.severity,
				       rbs_node_path(node, subject, sizeof(subject)), draft.summary,
				       draft.evidence, draft.evidence_count);
	}
}

/* Depth first without recursion: the levels bound the depth. */
static void section_judge(struct rbs_report *report, const struct rbs_section *section,
			  const struct rbs_rule_table *tables, size_t count)
{
	size_t next[RBS_LEVEL_COUNT + 1] = {0};
	const struct rbs_node *at = section->node;
	size_t depth = 0;

	for (;;) {
		if (next[depth] < at->child_count) {
			at = at->children[next[depth]++];
			next[++depth] = 0;
			for (size_t i = 0; i < count; i++)
				node_judge(report, at, &tables[i], section->family->name);
		} else if (depth) {
			depth--;
			at = at->parent;
		} else {
			return;
		}
	}
}

static int finding_compare(const void *left, const void *right)
{
	const struct rbs_finding *a = left, *b = right;

	/* The worst first; within a severity in the order of the report. */
	if (a->severity != b->severity)
		return a->severity < b->severity ? 1 : -1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void rbs_verdicts_run(struct rbs_report *report)
{
	size_t count;
	const struct rbs_rule_table *tables = rbs_rule_tables(&count);

	for (size_t i = 0; i < report->section_count; i++)
		section_judge(report, &report->sections[i], tables, count);
	if (report->finding_count)
		qsort(report->findings, report->finding_count, sizeof(*report->findings),
		      finding_compare);
}

const struct rbs_rule *rbs_rule_find(const char *code)
{
	size_t count;
	const struct rbs_rule_table *tables = rbs_rule_tables(&count);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < tables[i].count; k++) {
			if (!strcmp(tables[i].rules[k].code, code))
				return &tables[i].rules[k];
		}
	}
	return NULL;
}
