/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/lttng/lttng.h"

#include "lib/walk.h"

/* The names of a member's structure before and since 2.13, and in 2.0. */
#define SESSION(member)                                                                            \
	"lttng_kernel_session_private:" member "|lttng_session:" member "|ltt_session:" member
#define RING_CHANNEL(member) "lttng_kernel_ring_buffer_channel:" member "|channel:" member
#define BACKEND(member) "channel_backend:" member
#define BUFFER(member) "lttng_kernel_ring_buffer:" member "|lib_ring_buffer:" member
#define PAGES(member)                                                                              \
	"lttng_kernel_ring_buffer_backend_pages:" member "|lib_ring_buffer_backend_pages:" member

static const struct rbs_layout_entry session_entries[LS_COUNT] = {
	[LS_LIST] = {SESSION("list")},
	[LS_PUBLIC] = {"lttng_kernel_session_private:pub", RBS_OPTIONAL},
	[LS_ACTIVE] = {"lttng_kernel_session:active|lttng_session:active|ltt_session:active",
		       RBS_OPTIONAL},
	[LS_BEEN_ACTIVE] = {SESSION("been_active"), RBS_OPTIONAL},
	[LS_NAME] = {SESSION("name"), RBS_OPTIONAL},
	[LS_CHANNELS] = {SESSION("chan")},
	[LS_EVENTS] = {"lttng_kernel_session_private:events|lttng_session:events|"
		       "ltt_session:events",
		       RBS_OPTIONAL},
	[LC_NODE] = {"lttng_kernel_channel_buffer_private:node|lttng_channel:list|"
		     "ltt_channel:list"},
	[LC_ID] = {"lttng_kernel_channel_buffer_private:id|lttng_channel:id|ltt_channel:id",
		   RBS_OPTIONAL},
	[LC_TYPE] = {"lttng_kernel_channel_buffer_private:channel_type|lttng_channel:channel_type",
		     RBS_OPTIONAL},
	[LC_RING] = {"lttng_kernel_channel_buffer_private:rb_chan|lttng_channel:chan|"
		     "ltt_channel:chan"},
	[LC_TRANSPORT] = {"lttng_kernel_channel_buffer_private:transport|"
			  "lttng_channel:transport",
			  RBS_OPTIONAL},
	[LC_PUBLIC] = {"lttng_kernel_channel_buffer_private:pub", RBS_OPTIONAL},
	[LC_ENABLED] = {"lttng_kernel_channel_buffer:parent.enabled|lttng_channel:enabled|"
			"ltt_channel:enabled",
			RBS_OPTIONAL},
	[LC_TYPE_METADATA] = {"channel_type:METADATA_CHANNEL", RBS_ENUMERATOR | RBS_OPTIONAL},
	[LT_NAME] = {"lttng_transport:name", RBS_OPTIONAL},
	[LE_NODE] = {"lttng_kernel_event_recorder_private:node|lttng_event:list|ltt_event:list",
		     RBS_OPTIONAL},
	[LE_DESC] = {"lttng_kernel_event_recorder_private:parent.desc|lttng_event:desc|"
		     "ltt_event:desc",
		     RBS_OPTIONAL},
	[LE_PUBLIC] = {"lttng_kernel_event_recorder_private:pub", RBS_OPTIONAL},
	[LE_CHANNEL] = {"lttng_kernel_event_recorder:chan|lttng_event:chan|ltt_event:chan",
			RBS_OPTIONAL},
	[LE_DESC_NAME] = {"lttng_kernel_event_desc:event_name|lttng_event_desc:name", RBS_OPTIONAL},
};

static const struct rbs_layout_entry ring_entries[LR_COUNT] = {
	[LR_RECORD_DISABLED] = {RING_CHANNEL("record_disabled"), RBS_OPTIONAL},
	/* 'channel' is a name that others use too: this member tells LTTng's. */
	[LR_COMMIT_MASK] = {RING_CHANNEL("commit_count_mask")},
	[LR_SWITCH_INTERVAL] = {RING_CHANNEL("switch_timer_interval"), RBS_OPTIONAL},
	[LR_READ_INTERVAL] = {RING_CHANNEL("read_timer_interval"), RBS_OPTIONAL},
	[LR_FINALIZED] = {RING_CHANNEL("finalized"), RBS_OPTIONAL},
	[LR_BUF_SIZE] = {RING_CHANNEL("backend.buf_size")},
	[LR_SUBBUF_SIZE] = {RING_CHANNEL("backend.subbuf_size")},
	[LR_NUM_SUBBUF] = {RING_CHANNEL("backend.num_subbuf")},
	[LR_NUM_ORDER] = {RING_CHANNEL("backend.num_subbuf_order")},
	[LR_EXTRA_READER] = {RING_CHANNEL("backend.extra_reader_sb"), RBS_OPTIONAL},
	[LR_BUF] = {RING_CHANNEL("backend.buf")},
	[LR_NAME] = {RING_CHANNEL("backend.name"), RBS_OPTIONAL},
	[LR_ALLOC] = {RING_CHANNEL("backend.config.alloc")},
	[LR_MODE] = {RING_CHANNEL("backend.config.mode")},
	[LR_ALLOC_GLOBAL] = {":RING_BUFFER_ALLOC_GLOBAL", RBS_ENUMERATOR},
	[LR_MODE_OVERWRITE] = {":RING_BUFFER_OVERWRITE", RBS_ENUMERATOR},
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
	[LP_VIRT] = {"lttng_kernel_ring_buffer_backend_page:virt|lib_ring_buffer_backend_page:virt",
		     RBS_OPTIONAL},
};

