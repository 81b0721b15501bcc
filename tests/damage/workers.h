/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workers - runs many independent items on a few processes, and outlives what they do.
 *
 * A worker that dies is a crash of the item that it was at, one that takes too long a hang; both
 * are counted, told, and another worker goes on after it.
 */
#ifndef DAMAGE_WORKERS_H
#define DAMAGE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What all workers count together. */
struct tally {
	uint64_t items;
	uint64_t crashes;
	uint64_t hangs;
	uint64_t wrong;	   /* items with at least one value that must not be */
	uint64_t failed;   /* items that could not be opened or shown at all, with an error */
	uint64_t partial;  /* items that lost something and said so */
	uint64_t same;	   /* items whose output is the whole dump's */
	uint64_t values;   /* values compared */
	uint64_t absences; /* values that the whole dump has, and that are absent with a reason */
};

struct job {
	size_t count;	  /* items */
	unsigned seconds; /* that one item may take */
	void *state;
	/* Once in each worker; false: it said why on standard error. */
	bool (*start)(void *state);
	/* Counts into tally with tally_add(); prints at most one line to standard output. */
	void (*run)(void *state, size_t item, struct tally *tally);
	/* What names an item in the line that tells of its crash, into buffer. */
	void (*name)(void *state, size_t item, char *buffer, size_t size);
};

void tally_add(uint64_t *counter, uint64_t number);

/* The lowest job->count items on as many processes as there are CPUs. False: no worker started. */
bool workers_run(const struct job *job, struct tally *total);

#endif
