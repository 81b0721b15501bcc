/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One self-contained page: findings first, then each system with its rings drawn and its tables,
 * what could not be read, and where the figures come from. No script, no network; every string of
 * the dump is escaped.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/escape.h"
#include "lib/render/facts.h"
#include "lib/render/field.h"
#include "lib/render/html_style.h"
#include "lib/render/render.h"
#include "lib/render/ring_svg.h"
#include "lib/render/view.h"
#include "lib/verdict.h"

/* Rings drawn of one group: a page of a machine with a thousand queues must stay a page. */
#define DRAWINGS_LIMIT 64
#define SLOTS_SHOWN 256

struct html {
	struct rbs_view view;
	FILE *out;
};

static void put(struct html *html, const char *text)
{
	rbs_html_puts(text, html->out);
}

static void value_put(struct html *html, const struct rbs_field *field)
{
	char buffer[512];

	if (!field)
		fputs("<span class='none'>-</span>", html->out);
	else if (field->code == RBS_OK)
		put(html, rbs_field_format(field, buffer, sizeof(buffer)));
	else
		fprintf(html->out, "<abbr class='none' title='%s'>%s</abbr>",
			rbs_code_text(field->code), rbs_absent_word(field->code));
}

/* The glossary as a tooltip. */
static void meaning_put(struct html *html, const struct rbs_desc *desc)
{
	fputs(" title='", html->out);
	put(html, desc->meaning);
	if (desc->high) {
		fputs(". When high or set: ", html->out);
		put(html, desc->high);
	}
	fputc('\'', html->out);
}

static void headers_put(struct html *html, const struct rbs_columns *columns)
{
	fputs("<thead><tr>", html->out);
	for (size_t i = 0; i < columns->name_count; i++)
		fprintf(html->out, "<th>%s</th>",
			html->view.family->name_header[columns->names[i]]);
	for (size_t i = 0; i < columns->count; i++) {
		fputs("<th", html->out);
		meaning_put(html, columns->descs[i]);
		fputc('>', html->out);
		put(html, columns->descs[i]->header ? columns->descs[i]->header
						    : columns->descs[i]->name);
		fputs("</th>", html->out);
	}
	fputs("</tr></thead>\n", html->out);
}

static void row_put(struct html *html, const struct rbs_columns *columns,
		    const struct rbs_node *row)
{
	fputs("<tr>", html->out);
	for (size_t i = 0; i < columns->name_count; i++) {
		const struct rbs_node *node = rbs_ancestor(row, columns->names[i]);

		fputs("<th>", html->out);
		put(html, node ? node->name : "-");
		fputs("</th>", html->out);
	}
	for (size_t i = 0; i < columns->count; i++) {
		const struct rbs_desc *desc = columns->descs[i];
		const struct rbs_node *node = rbs_ancestor(row, desc->level);

		fputs(desc->format == RBS_FORMAT_TEXT ? "<td class='text'>" : "<td>", html->out);
		value_put(html, node ? rbs_node_find(node, desc->name) : NULL);
		fputs("</td>", html->out);
	}
	fputs("</tr>\n", html->out);
}

static void table_put(struct html *html, const struct rbs_rows *rows, enum rbs_place place)
{
	struct rbs_columns columns;

	if (!rows->count)
		return;
	rbs_columns_choose(&html->view, rows, place, &columns);
	if (!columns.count)
		return;
	fputs("<div class='scroll'><table>", html->out);
	headers_put(html, &columns);
	fputs("<tbody>", html->out);
	for (size_t i = 0; i < rows->count; i++) {
		if (place == RBS_PLACE_COLUMN || rbs_row_has(rows->nodes[i], &columns))
			row_put(html, &columns, rows->nodes[i]);
	}
	fputs("</tbody></table></div>\n", html->out);
}

static void fact_put(struct html *html, const struct rbs_field *field)
{
	fputs("<span", html->out);
	meaning_put(html, field->desc);
	fputs("><b>", html->out);
	put(html, field->desc->header ? field->desc->header : field->desc->name);
	fputs("</b> ", html->out);
	value_put(html, field);
	fputs("</span> ", html->out);
}

