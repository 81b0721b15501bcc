/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/workers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 16
#define NOTHING SIZE_MAX

/* Shared by all processes. */
struct board {
	struct tally tally;
	size_t next;		     /* the item that nobody has taken yet */
	size_t current[WORKERS_MAX]; /* what each worker is at */
	bool cannot_start;
};

void tally_add(uint64_t *counter, uint64_t number)
{
	__atomic_add_fetch(counter, number, __ATOMIC_RELAXED);
}

/* A timer of processor and wall time: a hang that sleeps is one too. SIGALRM ends the process. */
static void timer_set(unsigned seconds)
{
	struct itimerval timer = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void worker_run(const struct job *job, struct board *board, unsigned number)
{
	if (!job->start(job->state)) {
		board->cannot_start = true;
		_exit(0);
	}
	for (;;) {
		size_t item = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED);

		if (item >= job->count)
			break;
		board->current[number] = item;
		timer_set(job->seconds);
		job->run(job->state, item, &board->tally);
		timer_set(0);
		board->current[number] = NOTHING;
		tally_add(&board->tally.items, 1);
	}
	fflush(stdout);
	_exit(0);
}

static pid_t worker_start(const struct job *job, struct board *board, unsigned number)
{
	pid_t pid;

	fflush(stdout);
	board->current[number] = NOTHING;
	pid = fork();
	if (!pid)
		worker_run(job, board, number);
	return pid;
}

/* True when the worker died at an item, which is then counted and told. */
static bool death_count(const struct job *job, struct board *board, unsigned number, int status)
{
	size_t item = board->current[number];
	bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
	char name[256] = "";

	if (item == NOTHING)
		return false;
	job->name(job->state, item, name, sizeof(name));
	tally_add(&board->tally.items, 1);
	tally_add(hang ? &board->tally.hangs : &board->tally.crashes, 1);
	if (hang)
		printf("HANG %s: no end after %u s\n", name, job->seconds);
	else if (WIFSIGNALED(status))
		printf("CRASH %s: signal %d\n", name, WTERMSIG(status));
	else
		printf("CRASH %s: exit status %d\n", name, WEXITSTATUS(status));
	fflush(stdout);
	return true;
}

bool workers_run(const struct job *job, struct tally *total)
{
	struct board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pids[WORKERS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned count = processors < 1		    ? 1
			 : processors > WORKERS_MAX ? WORKERS_MAX
						    : (unsigned)processors;
	unsigned running = 0;
	bool started;

	if (board == MAP_FAILED)
		return false;
	for (unsigned i = 0; i < count; i++) {
		pids[i] = worker_start(job, board, i);
		running += pids[i] > 0;
	}
	while (running) {
		int status;
		pid_t pid = wait(&status);
		unsigned i = 0;

		if (pid < 0)
			break;
		while (i < count && pids[i] != pid)
			i++;
		if (i == count)
			continue;
		running--;
		if (death_count(job, board, i, status)) {
			pids[i] = worker_start(job, board, i);
			running += pids[i] > 0;
		} else if (status) {
			board->cannot_start = true;
		}
	}
	started = !board->cannot_start;
	*total = board->tally;
	munmap(board, sizeof(*board));
	return started;
}
