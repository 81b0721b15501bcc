/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats excerpt: a small dump of the pages that show reads. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/command.h"
#include "lib/excerpt.h"
#include "lib/excerpt_file.h"

static int summary_print(const struct rbs_command *command, const struct rbs_excerpt_stats *stats)
{
	printf("%s: %" PRIu64 " pages, %.1f MiB; reads like %s\n", command->output, stats->pages,
	       (double)stats->bytes / (1 << 20), command->operands[0]);
	if (stats->unreadable)
		printf("%s: %" PRIu64 " pages of the dump are broken and left out; their values "
		       "read as excluded\n",
		       command->output, stats->unreadable);
	return cli_finish(stdout, "standard output");
}

static enum rbs_code excerpt_write(struct rbs_command *command, struct rbs_dump *dump,
				   struct rbs_report *report, struct rbs_excerpt_file *file,
				   struct rbs_excerpt_stats *stats, struct rbs_error *err)
{
	enum rbs_code code = rbs_excerpt_file_create(file, err);

	if (code != RBS_OK)
		return code;
	code = rbs_excerpt_write(dump->target, rbs_target_pages(dump->target), file->fd, stats,
				 err);
	/* What was broken in the dump is missing in the excerpt: a difference, and not its fault.
	 */
	if (code == RBS_OK && file->temporary && !stats->unreadable)
		code = rbs_excerpt_check(file->temporary, &command->session, &command->show, report,
					 err);
	if (code != RBS_OK)
		return rbs_error_prefix(err, "%s", command->output);
	return rbs_excerpt_file_commit(file, err);
}

/*
 * A signal that ends the program waits until the file is complete or gone; a limit on the size of
 * files (ulimit -f) shall be an error like a full disk, not an end.
 */
static int report_excerpt(struct rbs_command *command, struct rbs_dump *dump,
			  struct rbs_report *report, struct rbs_excerpt_file *file)
{
	struct rbs_excerpt_stats stats;
	struct rbs_error error;
	sigset_t ending, before;
	enum rbs_code code;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGQUIT);
	sigprocmask(SIG_BLOCK, &ending, &before);
	signal(SIGXFSZ, SIG_IGN);
	code = excerpt_write(command, dump, report, file, &stats, &error);
	if (code != RBS_OK)
		rbs_excerpt_file_deinit(file);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (code != RBS_OK)
		return cli_fail(&error);
	/* What goes to a pipe or a device may be standard output itself. */
	return file->direct ? 0 : summary_print(command, &stats);
}

static int dump_excerpt(struct rbs_command *command, struct rbs_excerpt_file *file)
{
	struct rbs_dump dump;
	struct rbs_report *report;
	struct rbs_error error;
	int status;

	/* An excerpt holds what is read to find everything out anew. */
	command->session.cache = false;
	if (rbs_session_open(&dump, command->operands[0], &command->session, &error) != RBS_OK)
		return cli_fail(&error);
	if (dump.is_freebsd) {
		rbs_error_set(&error, RBS_UNSUPPORTED,
			      "%s: a FreeBSD dump, of which no excerpt is written: its pages are "
			      "found by the minidump's own tables; keep figures with -F json",
			      command->operands[0]);
		rbs_dump_deinit(&dump);
		return cli_fail(&error);
	}
	/* Verbose reads all that the shorter forms read, and more. */
	command->show.verbose = true;
	if (rbs_session_show(&dump, &command->show, &report, &error) == RBS_OK) {
		status = report_excerpt(command, &dump, report, file);
		rbs_report_destroy(report);
	} else {
		status = cli_fail(&error);
	}
	rbs_dump_deinit(&dump);
	return status;
}

static enum rbs_code usage_check(const struct rbs_command *command, struct rbs_error *err)
{
	enum rbs_code code = cli_operands_check(command, err);

	if (code != RBS_OK)
		return code;
	if (!command->output)
		return rbs_error_set(err, RBS_USAGE, "-o FILE says where to write it");
	if (command->show.device)
		return rbs_error_set(err, RBS_USAGE,
				     "-d does not fit: an excerpt holds whole families");
	return RBS_OK;
}

int cli_excerpt(int argc, char **argv)
{
	struct rbs_command command;
	struct rbs_excerpt_file file;
	struct rbs_error error;
	enum rbs_code code = rbs_command_parse(&command, argc, argv, rbs_render_text, &error);
	int status;

	if (code != RBS_OK) {
		rbs_error_prefix(&error, "excerpt");
		return cli_fail(&error);
	}
	code = usage_check(&command, &error);
	if (code == RBS_OK) {
		const char *inputs[3] = {command.operands[0], NULL, command.session.symbols_file};

		if (command.operand_count > 1)
			inputs[1] = command.session.vmlinux = command.operands[1];
		code = rbs_excerpt_file_init(&file, command.output, inputs, 3, &error);
	}
	if (code == RBS_OK) {
		status = dump_excerpt(&command, &file);
		rbs_excerpt_file_deinit(&file);
	} else {
		rbs_error_prefix(&error, "excerpt");
		status = cli_fail(&error);
	}
	rbs_command_deinit(&command);
	return status;
}
