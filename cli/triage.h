/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * triage - one dump judged in a process of its own.
 *
 * A dump may be hostile, huge or broken: what happens to its process costs one row. The process
 * writes one line of JSON to a pipe and ends.
 */
#ifndef RBS_CLI_TRIAGE_H
#define RBS_CLI_TRIAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "lib/session.h"

/* Longest line taken from a process; a dump with more findings is cut by its own limit below. */
#define TRIAGE_LINE_LIMIT (4u << 20)
/* Findings of a dump that a line has; the worst come first. */
#define TRIAGE_FINDING_LIMIT 200

struct triage_job {
	const char *path;
	pid_t pid; /* 0: not running */
	int pipe;
	char *line; /* owned: what came so far */
	size_t length, room;
	struct timespec started;
	bool late; /* ended by us after the time limit */
};

/* Start a process for job->path. False (and errno) when it could not be started. */
bool triage_job_start(struct triage_job *job, const struct rbs_session_options *session,
		      const struct rbs_show_options *show);

/* Take what the pipe has; false at its end. */
bool triage_job_read(struct triage_job *job);

/*
 * After the end: wait for the process, and return the line of JSON, made up from what is known when
 * the process did not write one. The caller frees it; NULL when memory ran out.
 */
char *triage_job_finish(struct triage_job *job);

#endif
