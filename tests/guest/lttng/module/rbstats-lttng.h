/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A module for test guests: brings the buffers of live LTTng channels into
 * states that are hard to reach from user space, and tells every counter of
 * every buffer as the kernel's own compiler lays it out.
 */
#ifndef RBSTATS_LTTNG_H
#define RBSTATS_LTTNG_H

#include <linux/module.h>
#include <linux/types.h>

#include "compat.h"

/* Text that grows to a fixed size; full is set when something did not fit. */
struct guest_text {
	char *data;
	size_t length;
	size_t size;
	bool full;
};

__printf(2, 3) void guest_say(struct guest_text *text, const char *format, ...);

/* The static list `sessions` of lttng_tracer, looked up at load. */
extern struct list_head *guest_sessions;

/* The same for `event_notifier_groups`; NULL before 2.13. */
extern struct list_head *guest_groups;

/* A session's channel, or NULL if there is none. */
guest_channel *guest_find_channel(const char *session, unsigned int id);

/*
 * fault.c: ACTION with its numbers on one channel and CPU. Appends what was
 * really done as a section. Returns 0 or a negative errno.
 */
int guest_fault(struct guest_text *log, const char *session,
		unsigned int channel, int cpu, const char *action,
		unsigned long count, unsigned long size);

/*
 * truth.c: every session and event notifier group, channel, buffer, sub-buffer
 * and event. No locks.
 */
void guest_truth(struct guest_text *text);

/*
 * hold.c: stop all CPUs, send log and truth on the console, and keep
 * everything stopped until a line comes back on it. On return no channel
 * records any more, so that a teardown that follows finds what was held.
 */
int guest_hold(struct guest_text *log);

#endif
