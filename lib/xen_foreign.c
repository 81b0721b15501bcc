/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef RBS_XEN_LIVE
#include "lib/xen_foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenforeignmemory.h>

#define PAGE 4096
#define SLOTS 1024 /* pages that stay mapped; a power of two */

struct foreign_target {
	struct rbs_target target;
	xenforeignmemory_handle *handle;
	uint32_t domain;
	struct {
		uint64_t frame; /* + 1; 0 is empty */
		void *page;
	} slots[SLOTS];
};

static struct foreign_target *foreign_target_from(struct rbs_target *target)
{
	return (struct foreign_target *)target;
}

static void *page_map(struct foreign_target *self, uint64_t frame)
{
	size_t slot = frame % SLOTS;
	xen_pfn_t number = frame;
	int failed = 0;
	void *page;

	if (self->slots[slot].frame == frame + 1)
		return self->slots[slot].page;
	page = xenforeignmemory_map(self->handle, self->domain, PROT_READ, 1, &number, &failed);
	if (page && failed) {
		xenforeignmemory_unmap(self->handle, page, 1);
		errno = failed < 0 ? -failed : failed;
		page = NULL;
	}
	if (!page)
		return NULL;
	if (self->slots[slot].frame)
		xenforeignmemory_unmap(self->handle, self->slots[slot].page, 1);
	self->slots[slot].frame = frame + 1;
	self->slots[slot].page = page;
	return page;
}

static enum rbs_code foreign_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				  void *buffer, size_t length, struct rbs_error *err)
{
	struct foreign_target *self = foreign_target_from(target);
	uint8_t *to = buffer;

	if (space != RBS_PHYSICAL)
		return rbs_error_set_at(err, RBS_UNMAPPED, address,
					"%" PRIx64 ": no kernel's translation was set up", address);
	while (length) {
		size_t offset = address % PAGE;
		size_t step = rbs_page_part(address, length, PAGE);
		const uint8_t *page = page_map(self, address / PAGE);

		if (!page)
			return rbs_error_set_at(err, RBS_UNMAPPED, address,
						"page %" PRIx64 " of domain %" PRIu32
						" cannot be mapped: %s",
						address / PAGE, self->domain, strerror(errno));
		memcpy(to, page + offset, step);
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}

static const char *foreign_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static void foreign_destroy(struct rbs_target *target)
{
	struct foreign_target *self = foreign_target_from(target);

	for (size_t i = 0; i < SLOTS; i++) {
		if (self->slots[i].frame)
			xenforeignmemory_unmap(self->handle, self->slots[i].page, 1);
	}
	xenforeignmemory_close(self->handle);
	free(self);
}

static const struct rbs_target_ops foreign_ops = {
	.read = foreign_read,
	.vmcoreinfo = foreign_vmcoreinfo,
	.destroy = foreign_destroy,
};

enum rbs_code rbs_xen_foreign_create(uint32_t domain, const struct rbs_target_info *info,
				     struct rbs_target **target, struct rbs_error *err)
{
	struct foreign_target *self = calloc(1, sizeof(*self));

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &foreign_ops;
	self->target.info = *info;
	self->handle = xenforeignmemory_open(NULL, 0);
	if (!self->handle) {
		free(self);
		return rbs_error_set(err, RBS_IO, "domain %" PRIu32 "'s memory: %s", domain,
				     strerror(errno));
	}
	self->domain = domain;
	*target = &self->target;
	return RBS_OK;
}
#endif /* RBS_XEN_LIVE */
