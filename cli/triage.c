/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats triage: many dumps, a line each. */
#include "cli/triage.h"

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cli/cli.h"

#define JOBS_LIMIT 256
#define STATUS_NOTHING_READABLE 1
#define STATUS_WARNING 3
#define STATUS_CRITICAL 4

struct triage {
	const char **debuginfo;
	struct rbs_session_options session;
	struct rbs_show_options show;
	char *const *paths;
	size_t path_count, next;
	size_t done, failed;
	size_t jobs;
	long seconds; /* a dump's time; 0: as long as it takes */
	bool lines;   /* JSON Lines, else text */
	bool progress;
	bool warning, critical;
	struct triage_job job[JOBS_LIMIT];
};

static const struct option long_options[] = {
	{"jobs", required_argument, NULL, 'j'},	   {"format", required_argument, NULL, 'F'},
	{"timeout", required_argument, NULL, 't'}, {"debuginfo", required_argument, NULL, 'D'},
	{"help", no_argument, NULL, 'h'},	   {NULL, 0, NULL, 0},
};

static int usage_fail(const char *text, const char *argument)
{
	struct rbs_error error;

	rbs_error_set(&error, RBS_USAGE, "triage: %s%s", text, argument);
	return cli_fail(&error);
}

static bool number_parse(const char *text, long low, long high, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(text, &end, 10);
	return !errno && end != text && !*end && *number >= low && *number <= high;
}

static const char *json_text(struct json_object *record, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(record, key, &value) ? json_object_get_string(value) : "";
}

static void severity_note(struct triage *triage, struct json_object *record)
{
	const char *severity = json_text(record, "severity");

	triage->critical |= !strcmp(severity, "critical");
	triage->warning |= !strcmp(severity, "warning");
}

/* "SEVERITY  path  release  what, where (and N more)" */
static void text_print(struct json_object *record)
{
	struct json_object *findings, *first;
	size_t count = 0;

	if (strcmp(json_text(record, "status"), "ok")) {
		printf("%-8s  %s  %s\n", "FAILED", json_text(record, "path"),
		       json_text(record, "reason"));
		return;
	}
	printf("%-8s  %s  %s", json_text(record, "severity"), json_text(record, "path"),
	       json_text(record, "kernel_release"));
	if (json_object_object_get_ex(record, "findings", &findings))
		count = json_object_array_length(findings);
	if (count && strcmp(json_text(record, "severity"), "info")) {
		first = json_object_array_get_idx(findings, 0);
		printf("  %s %s: %s", json_text(first, "code"), json_text(first, "subject"),
		       json_text(first, "summary"));
		if (count > 1)
			printf(" (and %zu more)", count - 1);
	}
	putchar('\n');
}

static void result_print(struct triage *triage, char *line)
{
	struct json_object *record = line ? json_tokener_parse(line) : NULL;

	triage->done++;
	if (!record || strcmp(json_text(record, "status"), "ok"))
		triage->failed++;
	if (record)
		severity_note(triage, record);
	if (triage->lines)
		puts(line ? line : "{\"status\":\"failed\",\"reason\":\"out of memory\"}");
	else if (record)
		text_print(record);
	else
		puts("FAILED    out of memory");
	fflush(stdout);
	json_object_put(record);
	free(line);
	if (triage->progress)
		fprintf(stderr, "\r%zu of %zu dumps, %zu not readable\033[K", triage->done,
			triage->path_count, triage->failed);
}

static void jobs_start(struct triage *triage)
{
	for (size_t i = 0; i < triage->jobs && triage->next < triage->path_count; i++) {
		if (triage->job[i].pid)
			continue;
		triage->job[i] = (struct triage_job){.path = triage->paths[triage->next++]};
		if (!triage_job_start(&triage->job[i], &triage->session, &triage->show)) {
			char line[256];

			snprintf(line, sizeof(line),
				 "{\"status\":\"failed\",\"reason\":\"no process: %s\"}",
				 strerror(errno));
			result_print(triage, strdup(line));
		}
	}
}

