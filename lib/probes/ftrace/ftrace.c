/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/ftrace/ftrace.h"

#include <inttypes.h>

#include "lib/cpus.h"
#include "lib/walk.h"

#define INSTANCE_LIMIT 4096
#define PAGE_LIMIT (1u << 22) /* sub-buffers of one CPU: 16 GiB of 4 KiB pages */
#define ORDER_LIMIT 16	      /* pages of a sub-buffer: tracefs takes sizes up to 2^7 pages */
/* kernel/trace/ring_buffer.c: RB_BUFFER_OFF is a bit of record_disabled that tracing_on owns */
#define BUFFER_OFF (1u << 20)
/* The low bits of a page's next pointer are flags; this one marks the head page. */
#define PAGE_FLAGS UINT64_C(3)
#define PAGE_HEAD UINT64_C(1)

enum {
	TR_LIST,
	TR_NAME,
	TR_BUFFER,
	TR_MAX_BUFFER,
	TR_ALLOCATED_SNAPSHOT,
	TR_BUFFER_DISABLED,
	TR_CLOCK,
	TR_TRACER,
	TR_TRACER_NAME,
	TB_FLAGS,
	TB_CPUS,
	TB_RECORD_DISABLED,
	TB_BUFFERS,
	TB_SUBBUF_SIZE,
	TB_SUBBUF_ORDER,
	TB_OVERWRITE,
	CB_ENTRIES,
	CB_OVERRUN,
	CB_COMMIT_OVERRUN,
	CB_DROPPED,
	CB_READ,
	CB_ENTRIES_BYTES,
	CB_READ_BYTES,
	CB_RECORD_DISABLED,
	CB_PAGES,
	CB_LOST,
	CB_COMMITTING,
	CB_MAPPED,
	CB_WRITE_STAMP,
	CB_HEAD,
	CB_TAIL,
	CB_READER,
	BP_LIST,
	BP_PAGE,
	DP_TIME,
	DP_DATA,
	LIST_PREV,
	TR_COUNT,
};

#define BUFFER "trace_buffer:"
#define OLD_BUFFER "|ring_buffer:"
#define CPU "ring_buffer_per_cpu:"

