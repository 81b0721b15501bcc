/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/xen_guest/xen_guest.h"

#define NS(name_, place_, header_, meaning_, high_)                                                \
	RBS_COUNTS(name_, CHANNEL, DECIMAL, place_, header_, "ns", meaning_, high_)

static const struct rbs_desc descs[XEN_GUEST_D_COUNT] = {
	[XEN_GUEST_D_TYPE] = RBS_IS("type", DEVICE, TEXT, TITLE, NULL,
				    "pv, or hvm (which PVH is to the kernel)"),
	[XEN_GUEST_D_INITIAL] =
		RBS_IS("initial_domain", DEVICE, BOOL, TITLE, NULL, "the kernel is dom0's"),
	[XEN_GUEST_D_SHARED] =
		RBS_IS("shared_info", DEVICE, TEXT, TITLE, "shared_info",
		       "the page shared with Xen: mapped, dummy (the kernel's own stand-in: not "
		       "set up), none or unreadable"),
	[XEN_GUEST_D_SHARED_AT] = RBS_IS("shared_info_address", DEVICE, ADDRESS, VERBOSE, NULL,
					 "HYPERVISOR_shared_info"),
	[XEN_GUEST_D_ABI] = RBS_IS("event_channels", DEVICE, TEXT, TITLE, "event channels",
				   "how events are signalled: 2l (two levels of bits) or fifo"),
	[XEN_GUEST_D_VECTOR] = RBS_IS("vector_callback", DEVICE, BOOL, VERBOSE, NULL,
				      "events arrive by an interrupt vector of their own"),
	[XEN_GUEST_D_CPU] = RBS_IS("cpu", CHANNEL, DECIMAL, COLUMN, "CPU", "the guest's CPU"),
	[XEN_GUEST_D_STATE] =
		RBS_IS("state", CHANNEL, TEXT, COLUMN, "STATE",
		       "when Xen last wrote the copy: running, runnable, blocked or offline; "
		       "unregistered: Xen does not write one for this CPU"),
	[XEN_GUEST_D_ENTRY_TIME] = NS("state_entry_time", COLUMN, "SINCE",
				      "when it entered the state, in Xen's system time", NULL),
	[XEN_GUEST_D_RUNNING] = NS("time_running", COLUMN, "RUNNING", "ran on a CPU", NULL),
	[XEN_GUEST_D_RUNNABLE] = NS("time_runnable", COLUMN, "RUNNABLE", "waited for a CPU",
				    "the machine has too few CPUs for its domains"),
	[XEN_GUEST_D_BLOCKED] =
		NS("time_blocked", COLUMN, "BLOCKED", "was idle, or waited for I/O", NULL),
	[XEN_GUEST_D_OFFLINE] = NS("time_offline", COLUMN, "OFFLINE", "was offline or paused",
				   "the domain was paused, or the vCPU unplugged"),
	[XEN_GUEST_D_PERCENT_RUNNING] =
		RBS_COUNTS("percent_running", CHANNEL, DECIMAL, COLUMN, "RUN%", "percent",
			   "of the time from its creation to its last change of state", NULL),
	[XEN_GUEST_D_CREATED] = NS("creation_time", VERBOSE, NULL,
				   "when it was created: state_entry_time less all times", NULL),
	[XEN_GUEST_D_STEAL] = NS(
		"steal", COLUMN, "STEAL",
		"what the kernel counts as stolen: runnable and offline, and what it had before a "
		"migration",
		"others got the CPU"),
	[XEN_GUEST_D_STEAL_COUNTED] =
		NS("steal_counted", VERBOSE, NULL,
		   "how much of it the scheduler has accounted (rq.prev_steal_time)", NULL),
	[XEN_GUEST_D_ONLINE] =
		RBS_IS("online", CHANNEL, BOOL, VERBOSE, NULL, "in the guest's online CPUs"),
	[XEN_GUEST_D_VCPU] = RBS_IS("vcpu_info", CHANNEL, TEXT, VERBOSE, NULL,
				    "where Xen puts its events: registered (the guest's own "
				    "place), shared (in shared_info), none or unreadable"),
	[XEN_GUEST_D_VCPU_AT] =
		RBS_IS("vcpu_info_address", CHANNEL, ADDRESS, VERBOSE, NULL, "xen_vcpu"),
	[XEN_GUEST_D_PENDING] = RBS_IS("upcall_pending", CHANNEL, BOOL, VERBOSE, NULL,
				       "an event waits to be looked at"),
	[XEN_GUEST_D_MASKED] = RBS_IS("upcall_mask", CHANNEL, BOOL, VERBOSE, NULL,
				      "events are off: a PV guest's interrupt flag, inverted"),
	[XEN_GUEST_D_SELECTOR] = RBS_IS("pending_sel", CHANNEL, HEX, VERBOSE, NULL,
					"which words of the 2l bitmap have events"),
};

const struct rbs_family xen_guest_family = {
	.name = "xen-guest",
	.title = "Xen vCPUs, as this kernel sees them",
	.group = RBS_LEVEL_DEVICE,
	.row = RBS_LEVEL_CHANNEL,
	.group_noun = "guest",
	.row_noun = "vCPU",
	.name_header = {[RBS_LEVEL_CHANNEL] = "VCPU"},
	.descs = descs,
	.desc_count = XEN_GUEST_D_COUNT,
};

const struct rbs_desc *xen_guest_desc(unsigned id)
{
	return &descs[id];
}