struct rbs_value lttng_show(struct lttng_probe *probe, const struct rbs_layout *layout,
			    unsigned member, uint64_t base, struct rbs_node *node, unsigned desc)
{
	struct rbs_value value = rbs_layout_read(layout, member, probe->target, base);

	if (value.code != RBS_NO_MEMBER)
		rbs_node_set(node, lttng_desc(desc), value);
	return value;
}

static bool counter_is(const struct rbs_field *field)
{
	static const unsigned counters[] = {LTTNG_D_RECORDS, LTTNG_D_OVERRUN, LTTNG_D_RECORDS_READ,
					    LTTNG_D_RECORDS_COMMIT, LTTNG_D_RECORDS_UNREAD};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (field->desc == lttng_desc(counters[i]))
			return true;
	}
	return false;
}

/* True when one of the node's record counters is not 0; settle: mark them as not counted. */
static bool counters_visit(struct rbs_node *node, bool settle)
{
	bool counted = false;

	for (size_t i = 0; i < node->field_count; i++) {
		struct rbs_field *field = &node->fields[i];

		if (field->code != RBS_OK || !counter_is(field))
			continue;
		counted |= field->number != 0;
		if (settle)
			field->code = RBS_NOT_COUNTED;
	}
	return counted;
}

static bool buffers_visit(struct rbs_node *channel, bool settle)
{
	bool counted = false;

	for (size_t r = 0; r < channel->child_count; r++) {
		struct rbs_node *ring = channel->children[r];

		counted |= counters_visit(ring, settle);
		for (size_t i = 0; i < ring->child_count; i++)
			counted |= counters_visit(ring->children[i], settle);
	}
	return counted;
}

static bool sessions_visit(struct rbs_node *section, bool settle)
{
	bool counted = false;

	for (size_t s = 0; s < section->child_count; s++) {
		struct rbs_node *session = section->children[s];

		for (size_t c = 0; c < session->child_count; c++)
			counted |= buffers_visit(session->children[c], settle);
	}
	return counted;
}

static enum rbs_code sessions_walk(struct lttng_probe *probe, uint64_t head, struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_list_walk walk;
	uint64_t entry;
	size_t position = 0;

	rbs_list_walk_init(&walk, probe->target, head, LTTNG_SESSION_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		lttng_session_read(probe, entry - rbs_layout_offset(&probe->sessions, LS_LIST),
				   position++);
	/*
	 * Records are only counted by builds with LTTNG_RING_BUFFER_COUNT_EVENTS; others leave the
	 * counters 0 for ever. A build that counts shows it in some buffer.
	 */
	if (!sessions_visit(section, false))
		sessions_visit(section, true);
	if (walk.code == RBS_OK)
		return RBS_OK;
	if (!section->child_count) {
		*err = walk.error;
		return walk.code;
	}
	rbs_report_add_problem(section->report, section, &walk.error);
	return RBS_OK;
}

static enum rbs_code layouts_init(struct lttng_probe *probe, struct rbs_error *err)
{
	struct rbs_types *types = &probe->context->dump->types;
	const struct rbs_module *module =
		rbs_modules_find(&probe->context->dump->modules, LTTNG_TRACER);
	enum rbs_code code = rbs_layout_init(&probe->sessions, session_entries, LS_COUNT, types,
					     LTTNG_TRACER, err);

	if (code == RBS_OK)
		code = rbs_layout_init(&probe->rings, ring_entries, LR_COUNT, types,
				       LTTNG_RING_BUFFER, err);
	if (code == RBS_NO_TYPES || code == RBS_NO_MEMBER)
		rbs_error_set(err, RBS_NO_TYPES,
			      "no types for LTTng %s: its modules have no BTF here, no debug "
			      "information was found and no built-in layout fits; give %s.ko and "
			      "%s.ko built with debug information by --debuginfo",
			      module && *module->version ? module->version : "(version unknown)",
			      LTTNG_TRACER, LTTNG_RING_BUFFER);
	return code == RBS_NO_MEMBER ? RBS_NO_TYPES : code;
}

static enum rbs_code lttng_run(struct rbs_probe_context *context, bool *absent,
			       struct rbs_error *err)
{
	struct lttng_probe probe = {.context = context, .target = context->dump->target};
	uint64_t head;
	enum rbs_code code =
		rbs_symbols_find(&context->dump->symbols, LTTNG_TRACER, "sessions", &head, err);

	if (code == RBS_NO_SYMBOL) {
		*absent = true;
		return rbs_error_set(err, code, "LTTng's tracer is not loaded");
	}
	if (code == RBS_OK)
		code = layouts_init(&probe, err);
	if (code == RBS_OK)
		code = rbs_cpus_init(&probe.cpus, context->dump, err);
	if (code == RBS_OK) {
		context->section->types = probe.rings.answered;
		code = sessions_walk(&probe, head, err);
	}
	rbs_cpus_deinit(&probe.cpus);
	rbs_layout_deinit(&probe.packets);
	rbs_layout_deinit(&probe.rings);
	rbs_layout_deinit(&probe.sessions);
	return code;
}

const struct rbs_probe rbs_lttng_probe = {.family = &lttng_family, .run = lttng_run};