static const struct rbs_layout_entry entries[TR_COUNT] = {
	[TR_LIST] = {"trace_array:list"},
	[TR_NAME] = {"trace_array:name"},
	[TR_BUFFER] = {"trace_array:array_buffer.buffer|trace_array:trace_buffer.buffer"},
	[TR_MAX_BUFFER] = {"trace_array:snapshot_buffer.buffer|trace_array:max_buffer.buffer",
			   RBS_OPTIONAL},
	[TR_ALLOCATED_SNAPSHOT] = {"trace_array:allocated_snapshot", RBS_OPTIONAL},
	[TR_BUFFER_DISABLED] = {"trace_array:buffer_disabled", RBS_OPTIONAL},
	[TR_CLOCK] = {"trace_array:clock_id", RBS_OPTIONAL},
	[TR_TRACER] = {"trace_array:current_trace", RBS_OPTIONAL},
	[TR_TRACER_NAME] = {"tracer:name", RBS_OPTIONAL},
	[TB_FLAGS] = {BUFFER "flags" OLD_BUFFER "flags", RBS_OPTIONAL},
	[TB_CPUS] = {BUFFER "cpus" OLD_BUFFER "cpus", RBS_OPTIONAL},
	[TB_RECORD_DISABLED] = {BUFFER "record_disabled" OLD_BUFFER "record_disabled",
				RBS_OPTIONAL},
	[TB_BUFFERS] = {BUFFER "buffers" OLD_BUFFER "buffers"},
	[TB_SUBBUF_SIZE] = {BUFFER "subbuf_size", RBS_OPTIONAL},
	[TB_SUBBUF_ORDER] = {BUFFER "subbuf_order", RBS_OPTIONAL},
	[TB_OVERWRITE] = {"ring_buffer_flags:RB_FL_OVERWRITE|:RB_FL_OVERWRITE",
			  RBS_ENUMERATOR | RBS_OPTIONAL},
	[CB_ENTRIES] = {CPU "entries"},
	[CB_OVERRUN] = {CPU "overrun"},
	[CB_COMMIT_OVERRUN] = {CPU "commit_overrun", RBS_OPTIONAL},
	[CB_DROPPED] = {CPU "dropped_events", RBS_OPTIONAL},
	[CB_READ] = {CPU "read"},
	[CB_ENTRIES_BYTES] = {CPU "entries_bytes", RBS_OPTIONAL},
	[CB_READ_BYTES] = {CPU "read_bytes", RBS_OPTIONAL},
	[CB_RECORD_DISABLED] = {CPU "record_disabled", RBS_OPTIONAL},
	[CB_PAGES] = {CPU "nr_pages", RBS_OPTIONAL},
	[CB_LOST] = {CPU "lost_events", RBS_OPTIONAL},
	[CB_COMMITTING] = {CPU "committing", RBS_OPTIONAL},
	[CB_MAPPED] = {CPU "user_mapped|ring_buffer_per_cpu:mapped", RBS_OPTIONAL},
	[CB_WRITE_STAMP] = {CPU "write_stamp.time|ring_buffer_per_cpu:write_stamp", RBS_OPTIONAL},
	[CB_HEAD] = {CPU "head_page", RBS_OPTIONAL},
	[CB_TAIL] = {CPU "tail_page", RBS_OPTIONAL},
	[CB_READER] = {CPU "reader_page", RBS_OPTIONAL},
	[BP_LIST] = {"buffer_page:list", RBS_OPTIONAL},
	[BP_PAGE] = {"buffer_page:page", RBS_OPTIONAL},
	[DP_TIME] = {"buffer_data_page:time_stamp", RBS_OPTIONAL},
	[DP_DATA] = {"buffer_data_page:data", RBS_OPTIONAL},
	[LIST_PREV] = {"list_head:prev", RBS_OPTIONAL},
};

struct ftrace_probe {
	struct rbs_probe_context *context;
	struct rbs_target *target;
	struct rbs_layout layout;
	struct rbs_cpus cpus;
};

static struct rbs_value member(struct ftrace_probe *probe, unsigned id, uint64_t base)
{
	return rbs_layout_read(&probe->layout, id, probe->target, base);
}

static struct rbs_value show(struct ftrace_probe *probe, unsigned id, uint64_t base,
			     struct rbs_node *node, unsigned desc)
{
	struct rbs_value value = member(probe, id, base);

	/* What this kernel does not have is left out: old kernels have half of the fields. */
	if (value.code != RBS_NO_MEMBER)
		rbs_node_set(node, ftrace_desc(desc), value);
	return value;
}

/* a - b - c, absent when one of them is; negative means that the counters contradict each other. */
static struct rbs_value subtract(struct rbs_value a, const struct rbs_value *b,
				 const struct rbs_value *c)
{
	if (!rbs_value_ok(&a) || !rbs_value_ok(b))
		return rbs_value_ok(&a) ? *b : a;
	if (!rbs_value_ok(c))
		return *c;
	/* unsigned longs of the target; the dump may catch an update between two of them */
	if (a.number < b->number + c->number)
		return rbs_value_absent(RBS_TORN);
	return rbs_value_of(a.number - b->number - c->number);
}

/*
 * The page with the oldest events (rb_set_head_page): the one whose predecessor's next pointer
 * carries the head flag; head_page may be behind it.
 */
static struct rbs_value head_page_find(struct ftrace_probe *probe, uint64_t buffer)
{
	struct rbs_value page = member(probe, CB_HEAD, buffer);
	struct rbs_value pages = member(probe, CB_PAGES, buffer);
	uint64_t limit = rbs_value_or(&pages, 0);
	uint64_t list = rbs_layout_offset(&probe->layout, BP_LIST);

