/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A panicked guest's host goes on for the moments until the dump is taken, so that what it can read
 * it has read: bytes in an out ring are the host's doing. A snapshot of a running machine may catch
 * a few on their way.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/verdicts/verdicts.h"

/* include/linux/netdevice.h: NAPIF_STATE_SCHED */
#define NAPI_SCHEDULED 1u

static bool ring_named(const struct rbs_node *ring, const char *name)
{
	return !strcmp(ring->name, name);
}

static bool opened(const struct rbs_node *channel)
{
	const char *state = rbs_node_text(channel, "state");

	return state && !strcmp(state, "opened");
}

static bool rescinded(const struct rbs_node *channel)
{
	uint64_t value;

	return rbs_node_number(channel, "rescinded", &value) && value;
}

static bool blocked(const struct rbs_node *ring, struct rbs_draft *draft, uint64_t *pending,
		    uint64_t *room)
{
	return rbs_draft_number(draft, ring, "pending_send_size", pending) && *pending &&
	       rbs_draft_number(draft, ring, "write_avail", room) && *room < *pending;
}

static bool index_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	const struct rbs_field *avail = rbs_node_find(ring, "read_avail");
	uint64_t read, write, size;

	if (!avail || avail->code != RBS_CORRUPT ||
	    !rbs_draft_number(draft, ring, "read_index", &read) ||
	    !rbs_draft_number(draft, ring, "write_index", &write) ||
	    !rbs_draft_number(draft, ring, "size", &size))
		return false;
	return rbs_draft_say(draft,
			     "read index %" PRIu64 " or write index %" PRIu64
			     " lies outside the ring's %" PRIu64 " bytes",
			     read, write, size);
}

static bool full_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	uint64_t pending, room, waiting;

	if (!ring_named(ring, "out") || !blocked(ring, draft, &pending, &room) ||
	    !rbs_draft_number(draft, ring, "read_avail", &waiting))
		return false;
	return rbs_draft_say(draft,
			     "the guest waits for %" PRIu64 " bytes of room and has %" PRIu64
			     ": %" PRIu64 " bytes are unread by the host",
			     pending, room, waiting);
}

/* Unread bytes, and someone who waits for them to be read. */
static bool drain_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	const struct rbs_node *channel = ring->parent;
	uint64_t waiting, size, mask = 0, sends = 0, requests = 0, outstanding = 0, stopped = 0;
	uint64_t answered, pending, room;

	if (!ring_named(ring, "out") || rescinded(channel) ||
	    !rbs_draft_number(draft, ring, "read_avail", &waiting) || !waiting ||
	    !rbs_node_number(ring, "size", &size) ||
	    !rbs_draft_number(draft, ring, "interrupt_mask", &mask))
		return false;
	rbs_draft_number(draft, channel, "queue_sends", &sends);
	rbs_draft_number(draft, channel, "requests_outstanding", &requests);
	rbs_draft_number(draft, channel->parent, "num_outstanding_req", &outstanding);
	rbs_draft_number(draft, channel, "tx_stopped", &stopped);
	/* Answers that wait in the in ring: the host works, the guest is behind. */
	if (rbs_node_child(channel, "in") &&
	    rbs_node_number(rbs_node_child(channel, "in"), "read_avail", &answered) && answered)
		return false;
	/* A guest that is blocked has a finding of its own. */
	if (rbs_node_number(ring, "pending_send_size", &pending) &&
	    rbs_node_number(ring, "write_avail", &room) && room < pending)
		return false;
	if (!stopped && waiting * 10 < size * 9)
		draft->severity = RBS_SEVERITY_WARNING;
	return rbs_draft_say(draft, "the host left %" PRIu64 " bytes unread%s%s", waiting,
			     mask ? " and masked its interrupt" : "",
			     stopped		 ? "; the transmit queue is stopped"
			     : outstanding	 ? "; requests are outstanding"
			     : sends || requests ? "; sends are outstanding"
						 : "");
}

static bool starved_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	const struct rbs_node *channel = ring->parent;
	uint64_t waiting, pending, room, napi, cpu = 0;

	if (!ring_named(ring, "in") || !blocked(ring, draft, &pending, &room) ||
	    !rbs_draft_number(draft, ring, "read_avail", &waiting) || !waiting)
		return false;
	/* Masked and not scheduled is worse: the next rule. */
	if (rbs_draft_number(draft, channel, "napi_state", &napi) && !(napi & NAPI_SCHEDULED))
		return false;
	rbs_draft_number(draft, channel, "target_cpu", &cpu);
	return rbs_draft_say(draft,
			     "the guest left %" PRIu64
			     " bytes unread and the host waits for %" PRIu64
			     " bytes of room: CPU %" PRIu64 " does not get to it",
			     waiting, pending, cpu);
}

static bool stalled_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	uint64_t waiting, mask, napi;

	if (!ring_named(ring, "in") || !rbs_draft_number(draft, ring, "read_avail", &waiting) ||
	    !waiting || !rbs_draft_number(draft, ring, "interrupt_mask", &mask) || !mask ||
	    !rbs_draft_number(draft, ring->parent, "napi_state", &napi) || napi & NAPI_SCHEDULED)
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " bytes wait, the interrupt is masked and NAPI is not "
			     "scheduled: nobody will read them",
			     waiting);
}

