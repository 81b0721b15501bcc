/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats diff: two results, from dumps or from stored JSON. */
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/cli.h"
#include "lib/command.h"
#include "lib/diff.h"
#include "lib/render/json.h"
#include "lib/render/json_read.h"
#include "lib/render/printable.h"

static enum rbs_code result_load(const char *path, const struct rbs_command *command,
				 struct rbs_report **report, struct rbs_error *err)
{
	if (rbs_json_detect(path))
		return rbs_json_read(path, report, err);
	return rbs_session_report(path, &command->session, &command->show, report, err);
}

static const char *kind_name(enum rbs_change_kind kind)
{
	static const char *const names[] = {"changed", "appeared", "gone"};

	return names[kind];
}

static void text_print(const struct rbs_diff *diff, FILE *out)
{
	char path[700];

	for (size_t i = 0; i < diff->count; i++) {
		const struct rbs_change *change = &diff->changes[i];

		rbs_printable(change->path, path, sizeof(path));
		fprintf(out, "%-8s %s", kind_name(change->kind), path);
		if (change->from || change->to)
			fprintf(out, "  %s%s%s", change->from ? change->from : "",
				change->kind == RBS_CHANGE_VALUE ? " -> " : "",
				change->to ? change->to : "");
		if (change->has_delta)
			fprintf(out, "  %+" PRId64, change->delta);
		fputc('\n', out);
	}
	fprintf(out, "%zu changed, appeared or gone; %zu values are the same\n", diff->count,
		diff->same);
}

static void json_print(const struct rbs_diff *diff, FILE *out)
{
	struct json_object *root = json_object_new_object();
	struct json_object *changes = json_object_new_array();

	json_object_object_add(root, "schema", json_object_new_string("rbstats-diff/1"));
	json_object_object_add(root, "changes", changes);
	for (size_t i = 0; i < diff->count; i++) {
		const struct rbs_change *change = &diff->changes[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "kind",
				       json_object_new_string(kind_name(change->kind)));
		json_object_object_add(object, "path", rbs_json_string(change->path));
		if (change->from)
			json_object_object_add(object, "from",
					       json_object_new_string(change->from));
		if (change->to)
			json_object_object_add(object, "to", json_object_new_string(change->to));
		if (change->has_delta)
			json_object_object_add(object, "delta",
					       json_object_new_int64(change->delta));
		json_object_array_add(changes, object);
	}
	json_object_object_add(root, "same", json_object_new_uint64(diff->same));
	fprintf(out, "%s\n",
		json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

static int results_diff(const struct rbs_command *command, const struct rbs_report *first,
			const struct rbs_report *second)
{
	struct rbs_error error;
	struct rbs_diff diff;
	int status;

	rbs_diff_init(&diff, first, second);
	if (diff.failed) {
		rbs_error_set(&error, RBS_NOMEM, "out of memory");
		status = cli_fail(&error);
	} else {
		if (command->render == rbs_render_json)
			json_print(&diff, stdout);
		else
			text_print(&diff, stdout);
		status = cli_finish(stdout, "standard output");
	}
	rbs_diff_deinit(&diff);
	return status;
}

static int operands_diff(const struct rbs_command *command)
{
	struct rbs_report *first, *second;
	struct rbs_error error;
	int status;

	if (command->operand_count != 2 ||
	    (command->render != rbs_render_json && command->render != rbs_render_text)) {
		rbs_error_set(&error, RBS_USAGE,
			      "diff: two dumps or files of JSON are expected, and -F text or json");
		return cli_fail(&error);
	}
	if (result_load(command->operands[0], command, &first, &error) != RBS_OK)
		return cli_fail(&error);
	if (result_load(command->operands[1], command, &second, &error) != RBS_OK) {
		rbs_report_destroy(first);
		return cli_fail(&error);
	}
	status = results_diff(command, first, second);
	rbs_report_destroy(first);
	rbs_report_destroy(second);
	return status;
}

int cli_diff(int argc, char **argv)
{
	struct rbs_command command;
	struct rbs_error error;
	int status;

	if (rbs_command_parse(&command, argc, argv, rbs_render_text, &error) != RBS_OK) {
		rbs_error_prefix(&error, "diff");
		return cli_fail(&error);
	}
	status = operands_diff(&command);
	rbs_command_deinit(&command);
	return status;
}
