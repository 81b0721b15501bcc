/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "lib/probes/xen/xen.h"

#define PAUSE_DOWN 2 /* 1 << _VPF_down, xen/include/xen/sched.h */

enum { RUNNING, RUNNABLE, BLOCKED, OFFLINE, STATE_COUNT };

const char *xen_state_name(uint64_t state)
{
	/* public/vcpu.h: RUNSTATE_* */
	static const char *const names[STATE_COUNT] = {"running", "runnable", "blocked", "offline"};

	return state < STATE_COUNT ? names[state] : NULL;
}

static void state_show(struct xen_probe *probe, struct xen_vcpu *vcpu)
{
	struct rbs_value state =
		rbs_layout_read(&probe->layout, XV_STATE, probe->target, vcpu->address);
	const struct rbs_desc *desc = xen_desc(XEN_D_STATE);

	if (!rbs_value_ok(&state))
		rbs_node_set(vcpu->node, desc, state);
	else if (xen_state_name(state.number))
		rbs_node_set_text(vcpu->node, desc, xen_state_name(state.number));
	else
		rbs_node_set_absent(vcpu->node, desc, RBS_CORRUPT);
}

static void times_show(struct xen_probe *probe, struct xen_vcpu *vcpu)
{
	static const unsigned ids[STATE_COUNT] = {XEN_D_RUNNING, XEN_D_RUNNABLE, XEN_D_BLOCKED,
						  XEN_D_OFFLINE};

	vcpu->times.code = RBS_OK;
	for (unsigned i = 0; i < STATE_COUNT; i++) {
		struct rbs_value time = rbs_layout_read_element(&probe->layout, XV_TIMES,
								probe->target, vcpu->address, i);

		rbs_node_set(vcpu->node, xen_desc(ids[i]), time);
		vcpu->times.time[i] = time.number;
		if (!rbs_value_ok(&time))
			vcpu->times.code = time.code;
	}
}

static void percent_show(struct xen_vcpu *vcpu, unsigned desc, enum rbs_code code, uint64_t part,
			 uint64_t whole)
{
	if (code == RBS_OK && !whole)
		code = RBS_NOT_COUNTED;
	if (code != RBS_OK)
		rbs_node_set_absent(vcpu->node, xen_desc(desc), code);
	else /* whole is at most state_entry_time: 2^57 ns are 4 years */
		rbs_node_set_number(vcpu->node, xen_desc(desc),
				    whole > UINT64_MAX / 200 ? part / (whole / 100)
							     : (part * 200 + whole) / (2 * whole));
}

/* What follows from the times; *sum holds when they were read and do not overflow. */
static void derived_show(struct xen_vcpu *vcpu, struct rbs_value entry)
{
	static const unsigned percents[STATE_COUNT] = {
		XEN_D_PERCENT_RUNNING, XEN_D_PERCENT_RUNNABLE, XEN_D_PERCENT_BLOCKED,
		XEN_D_PERCENT_OFFLINE};
	const uint64_t *time = vcpu->times.time;
	enum rbs_code code = vcpu->times.code != RBS_OK ? vcpu->times.code : entry.code;
	uint64_t sum = 0, excess = 0;
	struct rbs_error error;

	for (unsigned i = 0; code == RBS_OK && i < STATE_COUNT; i++) {
		/* Past the entry time the sum cannot be right, and might wrap around. */
		if (time[i] > entry.number - sum) {
			excess = time[i] - (entry.number - sum);
			code = RBS_CORRUPT;
		} else {
			sum += time[i];
		}
	}
	if (code == RBS_CORRUPT && excess) {
		rbs_error_set_at(&error, RBS_CORRUPT, vcpu->address,
				 "the times add up to more than state_entry_time, by %" PRIu64
				 " ns or more: an update was under way, or the memory is damaged",
				 excess);
		rbs_report_add_problem(vcpu->node->report, vcpu->node, &error);
	}
	for (unsigned i = 0; i < STATE_COUNT; i++)
		percent_show(vcpu, percents[i], code, time[i], sum);
	if (code == RBS_OK) {
		rbs_node_set_number(vcpu->node, xen_desc(XEN_D_CREATED), entry.number - sum);
		/* xen_steal_clock(), drivers/xen/time.c of Linux */
		rbs_node_set_number(vcpu->node, xen_desc(XEN_D_STEAL),
				    time[RUNNABLE] + time[OFFLINE]);
	} else {
		rbs_node_set_absent(vcpu->node, xen_desc(XEN_D_CREATED), code);
		rbs_node_set_absent(vcpu->node, xen_desc(XEN_D_STEAL), code);
	}
}

/* A pointer into nowhere may still lead to memory: a vCPU knows its number and its domain. */
static enum rbs_code identity_check(struct xen_probe *probe, uint64_t domain,
				    const struct xen_vcpu *vcpu, struct rbs_error *err)
{
	uint64_t id, owner = domain;
	enum rbs_code code =
		rbs_layout_require(&probe->layout, XV_ID, probe->target, vcpu->address, &id, err);

	if (code == RBS_OK && rbs_layout_has(&probe->layout, XV_DOMAIN))
		code = rbs_layout_require(&probe->layout, XV_DOMAIN, probe->target, vcpu->address,
					  &owner, err);
	if (code != RBS_OK)
		return code;
	if (id == vcpu->id && owner == domain)
		return RBS_OK;
	return rbs_error_set_at(err, RBS_CORRUPT, vcpu->address,
				"the pointer %" PRIx64 " does not lead to this vCPU",
				vcpu->address);
}

void xen_vcpu_read(struct xen_probe *probe, uint64_t domain, struct xen_vcpu *vcpu)
{
	struct rbs_node *node = vcpu->node;
	struct rbs_value entry, flags;
	struct rbs_error error;

	rbs_node_set_number(node, xen_desc(XEN_D_VCPU_ADDRESS), vcpu->address);
	vcpu->times.code = identity_check(probe, domain, vcpu, &error);
	if (vcpu->times.code != RBS_OK) {
		rbs_report_add_problem(node->report, node, &error);
		rbs_node_set_absent(node, xen_desc(XEN_D_STATE), vcpu->times.code);
		vcpu->address = 0;
		return;
	}
	xen_show(probe, XV_PROCESSOR, vcpu->address, node, XEN_D_PROCESSOR);
	state_show(probe, vcpu);
	entry = xen_show(probe, XV_ENTRY_TIME, vcpu->address, node, XEN_D_ENTRY_TIME);
	times_show(probe, vcpu);
	derived_show(vcpu, entry);
	xen_show(probe, XV_IS_RUNNING, vcpu->address, node, XEN_D_ON_CPU);
	xen_show(probe, XV_PAUSE_COUNT, vcpu->address, node, XEN_D_VCPU_PAUSE);
	flags = xen_show(probe, XV_PAUSE_FLAGS, vcpu->address, node, XEN_D_PAUSE_FLAGS);
	if (rbs_value_ok(&flags))
		rbs_node_set_number(node, xen_desc(XEN_D_ONLINE), !(flags.number & PAUSE_DOWN));
}
