/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the members of LTTng's structures are: one table a module. tools/layout_table.c asks the
 * same tables of modules with debug information, to make dwarf/tables/.
 */
#include "lib/probes/lttng/lttng.h"

/*
 * The names of a member's structure since 2.13 ("Rename struct lib_ring_buffer* to struct
 * lttng_kernel_ring_buffer*"), before, and before 2.0. Since 2.14 channels and events have common
 * parts that counters share ("Rename session chan field to chan_head", "Implement event counter
 * creation"); since 2.15 and in later 2.13 and 2.14 the two kinds of buffers have two names ("fix:
 * percpu: repurpose __percpu tag as a named address space qualifier (v6.15)").
 */
#define SESSION(member)                                                                            \
	"lttng_kernel_session_private:" member "|lttng_session:" member "|ltt_session:" member
#define CHANNEL(member) "lttng_kernel_channel_buffer_private:" member
#define EVENT(member) "lttng_kernel_event_recorder_private:" member
#define NOTIFIER(member) "lttng_kernel_event_notifier_private:" member
#define RING_CHANNEL(member) "lttng_kernel_ring_buffer_channel:" member "|channel:" member
#define BUFFER(member) "lttng_kernel_ring_buffer:" member "|lib_ring_buffer:" member
#define PAGES(member)                                                                              \
	"lttng_kernel_ring_buffer_backend_pages:" member "|lib_ring_buffer_backend_pages:" member

