/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/extract.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ctf_metadata.h"

#define NO_METADATA "NO-METADATA.txt"

/* Families that have packets. */
static const char *const packet_families[] = {"lttng", "lttng-ust"};

#define PACKET_FAMILY_COUNT (sizeof(packet_families) / sizeof(packet_families[0]))

static struct rbs_extraction *extraction_of(struct rbs_packet_sink *sink)
{
	return (struct rbs_extraction *)sink;
}

static void stop(struct rbs_extraction *extraction)
{
	extraction->sink.stopped = true;
}

static void out_of_memory(struct rbs_extraction *extraction)
{
	rbs_error_set(&extraction->error, RBS_NOMEM, "out of memory");
	stop(extraction);
}

static void file_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static struct rbs_extract_trace *trace_now(struct rbs_extraction *extraction)
{
	return &extraction->traces[extraction->trace_count - 1];
}

static struct rbs_extract_stream *stream_now(struct rbs_extraction *extraction)
{
	struct rbs_extract_trace *trace = trace_now(extraction);

	return &trace->streams[trace->stream_count - 1];
}

static void trace_forget(struct rbs_extraction *extraction)
{
	file_close(&extraction->file);
	file_close(&extraction->folder);
	free(extraction->name);
	free(extraction->place);
	free(extraction->metadata);
	extraction->name = extraction->place = NULL;
	extraction->metadata = NULL;
	extraction->metadata_length = 0;
	extraction->wanted = false;
}

static void trace_begin(struct rbs_packet_sink *sink, const struct rbs_packet_trace *given)
{
	struct rbs_extraction *extraction = extraction_of(sink);
	struct rbs_extract_trace *trace, *grown;
	char name[RBS_TRACE_NAME_SIZE];

	trace_forget(extraction);
	if (sink->stopped)
		return;
	if (extraction->sessions && fnmatch(extraction->sessions, given->name, 0)) {
		extraction->refused++;
		return;
	}
	grown = reallocarray(extraction->traces, extraction->trace_count + 1, sizeof(*grown));
	if (!grown) {
		out_of_memory(extraction);
		return;
	}
	extraction->traces = grown;
	trace = &grown[extraction->trace_count++];
	*trace = (struct rbs_extract_trace){0};
	extraction->name = strdup(given->name);
	extraction->place = strdup(given->place);
	if (given->metadata) {
		extraction->metadata = malloc(given->metadata_length + 1);
		if (extraction->metadata)
			memcpy(extraction->metadata, given->metadata, given->metadata_length);
		extraction->metadata_length = given->metadata_length;
		trace->ctf2 = rbs_ctf_metadata_json(given->metadata, given->metadata_length);
	} else {
		trace->metadata_missing = strdup(given->metadata_missing);
	}
	if (given->metadata_origin)
		trace->metadata_origin = strdup(given->metadata_origin);
	if (asprintf(&trace->path, "%s/%s", rbs_trace_name(given->name, name), given->place) < 0)
		trace->path = NULL;
	extraction->wanted = true;
	if (!extraction->name || !extraction->place || !trace->path ||
	    (given->metadata ? !extraction->metadata : !trace->metadata_missing))
		out_of_memory(extraction);
}

static void stream_begin(struct rbs_packet_sink *sink, const struct rbs_packet_stream *given)
{
	struct rbs_extraction *extraction = extraction_of(sink);
	struct rbs_extract_trace *trace;
	struct rbs_extract_stream *grown;
	char channel[RBS_TRACE_NAME_SIZE];
	int made;

	file_close(&extraction->file);
	if (sink->stopped || !extraction->wanted)
		return;
	trace = trace_now(extraction);
	grown = reallocarray(trace->streams, trace->stream_count + 1, sizeof(*grown));
	if (!grown) {
		out_of_memory(extraction);
		return;
	}
	trace->streams = grown;
	grown += trace->stream_count;
	*grown = (struct rbs_extract_stream){0};
	rbs_trace_name(given->channel, channel);
	made = given->cpu < 0 ? asprintf(&grown->name, "%s", channel)
			      : asprintf(&grown->name, "%s_%" PRId64, channel, given->cpu);
	if (made < 0)
		out_of_memory(extraction);
	else
		trace->stream_count++;
}

/* A plain text of metadata begins with a signature (Common Trace Format 1.8, 7.1). */
static enum rbs_code metadata_write(struct rbs_extraction *extraction, int file,
				    struct rbs_error *err)
{
	static const char signature[] = "/* CTF 1.8 */\n";
	const char *text = extraction->metadata;
	size_t length = extraction->metadata_length;
	enum rbs_code code = RBS_OK;

