/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which layout a stats_table has. What this Xen was built with says its structures; whether its
 * branch wrote the records where they should be, only the memory says: vcpu_runstate_change()
 * copies the time running into the record each time, so that the right layout shows the same
 * numbers as the runstates do.
 */
#include <inttypes.h>

#include "lib/probes/xen/xen.h"

#define MAGIC 0xaabbccdd
#define INACTIVE (UINT64_C(1) << 63)
#define FRAME 4096
#define TRIES 16
#define HEADER_MAX 65536 /* offset, size and stride of a v3 table are tens of bytes */

enum placement {
	PLACE_OWN_PAGE, /* v0 */
	PLACE_ARRAY,	/* base + step * n */
	PLACE_FRAMES,	/* the same, in an array of frames */
};

struct table_layout {
	const char *version, *text;
	enum placement placement;
	bool has_seq;
	bool has_header;
	bool scaled; /* by the size of a record once more */
};

/* In the order of preference among those that fit equally well. */
static const struct table_layout layouts[] = {
	{"v3", "offset + stride * n", PLACE_ARRAY, true, true, false},
	{"v3", "offset + size * stride * n (scaled twice)", PLACE_ARRAY, true, true, true},
	{"v2", "16 * n", PLACE_ARRAY, true, false, false},
	{"v2", "16 * n in an array of frames", PLACE_FRAMES, true, false, false},
	{"v2", "256 * n (scaled twice)", PLACE_ARRAY, true, false, true},
	{"v2", "256 * n (scaled twice) in an array of frames", PLACE_FRAMES, true, false, true},
	{"v1", "8 * n", PLACE_ARRAY, false, false, false},
	{"v0", "a page of its own", PLACE_OWN_PAGE, false, false, false},
};

#define LAYOUT_COUNT (sizeof(layouts) / sizeof(layouts[0]))

struct table {
	const struct xen_table_source *source;
	struct xen_domain *domain;
	enum rbs_code code;	       /* why there is no header that can be used */
	uint64_t offset, size, stride; /* of a v3 table */
};

struct record {
	bool torn;
	bool has_seq;
	uint64_t seq;
	uint64_t time; /* with the flag */
};

static uint64_t record_size(const struct table_layout *layout)
{
	return layout->has_seq ? 16 : 8;
}

/* Where the record of a vCPU is. */
static enum rbs_code record_find(const struct table *table, const struct table_layout *layout,
				 const struct xen_vcpu *vcpu, uint64_t *address,
				 struct rbs_error *err)
{
	uint64_t step = layout->has_header ? table->stride : record_size(layout);
	uint64_t a_frame = FRAME / step, in_frame = vcpu->id, base = table->source->va;
	enum rbs_code code;

	if (layout->placement == PLACE_OWN_PAGE) {
		*address = vcpu->own_page;
		return *address ? RBS_OK
				: rbs_error_set(err, RBS_NOT_COUNTED, "nobody asked for its page");
	}
	if (layout->placement == PLACE_FRAMES) {
		in_frame = vcpu->id % a_frame;
		code = rbs_target_read_pointer(table->source->target, base + vcpu->id / a_frame * 8,
					       &base, err);
		if (code != RBS_OK)
			return code;
	} else if (!layout->has_header && vcpu->id >= a_frame) {
		/* Only one page was ever allocated: further records fell beside it. */
		return rbs_error_set(err, RBS_NOT_COUNTED, "the table's only page has no room");
	}
	if (layout->scaled)
		step *= layout->has_header ? table->size : record_size(layout);
	*address = base + (layout->has_header ? table->offset : 0) + step * in_frame;
	return RBS_OK;
}

static enum rbs_code record_read(const struct table *table, const struct table_layout *layout,
				 const struct xen_vcpu *vcpu, struct record *record,
				 struct rbs_error *err)
{
	struct rbs_target *target = table->source->target;
	uint64_t size = record_size(layout), address, again;
	enum rbs_code code = record_find(table, layout, vcpu, &address, err);

