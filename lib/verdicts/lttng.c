/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "lib/verdicts/verdicts.h"

static bool recording(const struct rbs_node *channel)
{
	uint64_t active;

	return rbs_node_number(channel->parent, "active", &active) && active;
}

static bool is(const struct rbs_node *node, const char *name, const char *text)
{
	const char *value = rbs_node_text(node, name);

	return value && !strcmp(value, text);
}

static bool lost_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	const char *mode = rbs_node_text(buffer->parent, "mode");
	const char *what = is(buffer->parent, "type", "notifications") ? "notifications" : "events";
	uint64_t full = 0, wrap = 0, big = 0;

	if (!rbs_draft_number(draft, buffer, "records_lost_full", &full) ||
	    !rbs_draft_number(draft, buffer, "records_lost_wrap", &wrap) ||
	    !rbs_draft_number(draft, buffer, "records_lost_big", &big) || !(full || wrap || big))
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " %s were lost in %s mode: %" PRIu64
			     " buffer full, %" PRIu64 " nested wrap-around, %" PRIu64
			     " larger than a sub-buffer",
			     full + wrap + big, what, mode ? mode : "unknown", full, wrap, big);
}

static bool uncommitted_check(const struct rbs_node *subbuf, struct rbs_draft *draft)
{
	uint64_t missing, committed;

	if (!rbs_draft_number(draft, subbuf, "short", &missing) || !missing ||
	    !rbs_draft_number(draft, subbuf, "committed", &committed))
		return false;
	/* In the sub-buffer being written, an event may just have been under way. */
	if (!is(subbuf, "state", "uncommitted"))
		draft->severity = RBS_SEVERITY_INFO;
	return rbs_draft_say(draft,
			     "a writer of %s reserved %" PRIu64
			     " bytes and did not commit them (%" PRIu64
			     " committed, sub-buffer %s)",
			     subbuf->parent->name, missing, committed,
			     is(subbuf, "state", "uncommitted") ? "full" : "being written");
}

static bool channel_frozen_check(const struct rbs_node *channel, struct rbs_draft *draft)
{
	uint64_t disabled, enabled;

	if (!recording(channel) ||
	    !rbs_draft_number(draft, channel, "record_disabled", &disabled) || !disabled ||
	    !rbs_draft_number(draft, channel, "enabled", &enabled) || !enabled)
		return false;
	return rbs_draft_say(draft,
			     "recording is stopped (%" PRIu64
			     ") though the session is active and the "
			     "channel enabled",
			     disabled);
}

static bool buffer_frozen_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t disabled, offset;

	if (!recording(buffer->parent) ||
	    !rbs_draft_number(draft, buffer, "record_disabled", &disabled) || !disabled ||
	    !rbs_draft_number(draft, buffer, "write_offset", &offset))
		return false;
	return rbs_draft_say(draft,
			     "recording is stopped (%" PRIu64 ") on this CPU though the session is "
			     "active",
			     disabled);
}

static bool consumer_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t readers, readable;

	if (!is(buffer->parent, "mode", "discard") || !recording(buffer->parent) ||
	    !rbs_draft_number(draft, buffer, "active_readers", &readers) || readers ||
	    !rbs_draft_number(draft, buffer, "readable", &readable) || !readable)
		return false;
	return rbs_draft_say(draft, "%" PRIu64 " bytes wait and no reader has the buffer open",
			     readable);
}

static bool overwritten_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t passed, offset;

	if (!rbs_draft_number(draft, buffer, "passed", &passed) || !passed ||
	    !rbs_draft_number(draft, buffer, "write_offset", &offset))
		return false;
	return rbs_draft_say(draft,
			     "of %" PRIu64 " bytes written, the first %" PRIu64
			     " are overwritten or read",
			     offset, passed);
}

const struct rbs_rule rbs_lttng_rules[RBS_LTTNG_RULES] = {
	{"lttng.records-lost", "lttng", RBS_LEVEL_RING, RBS_SEVERITY_WARNING, "events were lost",
	 "the trace has holes: what it does not show may have happened",
	 "more or larger sub-buffers; whether the consumer ran", lost_check},
	{"lttng.uncommitted", "lttng", RBS_LEVEL_SLOT, RBS_SEVERITY_WARNING,
	 "a sub-buffer is not fully committed",
	 "a writer was stopped between reserve and commit: readers cannot pass this sub-buffer",
	 "the CPU's backtrace: it was writing an event", uncommitted_check},
	{"lttng.channel-frozen", "lttng", RBS_LEVEL_CHANNEL, RBS_SEVERITY_WARNING,
	 "a channel does not record though it should",
	 "the tracer found its own state broken and stopped, or its user stopped it: nothing after "
	 "that is in the trace",
	 "the console for a WARN of LTTng's ring buffer", channel_frozen_check},
	{"lttng.buffer-frozen", "lttng", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "a buffer does not record though it should",
	 "events of this CPU are missing from the trace",
	 "the console for a WARN of LTTng's ring buffer", buffer_frozen_check},
	{"lttng.consumer-dead", "lttng", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "data waits and nobody reads",
	 "the consumer died: new events are lost once the buffer is full",
	 "whether lttng-consumerd is among the tasks", consumer_check},
	{"lttng.overwritten", "lttng", RBS_LEVEL_RING, RBS_SEVERITY_INFO,
	 "old events were overwritten", "a flight recorder's purpose: only the latest are there",
	 "the time stamps of the oldest packet", overwritten_check},
};

static bool pages_check(const struct rbs_node *buffer, struct rbs_draft *draft)
{
	uint64_t differ, agreed;

	if (!rbs_draft_number(draft, buffer, "pages_differ", &differ) || !differ ||
	    !rbs_draft_number(draft, buffer, "pages_agreed", &agreed))
		return false;
	return rbs_draft_say(draft,
			     "%" PRIu64 " page table entries of processes name other pages than "
			     "the buffer's file does (%" PRIu64 " agree)",
			     differ, agreed);
}

const struct rbs_rule rbs_lttng_ust_rules[RBS_LTTNG_UST_RULES] = {
	{"lttng-ust.records-lost", "lttng-ust", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "events of programs were lost",
	 "the trace has holes: what it does not show may have happened",
	 "more or larger sub-buffers; whether the consumer ran", lost_check},
	{"lttng-ust.uncommitted", "lttng-ust", RBS_LEVEL_SLOT, RBS_SEVERITY_WARNING,
	 "a sub-buffer is not fully committed",
	 "a program was stopped or died between reserve and commit: readers cannot pass this "
	 "sub-buffer",
	 "the programs that map the buffer: one that is killed leaves the hole for good",
	 uncommitted_check},
	{"lttng-ust.pages-differ", "lttng-ust", RBS_LEVEL_RING, RBS_SEVERITY_WARNING,
	 "two of the kernel's tables disagree about a buffer's pages",
	 "the page cache or a process's page tables are damaged: the figures may be another's",
	 "other findings of memory corruption", pages_check},
};
