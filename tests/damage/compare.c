/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/render.h"

static size_t path_length(const char *line)
{
	return strcspn(line, "=");
}

/* Order of paths, '=' and the end alike. */
static int path_compare(const char *left, const char *right)
{
	size_t left_length = path_length(left), right_length = path_length(right);
	int order = memcmp(left, right, left_length < right_length ? left_length : right_length);

	return order ? order : (left_length > right_length) - (left_length < right_length);
}

static int line_compare(const void *left, const void *right)
{
	return path_compare(*(char *const *)left, *(char *const *)right);
}

/* The flat output as an array of lines over one block of text, in the order of their paths. */
static bool lines_make(const struct rbs_report *report, char ***lines, size_t *count)
{
	const struct rbs_render_options options = {.verbose = true};
	char *text = NULL;
	size_t size = 0, room = 0;
	FILE *out = open_memstream(&text, &size);
	enum rbs_code code;

	*lines = NULL;
	*count = 0;
	if (!out)
		return false;
	code = rbs_render_flat(report, &options, out, NULL);
	if (fclose(out) || code != RBS_OK) {
		free(text);
		return false;
	}
	for (size_t i = 0; i < size; i++)
		room += text[i] == '\n';
	/* The text itself is kept in front of the lines, to be freed with them. */
	*lines = calloc(room + 1, sizeof(**lines));
	if (!*lines) {
		free(text);
		return false;
	}
	(*lines)[0] = text;
	for (char *at = text; *count < room; at = strchr(at, '\0') + 1) {
		*strchr(at, '\n') = '\0';
		(*lines)[++*count] = at;
	}
	qsort(*lines + 1, *count, sizeof(**lines), line_compare);
	return true;
}

static void lines_free(char **lines)
{
	if (lines)
		free(lines[0]);
	free(lines);
}

bool whole_init(struct whole *whole, struct rbs_report *report)
{
	*whole = (struct whole){.report = report};
	return lines_make(report, &whole->lines, &whole->count);
}

void whole_deinit(struct whole *whole)
{
	lines_free(whole->lines);
	rbs_report_destroy(whole->report);
	*whole = (struct whole){0};
}

