/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/xen/xen.h"

#include <inttypes.h>
#include <stdlib.h>

#define DOMAIN_LIMIT 32768 /* DOMID_FIRST_RESERVED, public/xen.h: 0x7ff0 */
#define OPTION_HVM 1	   /* XEN_DOMCTL_CDF_hvm, public/domctl.h */

static const struct rbs_layout_entry entries[XEN_MEMBER_COUNT] = {
	[XD_ID] = {"domain:domain_id"},
	[XD_MAX_VCPUS] = {"domain:max_vcpus"},
	[XD_VCPUS] = {"domain:vcpu"},
	[XD_NEXT] = {"domain:next_in_list"},
	[XD_TOT_PAGES] = {"domain:tot_pages", RBS_OPTIONAL},
	[XD_DYING] = {"domain:is_dying", RBS_OPTIONAL},
	[XD_CONTROLLER_PAUSE] = {"domain:controller_pause_count|domain:is_paused_by_controller",
				 RBS_OPTIONAL},
	[XD_PAUSE_COUNT] = {"domain:pause_count", RBS_OPTIONAL},
	[XD_SHUTTING_DOWN] = {"domain:is_shutting_down", RBS_OPTIONAL},
	[XD_SHUT_DOWN] = {"domain:is_shut_down", RBS_OPTIONAL},
	[XD_SHUTDOWN_CODE] = {"domain:shutdown_code", RBS_OPTIONAL},
	[XD_PRIVILEGED] = {"domain:is_privileged", RBS_OPTIONAL},
	/* The flags of creation since "xen/domctl: Introduce XEN_DOMCTL_CDF_hvm", 4.13. */
	[XD_OPTIONS] = {"domain:options", RBS_OPTIONAL},
	[XD_TABLE] = {"domain:vcpustats_page.va", RBS_OPTIONAL},
	[XV_ID] = {"vcpu:vcpu_id"},
	[XV_DOMAIN] = {"vcpu:domain", RBS_OPTIONAL},
	[XV_PROCESSOR] = {"vcpu:processor", RBS_OPTIONAL},
	[XV_STATE] = {"vcpu:runstate.state"},
	[XV_ENTRY_TIME] = {"vcpu:runstate.state_entry_time"},
	[XV_TIMES] = {"vcpu:runstate.time"},
	[XV_IS_RUNNING] = {"vcpu:is_running", RBS_OPTIONAL},
	[XV_PAUSE_FLAGS] = {"vcpu:pause_flags", RBS_OPTIONAL},
	[XV_PAUSE_COUNT] = {"vcpu:pause_count", RBS_OPTIONAL},
	[XV_TABLE] = {"vcpu:stats.va", RBS_OPTIONAL},
	[XS_SEQ] = {"vcpu_stats:seq|vcpu_stats:version", RBS_OPTIONAL},
	[XH_MAGIC] = {"vcpu_shmem_stats:magic", RBS_OPTIONAL},
	[XH_OFFSET] = {"vcpu_shmem_stats:offset", RBS_OPTIONAL},
	[XH_SIZE] = {"vcpu_shmem_stats:size", RBS_OPTIONAL},
	[XH_STRIDE] = {"vcpu_shmem_stats:stride", RBS_OPTIONAL},
};

struct rbs_value xen_show(struct xen_probe *probe, unsigned member, uint64_t base,
			  struct rbs_node *node, unsigned desc)
{
	struct rbs_value value = rbs_layout_read(&probe->layout, member, probe->target, base);

	if (value.code != RBS_NO_MEMBER)
		rbs_node_set(node, xen_desc(desc), value);
	return value;
}

const char *xen_shutdown_name(uint64_t code)
{
	static const char *const names[] = {"poweroff", "reboot",   "suspend",
					    "crash",	"watchdog", "soft-reset"};

	return code < sizeof(names) / sizeof(names[0]) ? names[code] : NULL;
}

static void shutdown_show(struct xen_probe *probe, const struct xen_domain *domain)
{
	struct rbs_value down =
		rbs_layout_read(&probe->layout, XD_SHUT_DOWN, probe->target, domain->address);
	struct rbs_value shutting =
		rbs_layout_read(&probe->layout, XD_SHUTTING_DOWN, probe->target, domain->address);
	struct rbs_value code =
		rbs_layout_read(&probe->layout, XD_SHUTDOWN_CODE, probe->target, domain->address);
	const struct rbs_desc *desc = xen_desc(XEN_D_SHUTDOWN);

	if (rbs_value_ok(&down) && !down.number && !rbs_value_or(&shutting, 0))
		rbs_node_set_text(domain->node, desc, "no");
	else if (!rbs_value_ok(&down) || !rbs_value_ok(&code))
		rbs_node_set_absent(domain->node, desc,
				    rbs_value_ok(&down) ? code.code : down.code);
	else if (xen_shutdown_name(code.number))
		rbs_node_set_text(domain->node, desc, xen_shutdown_name(code.number));
	else
		rbs_node_set_absent(domain->node, desc, RBS_CORRUPT);
}

