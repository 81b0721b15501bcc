/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/ftrace/ftrace.h"

/* All counters are per CPU. */
#define COUNTS(name_, place_, header_, unit_, meaning_, high_)                                     \
	RBS_COUNTS(name_, RING, DECIMAL, place_, header_, unit_, meaning_, high_)

static const struct rbs_desc descs[FTRACE_D_COUNT] = {
	[FTRACE_D_TRACER] = RBS_IS("current_tracer", DEVICE, TEXT, TITLE, NULL, "current tracer"),
	[FTRACE_D_BUFFER_DISABLED] = RBS_IS("buffer_disabled", DEVICE, BOOL, VERBOSE, NULL,
					    "the instance's buffer was disabled by the kernel"),
	[FTRACE_D_CLOCK] = RBS_IS("trace_clock", DEVICE, DECIMAL, VERBOSE, NULL,
				  "number of the trace clock in the kernel's list"),
	[FTRACE_D_TRACING_ON] =
		RBS_IS("tracing_on", CHANNEL, BOOL, TITLE, NULL, "tracefs' tracing_on switch"),
	[FTRACE_D_OVERWRITE] =
		RBS_IS("overwrite", CHANNEL, BOOL, TITLE, NULL,
		       "the newest events replace the oldest; else new ones are dropped"),
	[FTRACE_D_SUBBUF_SIZE] = RBS_IS("subbuf_size", CHANNEL, DECIMAL, TITLE, NULL,
					"bytes of a sub-buffer's data"),
	[FTRACE_D_SUBBUF_ORDER] = RBS_IS("subbuf_order", CHANNEL, DECIMAL, VERBOSE, NULL,
					 "a sub-buffer has two to this power pages"),
	[FTRACE_D_ENTRIES] = COUNTS("entries", COLUMN, "ENTRIES", NULL,
				    "events in the buffer, not read yet", NULL),
	[FTRACE_D_OVERRUN] = COUNTS("overrun", COLUMN, "OVERRUN", NULL,
				    "events lost: overwritten before they were read",
				    "the buffer is too small, or nobody reads it"),
	[FTRACE_D_COMMIT_OVERRUN] =
		COUNTS("commit_overrun", COLUMN, "COMMIT_OVR", NULL,
		       "events lost: interrupts nested so deep that they filled the buffer",
		       "the buffer is far too small"),
	[FTRACE_D_BYTES] = COUNTS("bytes", COLUMN, "BYTES", "bytes", "bytes not read yet", NULL),
	[FTRACE_D_DROPPED] = COUNTS("dropped_events", COLUMN, "DROPPED", NULL,
				    "events dropped because the buffer was full (overwrite off)",
				    "the buffer is too small, or nobody reads it"),
	[FTRACE_D_READ] = COUNTS("read_events", COLUMN, "READ", NULL, "events read", NULL),
	[FTRACE_D_OLDEST] =
		COUNTS("oldest_event_ts", COLUMN, "OLDEST_TS", "ns",
		       "time stamp of the oldest page, in the trace clock's unit", NULL),
	[FTRACE_D_PAGES] =
		COUNTS("nr_pages", VERBOSE, "PAGES", NULL, "sub-buffers of the CPU", NULL),
	[FTRACE_D_WRITTEN] = COUNTS("written_events", VERBOSE, "WRITTEN", NULL,
				    "events ever written: in the buffer, read or overrun", NULL),
	[FTRACE_D_LOST] = COUNTS("lost_events", VERBOSE, "LOST", NULL,
				 "events lost before the reader's page", NULL),
	[FTRACE_D_DISABLED] = COUNTS("record_disabled", VERBOSE, "DISABLED", NULL,
				     "nesting of disabling; events are refused while it is not 0",
				     "recording was stopped on this CPU"),
	[FTRACE_D_COMMITTING] = COUNTS("committing", VERBOSE, "COMMITTING", NULL,
				       "writers between reserve and commit",
				       "the CPU stopped while it wrote an event"),
	[FTRACE_D_MAPPED] = COUNTS("mapped", VERBOSE, "MAPPED", NULL,
				   "times that the buffer is mapped by user space", NULL),
	[FTRACE_D_WRITE_STAMP] = COUNTS("write_stamp", VERBOSE, "WRITE_STAMP", "ns",
					"time stamp of the last event", NULL),
};

const struct rbs_family ftrace_family = {
	.name = "ftrace",
	.title = "ftrace ring buffers",
	.group = RBS_LEVEL_CHANNEL,
	.row = RBS_LEVEL_RING,
	.group_noun = "instance",
	.row_noun = "CPU buffer",
	.name_header = {[RBS_LEVEL_RING] = "CPU"},
	.descs = descs,
	.desc_count = FTRACE_D_COUNT,
};

const struct rbs_desc *ftrace_desc(unsigned id)
{
	return &descs[id];
}