const struct rbs_layout_entry lttng_session_entries[LS_COUNT] = {
	[LS_LIST] = {"lttng_kernel_session_private:node|" SESSION("list")},
	[LS_PUBLIC] = {"lttng_kernel_session_private:pub", RBS_OPTIONAL},
	[LS_PRIVATE] = {"lttng_kernel_session:priv", RBS_OPTIONAL},
	[LS_ACTIVE] = {"lttng_kernel_session:active|lttng_session:active|ltt_session:active",
		       RBS_OPTIONAL},
	[LS_BEEN_ACTIVE] = {SESSION("been_active"), RBS_OPTIONAL},
	[LS_NAME] = {SESSION("name"), RBS_OPTIONAL},
	[LS_CHANNELS] = {"lttng_kernel_session_private:chan_head|" SESSION("chan")},
	[LS_EVENTS] = {"lttng_kernel_session_private:events_head|" SESSION("events"), RBS_OPTIONAL},
	/* The whole text that describes the trace, kept for readers that come later. */
	[LS_METADATA] = {SESSION("metadata_cache"), RBS_OPTIONAL},
	[LM_DATA] = {"lttng_metadata_cache:data", RBS_OPTIONAL},
	[LM_ALLOC] = {"lttng_metadata_cache:cache_alloc", RBS_OPTIONAL},
	[LM_WRITTEN] = {"lttng_metadata_cache:metadata_written", RBS_OPTIONAL},
	[LM_PRODUCING] = {"lttng_metadata_cache:producing", RBS_OPTIONAL},
	[LC_NODE] = {CHANNEL("parent.node") "|" CHANNEL("node") "|lttng_channel:list|"
								"ltt_channel:list"},
	[LC_ID] = {CHANNEL("id") "|lttng_channel:id|ltt_channel:id", RBS_OPTIONAL},
	[LC_TYPE] = {CHANNEL("channel_type") "|lttng_channel:channel_type", RBS_OPTIONAL},
	[LC_RING] = {CHANNEL("rb_chan") "|lttng_channel:chan|"
					"ltt_channel:chan"},
	[LC_TRANSPORT] = {CHANNEL("transport") "|lttng_channel:transport", RBS_OPTIONAL},
	[LC_PUBLIC] = {CHANNEL("pub"), RBS_OPTIONAL},
	[LC_COMMON] = {CHANNEL("parent.pub"), RBS_OPTIONAL},
	[LC_COMMON_TYPE] = {"lttng_kernel_channel_common:type", RBS_OPTIONAL},
	[LC_COUNTER] = {"lttng_kernel_channel_type:LTTNG_KERNEL_CHANNEL_TYPE_COUNTER",
			RBS_ENUMERATOR | RBS_OPTIONAL},
	[LC_ENABLED] = {"lttng_kernel_channel_buffer:parent.enabled|lttng_channel:enabled|"
			"ltt_channel:enabled",
			RBS_OPTIONAL},
	[LC_TYPE_METADATA] = {"channel_type:METADATA_CHANNEL", RBS_ENUMERATOR | RBS_OPTIONAL},
	[LT_NAME] = {"lttng_transport:name", RBS_OPTIONAL},
	[LE_NODE] = {EVENT("parent.parent.node") "|" EVENT("node") "|lttng_event:list|"
								   "ltt_event:list",
		     RBS_OPTIONAL},
	[LE_DESC] = {EVENT("parent.parent.desc") "|" EVENT("parent.desc") "|lttng_event:desc|"
									  "ltt_event:desc",
		     RBS_OPTIONAL},
	/* Of which channel: in the event itself, in 2.13 in its public part. */
	[LE_CHANNEL] = {EVENT("parent.chan") "|lttng_event:chan|ltt_event:chan", RBS_OPTIONAL},
	[LE_PUBLIC] = {EVENT("pub"), RBS_OPTIONAL},
	[LE_PUBLIC_CHANNEL] = {"lttng_kernel_event_recorder:chan", RBS_OPTIONAL},
	[LE_COMMON] = {EVENT("parent.parent.pub") "|" EVENT("parent.pub"), RBS_OPTIONAL},
	[LE_ENABLED] = {"lttng_kernel_event_common:enabled|lttng_event:enabled|ltt_event:enabled",
			RBS_OPTIONAL},
	/*
	 * Since 2.13 ("Implement event notifier group create"): a group has a ring buffer of its
	 * own. Since 2.14 notifiers are listed by the part that they have in common with recorders
	 * ("Refactoring: move event list node field to common structure").
	 */
	[LG_NODE] = {"lttng_event_notifier_group:node", RBS_OPTIONAL},
	[LG_RING] = {"lttng_event_notifier_group:chan", RBS_OPTIONAL},
	[LG_TRANSPORT] = {"lttng_event_notifier_group:transport", RBS_OPTIONAL},
	[LG_NOTIFIERS] = {"lttng_event_notifier_group:event_notifiers_head", RBS_OPTIONAL},
	[LG_NOTIFIER_NODE] = {NOTIFIER("parent.node") "|" NOTIFIER("node"), RBS_OPTIONAL},
	[LG_NOTIFIER_DESC] = {NOTIFIER("parent.desc"), RBS_OPTIONAL},
	[LG_NOTIFIER_COMMON] = {NOTIFIER("parent.pub"), RBS_OPTIONAL},
	[LE_DESC_NAME] = {"lttng_kernel_event_desc:event_name|lttng_event_desc:name", RBS_OPTIONAL},
};