static void dying_show(struct xen_probe *probe, const struct xen_domain *domain)
{
	/* enum domain_dying of struct domain: DOMDYING_alive ... */
	static const char *const names[] = {"no", "dying", "dead"};
	struct rbs_value dying =
		rbs_layout_read(&probe->layout, XD_DYING, probe->target, domain->address);

	if (rbs_value_ok(&dying) && dying.number < sizeof(names) / sizeof(names[0]))
		rbs_node_set_text(domain->node, xen_desc(XEN_D_DYING), names[dying.number]);
	else
		rbs_node_set_absent(domain->node, xen_desc(XEN_D_DYING),
				    rbs_value_ok(&dying) ? RBS_CORRUPT : dying.code);
}

static void domain_show(struct xen_probe *probe, const struct xen_domain *domain, uint64_t id)
{
	struct rbs_node *node = domain->node;
	struct rbs_value options, paused;

	rbs_node_set_number(node, xen_desc(XEN_D_ID), id);
	if (!id)
		rbs_node_set_text(node, xen_desc(XEN_D_NAME), "Domain-0");
	options = rbs_layout_read(&probe->layout, XD_OPTIONS, probe->target, domain->address);
	if (rbs_value_ok(&options))
		rbs_node_set_text(node, xen_desc(XEN_D_TYPE),
				  options.number & OPTION_HVM ? "hvm" : "pv");
	xen_show(probe, XD_MAX_VCPUS, domain->address, node, XEN_D_MAX_VCPUS);
	xen_show(probe, XD_TOT_PAGES, domain->address, node, XEN_D_MEMORY);
	dying_show(probe, domain);
	paused = rbs_layout_read(&probe->layout, XD_CONTROLLER_PAUSE, probe->target,
				 domain->address);
	if (rbs_value_ok(&paused))
		paused.number = paused.number != 0;
	if (paused.code != RBS_NO_MEMBER)
		rbs_node_set(node, xen_desc(XEN_D_PAUSED), paused);
	xen_show(probe, XD_PAUSE_COUNT, domain->address, node, XEN_D_PAUSE_COUNT);
	shutdown_show(probe, domain);
	rbs_node_set_number(node, xen_desc(XEN_D_ADDRESS), domain->address);
}

static void vcpus_read(struct xen_probe *probe, struct xen_domain *domain, uint64_t array,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct xen_vcpu *vcpu = &domain->vcpus[domain->vcpu_count];
		struct rbs_error error;
		uint64_t address;

		if (rbs_target_interrupted(probe->target))
			return;
		if (rbs_target_read_pointer(probe->target, array + (uint64_t)i * 8, &address,
					    &error) != RBS_OK) {
			rbs_error_prefix(&error, "the pointers to vCPUs from %u on", i);
			rbs_report_add_problem(domain->node->report, domain->node, &error);
			return;
		}
		if (!address) /* not created yet */
			continue;
		*vcpu = (struct xen_vcpu){
			.node = rbs_node_add(domain->node, RBS_LEVEL_CHANNEL, "vcpu%u", i),
			.address = address,
			.id = i,
		};
		if (!vcpu->node)
			return;
		xen_vcpu_read(probe, domain->address, vcpu);
		domain->vcpu_count++;
	}
}

/* What this hypervisor's structures say; xen_table_read() looks at the memory. */
static unsigned declared_get(const struct rbs_layout *layout)
{
	unsigned declared = rbs_layout_has(layout, XV_TABLE) ? XEN_DECLARES_OWN_PAGE : 0;

	if (!rbs_layout_has(layout, XD_TABLE))
		return declared;
	if (rbs_layout_has(layout, XH_MAGIC))
		return declared | XEN_DECLARES_HEADER;
	return declared | (rbs_layout_has(layout, XS_SEQ) ? XEN_DECLARES_SEQ : XEN_DECLARES_PLAIN);
}

static void table_read(struct xen_probe *probe, struct xen_domain *domain)
{
	const struct rbs_desc *desc = xen_desc(XEN_D_TABLE);
	struct xen_table_source source = {
		.target = probe->target,
		.declared = declared_get(&probe->layout),
	};
	struct rbs_value va =
		rbs_layout_read(&probe->layout, XD_TABLE, probe->target, domain->address);

	if (!source.declared) {
		rbs_node_set_text(domain->node, desc, "none");
		return;
	}
	if (!rbs_value_ok(&va) && va.code != RBS_NO_MEMBER) {
		rbs_node_set(domain->node, desc, va);
		return;
	}
	source.va = rbs_value_or(&va, 0);
	for (size_t i = 0; i < domain->vcpu_count; i++) {
		struct xen_vcpu *vcpu = &domain->vcpus[i];
		struct rbs_value page = rbs_value_absent(RBS_NO_MEMBER);

		if (vcpu->address)
			page = rbs_layout_read(&probe->layout, XV_TABLE, probe->target,
					       vcpu->address);
		vcpu->own_page = rbs_value_or(&page, 0);
	}
	xen_table_read(&source, domain);
}

