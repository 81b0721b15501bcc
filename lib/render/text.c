/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for people. Each node of the family's group level has a title line and a table of its rows;
 * below it come the rows' counters and, with -v, everything else that is known of them.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/facts.h"
#include "lib/render/field.h"
#include "lib/render/printable.h"
#include "lib/render/render.h"
#include "lib/render/table.h"
#include "lib/render/text.h"
#include "lib/render/view.h"

/* Slots of a row that are listed; JSON and flat have all. */
#define SLOTS_SHOWN 64

struct text {
	const struct rbs_report *report;
	struct rbs_view view;
	FILE *out;
	bool colour;
	const char *indent;   /* of the group's tables */
	uint32_t absent_seen; /* bits of enum rbs_code: words to explain at the end */
};

static const char *cell_text(struct text *text, const struct rbs_field *field, char *buffer,
			     size_t size)
{
	if (!field)
		return "-";
	if (field->code == RBS_OK)
		return rbs_field_format(field, buffer, size);
	text->absent_seen |= UINT32_C(1) << field->code;
	return rbs_absent_word(field->code);
}

static void header_add(struct rbs_table *table, const struct rbs_desc *desc)
{
	char header[32];
	size_t i;

	if (desc->header) {
		rbs_table_add_column(table, desc->header, desc->format == RBS_FORMAT_TEXT);
		return;
	}
	for (i = 0; i < sizeof(header) - 1 && desc->name[i]; i++)
		header[i] = (char)toupper((unsigned char)desc->name[i]);
	header[i] = '\0';
	rbs_table_add_column(table, header, desc->format == RBS_FORMAT_TEXT);
}

static void table_row_add(struct text *text, struct rbs_table *table,
			  const struct rbs_columns *columns, const struct rbs_node *row)
{
	char buffer[256];

	for (size_t i = 0; i < columns->name_count; i++) {
		const struct rbs_node *node = rbs_ancestor(row, columns->names[i]);

		rbs_table_add_cell(table,
				   node ? rbs_printable(node->name, buffer, sizeof(buffer)) : "-");
	}
	for (size_t i = 0; i < columns->count; i++) {
		const struct rbs_desc *desc = columns->descs[i];
		const struct rbs_node *node = rbs_ancestor(row, desc->level);

		rbs_table_add_cell(table,
				   cell_text(text, node ? rbs_node_find(node, desc->name) : NULL,
					     buffer, sizeof(buffer)));
	}
}

/* Nothing when no row has any of the columns. */
static void table_show(struct text *text, const struct rbs_rows *rows, enum rbs_place place,
		       const char *indent)
{
	struct rbs_columns columns;
	struct rbs_table table;

	if (!rows->count)
		return;
	rbs_columns_choose(&text->view, rows, place, &columns);
	if (!columns.count)
		return;
	rbs_table_init(&table);
	for (size_t i = 0; i < columns.name_count; i++)
		rbs_table_add_column(&table, text->view.family->name_header[columns.names[i]],
				     !rbs_names_numeric(rows, columns.names[i]));
	for (size_t i = 0; i < columns.count; i++)
		header_add(&table, columns.descs[i]);
	for (size_t i = 0; i < rows->count; i++) {
		if (place == RBS_PLACE_COLUMN || rbs_row_has(rows->nodes[i], &columns))
			table_row_add(text, &table, &columns, rows->nodes[i]);
	}
	if (!rbs_table_print(&table, indent, text->out))
		text->view.failed = true;
	rbs_table_deinit(&table);
}

/* "name value", wrapped before TEXT_WIDTH. */
static size_t pair_show(struct text *text, size_t width, const struct rbs_field *field)
{
	char buffer[256], pair[320];
	const char *value = cell_text(text, field, buffer, sizeof(buffer));

	if (field->desc->format == RBS_FORMAT_TEXT && field->code == RBS_OK && !field->desc->header)
		snprintf(pair, sizeof(pair), "%s", value);
	else
		snprintf(pair, sizeof(pair), "%s %s",
			 field->desc->header ? field->desc->header : field->desc->name, value);
	if (width + 2 + strlen(pair) > TEXT_WIDTH) {
		fprintf(text->out, "\n  ");
		width = 2;
	}
	fprintf(text->out, "  %s", pair);
	return width + 2 + strlen(pair);
}

static void title_show(struct text *text, const struct rbs_node *group)
{
	char buffer[256];
	size_t width;

	rbs_printable(group->name, buffer, sizeof(buffer));
	rbs_text_style(text->out, text->colour, TEXT_BOLD, buffer);
	width = strlen(buffer);
	/* In the order of the family's table, whatever order the probe found things in. */
	for (size_t i = 0; i < text->view.family->desc_count; i++) {
		const struct rbs_desc *desc = &text->view.family->descs[i];
		const struct rbs_field *field =
			desc->level == group->level ? rbs_node_find(group, desc->name) : NULL;

		if (!field || !rbs_title_wanted(&text->view, field))
			continue;
		if (!(field->code == RBS_OK && field->text && !*field->text))
			width = pair_show(text, width, field);
	}
	fputc('\n', text->out);
}

