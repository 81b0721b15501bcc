/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/xen_guest/xen_guest.h"

#include <inttypes.h>
#include <string.h>

#include "lib/cpus.h"

#define UPDATE (UINT64_C(1) << 63) /* XEN_RUNSTATE_UPDATE, interface/vcpu.h */
#define SIF_INITDOMAIN 2	   /* start_info.flags, interface/xen.h */
#define SHARED_SIZE 4096
#define STATE_COUNT 4

enum { TYPE_NATIVE, TYPE_PV, TYPE_HVM }; /* enum xen_domain_type, include/xen/xen.h */

enum {
	RS_STATE,
	RS_ENTRY,
	RS_TIMES,
	VI_PENDING,
	VI_MASK,
	VI_SELECTOR,
	RQ_STEAL,
	GUEST_MEMBER_COUNT,
};

static const struct rbs_layout_entry entries[GUEST_MEMBER_COUNT] = {
	[RS_STATE] = {"vcpu_runstate_info:state"},
	[RS_ENTRY] = {"vcpu_runstate_info:state_entry_time"},
	[RS_TIMES] = {"vcpu_runstate_info:time"},
	[VI_PENDING] = {"vcpu_info:evtchn_upcall_pending", RBS_OPTIONAL},
	[VI_MASK] = {"vcpu_info:evtchn_upcall_mask", RBS_OPTIONAL},
	[VI_SELECTOR] = {"vcpu_info:evtchn_pending_sel", RBS_OPTIONAL},
	/* kernel/sched/sched.h; CONFIG_PARAVIRT */
	[RQ_STEAL] = {"rq:prev_steal_time", RBS_OPTIONAL},
};

struct guest_probe {
	struct rbs_dump *dump;
	struct rbs_target *target;
	struct rbs_layout layout;
	struct rbs_cpus cpus;
	struct rbs_node *node;
	uint64_t runstate; /* per-CPU xen_runstate */
	uint64_t shared;   /* where shared_info is mapped; 0: unknown */
};

static bool symbol_find(struct guest_probe *probe, const char *name, uint64_t *address)
{
	return rbs_symbols_find(&probe->dump->symbols, NULL, name, address, NULL) == RBS_OK;
}

/* The value of a variable, absent also when this kernel does not have it. */
static struct rbs_value variable_read(struct guest_probe *probe, const char *name, size_t size)
{
	struct rbs_value value = {.code = RBS_NO_SYMBOL};

	if (symbol_find(probe, name, &value.address))
		value.code = rbs_target_read_uint(probe->target, value.address, size, &value.number,
						  NULL);
	return value;
}

static struct rbs_value percpu_read(struct guest_probe *probe, const char *name, uint32_t cpu,
				    size_t size)
{
	struct rbs_value value = {.code = RBS_NO_SYMBOL};

	if (!symbol_find(probe, name, &value.address))
		return value;
	value.address += probe->cpus.offsets[cpu];
	value.code = rbs_target_read_uint(probe->target, value.address, size, &value.number, NULL);
	return value;
}

static void set_text(struct rbs_node *node, unsigned desc, const char *text)
{
	rbs_node_set_text(node, xen_guest_desc(desc), text);
}

static bool is_readable(struct guest_probe *probe, uint64_t address)
{
	uint8_t byte;

	return rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, address, &byte, 1, NULL) ==
	       RBS_OK;
}

static void shared_show(struct guest_probe *probe)
{
	struct rbs_value shared = variable_read(probe, "HYPERVISOR_shared_info", 8);
	uint64_t dummy;

	if (shared.code == RBS_NO_SYMBOL)
		return;
	rbs_node_set(probe->node, xen_guest_desc(XEN_GUEST_D_SHARED_AT), shared);
	if (!rbs_value_ok(&shared)) {
		rbs_node_set(probe->node, xen_guest_desc(XEN_GUEST_D_SHARED), shared);
	} else if (!shared.number) {
		set_text(probe->node, XEN_GUEST_D_SHARED, "none");
	} else if (symbol_find(probe, "xen_dummy_shared_info", &dummy) && shared.number == dummy) {
		set_text(probe->node, XEN_GUEST_D_SHARED, "dummy");
	} else {
		/* Of a PV guest it is a page of Xen's: a dump of the guest alone lacks it. */
		probe->shared = shared.number;
		set_text(probe->node, XEN_GUEST_D_SHARED,
			 is_readable(probe, shared.number) ? "mapped" : "unreadable");
	}
}

