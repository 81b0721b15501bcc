/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/facts.h"
#include "lib/render/json_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "lib/probe.h"
#include "lib/render/printable.h"
#include "lib/verdict.h"

#define SCHEMA "rbstats/1"
#define SIZE_LIMIT (1u << 30)

static const struct {
	const char *key;
	enum rbs_level level;
} children_keys[] = {
	{"devices", RBS_LEVEL_DEVICE},
	{"channels", RBS_LEVEL_CHANNEL},
	{"rings", RBS_LEVEL_RING},
	{"slots", RBS_LEVEL_SLOT},
};

#define KEY_COUNT (sizeof(children_keys) / sizeof(children_keys[0]))

static const char *text_get(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return "";
	return json_object_get_string(value);
}

static const struct rbs_desc *desc_find(const struct rbs_family *family, enum rbs_level level,
					bool metric, const char *name)
{
	for (size_t i = 0; i < family->desc_count; i++) {
		const struct rbs_desc *desc = &family->descs[i];

		if (desc->level == level && desc->metric == metric &&
		    rbs_desc_names(desc, name, NULL, NULL))
			return desc;
	}
	return NULL;
}

/* The description that a field of that name gets: a group's member has one of its own. */
static const struct rbs_desc *member_find(struct rbs_report *report, const struct rbs_desc *desc,
					  const char *name)
{
	const char *text;
	size_t length;
	char copy[256];

	if (!strchr(desc->name, '*') || !rbs_desc_names(desc, name, &text, &length))
		return desc;
	snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
	return rbs_report_member(report, desc, copy);
}

static void absent_set(struct rbs_node *node, const struct rbs_desc *desc,
		       struct json_object *object)
{
	struct json_object *absent = NULL;
	enum rbs_code code = RBS_IO;

	if (json_object_object_get_ex(object, "absent", &absent))
		rbs_code_parse(text_get(absent, desc->name), &code);
	rbs_node_set_absent(node, desc, code);
}

static void field_set(struct rbs_node *node, const struct rbs_desc *desc, struct json_object *value,
		      struct json_object *object)
{
	struct rbs_value number = rbs_value_of(0);
	char text[4096];

	if (!value) {
		absent_set(node, desc, object);
		return;
	}
	switch (desc->format) {
	case RBS_FORMAT_TEXT:
		rbs_node_set_text(
			node, desc,
			rbs_printable_undo(json_object_get_string(value), text, sizeof(text)));
		return;
	case RBS_FORMAT_HEX:
	case RBS_FORMAT_ADDRESS:
		number.number = strtoull(json_object_get_string(value), NULL, 16);
		break;
	case RBS_FORMAT_BOOL:
		number.number = json_object_get_boolean(value) != 0;
		break;
	case RBS_FORMAT_DECIMAL:
		number.number = json_object_get_uint64(value);
		if (json_object_get_int64(value) < 0) {
			number.number = (uint64_t)json_object_get_int64(value);
			number.is_signed = true;
		}
		break;
	}
	rbs_node_set(node, desc, number);
}

static void fields_read(struct rbs_node *node, const struct rbs_family *family,
			struct json_object *object)
{
	static const struct {
		const char *key;
		bool metric;
	} groups[] = {{"attributes", false}, {"metrics", true}};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct json_object *group;

		if (!json_object_object_get_ex(object, groups[i].key, &group) ||
		    !json_object_is_type(group, json_type_object))
			continue;
		json_object_object_foreach(group, name, value)
		{
			const struct rbs_desc *desc =
				desc_find(family, node->level, groups[i].metric, name);

			if (desc)
				desc = member_find(node->report, desc, name);
			if (desc)
				field_set(node, desc, value, object);
		}
	}
}

struct place {
	struct json_object *object;
	struct rbs_node *node;
	size_t key, index; /* the next child */
};

/* The next child of a place; false when there is none left. */
static bool child_next(struct place *place, struct json_object **child, enum rbs_level *level)
{
	for (; place->key < KEY_COUNT; place->key++, place->index = 0) {
		struct json_object *array;

		/* Levels only go down: the depth is bounded by their number. */
		if (children_keys[place->key].level <= place->node->level ||
		    !json_object_object_get_ex(place->object, children_keys[place->key].key,
					       &array) ||
		    !json_object_is_type(array, json_type_array) ||
		    place->index >= json_object_array_length(array))
			continue;
		*child = json_object_array_get_idx(array, place->index++);
		*level = children_keys[place->key].level;
		return true;
	}
	return false;
}

static void nodes_read(struct rbs_node *root, const struct rbs_family *family,
		       struct json_object *object)
{
	struct place places[RBS_LEVEL_COUNT + 1] = {{.object = object, .node = root}};
	size_t depth = 0;

	fields_read(root, family, object);
	for (;;) {
		struct json_object *child, *idle;
		enum rbs_level level;

		if (child_next(&places[depth], &child, &level)) {
			struct rbs_node *node;
			char name[1024];

			if (!json_object_is_type(child, json_type_object))
				continue;
			rbs_printable_undo(text_get(child, "name"), name, sizeof(name));
			node = rbs_node_add(places[depth].node, level, "%s", name);
			if (!node)
				return;
			node->idle = json_object_object_get_ex(child, "idle", &idle) &&
				     json_object_get_boolean(idle);
			fields_read(node, family, child);
			places[++depth] = (struct place){.object = child, .node = node};
		} else if (depth) {
			depth--;
		} else {
			return;
		}
	}
}

