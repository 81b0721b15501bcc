/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/dump.h"

#include <stdio.h>
#include <stdlib.h>

void rbs_dump_init(struct rbs_dump *dump, struct rbs_target *target)
{
	*dump = (struct rbs_dump){.target = target};
	rbs_symbols_init(&dump->symbols);
	rbs_types_init(&dump->types);
}

void rbs_dump_deinit(struct rbs_dump *dump)
{
	/* It reads through our target. */
	if (dump->hypervisor) {
		rbs_dump_deinit(dump->hypervisor);
		free(dump->hypervisor);
	}
	if (dump->calls)
		dump->calls->ops->destroy(dump->calls);
	rbs_modules_deinit(&dump->modules);
	rbs_types_deinit(&dump->types);
	rbs_symbols_deinit(&dump->symbols);
	rbs_cache_close(dump->cache);
	rbs_target_destroy(dump->target);
	for (size_t i = 0; i < dump->note_count; i++)
		free(dump->notes[i]);
	free(dump->notes);
	*dump = (struct rbs_dump){0};
}

void rbs_dump_add_note(struct rbs_dump *dump, const char *format, ...)
{
	char **notes = reallocarray(dump->notes, dump->note_count + 1, sizeof(*notes));
	va_list args;
	char *note;

	if (!notes)
		return;
	dump->notes = notes;
	va_start(args, format);
	if (vasprintf(&note, format, args) >= 0)
		dump->notes[dump->note_count++] = note;
	va_end(args);
}
