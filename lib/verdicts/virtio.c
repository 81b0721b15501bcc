/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/ringmath.h"
#include "lib/verdicts/verdicts.h"

static bool split(const struct rbs_node *queue)
{
	const char *layout = rbs_node_text(queue, "layout");

	return layout && !strncmp(layout, "split", 5);
}

/*
 * Queues that the driver keeps full of empty buffers for the device to fill: a full ring is their
 * rest, and the device answers when it has something to say.
 */
static bool waits_for_data(const struct rbs_node *queue)
{
	static const char *const names[] = {"input",   "control-i",    "stats",	       "event",
					    "eventq",  "events",       "rx",	       "inflate",
					    "deflate", "reporting_vq", "free_page_vq", "hiprio"};
	const char *type = rbs_node_text(queue->parent, "type");
	const char *name = rbs_node_text(queue, "name");

	/* The queues of an rng and of input devices are such as a whole. */
	if (!name || !type || !strcmp(type, "rng") || !strcmp(type, "input"))
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

static bool broken_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t broken, in_flight = 0;

	if (!rbs_draft_number(draft, queue, "broken", &broken) || !broken)
		return false;
	rbs_draft_number(draft, queue, "in_flight", &in_flight);
	return rbs_draft_say(
		draft, "the driver marked the queue broken, with %" PRIu64 " buffers in flight",
		in_flight);
}

static bool skew_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t used, last, size;
	uint16_t behind;

	if (!split(queue) || !rbs_draft_number(draft, queue, "used_idx", &used) ||
	    !rbs_draft_number(draft, queue, "last_used_idx", &last) ||
	    !rbs_draft_number(draft, queue, "size", &size))
		return false;
	behind = rbs_ring_distance16((uint16_t)last, (uint16_t)used);
	if (!behind || behind > size)
		return false;
	return rbs_draft_say(draft,
			     "the used index %" PRIu64 " is %u behind what the driver has already "
			     "taken (%" PRIu64 ")",
			     used, behind, last);
}

/* With callbacks on, the device was asked to interrupt at used_event and has passed it. */
static bool interrupt_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t unreaped, used, last, flags, event_idx, used_event, size;

	if (!split(queue) || !rbs_draft_number(draft, queue, "unreaped", &unreaped) || !unreaped ||
	    !rbs_draft_number(draft, queue, "used_idx", &used) ||
	    !rbs_draft_number(draft, queue, "last_used_idx", &last) ||
	    !rbs_draft_number(draft, queue, "avail_flags", &flags) ||
	    !rbs_node_number(queue, "size", &size) || flags & 1)
		return false;
	if (rbs_node_number(queue, "event_idx", &event_idx) && event_idx) {
		if (!rbs_draft_number(draft, queue, "used_event", &used_event))
			return false;
		/* vring_need_event(): was used_event among what came since last_used? */
		if (rbs_ring_distance16((uint16_t)used, (uint16_t)(used_event + 1)) >= unreaped)
			return false;
	}
	/* A few are what a running guest has at any moment; half a ring is not. */
	if (unreaped * 2 < size)
		draft->severity = RBS_SEVERITY_INFO;
	return rbs_draft_say(draft,
			     "%" PRIu64
			     " buffers were returned by the device and not taken, though "
			     "the driver wants interrupts",
			     unreaped);
}

static bool kick_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t avail, used, event, event_idx, added, in_flight;

	if (!split(queue) || waits_for_data(queue) ||
	    !rbs_node_number(queue, "event_idx", &event_idx) || !event_idx ||
	    !rbs_draft_number(draft, queue, "avail_idx", &avail) ||
	    !rbs_draft_number(draft, queue, "used_idx", &used) ||
	    !rbs_draft_number(draft, queue, "avail_event", &event) ||
	    !rbs_draft_number(draft, queue, "in_flight", &in_flight) || !in_flight ||
	    !rbs_draft_number(draft, queue, "num_added", &added) || added)
		return false;
	/* The device took all up to its event index, returned it, and waits for a kick there. */
	if (event != used || event == avail)
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " buffers were added behind index %" PRIu64
			     ", where the idle device waits for a kick",
			     in_flight, event);
}

/* ": ethtool (pid 181) spins on CPU 0", as far as that is known. Returns whether it is on a CPU. */
static bool waiter_describe(const struct rbs_node *device, struct rbs_draft *draft, char *text,
			    size_t size)
{
	const char *name = rbs_node_text(device, "control_waiter");
	uint64_t pid, cpu, running = 0;

	text[0] = '\0';
	rbs_draft_number(draft, device, "control_waiter_running", &running);
	if (!name || !rbs_draft_number(draft, device, "control_waiter_pid", &pid))
		return running;
	if (running && rbs_draft_number(draft, device, "control_waiter_cpu", &cpu))
		snprintf(text, size, ": %s (pid %" PRIu64 ") spins on CPU %" PRIu64, name, pid,
			 cpu);
	else
		snprintf(text, size, ": %s (pid %" PRIu64 ") waits", name, pid);
	return running;
}

static bool control_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	const char *name = rbs_node_text(queue, "name");
	const char *type = rbs_node_text(queue->parent, "type");
	uint64_t in_flight, unreaped;
	char waiter[96];

	if (!name || !type || strcmp(name, "control") || strcmp(type, "net") ||
	    !rbs_draft_number(draft, queue, "in_flight", &in_flight) || !in_flight ||
	    !rbs_draft_number(draft, queue, "unreaped", &unreaped) || unreaped)
		return false;
	waiter_describe(queue->parent, draft, waiter, sizeof(waiter));
	return rbs_draft_say(draft,
			     "a control command was not answered (%" PRIu64 " in flight, none "
			     "returned)%s",
			     in_flight, waiter);
}

