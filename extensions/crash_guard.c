/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extensions/crash_guard.h"

#include <defs.h>

/* A signal handler has no argument to carry it. */
static volatile sig_atomic_t interrupted;

static void interrupt_note(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* Without SA_RESTART: a write to a pager that nobody reads ends too. */
static void handler_install(struct sigaction *previous)
{
	struct sigaction action = {.sa_handler = interrupt_note};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, previous);
}

void rbs_crash_guard_init(struct rbs_crash_guard *guard)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	interrupted = 0;
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &guard->sigpipe);
	handler_install(&guard->sigint);
}

void rbs_crash_guard_deinit(struct rbs_crash_guard *guard)
{
	sigaction(SIGINT, &guard->sigint, NULL);
	sigaction(SIGPIPE, &guard->sigpipe, NULL);
	/* As crash's handler does: an input file ends there (exec_input_file() asks). */
	if (interrupted)
		pc->flags |= _SIGINT_;
}

bool rbs_crash_interrupted(void)
{
	return interrupted || (pc->flags & _SIGINT_);
}

bool rbs_crash_try(void (*call)(void *argument), void *argument)
{
	static char quiet[] = "rbstats";
	char *error_path = pc->error_path;
	FILE *error_fp = pc->error_fp;
	ulonglong foreach = pc->flags & IN_FOREACH;
	jmp_buf outer;
	volatile bool returned = false;

	memcpy(&outer, &pc->main_loop_env, sizeof(outer));
	/* error() writes to error_fp alone when error_path is neither "default" nor "redirect". */
	pc->error_path = quiet;
	pc->error_fp = pc->nullfp;
	/* Inside 'rbstats < FILE' it would jump to foreach_loop_env instead. */
	pc->flags &= ~IN_FOREACH;
	if (!setjmp(pc->main_loop_env)) {
		call(argument);
		returned = true;
	}
	memcpy(&pc->main_loop_env, &outer, sizeof(outer));
	pc->flags |= foreach;
	pc->error_path = error_path;
	pc->error_fp = error_fp;
	return returned;
}

struct gdb_call {
	char *command;
	FILE *out;
	bool done;
};

static void gdb_run(void *argument)
{
	struct gdb_call *call = argument;

	call->done = gdb_pass_through(call->command, call->out, GNU_RETURN_ON_ERROR);
}

char *rbs_crash_gdb(const char *command)
{
	struct gdb_call call = {0};
	sigset_t sigint, mask;
	char *text = NULL;
	size_t size;

	/* gdb_interface() would end the command by closing the output under our feet. */
	if (rbs_crash_interrupted() || output_closed())
		return NULL;
	call.command = strdup(command);
	call.out = open_memstream(&text, &size);
	if (call.command && call.out) {
		sigemptyset(&sigint);
		sigaddset(&sigint, SIGINT);
		sigprocmask(SIG_BLOCK, &sigint, &mask);
		if (!rbs_crash_try(gdb_run, &call))
			call.done = false;
		handler_install(NULL);
		sigprocmask(SIG_SETMASK, &mask, NULL);
	}
	if (call.out)
		fclose(call.out);
	free(call.command);
	if (!call.done) {
		free(text);
		return NULL;
	}
	return text;
}