	if (!rbs_value_ok(&page) || !rbs_layout_has(&probe->layout, BP_LIST) ||
	    !rbs_layout_has(&probe->layout, LIST_PREV))
		return rbs_value_ok(&page) ? rbs_value_absent(RBS_NO_MEMBER) : page;
	if (limit > PAGE_LIMIT)
		return rbs_value_absent(RBS_CORRUPT);
	for (uint64_t i = 0; i <= limit; i++) {
		uint64_t at = page.number + list, previous, flags, next;

		page.code = rbs_target_read_pointer(
			probe->target, at + rbs_layout_offset(&probe->layout, LIST_PREV), &previous,
			NULL);
		if (page.code == RBS_OK)
			page.code = rbs_target_read_pointer(probe->target, previous & ~PAGE_FLAGS,
							    &flags, NULL);
		if (page.code == RBS_OK)
			page.code = rbs_target_read_pointer(probe->target, at, &next, NULL);
		if (page.code != RBS_OK)
			return page;
		if ((flags & PAGE_FLAGS) == PAGE_HEAD && (flags & ~PAGE_FLAGS) == at)
			return page;
		page.number = (next & ~PAGE_FLAGS) - list;
	}
	/* The writer was moving the head when the machine stopped. */
	return rbs_value_absent(RBS_TORN);
}

/* ring_buffer_oldest_event_ts(): of the reader's page, or of the head when that is being written.
 */
static void oldest_show(struct ftrace_probe *probe, uint64_t buffer, struct rbs_node *node)
{
	struct rbs_value reader = member(probe, CB_READER, buffer);
	struct rbs_value tail = member(probe, CB_TAIL, buffer);
	struct rbs_value page = reader;

	if (rbs_value_ok(&reader) && rbs_value_ok(&tail) && reader.number != tail.number)
		page = head_page_find(probe, buffer);
	if (rbs_value_ok(&page))
		page = member(probe, BP_PAGE, page.number);
	if (rbs_value_ok(&page))
		page = member(probe, DP_TIME, page.number);
	rbs_node_set(node, ftrace_desc(FTRACE_D_OLDEST), page);
}

static void cpu_read(struct ftrace_probe *probe, struct rbs_node *channel, uint32_t cpu,
		     uint64_t buffer)
{
	struct rbs_node *node = rbs_node_add(channel, RBS_LEVEL_RING, "cpu%u", cpu);
	struct rbs_value written = member(probe, CB_ENTRIES, buffer);
	struct rbs_value bytes = member(probe, CB_ENTRIES_BYTES, buffer);
	struct rbs_value read_bytes = member(probe, CB_READ_BYTES, buffer);
	struct rbs_value overrun, read, none = rbs_value_of(0);

	if (!node)
		return;
	overrun = show(probe, CB_OVERRUN, buffer, node, FTRACE_D_OVERRUN);
	show(probe, CB_COMMIT_OVERRUN, buffer, node, FTRACE_D_COMMIT_OVERRUN);
	show(probe, CB_DROPPED, buffer, node, FTRACE_D_DROPPED);
	read = show(probe, CB_READ, buffer, node, FTRACE_D_READ);
	/* rb_num_of_entries(), ring_buffer_bytes_cpu() */
	rbs_node_set(node, ftrace_desc(FTRACE_D_ENTRIES), subtract(written, &overrun, &read));
	rbs_node_set(node, ftrace_desc(FTRACE_D_BYTES), subtract(bytes, &read_bytes, &none));
	oldest_show(probe, buffer, node);
	rbs_node_set(node, ftrace_desc(FTRACE_D_WRITTEN), written);
	show(probe, CB_PAGES, buffer, node, FTRACE_D_PAGES);
	show(probe, CB_LOST, buffer, node, FTRACE_D_LOST);
	show(probe, CB_RECORD_DISABLED, buffer, node, FTRACE_D_DISABLED);
	show(probe, CB_COMMITTING, buffer, node, FTRACE_D_COMMITTING);
	show(probe, CB_MAPPED, buffer, node, FTRACE_D_MAPPED);
	show(probe, CB_WRITE_STAMP, buffer, node, FTRACE_D_WRITE_STAMP);
}

