/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump - all that a probe may ask: the memory, symbols, types and modules of one stopped kernel.
 */
#ifndef RBS_DUMP_H
#define RBS_DUMP_H

#include "lib/cache.h"
#include "lib/modules.h"
#include "lib/symbols.h"
#include "lib/target/target.h"
#include "lib/types.h"
#include "lib/xen_calls.h"

struct rbs_dump {
	struct rbs_target *target; /* owned */
	struct rbs_symbols symbols;
	struct rbs_types types;
	struct rbs_modules modules;
	struct rbs_cache *cache; /* owned; NULL: none is used */
	bool is_hypervisor; /* of Xen itself, not of a Linux kernel */
	bool is_freebsd;    /* of a FreeBSD kernel */
	struct rbs_xen_calls
		*calls; /* a running hypervisor instead of its memory; owned, or NULL */
	struct rbs_dump *hypervisor; /* the Xen below this kernel, where it was asked for; owned */
	/* What is missing and why, one line each, for messages; owned. */
	char **notes;
	size_t note_count;
};

void rbs_dump_init(struct rbs_dump *dump, struct rbs_target *target);
void rbs_dump_deinit(struct rbs_dump *dump);

void rbs_dump_add_note(struct rbs_dump *dump, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
