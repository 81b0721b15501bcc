/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same section from a running hypervisor's own calls: no more than those tell. */
#include <stdlib.h>

#include "lib/probes/xen/xen.h"

static void domain_show(struct rbs_node *node, const struct rbs_xen_calls_domain *domain)
{
	const char *reason = xen_shutdown_name(domain->shutdown_code);

	rbs_node_set_number(node, xen_desc(XEN_D_ID), domain->id);
	if (*domain->name)
		rbs_node_set_text(node, xen_desc(XEN_D_NAME), domain->name);
	rbs_node_set_text(node, xen_desc(XEN_D_TYPE), domain->hvm ? "hvm" : "pv");
	rbs_node_set_number(node, xen_desc(XEN_D_MAX_VCPUS), domain->vcpus);
	rbs_node_set_number(node, xen_desc(XEN_D_MEMORY), domain->tot_pages);
	rbs_node_set_text(node, xen_desc(XEN_D_DYING), domain->dying ? "dying" : "no");
	rbs_node_set_number(node, xen_desc(XEN_D_PAUSED), domain->paused);
	if (!domain->shut_down)
		rbs_node_set_text(node, xen_desc(XEN_D_SHUTDOWN), "no");
	else if (reason)
		rbs_node_set_text(node, xen_desc(XEN_D_SHUTDOWN), reason);
	else
		rbs_node_set_absent(node, xen_desc(XEN_D_SHUTDOWN), RBS_CORRUPT);
}

/* In the runstates' words; what does not run and is not paused waits for a CPU. */
static const char *state_name(const struct rbs_xen_calls_domain *domain,
			      const struct rbs_xen_calls_vcpu *vcpu)
{
	if (!vcpu->online)
		return xen_state_name(3);
	if (vcpu->running)
		return xen_state_name(0);
	if (vcpu->blocked)
		return xen_state_name(2);
	return xen_state_name(domain->paused || domain->shut_down || domain->dying ? 3 : 1);
}

static enum rbs_code vcpus_read(struct rbs_xen_calls *calls,
				const struct rbs_xen_calls_domain *info, struct xen_domain *domain,
				struct rbs_error *err)
{
	for (uint32_t i = 0; i < info->vcpus; i++) {
		struct xen_vcpu *vcpu = &domain->vcpus[domain->vcpu_count];
		struct rbs_xen_calls_vcpu told = {0};
		enum rbs_code code = calls->ops->vcpu_get(calls, info->id, i, &told, err);

		if (code != RBS_OK)
			return code;
		if (!told.exists)
			continue;
		*vcpu = (struct xen_vcpu){
			.node = rbs_node_add(domain->node, RBS_LEVEL_CHANNEL, "vcpu%u", i),
			.id = i,
			.times.time[0] = told.cpu_time,
		};
		domain->vcpu_count++;
		rbs_node_set_number(vcpu->node, xen_desc(XEN_D_PROCESSOR), told.cpu);
		rbs_node_set_text(vcpu->node, xen_desc(XEN_D_STATE), state_name(info, &told));
		rbs_node_set_number(vcpu->node, xen_desc(XEN_D_RUNNING), told.cpu_time);
		rbs_node_set_number(vcpu->node, xen_desc(XEN_D_ONLINE), told.online);
		rbs_node_set_number(vcpu->node, xen_desc(XEN_D_ON_CPU), told.running);
	}
	return RBS_OK;
}

static void table_read(struct rbs_xen_calls *calls, const struct rbs_xen_calls_domain *info,
		       struct xen_domain *domain)
{
	struct rbs_xen_calls_table table = {0};
	struct xen_table_source source = {0};
	struct rbs_error error;
	enum rbs_code code = calls->ops->table_open(calls, info->id, info->vcpus, &table, &error);

	if (code == RBS_NO_MEMBER) {
		rbs_node_set_text(domain->node, xen_desc(XEN_D_TABLE), "none");
		return;
	}
	if (code != RBS_OK) {
		rbs_node_set_absent(domain->node, xen_desc(XEN_D_TABLE), code);
		rbs_report_add_problem(domain->node->report, domain->node, &error);
		return;
	}
	source.target = table.target;
	source.va = table.va;
	for (size_t i = 0; table.own_pages && i < domain->vcpu_count; i++)
		domain->vcpus[i].own_page = table.own_pages[domain->vcpus[i].id];
	xen_table_read(&source, domain);
	rbs_target_destroy(table.target);
	free(table.own_pages);
}

static enum rbs_code domain_read(struct rbs_probe_context *context, struct rbs_xen_calls *calls,
				 const struct rbs_xen_calls_domain *info, struct rbs_error *err)
{
	struct rbs_node *section = context->section->node;
	struct xen_domain domain = {
		.node = rbs_node_add(section, RBS_LEVEL_DEVICE, "d%u", info->id)};
	enum rbs_code code = RBS_OK;

	if (!domain.node)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	domain_show(domain.node, info);
	if (info->vcpus > XEN_VCPU_LIMIT)
		code = rbs_error_set(err, RBS_CORRUPT, "%u vCPUs are more than Xen allows",
				     info->vcpus);
	if (code == RBS_OK && info->vcpus) {
		domain.vcpus = calloc(info->vcpus, sizeof(*domain.vcpus));
		if (!domain.vcpus)
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
		code = vcpus_read(calls, info, &domain, err);
	}
	if (code == RBS_OK)
		table_read(calls, info, &domain);
	else /* it may have gone away in between */
		rbs_report_add_problem(section->report, domain.node, err);
	free(domain.vcpus);
	return RBS_OK;
}

enum rbs_code xen_live_read(struct rbs_probe_context *context, struct rbs_xen_calls *calls,
			    struct rbs_error *err)
{
	struct rbs_xen_calls_domain info = {0};
	uint32_t from = calls->has_domain ? calls->domain : 0;
	enum rbs_code code;
	bool found;

	for (;;) {
		code = calls->ops->domain_get(calls, from, &info, &found, err);
		if (code != RBS_OK || !found || info.id < from ||
		    (calls->has_domain && info.id != calls->domain))
			break;
		code = domain_read(context, calls, &info, err);
		if (code != RBS_OK || calls->has_domain)
			return code;
		from = info.id + 1;
	}
	if (code == RBS_OK && calls->has_domain)
		return rbs_error_set(err, RBS_USAGE, "there is no domain %u", calls->domain);
	return code;
}