/* evtchn_ops points to evtchn_ops_2l or evtchn_ops_fifo (drivers/xen/events). */
static void events_show(struct guest_probe *probe)
{
	static const char prefix[] = "evtchn_ops_";
	struct rbs_value operations = variable_read(probe, "evtchn_ops", 8);
	struct rbs_value vector = variable_read(probe, "xen_have_vector_callback", 1);
	char name[64];

	if (rbs_value_ok(&vector))
		rbs_node_set_number(probe->node, xen_guest_desc(XEN_GUEST_D_VECTOR),
				    vector.number != 0);
	else if (vector.code != RBS_NO_SYMBOL)
		rbs_node_set(probe->node, xen_guest_desc(XEN_GUEST_D_VECTOR), vector);
	if (operations.code == RBS_NO_SYMBOL)
		return;
	if (rbs_value_ok(&operations) && !operations.number)
		set_text(probe->node, XEN_GUEST_D_ABI, "none");
	else if (rbs_value_ok(&operations) &&
		 rbs_symbols_name_at(&probe->dump->symbols, operations.number, name, sizeof(name),
				     NULL) == RBS_OK &&
		 !strncmp(name, prefix, strlen(prefix)))
		set_text(probe->node, XEN_GUEST_D_ABI, name + strlen(prefix));
	else
		rbs_node_set_absent(probe->node, xen_guest_desc(XEN_GUEST_D_ABI),
				    rbs_value_ok(&operations) ? RBS_CORRUPT : operations.code);
}

static void guest_show(struct guest_probe *probe, uint64_t type)
{
	struct rbs_value flags = variable_read(probe, "xen_start_flags", 4);

	if (type == TYPE_PV || type == TYPE_HVM)
		set_text(probe->node, XEN_GUEST_D_TYPE, type == TYPE_PV ? "pv" : "hvm");
	else
		rbs_node_set_absent(probe->node, xen_guest_desc(XEN_GUEST_D_TYPE), RBS_CORRUPT);
	if (rbs_value_ok(&flags))
		rbs_node_set_number(probe->node, xen_guest_desc(XEN_GUEST_D_INITIAL),
				    (flags.number & SIF_INITDOMAIN) != 0);
	else if (flags.code != RBS_NO_SYMBOL)
		rbs_node_set(probe->node, xen_guest_desc(XEN_GUEST_D_INITIAL), flags);
	shared_show(probe);
	events_show(probe);
}

static void vcpu_info_show(struct guest_probe *probe, uint32_t cpu, struct rbs_node *node)
{
	static const struct {
		unsigned member, desc;
	} shown[] = {{VI_PENDING, XEN_GUEST_D_PENDING},
		     {VI_MASK, XEN_GUEST_D_MASKED},
		     {VI_SELECTOR, XEN_GUEST_D_SELECTOR}};
	struct rbs_value info = percpu_read(probe, "xen_vcpu", cpu, 8);
	uint64_t own;

	if (info.code == RBS_NO_SYMBOL)
		return;
	rbs_node_set(node, xen_guest_desc(XEN_GUEST_D_VCPU_AT), info);
	if (!rbs_value_ok(&info)) {
		rbs_node_set(node, xen_guest_desc(XEN_GUEST_D_VCPU), info);
		for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
			rbs_node_set(node, xen_guest_desc(shown[i].desc), info);
		return;
	}
	if (!info.number) {
		set_text(node, XEN_GUEST_D_VCPU, "none");
		return;
	}
	if (!is_readable(probe, info.number))
		set_text(node, XEN_GUEST_D_VCPU, "unreadable");
	else if (symbol_find(probe, "xen_vcpu_info", &own) &&
		 info.number == own + probe->cpus.offsets[cpu])
		set_text(node, XEN_GUEST_D_VCPU, "registered");
	else if (probe->shared && info.number - probe->shared < SHARED_SIZE)
		set_text(node, XEN_GUEST_D_VCPU, "shared");
	else
		rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_VCPU), RBS_CORRUPT);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		struct rbs_value value = rbs_layout_read(&probe->layout, shown[i].member,
							 probe->target, info.number);

		if (rbs_value_ok(&value) && shown[i].member != VI_SELECTOR)
			value.number = value.number != 0;
		if (value.code != RBS_NO_MEMBER)
			rbs_node_set(node, xen_guest_desc(shown[i].desc), value);
	}
}