/* Milliseconds until the first running job is late; -1 when none can be. */
static int time_left(const struct triage *triage)
{
	struct timespec now;
	long least = -1;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (size_t i = 0; triage->seconds && i < triage->jobs; i++) {
		const struct triage_job *job = &triage->job[i];
		long left = triage->seconds * 1000 - (now.tv_sec - job->started.tv_sec) * 1000 -
			    (now.tv_nsec - job->started.tv_nsec) / 1000000;

		if (job->pid && (least < 0 || left < least))
			least = left > 0 ? left : 0;
	}
	return (int)least;
}

static void late_mark(struct triage *triage)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (size_t i = 0; triage->seconds && i < triage->jobs; i++) {
		struct triage_job *job = &triage->job[i];

		if (job->pid && now.tv_sec - job->started.tv_sec >= triage->seconds)
			job->late = true;
	}
}

static bool jobs_wait(struct triage *triage)
{
	struct pollfd polls[JOBS_LIMIT];
	size_t which[JOBS_LIMIT], count = 0;

	for (size_t i = 0; i < triage->jobs; i++) {
		if (!triage->job[i].pid)
			continue;
		polls[count] = (struct pollfd){.fd = triage->job[i].pipe, .events = POLLIN};
		which[count++] = i;
	}
	if (!count)
		return false;
	if (poll(polls, count, time_left(triage)) < 0 && errno != EINTR)
		return false;
	late_mark(triage);
	for (size_t i = 0; i < count; i++) {
		struct triage_job *job = &triage->job[which[i]];
		bool ended = polls[i].revents && !triage_job_read(job);

		if (ended || job->late)
			result_print(triage, triage_job_finish(job));
	}
	return true;
}

static int dumps_triage(struct triage *triage)
{
	int status;

	do {
		jobs_start(triage);
	} while (jobs_wait(triage) || triage->next < triage->path_count);
	if (triage->progress)
		fprintf(stderr, "\r\033[K");
	status = cli_finish(stdout, "standard output");
	if (status)
		return status;
	if (triage->failed == triage->path_count)
		return STATUS_NOTHING_READABLE;
	return triage->critical ? STATUS_CRITICAL : triage->warning ? STATUS_WARNING : 0;
}

static int options_parse(struct triage *triage, int argc, char **argv)
{
	int option;
	long number;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":j:F:t:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'j':
			if (!number_parse(optarg, 1, JOBS_LIMIT, &number))
				return usage_fail("-j takes a number from 1 to 256, not ", optarg);
			triage->jobs = (size_t)number;
			break;
		case 't':
			if (!number_parse(optarg, 0, 1000000, &triage->seconds))
				return usage_fail("--timeout takes seconds, not ", optarg);
			break;
		case 'F':
			triage->lines = !strcmp(optarg, "jsonl");
			if (!triage->lines && strcmp(optarg, "text"))
				return usage_fail("-F takes text or jsonl, not ", optarg);
			break;
		case 'D':
			triage->debuginfo[triage->session.debuginfo_count++] = optarg;
			break;
		case ':':
			return usage_fail("an argument is missing after ", argv[optind - 1]);
		default:
			return usage_fail("no option ", argv[optind - 1]);
		}
	}
	triage->paths = argv + optind;
	triage->path_count = (size_t)(argc - optind);
	if (!triage->path_count)
		return usage_fail("no dump given; see rbstats --help", "");
	return 0;
}

int cli_triage(int argc, char **argv)
{
	struct triage *triage = calloc(1, sizeof(*triage));
	int status;

	if (!triage)
		return usage_fail("out of memory", "");
	triage->jobs = 1;
	triage->seconds = 300;
	/* At most every argument is one. */
	triage->debuginfo = calloc((size_t)argc, sizeof(*triage->debuginfo));
	triage->session.debuginfo = triage->debuginfo;
	triage->progress = isatty(STDERR_FILENO);
	status = triage->debuginfo ? options_parse(triage, argc, argv)
				   : usage_fail("out of memory", "");
	if (!status)
		status = dumps_triage(triage);
	free(triage->debuginfo);
	free(triage);
	return status;
}
