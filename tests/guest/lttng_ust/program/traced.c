/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The traced program. Reads lines "EVENT CPU COUNT [BYTES]" from a FIFO, emits COUNT events with a
 * text of BYTES on that CPU, and says "DONE" on another FIFO.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "tp.h"

#define TEXT_MAX 30000

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void emit(const char *event, unsigned int number, const char *text)
{
	if (!strcmp(event, "disc"))
		tracepoint(rbstats_ust, disc, number, text);
	else if (!strcmp(event, "over"))
		tracepoint(rbstats_ust, over, number, text);
	else if (!strcmp(event, "path"))
		tracepoint(rbstats_ust, path, number, text);
	else
		tracepoint(rbstats_ust, quiet, number, text);
}

int main(int argc, char **argv)
{
	static char text[TEXT_MAX + 1];
	char line[200], event[16];
	FILE *in = argc == 3 ? fopen(argv[1], "r+") : NULL;

	while (in && fgets(line, sizeof(line), in)) {
		unsigned int count, bytes = 20;
		FILE *out;
		int cpu;

		if (sscanf(line, "%15s %d %u %u", event, &cpu, &count, &bytes) < 3 ||
		    bytes > TEXT_MAX)
			return 2;
		memset(text, 'x', bytes);
		text[bytes] = 0;
		pin(cpu);
		for (unsigned int i = 0; i < count; i++)
			emit(event, i, text);
		out = fopen(argv[2], "w");
		if (!out)
			return 3;
		fprintf(out, "DONE\n");
		fclose(out);
	}
	return 1;
}
