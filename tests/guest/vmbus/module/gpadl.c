// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPADLs: lists of guest pages that the guest grants to the host, for rings
 * and for the network's buffers. A long list comes in a header message and
 * body messages; the host answers when it is complete.
 *
 * All under vmhost_lock.
 */
#include "vmhost.h"
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static LIST_HEAD(granted);

struct vmhost_gpadl *vmhost_gpadl_find(u32 handle)
{
	struct vmhost_gpadl *gpadl;

	list_for_each_entry(gpadl, &granted, node)
		if (gpadl->handle == handle)
			return gpadl;
	return NULL;
}

static void append(struct vmhost_gpadl *gpadl, const u64 *pfn, u32 count)
{
	struct vmbus_channel_gpadl_created answer = {
		.header.msgtype = CHANNELMSG_GPADL_CREATED,
		.child_relid = gpadl->relid,
		.gpadl = gpadl->handle,
	};
	u32 i;

	for (i = 0; i < count && gpadl->received < gpadl->pages; i++)
		gpadl->page[gpadl->received++] = pfn_to_page(pfn[i]);
	if (gpadl->received == gpadl->pages)
		vmhost_post(&answer, sizeof(answer));
}

void vmhost_gpadl_header(const void *message, u32 size)
{
	const struct vmbus_channel_gpadl_header *header = message;
	const struct gpa_range *range = header->range;
	struct vmhost_gpadl *gpadl = kzalloc(sizeof(*gpadl), GFP_KERNEL);
	u32 fixed = sizeof(*header) + sizeof(*range);

	if (!gpadl)
		return;
	gpadl->handle = header->gpadl;
	gpadl->relid = header->child_relid;
	gpadl->pages = (header->range_buflen - sizeof(*range)) / sizeof(u64);
	gpadl->page = kvcalloc(gpadl->pages, sizeof(*gpadl->page), GFP_KERNEL);
	if (!gpadl->page || size < fixed) {
		kfree(gpadl);
		return;
	}
	list_add_tail(&gpadl->node, &granted);
	append(gpadl, range->pfn_array, (size - fixed) / sizeof(u64));
}

void vmhost_gpadl_body(const void *message, u32 size)
{
	const struct vmbus_channel_gpadl_body *body = message;
	struct vmhost_gpadl *gpadl = vmhost_gpadl_find(body->gpadl);

	if (gpadl && size >= sizeof(*body))
		append(gpadl, body->pfn, (size - sizeof(*body)) / sizeof(u64));
}

void vmhost_gpadl_teardown(const void *message)
{
	const struct vmbus_channel_gpadl_teardown *request = message;
	struct vmbus_channel_gpadl_torndown answer = {
		.header.msgtype = CHANNELMSG_GPADL_TORNDOWN,
		.gpadl = request->gpadl,
	};
	struct vmhost_gpadl *gpadl = vmhost_gpadl_find(request->gpadl);

	if (gpadl) {
		list_del(&gpadl->node);
		kvfree(gpadl->page);
		kfree(gpadl);
	}
	vmhost_post(&answer, sizeof(answer));
}

/* Maps all pages in a row; NULL if the handle isn't granted. Unmap with vunmap(). */
void *vmhost_gpadl_map(u32 handle, u32 *bytes)
{
	struct vmhost_gpadl *gpadl = vmhost_gpadl_find(handle);

	if (!gpadl)
		return NULL;
	*bytes = gpadl->pages << PAGE_SHIFT;
	return vmap(gpadl->page, gpadl->pages, VM_MAP, PAGE_KERNEL);
}
