/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <json-c/json.h>

#include "lib/render/facts.h"
#include "lib/render/json.h"
#include "lib/render/printable.h"
#include "lib/render/render.h"

#define SCHEMA "rbstats/1"

static const char *const children_names[RBS_LEVEL_COUNT] = {
	[RBS_LEVEL_SECTION] = "devices",
	[RBS_LEVEL_DEVICE] = "channels",
	[RBS_LEVEL_CHANNEL] = "rings",
	[RBS_LEVEL_RING] = "slots",
};

/* JSON strings are Unicode: what is not valid UTF-8 or is a control character becomes \xNN. */
struct json_object *rbs_json_string(const char *text)
{
	char buffer[2048];

	return json_object_new_string(rbs_printable(text, buffer, sizeof(buffer)));
}

static struct json_object *hex_new(uint64_t number)
{
	char buffer[24];

	snprintf(buffer, sizeof(buffer), "0x%" PRIx64, number);
	return json_object_new_string(buffer);
}

static struct json_object *field_new(const struct rbs_field *field)
{
	if (field->code != RBS_OK)
		return NULL;
	switch (field->desc->format) {
	case RBS_FORMAT_TEXT:
		return rbs_json_string(field->text ? field->text : "");
	case RBS_FORMAT_BOOL:
		return json_object_new_boolean(field->number != 0);
	case RBS_FORMAT_ADDRESS:
	case RBS_FORMAT_HEX:
		return hex_new(field->number);
	default:
		return field->is_signed ? json_object_new_int64((int64_t)field->number)
					: json_object_new_uint64(field->number);
	}
}

/* The object of that key, made on its first use: no empty objects in the output. */
static struct json_object *member_object(struct json_object *object, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member)) {
		member = json_object_new_object();
		json_object_object_add(object, key, member);
	}
	return member;
}

static struct json_object *member_array(struct json_object *object, const char *key)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, key, &member)) {
		member = json_object_new_array();
		json_object_object_add(object, key, member);
	}
	return member;
}

static void fields_add(struct json_object *object, const struct rbs_node *node)
{
	for (size_t i = 0; i < node->field_count; i++) {
		const struct rbs_field *field = &node->fields[i];

		json_object_object_add(
			member_object(object, field->desc->metric ? "metrics" : "attributes"),
			field->desc->name, field_new(field));
	}
	for (size_t i = 0; i < node->field_count; i++) {
		const struct rbs_field *field = &node->fields[i];

		if (field->code != RBS_OK)
			json_object_object_add(member_object(object, "absent"), field->desc->name,
					       json_object_new_string(rbs_code_name(field->code)));
	}
}

static const char *children_name(const struct rbs_node *parent, const struct rbs_node *child)
{
	/* A family may skip a level (virtio has no rings): the child's own level counts. */
	return child->level > parent->level ? children_names[child->level - 1] : "children";
}

static void node_fill(struct json_object *object, const struct rbs_node *root)
{
	struct json_object *objects[RBS_LEVEL_COUNT + 1] = {object};
	size_t next[RBS_LEVEL_COUNT + 1] = {0};
	const struct rbs_node *at = root;
	size_t depth = 0;

	fields_add(object, root);
	for (;;) {
		if (next[depth] < at->child_count) {
			const struct rbs_node *child = at->children[next[depth]++];
			struct json_object *added = json_object_new_object();

			json_object_object_add(added, "name", rbs_json_string(child->name));
			if (child->idle)
				json_object_object_add(added, "idle",
						       json_object_new_boolean(true));
			fields_add(added, child);
			json_object_array_add(
				member_array(objects[depth], children_name(at, child)), added);
			objects[++depth] = added;
			next[depth] = 0;
			at = child;
		} else if (depth) {
			depth--;
			at = at->parent;
		} else {
			return;
		}
	}
}

