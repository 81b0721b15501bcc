/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/xen_live.h"

#ifndef RBS_XEN_LIVE

enum rbs_code rbs_xen_live_open(struct rbs_dump *dump, const struct rbs_xen_live_options *options,
				struct rbs_error *err)
{
	(void)dump;
	(void)options;
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "this rbstats was built without Xen's libraries (xencontrol, "
			     "xenforeignmemory), so it cannot ask a running hypervisor");
}

const char *rbs_xen_live_built(void)
{
	return "no Xen libraries";
}

#else

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include "lib/tables_kernel.h"
#include "lib/target/x86_walk.h"
#include "lib/xen_foreign.h"

#define PAGE 4096
#define STATS_TABLE 3 /* XENMEM_resource_stats_table; not in Xen's headers */
/*
 * A table of 8192 vCPUs takes 257 pages. Hypervisors without the resource have answered its size
 * with nonsense (4.17: 17592185655296 bytes).
 */
#define TABLE_MAX (UINT64_C(1) << 24)
#define VCPU_LIMIT 8192
#define TABLE_BASE UINT64_C(0x100000) /* addresses of our own for what was mapped */

struct live_calls {
	struct rbs_xen_calls calls;
	xentoollog_logger quiet;
	xc_interface *control;
	xenforeignmemory_handle *memory;
};

static struct live_calls *live_from(struct rbs_xen_calls *calls)
{
	return (struct live_calls *)calls;
}

/* The libraries would print to standard error. */
static void nothing_said(struct xentoollog_logger *logger, xentoollog_level level, int error,
			 const char *context, const char *format, va_list args)
{
	(void)logger;
	(void)level;
	(void)error;
	(void)context;
	(void)format;
	(void)args;
}

static enum rbs_code domain_get(struct rbs_xen_calls *calls, uint32_t from,
				struct rbs_xen_calls_domain *domain, bool *found,
				struct rbs_error *err)
{
	xc_domaininfo_t info;
	int count = xc_domain_getinfolist(live_from(calls)->control, from, 1, &info);

	if (count < 0)
		return rbs_error_set(err, RBS_IO, "the hypervisor does not list its domains: %s",
				     strerror(errno));
	*found = count > 0;
	if (!*found)
		return RBS_OK;
	*domain = (struct rbs_xen_calls_domain){
		.id = info.domain,
		.hvm = info.flags & XEN_DOMINF_hvm_guest,
		.dying = info.flags & XEN_DOMINF_dying,
		.paused = info.flags & XEN_DOMINF_paused,
		.shut_down = info.flags & XEN_DOMINF_shutdown,
		.shutdown_code = (info.flags >> XEN_DOMINF_shutdownshift) & XEN_DOMINF_shutdownmask,
		.tot_pages = info.tot_pages,
		.vcpus = info.max_vcpu_id == XEN_INVALID_MAX_VCPU_ID ? 0 : info.max_vcpu_id + 1,
	};
	if (!domain->id)
		snprintf(domain->name, sizeof(domain->name), "Domain-0");
	return RBS_OK;
}

static enum rbs_code vcpu_get(struct rbs_xen_calls *calls, uint32_t domain, uint32_t vcpu,
			      struct rbs_xen_calls_vcpu *info, struct rbs_error *err)
{
	xc_vcpuinfo_t told;

	if (xc_vcpu_getinfo(live_from(calls)->control, domain, vcpu, &told)) {
		/* ESRCH: no such vCPU, or the domain is gone. */
		if (errno == ESRCH)
			return RBS_OK;
		return rbs_error_set(err, RBS_IO, "vCPU %" PRIu32 ": %s", vcpu, strerror(errno));
	}
	*info = (struct rbs_xen_calls_vcpu){
		.exists = true,
		.online = told.online,
		.blocked = told.blocked,
		.running = told.running,
		.cpu_time = told.cpu_time,
		.cpu = told.cpu,
	};
	return RBS_OK;
}

struct table_mapping {
	xenforeignmemory_resource_handle *resource;
	const uint8_t *bytes;
	uint64_t address, size;
};

/* What was mapped of a domain's stats_table, at addresses of our own. */
struct table_target {
	struct rbs_target target;
	xenforeignmemory_handle *memory;
	struct table_mapping *mappings; /* owned */
	size_t count;
};

static enum rbs_code table_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				void *buffer, size_t length, struct rbs_error *err)
{
	struct table_target *self = (struct table_target *)target;

