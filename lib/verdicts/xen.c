/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dump does not tell Xen's time of its end: the newest state_entry_time of all vCPUs is the
 * latest moment that is known, so that a wait up to it is one 'at least'.
 */
#include <inttypes.h>
#include <string.h>

#include "lib/verdicts/verdicts.h"

#define SECOND UINT64_C(1000000000)
/* A vCPU that waits for a CPU this much longer than it runs gets next to nothing done. */
#define STARVED_TIMES 4

static bool state_is(const struct rbs_node *vcpu, const char *name)
{
	const char *state = rbs_node_text(vcpu, "state");

	return state && !strcmp(state, name);
}

/* The time from the vCPU's last change of state to the newest one of all; false: not known. */
static bool since(const struct rbs_node *vcpu, struct rbs_draft *draft, uint64_t *waited)
{
	const struct rbs_node *section = vcpu->parent->parent;
	uint64_t entered, newest;

	if (!rbs_draft_number(draft, vcpu, "state_entry_time", &entered))
		return false;
	newest = entered;
	for (size_t i = 0; i < section->child_count; i++) {
		const struct rbs_node *domain = section->children[i];

		for (size_t k = 0; k < domain->child_count; k++) {
			uint64_t time;

			if (rbs_node_number(domain->children[k], "state_entry_time", &time) &&
			    time > newest)
				newest = time;
		}
	}
	*waited = newest - entered;
	return true;
}

static bool starved_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	uint64_t running, runnable, waited = 0;
	bool waits;

	if (!rbs_draft_number(draft, vcpu, "time_running", &running) ||
	    !rbs_draft_number(draft, vcpu, "time_runnable", &runnable))
		return false;
	waits = state_is(vcpu, "runnable") && since(vcpu, draft, &waited);
	/* The times do not have the state that lasts: that wait is on top of them. */
	if (runnable + waited < SECOND || (runnable + waited) / STARVED_TIMES < running)
		return false;
	return rbs_draft_say(draft, "waited %" PRIu64 " ms for a CPU and ran %" PRIu64 " ms%s",
			     (runnable + waited) / 1000000, running / 1000000,
			     waits ? "; it waits still" : "");
}

static bool waiting_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	uint64_t waited, processor;

	if (!state_is(vcpu, "runnable") || !since(vcpu, draft, &waited) || waited < SECOND)
		return false;
	rbs_draft_number(draft, vcpu, "processor", &processor);
	return rbs_draft_say(draft, "has been runnable for at least %" PRIu64 " ms without a CPU",
			     waited / 1000000);
}

/* Unplugged ones are offline by intent, and say so: online is no. */
static bool offline_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	uint64_t waited, online, paused = 0;

	if (!state_is(vcpu, "offline") || !rbs_draft_number(draft, vcpu, "online", &online) ||
	    !online || !since(vcpu, draft, &waited))
		return false;
	rbs_draft_number(draft, vcpu->parent, "pause_count", &paused);
	return rbs_draft_say(draft, "offline for at least %" PRIu64 " ms%s", waited / 1000000,
			     paused ? ": the domain is paused" : "");
}

static bool blocked_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	uint64_t waited;

	if (!state_is(vcpu, "blocked") || !since(vcpu, draft, &waited) || waited < 60 * SECOND)
		return false;
	return rbs_draft_say(draft, "blocked for at least %" PRIu64 " s", waited / SECOND);
}

static bool torn_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	const char *state = rbs_node_text(vcpu, "table_state");
	uint64_t sequence, on_cpu;

	if (!state || strcmp(state, "torn") ||
	    !rbs_draft_number(draft, vcpu, "table_seq", &sequence))
		return false;
	/* Whoever updates it does so while the vCPU is being switched in or out. */
	if (!rbs_draft_number(draft, vcpu, "is_running", &on_cpu) || on_cpu)
		draft->severity = RBS_SEVERITY_INFO;
	return rbs_draft_say(draft, "an update of its record was under way (seq %" PRIu64 ")%s",
			     sequence,
			     draft->severity == RBS_SEVERITY_INFO
				     ? ""
				     : " though it is on no CPU: no reader ever gets past it");
}