	*record = (struct record){.has_seq = layout->has_seq};
	/* Of a live hypervisor the record may change while it is read. */
	for (unsigned i = 0; code == RBS_OK && i < TRIES; i++) {
		if (layout->has_seq)
			code = rbs_target_read_uint(target, address, 4, &record->seq, err);
		if (code == RBS_OK)
			code = rbs_target_read_uint(target, address + size - 8, 8, &record->time,
						    err);
		again = record->seq;
		if (code == RBS_OK && layout->has_seq)
			code = rbs_target_read_uint(target, address, 4, &again, err);
		record->torn = record->seq & 1 || record->seq != again;
		if (!record->torn)
			break;
	}
	return code;
}

/* vCPUs whose record equals their runstate: a 0 proves nothing. */
static size_t matches_count(const struct table *table, const struct table_layout *layout)
{
	size_t count = 0;

	for (size_t i = 0; i < table->domain->vcpu_count; i++) {
		const struct xen_vcpu *vcpu = &table->domain->vcpus[i];
		struct record record;

		if (vcpu->times.code == RBS_OK &&
		    record_read(table, layout, vcpu, &record, NULL) == RBS_OK && !record.torn &&
		    record.time && record.time == vcpu->times.time[0])
			count++;
	}
	return count;
}

/* Why it is not known of every vCPU whether its record equals its runstate, or RBS_OK. */
static enum rbs_code matches_code(const struct table *table, const struct table_layout *layout)
{
	for (size_t i = 0; i < table->domain->vcpu_count; i++) {
		const struct xen_vcpu *vcpu = &table->domain->vcpus[i];
		enum rbs_code code = vcpu->times.code;
		struct record record;

		if (code == RBS_OK)
			code = record_read(table, layout, vcpu, &record, NULL);
		if (code == RBS_EXCLUDED || code == RBS_TRUNCATED || code == RBS_UNMAPPED)
			return code;
	}
	return RBS_OK;
}

/* Whether this Xen's own structures are those of a layout. */
static bool is_declared(const struct table *table, const struct table_layout *layout)
{
	unsigned declared = table->source->declared;

	if (layout->placement == PLACE_OWN_PAGE)
		return declared & XEN_DECLARES_OWN_PAGE;
	/* A running hypervisor declares nothing, but a header speaks for itself. */
	if (layout->has_header)
		return declared & XEN_DECLARES_HEADER || (!declared && table->code == RBS_OK);
	return declared & (layout->has_seq ? XEN_DECLARES_SEQ : XEN_DECLARES_PLAIN);
}

static bool is_possible(const struct table *table, const struct table_layout *layout)
{
	if (layout->placement == PLACE_OWN_PAGE)
		return true;
	return table->source->va && (!layout->has_header || table->code == RBS_OK);
}

/*
 * The layout with the most matches, those that Xen declares first; NULL: those are not possible,
 * and no other has a match.
 */
static const struct table_layout *layout_choose(const struct table *table, size_t *matches)
{
	const struct table_layout *best = NULL;
	bool best_declared = false;

	*matches = 0;
	for (size_t i = 0; i < LAYOUT_COUNT; i++) {
		bool declared = is_declared(table, &layouts[i]);
		size_t count;

		if (!is_possible(table, &layouts[i]))
			continue;
		count = matches_count(table, &layouts[i]);
		if (best &&
		    (count < *matches || (count == *matches && (best_declared || !declared))))
			continue;
		best = &layouts[i];
		best_declared = declared;
		*matches = count;
	}
	return best_declared || *matches ? best : NULL;
}

static void vcpu_show(const struct table *table, const struct table_layout *layout,
		      const struct xen_vcpu *vcpu)
{
	const struct rbs_desc *running = xen_desc(XEN_D_TABLE_RUNNING);
	const struct rbs_desc *state = xen_desc(XEN_D_TABLE_STATE);
	struct rbs_node *node = vcpu->node;
	struct record record;
	struct rbs_error error;
	enum rbs_code code = record_read(table, layout, vcpu, &record, &error);

	if (code != RBS_OK) {
		rbs_node_set_absent(node, running, code);
		if (code == RBS_NOT_COUNTED)
			return;
		rbs_error_prefix(&error, "its record of the stats_table");
		rbs_report_add_problem(node->report, node, &error);
		return;
	}
	if (record.has_seq)
		rbs_node_set_number(node, xen_desc(XEN_D_TABLE_SEQ), record.seq);
	if (record.torn) {
		rbs_node_set_text(node, state, "torn");
		rbs_node_set_absent(node, running, RBS_TORN);
	} else if (record.time & INACTIVE) {
		rbs_node_set_text(node, state, "inactive");
		rbs_node_set_absent(node, running, RBS_NOT_COUNTED);
	} else if (record.has_seq ? !record.seq : !record.time) {
		rbs_node_set_text(node, state, "never-written");
		rbs_node_set_absent(node, running, RBS_NOT_COUNTED);
	} else {
		rbs_node_set_text(node, state, "ok");
		rbs_node_set_number(node, running, record.time);
		if (vcpu->times.code == RBS_OK && vcpu->times.time[0] >= record.time)
			rbs_node_set_number(node, xen_desc(XEN_D_TABLE_LAG),
					    vcpu->times.time[0] - record.time);
	}
}

