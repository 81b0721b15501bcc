/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/xen_domain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/layout.h"
#include "lib/target/x86_walk.h"
#include "lib/target/xen_notes.h"

#define PAGE 4096
#define DOMAIN_LIMIT 32768
#define VCPU_LIMIT 8192
#define OPTION_HVM 1 /* XEN_DOMCTL_CDF_hvm */
/* The gigabyte for the kernel's image (__START_KERNEL_map), its alignment, and the most it takes.
 */
#define IMAGE_FIRST UINT64_C(0xffffffff80000000)
#define IMAGE_LAST UINT64_C(0xffffffffbfffffff)
#define IMAGE_ALIGN (UINT64_C(2) << 20)
#define IMAGE_SIZE (UINT64_C(128) << 20)
#define FIRST_LINE "OSRELEASE="

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

struct guest_target {
	struct rbs_target target;
	struct rbs_target *machine;
	bool owns_machine;
	struct rbs_x86_walk walk;
	char vmcoreinfo[PAGE + 1];
	char note[PAGE + 64]; /* the same and our own line */
};

static struct guest_target *guest_target_from(struct rbs_target *target)
{
	return (struct guest_target *)target;
}

static enum rbs_code guest_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				void *buffer, size_t length, struct rbs_error *err)
{
	struct guest_target *self = guest_target_from(target);

	if (space == RBS_PHYSICAL)
		return rbs_target_read(self->machine, space, address, buffer, length, err);
	return rbs_x86_read(&self->walk, address, buffer, length, err);
}

static const char *guest_vmcoreinfo(struct rbs_target *target)
{
	return guest_target_from(target)->vmcoreinfo;
}

static const char *guest_note(struct rbs_target *target, const char **name)
{
	struct guest_target *self = guest_target_from(target);
	size_t length = strlen(self->vmcoreinfo);
	const char *end = length && self->vmcoreinfo[length - 1] != '\n' ? "\n" : "";

	snprintf(self->note, sizeof(self->note), "%s%s" RBS_XEN_ROOT_KEY "=%" PRIx64 "\n",
		 self->vmcoreinfo, end, self->walk.root);
	*name = "VMCOREINFO";
	return self->note;
}

static const struct rbs_page_set *guest_pages(const struct rbs_target *target)
{
	return rbs_target_pages(((const struct guest_target *)target)->machine);
}

static bool guest_interrupted(struct rbs_target *target)
{
	return rbs_target_interrupted(guest_target_from(target)->machine);
}

static void guest_destroy(struct rbs_target *target)
{
	if (guest_target_from(target)->owns_machine)
		rbs_target_destroy(guest_target_from(target)->machine);
	free(target);
}

static const struct rbs_target_ops guest_ops = {
	.read = guest_read,
	.vmcoreinfo = guest_vmcoreinfo,
	.note = guest_note,
	.pages = guest_pages,
	.interrupted = guest_interrupted,
	.destroy = guest_destroy,
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

static bool vmcoreinfo_take(struct guest_target *self, uint64_t address)
{
	char first[sizeof(FIRST_LINE) - 1];

	/* A page of the direct map. */
	if (address % PAGE || address >> 47 != 0x1ffff || address >= IMAGE_FIRST ||
	    rbs_x86_read(&self->walk, address, first, sizeof(first), NULL) != RBS_OK ||
	    memcmp(first, FIRST_LINE, sizeof(first)))
		return false;
	return rbs_x86_read(&self->walk, address, self->vmcoreinfo, PAGE, NULL) == RBS_OK;
}

/* Of all that points to pages, what points to VMCOREINFO; *found is where. */
static enum rbs_code image_search(struct guest_target *self, uint64_t *found, struct rbs_error *err)
{
	uint64_t first = IMAGE_FIRST, ignored;
	uint8_t page[PAGE];

	/* An HVM kernel is moved, in steps, and nothing is mapped below it. */
	while (first < IMAGE_LAST &&
	       rbs_x86_translate(&self->walk, first, &ignored, NULL) != RBS_OK)
		first += IMAGE_ALIGN;
	for (uint64_t at = first; at < first + IMAGE_SIZE && at < IMAGE_LAST; at += PAGE) {
		if (rbs_target_interrupted(self->machine))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (rbs_x86_read(&self->walk, at, page, PAGE, NULL) != RBS_OK)
			continue;
		for (size_t i = 0; i < PAGE; i += 8) {
			*found = at + i;
			if (vmcoreinfo_take(self, rbs_target_get_uint(&self->target, page + i, 8)))
				return RBS_OK;
		}
	}
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "no VMCOREINFO is in its memory: not a Linux kernel, or built without "
			     "CONFIG_VMCORE_INFO");
}

static enum rbs_code vmcoreinfo_find(struct guest_target *self, struct rbs_error *err)
{
	uint64_t at, address;
	enum rbs_code code;

	rbs_target_pages_record(self->machine, false);
	code = image_search(self, &at, err);
	rbs_target_pages_record(self->machine, true);
	if (code != RBS_OK)
		return code;
	/* Once more for the record, with an empty cache: the page tables belong to it. */
	rbs_x86_walk_init(&self->walk, self->machine, self->walk.root);
	code = rbs_target_read_pointer(&self->target, at, &address, err);
	if (code == RBS_OK && !vmcoreinfo_take(self, address))
		code = rbs_error_set(err, RBS_IO, "VMCOREINFO cannot be read again");
	return code;
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

enum rbs_code rbs_xen_kernel_open(struct rbs_target *machine, uint64_t root,
				  struct rbs_target **target, struct rbs_error *err)
{
	struct guest_target *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &guest_ops;
	self->target.info = machine->info;
	self->machine = machine;
	rbs_x86_walk_init(&self->walk, machine, root);
	code = vmcoreinfo_find(self, err);
	if (code != RBS_OK) {
		free(self);
		return code;
	}
	rbs_vmcoreinfo_text(&self->target, "OSRELEASE", self->target.info.release,
			    sizeof(self->target.info.release));
	*target = &self->target;
	return RBS_OK;
}

enum rbs_code rbs_xen_domain_open(struct rbs_dump *hypervisor, struct rbs_target *machine,
				  uint32_t domid, struct rbs_target **target, struct rbs_error *err)
{
	uint64_t root = 0;
	enum rbs_code code = root_find(hypervisor, domid, &root, err);

	if (code == RBS_OK)
		code = rbs_xen_kernel_open(machine, root, target, err);
	return code == RBS_OK ? RBS_OK : rbs_error_prefix(err, "domain %" PRIu32, domid);
}

void rbs_xen_domain_own(struct rbs_target *target)
{
	guest_target_from(target)->owns_machine = true;
}
