/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "lib/verdicts/verdicts.h"

static bool overrun_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t overrun, entries;

	if (!rbs_draft_number(draft, buffer, "overrun", &overrun) || !overrun ||
	    !rbs_draft_number(draft, buffer, "entries", &entries))
		return false;
	return rbs_draft_say(draft, "%" PRIu64 " events were overwritten, %" PRIu64 " are left",
			     overrun, entries);
}

static bool commit_overrun_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t lost, pages;

	if (!rbs_draft_number(draft, buffer, "commit_overrun", &lost) || !lost ||
	    !rbs_draft_number(draft, buffer, "nr_pages", &pages))
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64
			     " events were lost because nested writers filled all %" PRIu64
			     " sub-buffers",
			     lost, pages);
}

static bool dropped_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t dropped, entries;

	if (!rbs_draft_number(draft, buffer, "dropped_events", &dropped) || !dropped ||
	    !rbs_draft_number(draft, buffer, "entries", &entries))
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " events were dropped with the buffer full of %" PRIu64
			     " older ones (overwrite off)",
			     dropped, entries);
}

static bool committing_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t committing, written;

	if (!rbs_draft_number(draft, buffer, "committing", &committing) || !committing ||
	    !rbs_draft_number(draft, buffer, "written_events", &written))
		return false;
	return rbs_draft_say(draft, "the CPU stopped while it wrote an event (nesting %" PRIu64 ")",
			     committing);
}

const struct rbs_rule rbs_ftrace_rules[RBS_FTRACE_RULES] = {
	{"ftrace.overrun", "ftrace", RBS_LEVEL_RING, RBS_SEVERITY_INFO,
	 "old events were overwritten", "only the latest events are there",
	 "buffer_size_kb of the instance", overrun_check},
	{"ftrace.commit-overrun", "ftrace", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "events were lost in nested interrupts", "the trace has holes",
	 "a larger buffer; a storm of interrupts", commit_overrun_check},
	{"ftrace.dropped", "ftrace", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "new events were dropped", "the trace ends before the machine did",
	 "overwrite mode, or a reader", dropped_check},
	{"ftrace.mid-write", "ftrace", RBS_LEVEL_RING, RBS_SEVERITY_INFO,
	 "the CPU stopped in the middle of an event",
	 "it was tracing when it stopped: the last event is torn", "the CPU's backtrace",
	 committing_check},
};
