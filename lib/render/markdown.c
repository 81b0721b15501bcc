/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tickets: the findings, and a table a group. */
#include <stdlib.h>

#include "lib/render/escape.h"
#include "lib/render/facts.h"
#include "lib/render/field.h"
#include "lib/render/render.h"
#include "lib/render/view.h"
#include "lib/verdict.h"

struct markdown {
	struct rbs_view view;
	FILE *out;
};

static void put(struct markdown *markdown, const char *text)
{
	rbs_markdown_puts(text, markdown->out);
}

static void findings_put(struct markdown *markdown, const struct rbs_report *report)
{
	fputs("\n## Findings\n\n", markdown->out);
	if (!report->finding_count)
		fputs("None: no rule fired on these figures.\n", markdown->out);
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct rbs_finding *finding = &report->findings[i];
		const struct rbs_rule *rule = rbs_rule_find(finding->code);

		fprintf(markdown->out, "- **%s** `%s` ", rbs_severity_name(finding->severity),
			finding->code);
		put(markdown, finding->subject);
		fputs(": ", markdown->out);
		put(markdown, finding->summary);
		if (rule)
			fprintf(markdown->out, ". Look next at: %s", rule->next);
		fputc('\n', markdown->out);
	}
}

static void cell_put(struct markdown *markdown, const struct rbs_field *field)
{
	char buffer[512];

	fputs(" ", markdown->out);
	if (!field)
		fputs("-", markdown->out);
	else if (field->code == RBS_OK)
		put(markdown, rbs_field_format(field, buffer, sizeof(buffer)));
	else
		fputs(rbs_absent_word(field->code), markdown->out);
	fputs(" |", markdown->out);
}

static void table_put(struct markdown *markdown, const struct rbs_rows *rows, enum rbs_place place)
{
	struct rbs_columns columns;

	if (!rows->count)
		return;
	rbs_columns_choose(&markdown->view, rows, place, &columns);
	if (!columns.count)
		return;
	fputs("\n|", markdown->out);
	for (size_t i = 0; i < columns.name_count; i++)
		fprintf(markdown->out, " %s |",
			markdown->view.family->name_header[columns.names[i]]);
	for (size_t i = 0; i < columns.count; i++)
		fprintf(markdown->out, " %s |",
			columns.descs[i]->header ? columns.descs[i]->header
						 : columns.descs[i]->name);
	fputs("\n|", markdown->out);
	for (size_t i = 0; i < columns.name_count + columns.count; i++)
		fputs("---|", markdown->out);
	fputc('\n', markdown->out);
	for (size_t k = 0; k < rows->count; k++) {
		if (place != RBS_PLACE_COLUMN && !rbs_row_has(rows->nodes[k], &columns))
			continue;
		fputc('|', markdown->out);
		for (size_t i = 0; i < columns.name_count; i++) {
			const struct rbs_node *node =
				rbs_ancestor(rows->nodes[k], columns.names[i]);

			fputc(' ', markdown->out);
			put(markdown, node ? node->name : "-");
			fputs(" |", markdown->out);
		}
		for (size_t i = 0; i < columns.count; i++) {
			const struct rbs_node *node =
				rbs_ancestor(rows->nodes[k], columns.descs[i]->level);

			cell_put(markdown,
				 node ? rbs_node_find(node, columns.descs[i]->name) : NULL);
		}
		fputc('\n', markdown->out);
	}
}

static void title_put(struct markdown *markdown, const struct rbs_node *node, const char *mark)
{
	fprintf(markdown->out, "\n%s ", mark);
	put(markdown, node->name);
	fputs("\n\n", markdown->out);
	for (size_t i = 0; i < markdown->view.family->desc_count; i++) {
		const struct rbs_desc *desc = &markdown->view.family->descs[i];
		const struct rbs_field *field =
			desc->level == node->level ? rbs_node_find(node, desc->name) : NULL;
		char buffer[512];

		if (!field || !rbs_title_wanted(&markdown->view, field) || field->code != RBS_OK ||
		    (field->text && !*field->text))
			continue;
		fprintf(markdown->out, "%s ", desc->header ? desc->header : desc->name);
		put(markdown, rbs_field_format(field, buffer, sizeof(buffer)));
		fputs("; ", markdown->out);
	}
	fputc('\n', markdown->out);
}

static void group_put(struct markdown *markdown, const struct rbs_node *group, const char *mark)
{
	enum rbs_level low = (enum rbs_level)(markdown->view.family->group + 1);
	struct rbs_rows rows = {.low = low, .high = markdown->view.family->row};

	rbs_rows_collect(&markdown->view, &rows, group);
	title_put(markdown, group, mark);
	table_put(markdown, &rows, RBS_PLACE_COLUMN);
	free(rows.nodes);
}

static void section_put(struct markdown *markdown, const struct rbs_section *section)
{
	markdown->view.family = section->family;
	fprintf(markdown->out, "\n## %s\n", section->family->title);
	if (section->status == RBS_STATUS_FAILED) {
		fputs("\ncould not be read: ", markdown->out);
		put(markdown, section->reason);
		fputc('\n', markdown->out);
		return;
	}
	for (size_t i = 0; i < section->node->child_count; i++) {
		const struct rbs_node *device = section->node->children[i];

		if (device->level == section->family->group) {
			group_put(markdown, device, "###");
			continue;
		}
		title_put(markdown, device, "###");
		for (size_t k = 0; k < device->child_count; k++)
			group_put(markdown, device->children[k], "####");
	}
}

enum rbs_code rbs_render_markdown(const struct rbs_report *report,
				  const struct rbs_render_options *options, FILE *out,
				  struct rbs_error *err)
{
	struct markdown markdown = {.out = out};
	char machine[RBS_RENDER_MACHINE_SIZE];
	unsigned facts = 0;

	fputs("# rbstats: ", out);
	put(&markdown, report->dump.path);
	fputs("\n\nkernel ", out);
	put(&markdown, *report->dump.release ? report->dump.release : "unknown");
	fputs(", ", out);
	put(&markdown, rbs_render_machine(report, machine, sizeof(machine)));
	fputs(", ", out);
	put(&markdown, report->dump.format);
	fprintf(out, "; made by %s %s\n", options->tool, options->version);
	for (struct rbs_fact fact = rbs_fact_get(&report->dump, 0); fact.label;
	     fact = rbs_fact_get(&report->dump, ++facts)) {
		fprintf(out, "\n%s: ", fact.label);
		put(&markdown, fact.text);
		fputc('\n', out);
	}
	findings_put(&markdown, report);
	for (size_t i = 0; i < report->section_count; i++) {
		if (report->sections[i].status != RBS_STATUS_ABSENT)
			section_put(&markdown, &report->sections[i]);
	}
	if (report->problem_count)
		fputs("\n## What could not be read\n\n", out);
	for (size_t i = 0; i < report->problem_count; i++) {
		fputs("- ", out);
		put(&markdown, report->problems[i].subject);
		fputs(": ", out);
		put(&markdown, report->problems[i].text);
		fputc('\n', out);
	}
	return markdown.view.failed ? rbs_error_set(err, RBS_NOMEM, "out of memory") : RBS_OK;
}