	if (!rbs_ctf_metadata_json(text, length) && (length < 6 || memcmp(text, "/* CTF", 6)))
		code = rbs_trace_dir_write(&extraction->dir, file, signature, strlen(signature),
					   err);
	if (code == RBS_OK)
		code = rbs_trace_dir_write(&extraction->dir, file, text, length, err);
	return code;
}

static enum rbs_code absence_write(struct rbs_extraction *extraction, int file,
				   struct rbs_error *err)
{
	const struct rbs_extract_trace *trace = trace_now(extraction);
	char *text;
	enum rbs_code code;

	if (asprintf(
		    &text,
		    "The metadata of this trace was not found in the dump:\n%s\n\n"
		    "The files beside this one hold the packets as they were in memory, one after\n"
		    "the other. They can be read with the metadata of the same session from\n"
		    "elsewhere: a file \"metadata\" in the trace's folder on the machine's disk, "
		    "as\n"
		    "the consumer daemon wrote it. Without it nobody knows what the events are.\n",
		    trace->metadata_missing) < 0)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = rbs_trace_dir_write(&extraction->dir, file, text, strlen(text), err);
	free(text);
	return code;
}

static enum rbs_code folder_make(struct rbs_extraction *extraction, struct rbs_error *err)
{
	struct rbs_extract_trace *trace = trace_now(extraction);
	char relative[1024], final[RBS_TRACE_NAME_SIZE];
	char *path;
	int file;
	enum rbs_code code;

	extraction->folder = rbs_trace_dir_open(&extraction->dir, extraction->name,
						extraction->place, relative, sizeof(relative), err);
	if (extraction->folder < 0)
		return RBS_IO;
	trace->made = true;
	path = strdup(relative);
	if (!path)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	free(trace->path);
	trace->path = path;
	file = rbs_trace_dir_create(&extraction->dir, extraction->folder,
				    extraction->metadata ? "metadata" : NO_METADATA, final, err);
	if (file < 0)
		return RBS_IO;
	code = extraction->metadata ? metadata_write(extraction, file, err)
				    : absence_write(extraction, file, err);
	if (close(file) && code == RBS_OK)
		code = rbs_error_set(err, RBS_IO, "%s/%s: the metadata could not be written",
				     extraction->dir.path, relative);
	return code;
}

static enum rbs_code file_make(struct rbs_extraction *extraction, struct rbs_error *err)
{
	struct rbs_extract_stream *stream = stream_now(extraction);
	char final[RBS_TRACE_NAME_SIZE];
	char *name;

	extraction->file = rbs_trace_dir_create(&extraction->dir, extraction->folder, stream->name,
						final, err);
	if (extraction->file < 0)
		return RBS_IO;
	name = strdup(final);
	if (!name)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	free(stream->name);
	stream->name = name;
	return RBS_OK;
}

/* "TRACE/STREAM sub-buffer N: TEXT" */
static void line_add(struct rbs_extraction *extraction, struct rbs_extract_lines *lines,
		     uint64_t subbuf, const char *text)
{
	if (lines->count == RBS_EXTRACT_REASONS)
		return;
	if (asprintf(&lines->lines[lines->count], "%s/%s sub-buffer %" PRIu64 ": %s",
		     trace_now(extraction)->path, stream_now(extraction)->name, subbuf, text) < 0)
		out_of_memory(extraction);
	else
		lines->count++;
}

static void packet_write(struct rbs_packet_sink *sink, const struct rbs_packet *packet)
{
	struct rbs_extraction *extraction = extraction_of(sink);
	struct rbs_extract_stream *stream;
	enum rbs_code code = RBS_OK;

	if (sink->stopped || !extraction->wanted)
		return;
	stream = stream_now(extraction);
	if (extraction->folder < 0)
		code = folder_make(extraction, &extraction->error);
	if (code == RBS_OK && extraction->file < 0)
		code = file_make(extraction, &extraction->error);
	if (code == RBS_OK)
		code = rbs_trace_dir_write(&extraction->dir, extraction->file, packet->bytes,
					   packet->length, &extraction->error);
	if (code != RBS_OK) {
		stop(extraction);
		return;
	}
	stream->packets++;
	stream->partial += packet->partial;
	stream->bytes += packet->length;
	extraction->packets++;
	if (packet->cut) {
		char text[128];

		snprintf(text, sizeof(text),
			 "%" PRIu64 " bytes are left out, behind a record that was not committed",
			 packet->cut);
		line_add(extraction, &extraction->cuts, packet->subbuf, text);
	}
}