	for (size_t i = 0; space == RBS_KERNEL_VIRTUAL && i < self->count; i++) {
		const struct table_mapping *mapping = &self->mappings[i];

		if (address < mapping->address || address - mapping->address >= mapping->size ||
		    length > mapping->size - (address - mapping->address))
			continue;
		/* The hypervisor writes meanwhile: read it, whatever the compiler knows. */
		for (size_t j = 0; j < length; j++)
			((uint8_t *)buffer)[j] =
				((const volatile uint8_t *)
					 mapping->bytes)[address - mapping->address + j];
		return RBS_OK;
	}
	return rbs_error_set_at(err, RBS_UNMAPPED, address,
				"%" PRIx64 " is beyond what Xen gives of the table", address);
}

static const char *no_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static void table_destroy(struct rbs_target *target)
{
	struct table_target *self = (struct table_target *)target;

	for (size_t i = 0; i < self->count; i++)
		xenforeignmemory_unmap_resource(self->memory, self->mappings[i].resource);
	free(self->mappings);
	free(self);
}

static const struct rbs_target_ops table_ops = {
	.read = table_read,
	.vmcoreinfo = no_vmcoreinfo,
	.destroy = table_destroy,
};

static void info_fill(struct rbs_target_info *info)
{
	*info = (struct rbs_target_info){
		.byte_order = RBS_LITTLE_ENDIAN, .word_size = sizeof(void *), .page_size = PAGE};
	snprintf(info->path, sizeof(info->path), "Xen");
	snprintf(info->format, sizeof(info->format), "live");
	snprintf(info->arch, sizeof(info->arch), "x86_64");
}

/* Map one table; false when the hypervisor has none of that number. */
static bool table_map(struct table_target *self, uint32_t domain, uint32_t id)
{
	struct table_mapping *mapping = &self->mappings[self->count];
	uint64_t address = TABLE_BASE;
	void *bytes = NULL;
	size_t size = 0;

	if (self->count)
		address = mapping[-1].address + mapping[-1].size;
	if (xenforeignmemory_resource_size(self->memory, (domid_t)domain, STATS_TABLE, id, &size) ||
	    !size || size > TABLE_MAX || size % PAGE)
		return false;
	mapping->resource =
		xenforeignmemory_map_resource(self->memory, (domid_t)domain, STATS_TABLE, id, 0,
					      size / PAGE, &bytes, PROT_READ, 0);
	if (!mapping->resource)
		return false;
	mapping->bytes = bytes;
	mapping->address = address;
	mapping->size = size;
	self->count++;
	return true;
}

static enum rbs_code table_open(struct rbs_xen_calls *calls, uint32_t domain, uint32_t vcpus,
				struct rbs_xen_calls_table *table, struct rbs_error *err)
{
	struct table_target *self = calloc(1, sizeof(*self));

	if (vcpus > VCPU_LIMIT)
		vcpus = VCPU_LIMIT;
	*table = (struct rbs_xen_calls_table){.own_pages = calloc(vcpus + 1, sizeof(uint64_t))};
	if (!self || !table->own_pages ||
	    !(self->mappings = calloc(vcpus + 1, sizeof(*self->mappings)))) {
		free(table->own_pages);
		free(self);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	self->target.ops = &table_ops;
	info_fill(&self->target.info);
	self->memory = live_from(calls)->memory;
	/* Number 0 is the domain's table; in v0 every vCPU has one of its number. */
	if (!table_map(self, domain, 0)) {
		table_destroy(&self->target);
		free(table->own_pages);
		return rbs_error_set(err, RBS_NO_MEMBER, "no stats_table");
	}
	table->va = self->mappings[0].address;
	table->own_pages[0] = table->va;
	for (uint32_t i = 1; i < vcpus && table_map(self, domain, i); i++)
		table->own_pages[i] = self->mappings[i].address;
	table->target = &self->target;
	return RBS_OK;
}

static void live_destroy(struct rbs_xen_calls *calls)
{
	struct live_calls *self = live_from(calls);

	if (self->memory)
		xenforeignmemory_close(self->memory);
	if (self->control)
		xc_interface_close(self->control);
	free(self);
}

static const struct rbs_xen_calls_ops live_ops = {
	.domain_get = domain_get,
	.vcpu_get = vcpu_get,
	.table_open = table_open,
	.destroy = live_destroy,
};

static enum rbs_code live_create(struct live_calls **calls, struct rbs_error *err)
{
	struct live_calls *self = calloc(1, sizeof(*self));

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->calls.ops = &live_ops;
	self->quiet.vmessage = nothing_said;
	self->control = xc_interface_open(&self->quiet, &self->quiet, 0);
	if (self->control)
		self->memory = xenforeignmemory_open(&self->quiet, 0);
	if (!self->memory) {
		rbs_error_set(err, RBS_UNSUPPORTED,
			      "no running Xen can be asked (%s): --xen-live works in dom0, as root",
			      strerror(errno));
		live_destroy(&self->calls);
		return RBS_UNSUPPORTED;
	}
	*calls = self;
	return RBS_OK;
}

/* There is no memory of a running hypervisor to read. */
static enum rbs_code nothing_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				  void *buffer, size_t length, struct rbs_error *err)
{
	(void)target;
	(void)space;
	(void)buffer;
	(void)length;
	return rbs_error_set_at(err, RBS_UNMAPPED, address,
				"%" PRIx64 ": a running hypervisor's memory cannot be read",
				address);
}

