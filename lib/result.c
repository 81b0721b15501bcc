/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Make room for one more element; false (and report->code) when memory ran out. */
static bool room_make(struct rbs_report *report, void *array, size_t count, size_t *room,
		      size_t element)
{
	void **elements = array;
	size_t wanted = *room ? 2 * *room : 8;
	void *grown;

	if (count < *room)
		return true;
	grown = reallocarray(*elements, wanted, element);
	if (!grown) {
		report->code = RBS_NOMEM;
		return false;
	}
	*elements = grown;
	*room = wanted;
	return true;
}

struct rbs_report *rbs_report_create(const struct rbs_target_info *dump)
{
	struct rbs_report *report = calloc(1, sizeof(*report));

	if (report)
		report->dump = *dump;
	return report;
}

static void node_free(struct rbs_node *node)
{
	for (size_t i = 0; i < node->field_count; i++)
		free(node->fields[i].text);
	free(node->fields);
	free(node->children);
	free(node->name);
	free(node);
}

/* Five levels at most, and every one is our own: the depth is bounded by RBS_LEVEL_COUNT. */
void rbs_node_destroy(struct rbs_node *node)
{
	struct rbs_node *at = node;

	while (at) {
		struct rbs_node *up;

		if (at->child_count) {
			at = at->children[--at->child_count];
			continue;
		}
		up = at == node ? NULL : at->parent;
		node_free(at);
		at = up;
	}
}

void rbs_report_destroy(struct rbs_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->section_count; i++)
		rbs_node_destroy(report->sections[i].node);
	for (size_t i = 0; i < report->problem_count; i++) {
		free(report->problems[i].subject);
		free(report->problems[i].text);
	}
	for (size_t i = 0; i < report->finding_count; i++) {
		free(report->findings[i].subject);
		free(report->findings[i].summary);
	}
	for (size_t i = 0; i < report->member_count; i++)
		free(report->members[i]);
	free(report->members);
	free(report->findings);
	free(report->sections);
	free(report->problems);
	free(report);
}

static struct rbs_node *node_create(struct rbs_report *report, struct rbs_node *parent,
				    enum rbs_level level, const char *name)
{
	struct rbs_node *node = calloc(1, sizeof(*node));

	if (node)
		node->name = strdup(name);
	if (!node || !node->name) {
		free(node);
		report->code = RBS_NOMEM;
		return NULL;
	}
	node->report = report;
	node->parent = parent;
	node->level = level;
	return node;
}

struct rbs_section *rbs_report_add_section(struct rbs_report *report,
					   const struct rbs_family *family)
{
	struct rbs_section *section;
	struct rbs_node *node;

	if (!room_make(report, &report->sections, report->section_count, &report->section_room,
		       sizeof(*report->sections)))
		return NULL;
	node = node_create(report, NULL, RBS_LEVEL_SECTION, family->name);
	if (!node)
		return NULL;
	section = &report->sections[report->section_count++];
	*section = (struct rbs_section){.family = family, .node = node};
	return section;
}

void rbs_report_add_problem(struct rbs_report *report, const struct rbs_node *subject,
			    const struct rbs_error *problem)
{
	char path[512];

	rbs_report_add_problem_at(
		report, subject ? rbs_node_path(subject, path, sizeof(path)) : "dump", problem);
}

void rbs_report_add_problem_at(struct rbs_report *report, const char *subject,
			       const struct rbs_error *problem)
{
	struct rbs_problem *added;

	if (!room_make(report, &report->problems, report->problem_count, &report->problem_room,
		       sizeof(*report->problems)))
		return;
	added = &report->problems[report->problem_count];
	*added = (struct rbs_problem){
		.subject = strdup(subject),
		.text = strdup(problem->text),
		.code = problem->code,
		.has_address = problem->has_address,
		.address = problem->address,
	};
	if (!added->subject || !added->text) {
		free(added->subject);
		free(added->text);
		report->code = RBS_NOMEM;
		return;
	}
	report->problem_count++;
}

void rbs_report_add_finding(struct rbs_report *report, const char *code, enum rbs_severity severity,
			    const char *subject, const char *summary,
			    const struct rbs_evidence *evidence, size_t evidence_count)
{
	struct rbs_finding *added;

	if (!room_make(report, &report->findings, report->finding_count, &report->finding_room,
		       sizeof(*report->findings)))
		return;
	added = &report->findings[report->finding_count];
	*added = (struct rbs_finding){
		.code = code,
		.severity = severity,
		.order = report->finding_count,
		.subject = strdup(subject),
		.summary = strdup(summary),
		.evidence_count = evidence_count,
	};
	memcpy(added->evidence, evidence, evidence_count * sizeof(*evidence));
	if (!added->subject || !added->summary) {
		free(added->subject);
		free(added->summary);
		report->code = RBS_NOMEM;
		return;
	}
	report->finding_count++;
}

