/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command 'rbstats' of crash: the program's 'show' on the session that is open. */
#include <defs.h>

#include "extensions/crash_guard.h"
#include "extensions/crash_symbols.h"
#include "extensions/crash_target.h"
#include "extensions/crash_types.h"
#include "extensions/help.h"
#include "lib/command.h"
#include "lib/render/explain.h"

static void cmd_rbstats(void);

static struct command_table_entry command_table[] = {
	{"rbstats", cmd_rbstats, rbs_help_rbstats, 0},
	{NULL},
};

static void __attribute__((constructor)) rbstats_init(void)
{
	register_extension(command_table);
}

/* Nothing to undo: a command leaves nothing behind. crash asks for the function, though. */
static void __attribute__((destructor)) rbstats_fini(void)
{
}

static enum rbs_code session_attach(struct rbs_dump *dump, struct rbs_command *command,
				    struct rbs_error *err)
{
	struct rbs_session_options *options = &command->session;
	struct rbs_target *target;
	enum rbs_code code;

	options->vmlinux = pc->namelist;
	options->vmlinux_optional = true;
	code = rbs_crash_symbols_create(&options->symbol_source, err);
	if (code != RBS_OK)
		return code;
	code = rbs_crash_types_create(&options->type_source, err);
	if (code != RBS_OK) {
		options->symbol_source->ops->destroy(options->symbol_source);
		return code;
	}
	code = rbs_crash_target_create(&target, err);
	if (code != RBS_OK) {
		options->symbol_source->ops->destroy(options->symbol_source);
		options->type_source->ops->destroy(options->type_source);
		return code;
	}
	return rbs_session_attach(dump, target, options, err);
}

/* The report as text (the caller's to free). */
static enum rbs_code report_render(struct rbs_command *command, const struct rbs_report *report,
				   char **text, size_t *size, struct rbs_error *err)
{
	const struct rbs_render_options options = {
		.tool = "rbstats.so", .version = RBS_VERSION, .verbose = command->show.verbose};
	FILE *out = open_memstream(text, size);
	enum rbs_code code;

	if (!out)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = command->render(report, &options, out, err);
	if (fclose(out) && code == RBS_OK)
		code = rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (code != RBS_OK)
		free(*text);
	return code;
}

static enum rbs_code session_show(struct rbs_command *command, char **text, size_t *size,
				  struct rbs_error *err)
{
	struct rbs_report *report;
	struct rbs_dump dump;
	enum rbs_code code = session_attach(&dump, command, err);

	if (code != RBS_OK)
		return code;
	code = rbs_session_show(&dump, &command->show, &report, err);
	if (code == RBS_OK) {
		code = report_render(command, report, text, size, err);
		rbs_report_destroy(report);
	}
	rbs_dump_deinit(&dump);
	return code;
}

/* In one piece: crash's pipes and files are unbuffered, and a reader may go away at any time. */
static enum rbs_code text_write(const struct rbs_command *command, const char *text, size_t size,
				struct rbs_error *err)
{
	FILE *out = command->output ? fopen(command->output, "w") : fp;
	bool failed;

	if (!out)
		return rbs_error_set(err, RBS_IO, "%s: %s", command->output, strerror(errno));
	errno = 0;
	failed = fwrite(text, 1, size, out) != size || fflush(out);
	if (!command->output) {
		clearerr(out);
		/* The reader of a pipe has seen enough. */
		failed = failed && errno != EPIPE;
	} else if (fclose(out)) {
		failed = true;
	}
	if (failed)
		return rbs_error_set(err, errno == EINTR ? RBS_INTERRUPTED : RBS_IO, "%s: %s",
				     command->output ? command->output : "output", strerror(errno));
	return RBS_OK;
}

/* The glossary as text (the caller's to free). */
static enum rbs_code explain_render(const struct rbs_command *command, char **text, size_t *size,
				    struct rbs_error *err)
{
	FILE *out = open_memstream(text, size);
	enum rbs_code code;

	if (!out)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = rbs_explain(command->explain, out, err);
	if (fclose(out) && code == RBS_OK)
		code = rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (code != RBS_OK)
		free(*text);
	return code;
}

static enum rbs_code command_run(struct rbs_error *err)
{
	struct rbs_command command;
	char *text;
	size_t size;
	enum rbs_code code = rbs_command_parse(&command, argcnt, args, rbs_render_text, err);

	if (code != RBS_OK)
		return code;
	if (command.operand_count)
		code = rbs_error_set(
			err, RBS_USAGE,
			"'%s' is one argument too many: the dump is the one that crash "
			"has open",
			command.operands[0]);
	if (code == RBS_OK)
		code = command.explain ? explain_render(&command, &text, &size, err)
				       : session_show(&command, &text, &size, err);
	if (code == RBS_OK) {
		code = rbs_crash_interrupted() ? RBS_INTERRUPTED
					       : text_write(&command, text, size, err);
		free(text);
	}
	rbs_command_deinit(&command);
	return code;
}

static void cmd_rbstats(void)
{
	struct rbs_crash_guard guard;
	struct rbs_error err;
	enum rbs_code code;
	bool interrupted;

	rbs_crash_guard_init(&guard);
	code = command_run(&err);
	interrupted = rbs_crash_interrupted();
	rbs_crash_guard_deinit(&guard);
	if (interrupted)
		error(INFO, "interrupted\n");
	else if (code == RBS_USAGE)
		error(INFO, "%s; see \"help rbstats\"\n", err.text);
	else if (code != RBS_OK)
		error(INFO, "%s\n", err.text);
}
