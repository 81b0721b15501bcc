/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli - what the subcommands share. Exit status: 0 done, 1 bad usage or nothing readable. */
#ifndef RBS_CLI_H
#define RBS_CLI_H

#include <stdio.h>

#include "lib/command.h"
#include "lib/error.h"

#define CLI_NAME "rbstats"
#define CLI_FAILURE 1

struct cli_command {
	const char *name, *arguments, *summary;
	int (*run)(int argc, char **argv);
};

int cli_show(int argc, char **argv);
int cli_excerpt(int argc, char **argv);
int cli_extract(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_explain(int argc, char **argv);
/* Status: 0 nothing above info, 1 usage or nothing readable, 3 warnings, 4 critical. */
int cli_triage(int argc, char **argv);

/* The result of 'show --xen-live'. */
enum rbs_code cli_xen_live_load(struct rbs_command *command, struct rbs_report **report,
				struct rbs_error *err);

void cli_version_print(FILE *out);

/* "rbstats: TEXT" on standard error; returns CLI_FAILURE. */
int cli_fail(const struct rbs_error *err);

/* RBS_USAGE unless there are one or two operands: a dump, and perhaps its vmlinux. */
enum rbs_code cli_operands_check(const struct rbs_command *command, struct rbs_error *err);

/* How far a search is, on standard error where that is a terminal. For rbs_show_options. */
void cli_progress(void *context, uint64_t done, uint64_t total);

/* Flush and check: a full disk or a closed pipe is an error. Returns the exit status. */
int cli_finish(FILE *out, const char *name);

#endif
