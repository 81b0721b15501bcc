/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/lttng/lttng.h"

static const struct rbs_desc descs[LTTNG_D_COUNT] = {
	[LTTNG_D_ACTIVE] = RBS_IS("active", DEVICE, BOOL, TITLE, NULL, "the session is recording"),
	[LTTNG_D_BEEN_ACTIVE] = RBS_IS("been_active", DEVICE, BOOL, VERBOSE, NULL,
				       "the session has been recording"),
	[LTTNG_D_KIND] = RBS_IS("kind", DEVICE, TEXT, TITLE, NULL,
				"notifier-group: event notifiers, whose buffer belongs to no "
				"session; sessions have no kind"),
	[LTTNG_D_MODE] =
		RBS_IS("mode", CHANNEL, TEXT, TITLE, NULL,
		       "discard: new events are lost when full; overwrite: the oldest are"),
	[LTTNG_D_TRANSPORT] = RBS_IS("transport", CHANNEL, TEXT, TITLE, NULL,
				     "the ring buffer client that the channel uses"),
	[LTTNG_D_TYPE] =
		RBS_IS("type", CHANNEL, TEXT, VERBOSE, NULL, "data, metadata or notifications"),
	[LTTNG_D_SUBBUF_SIZE] = RBS_IS("subbuf_size", CHANNEL, DECIMAL, TITLE, "sub-buffer bytes",
				       "bytes of a sub-buffer"),
	[LTTNG_D_NUM_SUBBUF] = RBS_IS("num_subbuf", CHANNEL, DECIMAL, TITLE, "sub-buffers",
				      "sub-buffers of a buffer"),
	[LTTNG_D_EVENTS] = RBS_IS("events", CHANNEL, TEXT, VERBOSE, NULL,
				  "names of the enabled events that go to the channel"),
	[LTTNG_D_EVENT_COUNT] = RBS_IS("event_count", CHANNEL, DECIMAL, VERBOSE, NULL,
				       "events that the channel knows, disabled ones too"),
	[LTTNG_D_ENABLED_COUNT] = RBS_IS("events_enabled", CHANNEL, DECIMAL, VERBOSE, NULL,
					 "events of it that are enabled"),
	[LTTNG_D_CH_ENABLED] =
		RBS_IS("enabled", CHANNEL, BOOL, VERBOSE, NULL, "the channel is enabled"),
	[LTTNG_D_CH_DISABLED] =
		RBS_COUNTS("record_disabled", CHANNEL, DECIMAL, TITLE_IF, "record_disabled", NULL,
			   "not 0: recording is stopped on all of its buffers",
			   "the channel was frozen: after a warning of the tracer, or by its user"),
	[LTTNG_D_ALLOC] = RBS_IS("alloc", CHANNEL, TEXT, VERBOSE, NULL,
				 "per-cpu: a buffer for each CPU; global: one"),
	[LTTNG_D_SWITCH_INTERVAL] = RBS_IS("switch_timer_interval", CHANNEL, DECIMAL, VERBOSE, NULL,
					   "period of the switch timer; 0: none"),
	[LTTNG_D_READ_INTERVAL] = RBS_IS("read_timer_interval", CHANNEL, DECIMAL, VERBOSE, NULL,
					 "period of the read timer; 0: none"),
	[LTTNG_D_EXTRA_READER] = RBS_IS("extra_reader_sb", CHANNEL, BOOL, VERBOSE, NULL,
					"the reader has a sub-buffer of its own to swap in"),
	[LTTNG_D_CH_FINALIZED] =
		RBS_IS("finalized", CHANNEL, BOOL, VERBOSE, NULL, "the channel is being torn down"),
	[LTTNG_D_CH_BEEN_ACTIVE] = RBS_IS("been_active", CHANNEL, BOOL, VERBOSE, NULL,
					  "tracing into the channel was started at least once"),
	[LTTNG_D_LOG_PREFIX] = RBS_IS("log_prefix", CHANNEL, TEXT, HIDDEN, NULL,
				      "what the driver's messages start with"),
	[LTTNG_D_WRITE_OFFSET] =
		RBS_COUNTS("write_offset", RING, DECIMAL, COLUMN, "WRITTEN", "bytes",
			   "position up to which writers have reserved", NULL),
	[LTTNG_D_CONSUMED] =
		RBS_COUNTS("consumed", RING, DECIMAL, COLUMN, "CONSUMED", "bytes",
			   "position up to which readers have taken sub-buffers", NULL),
	[LTTNG_D_READABLE] = RBS_COUNTS("readable", RING, DECIMAL, COLUMN, "READABLE", "bytes",
					"bytes in whole sub-buffers that a reader can take now",
					"nobody reads: the consumer is stopped or dead"),
	[LTTNG_D_UNCOMMITTED] = RBS_COUNTS("uncommitted", RING, DECIMAL, COLUMN, "UNCOMM", "bytes",
					   "bytes that writers reserved and did not commit",
					   "a writer was stopped between reserve and commit"),
	[LTTNG_D_LOST_FULL] = RBS_COUNTS("records_lost_full", RING, DECIMAL, COLUMN, "LOST_FULL",
					 NULL, "events lost because the buffer was full",
					 "the buffer is too small, or nobody reads it"),
	[LTTNG_D_LOST_WRAP] =
		RBS_COUNTS("records_lost_wrap", RING, DECIMAL, COLUMN, "WRAP", NULL,
			   "events lost because nested writers filled the whole buffer",
			   "the buffer is far too small"),
	[LTTNG_D_LOST_BIG] = RBS_COUNTS("records_lost_big", RING, DECIMAL, COLUMN, "BIG", NULL,
					"events lost because they were larger than a sub-buffer",
					"sub-buffers are too small for the events"),
	[LTTNG_D_PASSED] = RBS_COUNTS("passed", RING, DECIMAL, COLUMN_IF, "PASSED", "bytes",
				      "overwrite mode: bytes before the consumed position, "
				      "overwritten unless a reader took them",
				      "overwritten events"),
	[LTTNG_D_DISABLED] =
		RBS_COUNTS("record_disabled", RING, DECIMAL, COLUMN_IF, "DISABLED", NULL,
			   "not 0: recording is stopped on this buffer",
			   "the buffer was frozen: after a warning of the tracer, or by its user"),
	[LTTNG_D_READERS] = RBS_COUNTS("active_readers", RING, DECIMAL, COLUMN, "READERS", NULL,
				       "readers that have the buffer open", NULL),
	[LTTNG_D_RECORDS] = RBS_COUNTS("records_count", RING, DECIMAL, VERBOSE, "RECORDS", NULL,
				       "events written, where the build counts them", NULL),
	[LTTNG_D_OVERRUN] =
		RBS_COUNTS("records_overrun", RING, DECIMAL, VERBOSE, "OVERRUN", NULL,
			   "events overwritten, where the build counts them", "overwritten events"),
	[LTTNG_D_RECORDS_READ] = RBS_COUNTS("records_read", RING, DECIMAL, VERBOSE, "RECORDS_READ",
					    NULL, "events read, where the build counts them", NULL),
	[LTTNG_D_LAST_TIMESTAMP] =
		RBS_COUNTS("last_timestamp", RING, DECIMAL, VERBOSE, "LAST_TS", "ns",
			   "time stamp of the last event, in the trace clock (cut to the bits that "
			   "an event header keeps)",
			   NULL),
	[LTTNG_D_FINALIZED] =
		RBS_IS("finalized", RING, BOOL, VERBOSE, "FINAL", "the buffer is being torn down"),
	[LTTNG_D_QUIESCENT] = RBS_IS("quiescent", RING, BOOL, VERBOSE, "QUIET",
				     "the buffer is being kept quiet (CPU going down)"),
	[LTTNG_D_SWITCH_TIMER] = RBS_IS("switch_timer_enabled", RING, BOOL, VERBOSE, "SWITCH_TIMER",
					"the switch timer runs"),
	[LTTNG_D_READ_TIMER] = RBS_IS("read_timer_enabled", RING, BOOL, VERBOSE, "READ_TIMER",
				      "the read timer runs"),
	[LTTNG_D_GET_SUBBUF] =
		RBS_IS("get_subbuf", RING, BOOL, VERBOSE, "HELD", "a reader holds a sub-buffer"),
	[LTTNG_D_GET_CONSUMED] =
		RBS_COUNTS("get_subbuf_consumed", RING, DECIMAL, VERBOSE, "HELD_AT", "bytes",
			   "position of the sub-buffer that a reader last took", NULL),
	[LTTNG_D_PROD_SNAPSHOT] = RBS_COUNTS("prod_snapshot", RING, DECIMAL, VERBOSE, "SNAP_PROD",
					     "bytes", "write offset of the last snapshot", NULL),
	[LTTNG_D_CONS_SNAPSHOT] =
		RBS_COUNTS("cons_snapshot", RING, DECIMAL, VERBOSE, "SNAP_CONS", "bytes",
			   "consumed position of the last snapshot", NULL),
	[LTTNG_D_STATE] = RBS_IS("state", SLOT, TEXT, COLUMN, "STATE",
				 "free, writing, uncommitted (written over its end, not "
				 "committed), delivered (readable), reading (a reader holds the "
				 "packet that is shown), passed"),
	[LTTNG_D_COMMITTED] = RBS_COUNTS("committed", SLOT, DECIMAL, COLUMN, "COMMITTED", "bytes",
					 "bytes committed in its latest pass", NULL),
	[LTTNG_D_VISIBLE] = RBS_COUNTS("visible", SLOT, DECIMAL, COLUMN, "VISIBLE", "bytes",
				       "bytes of it that readers see: all or none", NULL),
	[LTTNG_D_SHORT] = RBS_COUNTS("short", SLOT, DECIMAL, COLUMN, "SHORT", "bytes",
				     "bytes reserved and not committed",
				     "a writer was stopped between reserve and commit"),
	[LTTNG_D_DATA_SIZE] = RBS_COUNTS("data_size", SLOT, DECIMAL, COLUMN, "DATA", "bytes",
					 "bytes of the data that a reader last got", NULL),
	[LTTNG_D_PACKET_SEQ] = RBS_COUNTS("packet_seq", SLOT, DECIMAL, COLUMN, "PACKET", NULL,
					  "packet sequence number", NULL),
	[LTTNG_D_BEGIN] = RBS_COUNTS("timestamp_begin", SLOT, DECIMAL, COLUMN, "BEGIN", "ns",
				     "time stamp at the begin of the packet", NULL),
	[LTTNG_D_END] = RBS_COUNTS("timestamp_end", SLOT, DECIMAL, COLUMN, "END", "ns",
				   "time stamp at its end", NULL),
	[LTTNG_D_CONTENT] = RBS_COUNTS("content_size", SLOT, DECIMAL, COLUMN, "BITS", "bits",
				       "bits of the packet that hold data", NULL),
	[LTTNG_D_PACKET_SIZE] = RBS_COUNTS("packet_size", SLOT, DECIMAL, VERBOSE, "PACKET_BITS",
					   "bits", "bits of the packet", NULL),
	[LTTNG_D_DISCARDED] =
		RBS_COUNTS("events_discarded", SLOT, DECIMAL, COLUMN, "DISCARDED", NULL,
			   "events discarded up to the end of the packet", NULL),
	[LTTNG_D_CC] = RBS_COUNTS("commit_count", SLOT, DECIMAL, VERBOSE, "CC", "bytes",
				  "the commit counter itself (cc)", NULL),
	[LTTNG_D_CC_SB] = RBS_COUNTS("commit_count_sb", SLOT, DECIMAL, VERBOSE, "CC_SB", "bytes",
				     "the counter that readers go by (cc_sb)", NULL),
	[LTTNG_D_CC_SEQ] = RBS_COUNTS("commit_seq", SLOT, DECIMAL, VERBOSE, "SEQ", "bytes",
				      "consecutive commits (seq)", NULL),
	[LTTNG_D_PACKETS] = RBS_COUNTS("seq_cnt", SLOT, DECIMAL, VERBOSE, "PACKETS", NULL,
				       "packets that went through the sub-buffer", NULL),
	[LTTNG_D_RECORDS_COMMIT] =
		RBS_COUNTS("records_commit", SLOT, DECIMAL, VERBOSE, "RECORDS", NULL,
			   "events committed, where the build counts them", NULL),
	[LTTNG_D_RECORDS_UNREAD] =
		RBS_COUNTS("records_unread", SLOT, DECIMAL, VERBOSE, "UNREAD", NULL,
			   "events not read, where the build counts them", NULL),
	[LTTNG_D_PAGES] = RBS_IS("pages", SLOT, TEXT, HIDDEN, NULL,
				 "kernel addresses of its memory's pages, the first eight"),
	[LTTNG_D_SPARE_PAGES] = RBS_IS(
		"spare_pages", SLOT, TEXT, HIDDEN, NULL,
		"overwrite mode, of a sub-buffer that a reader holds: the pages of the spare "
		"memory that took its place in the ring"),
	[LTTNG_D_STREAM] =
		RBS_IS("stream_id", SLOT, DECIMAL, VERBOSE, "STREAM", "stream id of the packet"),
};

const struct rbs_family lttng_family = {
	.name = "lttng",
	.title = "LTTng kernel ring buffers",
	.group = RBS_LEVEL_CHANNEL,
	.row = RBS_LEVEL_RING,
	.group_noun = "session",
	.other_field = "kind",
	.other_noun = "notifier group",
	.row_noun = "buffer",
	.name_header = {[RBS_LEVEL_RING] = "CPU", [RBS_LEVEL_SLOT] = "SB"},
	.descs = descs,
	.desc_count = LTTNG_D_COUNT,
};

const struct rbs_desc *lttng_desc(unsigned id)
{
	return &descs[id];
}
