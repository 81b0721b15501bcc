/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash_guard - calls into crash that always come back, and ^C that waits until it may.
 *
 * crash's functions end a command by printing a line and jumping to its main loop (error() in
 * tools.c, restart() in cmdline.c); so does its handler of SIGINT. Whatever the library holds then
 * would be lost, and one page table that is not in the dump would cost the whole report. So the
 * jump is caught where it starts, its line is not printed (the result says it in our words), and
 * SIGINT only sets a flag as long as a command of ours runs.
 *
 * One thread, one command at a time, as crash itself.
 */
#ifndef RBS_CRASH_GUARD_H
#define RBS_CRASH_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct rbs_crash_guard {
	struct sigaction sigint, sigpipe; /* crash's own, to be restored */
};

/* Around a whole command: SIGINT sets the flag, a closed pager is a write error, not a signal. */
void rbs_crash_guard_init(struct rbs_crash_guard *guard);
void rbs_crash_guard_deinit(struct rbs_crash_guard *guard);

/* True once ^C was pressed since rbs_crash_guard_init(). */
bool rbs_crash_interrupted(void);

/* Run call(argument). False when it ended in a jump to crash's main loop. */
bool rbs_crash_try(void (*call)(void *argument), void *argument);

/*
 * Run a command of the gdb inside crash and return its output (the caller's to free), or NULL when
 * gdb refused it or memory ran out. gdb_interface() sets signal handlers of its own, which is why
 * this is not rbs_crash_try()'s business.
 */
char *rbs_crash_gdb(const char *command);

#endif
