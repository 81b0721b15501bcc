/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/lttng/lttng.h"

#include <stdio.h>

#include "lib/walk.h"

/*
 * local_t and atomic_long_t are signed in C. Positions and counters count up for ever, and are
 * unsigned longs to the driver.
 */
struct rbs_value lttng_unsigned(const struct rbs_layout *layout, unsigned member,
				struct rbs_value value)
{
	uint64_t bits = rbs_layout_size(layout, member) * 8;

	value.is_signed = false;
	if (bits && bits < 64)
		value.number &= (UINT64_C(1) << bits) - 1;
	return value;
}

struct rbs_value lttng_show(struct lttng_probe *probe, const struct rbs_layout *layout,
			    unsigned member, uint64_t base, struct rbs_node *node, unsigned desc)
{
	struct rbs_value value = rbs_layout_read(layout, member, probe->target, base);

	/* How often recording was disabled is a plain int: a negative one is worth seeing. */
	if (lttng_desc(desc)->metric && desc != LTTNG_D_DISABLED && desc != LTTNG_D_CH_DISABLED)
		value = lttng_unsigned(layout, member, value);
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

/* What all counters of records say together. */
struct counting {
	bool counted;	       /* one of them is not 0 */
	enum rbs_code unknown; /* why one of them is not known, or RBS_OK */
	bool settle;	       /* second pass: none of them counted, for this reason */
	enum rbs_code reason;
};

static void counters_visit(struct rbs_node *node, struct counting *counting)
{
	for (size_t i = 0; i < node->field_count; i++) {
		struct rbs_field *field = &node->fields[i];

		if (!counter_is(field))
			continue;
		if (field->code != RBS_OK)
			counting->unknown = field->code;
		else if (counting->settle)
			field->code = counting->reason;
		else
			counting->counted |= field->number != 0;
	}
}

static void buffers_visit(struct rbs_node *channel, struct counting *counting)
{
	for (size_t r = 0; r < channel->child_count; r++) {
		struct rbs_node *ring = channel->children[r];

		counters_visit(ring, counting);
		for (size_t i = 0; i < ring->child_count; i++)
			counters_visit(ring->children[i], counting);
	}
}

static void sessions_visit(struct rbs_node *section, struct counting *counting)
{
	for (size_t s = 0; s < section->child_count; s++) {
		struct rbs_node *session = section->children[s];

		for (size_t c = 0; c < session->child_count; c++)
			buffers_visit(session->children[c], counting);
	}
}

/* What could not be read may have counters too. */
static enum rbs_code hole_find(const struct rbs_report *report, size_t first)
{
	for (size_t i = first; i < report->problem_count; i++) {
		enum rbs_code code = report->problems[i].code;

		if (code == RBS_EXCLUDED || code == RBS_TRUNCATED || code == RBS_UNMAPPED)
			return code;
	}
	return RBS_OK;
}

/*
 * Records are only counted by builds with LTTNG_RING_BUFFER_COUNT_EVENTS; others leave the counters
 * 0 for ever. A build that counts shows it in some buffer: nobody knows when one is missing.
 */
static void counters_settle(struct rbs_node *section, size_t problems)
{
	struct counting counting = {.unknown = hole_find(section->report, problems)};

	sessions_visit(section, &counting);
	if (counting.counted)
		return;
	counting.settle = true;
	counting.reason = counting.unknown == RBS_OK ? RBS_NOT_COUNTED : counting.unknown;
	sessions_visit(section, &counting);
}

static enum rbs_code sessions_walk(struct lttng_probe *probe, uint64_t head, struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	size_t problems = section->report->problem_count, position = 0;
	struct rbs_list_walk walk;
	uint64_t entry;

	rbs_list_walk_init(&walk, probe->target, head, LTTNG_SESSION_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		lttng_session_read(probe, entry - rbs_layout_offset(&probe->sessions, LS_LIST),
				   position++);
	lttng_groups_read(probe);
	counters_settle(section, problems);
	return rbs_probe_walk_end(probe->context, &walk, err);
}

static void layouts_deinit(struct lttng_probe *probe)
{
	rbs_layout_deinit(&probe->packets);
	rbs_layout_deinit(&probe->rings);
	rbs_layout_deinit(&probe->sessions);
}

static enum rbs_code layouts_init(struct lttng_probe *probe, struct rbs_error *err)
{
	struct rbs_types *types = &probe->context->dump->types;
	enum rbs_code code = rbs_layout_init(&probe->sessions, lttng_session_entries, LS_COUNT,
					     types, LTTNG_TRACER, err);

	if (code == RBS_OK)
		code = rbs_layout_init(&probe->rings, lttng_ring_entries, LR_COUNT, types,
				       LTTNG_RING_BUFFER, err);
	return code;
}

/* Why: what the sources say of one of the structures; if they know it, what is missing in it. */
static enum rbs_code no_types(struct lttng_probe *probe, struct rbs_error *err)
{
	struct rbs_dump *dump = probe->context->dump;
	const struct rbs_module *module = rbs_modules_find(&dump->modules, LTTNG_TRACER);
	struct rbs_error reasons = {.text = ""};
	struct rbs_member member;

	if (rbs_types_find_member(&dump->types, LTTNG_TRACER, "lttng_kernel_session_private", "pub",
				  &member, NULL, &reasons) == RBS_OK)
		reasons = *err;
	return rbs_error_set(err, RBS_NO_TYPES,
			     "no types for LTTng %s: give %s.ko and %s.ko built with debug "
			     "information by --debuginfo%s%s%s",
			     module && *module->version ? module->version : "(version unknown)",
			     LTTNG_TRACER, LTTNG_RING_BUFFER, *reasons.text ? " (" : "",
			     reasons.text, *reasons.text ? ")" : "");
}

/* Layouts that were only assumed have to prove themselves; the next guess follows a wrong one. */
static enum rbs_code layouts_choose(struct lttng_probe *probe, uint64_t head, struct rbs_error *err)
{
	struct rbs_types *types = &probe->context->dump->types;
	struct rbs_section *section = probe->context->section;

	for (;;) {
		enum rbs_code code = layouts_init(probe, err);
		const char *answered, *remark, *reason;

		if (code == RBS_NO_TYPES || code == RBS_NO_MEMBER)
			return no_types(probe, err);
		if (code != RBS_OK)
			return code;
		section->types = probe->rings.answered;
		answered = probe->sessions.answered;
		remark = rbs_types_remark(types, answered, LTTNG_TRACER);
		if (!remark) {
			answered = probe->rings.answered;
			remark = rbs_types_remark(types, answered, LTTNG_RING_BUFFER);
		}
		if (!remark)
			return RBS_OK;
		if (lttng_layout_fits(probe, head, &reason)) {
			section->types = answered;
			snprintf(section->remark, sizeof(section->remark), "%s", remark);
			return RBS_OK;
		}
		rbs_types_refuse(types, answered, LTTNG_TRACER, reason);
		layouts_deinit(probe);
	}
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
		code = rbs_cpus_init(&probe.cpus, context->dump, err);
	if (code == RBS_OK)
		code = layouts_choose(&probe, head, err);
	if (code == RBS_OK)
		code = sessions_walk(&probe, head, err);
	rbs_cpus_deinit(&probe.cpus);
	layouts_deinit(&probe);
	return code;
}

const struct rbs_probe rbs_lttng_probe = {.family = &lttng_family, .run = lttng_run};