/* The counters of the group itself: those that are not 0, with -v all. */
static void counters_show(struct text *text, const struct rbs_node *group)
{
	size_t width = 0;

	for (size_t i = 0; i < text->view.family->desc_count; i++) {
		const struct rbs_desc *desc = &text->view.family->descs[i];
		const struct rbs_field *field =
			desc->level == group->level && desc->place == RBS_PLACE_COUNTER
				? rbs_node_find(group, desc->name)
				: NULL;

		if (field && (field->code != RBS_OK || field->number || text->view.verbose))
			width = pair_show(text, width, field);
	}
	for (size_t i = 0; i < group->field_count; i++) {
		const struct rbs_field *field = &group->fields[i];

		if (field->desc->member && field->desc->place == RBS_PLACE_COUNTER &&
		    (field->code != RBS_OK || field->number || text->view.verbose))
			width = pair_show(text, width, field);
	}
	if (width)
		fputc('\n', text->out);
}

static void slots_show(struct text *text, const struct rbs_node *row)
{
	struct rbs_rows slots = {.low = RBS_LEVEL_SLOT, .high = RBS_LEVEL_SLOT};
	char path[512], printable[512];
	size_t left = 0;

	for (size_t i = 0; i < row->child_count; i++) {
		if (row->children[i]->level == RBS_LEVEL_SLOT && slots.count < SLOTS_SHOWN)
			rbs_rows_add(&text->view, &slots, row->children[i]);
		left += row->children[i]->level == RBS_LEVEL_SLOT;
	}
	left -= slots.count;
	if (slots.count) {
		rbs_printable(rbs_node_path(row, path, sizeof(path)), printable, sizeof(printable));
		fprintf(text->out, "\n  %s\n", printable);
		table_show(text, &slots, RBS_PLACE_COLUMN, "    ");
	}
	if (left)
		fprintf(text->out, "    and %zu more: -F json and -F flat list all\n", left);
	free(slots.nodes);
}

/* Counters and, with -v, the rest of one level: a channel is not repeated for its rings. */
static void level_show(struct text *text, const struct rbs_node *group, enum rbs_level level)
{
	struct rbs_rows rows = {.low = level, .high = level};

	/* Below its channel, a ring is named together with it. */
	if (level > text->view.family->group + 1)
		rows.low = level - 1;
	rbs_rows_collect_level(&text->view, &rows, group, level);
	table_show(text, &rows, RBS_PLACE_COUNTER, text->indent);
	if (text->view.verbose)
		table_show(text, &rows, RBS_PLACE_VERBOSE, text->indent);
	free(rows.nodes);
}

static void group_show(struct text *text, const struct rbs_node *group)
{
	struct rbs_rows rows = {.low = text->view.family->group + 1,
				.high = text->view.family->row};

	rbs_rows_collect(&text->view, &rows, group);
	title_show(text, group);
	counters_show(text, group);
	table_show(text, &rows, RBS_PLACE_COLUMN, text->indent);
	if (rows.folded)
		fprintf(text->out, "%s%zu of %zu %ss never used: not shown (-v shows them)\n",
			text->indent, rows.folded, rows.total, text->view.family->row_noun);
	for (enum rbs_level level = text->view.family->group + 1; level <= text->view.family->row;
	     level++)
		level_show(text, group, level);
	for (size_t i = 0; i < rows.count; i++)
		slots_show(text, rows.nodes[i]);
	free(rows.nodes);
}

static void groups_show(struct text *text, const struct rbs_node *section)
{
	enum rbs_level group = text->view.family->group;

	for (size_t i = 0; i < section->child_count; i++) {
		const struct rbs_node *device = section->children[i];

		fputc('\n', text->out);
		if (device->level == group) {
			text->indent = "  ";
			group_show(text, device);
			continue;
		}
		title_show(text, device);
		text->indent = "    ";
		for (size_t k = 0; k < device->child_count; k++) {
			fputs("  ", text->out);
			group_show(text, device->children[k]);
		}
	}
}

static size_t rows_count(const struct rbs_node *section, enum rbs_level row)
{
	size_t count = 0;

	for (size_t i = 0; i < section->child_count; i++) {
		const struct rbs_node *device = section->children[i];

		count += device->level == row;
		for (size_t k = 0; k < device->child_count; k++) {
			const struct rbs_node *channel = device->children[k];

			count += channel->level == row;
			for (size_t m = 0; m < channel->child_count; m++)
				count += channel->children[m]->level == row;
		}
	}
	return count;
}

static size_t others_count(const struct rbs_node *section, const struct rbs_family *family)
{
	size_t count = 0;

	for (size_t i = 0; family->other_field && i < section->child_count; i++)
		count += rbs_node_find(section->children[i], family->other_field) != NULL;
	return count;
}