/* One of the sources' names, which outlive the report. */
static const char *types_name(const char *text)
{
	static const char *const names[] = {"btf", "dwarf", "crash", "assumed"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text))
			return names[i];
	}
	return NULL;
}

static void problem_read(struct rbs_report *report, struct json_object *object)
{
	struct rbs_error error = {.code = RBS_IO};
	char subject[1024];

	rbs_code_parse(text_get(object, "code"), &error.code);
	rbs_printable_undo(text_get(object, "reason"), error.text, sizeof(error.text));
	rbs_printable_undo(text_get(object, "subject"), subject, sizeof(subject));
	rbs_report_add_problem_at(report, subject, &error);
}

static void section_read(struct rbs_report *report, struct json_object *object)
{
	const struct rbs_probe *probe = rbs_probe_find(text_get(object, "family"));
	struct rbs_section *section;

	if (!probe)
		return;
	section = rbs_report_add_section(report, probe->family);
	if (!section)
		return;
	for (enum rbs_status status = RBS_STATUS_OK; status <= RBS_STATUS_FAILED; status++) {
		if (!strcmp(rbs_status_name(status), text_get(object, "status")))
			section->status = status;
	}
	rbs_printable_undo(text_get(object, "reason"), section->reason, sizeof(section->reason));
	section->types = types_name(text_get(object, "types"));
	nodes_read(section->node, probe->family, object);
}

static void array_read(struct rbs_report *report, struct json_object *root, const char *key,
		       void (*read)(struct rbs_report *report, struct json_object *object))
{
	struct json_object *array;

	if (!json_object_object_get_ex(root, key, &array) ||
	    !json_object_is_type(array, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *object = json_object_array_get_idx(array, i);

		if (json_object_is_type(object, json_type_object))
			read(report, object);
	}
}

static void info_read(struct rbs_target_info *info, struct json_object *root)
{
	struct json_object *dump, *value;

	if (!json_object_object_get_ex(root, "dump", &dump))
		return;
	snprintf(info->path, sizeof(info->path), "%s", text_get(dump, "path"));
	snprintf(info->format, sizeof(info->format), "%s", text_get(dump, "format"));
	snprintf(info->arch, sizeof(info->arch), "%s", text_get(dump, "arch"));
	snprintf(info->release, sizeof(info->release), "%s", text_get(dump, "kernel_release"));
	snprintf(info->system, sizeof(info->system), "%s", text_get(dump, "system"));
	snprintf(info->version, sizeof(info->version), "%s", text_get(dump, "version"));
	snprintf(info->panic, sizeof(info->panic), "%s", text_get(dump, "panic"));
	info->has_boot_time = rbs_time_parse(text_get(dump, "boot_time"), &info->boot_time);
	if (!strcmp(text_get(dump, "byte_order"), "big"))
		info->byte_order = RBS_BIG_ENDIAN;
	if (json_object_object_get_ex(dump, "word_size", &value))
		info->word_size = (unsigned)json_object_get_int(value);
	if (json_object_object_get_ex(dump, "page_size", &value))
		info->page_size = json_object_get_uint64(value);
}

static enum rbs_code file_parse(const char *path, struct json_object **root, struct rbs_error *err)
{
	FILE *file = fopen(path, "r");
	long size;

	if (!file)
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
	fclose(file);
	if (size < 0 || size > SIZE_LIMIT)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: is no file of JSON that can be read", path);
	*root = json_object_from_file(path);
	if (!*root)
		return rbs_error_set(err, RBS_CORRUPT, "%s: is no JSON", path);
	if (json_object_is_type(*root, json_type_object) &&
	    !strcmp(text_get(*root, "schema"), SCHEMA))
		return RBS_OK;
	json_object_put(*root);
	return rbs_error_set(err, RBS_UNSUPPORTED, "%s: is JSON, but not of schema %s", path,
			     SCHEMA);
}

bool rbs_json_detect(const char *path)
{
	FILE *file = fopen(path, "r");
	int character = EOF;

	if (!file)
		return false;
	for (int i = 0; i < 64; i++) {
		character = fgetc(file);
		if (!isspace(character))
			break;
	}
	fclose(file);
	return character == '{';
}

enum rbs_code rbs_json_read(const char *path, struct rbs_report **result, struct rbs_error *err)
{
	struct rbs_target_info info = {.word_size = 8};
	struct rbs_report *report;
	struct json_object *root = NULL;
	enum rbs_code code = file_parse(path, &root, err);

	if (code != RBS_OK)
		return code;
	info_read(&info, root);
	report = rbs_report_create(&info);
	if (report) {
		array_read(report, root, "sections", section_read);
		array_read(report, root, "problems", problem_read);
		rbs_verdicts_run(report);
	}
	json_object_put(root);
	if (!report || report->code != RBS_OK) {
		rbs_report_destroy(report);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	*result = report;
	return RBS_OK;
}
