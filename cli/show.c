/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats show and rbstats report: the figures of one dump. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "lib/command.h"
#include "lib/excerpt_file.h"
#include "lib/render/explain.h"
#include "lib/render/json_read.h"

static int report_write(const struct rbs_report *report, const struct rbs_command *command)
{
	struct rbs_render_options options = {.tool = CLI_NAME,
					     .version = RBS_VERSION,
					     .verbose = command->show.verbose,
					     .sysctl_seed = command->sysctl_seed};
	/* https://no-color.org: set to anything but nothing. */
	const char *no_colour = getenv("NO_COLOR");
	FILE *out = command->output ? fopen(command->output, "w") : stdout;
	struct rbs_error error;
	int status;

	options.colour = !command->output && isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
	if (!out) {
		rbs_error_set(&error, RBS_IO, "%s: %s", command->output, strerror(errno));
		return cli_fail(&error);
	}
	if (command->render(report, &options, out, &error) != RBS_OK)
		status = cli_fail(&error);
	else
		status = cli_finish(out, command->output ? command->output : "standard output");
	if (command->output && fclose(out) && !status) {
		rbs_error_set(&error, RBS_IO, "%s: %s", command->output, strerror(errno));
		status = cli_fail(&error);
	}
	return status;
}

/* Before any work is done: a dump is never overwritten with what was read out of it. */
static enum rbs_code output_check(const struct rbs_command *command, struct rbs_error *err)
{
	const char *inputs[4] = {command->session.symbols_file, command->session.xen_syms};
	struct rbs_excerpt_file file;
	enum rbs_code code;

	if (!command->output)
		return RBS_OK;
	for (size_t i = 0; i < command->operand_count; i++)
		inputs[2 + i] = command->operands[i];
	code = rbs_excerpt_file_init(&file, command->output, inputs, 4, err);
	if (code == RBS_OK)
		rbs_excerpt_file_deinit(&file);
	return code;
}

/* With stored, a file of JSON is rendered as a fresh result would be. */
static enum rbs_code result_load(struct rbs_command *command, bool stored,
				 struct rbs_report **report, struct rbs_error *err)
{
	if (stored && rbs_json_detect(command->operands[0]))
		return rbs_json_read(command->operands[0], report, err);
	if (command->operand_count > 1)
		command->session.vmlinux = command->operands[1];
	command->show.progress = cli_progress;
	return rbs_session_report(command->operands[0], &command->session, &command->show, report,
				  err);
}

static int operands_show(struct rbs_command *command, bool stored)
{
	struct rbs_report *report;
	struct rbs_error error;
	int status;

	if ((!command->xen_live && cli_operands_check(command, &error) != RBS_OK) ||
	    output_check(command, &error) != RBS_OK ||
	    (command->xen_live ? cli_xen_live_load(command, &report, &error)
			       : result_load(command, stored, &report, &error)) != RBS_OK)
		return cli_fail(&error);
	status = report_write(report, command);
	rbs_report_destroy(report);
	return status;
}

static int explain(const struct rbs_command *command)
{
	struct rbs_error error;

	if (rbs_explain(command->explain, stdout, &error) != RBS_OK)
		return cli_fail(&error);
	return cli_finish(stdout, "standard output");
}

static int command_run(int argc, char **argv, rbs_render_fn *render, const char *name, bool stored)
{
	struct rbs_command command;
	struct rbs_error error;
	int status;

	if (rbs_command_parse(&command, argc, argv, render, &error) != RBS_OK) {
		rbs_error_prefix(&error, "%s", name);
		return cli_fail(&error);
	}
	status = command.explain ? explain(&command) : operands_show(&command, stored);
	rbs_command_deinit(&command);
	return status;
}

int cli_show(int argc, char **argv)
{
	return command_run(argc, argv, rbs_render_text, "show", false);
}

int cli_report(int argc, char **argv)
{
	return command_run(argc, argv, rbs_render_html, "report", true);
}