static bool table_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	const char *state = rbs_node_text(vcpu, "table_state");
	uint64_t table, running, on_cpu;

	if (!state || strcmp(state, "ok") ||
	    !rbs_draft_number(draft, vcpu, "table_running_time", &table) ||
	    !rbs_draft_number(draft, vcpu, "time_running", &running) ||
	    !rbs_draft_number(draft, vcpu, "is_running", &on_cpu) || table == running)
		return false;
	/* While it runs, one of them may have the slice that the other has not. */
	if (on_cpu)
		return false;
	return rbs_draft_say(draft,
			     "the table says that it ran %" PRIu64 " ns, its runstate %" PRIu64
			     " ns, and it is on no CPU",
			     table, running);
}

static bool steal_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	uint64_t steal, counted;

	if (!rbs_draft_number(draft, vcpu, "steal", &steal) ||
	    !rbs_draft_number(draft, vcpu, "steal_counted", &counted) || counted <= steal)
		return false;
	return rbs_draft_say(draft,
			     "the kernel has accounted %" PRIu64 " ns of steal time, and Xen says "
			     "%" PRIu64 " now",
			     counted, steal);
}

/* Xen writes the guest's copy when it runs the vCPU: an event after that is a wait for a CPU. */
static bool event_check(const struct rbs_node *vcpu, struct rbs_draft *draft)
{
	uint64_t pending, masked = 0;

	if (!state_is(vcpu, "blocked") ||
	    !rbs_draft_number(draft, vcpu, "upcall_pending", &pending) || !pending)
		return false;
	rbs_draft_number(draft, vcpu, "upcall_mask", &masked);
	return rbs_draft_say(draft, "blocked when Xen last ran it, and an event waits%s",
			     masked ? " with events masked" : "");
}

#define STARVED_TEXTS                                                                              \
	"a vCPU waited far longer for a CPU than it ran",                                          \
		"the guest looks hung or slow, and nothing in it is at fault",                     \
		"the load of the host's CPUs; the domain's weight, cap and affinity (xl sched-*)", \
		starved_check

#define WAITING_TEXTS                                                                              \
	"a vCPU is ready and gets no CPU",                                                         \
		"whoever waits for it waits as long: locks, interrupts, RCU",                      \
		"what runs on that physical CPU; the scheduler's state", waiting_check

const struct rbs_rule rbs_xen_rules[RBS_XEN_RULES] = {
	{"xen.starved", "xen", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING, STARVED_TEXTS},
	{"xen.waiting", "xen", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING, WAITING_TEXTS},
	{"xen.offline", "xen", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO, "a vCPU is kept from running",
	 "its domain is paused, or shut down, or is being destroyed",
	 "the domain's line: paused, shutdown, dying", offline_check},
	{"xen.blocked", "xen", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO,
	 "a vCPU has been blocked for long", "it is idle, or waits for an event that never came",
	 "the guest's own dump: xen-guest shows its events", blocked_check},
	{"xen.table-torn", "xen", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "an update of the stats_table did not end",
	 "its figures must not be used; live readers of that record spin",
	 "the hypervisor's stack on the CPU that the vCPU was last on", torn_check},
	{"xen.table-disagrees", "xen", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "the stats_table and the runstate tell different times",
	 "what was billed or balanced by the table is wrong",
	 "-v for the layout that was found; the hypervisor's patch", table_check},
};

const struct rbs_rule rbs_xen_guest_rules[RBS_XEN_GUEST_RULES] = {
	{"xen-guest.starved", "xen-guest", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING, STARVED_TEXTS},
	{"xen-guest.steal-backwards", "xen-guest", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "steal time went backwards",
	 "the kernel takes the difference as a huge steal: wrong loads, stuck throttling",
	 "whether the guest was migrated or restored; fixes to xen/time", steal_check},
	{"xen-guest.event-waits", "xen-guest", RBS_LEVEL_CHANNEL, RBS_SEVERITY_INFO,
	 "an event waits for a vCPU that was blocked",
	 "Xen had not run it since the event came, or the wakeup was lost",
	 "the hypervisor's dump: is the vCPU runnable there", event_check},
};