/*
 * Bytes of data: a member in some releases, elsewhere what a sub-buffer's header leaves of its
 * pages (BUF_PAGE_SIZE until 6.8; rb_page_size()).
 */
static struct rbs_value subbuf_size(struct ftrace_probe *probe, uint64_t buffer)
{
	struct rbs_value size = member(probe, TB_SUBBUF_SIZE, buffer);
	struct rbs_value order = member(probe, TB_SUBBUF_ORDER, buffer);
	uint64_t page = probe->target->info.page_size;

	if (size.code != RBS_NO_MEMBER)
		return size;
	if (order.code == RBS_NO_MEMBER)
		order = rbs_value_of(0);
	if (!rbs_value_ok(&order) || !rbs_layout_has(&probe->layout, DP_DATA))
		return rbs_value_ok(&order) ? size : order;
	if (order.number > ORDER_LIMIT)
		return rbs_value_absent(RBS_CORRUPT);
	return rbs_value_of((page << order.number) - rbs_layout_offset(&probe->layout, DP_DATA));
}

static void switches_show(struct ftrace_probe *probe, uint64_t buffer, struct rbs_node *channel)
{
	struct rbs_value disabled = member(probe, TB_RECORD_DISABLED, buffer);
	struct rbs_value flags = member(probe, TB_FLAGS, buffer);
	int64_t overwrite = rbs_layout_enumerator(&probe->layout, TB_OVERWRITE, 0);

	if (rbs_value_ok(&disabled))
		disabled.number = !(disabled.number & BUFFER_OFF);
	rbs_node_set(channel, ftrace_desc(FTRACE_D_TRACING_ON), disabled);
	if (rbs_value_ok(&flags) && !overwrite)
		flags = rbs_value_absent(RBS_NO_MEMBER);
	else if (rbs_value_ok(&flags))
		flags.number = (flags.number & (uint64_t)overwrite) != 0;
	rbs_node_set(channel, ftrace_desc(FTRACE_D_OVERWRITE), flags);
	rbs_node_set(channel, ftrace_desc(FTRACE_D_SUBBUF_SIZE), subbuf_size(probe, buffer));
	show(probe, TB_SUBBUF_ORDER, buffer, channel, FTRACE_D_SUBBUF_ORDER);
}

static void buffer_read(struct ftrace_probe *probe, struct rbs_node *instance, const char *name,
			uint64_t buffer)
{
	struct rbs_node *channel = rbs_node_add(instance, RBS_LEVEL_CHANNEL, "%s", name);
	struct rbs_value buffers = member(probe, TB_BUFFERS, buffer);
	unsigned size = probe->target->info.word_size;
	struct rbs_error error;

	if (!channel)
		return;
	switches_show(probe, buffer, channel);
	for (uint32_t cpu = 0; rbs_value_ok(&buffers) && cpu < probe->cpus.count; cpu++) {
		uint64_t one;

		if (!probe->cpus.possible[cpu])
			continue;
		buffers.code = rbs_target_read_pointer(
			probe->target, buffers.number + (uint64_t)cpu * size, &one, &error);
		if (buffers.code == RBS_OK && one)
			cpu_read(probe, channel, cpu, one);
	}
	if (!rbs_value_ok(&buffers)) {
		rbs_error_set_at(&error, buffers.code, buffer,
				 "the per-CPU buffers cannot be read: %s",
				 rbs_code_text(buffers.code));
		rbs_report_add_problem(channel->report, channel, &error);
	}
}