static void title_put(struct html *html, const struct rbs_node *node, const char *element)
{
	fprintf(html->out, "<%s>", element);
	put(html, node->name);
	fprintf(html->out, "</%s>\n<p class='facts'>", element);
	for (size_t i = 0; i < html->view.family->desc_count; i++) {
		const struct rbs_desc *desc = &html->view.family->descs[i];
		const struct rbs_field *field =
			desc->level == node->level ? rbs_node_find(node, desc->name) : NULL;
		bool counter = field && desc->place == RBS_PLACE_COUNTER &&
			       (field->code != RBS_OK || field->number);

		if (!field || (!counter && !rbs_title_wanted(&html->view, field)) ||
		    (field->code == RBS_OK && field->text && !*field->text))
			continue;
		fact_put(html, field);
	}
	for (size_t i = 0; i < node->field_count; i++) {
		const struct rbs_field *field = &node->fields[i];

		if (field->desc->member && (field->code != RBS_OK || field->number))
			fact_put(html, field);
	}
	fputs("</p>\n", html->out);
}

static void rings_put(struct html *html, const struct rbs_rows *rows)
{
	size_t drawn = 0;

	fputs("<div class='rings'>", html->out);
	for (size_t i = 0; i < rows->count && drawn < DRAWINGS_LIMIT; i++) {
		const struct rbs_node *row = rows->nodes[i];
		const struct rbs_node *above = rbs_ancestor(row, (enum rbs_level)(row->level - 1));

		fputs("<figure>", html->out);
		if (rbs_ring_svg(row, html->out)) {
			drawn++;
			fputs("<figcaption>", html->out);
			if (row->level == RBS_LEVEL_RING &&
			    html->view.family->group == RBS_LEVEL_DEVICE && above) {
				put(html, above->name);
				fputc(' ', html->out);
			}
			put(html, row->name);
			fputs("</figcaption>", html->out);
		}
		fputs("</figure>", html->out);
	}
	fputs("</div>\n", html->out);
	if (drawn == DRAWINGS_LIMIT)
		fprintf(html->out, "<p class='facts'>only the first %d are drawn</p>\n",
			DRAWINGS_LIMIT);
}

static void slots_put(struct html *html, const struct rbs_node *row)
{
	struct rbs_rows slots = {.low = RBS_LEVEL_SLOT, .high = RBS_LEVEL_SLOT};
	char path[512];

	for (size_t i = 0; i < row->child_count && slots.count < SLOTS_SHOWN; i++) {
		if (row->children[i]->level == RBS_LEVEL_SLOT)
			rbs_rows_add(&html->view, &slots, row->children[i]);
	}
	if (slots.count) {
		fputs("<details><summary>", html->out);
		put(html, rbs_node_path(row, path, sizeof(path)));
		fprintf(html->out, ": %zu of %zu</summary>\n", slots.count, row->child_count);
		table_put(html, &slots, RBS_PLACE_COLUMN);
		fputs("</details>\n", html->out);
	}
	free(slots.nodes);
}

static void group_put(struct html *html, const struct rbs_node *group, const char *element)
{
	enum rbs_level low = (enum rbs_level)(html->view.family->group + 1);
	struct rbs_rows rows = {.low = low, .high = html->view.family->row};

	rbs_rows_collect(&html->view, &rows, group);
	fputs("<section class='group'>", html->out);
	title_put(html, group, element);
	rings_put(html, &rows);
	table_put(html, &rows, RBS_PLACE_COLUMN);
	if (rows.folded)
		fprintf(html->out, "<p class='facts'>%zu of %zu %ss never used: not shown</p>\n",
			rows.folded, rows.total, html->view.family->row_noun);
	for (enum rbs_level level = low; level <= html->view.family->row; level++) {
		struct rbs_rows own = {.low = level, .high = level};

		if (level > low)
			own.low = (enum rbs_level)(level - 1);
		rbs_rows_collect_level(&html->view, &own, group, level);
		table_put(html, &own, RBS_PLACE_COUNTER);
		free(own.nodes);
	}
	for (size_t i = 0; i < rows.count; i++)
		slots_put(html, rows.nodes[i]);
	fputs("</section>\n", html->out);
	free(rows.nodes);
}

static void section_put(struct html *html, const struct rbs_section *section)
{
	const struct rbs_family *family = section->family;

	html->view.family = family;
	fprintf(html->out, "<h2 id='%s'>%s</h2>\n", family->name, family->title);
	if (section->status == RBS_STATUS_FAILED) {
		fputs("<p class='bad-text'>could not be read: ", html->out);
		put(html, section->reason);
		fputs("</p>\n", html->out);
		return;
	}
	fprintf(html->out,
		"<p class='facts'><span><b>layout from</b> %s</span> <span>%s</span></p>\n",
		section->types ? section->types : "unknown",
		section->status == RBS_STATUS_PARTIAL ? "parts could not be read: see below" : "");
	for (size_t i = 0; i < section->node->child_count; i++) {
		const struct rbs_node *device = section->node->children[i];

		if (device->level == family->group) {
			group_put(html, device, "h3");
			continue;
		}
		title_put(html, device, "h3");
		for (size_t k = 0; k < device->child_count; k++)
			group_put(html, device->children[k], "h4");
	}
}