const struct rbs_layout_entry lttng_ring_entries[LR_COUNT] = {
	[LR_RECORD_DISABLED] = {RING_CHANNEL("record_disabled"), RBS_OPTIONAL},
	/* 'channel' is a name that others use too: this member tells LTTng's. */
	[LR_COMMIT_MASK] = {RING_CHANNEL("commit_count_mask")},
	[LR_SWITCH_INTERVAL] = {RING_CHANNEL("switch_timer_interval"), RBS_OPTIONAL},
	[LR_READ_INTERVAL] = {RING_CHANNEL("read_timer_interval"), RBS_OPTIONAL},
	[LR_FINALIZED] = {RING_CHANNEL("finalized"), RBS_OPTIONAL},
	[LR_BEEN_ACTIVE] = {RING_CHANNEL("been_active"), RBS_OPTIONAL},
	[LR_BUF_SIZE] = {RING_CHANNEL("backend.buf_size")},
	[LR_SUBBUF_SIZE] = {RING_CHANNEL("backend.subbuf_size")},
	[LR_NUM_SUBBUF] = {RING_CHANNEL("backend.num_subbuf")},
	[LR_NUM_ORDER] = {RING_CHANNEL("backend.num_subbuf_order")},
	[LR_EXTRA_READER] = {RING_CHANNEL("backend.extra_reader_sb"), RBS_OPTIONAL},
	[LR_BUF] = {"lttng_kernel_ring_buffer_channel:backend.percpu_buf|" RING_CHANNEL(
		"backend.buf")},
	[LR_NAME] = {RING_CHANNEL("backend.name"), RBS_OPTIONAL},
	[LR_ALLOC] = {RING_CHANNEL("backend.config.alloc")},
	[LR_MODE] = {RING_CHANNEL("backend.config.mode")},
	/* Renamed in 2.16. */
	[LR_ALLOC_GLOBAL] = {":RING_BUFFER_ALLOC_PER_CHANNEL|:RING_BUFFER_ALLOC_GLOBAL",
			     RBS_ENUMERATOR},
	[LR_MODE_OVERWRITE] = {":RING_BUFFER_OVERWRITE", RBS_ENUMERATOR},
	/* Of a time stamp, how many the smallest event has ("tsc" until 2.13). */
	[LR_TIMESTAMP_BITS] = {RING_CHANNEL("backend.config.timestamp_bits") "|" RING_CHANNEL(
				       "backend.config.tsc_bits"),
			       RBS_OPTIONAL},
	[LB_OFFSET] = {BUFFER("offset")},
	[LB_COMMIT_HOT] = {BUFFER("commit_hot")},
	[LB_COMMIT_COLD] = {BUFFER("commit_cold")},
	[LB_CONSUMED] = {BUFFER("consumed")},
	[LB_RECORD_DISABLED] = {BUFFER("record_disabled"), RBS_OPTIONAL},
	[LB_LAST_TIMESTAMP] = {"lttng_kernel_ring_buffer:last_timestamp|" BUFFER("last_tsc"),
			       RBS_OPTIONAL},
	[LB_ACTIVE_READERS] = {BUFFER("active_readers"), RBS_OPTIONAL},
	[LB_LOST_FULL] = {BUFFER("records_lost_full"), RBS_OPTIONAL},
	[LB_LOST_WRAP] = {BUFFER("records_lost_wrap"), RBS_OPTIONAL},
	[LB_LOST_BIG] = {BUFFER("records_lost_big"), RBS_OPTIONAL},
	[LB_COUNT_RECORDS] = {BUFFER("records_count"), RBS_OPTIONAL},
	[LB_OVERRUN] = {BUFFER("records_overrun"), RBS_OPTIONAL},
	[LB_FINALIZED] = {BUFFER("finalized"), RBS_OPTIONAL},
	[LB_GET_SUBBUF] = {BUFFER("get_subbuf"), RBS_OPTIONAL},
	[LB_GET_CONSUMED] = {BUFFER("get_subbuf_consumed"), RBS_OPTIONAL},
	[LB_PROD_SNAPSHOT] = {BUFFER("prod_snapshot"), RBS_OPTIONAL},
	[LB_CONS_SNAPSHOT] = {BUFFER("cons_snapshot"), RBS_OPTIONAL},
	[LB_SWITCH_TIMER] = {BUFFER("switch_timer_enabled"), RBS_OPTIONAL},
	[LB_READ_TIMER] = {BUFFER("read_timer_enabled"), RBS_OPTIONAL},
	[LB_QUIESCENT] = {BUFFER("quiescent"), RBS_OPTIONAL},
	[LB_ALLOCATED] = {BUFFER("backend.allocated"), RBS_OPTIONAL},
	[LB_WSB] = {BUFFER("backend.buf_wsb"), RBS_OPTIONAL},
	[LB_RSB] = {BUFFER("backend.buf_rsb.id"), RBS_OPTIONAL},
	[LB_CNT] = {BUFFER("backend.buf_cnt"), RBS_OPTIONAL},
	[LB_ARRAY] = {BUFFER("backend.array"), RBS_OPTIONAL},
	[LB_CHAN] = {BUFFER("backend.chan")},
	[LB_CPU] = {BUFFER("backend.cpu"), RBS_OPTIONAL},
	[LB_RECORDS_READ] = {BUFFER("backend.records_read"), RBS_OPTIONAL},
	[LH_SIZE] = {"commit_counters_hot", RBS_SIZE},
	[LH_CC] = {"commit_counters_hot:cc"},
	[LH_SEQ] = {"commit_counters_hot:seq", RBS_OPTIONAL},
	[LCC_SIZE] = {"commit_counters_cold", RBS_SIZE},
	[LCC_CC_SB] = {"commit_counters_cold:cc_sb"},
	[LW_SIZE] = {"lttng_kernel_ring_buffer_backend_subbuffer|lib_ring_buffer_backend_subbuffer",
		     RBS_SIZE | RBS_OPTIONAL},
	[LW_ID] = {"lttng_kernel_ring_buffer_backend_subbuffer:id|"
		   "lib_ring_buffer_backend_subbuffer:id",
		   RBS_OPTIONAL},
	[LN_SIZE] = {"lttng_kernel_ring_buffer_backend_counts|lib_ring_buffer_backend_counts",
		     RBS_SIZE | RBS_OPTIONAL},
	[LN_SEQ_CNT] = {"lttng_kernel_ring_buffer_backend_counts:seq_cnt|"
			"lib_ring_buffer_backend_counts:seq_cnt",
			RBS_OPTIONAL},
	[LP_DATA_SIZE] = {PAGES("data_size"), RBS_OPTIONAL},
	[LP_RECORDS_COMMIT] = {PAGES("records_commit"), RBS_OPTIONAL},
	[LP_RECORDS_UNREAD] = {PAGES("records_unread"), RBS_OPTIONAL},
	[LP_PAGES] = {PAGES("p"), RBS_OPTIONAL},
	[LP_PAGE_SIZE] = {"lttng_kernel_ring_buffer_backend_page|lib_ring_buffer_backend_page",
			  RBS_SIZE | RBS_OPTIONAL},
	[LP_VIRT] = {"lttng_kernel_ring_buffer_backend_page:virt|lib_ring_buffer_backend_page:virt",
		     RBS_OPTIONAL},
};

const struct rbs_layout_entry lttng_packet_entries[LK_COUNT] = {
	[LK_MAGIC] = {"packet_header:magic"},
	[LK_UUID] = {"packet_header:uuid", RBS_OPTIONAL},
	[LK_STREAM] = {"packet_header:stream_id", RBS_OPTIONAL},
	[LK_INSTANCE] = {"packet_header:stream_instance_id", RBS_OPTIONAL},
	[LK_BEGIN] = {"packet_header:ctx.timestamp_begin", RBS_OPTIONAL},
	[LK_END] = {"packet_header:ctx.timestamp_end", RBS_OPTIONAL},
	[LK_CONTENT] = {"packet_header:ctx.content_size", RBS_OPTIONAL},
	[LK_PACKET] = {"packet_header:ctx.packet_size", RBS_OPTIONAL},
	[LK_SEQ] = {"packet_header:ctx.packet_seq_num", RBS_OPTIONAL},
	[LK_DISCARDED] = {"packet_header:ctx.events_discarded", RBS_OPTIONAL},
	[LK_CPU] = {"packet_header:ctx.cpu_id", RBS_OPTIONAL},
	[LK_SIZE] = {"packet_header", RBS_SIZE | RBS_OPTIONAL},
};
