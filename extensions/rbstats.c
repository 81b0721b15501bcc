/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command 'rbstats' of crash: the program's 'show' on the session that is open. */
#include <defs.h>

#include "extensions/crash_guard.h"
#include "extensions/crash_machine.h"
#include "extensions/crash_symbols.h"
#include "extensions/crash_target.h"
#include "extensions/crash_types.h"
#include "extensions/help.h"
#include "lib/command.h"
#include "lib/excerpt_file.h"
#include "lib/render/explain.h"
#include "lib/target/xen_notes.h"

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

/* What the front end brings into a session belongs to the session once that is attached. */
static enum rbs_code sources_create(struct rbs_session_options *options, struct rbs_target **target,
				    struct rbs_error *err)
{
	enum rbs_code code = rbs_crash_symbols_create(&options->symbol_source, err);

	if (code != RBS_OK)
		return code;
	code = rbs_crash_types_create(&options->type_source, err);
	if (code != RBS_OK) {
		options->symbol_source->ops->destroy(options->symbol_source);
		return code;
	}
	code = rbs_crash_target_create(target, err);
	/* The hypervisor below a dom0: by machine addresses. */
	if (code == RBS_OK && options->xen_syms && !XEN_HYPER_MODE()) {
		code = rbs_crash_machine_create(&options->machine, err);
		if (code != RBS_OK)
			rbs_target_destroy(*target);
	}
	if (code != RBS_OK) {
		options->symbol_source->ops->destroy(options->symbol_source);
		options->type_source->ops->destroy(options->type_source);
	}
	return code;
}

/* Where a hypervisor is, the notes of the dump's file say; without them it is looked for. */
static void xen_notes_read(struct rbs_xen_notes *notes)
{
	int fd = pc->dumpfile ? open(pc->dumpfile, O_RDONLY | O_CLOEXEC) : -1;

	*notes = (struct rbs_xen_notes){0};
	if (fd < 0)
		return;
	if (rbs_xen_notes_init(notes, fd, NULL) != RBS_OK)
		*notes = (struct rbs_xen_notes){0};
	close(fd);
}

static enum rbs_code session_attach(struct rbs_dump *dump, struct rbs_command *command,
				    struct rbs_error *err)
{
	struct rbs_session_options *options = &command->session;
	struct rbs_xen_notes notes = {0};
	struct rbs_target *target;
	enum rbs_code code;

	/* It would save a fiftieth of crash's own start, and crash cannot tell what a dump lacks. */
	options->cache = false;
	options->vmlinux = pc->namelist;
	options->vmlinux_optional = true;
	if (command->xen_live || options->has_xen_guest)
		return rbs_error_set(err, RBS_USAGE, "%s is the program's: crash has one dump open",
				     command->xen_live ? "--xen-live" : "--xen-guest");
	code = sources_create(options, &target, err);
	if (code != RBS_OK)
		return code;
	if (options->xen_syms || XEN_HYPER_MODE())
		xen_notes_read(&notes);
	options->xen_notes = &notes;
	code = rbs_session_attach(dump, target, options, err);
	options->xen_notes = NULL;
	rbs_xen_notes_deinit(&notes);
	return code;
}

/* The report as text (the caller's to free). */
static enum rbs_code report_render(struct rbs_command *command, const struct rbs_report *report,
				   char **text, size_t *size, struct rbs_error *err)
{
	const struct rbs_render_options options = {
		.tool = "rbstats.so", .version = RBS_VERSION, .verbose = command->show.verbose,
		.sysctl_seed = command->sysctl_seed};
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

/* Before any work is done: a dump is never overwritten with what was read out of it. */
static enum rbs_code output_check(const struct rbs_command *command, struct rbs_error *err)
{
	const char *inputs[] = {pc->dumpfile, pc->namelist, command->session.symbols_file,
				command->session.xen_syms};
	struct rbs_excerpt_file file;
	enum rbs_code code;

	if (!command->output)
		return RBS_OK;
	code = rbs_excerpt_file_init(&file, command->output, inputs,
				     sizeof(inputs) / sizeof(*inputs), err);
	if (code == RBS_OK)
		rbs_excerpt_file_deinit(&file);
	return code;
}

static enum rbs_code command_run(struct rbs_error *err)
{
	struct rbs_command command;
	char *text;
	size_t size;
	int complains = opterr;
	enum rbs_code code = rbs_command_parse(&command, argcnt, args, rbs_render_text, err);

	/* getopt's switch is crash's too: its commands let getopt name a wrong option. */
	opterr = complains;
	if (code != RBS_OK)
		return code;
	if (command.operand_count)
		code = rbs_error_set(
			err, RBS_USAGE,
			"'%s' is one argument too many: the dump is the one that crash "
			"has open",
			command.operands[0]);
	else
		code = output_check(&command, err);
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
