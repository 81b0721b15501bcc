/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats extract: the records in trace buffers, as traces that babeltrace2 reads. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/extract.h"
#include "lib/render/json.h"
#include "lib/render/printable.h"
#include "lib/render/table.h"

static void line_print(const char *label, const char *text)
{
	char safe[4096];

	printf("%s%s\n", label, rbs_printable(text, safe, sizeof(safe)));
}

static void number_cell(struct rbs_table *table, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	rbs_table_add_cell(table, text);
}

static void stream_row(struct rbs_table *table, const struct rbs_extract_trace *trace,
		       const struct rbs_extract_stream *stream)
{
	char safe[1024];

	rbs_table_add_cell(table, rbs_printable(trace->path, safe, sizeof(safe)));
	rbs_table_add_cell(table, rbs_printable(stream->name, safe, sizeof(safe)));
	number_cell(table, stream->packets);
	number_cell(table, stream->partial);
	number_cell(table, stream->skipped);
	number_cell(table, stream->left);
	number_cell(table, stream->bytes);
}

/* Streams without any record in memory are no rows: a machine of many CPUs has hundreds. */
static bool stream_idle(const struct rbs_extract_stream *stream)
{
	return !stream->packets && !stream->skipped && !stream->left;
}

static size_t table_print(const struct rbs_extraction *extraction)
{
	static const char *const headers[] = {"TRACE",	 "STREAM", "PACKETS", "PARTIAL",
					      "SKIPPED", "OPEN",   "BYTES"};
	struct rbs_table table;
	size_t idle = 0;

	rbs_table_init(&table);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		rbs_table_add_column(&table, headers[i], i < 2);
	for (size_t i = 0; i < extraction->trace_count; i++) {
		const struct rbs_extract_trace *trace = &extraction->traces[i];

		for (size_t j = 0; j < trace->stream_count; j++) {
			if (stream_idle(&trace->streams[j]))
				idle++;
			else
				stream_row(&table, trace, &trace->streams[j]);
		}
	}
	if (!rbs_table_print(&table, "", stdout))
		fprintf(stderr, CLI_NAME ": out of memory\n");
	rbs_table_deinit(&table);
	return idle;
}

/* What to say of a trace's metadata; NULL: nothing, it is the tracer's own. */
static const char *metadata_text(const struct rbs_extract_trace *trace)
{
	if (!trace->made)
		return NULL;
	return trace->metadata_missing ? trace->metadata_missing : trace->metadata_origin;
}

static bool metadata_same(const struct rbs_extract_trace *a, const struct rbs_extract_trace *b)
{
	return !a->metadata_missing == !b->metadata_missing &&
	       !strcmp(metadata_text(a), metadata_text(b));
}

/* A line for traces one after the other whose metadata is from the same place. */
static void metadata_print(const struct rbs_extraction *extraction)
{
	for (size_t i = 0; i < extraction->trace_count; i++) {
		const struct rbs_extract_trace *trace = &extraction->traces[i];
		const char *text = metadata_text(trace);
		char label[512], path[256], more[32] = "";
		size_t others = 0;

		if (!text)
			continue;
		for (size_t j = i + 1; j < extraction->trace_count; j++) {
			const struct rbs_extract_trace *next = &extraction->traces[j];

			if (!metadata_text(next))
				continue;
			if (!metadata_same(trace, next))
				break;
			others++;
			i = j;
		}
		if (others)
			snprintf(more, sizeof(more), " and %zu more", others);
		snprintf(label, sizeof(label),
			 "%s  %s%s: ", trace->metadata_missing ? "NO METADATA" : "metadata",
			 rbs_printable(trace->path, path, sizeof(path)), more);
		line_print(label, text);
	}
}

static size_t ctf2_count(const struct rbs_extraction *extraction)
{
	size_t count = 0;

	for (size_t i = 0; i < extraction->trace_count; i++)
		count += extraction->traces[i].made && extraction->traces[i].ctf2;
	return count;
}

static void problems_print(const struct rbs_report *report)
{
	for (size_t i = 0; i < report->problem_count; i++) {
		const struct rbs_problem *problem = &report->problems[i];
		char label[512], subject[256];

		snprintf(label, sizeof(label), "problem  %s: ",
			 rbs_printable(problem->subject, subject, sizeof(subject)));
		line_print(label, problem->text);
	}
}

