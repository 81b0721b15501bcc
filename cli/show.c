/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats show: the figures of one dump. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/command.h"
#include "lib/render/explain.h"

static int report_write(const struct rbs_report *report, const struct rbs_command *command)
{
	struct rbs_render_options options = {
		.tool = CLI_NAME, .version = RBS_VERSION, .verbose = command->show.verbose};
	FILE *out = command->output ? fopen(command->output, "w") : stdout;
	struct rbs_error error;
	int status;

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

static int dump_show(struct rbs_command *command)
{
	struct rbs_dump dump;
	struct rbs_report *report;
	struct rbs_error error;
	int status;

	if (command->operand_count > 1)
		command->session.vmlinux = command->operands[1];
	if (rbs_session_open(&dump, command->operands[0], &command->session, &error) != RBS_OK)
		return cli_fail(&error);
	if (rbs_session_show(&dump, &command->show, &report, &error) == RBS_OK) {
		status = report_write(report, command);
		rbs_report_destroy(report);
	} else {
		status = cli_fail(&error);
	}
	rbs_dump_deinit(&dump);
	return status;
}

int cli_show(int argc, char **argv)
{
	struct rbs_command command;
	struct rbs_error error;
	int status;

	if (rbs_command_parse(&command, argc, argv, &error) != RBS_OK) {
		rbs_error_prefix(&error, "show");
		return cli_fail(&error);
	}
	if (command.explain) {
		if (rbs_explain(command.explain, stdout, &error) == RBS_OK)
			status = cli_finish(stdout, "standard output");
		else
			status = cli_fail(&error);
	} else if (command.operand_count == 1 || command.operand_count == 2) {
		status = dump_show(&command);
	} else {
		rbs_error_set(&error, RBS_USAGE, "show: %s; see rbstats --help",
			      command.operand_count ? "too many files: DUMP [VMLINUX] is expected"
						    : "no dump given");
		status = cli_fail(&error);
	}
	rbs_command_deinit(&command);
	return status;
}