/* The header of a v3 table, which may not be trusted. */
static void header_read(struct table *table)
{
	struct rbs_target *target = table->source->target;
	struct rbs_node *node = table->domain->node;
	uint64_t va = table->source->va;
	uint8_t bytes[16];
	struct rbs_error error;

	table->code = rbs_target_read(target, RBS_KERNEL_VIRTUAL, va, bytes, sizeof(bytes), &error);
	if (table->code != RBS_OK) {
		rbs_error_prefix(&error, "the stats_table");
		rbs_report_add_problem(node->report, node, &error);
		return;
	}
	table->offset = rbs_target_get_uint(target, bytes + 4, 4);
	table->size = rbs_target_get_uint(target, bytes + 8, 4);
	table->stride = rbs_target_get_uint(target, bytes + 12, 4);
	if (rbs_target_get_uint(target, bytes, 4) == MAGIC && table->offset >= sizeof(bytes) &&
	    table->offset <= HEADER_MAX && table->size >= 16 && table->size <= HEADER_MAX &&
	    table->stride >= table->size && table->stride <= HEADER_MAX)
		return;
	table->code = RBS_CORRUPT;
	if (!(table->source->declared & XEN_DECLARES_HEADER))
		return;
	rbs_error_set_at(&error, RBS_CORRUPT, va,
			 "the stats_table at %" PRIx64 " does not begin with a header", va);
	rbs_report_add_problem(node->report, node, &error);
}

void xen_table_read(const struct xen_table_source *source, struct xen_domain *domain)
{
	struct table table = {.source = source, .domain = domain, .code = RBS_NO_MEMBER};
	const struct rbs_desc *desc = xen_desc(XEN_D_TABLE);
	const struct table_layout *layout;
	bool used = source->va;
	size_t matches;
	enum rbs_code code;

	for (size_t i = 0; i < domain->vcpu_count; i++)
		used = used || domain->vcpus[i].own_page;
	if (!used) {
		rbs_node_set_text(domain->node, desc, "unused");
		return;
	}
	if (source->va)
		header_read(&table);
	layout = layout_choose(&table, &matches);
	if (!layout) {
		/* Without a declaration and a match: maybe a table that nothing was written to yet.
		 */
		if (!source->declared)
			table.code = RBS_NOT_COUNTED;
		rbs_node_set_absent(domain->node, desc, table.code);
		for (size_t i = 0; i < domain->vcpu_count; i++)
			rbs_node_set_absent(domain->vcpus[i].node, xen_desc(XEN_D_TABLE_RUNNING),
					    table.code);
		return;
	}
	rbs_node_set_text(domain->node, desc, layout->version);
	rbs_node_set_text(domain->node, xen_desc(XEN_D_TABLE_LAYOUT), layout->text);
	code = matches_code(&table, layout);
	/* Where its vCPUs are could not be read: a problem has said so. */
	if (!domain->vcpu_count)
		code = RBS_EXCLUDED;
	if (code == RBS_OK)
		rbs_node_set_number(domain->node, xen_desc(XEN_D_TABLE_MATCHES), matches);
	else
		rbs_node_set_absent(domain->node, xen_desc(XEN_D_TABLE_MATCHES), code);
	for (size_t i = 0; i < domain->vcpu_count; i++) {
		if (domain->vcpus[i].times.code == RBS_OK)
			vcpu_show(&table, layout, &domain->vcpus[i]);
	}
}