static void lines_print(const char *label, const struct rbs_extract_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		line_print(label, lines->lines[i]);
}

static void text_print(const struct rbs_extraction *extraction, const struct rbs_report *report)
{
	size_t idle, ctf2 = ctf2_count(extraction);

	if (!extraction->packets && !extraction->skipped && !extraction->left)
		return;
	idle = table_print(extraction);
	metadata_print(extraction);
	if (ctf2)
		printf("%zu traces are described in CTF 2: babeltrace2 2.1 and later reads them\n",
		       ctf2);
	lines_print("skipped  ", &extraction->reasons);
	if (extraction->skipped > extraction->reasons.count)
		printf("skipped  and %" PRIu64 " more\n",
		       extraction->skipped - extraction->reasons.count);
	lines_print("cut  ", &extraction->cuts);
	if (extraction->packets)
		lines_print("note  ", &extraction->notes);
	problems_print(report);
	if (extraction->left)
		printf("%" PRIu64 " sub-buffers were being written (OPEN); --partial takes what "
		       "was committed\n",
		       extraction->left);
	if (idle)
		printf("%zu streams had nothing %s\n", idle,
		       extraction->sink.consumed ? "in memory" : "that was not consumed");
}

static struct json_object *stream_json(const struct rbs_extract_stream *stream)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "file", rbs_json_string(stream->name));
	json_object_object_add(object, "packets", json_object_new_uint64(stream->packets));
	json_object_object_add(object, "partial", json_object_new_uint64(stream->partial));
	json_object_object_add(object, "skipped", json_object_new_uint64(stream->skipped));
	json_object_object_add(object, "open", json_object_new_uint64(stream->left));
	json_object_object_add(object, "bytes", json_object_new_uint64(stream->bytes));
	return object;
}

static struct json_object *trace_json(const struct rbs_extract_trace *trace)
{
	struct json_object *object = json_object_new_object();
	struct json_object *streams = json_object_new_array();

	json_object_object_add(object, "path", rbs_json_string(trace->path));
	json_object_object_add(object, "metadata",
			       json_object_new_boolean(!trace->metadata_missing));
	if (!trace->metadata_missing)
		json_object_object_add(object, "ctf", json_object_new_int(trace->ctf2 ? 2 : 1));
	if (trace->metadata_missing)
		json_object_object_add(object, "metadata_missing",
				       rbs_json_string(trace->metadata_missing));
	if (trace->metadata_origin)
		json_object_object_add(object, "metadata_origin",
				       rbs_json_string(trace->metadata_origin));
	for (size_t i = 0; i < trace->stream_count; i++)
		json_object_array_add(streams, stream_json(&trace->streams[i]));
	json_object_object_add(object, "streams", streams);
	return object;
}

static struct json_object *lines_json(const struct rbs_extract_lines *lines)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < lines->count; i++)
		json_object_array_add(array, rbs_json_string(lines->lines[i]));
	return array;
}

