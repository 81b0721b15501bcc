/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/xen_domain.h"

#include <inttypes.h>

#include "lib/layout.h"
#include "lib/tables_kernel.h"

#define PAGE 4096
#define DOMAIN_LIMIT 32768
#define VCPU_LIMIT 8192
#define OPTION_HVM 1 /* XEN_DOMCTL_CDF_hvm */

enum {
	MEMBER_ID,
	MEMBER_NEXT,
	MEMBER_OPTIONS,
	MEMBER_MAX_VCPUS,
	MEMBER_VCPUS,
	MEMBER_TABLE,
	MEMBER_COUNT,
};

static const struct rbs_layout_entry entries[MEMBER_COUNT] = {
	[MEMBER_ID] = {"domain:domain_id"},
	[MEMBER_NEXT] = {"domain:next_in_list"},
	[MEMBER_OPTIONS] = {"domain:options", RBS_OPTIONAL},
	[MEMBER_MAX_VCPUS] = {"domain:max_vcpus"},
	[MEMBER_VCPUS] = {"domain:vcpu"},
	[MEMBER_TABLE] = {"vcpu:arch.guest_table"},
};

static enum rbs_code domain_find(struct rbs_dump *xen, const struct rbs_layout *layout,
				 uint32_t domid, uint64_t *domain, struct rbs_error *err)
{
	uint64_t at, id;
	enum rbs_code code = rbs_symbols_find(&xen->symbols, NULL, "domain_list", &at, err);

	if (code == RBS_OK)
		code = rbs_target_read_pointer(xen->target, at, &at, err);
	for (unsigned i = 0; code == RBS_OK && at && i < DOMAIN_LIMIT; i++) {
		code = rbs_layout_require(layout, MEMBER_ID, xen->target, at, &id, err);
		if (code == RBS_OK && id == domid) {
			*domain = at;
			return RBS_OK;
		}
		if (code == RBS_OK)
			code = rbs_layout_require(layout, MEMBER_NEXT, xen->target, at, &at, err);
	}
	return code != RBS_OK ? code
			      : rbs_error_set(err, RBS_USAGE, "there is no domain %" PRIu32, domid);
}

/* The kernel's top page table, by the first vCPU that has one. */
static enum rbs_code table_find(struct rbs_dump *xen, const struct rbs_layout *layout,
				uint64_t domain, uint64_t *root, struct rbs_error *err)
{
	uint64_t count, vcpus, vcpu, frame;
	enum rbs_code code =
		rbs_layout_require(layout, MEMBER_MAX_VCPUS, xen->target, domain, &count, err);

	if (code == RBS_OK)
		code = rbs_layout_require(layout, MEMBER_VCPUS, xen->target, domain, &vcpus, err);
	if (code != RBS_OK)
		return code;
	for (uint64_t i = 0; i < count && i < VCPU_LIMIT; i++) {
		if (rbs_target_read_pointer(xen->target, vcpus + i * 8, &vcpu, NULL) != RBS_OK ||
		    !vcpu ||
		    rbs_layout_require(layout, MEMBER_TABLE, xen->target, vcpu, &frame, NULL) !=
			    RBS_OK ||
		    !frame)
			continue;
		*root = frame * PAGE;
		return RBS_OK;
	}
	return rbs_error_set(err, RBS_UNSUPPORTED, "none of its vCPUs has page tables");
}

static enum rbs_code root_find(struct rbs_dump *xen, uint32_t domid, uint64_t *root,
			       struct rbs_error *err)
{
	struct rbs_layout layout;
	struct rbs_value options;
	uint64_t domain = 0;
	enum rbs_code code =
		rbs_layout_init(&layout, entries, MEMBER_COUNT, &xen->types, NULL, err);

	if (code == RBS_OK)
		code = domain_find(xen, &layout, domid, &domain, err);
	if (code == RBS_OK) {
		options = rbs_layout_read(&layout, MEMBER_OPTIONS, xen->target, domain);
		if (rbs_value_or(&options, 0) & OPTION_HVM)
			code = rbs_error_set(
				err, RBS_UNSUPPORTED,
				"it is an HVM or PVH domain; the kernels of PV domains "
				"are read");
	}
	if (code == RBS_OK)
		code = table_find(xen, &layout, domain, root, err);
	rbs_layout_deinit(&layout);
	return code;
}

enum rbs_code rbs_xen_domain_open(struct rbs_dump *hypervisor, struct rbs_target *machine,
				  uint32_t domid, struct rbs_target **target, struct rbs_error *err)
{
	uint64_t root = 0;
	enum rbs_code code = root_find(hypervisor, domid, &root, err);

	if (code == RBS_OK)
		code = rbs_tables_kernel_open(machine, root, false, target, err);
	return code == RBS_OK ? RBS_OK : rbs_error_prefix(err, "domain %" PRIu32, domid);
}