static void packet_skip(struct rbs_packet_sink *sink, uint64_t subbuf, const struct rbs_error *why)
{
	struct rbs_extraction *extraction = extraction_of(sink);

	if (sink->stopped || !extraction->wanted)
		return;
	stream_now(extraction)->skipped++;
	extraction->skipped++;
	line_add(extraction, &extraction->reasons, subbuf, why->text);
}

static void packet_leave(struct rbs_packet_sink *sink, uint64_t subbuf)
{
	struct rbs_extraction *extraction = extraction_of(sink);

	(void)subbuf;
	if (sink->stopped || !extraction->wanted)
		return;
	stream_now(extraction)->left++;
	extraction->left++;
}

static const struct rbs_packet_sink_ops ops = {
	.trace_begin = trace_begin,
	.stream_begin = stream_begin,
	.packet = packet_write,
	.skip = packet_skip,
	.leave = packet_leave,
};

enum rbs_code rbs_extraction_init(struct rbs_extraction *extraction, const char *path,
				  const struct rbs_extract_options *options, struct rbs_error *err)
{
	*extraction = (struct rbs_extraction){
		.sink = {.ops = &ops, .partial = options->partial, .consumed = options->consumed},
		.sessions = options->sessions,
		.folder = -1,
		.file = -1,
	};
	return rbs_trace_dir_init(&extraction->dir, path, err);
}

static void lines_free(struct rbs_extract_lines *lines)
{
	for (size_t i = 0; i < lines->count; i++)
		free(lines->lines[i]);
}

void rbs_extraction_deinit(struct rbs_extraction *extraction)
{
	trace_forget(extraction);
	for (size_t i = 0; i < extraction->trace_count; i++) {
		struct rbs_extract_trace *trace = &extraction->traces[i];

		for (size_t j = 0; j < trace->stream_count; j++)
			free(trace->streams[j].name);
		free(trace->streams);
		free(trace->path);
		free(trace->metadata_missing);
		free(trace->metadata_origin);
	}
	free(extraction->traces);
	lines_free(&extraction->reasons);
	lines_free(&extraction->cuts);
	lines_free(&extraction->notes);
	rbs_trace_dir_deinit(&extraction->dir);
}

static void note_add(struct rbs_extraction *extraction, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note_add(struct rbs_extraction *extraction, const char *format, ...)
{
	struct rbs_extract_lines *notes = &extraction->notes;
	va_list arguments;

	if (notes->count == RBS_EXTRACT_REASONS)
		return;
	va_start(arguments, format);
	if (vasprintf(&notes->lines[notes->count], format, arguments) < 0)
		out_of_memory(extraction);
	else
		notes->count++;
	va_end(arguments);
}

static enum rbs_code families_check(const struct rbs_show_options *show, struct rbs_error *err)
{
	for (size_t i = 0; i < show->family_count; i++) {
		bool has = false;

		for (size_t j = 0; j < PACKET_FAMILY_COUNT; j++)
			has = has || !strcmp(show->families[i], packet_families[j]);
		if (!has)
			return rbs_error_set(
				err, RBS_USAGE, "%s has no trace packets: extract takes %s and %s",
				show->families[i], packet_families[0], packet_families[1]);
	}
	return RBS_OK;
}

/* Why a family gave nothing. That there is only one of them is no news. */
static void notes_take(struct rbs_extraction *extraction, const struct rbs_report *report)
{
	for (size_t i = 0; i < report->section_count; i++) {
		const struct rbs_section *section = &report->sections[i];

		if (section->reason[0] &&
		    (section->status != RBS_STATUS_ABSENT || !extraction->packets))
			note_add(extraction, "%s: %s", section->family->name, section->reason);
	}
}

enum rbs_code rbs_extraction_run(struct rbs_extraction *extraction, struct rbs_dump *dump,
				 const struct rbs_show_options *show, struct rbs_report **report,
				 struct rbs_error *err)
{
	struct rbs_show_options options = *show;
	enum rbs_code code = families_check(show, err);

	options.packets = &extraction->sink;
	/* The sink takes sessions by their names. */
	options.device = NULL;
	if (!options.family_count) {
		options.families = packet_families;
		options.family_count = PACKET_FAMILY_COUNT;
	}
	if (code == RBS_OK)
		code = rbs_session_show(dump, &options, report, err);
	trace_forget(extraction);
	if (code != RBS_OK)
		return code;
	notes_take(extraction, *report);
	if (extraction->error.code == RBS_OK)
		return RBS_OK;
	rbs_report_destroy(*report);
	*err = extraction->error;
	return err->code;
}