static void json_print(const struct rbs_extraction *extraction, const struct rbs_report *report)
{
	struct json_object *object = json_object_new_object();
	struct json_object *traces = json_object_new_array();
	struct json_object *problems = json_object_new_array();

	for (size_t i = 0; i < extraction->trace_count; i++)
		json_object_array_add(traces, trace_json(&extraction->traces[i]));
	for (size_t i = 0; i < report->problem_count; i++) {
		struct json_object *problem = json_object_new_object();

		json_object_object_add(problem, "subject",
				       rbs_json_string(report->problems[i].subject));
		json_object_object_add(
			problem, "code",
			json_object_new_string(rbs_code_name(report->problems[i].code)));
		json_object_object_add(problem, "reason",
				       rbs_json_string(report->problems[i].text));
		json_object_array_add(problems, problem);
	}
	json_object_object_add(object, "schema", json_object_new_string("rbstats-extract/1"));
	json_object_object_add(object, "path", rbs_json_string(extraction->dir.path));
	json_object_object_add(object, "packets", json_object_new_uint64(extraction->packets));
	json_object_object_add(object, "traces", traces);
	json_object_object_add(object, "skipped", lines_json(&extraction->reasons));
	json_object_object_add(object, "cut", lines_json(&extraction->cuts));
	json_object_object_add(object, "notes", lines_json(&extraction->notes));
	json_object_object_add(object, "problems", problems);
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/* Why there is nothing: what a family says for itself, or what could not be read. */
static int nothing_fail(const struct rbs_extraction *extraction, const struct rbs_report *report)
{
	const char *all = extraction->notes.count ? extraction->notes.lines[0] : "no session";
	struct rbs_error error;

	if (extraction->left)
		rbs_error_set(&error, RBS_USAGE,
			      "all sub-buffers with records are still being written; --partial "
			      "takes what was committed of them");
	else if (extraction->reasons.count)
		rbs_error_set(&error, RBS_USAGE, "%s", extraction->reasons.lines[0]);
	else if (extraction->refused && !extraction->trace_count)
		rbs_error_set(&error, RBS_USAGE, "no session's name fits '%s'",
			      extraction->sessions);
	else if (report->problem_count)
		rbs_error_set(&error, RBS_USAGE, "%s: %s%s", report->problems[0].subject,
			      report->problems[0].text,
			      report->problem_count > 1 ? " (and more)" : "");
	else if (extraction->trace_count)
		rbs_error_set(&error, RBS_USAGE, "no packet waits for a reader");
	else
		rbs_error_set(&error, RBS_USAGE, "%s%s%s", all,
			      extraction->notes.count > 1 ? "; " : "",
			      extraction->notes.count > 1 ? extraction->notes.lines[1] : "");
	rbs_error_prefix(&error, "extract: nothing was written");
	return cli_fail(&error);
}

static int result_print(const struct rbs_command *command, const struct rbs_extraction *extraction,
			const struct rbs_report *report)
{
	int status;

	if (command->render == rbs_render_text)
		text_print(extraction, report);
	else
		json_print(extraction, report);
	status = cli_finish(stdout, "standard output");
	if (!status && !extraction->packets)
		status = nothing_fail(extraction, report);
	return status;
}

static enum rbs_code usage_check(const struct rbs_command *command, struct rbs_error *err)
{
	enum rbs_code code = cli_operands_check(command, err);

	if (code != RBS_OK)
		return code;
	if (!command->output)
		return rbs_error_set(err, RBS_USAGE, "-o DIR says where to write the traces");
	if (command->render != rbs_render_text && command->render != rbs_render_find("json"))
		return rbs_error_set(err, RBS_USAGE, "-F takes text or json");
	return RBS_OK;
}

static int dump_extract(struct rbs_command *command)
{
	const struct rbs_extract_options options = {.partial = command->partial,
						    .consumed = command->consumed,
						    .sessions = command->show.device};
	struct rbs_extraction extraction;
	struct rbs_report *report;
	struct rbs_dump dump;
	struct rbs_error error;
	int status;

	if (command->operand_count > 1)
		command->session.vmlinux = command->operands[1];
	if (rbs_session_open(&dump, command->operands[0], &command->session, &error) != RBS_OK)
		return cli_fail(&error);
	if (dump.is_freebsd) {
		rbs_error_set(&error, RBS_UNSUPPORTED,
			      "extract: %s: the dump is a FreeBSD kernel's, which has no LTTng",
			      command->operands[0]);
		rbs_dump_deinit(&dump);
		return cli_fail(&error);
	}
	if (rbs_extraction_init(&extraction, command->output, &options, &error) == RBS_OK) {
		if (rbs_extraction_run(&extraction, &dump, &command->show, &report, &error) ==
		    RBS_OK) {
			status = result_print(command, &extraction, report);
			rbs_report_destroy(report);
		} else {
			status = cli_fail(&error);
		}
		rbs_extraction_deinit(&extraction);
	} else {
		rbs_error_prefix(&error, "extract");
		status = cli_fail(&error);
	}
	rbs_dump_deinit(&dump);
	return status;
}

int cli_extract(int argc, char **argv)
{
	struct rbs_command command;
	struct rbs_error error;
	enum rbs_code code = rbs_command_parse(&command, argc, argv, rbs_render_text, &error);
	int status;

	if (code == RBS_OK) {
		code = usage_check(&command, &error);
		if (code != RBS_OK)
			rbs_command_deinit(&command);
	}
	if (code != RBS_OK) {
		rbs_error_prefix(&error, "extract");
		return cli_fail(&error);
	}
	status = dump_extract(&command);
	rbs_command_deinit(&command);
	return status;
}