static struct json_object *section_new(const struct rbs_section *section)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "family", json_object_new_string(section->family->name));
	json_object_object_add(object, "status",
			       json_object_new_string(rbs_status_name(section->status)));
	if (*section->reason)
		json_object_object_add(object, "reason", rbs_json_string(section->reason));
	if (section->types)
		json_object_object_add(object, "types", json_object_new_string(section->types));
	if (*section->remark)
		json_object_object_add(object, "types_remark", rbs_json_string(section->remark));
	member_array(object, "devices");
	node_fill(object, section->node);
	return object;
}

static struct json_object *problem_new(const struct rbs_problem *problem)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "subject", rbs_json_string(problem->subject));
	json_object_object_add(object, "code",
			       json_object_new_string(rbs_code_name(problem->code)));
	json_object_object_add(object, "reason", rbs_json_string(problem->text));
	if (problem->has_address)
		json_object_object_add(object, "address", hex_new(problem->address));
	return object;
}

struct json_object *rbs_json_finding(const struct rbs_finding *finding)
{
	struct json_object *object = json_object_new_object();
	struct json_object *evidence;

	json_object_object_add(object, "code", json_object_new_string(finding->code));
	json_object_object_add(object, "severity",
			       json_object_new_string(rbs_severity_name(finding->severity)));
	json_object_object_add(object, "subject", rbs_json_string(finding->subject));
	json_object_object_add(object, "summary", rbs_json_string(finding->summary));
	evidence = member_object(object, "evidence");
	for (size_t i = 0; i < finding->evidence_count; i++)
		json_object_object_add(evidence, finding->evidence[i].name,
				       json_object_new_uint64(finding->evidence[i].number));
	return object;
}

/* What only some systems' dumps tell. */
static void system_add(struct json_object *object, const struct rbs_target_info *info)
{
	char time[32];

	if (*info->system)
		json_object_object_add(object, "system", rbs_json_string(info->system));
	if (*info->version)
		json_object_object_add(object, "version", rbs_json_string(info->version));
	if (*info->panic)
		json_object_object_add(object, "panic", rbs_json_string(info->panic));
	if (info->has_boot_time)
		json_object_object_add(object, "boot_time",
				       json_object_new_string(rbs_time_format(
					       info->boot_time, time, sizeof(time))));
}

static struct json_object *dump_new(const struct rbs_target_info *info)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "path", rbs_json_string(info->path));
	json_object_object_add(object, "format", rbs_json_string(info->format));
	json_object_object_add(object, "kernel_release", rbs_json_string(info->release));
	json_object_object_add(object, "arch", rbs_json_string(info->arch));
	json_object_object_add(
		object, "byte_order",
		json_object_new_string(info->byte_order == RBS_LITTLE_ENDIAN ? "little" : "big"));
	json_object_object_add(object, "word_size", json_object_new_int((int)info->word_size));
	json_object_object_add(object, "page_size", json_object_new_uint64(info->page_size));
	system_add(object, info);
	return object;
}

enum rbs_code rbs_render_json(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err)
{
	struct json_object *root = json_object_new_object();
	struct json_object *tool = member_object(root, "tool");
	struct json_object *sections, *findings, *problems;
	const char *text;

	json_object_object_add(root, "schema", json_object_new_string(SCHEMA));
	json_object_object_add(tool, "name", json_object_new_string(options->tool));
	json_object_object_add(tool, "version", json_object_new_string(options->version));
	json_object_object_add(root, "dump", dump_new(&report->dump));
	sections = member_array(root, "sections");
	for (size_t i = 0; i < report->section_count; i++)
		json_object_array_add(sections, section_new(&report->sections[i]));
	findings = member_array(root, "findings");
	for (size_t i = 0; i < report->finding_count; i++)
		json_object_array_add(findings, rbs_json_finding(&report->findings[i]));
	problems = member_array(root, "problems");
	for (size_t i = 0; i < report->problem_count; i++)
		json_object_array_add(problems, problem_new(&report->problems[i]));
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(root);
	return text ? RBS_OK : rbs_error_set(err, RBS_NOMEM, "out of memory");
}