static void tracer_show(struct ftrace_probe *probe, uint64_t array, struct rbs_node *node)
{
	struct rbs_value tracer = member(probe, TR_TRACER, array);
	struct rbs_value name = tracer;
	char text[64];

	if (rbs_value_ok(&tracer) && tracer.number)
		name = member(probe, TR_TRACER_NAME, tracer.number);
	if (rbs_value_ok(&name) && name.number)
		name.code = rbs_target_read_string(probe->target, name.number, text, sizeof(text),
						   NULL);
	if (rbs_value_ok(&name) && name.number)
		rbs_node_set_text(node, ftrace_desc(FTRACE_D_TRACER), text);
	else if (!rbs_value_ok(&name) && name.code != RBS_NO_MEMBER && name.code != RBS_NO_TYPES)
		rbs_node_set_absent(node, ftrace_desc(FTRACE_D_TRACER), name.code);
}

static enum rbs_code name_read(struct ftrace_probe *probe, uint64_t array, char *name, size_t size)
{
	struct rbs_value at = member(probe, TR_NAME, array);

	/* The top level has none. */
	if (rbs_value_ok(&at) && !at.number)
		return RBS_OK;
	return rbs_value_ok(&at)
		       ? rbs_target_read_string(probe->target, at.number, name, size, NULL)
		       : at.code;
}

static void instance_read(struct ftrace_probe *probe, uint64_t array)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_value main = member(probe, TR_BUFFER, array);
	struct rbs_value snapshot = member(probe, TR_MAX_BUFFER, array);
	struct rbs_value allocated = member(probe, TR_ALLOCATED_SNAPSHOT, array);
	char name[128] = "global";
	enum rbs_code code = name_read(probe, array, name, sizeof(name));
	struct rbs_node *node;
	struct rbs_error error;

	if (code == RBS_OK)
		code = main.code;
	if (code != RBS_OK) {
		rbs_error_set_at(&error, code, array,
				 "the instance at %" PRIx64 " cannot be read: %s", array,
				 rbs_code_text(code));
		rbs_report_add_problem(section->report, section, &error);
		return;
	}
	node = rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", name);
	if (!node)
		return;
	tracer_show(probe, array, node);
	show(probe, TR_BUFFER_DISABLED, array, node, FTRACE_D_BUFFER_DISABLED);
	show(probe, TR_CLOCK, array, node, FTRACE_D_CLOCK);
	if (main.number)
		buffer_read(probe, node, "events", main.number);
	/* Without a snapshot the second buffer is a stub of one page. */
	if (rbs_value_ok(&snapshot) && snapshot.number &&
	    (!rbs_value_ok(&allocated) || allocated.number))
		buffer_read(probe, node, "snapshot", snapshot.number);
}

static enum rbs_code instances_walk(struct ftrace_probe *probe, uint64_t head,
				    struct rbs_error *err)
{
	struct rbs_list_walk walk;
	uint64_t entry;

	rbs_list_walk_init(&walk, probe->target, head, INSTANCE_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		instance_read(probe, entry - rbs_layout_offset(&probe->layout, TR_LIST));
	return rbs_probe_walk_end(probe->context, &walk, err);
}

static enum rbs_code ftrace_run(struct rbs_probe_context *context, bool *absent,
				struct rbs_error *err)
{
	struct ftrace_probe probe = {.context = context, .target = context->dump->target};
	uint64_t head;
	enum rbs_code code =
		rbs_symbols_find(&context->dump->symbols, NULL, "ftrace_trace_arrays", &head, err);

	if (code == RBS_NO_SYMBOL) {
		*absent = true;
		return rbs_error_set(err, code,
				     "no ftrace: the kernel has no symbol ftrace_trace_arrays");
	}
	if (code == RBS_OK)
		code = rbs_layout_init(&probe.layout, entries, TR_COUNT, &context->dump->types,
				       NULL, err);
	if (code == RBS_OK)
		code = rbs_cpus_init(&probe.cpus, context->dump, err);
	if (code == RBS_OK) {
		context->section->types = probe.layout.answered;
		code = instances_walk(&probe, head, err);
	}
	rbs_cpus_deinit(&probe.cpus);
	rbs_layout_deinit(&probe.layout);
	return code;
}

const struct rbs_probe rbs_ftrace_probe = {.family = &ftrace_family, .run = ftrace_run};
