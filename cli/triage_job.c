/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cli/triage.h"
#include "lib/render/json.h"

static struct json_object *record_new(const char *path, const char *status)
{
	struct json_object *record = json_object_new_object();

	json_object_object_add(record, "path", rbs_json_string(path));
	json_object_object_add(record, "status", json_object_new_string(status));
	return record;
}

static struct json_object *failure_new(const char *path, const char *reason)
{
	struct json_object *record = record_new(path, "failed");

	json_object_object_add(record, "reason", rbs_json_string(reason));
	return record;
}

static const char *report_severity(const struct rbs_report *report)
{
	/* The worst finding is the first. */
	return report->finding_count ? rbs_severity_name(report->findings[0].severity) : "none";
}

static struct json_object *success_new(const char *path, const struct rbs_report *report)
{
	struct json_object *record = record_new(path, "ok");
	struct json_object *findings = json_object_new_array();

	json_object_object_add(record, "kernel_release", rbs_json_string(report->dump.release));
	json_object_object_add(record, "arch", rbs_json_string(report->dump.arch));
	json_object_object_add(record, "severity", json_object_new_string(report_severity(report)));
	for (size_t i = 0; i < report->finding_count && i < TRIAGE_FINDING_LIMIT; i++)
		json_object_array_add(findings, rbs_json_finding(&report->findings[i]));
	json_object_object_add(record, "finding_count",
			       json_object_new_uint64(report->finding_count));
	json_object_object_add(record, "findings", findings);
	json_object_object_add(record, "problem_count",
			       json_object_new_uint64(report->problem_count));
	return record;
}

static const char *record_text(struct json_object *record)
{
	return json_object_to_json_string_ext(record, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE);
}

/* In the process of its own: never returns. */
static void dump_judge(const char *path, const struct rbs_session_options *session,
		       const struct rbs_show_options *show, int out)
{
	struct json_object *record;
	struct rbs_report *report;
	struct rbs_error error;
	FILE *file = fdopen(out, "w");

	if (rbs_session_report(path, session, show, &report, &error) != RBS_OK) {
		record = failure_new(path, error.text);
	} else {
		record = success_new(path, report);
		rbs_report_destroy(report);
	}
	if (file) {
		fprintf(file, "%s\n", record_text(record));
		fclose(file);
	}
	json_object_put(record);
	exit(0);
}

bool triage_job_start(struct triage_job *job, const struct rbs_session_options *session,
		      const struct rbs_show_options *show)
{
	int ends[2];

	if (pipe(ends))
		return false;
	/* Nothing may be written twice: the copy has the buffers too. */
	fflush(NULL);
	clock_gettime(CLOCK_MONOTONIC, &job->started);
	job->pid = fork();
	if (job->pid < 0) {
		job->pid = 0;
		close(ends[0]);
		close(ends[1]);
		return false;
	}
	if (!job->pid) {
		close(ends[0]);
		dump_judge(job->path, session, show, ends[1]);
	}
	close(ends[1]);
	job->pipe = ends[0];
	return true;
}

bool triage_job_read(struct triage_job *job)
{
	ssize_t got;

	if (job->room - job->length < 4096) {
		size_t room = job->room ? 2 * job->room : 16384;
		char *line = room <= TRIAGE_LINE_LIMIT ? realloc(job->line, room) : NULL;

		if (!line)
			return false;
		job->line = line;
		job->room = room;
	}
	do {
		got = read(job->pipe, job->line + job->length, job->room - job->length - 1);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	job->length += (size_t)got;
	return true;
}

static char *failure_line(const char *path, const char *reason)
{
	struct json_object *record = failure_new(path, reason);
	char *line = strdup(record_text(record));

	json_object_put(record);
	return line;
}

char *triage_job_finish(struct triage_job *job)
{
	char reason[128];
	char *line = NULL;
	int status = 0;

	close(job->pipe);
	/* It has closed the pipe or is to end: do not wait for one that hangs. */
	if (job->late)
		kill(job->pid, SIGKILL);
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (job->late) {
		line = failure_line(job->path, "not done within the time limit");
	} else if (WIFSIGNALED(status)) {
		snprintf(reason, sizeof(reason), "its process was ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
		line = failure_line(job->path, reason);
	} else if (WEXITSTATUS(status) || !job->length || job->line[job->length - 1] != '\n') {
		line = failure_line(job->path, "its process ended without an answer");
	} else {
		job->line[job->length - 1] = '\0';
		line = job->line;
		job->line = NULL;
	}
	free(job->line);
	*job = (struct triage_job){.path = job->path};
	return line;
}