static const unsigned time_descs[STATE_COUNT] = {XEN_GUEST_D_RUNNING, XEN_GUEST_D_RUNNABLE,
						 XEN_GUEST_D_BLOCKED, XEN_GUEST_D_OFFLINE};

static void figures_absent(struct rbs_node *node, enum rbs_code code)
{
	rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_ENTRY_TIME), code);
	for (unsigned i = 0; i < STATE_COUNT; i++)
		rbs_node_set_absent(node, xen_guest_desc(time_descs[i]), code);
	rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_STEAL), code);
}

/*
 * As xen_steal_clock() has it (drivers/xen/time.c): the times of this host, and those that were
 * saved when the guest was migrated ("xen/time: do not decrease steal time after live migration").
 */
static void steal_show(struct guest_probe *probe, uint32_t cpu, const uint64_t *time,
		       struct rbs_node *node)
{
	struct rbs_value steal = rbs_value_of(time[1] + time[3]);
	uint64_t old;

	for (unsigned i = 1; i < STATE_COUNT && symbol_find(probe, "old_runstate_time", &old);
	     i += 2) {
		uint64_t saved = 0;
		enum rbs_code code = rbs_target_read_uint(
			probe->target, old + probe->cpus.offsets[cpu] + i * sizeof(saved),
			sizeof(saved), &saved, NULL);

		if (code != RBS_OK)
			steal.code = code;
		steal.number += saved;
	}
	rbs_node_set(node, xen_guest_desc(XEN_GUEST_D_STEAL), steal);
}

static void steal_counted_show(struct guest_probe *probe, uint32_t cpu, struct rbs_node *node)
{
	uint64_t queues;

	if (rbs_layout_has(&probe->layout, RQ_STEAL) && symbol_find(probe, "runqueues", &queues))
		rbs_node_set(node, xen_guest_desc(XEN_GUEST_D_STEAL_COUNTED),
			     rbs_layout_read(&probe->layout, RQ_STEAL, probe->target,
					     queues + probe->cpus.offsets[cpu]));
}

/* What follows from the times; see lib/probes/xen/vcpu.c. */
static void derived_show(struct rbs_node *node, const uint64_t *time, uint64_t entry,
			 uint64_t address)
{
	uint64_t sum = 0;
	bool sound = true;
	struct rbs_error error;

	for (unsigned i = 0; i < STATE_COUNT; i++) {
		sound = sound && time[i] <= entry - sum;
		sum += time[i];
	}
	if (sound) {
		rbs_node_set_number(node, xen_guest_desc(XEN_GUEST_D_CREATED), entry - sum);
		if (sum && sum < UINT64_MAX / 200)
			rbs_node_set_number(node, xen_guest_desc(XEN_GUEST_D_PERCENT_RUNNING),
					    (time[0] * 200 + sum) / (2 * sum));
		return;
	}
	rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_CREATED), RBS_CORRUPT);
	rbs_error_set_at(&error, RBS_CORRUPT, address,
			 "the times add up to more than state_entry_time: an update was under way, "
			 "or the memory is damaged");
	rbs_report_add_problem(node->report, node, &error);
}

static void runstate_show(struct guest_probe *probe, uint32_t cpu, struct rbs_node *node)
{
	uint64_t address = probe->runstate + probe->cpus.offsets[cpu];
	static const char *const names[STATE_COUNT] = {"running", "runnable", "blocked", "offline"};
	struct rbs_value state = rbs_layout_read(&probe->layout, RS_STATE, probe->target, address);
	struct rbs_value entry = rbs_layout_read(&probe->layout, RS_ENTRY, probe->target, address);
	enum rbs_code code = rbs_value_ok(&state) ? entry.code : state.code;
	uint64_t time[STATE_COUNT];
	struct rbs_error error;

	for (unsigned i = 0; i < STATE_COUNT; i++) {
		struct rbs_value value = rbs_layout_read_element(&probe->layout, RS_TIMES,
								 probe->target, address, i);

		time[i] = value.number;
		if (code == RBS_OK)
			code = value.code;
	}
	if (code == RBS_OK && !entry.number) {
		/* Xen's clock has passed 0 when the first vCPU is made. */
		set_text(node, XEN_GUEST_D_STATE, "unregistered");
		figures_absent(node, RBS_NOT_COUNTED);
		return;
	}
	if (code == RBS_OK && entry.number & UPDATE)
		code = RBS_TORN;
	if (code != RBS_OK) {
		rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_STATE), code);
		figures_absent(node, code);
		rbs_error_set_at(&error, code, address, "the runstate at %" PRIx64 ": %s", address,
				 rbs_code_text(code));
		rbs_report_add_problem(node->report, node, &error);
		return;
	}
	if (state.number < STATE_COUNT)
		set_text(node, XEN_GUEST_D_STATE, names[state.number]);
	else
		rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_STATE), RBS_CORRUPT);
	rbs_node_set(node, xen_guest_desc(XEN_GUEST_D_ENTRY_TIME), entry);
	for (unsigned i = 0; i < STATE_COUNT; i++)
		rbs_node_set_number(node, xen_guest_desc(time_descs[i]), time[i]);
	derived_show(node, time, entry.number, address);
	steal_show(probe, cpu, time, node);
}