/*
 * The reply is the newest command's, in memory that is in use; a task that has the driver's lock
 * and its CPU is what an endless loop looks like.
 */
static bool endless_check(const struct rbs_node *device, struct rbs_draft *draft)
{
	uint64_t at, ack;
	bool running;
	const char *state = rbs_node_text(device, "control_state");
	char waiter[96];

	if (!state || !rbs_draft_number(draft, device, "device_stats_endless_at", &at) ||
	    !rbs_draft_number(draft, device, "control_ack", &ack) || ack)
		return false;
	running = waiter_describe(device, draft, waiter, sizeof(waiter));
	if (strcmp(state, "completed") || !running)
		draft->severity = RBS_SEVERITY_WARNING;
	return rbs_draft_say(draft,
			     "the device's statistics have a record of size 0 at byte %" PRIu64
			     ", which the driver cannot get past%s",
			     at, waiter);
}

static bool full_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t free, in_flight, size, unreaped;

	if (waits_for_data(queue) || !rbs_draft_number(draft, queue, "num_free", &free) || free ||
	    !rbs_draft_number(draft, queue, "in_flight", &in_flight) || !in_flight ||
	    !rbs_draft_number(draft, queue, "unreaped", &unreaped) || unreaped ||
	    !rbs_draft_number(draft, queue, "size", &size))
		return false;
	return rbs_draft_say(draft,
			     "the ring is full: no descriptor of %" PRIu64 " is free, %" PRIu64
			     " buffers are with the device and none came back",
			     size, in_flight);
}

static bool pending_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t in_flight, unreaped;

	if (waits_for_data(queue) || !rbs_draft_number(draft, queue, "in_flight", &in_flight) ||
	    !in_flight || !rbs_draft_number(draft, queue, "unreaped", &unreaped))
		return false;
	return rbs_draft_say(draft, "%" PRIu64 " requests are with the device", in_flight);
}

/* The driver stops a transmit queue for want of room, and wakes it when buffers come back. */
static bool stopped_check(const struct rbs_node *queue, struct rbs_draft *draft)
{
	uint64_t stopped, woken, in_flight, free, size;

	if (!rbs_draft_number(draft, queue, "stop", &stopped) ||
	    !rbs_draft_number(draft, queue, "wake", &woken) || stopped <= woken ||
	    !rbs_draft_number(draft, queue, "in_flight", &in_flight) || in_flight ||
	    !rbs_draft_number(draft, queue, "num_free", &free) ||
	    !rbs_node_number(queue, "size", &size) || free != size)
		return false;
	return rbs_draft_say(draft,
			     "the transmit queue was stopped %" PRIu64 " times and woken %" PRIu64
			     ", and its ring is empty: nothing will wake it",
			     stopped, woken);
}

const struct rbs_rule rbs_virtio_rules[RBS_VIRTIO_RULES] = {
	{"virtio.broken", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_CRITICAL,
	 "the driver gave a queue up",
	 "after an error in the ring (a bad id, a surprise removal) the driver uses the queue no "
	 "more",
	 "the console for 'id ... is not a head' or 'Output too long' of virtio_ring; the "
	 "hypervisor's log of the device",
	 broken_check},
	{"virtio.used-behind", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO,
	 "the used index is behind what the driver has taken",
	 "guest memory and ring were not taken at the same moment: do not trust differences of "
	 "this "
	 "queue's indexes",
	 "how the dump was taken: was the machine stopped?", skew_check},
	{"virtio.lost-interrupt", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "the device returned buffers and the driver has not noticed",
	 "an interrupt was lost, or the CPU that would take it does not run",
	 "the interrupt's target CPU and its backtrace; /proc/interrupts of the device",
	 interrupt_check},
	{"virtio.kick-suppressed", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO,
	 "buffers were added and the device may not have been told",
	 "the device took all that it knows of and waits for a kick at an index that the driver "
	 "has "
	 "passed; at a snapshot's moment the kick may just be under way",
	 "the kicks counter, and whether the same index stands in a second dump", kick_check},
	{"virtio.control-unanswered", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "a control command of a net device was never answered",
	 "the driver spins for the answer and holds the rtnl lock: configuration of all interfaces "
	 "hangs",
	 "who holds rtnl_mutex; -v shows the command", control_check},
	{"virtio.stats-endless", "virtio", RBS_LEVEL_DEVICE, RBS_SEVERITY_CRITICAL,
	 "the device sent statistics that the driver never finishes reading",
	 "the driver steps through the records by their size and stays at one of size 0, with the "
	 "rtnl lock held: every task that configures a network interface hangs behind it",
	 "the task that holds rtnl_mutex; device_stats_evidence (-v); the device's version",
	 endless_check},
	{"virtio.ring-full", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "a ring is full and the device returns nothing",
	 "requests pile up in the guest: the device, or the host behind it, does not keep up or is "
	 "stuck",
	 "the hypervisor's view of the queue; the backend (disk, tap) of the device", full_check},
	{"virtio.in-flight", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO,
	 "requests are with the device",
	 "normal under load; in a hung guest they are what it waits for",
	 "-v lists them; for disks, the waiting tasks' backtraces", pending_check},
	{"virtio.stopped-empty", "virtio", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "a transmit queue is stopped though its ring is empty",
	 "no completion will come that could wake it: the interface is dead until its watchdog "
	 "fires",
	 "tx_timeouts, and the netdev queue's state", stopped_check},
};
