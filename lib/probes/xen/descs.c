/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/xen/xen.h"

#define NS(name_, place_, header_, meaning_, high_)                                                \
	RBS_COUNTS(name_, CHANNEL, DECIMAL, place_, header_, "ns", meaning_, high_)
#define PERCENT(name_, place_, header_, meaning_)                                                  \
	RBS_COUNTS(name_, CHANNEL, DECIMAL, place_, header_, "percent", meaning_, NULL)

static const struct rbs_desc descs[XEN_D_COUNT] = {
	[XEN_D_ID] = RBS_IS("domid", DEVICE, DECIMAL, HIDDEN, NULL, "the domain's number"),
	[XEN_D_NAME] = RBS_IS("name", DEVICE, TEXT, TITLE, NULL,
			      "as xl calls it; Xen itself knows the name of domain 0 only"),
	[XEN_D_TYPE] =
		RBS_IS("type", DEVICE, TEXT, TITLE, NULL, "pv or hvm (a PVH domain is hvm to Xen)"),
	[XEN_D_MAX_VCPUS] =
		RBS_IS("max_vcpus", DEVICE, DECIMAL, TITLE, NULL, "vCPUs that the domain may have"),
	[XEN_D_MEMORY] = RBS_COUNTS("tot_pages", DEVICE, DECIMAL, TITLE, "pages", "pages",
				    "pages that the domain owns", NULL),
	[XEN_D_DYING] = RBS_IS("dying", DEVICE, TEXT, TITLE, "dying",
			       "no, dying (being destroyed) or dead (still referenced)"),
	[XEN_D_PAUSED] =
		RBS_IS("paused", DEVICE, BOOL, TITLE, NULL, "paused by the toolstack ('xl pause')"),
	[XEN_D_PAUSE_COUNT] = RBS_IS("pause_count", DEVICE, DECIMAL, VERBOSE, NULL,
				     "how many times it is paused, by whomever"),
	[XEN_D_SHUTDOWN] = RBS_IS("shutdown", DEVICE, TEXT, TITLE, "shutdown",
				  "no, or the reason that it shut down for"),
	[XEN_D_TABLE] = RBS_IS("stats_table", DEVICE, TEXT, TITLE, "stats_table",
			       "none (this Xen has no such table), unused (nobody asked for it) or "
			       "its layout, v0 to v3"),
	[XEN_D_TABLE_LAYOUT] = RBS_IS("table_layout", DEVICE, TEXT, VERBOSE, NULL,
				      "where the record of vCPU n is"),
	[XEN_D_TABLE_MATCHES] =
		RBS_IS("table_matches", DEVICE, DECIMAL, VERBOSE, NULL,
		       "vCPUs whose record in that layout equals their running time"),
	[XEN_D_ADDRESS] = RBS_IS("address", DEVICE, ADDRESS, VERBOSE, NULL, "struct domain"),
	[XEN_D_PROCESSOR] = RBS_IS("processor", CHANNEL, DECIMAL, COLUMN, "CPU",
				   "the physical CPU that it runs on, or ran on last"),
	[XEN_D_STATE] = RBS_IS("state", CHANNEL, TEXT, COLUMN, "STATE",
			       "running, runnable (waits for a CPU), blocked or offline"),
	[XEN_D_ENTRY_TIME] =
		NS("state_entry_time", COLUMN, "SINCE", "when it entered the state", NULL),
	[XEN_D_RUNNING] = NS("time_running", COLUMN, "RUNNING", "ran on a CPU", NULL),
	[XEN_D_RUNNABLE] = NS("time_runnable", COLUMN, "RUNNABLE", "waited for a CPU",
			      "the machine has too few CPUs for its domains"),
	[XEN_D_BLOCKED] =
		NS("time_blocked", COLUMN, "BLOCKED", "was idle, or waited for I/O", NULL),
	[XEN_D_OFFLINE] = NS("time_offline", COLUMN, "OFFLINE", "was offline or paused",
			     "the domain was paused, or the vCPU unplugged"),
	[XEN_D_PERCENT_RUNNING] =
		PERCENT("percent_running", COLUMN, "RUN%",
			"of the time from its creation to its last change of state"),
	[XEN_D_PERCENT_RUNNABLE] =
		PERCENT("percent_runnable", VERBOSE, NULL, "the same, waiting for a CPU"),
	[XEN_D_PERCENT_BLOCKED] = PERCENT("percent_blocked", VERBOSE, NULL, "the same, blocked"),
	[XEN_D_PERCENT_OFFLINE] = PERCENT("percent_offline", VERBOSE, NULL, "the same, offline"),
	[XEN_D_CREATED] = NS("creation_time", VERBOSE, NULL,
			     "when it was created: state_entry_time less all times", NULL),
	[XEN_D_STEAL] = NS("steal", VERBOSE, NULL,
			   "what a Linux guest counts as stolen: runnable and offline",
			   "others got the CPU"),
	[XEN_D_ONLINE] = RBS_IS("online", CHANNEL, BOOL, VERBOSE, NULL, "not _VPF_down"),
	[XEN_D_ON_CPU] = RBS_IS("is_running", CHANNEL, BOOL, VERBOSE, NULL,
				"on a CPU when the machine stopped"),
	[XEN_D_PAUSE_FLAGS] = RBS_IS("pause_flags", CHANNEL, HEX, VERBOSE, NULL,
				     "Xen's _VPF_* bits: why it cannot run"),
	[XEN_D_VCPU_PAUSE] = RBS_IS("pause_count", CHANNEL, DECIMAL, VERBOSE, NULL,
				    "how many times it is paused"),
	[XEN_D_TABLE_STATE] =
		RBS_IS("table_state", CHANNEL, TEXT, VERBOSE, NULL,
		       "its record of the stats_table: ok, torn (an update was under way), "
		       "inactive, never-written"),
	[XEN_D_TABLE_RUNNING] = NS("table_running_time", COLUMN_IF, "TABLE",
				   "time running, in the stats_table", NULL),
	[XEN_D_TABLE_SEQ] =
		RBS_COUNTS("table_seq", CHANNEL, DECIMAL, COLUMN_IF, "SEQ", NULL,
			   "updates of the record, counted twice; odd: under way", NULL),
	[XEN_D_TABLE_LAG] = NS("table_lag", VERBOSE, NULL,
			       "time running that the table does not have yet", NULL),
	[XEN_D_VCPU_ADDRESS] = RBS_IS("address", CHANNEL, ADDRESS, VERBOSE, NULL, "struct vcpu"),
};

const struct rbs_family xen_family = {
	.name = "xen",
	.title = "Xen vCPUs",
	.group = RBS_LEVEL_DEVICE,
	.row = RBS_LEVEL_CHANNEL,
	.group_noun = "domain",
	.row_noun = "vCPU",
	.name_header = {[RBS_LEVEL_CHANNEL] = "VCPU"},
	.descs = descs,
	.desc_count = XEN_D_COUNT,
};

const struct rbs_desc *xen_desc(unsigned id)
{
	return &descs[id];
}