static bool finding_same(const struct rbs_finding *a, const struct rbs_finding *b)
{
	return a->severity == b->severity && !strcmp(a->code, b->code);
}

/* All findings of a code in one block: why it matters is said once. */
static void finding_block_put(struct html *html, const struct rbs_report *report, size_t first)
{
	const struct rbs_finding *finding = &report->findings[first];
	const struct rbs_rule *rule = rbs_rule_find(finding->code);

	fprintf(html->out, "<div class='finding %s'><p><b>%s</b> %s <code>%s</code></p>\n",
		rbs_severity_name(finding->severity), rbs_severity_name(finding->severity),
		rule ? rule->title : "", finding->code);
	for (size_t i = first; i < report->finding_count; i++) {
		if (!finding_same(finding, &report->findings[i]))
			continue;
		fputs("<p><code>", html->out);
		put(html, report->findings[i].subject);
		fputs("</code> ", html->out);
		put(html, report->findings[i].summary);
		fputs("</p>\n", html->out);
	}
	if (rule)
		fprintf(html->out,
			"<p class='facts'><span><strong>why it matters</strong> %s</span><br>"
			"<span><strong>look next at</strong> %s</span></p>",
			rule->why, rule->next);
	fputs("</div>\n", html->out);
}

static void findings_put(struct html *html, const struct rbs_report *report)
{
	fputs("<h2>Findings</h2>\n", html->out);
	if (!report->finding_count)
		fputs("<p>None: no rule fired on these figures.</p>\n", html->out);
	for (size_t i = 0; i < report->finding_count; i++) {
		bool shown = false;

		for (size_t k = 0; k < i && !shown; k++)
			shown = finding_same(&report->findings[k], &report->findings[i]);
		if (!shown)
			finding_block_put(html, report, i);
	}
}

static void problems_put(struct html *html, const struct rbs_report *report)
{
	if (!report->problem_count)
		return;
	fputs("<h2>What could not be read</h2>\n<ul>\n", html->out);
	for (size_t i = 0; i < report->problem_count; i++) {
		fputs("<li><code>", html->out);
		put(html, report->problems[i].subject);
		fputs("</code> ", html->out);
		put(html, report->problems[i].text);
		fputs("</li>\n", html->out);
	}
	fputs("</ul>\n", html->out);
}

static void absents_put(struct html *html, const struct rbs_report *report)
{
	bool first = true;

	for (size_t i = 0; i < report->section_count; i++) {
		if (report->sections[i].status != RBS_STATUS_ABSENT)
			continue;
		fprintf(html->out, "%s%s", first ? "<p class='facts'>Not in this kernel: " : ", ",
			report->sections[i].family->name);
		first = false;
	}
	if (!first)
		fputs("</p>\n", html->out);
}

enum rbs_code rbs_render_html(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err)
{
	struct html html = {.out = out};
	char machine[RBS_RENDER_MACHINE_SIZE];
	unsigned facts = 0;

	fputs("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
	      "<meta name='viewport' content='width=device-width,initial-scale=1'>"
	      "<title>rbstats: ",
	      out);
	put(&html, report->dump.path);
	fprintf(out, "</title><style>%s</style></head><body><main>\n<h1>rbstats</h1>\n",
		rbs_html_style);
	fputs("<p class='facts'><span><b>dump</b> ", out);
	put(&html, report->dump.path);
	fputs("</span> <span><b>kernel</b> ", out);
	put(&html, *report->dump.release ? report->dump.release : "unknown");
	fputs("</span> <span><b>architecture</b> ", out);
	put(&html, rbs_render_machine(report, machine, sizeof(machine)));
	fputs("</span> <span><b>format</b> ", out);
	put(&html, report->dump.format);
	for (struct rbs_fact fact = rbs_fact_get(&report->dump, 0); fact.label;
	     fact = rbs_fact_get(&report->dump, ++facts)) {
		fprintf(out, "</span> <span><b>%s</b> ", fact.label);
		put(&html, fact.text);
	}
	fprintf(out, "</span> <span><b>made by</b> %s %s</span></p>\n", options->tool,
		options->version);
	findings_put(&html, report);
	for (size_t i = 0; i < report->section_count; i++) {
		if (report->sections[i].status != RBS_STATUS_ABSENT)
			section_put(&html, &report->sections[i]);
	}
	problems_put(&html, report);
	absents_put(&html, report);
	fputs("</main></body></html>\n", out);
	return html.view.failed ? rbs_error_set(err, RBS_NOMEM, "out of memory") : RBS_OK;
}