bool rbs_desc_names(const struct rbs_desc *desc, const char *name, const char **text,
		    size_t *length)
{
	const char *star = strchr(desc->name, '*');
	size_t before, after, all = strlen(name);

	if (!star) {
		if (text)
			*text = name;
		if (length)
			*length = 0;
		return !strcmp(desc->name, name);
	}
	before = (size_t)(star - desc->name);
	after = strlen(star + 1);
	if (all < before + after || strncmp(name, desc->name, before) ||
	    strcmp(name + all - after, star + 1))
		return false;
	/* A number has its place between words ("rx*_hw"); behind the last word anything goes. */
	if (after && strcmp(name, desc->name) &&
	    strspn(name + before, "0123456789") < all - before - after)
		return false;
	if (text)
		*text = name + before;
	if (length)
		*length = all - before - after;
	return true;
}

const struct rbs_desc *rbs_report_member(struct rbs_report *report, const struct rbs_desc *group,
					 const char *text)
{
	const char *star = strchr(group->name, '*');
	size_t before = star ? (size_t)(star - group->name) : strlen(group->name);
	size_t length = strlen(group->name) + strlen(text) + 1;
	struct rbs_member_desc *member;

	if (!room_make(report, &report->members, report->member_count, &report->member_room,
		       sizeof(struct rbs_member_desc *)))
		return NULL;
	member = malloc(sizeof(*member) + length);
	if (!member) {
		report->code = RBS_NOMEM;
		return NULL;
	}
	member->desc = *group;
	member->desc.member = true;
	member->desc.name = member->name;
	snprintf(member->name, length, "%.*s%s%s", (int)before, group->name, text,
		 star ? star + 1 : "");
	report->members[report->member_count++] = member;
	return &member->desc;
}

const char *rbs_severity_name(enum rbs_severity severity)
{
	static const char *const names[] = {"info", "warning", "critical"};

	return names[severity];
}

struct rbs_node *rbs_node_add(struct rbs_node *parent, enum rbs_level level, const char *format,
			      ...)
{
	struct rbs_node *node;
	char name[256];
	va_list args;

	if (!parent)
		return NULL;
	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	if (!room_make(parent->report, &parent->children, parent->child_count, &parent->child_room,
		       sizeof(struct rbs_node *)))
		return NULL;
	node = node_create(parent->report, parent, level, name);
	if (node)
		parent->children[parent->child_count++] = node;
	return node;
}

static struct rbs_field *field_add(struct rbs_node *node, const struct rbs_desc *desc)
{
	struct rbs_field *field;

	if (!desc)
		return NULL;
	if (!node || !room_make(node->report, &node->fields, node->field_count, &node->field_room,
				sizeof(*node->fields)))
		return NULL;
	field = &node->fields[node->field_count++];
	*field = (struct rbs_field){.desc = desc};
	return field;
}

void rbs_node_set(struct rbs_node *node, const struct rbs_desc *desc, struct rbs_value value)
{
	struct rbs_field *field = field_add(node, desc);

	if (!field)
		return;
	field->code = value.code;
	field->number = value.number;
	field->is_signed = value.is_signed;
}

void rbs_node_set_number(struct rbs_node *node, const struct rbs_desc *desc, uint64_t number)
{
	rbs_node_set(node, desc, rbs_value_of(number));
}

void rbs_node_set_text(struct rbs_node *node, const struct rbs_desc *desc, const char *text)
{
	struct rbs_field *field = field_add(node, desc);

	if (!field)
		return;
	field->text = strdup(text);
	if (!field->text)
		node->report->code = RBS_NOMEM;
}

void rbs_node_set_absent(struct rbs_node *node, const struct rbs_desc *desc, enum rbs_code reason)
{
	rbs_node_set(node, desc, rbs_value_absent(reason));
}

const struct rbs_field *rbs_node_find(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; i < node->field_count; i++) {
		if (!strcmp(node->fields[i].desc->name, name))
			return &node->fields[i];
	}
	return NULL;
}

bool rbs_node_number(const struct rbs_node *node, const char *name, uint64_t *number)
{
	const struct rbs_field *field = rbs_node_find(node, name);

	if (!field || field->code != RBS_OK || field->text)
		return false;
	*number = field->number;
	return true;
}

const char *rbs_node_text(const struct rbs_node *node, const char *name)
{
	const struct rbs_field *field = rbs_node_find(node, name);

	return field && field->code == RBS_OK ? field->text : NULL;
}

const struct rbs_node *rbs_node_child(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; i < node->child_count; i++) {
		if (!strcmp(node->children[i]->name, name))
			return node->children[i];
	}
	return NULL;
}

const struct rbs_node *rbs_report_section(const struct rbs_report *report, const char *family)
{
	for (size_t i = 0; i < report->section_count; i++) {
		if (!strcmp(report->sections[i].family->name, family))
			return report->sections[i].node;
	}
	return NULL;
}

const char *rbs_node_path(const struct rbs_node *node, char *buffer, size_t size)
{
	const struct rbs_node *nodes[RBS_LEVEL_COUNT] = {NULL};
	size_t depth = 0, used = 0;

	for (; node && depth < RBS_LEVEL_COUNT; node = node->parent)
		nodes[depth++] = node;
	buffer[0] = '\0';
	while (depth-- && used < size)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", nodes[depth]->name,
					 depth ? "/" : "");
	return buffer;
}

const char *rbs_status_name(enum rbs_status status)
{
	static const char *const names[] = {"ok", "partial", "absent", "failed"};

	return names[status];
}
