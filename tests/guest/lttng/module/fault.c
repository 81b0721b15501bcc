// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What is done to a channel, through the same client operations that a probe
 * uses (event_reserve, event_write and event_commit of the channel's ops):
 *
 *	emit COUNT SIZE	write COUNT records with SIZE bytes of payload; SIZE above
 *			the sub-buffer's makes events that are too big
 *	lose SIZE	write such records until one is lost, whatever the cause
 *	hole SIZE	reserve a record, write half of it and never commit: the
 *			writer died in between
 *	freeze		give back a sub-buffer that was never taken, so that
 *			CHAN_WARN_ON disables the channel
 *	read		take the next sub-buffer for reading and keep it
 *	switch		end the current sub-buffer, as the switch timer would
 *
 * A record's payload starts with RECORD_MARK and the record's number from 0
 * within its command, so that records can be counted in the packets.
 */
#include <linux/smp.h>

#include "rbstats-lttng.h"

#define RECORD_MARK	0x5354415453424252ULL	/* "RBBSTATS" */
#define LOSE_LIMIT	1000000UL

struct record {
	u64 mark;
	u64 number;
};

enum outcome { WRITTEN, FULL, WRAP, BIG, DISABLED, OTHER, OUTCOMES };

struct fault {
	guest_channel *chan;
	guest_event *event;
	const char *action;
	unsigned long count;
	unsigned long size;
	unsigned long done[OUTCOMES];
	unsigned long at;	/* write position before the last attempt */
	unsigned long slot;	/* bytes reserved by the last attempt */
	int error;
};

static enum outcome outcome(int error)
{
	switch (error) {
	case 0:
		return WRITTEN;
	case -ENOBUFS:
		return FULL;
	case -EIO:
		return WRAP;
	case -ENOSPC:
		return BIG;
	case -EAGAIN:
		return DISABLED;
	default:
		return OTHER;
	}
}

/* The CPU's nesting count and RCU lock, which only a commit would give back. */
static void leave_without_commit(void)
{
	barrier();
	(*this_cpu_ptr(&lib_ring_buffer_nesting))--;
	rcu_read_unlock_sched_notrace();
}

static enum outcome write_one(struct fault *fault, u64 number, bool commit)
{
	struct record record = { RECORD_MARK, number };
	static const char zero[64];
	unsigned long left, part;
	guest_ctx ctx;
	int error;

	error = guest_reserve(&ctx, fault->chan, fault->event, fault->size);
	if (error)
		return outcome(error);
	fault->at = guest_reserved(&ctx)->pre_offset;
	fault->slot = guest_reserved(&ctx)->slot_size;
	guest_put(&ctx, fault->chan, &record, sizeof(record));
	left = fault->size - sizeof(record);
	if (!commit)
		left /= 2;
	for (; left; left -= part) {
		part = min_t(unsigned long, left, sizeof(zero));
		guest_put(&ctx, fault->chan, zero, part);
	}
	if (commit)
		guest_commit(&ctx, fault->chan);
	else
		leave_without_commit();
	return WRITTEN;
}

static guest_rb *this_buffer(struct fault *fault)
{
	guest_rb_channel *rb = guest_channel_rb(fault->chan);

	if (rb->backend.config.alloc == GUEST_ALLOC_GLOBAL)
		return guest_rb_global(rb);
	return per_cpu_ptr(guest_rb_percpu(rb), smp_processor_id());
}

static void act(void *data)
{
	struct fault *fault = data;
	enum outcome result;
	unsigned long i;

	if (!strcmp(fault->action, "emit")) {
		for (i = 0; i < fault->count; i++)
			fault->done[write_one(fault, i, true)]++;
	} else if (!strcmp(fault->action, "lose")) {
		for (i = 0; i < LOSE_LIMIT; i++) {
			result = write_one(fault, i, true);
			fault->done[result]++;
			if (result != WRITTEN)
				break;
		}
	} else if (!strcmp(fault->action, "hole")) {
		fault->done[write_one(fault, 0, false)]++;
	} else if (!strcmp(fault->action, "freeze")) {
		lib_ring_buffer_put_subbuf(this_buffer(fault));
	} else if (!strcmp(fault->action, "read")) {
		fault->error = lib_ring_buffer_get_next_subbuf(this_buffer(fault));
	} else if (!strcmp(fault->action, "switch")) {
		lib_ring_buffer_switch_slow(this_buffer(fault), SWITCH_ACTIVE);
	} else {
		fault->error = -EINVAL;
	}
}

static guest_event *first_event(guest_channel *chan)
{
	guest_session *session = guest_channel_session(chan);
	guest_event *event;

	guest_for_each_event(event, session)
		if (guest_event_channel(event) == chan)
			return event;
	return NULL;
}

int guest_fault(struct guest_text *log, const char *session,
		unsigned int channel, int cpu, const char *action,
		unsigned long count, unsigned long size)
{
	struct fault fault = { .action = action, .count = count, .size = size };
	static unsigned int faults;
	int ret;

	fault.chan = guest_find_channel(session, channel);
	if (!fault.chan)
		return -ENOENT;
	fault.event = first_event(fault.chan);
	if (!fault.event)
		return -ENODATA;
	if (fault.size < sizeof(struct record))
		fault.size = sizeof(struct record);
	/* On the buffer's own CPU, where the counters may be changed. */
	ret = smp_call_function_single(cpu, act, &fault, 1);
	if (ret)
		return ret;
	guest_say(log, "[faults/%u]\n", faults++);
	guest_say(log, "session=%s\nchannel=%u\ncpu=%d\naction=%s\n", session,
		  channel, cpu, action);
	guest_say(log, "payload=%lu\nwritten=%lu\n", fault.size,
		  fault.done[WRITTEN]);
	guest_say(log, "full=%lu\nwrap=%lu\nbig=%lu\ndisabled=%lu\nother=%lu\n",
		  fault.done[FULL], fault.done[WRAP], fault.done[BIG],
		  fault.done[DISABLED], fault.done[OTHER]);
	guest_say(log, "at=%lu\nslot=%lu\nerror=%d\n", fault.at, fault.slot,
		  fault.error);
	return fault.error;
}