static enum rbs_code domain_read(struct xen_probe *probe, uint64_t address, struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	struct xen_domain domain = {.address = address};
	uint64_t id, count, array;
	enum rbs_code code =
		rbs_layout_require(&probe->layout, XD_ID, probe->target, address, &id, err);

	if (code != RBS_OK)
		return code;
	domain.node = rbs_node_add(section, RBS_LEVEL_DEVICE, "d%" PRIu64, id);
	if (!domain.node)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	domain_show(probe, &domain, id);
	code = rbs_layout_require(&probe->layout, XD_MAX_VCPUS, probe->target, address, &count,
				  err);
	if (code == RBS_OK)
		code = rbs_layout_require(&probe->layout, XD_VCPUS, probe->target, address, &array,
					  err);
	if (code == RBS_OK && count > XEN_VCPU_LIMIT)
		code = rbs_error_set_at(err, RBS_CORRUPT, address,
					"%" PRIu64 " vCPUs are more than Xen allows", count);
	if (code == RBS_OK && count && array) {
		domain.vcpus = calloc(count, sizeof(*domain.vcpus));
		if (!domain.vcpus)
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
		vcpus_read(probe, &domain, array, (uint32_t)count);
	}
	if (code != RBS_OK)
		rbs_report_add_problem(section->report, domain.node, err);
	table_read(probe, &domain);
	free(domain.vcpus);
	return RBS_OK;
}

/* A chain of pointers that ends in NULL; no domain is shown twice. */
static enum rbs_code domains_walk(struct xen_probe *probe, uint64_t list, struct rbs_error *err)
{
	struct rbs_page_set seen; /* a set of numbers: addresses here */
	uint64_t at;
	enum rbs_code code = rbs_target_read_pointer(probe->target, list, &at, err);

	rbs_page_set_init(&seen);
	while (code == RBS_OK && at) {
		if (rbs_target_interrupted(probe->target))
			code = rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		else if (!rbs_page_set_add(&seen, at))
			code = rbs_error_set_at(err, RBS_CORRUPT, at,
						"the list of domains runs in a circle at %" PRIx64,
						at);
		else if (seen.count > DOMAIN_LIMIT)
			code = rbs_error_set_at(err, RBS_LIMIT, at,
						"the list of domains has more than %u entries",
						DOMAIN_LIMIT);
		if (code != RBS_OK)
			break;
		code = domain_read(probe, at, err);
		if (code == RBS_OK)
			code = rbs_layout_require(&probe->layout, XD_NEXT, probe->target, at, &at,
						  err);
		if (code != RBS_OK && code != RBS_NOMEM)
			rbs_error_prefix(err, "the list of domains breaks off");
	}
	rbs_page_set_deinit(&seen);
	return code;
}

static enum rbs_code xen_read(struct xen_probe *probe, struct rbs_dump *dump, struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	uint64_t list;
	enum rbs_code code = rbs_symbols_find(&dump->symbols, NULL, "domain_list", &list, err);

	if (code == RBS_OK)
		code = rbs_layout_init(&probe->layout, entries, XEN_MEMBER_COUNT, &dump->types,
				       NULL, err);
	if (code != RBS_OK)
		return code;
	probe->context->section->types = probe->layout.answered;
	code = domains_walk(probe, list, err);
	if (code != RBS_OK && section->child_count && code != RBS_NOMEM) {
		rbs_report_add_problem(section->report, section, err);
		code = RBS_OK;
	}
	return code;
}

static enum rbs_code xen_run(struct rbs_probe_context *context, bool *absent, struct rbs_error *err)
{
	struct rbs_dump *dump =
		context->dump->is_hypervisor ? context->dump : context->dump->hypervisor;
	struct xen_probe probe = {.context = context};
	enum rbs_code code;

	if (!dump) {
		*absent = true;
		return rbs_error_set(err, RBS_NO_SYMBOL,
				     "no hypervisor was named: --xen-syms gives its ELF file");
	}
	if (dump->calls)
		return xen_live_read(context, dump->calls, err);
	probe.target = dump->target;
	code = xen_read(&probe, dump, err);
	rbs_layout_deinit(&probe.layout);
	return code;
}

const struct rbs_probe rbs_xen_probe = {
	.family = &xen_family, .of_hypervisor = true, .run = xen_run};