static void cpu_show(struct guest_probe *probe, uint32_t cpu)
{
	/* On HVM the numbers may differ: Xen's own was asked for ("xen: introduce xen_vcpu_id"). */
	struct rbs_value id = percpu_read(probe, "xen_vcpu_id", cpu, 4);
	struct rbs_node *node = rbs_node_add(probe->node, RBS_LEVEL_CHANNEL, "vcpu%" PRIu64,
					     rbs_value_or(&id, cpu));

	if (!node)
		return;
	rbs_node_set_number(node, xen_guest_desc(XEN_GUEST_D_CPU), cpu);
	if (probe->cpus.online_code == RBS_OK)
		rbs_node_set_number(node, xen_guest_desc(XEN_GUEST_D_ONLINE),
				    probe->cpus.online[cpu]);
	else
		rbs_node_set_absent(node, xen_guest_desc(XEN_GUEST_D_ONLINE),
				    probe->cpus.online_code);
	runstate_show(probe, cpu, node);
	steal_counted_show(probe, cpu, node);
	vcpu_info_show(probe, cpu, node);
}

static enum rbs_code guest_read(struct guest_probe *probe, struct rbs_section *section,
				uint64_t type, struct rbs_error *err)
{
	enum rbs_code code = rbs_symbols_find(&probe->dump->symbols, NULL, "xen_runstate",
					      &probe->runstate, err);

	if (code == RBS_OK)
		code = rbs_layout_init(&probe->layout, entries, GUEST_MEMBER_COUNT,
				       &probe->dump->types, NULL, err);
	if (code == RBS_OK)
		code = rbs_cpus_init(&probe->cpus, probe->dump, err);
	if (code != RBS_OK)
		return code;
	section->types = probe->layout.answered;
	probe->node = rbs_node_add(section->node, RBS_LEVEL_DEVICE, "guest");
	if (!probe->node)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	guest_show(probe, type);
	for (uint32_t cpu = 0; cpu < probe->cpus.count; cpu++) {
		if (rbs_target_interrupted(probe->target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (probe->cpus.possible[cpu])
			cpu_show(probe, cpu);
	}
	return RBS_OK;
}

static enum rbs_code xen_guest_run(struct rbs_probe_context *context, bool *absent,
				   struct rbs_error *err)
{
	struct guest_probe probe = {.dump = context->dump, .target = context->dump->target};
	uint64_t address, type;
	enum rbs_code code =
		rbs_symbols_find(&probe.dump->symbols, NULL, "xen_domain_type", &address, err);

	if (code == RBS_NO_SYMBOL) {
		*absent = true;
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "not on Xen: the kernel has no symbol xen_domain_type");
	}
	if (code != RBS_OK)
		return code;
	code = rbs_target_read_uint(probe.target, address, 4, &type, err);
	if (code != RBS_OK)
		return rbs_error_prefix(err, "xen_domain_type");
	if (type == TYPE_NATIVE) {
		*absent = true;
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "not on Xen: the kernel's xen_domain_type is 0 (native)");
	}
	code = guest_read(&probe, context->section, type, err);
	rbs_cpus_deinit(&probe.cpus);
	rbs_layout_deinit(&probe.layout);
	return code;
}

const struct rbs_probe rbs_xen_guest_probe = {.family = &xen_guest_family, .run = xen_guest_run};
