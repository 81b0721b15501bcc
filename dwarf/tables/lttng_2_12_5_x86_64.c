/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by tools/layout_table.c: lttng-modules 2.12.5, Linux 5.10.0-46-amd64, x86_64. */
#include "dwarf/assumed_table.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern const struct rbs_assumed_table rbs_assumed_lttng_2_12_5_x86_64;

static const struct rbs_assumed_condition conditions[] = {
	{"list_head", NULL, 16, NULL},
	{"hlist_node", NULL, 16, NULL},
	{"kprobe", NULL, 136, "lttng_event"},
	{"notifier_block", NULL, 24, NULL},
	{"wait_queue_head", NULL, 24, NULL},
	{"timer_list", NULL, 40, NULL},
	{"raw_spinlock", NULL, 4, NULL},
	{"kref", NULL, 4, NULL},
	{"trace_array", "tracing_cpumask", 8, NULL},
};

/* Of a member: offset, size, elements, their size, kind, sign, bit offset, bits. */
static const struct rbs_assumed_member lttng_tracer_members[] = {
	{"lttng_session", "list", {48, 16, 1, 16, RBS_KIND_STRUCT, false, 0, 0}},
	{"lttng_session", "active", {0, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lttng_session", "been_active", {4, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lttng_session", "name", {33032, 256, 256, 1, RBS_KIND_ARRAY, false, 0, 0}},
	{"lttng_session", "chan", {16, 16, 1, 16, RBS_KIND_STRUCT, false, 0, 0}},
	{"lttng_session", "events", {32, 16, 1, 16, RBS_KIND_STRUCT, false, 0, 0}},
	{"lttng_session", "metadata_cache", {88, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_metadata_cache", "data", {0, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_metadata_cache", "cache_alloc", {8, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"lttng_metadata_cache", "metadata_written", {12, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"lttng_metadata_cache", "producing", {16, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lttng_channel", "list", {56, 16, 1, 16, RBS_KIND_STRUCT, false, 0, 0}},
	{"lttng_channel", "id", {0, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"lttng_channel", "channel_type", {164, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"lttng_channel", "chan", {8, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_channel", "transport", {80, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_channel", "enabled", {16, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lttng_transport", "name", {0, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_event", "list", {200, 16, 1, 16, RBS_KIND_STRUCT, false, 0, 0}},
	{"lttng_event", "desc", {24, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_event", "chan", {8, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lttng_event", "enabled", {16, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lttng_event_desc", "name", {0, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
};

static const struct rbs_assumed_enumerator lttng_tracer_enumerators[] = {
	{"channel_type", "METADATA_CHANNEL", 1},
};

static const struct rbs_assumed_absence lttng_tracer_absences[] = {
	{"lttng_kernel_session_private", NULL},	       {"lttng_kernel_session", NULL},
	{"lttng_kernel_channel_buffer_private", NULL}, {"lttng_kernel_channel_common", NULL},
	{"lttng_kernel_channel_type", NULL},	       {"lttng_kernel_channel_buffer", NULL},
	{"lttng_kernel_event_recorder_private", NULL}, {"lttng_kernel_event_recorder", NULL},
	{"lttng_kernel_event_common", NULL},	       {"lttng_event_notifier_group", NULL},
	{"lttng_kernel_event_notifier_private", NULL}, {"lttng_kernel_event_desc", NULL},
};

static const struct rbs_assumed_member lttng_lib_ring_buffer_members[] = {
	{"channel", "record_disabled", {0, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"channel", "commit_count_mask", {8, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"channel", "switch_timer_interval", {488, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"channel", "read_timer_interval", {496, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"channel", "finalized", {648, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"channel", "backend.buf_size", {16, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"channel", "backend.subbuf_size", {24, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"channel", "backend.num_subbuf", {56, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"channel", "backend.num_subbuf_order", {36, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"channel", "backend.extra_reader_sb", {44, 1, 1, 1, RBS_KIND_INT, false, 0, 1}},
	{"channel", "backend.buf", {48, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"channel", "backend.name", {232, 255, 255, 1, RBS_KIND_ARRAY, false, 0, 0}},
	{"channel", "backend.config.alloc", {120, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"channel", "backend.config.mode", {128, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"channel", "backend.config.tsc_bits", {152, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer", "offset", {0, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "commit_hot", {8, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lib_ring_buffer", "commit_cold", {112, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lib_ring_buffer", "consumed", {16, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "record_disabled", {24, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "last_tsc", {32, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "active_readers", {128, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "records_lost_full", {136, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "records_lost_wrap", {144, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "records_lost_big", {152, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "records_count", {160, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "records_overrun", {168, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "finalized", {224, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "get_subbuf", {416, 1, 1, 1, RBS_KIND_INT, false, 0, 1}},
	{"lib_ring_buffer", "get_subbuf_consumed", {392, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer", "prod_snapshot", {400, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer", "cons_snapshot", {408, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer", "switch_timer_enabled", {416, 1, 1, 1, RBS_KIND_INT, false, 1, 1}},
	{"lib_ring_buffer", "read_timer_enabled", {416, 1, 1, 1, RBS_KIND_INT, false, 2, 1}},
	{"lib_ring_buffer", "quiescent", {416, 1, 1, 1, RBS_KIND_INT, false, 3, 1}},
	{"lib_ring_buffer", "backend.allocated", {104, 1, 1, 1, RBS_KIND_INT, false, 0, 1}},
	{"lib_ring_buffer", "backend.buf_wsb", {40, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lib_ring_buffer", "backend.buf_rsb.id", {48, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer", "backend.buf_cnt", {56, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lib_ring_buffer", "backend.array", {64, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lib_ring_buffer", "backend.chan", {80, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
	{"lib_ring_buffer", "backend.cpu", {88, 4, 1, 4, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer", "backend.records_read", {96, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"commit_counters_hot", "cc", {0, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"commit_counters_hot", "seq", {8, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"commit_counters_cold", "cc_sb", {0, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer_backend_subbuffer", "id", {0, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer_backend_counts", "seq_cnt", {0, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer_backend_pages", "data_size", {24, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"lib_ring_buffer_backend_pages", "records_commit", {8, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer_backend_pages",
	 "records_unread",
	 {16, 8, 1, 8, RBS_KIND_INT, true, 0, 0}},
	{"lib_ring_buffer_backend_pages", "p", {32, 0, 0, 16, RBS_KIND_ARRAY, false, 0, 0}},
	{"lib_ring_buffer_backend_page", "virt", {0, 8, 1, 8, RBS_KIND_POINTER, false, 0, 0}},
};

static const struct rbs_assumed_size lttng_lib_ring_buffer_sizes[] = {
	{"commit_counters_hot", 16},
	{"commit_counters_cold", 8},
	{"lib_ring_buffer_backend_subbuffer", 8},
	{"lib_ring_buffer_backend_counts", 8},
	{"lib_ring_buffer_backend_page", 16},
};

static const struct rbs_assumed_enumerator lttng_lib_ring_buffer_enumerators[] = {
	{NULL, "RING_BUFFER_ALLOC_GLOBAL", 1},
	{NULL, "RING_BUFFER_OVERWRITE", 0},
};

static const struct rbs_assumed_absence lttng_lib_ring_buffer_absences[] = {
	{"lttng_kernel_ring_buffer_channel", NULL},
	{"channel", "been_active"},
	{"", NULL},
	{"channel", "backend.config.timestamp_bits"},
	{"lttng_kernel_ring_buffer", NULL},
	{"lttng_kernel_ring_buffer_backend_subbuffer", NULL},
	{"lttng_kernel_ring_buffer_backend_counts", NULL},
	{"lttng_kernel_ring_buffer_backend_pages", NULL},
	{"lttng_kernel_ring_buffer_backend_page", NULL},
};

static const struct rbs_assumed_member lttng_ring_buffer_client_discard_members[] = {
	{"packet_header", "magic", {0, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "uuid", {4, 16, 16, 1, RBS_KIND_ARRAY, false, 0, 0}},
	{"packet_header", "stream_id", {20, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "stream_instance_id", {24, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.timestamp_begin", {32, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.timestamp_end", {40, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.content_size", {48, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.packet_size", {56, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.packet_seq_num", {64, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.events_discarded", {72, 8, 1, 8, RBS_KIND_INT, false, 0, 0}},
	{"packet_header", "ctx.cpu_id", {80, 4, 1, 4, RBS_KIND_INT, false, 0, 0}},
};

static const struct rbs_assumed_size lttng_ring_buffer_client_discard_sizes[] = {
	{"packet_header", 88},
};

static const struct rbs_assumed_module modules[] = {
	{
		.name = "lttng_tracer",
		.members = lttng_tracer_members,
		.member_count = COUNT(lttng_tracer_members),
		.enumerators = lttng_tracer_enumerators,
		.enumerator_count = COUNT(lttng_tracer_enumerators),
		.absences = lttng_tracer_absences,
		.absence_count = COUNT(lttng_tracer_absences),
	},
	{
		.name = "lttng_lib_ring_buffer",
		.members = lttng_lib_ring_buffer_members,
		.member_count = COUNT(lttng_lib_ring_buffer_members),
		.sizes = lttng_lib_ring_buffer_sizes,
		.size_count = COUNT(lttng_lib_ring_buffer_sizes),
		.enumerators = lttng_lib_ring_buffer_enumerators,
		.enumerator_count = COUNT(lttng_lib_ring_buffer_enumerators),
		.absences = lttng_lib_ring_buffer_absences,
		.absence_count = COUNT(lttng_lib_ring_buffer_absences),
	},
	{
		.name = "lttng_ring_buffer_client_discard",
		.members = lttng_ring_buffer_client_discard_members,
		.member_count = COUNT(lttng_ring_buffer_client_discard_members),
		.sizes = lttng_ring_buffer_client_discard_sizes,
		.size_count = COUNT(lttng_ring_buffer_client_discard_sizes),
	},
};

const struct rbs_assumed_table rbs_assumed_lttng_2_12_5_x86_64 = {
	.product = "LTTng",
	.version = "2.12.5",
	.arch = "x86_64",
	.kernel = "5.10.0-46-amd64",
	.conditions = conditions,
	.condition_count = COUNT(conditions),
	.modules = modules,
	.module_count = COUNT(modules),
};
