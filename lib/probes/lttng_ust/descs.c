/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/lttng_ust/lttng_ust.h"

static const struct rbs_desc descs[UST_D_COUNT] = {
	[UST_D_KIND] = RBS_IS("kind", DEVICE, TEXT, VERBOSE, NULL,
			      "consumer: the daemon that reads the buffers; process: the traced "
			      "one whose alone they are; unmapped: no process maps them"),
	[UST_D_PID] = RBS_IS("pid", DEVICE, DECIMAL, TITLE, NULL, "the owner's process id"),
	[UST_D_UID] = RBS_IS("uid", DEVICE, DECIMAL, TITLE, NULL, "its user"),
	[UST_D_PROGRAM] =
		RBS_IS("program", DEVICE, TEXT, VERBOSE, NULL, "name of the file that it runs"),
	[UST_D_SESSION] = RBS_IS("session", CHANNEL, TEXT, TITLE, NULL,
				 "the tracing session, by the trace's metadata or the file's path"),
	[UST_D_CHANNEL] = RBS_IS("channel", CHANNEL, TEXT, TITLE, NULL,
				 "the channel's name, where the file's path tells it (--shm-path)"),
	[UST_D_ID] = RBS_IS("id", CHANNEL, DECIMAL, VERBOSE, NULL,
			    "the channel's number in its trace (stream class)"),
	[UST_D_TYPE] = RBS_IS("type", CHANNEL, TEXT, VERBOSE, NULL, "data or metadata"),
	[UST_D_MODE] = RBS_IS("mode", CHANNEL, TEXT, TITLE, NULL,
			      "discard: new events are lost when full; overwrite: the oldest are"),
	[UST_D_BUFFERING] = RBS_IS("buffering", CHANNEL, TEXT, TITLE, NULL,
				   "per-uid: all programs of a user share the buffers; per-pid: a "
				   "program has its own; unknown where memory does not tell"),
	[UST_D_BUFFERING_BY] =
		RBS_IS("buffering_by", CHANNEL, TEXT, VERBOSE, NULL,
		       "what tells: the trace's metadata, the file's path, or that several "
		       "processes map it"),
	[UST_D_WORD_SIZE] =
		RBS_IS("word_size", CHANNEL, DECIMAL, TITLE, "bits", "32 or 64: of the programs"),
	[UST_D_BYTE_ORDER] = RBS_IS("byte_order", CHANNEL, TEXT, VERBOSE, NULL, "little or big"),
	[UST_D_SUBBUF_SIZE] = RBS_IS("subbuf_size", CHANNEL, DECIMAL, TITLE, "sub-buffer bytes",
				     "bytes of a sub-buffer"),
	[UST_D_NUM_SUBBUF] = RBS_IS("num_subbuf", CHANNEL, DECIMAL, TITLE, "sub-buffers",
				    "sub-buffers of a buffer"),
	[UST_D_PROCESSES] = RBS_IS("processes", CHANNEL, TEXT, TITLE, NULL,
				   "processes that map its buffers: number, program, user"),
	[UST_D_TRACE] = RBS_IS("trace", CHANNEL, TEXT, VERBOSE, NULL, "the trace's UUID"),
	[UST_D_ABI] = RBS_IS("abi", CHANNEL, TEXT, VERBOSE, NULL,
			     "version of the crash ABI that the buffer starts with"),
	[UST_D_RELEASE] = RBS_IS("release", CHANNEL, TEXT, VERBOSE, NULL,
				 "releases of LTTng-UST whose layout the buffer has (assumed "
				 "layout, checked against the crash ABI)"),
	[UST_D_WRITE_OFFSET] = RBS_COUNTS("write_offset", RING, DECIMAL, COLUMN, "WRITTEN", "bytes",
					  "position up to which writers have reserved", NULL),
	[UST_D_CONSUMED] =
		RBS_COUNTS("consumed", RING, DECIMAL, COLUMN, "CONSUMED", "bytes",
			   "position up to which the consumer has taken sub-buffers", NULL),
	[UST_D_READABLE] = RBS_COUNTS("readable", RING, DECIMAL, COLUMN, "READABLE", "bytes",
				      "bytes in whole sub-buffers that a reader can take now",
				      "nobody reads: the consumer is stopped or dead"),
	[UST_D_UNCOMMITTED] =
		RBS_COUNTS("uncommitted", RING, DECIMAL, COLUMN, "UNCOMM", "bytes",
			   "bytes that writers reserved and did not commit",
			   "a program was stopped or died between reserve and commit"),
	[UST_D_LOST_FULL] = RBS_COUNTS("records_lost_full", RING, DECIMAL, COLUMN, "LOST_FULL",
				       NULL, "events lost because the buffer was full",
				       "the buffer is too small, or nobody reads it"),
	[UST_D_LOST_WRAP] = RBS_COUNTS("records_lost_wrap", RING, DECIMAL, COLUMN, "WRAP", NULL,
				       "events lost because nested writers filled the whole buffer",
				       "the buffer is far too small"),
	[UST_D_LOST_BIG] = RBS_COUNTS("records_lost_big", RING, DECIMAL, COLUMN, "BIG", NULL,
				      "events lost because they were larger than a sub-buffer",
				      "sub-buffers are too small for the events"),
	[UST_D_PASSED] = RBS_COUNTS("passed", RING, DECIMAL, COLUMN_IF, "PASSED", "bytes",
				    "overwrite mode: bytes before the consumed position, "
				    "overwritten unless a reader took them",
				    "overwritten events"),
	[UST_D_DISABLED] = RBS_COUNTS("record_disabled", RING, DECIMAL, COLUMN_IF, "DISABLED", NULL,
				      "not 0: recording is stopped on this buffer",
				      "the buffer was frozen: after a warning of the tracer"),
	[UST_D_READERS] = RBS_COUNTS("active_readers", RING, DECIMAL, VERBOSE, "READERS", NULL,
				     "readers that have the buffer open", NULL),
	[UST_D_RECORDS] = RBS_COUNTS("records_count", RING, DECIMAL, VERBOSE, "RECORDS", NULL,
				     "events written, where the build counts them", NULL),
	[UST_D_OVERRUN] =
		RBS_COUNTS("records_overrun", RING, DECIMAL, VERBOSE, "OVERRUN", NULL,
			   "events overwritten, where the build counts them", "overwritten events"),
	[UST_D_FINALIZED] =
		RBS_IS("finalized", RING, BOOL, VERBOSE, "FINAL", "the buffer is being torn down"),
	[UST_D_GET_SUBBUF] =
		RBS_IS("get_subbuf", RING, BOOL, VERBOSE, "HELD", "a reader holds a sub-buffer"),
	[UST_D_GET_CONSUMED] =
		RBS_COUNTS("get_subbuf_consumed", RING, DECIMAL, VERBOSE, "HELD_AT", "bytes",
			   "position of the sub-buffer that a reader last took", NULL),
	[UST_D_PROD_SNAPSHOT] = RBS_COUNTS("prod_snapshot", RING, DECIMAL, VERBOSE, "SNAP_PROD",
					   "bytes", "write offset of the last snapshot", NULL),
	[UST_D_CONS_SNAPSHOT] = RBS_COUNTS("cons_snapshot", RING, DECIMAL, VERBOSE, "SNAP_CONS",
					   "bytes", "consumed position of the last snapshot", NULL),
	[UST_D_LAST_TIMESTAMP] =
		RBS_COUNTS("last_timestamp", RING, DECIMAL, VERBOSE, "LAST_TS", "ns",
			   "time stamp of the last event, in the trace clock (of 32-bit programs "
			   "without its lower bits)",
			   NULL),
	[UST_D_INODE] = RBS_IS("inode", RING, DECIMAL, VERBOSE, "INODE",
			       "number of its shared memory file"),
	[UST_D_PATH] = RBS_IS("path", RING, TEXT, HIDDEN, NULL,
			      "its file's path in its file system, as memory tells"),
	[UST_D_ROUTES] =
		RBS_IS("found_by", RING, TEXT, VERBOSE, "FOUND",
		       "what led to it: processes' areas, tmpfs inodes, page descriptions"),
	[UST_D_PAGES] = RBS_COUNTS("pages", RING, DECIMAL, VERBOSE, "PAGES", NULL,
				   "pages of its file", NULL),
	[UST_D_PAGES_PRESENT] = RBS_COUNTS("pages_present", RING, DECIMAL, VERBOSE, "PRESENT", NULL,
					   "pages of it that were in memory", NULL),
	[UST_D_PAGES_SWAPPED] = RBS_COUNTS("pages_swapped", RING, DECIMAL, VERBOSE, "SWAPPED", NULL,
					   "pages of it that were swapped out", NULL),
	[UST_D_PAGES_AGREED] = RBS_COUNTS(
		"pages_agreed", RING, DECIMAL, VERBOSE, "AGREED", NULL,
		"page table entries of processes that name the page that the file does", NULL),
	[UST_D_PAGES_DIFFER] =
		RBS_COUNTS("pages_differ", RING, DECIMAL, VERBOSE, "DIFFER", NULL,
			   "page table entries that name another: should be 0",
			   "one of the two tables is damaged: do not trust the figures"),
	[UST_D_STATE] = RBS_IS("state", SLOT, TEXT, COLUMN, "STATE",
			       "free, writing, uncommitted (written over its end, not "
			       "committed), delivered (readable), reading, passed"),
	[UST_D_COMMITTED] = RBS_COUNTS("committed", SLOT, DECIMAL, COLUMN, "COMMITTED", "bytes",
				       "bytes committed in its latest pass", NULL),
	[UST_D_VISIBLE] = RBS_COUNTS("visible", SLOT, DECIMAL, COLUMN, "VISIBLE", "bytes",
				     "bytes of it that readers see: all or none", NULL),
	[UST_D_SHORT] = RBS_COUNTS("short", SLOT, DECIMAL, COLUMN, "SHORT", "bytes",
				   "bytes reserved and not committed",
				   "a writer was stopped between reserve and commit"),
	[UST_D_PACKET_SEQ] = RBS_COUNTS("packet_seq", SLOT, DECIMAL, COLUMN, "PACKET", NULL,
					"packet sequence number", NULL),
	[UST_D_BEGIN] = RBS_COUNTS("timestamp_begin", SLOT, DECIMAL, COLUMN, "BEGIN", "ns",
				   "time stamp at the begin of the packet", NULL),
	[UST_D_END] = RBS_COUNTS("timestamp_end", SLOT, DECIMAL, COLUMN, "END", "ns",
				 "time stamp at its end", NULL),
	[UST_D_CONTENT] = RBS_COUNTS("content_size", SLOT, DECIMAL, COLUMN, "BITS", "bits",
				     "bits of the packet that hold data", NULL),
	[UST_D_PACKET_SIZE] = RBS_COUNTS("packet_size", SLOT, DECIMAL, VERBOSE, "PACKET_BITS",
					 "bits", "bits of the packet", NULL),
	[UST_D_DISCARDED] = RBS_COUNTS("events_discarded", SLOT, DECIMAL, COLUMN, "DISCARDED", NULL,
				       "events discarded up to the end of the packet", NULL),
	[UST_D_CC] = RBS_COUNTS("commit_count", SLOT, DECIMAL, VERBOSE, "CC", "bytes",
				"the commit counter itself (cc)", NULL),
	[UST_D_CC_SB] = RBS_COUNTS("commit_count_sb", SLOT, DECIMAL, VERBOSE, "CC_SB", "bytes",
				   "the counter that readers go by (cc_sb)", NULL),
	[UST_D_CC_SEQ] = RBS_COUNTS("commit_seq", SLOT, DECIMAL, VERBOSE, "SEQ", "bytes",
				    "consecutive commits (seq)", NULL),
	[UST_D_PACKETS] = RBS_COUNTS("seq_cnt", SLOT, DECIMAL, VERBOSE, "PACKETS", NULL,
				     "packets that went through the sub-buffer", NULL),
};

const struct rbs_family ust_family = {
	.name = "lttng-ust",
	.title = "LTTng user space buffers",
	.group = RBS_LEVEL_CHANNEL,
	.row = RBS_LEVEL_RING,
	.group_noun = "owner",
	.row_noun = "buffer",
	.name_header = {[RBS_LEVEL_RING] = "CPU", [RBS_LEVEL_SLOT] = "SB"},
	.descs = descs,
	.desc_count = UST_D_COUNT,
};

const struct rbs_desc *ust_desc(unsigned id)
{
	return &descs[id];
}