static bool interrupt_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	uint64_t waiting, mask, interrupts;

	if (!ring_named(ring, "in") || !rbs_draft_number(draft, ring, "read_avail", &waiting) ||
	    !waiting || !rbs_draft_number(draft, ring, "interrupt_mask", &mask) || mask ||
	    !rbs_draft_number(draft, ring->parent, "interrupts", &interrupts) || interrupts)
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " bytes wait in an unmasked ring and the channel never had "
			     "an interrupt",
			     waiting);
}

static bool missing_check(const struct rbs_node *device, struct rbs_draft *draft)
{
	uint64_t offered, used;

	if (!rbs_draft_number(draft, device, "sub_channels_offered", &offered) ||
	    !rbs_draft_number(draft, device, "sub_channels_opened", &used) || used >= offered)
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " sub-channels were offered and %" PRIu64 " are opened",
			     offered, used);
}

static bool rescinded_check(const struct rbs_node *channel, struct rbs_draft *draft)
{
	uint64_t value, state;

	if (!opened(channel) || !rbs_draft_number(draft, channel, "rescinded", &value) || !value)
		return false;
	rbs_draft_number(draft, channel, "state_number", &state);
	return rbs_draft_say(draft, "the host took the channel back and it is still open");
}

static bool closing_check(const struct rbs_node *ring, struct rbs_draft *draft)
{
	uint64_t waiting, state;

	if (opened(ring->parent) || !rbs_draft_number(draft, ring, "read_avail", &waiting) ||
	    !waiting || !rbs_draft_number(draft, ring->parent, "state_number", &state))
		return false;
	return rbs_draft_say(draft,
			     "the channel is not open and %" PRIu64 " bytes are in its %s ring",
			     waiting, ring->name);
}

static bool was_full_check(const struct rbs_node *channel, struct rbs_draft *draft)
{
	uint64_t first, total;

	if (!rbs_draft_number(draft, channel, "out_full_first", &first) || !first ||
	    !rbs_draft_number(draft, channel, "out_full_total", &total))
		return false;
	return rbs_draft_say(draft,
			     "the out ring became full before (%" PRIu64
			     ") and refused writes (%" PRIu64 ")",
			     first, total);
}

static bool unopened_check(const struct rbs_node *device, struct rbs_draft *draft)
{
	const struct rbs_node *primary = device->child_count ? device->children[0] : NULL;
	const char *driver = rbs_node_text(device, "driver");
	uint64_t state;

	if (!primary || opened(primary) || rescinded(primary) || primary->child_count ||
	    !rbs_draft_number(draft, device, "state", &state))
		return false;
	return rbs_draft_say(draft,
			     driver ? "the driver %s has not opened the channel"
				    : "no driver has taken the device%s",
			     driver ? driver : "");
}

const struct rbs_rule rbs_vmbus_rules[RBS_VMBUS_RULES] = {
	{"vmbus.index-outside", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_CRITICAL,
	 "an index lies outside its ring",
	 "the ring's page was overwritten, or the host wrote nonsense: the channel cannot work",
	 "who else wrote to that page; the host's version", index_check},
	{"vmbus.ring-full", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_CRITICAL,
	 "the guest waits for room in a full ring",
	 "the writer sleeps until the host reads: sockets and queues above it hang",
	 "the host's side of the device; out_full_total and how it grew", full_check},
	{"vmbus.host-not-draining", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_CRITICAL,
	 "the host does not read what the guest wrote",
	 "requests of this channel are not even seen by the host: I/O above it hangs",
	 "-v lists the unread packets; the host's storage or network service", drain_check},
	{"vmbus.receive-starved", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "the guest does not get to read a full ring",
	 "the CPU that serves the channel does something else: look what",
	 "the backtrace of the target CPU; softirqs; interrupts off", starved_check},
	{"vmbus.receive-stalled", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_CRITICAL,
	 "data waits, masked, and no poll is scheduled",
	 "a race between masking and polling was lost: reception is dead for good",
	 "fixes to netvsc's poll in newer kernels", stalled_check},
	{"vmbus.lost-first-interrupt", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "data waits in a channel that never had an interrupt",
	 "the host's interrupt did not arrive: a wrong target CPU, or a lost event",
	 "the channel's target CPU and whether it was online", interrupt_check},
	{"vmbus.sub-channels-missing", "vmbus", RBS_LEVEL_DEVICE, RBS_SEVERITY_WARNING,
	 "sub-channels were offered and not opened",
	 "the device runs with fewer queues than the host gave",
	 "the console for errors of opening sub-channels", missing_check},
	{"vmbus.rescinded-open", "vmbus", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "a channel was taken back and is still open",
	 "its user holds a device that is gone; removal waits for it",
	 "who uses the channel: open sockets, tasks in vmbus_close", rescinded_check},
	{"vmbus.closing-with-data", "vmbus", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "a channel that is not open has data in its ring",
	 "it was being closed with data unread: what was in it is lost", "the task that closes it",
	 closing_check},
	{"vmbus.was-full", "vmbus", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO,
	 "the out ring was full before", "the host was slow at some time", "the counters' growth",
	 was_full_check},
	{"vmbus.never-opened", "vmbus", RBS_LEVEL_DEVICE, RBS_SEVERITY_INFO,
	 "a device that was offered is not in use", "its driver is not loaded, or failed",
	 "lsmod; the console for the driver's probe", unopened_check},
};