static void section_show(struct text *text, const struct rbs_section *section)
{
	const struct rbs_family *family = section->family;
	size_t others = others_count(section->node, family);
	size_t devices = section->node->child_count - others;
	size_t rows = rows_count(section->node, family->row);
	char name[64], reason[600], remark[4 * sizeof(section->remark)];
	size_t i;

	for (i = 0; i < sizeof(name) - 1 && family->name[i]; i++)
		name[i] = (char)toupper((unsigned char)family->name[i]);
	name[i] = '\0';
	rbs_printable(section->reason, reason, sizeof(reason));
	text->view.family = family;
	if (section->status == RBS_STATUS_ABSENT || section->status == RBS_STATUS_FAILED) {
		fprintf(text->out, "\n%s  %s: %s\n", name, rbs_status_name(section->status),
			reason);
		return;
	}
	fputc('\n', text->out);
	rbs_text_style(text->out, text->colour, TEXT_BOLD, name);
	fprintf(text->out, "  %zu %s%s", devices, family->group_noun, rbs_text_plural(devices));
	if (others)
		fprintf(text->out, ", %zu %s%s", others, family->other_noun,
			rbs_text_plural(others));
	fprintf(text->out, ", %zu %s%s", rows, family->row_noun, rbs_text_plural(rows));
	if (*section->remark)
		fprintf(text->out, "  (assumed layout: %s)",
			rbs_printable(section->remark, remark, sizeof(remark)));
	else if (section->types)
		fprintf(text->out, "  (types: %s)", section->types);
	for (size_t k = 0; k < section->node->field_count; k++) {
		if (section->node->fields[k].desc->place != RBS_PLACE_HIDDEN)
			pair_show(text, 0, &section->node->fields[k]);
	}
	if (section->status == RBS_STATUS_PARTIAL)
		fprintf(text->out, "  PARTIAL: see PROBLEMS");
	fputc('\n', text->out);
	groups_show(text, section->node);
}

/* Most kernels have only some of the systems: the others take a line together. */
static bool absents_fold(const struct text *text)
{
	const struct rbs_report *report = text->report;
	size_t present = 0;

	for (size_t i = 0; i < report->section_count; i++)
		present += report->sections[i].status != RBS_STATUS_ABSENT;
	return present && !text->view.verbose;
}

static void absents_show(const struct text *text)
{
	const struct rbs_report *report = text->report;
	bool first = true;

	for (size_t i = 0; i < report->section_count; i++) {
		if (report->sections[i].status != RBS_STATUS_ABSENT)
			continue;
		fprintf(text->out, "%s%s", first ? "\nNot in this kernel: " : ", ",
			report->sections[i].family->name);
		first = false;
	}
	if (!first)
		fprintf(text->out, " (-v says how that is known)\n");
}

static void problems_show(struct text *text)
{
	const struct rbs_report *report = text->report;
	char subject[600], reason[600];

	if (report->problem_count)
		fprintf(text->out, "\nPROBLEMS\n");
	for (size_t i = 0; i < report->problem_count; i++) {
		const struct rbs_problem *problem = &report->problems[i];

		fprintf(text->out, "  %s: %s\n",
			rbs_printable(problem->subject, subject, sizeof(subject)),
			rbs_printable(problem->text, reason, sizeof(reason)));
	}
}

static void legend_show(const struct text *text)
{
	bool first = true;

	for (unsigned code = 0; code < 32; code++) {
		if (!(text->absent_seen >> code & 1))
			continue;
		fprintf(text->out, "%s%s: %s", first ? "\n" : "; ",
			rbs_absent_word((enum rbs_code)code), rbs_code_text((enum rbs_code)code));
		first = false;
	}
	if (!first)
		fputc('\n', text->out);
}

static void facts_show(const struct rbs_target_info *info, FILE *out)
{
	struct rbs_fact fact = rbs_fact_get(info, 0);
	char text[4 * sizeof(fact.text)];

	for (unsigned i = 1; fact.label; i++) {
		fprintf(out, "  %-7s  %s\n", fact.label,
			rbs_printable(fact.text, text, sizeof(text)));
		fact = rbs_fact_get(info, i);
	}
}

enum rbs_code rbs_render_text(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err)
{
	struct text text = {.report = report,
			    .view.verbose = options->verbose,
			    .out = out,
			    .colour = options->colour};
	char path[4200], release[4 * sizeof(report->dump.release)];
	char machine[RBS_RENDER_MACHINE_SIZE];
	bool fold;

	fprintf(out, "%s  %s%s%s  %s\n", rbs_printable(report->dump.path, path, sizeof(path)),
		rbs_printable(report->dump.release, release, sizeof(release)),
		*report->dump.release ? "  " : "",
		rbs_render_machine(report, machine, sizeof(machine)), report->dump.format);
	facts_show(&report->dump, out);
	rbs_text_findings(report, text.view.verbose, text.colour, out);
	fold = absents_fold(&text);
	for (size_t i = 0; i < report->section_count; i++) {
		if (!fold || report->sections[i].status != RBS_STATUS_ABSENT)
			section_show(&text, &report->sections[i]);
	}
	if (fold)
		absents_show(&text);
	problems_show(&text);
	legend_show(&text);
	return text.view.failed ? rbs_error_set(err, RBS_NOMEM, "out of memory") : RBS_OK;
}