static void break_note(struct difference *difference, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void break_note(struct difference *difference, const char *format, ...)
{
	char text[sizeof(difference->first)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!difference->wrong++)
		memcpy(difference->first, text, sizeof(text));
	if (difference->list)
		printf("  %s\n", text);
}

/* Absent, or in a word that says the same. */
static bool is_null(const char *line)
{
	const char *value = line + path_length(line);

	return !strncmp(value, "=null (", 7) || !strcmp(value, "=unreadable");
}

/* Reasons that say something of the kernel: no hole in a dump may bring them about. */
static bool reason_is_a_lie(const char *line)
{
	const char *value = line + path_length(line);

	return !strcmp(value, "=null (no-such-member)") || !strcmp(value, "=null (not-counted)");
}

static const struct rbs_section *section_find(const struct rbs_report *report, const char *path)
{
	for (size_t i = 0; i < report->section_count; i++) {
		const char *name = report->sections[i].family->name;
		size_t length = strlen(name);

		if (!strncmp(path, name, length) && (!path[length] || path[length] == '/'))
			return &report->sections[i];
	}
	return NULL;
}

/*
 * A node whose name could not be read has another one, and a problem of its parent says so. Its
 * values are then those of one of the nodes that the whole dump has there.
 */
static bool name_is_lost(const struct rbs_report *damaged, const char *line, size_t *prefix,
			 size_t *name)
{
	for (size_t i = 0; i < damaged->problem_count; i++) {
		const struct rbs_problem *problem = &damaged->problems[i];
		char text[256];

		*prefix = strlen(problem->subject) + 1;
		if (strncmp(line, problem->subject, *prefix - 1) || line[*prefix - 1] != '/')
			continue;
		*name = strcspn(line + *prefix, "/=");
		snprintf(text, sizeof(text), "%.*s", (int)*name, line + *prefix);
		if (strstr(problem->text, text))
			return true;
	}
	return false;
}

/* The same path, but for the name of length name behind prefix characters of the first. */
static bool path_is_renamed(const char *line, size_t prefix, size_t name, const char *other)
{
	return !strncmp(other, line, prefix) &&
	       !strcmp(other + prefix + strcspn(other + prefix, "/="), line + prefix + name);
}

/* The first line of the whole dump whose path is not before that of line. */
static size_t line_find(const struct whole *whole, const char *line)
{
	size_t low = 1, high = whole->count + 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (path_compare(whole->lines[middle], line) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool renamed(const struct whole *whole, const struct rbs_report *damaged, const char *line)
{
	size_t prefix, name, at;
	char path[1024];

	if (!name_is_lost(damaged, line, &prefix, &name))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)prefix, line);
	/* From one node of that level to the next. */
	for (at = line_find(whole, path);
	     at <= whole->count && !strncmp(whole->lines[at], line, prefix);
	     at = line_find(whole, path)) {
		size_t length = strcspn(whole->lines[at] + prefix, "/=");

		snprintf(path, sizeof(path), "%.*s%s", (int)(prefix + length), whole->lines[at],
			 line + prefix + name);
		for (size_t i = line_find(whole, path);
		     i <= whole->count && !path_compare(whole->lines[i], path); i++) {
			if (!strcmp(whole->lines[i], path))
				return true;
		}
		/* '0' follows '/'. */
		snprintf(path, sizeof(path), "%.*s0", (int)(prefix + length), whole->lines[at]);
	}
	return false;
}

/* Whether the report says that something at the path, or above it, could not be had. */
static bool loss_is_told(const struct rbs_report *report, const char *line)
{
	const struct rbs_section *section = section_find(report, line);
	size_t length = path_length(line);

	if (!section || section->status == RBS_STATUS_FAILED)
		return true;
	for (size_t i = 0; i < report->problem_count; i++) {
		const char *subject = report->problems[i].subject;
		size_t subject_length = strlen(subject);

		if (subject_length <= length && !memcmp(subject, line, subject_length) &&
		    (line[subject_length] == '/' || subject_length == length))
			return true;
	}
	return false;
}

static void values_compare(const struct whole *whole, const struct rbs_report *damaged,
			   char *const *lines, size_t count, struct difference *difference)
{
	char *const *old = whole->lines + 1, *const *old_end = old + whole->count;
	char *const *new = lines + 1, *const *new_end = new + count;

	while (old < old_end || new < new_end) {
		int order = old == old_end ? 1 : new == new_end ? -1 : path_compare(*old, *new);

		if (order < 0) {
			if (loss_is_told(damaged, *old))
				difference->absences++;
			else
				break_note(difference, "gone without a word: %s", *old);
			old++;
		} else if (order > 0) {
			if (!is_null(*new) && !renamed(whole, damaged, *new))
				break_note(difference, "not in the whole dump: %s", *new);
			new ++;
		} else {
			if (!strcmp(*old, *new))
				difference->values++;
			else if (!is_null(*new))
				break_note(difference, "%s, but the whole dump: %s", *new, *old);
			else if (!is_null(*old) && reason_is_a_lie(*new))
				break_note(difference,
					   "a reason that is not so: %s; the whole dump: %s", *new,
					   *old);
			else
				difference->absences++;
			old++;
			new ++;
		}
	}
}

static void sections_compare(const struct rbs_report *whole, const struct rbs_report *damaged,
			     struct difference *difference)
{
	for (size_t i = 0; i < whole->section_count; i++) {
		const struct rbs_section *old = &whole->sections[i];
		const struct rbs_section *new = section_find(damaged, old->family->name);

		if (!new)
			break_note(difference, "section %s is gone", old->family->name);
		else if (old->status != RBS_STATUS_ABSENT && new->status == RBS_STATUS_ABSENT)
			break_note(difference,
				   "section %s is said to be absent from this kernel: %s",
				   old->family->name, new->reason);
		/* Partial without a device: that something could not be searched is told. */
		else if (old->status == RBS_STATUS_ABSENT &&
			 new->status != RBS_STATUS_ABSENT &&new->status != RBS_STATUS_FAILED &&
			 (new->status != RBS_STATUS_PARTIAL || new->node->child_count))
			break_note(difference, "section %s is not absent", old->family->name);
	}
}

static const struct rbs_finding *finding_find(const struct rbs_report *report,
					      const struct rbs_report *damaged,
					      const struct rbs_finding *wanted)
{
	const struct rbs_finding *found = NULL;
	size_t prefix, name;
	bool lost = name_is_lost(damaged, wanted->subject, &prefix, &name);

	for (size_t i = 0; i < report->finding_count && !found; i++) {
		const struct rbs_finding *finding = &report->findings[i];

		if (strcmp(finding->code, wanted->code))
			continue;
		if (!strcmp(finding->subject, wanted->subject) ||
		    (lost && !strcmp(finding->summary, wanted->summary) &&
		     path_is_renamed(wanted->subject, prefix, name, finding->subject)))
			found = finding;
	}
	return found;
}

/* The same with what it rests on, or with less of that. */
static bool finding_is_less(const struct rbs_finding *new, const struct rbs_finding *old)
{
	/* "at least" says less of what is seen of less. */
	bool least = strstr(new->summary, "at least") && strstr(old->summary, "at least");

	if (new->evidence_count == old->evidence_count && !least &&
	    strcmp(new->summary, old->summary))
		return false;
	for (size_t i = 0, at = 0; i < new->evidence_count; i++, at++) {
		while (at < old->evidence_count &&
		       strcmp(old->evidence[at].name, new->evidence[i].name))
			at++;
		if (at == old->evidence_count ||
		    (least ? old->evidence[at].number < new->evidence[i].number
			   : old->evidence[at].number != new->evidence[i].number))
			return false;
	}
	return new->severity <= old->severity;
}

static void findings_compare(const struct rbs_report *whole, const struct rbs_report *damaged,
			     struct difference *difference)
{
	for (size_t i = 0; i < damaged->finding_count; i++) {
		const struct rbs_finding *new = &damaged->findings[i];
		const struct rbs_finding *old = finding_find(whole, damaged, new);

		if (!old)
			break_note(difference, "a finding that the whole dump has not: %s %s: %s",
				   new->code, new->subject, new->summary);
		else if (!finding_is_less(new, old))
			break_note(difference, "another finding: %s %s: %s; the whole dump: %s",
				   new->code, new->subject, new->summary, old->summary);
	}
}

bool report_compare(const struct whole *whole, const struct rbs_report *damaged,
		    struct difference *difference)
{
	size_t count;
	char **lines;

	*difference = (struct difference){.list = difference->list};
	if (!lines_make(damaged, &lines, &count))
		return false;
	sections_compare(whole->report, damaged, difference);
	values_compare(whole, damaged, lines, count, difference);
	findings_compare(whole->report, damaged, difference);
	lines_free(lines);
	return true;
}