static void plain_destroy(struct rbs_target *target)
{
	free(target);
}

static const struct rbs_target_ops nothing_ops = {
	.read = nothing_read,
	.vmcoreinfo = no_vmcoreinfo,
	.destroy = plain_destroy,
};

/*
 * A Linux kernel that stands still, in *dump instead of the hypervisor alone; RBS_OK also when
 * there is none: what the hypervisor tells is there in any case.
 */
static enum rbs_code kernel_add(struct rbs_dump *dump, struct live_calls *live, uint32_t domid,
				struct rbs_error *err)
{
	const struct rbs_session_options plain = {.vmlinux = NULL};
	vcpu_guest_context_any_t context;
	struct rbs_target *memory, *kernel;
	struct rbs_dump *hypervisor;
	struct rbs_error error;

	if (xc_vcpu_getcontext(live->control, domid, 0, &context)) {
		rbs_dump_add_note(dump, "the domain's registers: %s", strerror(errno));
		return RBS_OK;
	}
	if (rbs_xen_foreign_create(domid, &dump->target->info, &memory, err) != RBS_OK)
		return err->code;
	if (rbs_tables_kernel_open(memory, context.x64.ctrlreg[3],
				   (context.x64.ctrlreg[4] & RBS_X86_CR4_LA57) != 0, &kernel,
				   &error) != RBS_OK) {
		rbs_target_destroy(memory);
		rbs_dump_add_note(dump, "the domain's kernel: %s", error.text);
		return RBS_OK;
	}
	rbs_tables_kernel_own(kernel);
	hypervisor = malloc(sizeof(*hypervisor));
	if (!hypervisor) {
		rbs_target_destroy(kernel);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	/* A kernel's symbols point into its dump, which must stay where it was filled. */
	*hypervisor = *dump;
	if (rbs_session_attach(dump, kernel, &plain, &error) == RBS_OK) {
		dump->hypervisor = hypervisor;
		return RBS_OK;
	}
	*dump = *hypervisor;
	free(hypervisor);
	rbs_dump_add_note(dump, "the domain's kernel: %s", error.text);
	return RBS_OK;
}

static enum rbs_code domain_check(struct live_calls *live, struct rbs_dump *dump,
				  struct rbs_error *err)
{
	struct rbs_xen_calls_domain domain = {0};
	uint32_t domid = live->calls.domain;
	bool found;
	enum rbs_code code = domain_get(&live->calls, domid, &domain, &found, err);

	if (code != RBS_OK)
		return code;
	if (!found || domain.id != domid)
		return rbs_error_set(err, RBS_USAGE, "there is no domain %" PRIu32, domid);
	/* What runs changes while it is read; and we ourselves run in dom0. */
	if (domid && (domain.paused || domain.shut_down))
		code = kernel_add(dump, live, domid, err);
	return code;
}

enum rbs_code rbs_xen_live_open(struct rbs_dump *dump, const struct rbs_xen_live_options *options,
				struct rbs_error *err)
{
	struct live_calls *live = NULL;
	struct rbs_target *target;
	enum rbs_code code = live_create(&live, err);

	if (code != RBS_OK)
		return code;
	live->calls.has_domain = options->has_domain;
	live->calls.domain = options->domain;
	target = calloc(1, sizeof(*target));
	if (!target) {
		live_destroy(&live->calls);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	target->ops = &nothing_ops;
	info_fill(&target->info);
	rbs_dump_init(dump, target);
	dump->is_hypervisor = true;
	dump->calls = &live->calls;
	if (options->has_domain)
		code = domain_check(live, dump, err);
	if (code != RBS_OK)
		rbs_dump_deinit(dump);
	return code;
}

const char *rbs_xen_live_built(void)
{
	return "Xen's libraries";
}

#endif
