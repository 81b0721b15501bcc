// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels from their offer to their end. A relid is never used twice, so that
 * each line of the truth names one channel for the whole life of the guest.
 *
 * All under vmhost_lock.
 */
#include "vmhost.h"
#include <linux/mm.h>
#include <linux/vmalloc.h>

struct vmhost_channel vmhost_channels[VMHOST_CHANNELS];

static u32 next_relid = 1;

/* NULL unless a channel with that relid was ever offered. */
struct vmhost_channel *vmhost_channel_at(u32 relid)
{
	if (relid == 0 || relid >= next_relid)
		return NULL;
	return &vmhost_channels[relid];
}

/* Returns the new channel, or NULL when all relids are used up. */
struct vmhost_channel *vmhost_offer(struct vmhost_device *device, u32 sub)
{
	const struct vmhost_class *class = device->class;
	struct vmbus_channel_offer_channel offer = {
		.header.msgtype = CHANNELMSG_OFFERCHANNEL,
		.offer.if_type = class->type,
		.offer.if_instance = device->instance,
		.offer.chn_flags = class->offer_flags,
		.offer.sub_channel_index = sub,
		.is_dedicated_interrupt = 1,
	};
	struct vmhost_channel *channel;

	if (next_relid == VMHOST_CHANNELS)
		return NULL;
	channel = &vmhost_channels[next_relid];
	channel->relid = next_relid++;
	channel->device = device;
	channel->sub = sub;
	channel->offered = true;
	offer.child_relid = channel->relid;
	offer.connection_id = VMHOST_CONNECTION_BASE + channel->relid;
	if (class->offer_flags & VMBUS_CHANNEL_TLNPI_PROVIDER_OFFER) {
		/* A stream socket that the host connects: struct vmpipe, hyperv_transport.c */
		offer.offer.u.pipe.pipe_mode = 1;
		offer.offer.u.pipe.user_def[0] = 1;
	}
	if (class->monitored && sub == 0) {
		offer.monitor_allocated = 1;
		offer.monitorid = channel->relid;
		vmhost_monitor_arm(channel->relid);
	}
	vmhost_post(&offer, sizeof(offer));
	return channel;
}

void vmhost_offer_sub_channels(struct vmhost_device *device, u32 count)
{
	u32 sub;

	if (device->sub_channels_offered)
		return;
	device->sub_channels_offered = true;
	for (sub = 1; sub <= count; sub++)
		vmhost_offer(device, sub);
}

static int map_ring(struct vmhost_ring *ring, struct page **page, u32 pages)
{
	ring->shared = vmap(page, pages, VM_MAP, PAGE_KERNEL);
	ring->size = (pages - 1) << PAGE_SHIFT;
	return ring->shared ? 0 : -ENOMEM;
}

static int map_rings(struct vmhost_channel *channel,
		     const struct vmbus_channel_open_channel *request)
{
	struct vmhost_gpadl *gpadl =
		vmhost_gpadl_find(request->ringbuffer_gpadlhandle);
	u32 split = request->downstream_ringbuffer_pageoffset;

	if (!gpadl || split < 2 || split + 2 > gpadl->pages)
		return -EINVAL;
	if (map_ring(&channel->out, gpadl->page, split))
		return -ENOMEM;
	if (map_ring(&channel->in, gpadl->page + split, gpadl->pages - split)) {
		vunmap(channel->out.shared);
		return -ENOMEM;
	}
	return 0;
}

void vmhost_open(const struct vmbus_channel_open_channel *request)
{
	struct vmhost_channel *channel = vmhost_channel_at(request->child_relid);
	struct vmbus_channel_open_result answer = {
		.header.msgtype = CHANNELMSG_OPENCHANNEL_RESULT,
		.child_relid = request->child_relid,
		.openid = request->openid,
		.status = 1,
	};

	if (channel && !channel->refused && map_rings(channel, request) == 0) {
		channel->vp = request->target_vp;
		/* The host will announce in pending_send_sz that it waits for room. */
		channel->in.shared->feature_bits.feat_pending_send_sz = 1;
		channel->opened = true;
		answer.status = 0;
		pr_info("channel %u (%s, %u) opened, rings of %u and %u bytes\n",
			channel->relid, channel->device->name, channel->sub,
			channel->out.size, channel->in.size);
	}
	vmhost_post(&answer, sizeof(answer));
	if (answer.status == 0)
		vmhost_signal_set(channel->relid);
}

void vmhost_close(u32 relid)
{
	struct vmhost_channel *channel = vmhost_channel_at(relid);

	if (!channel || !channel->opened)
		return;
	channel->opened = false;
	vunmap(channel->out.shared);
	vunmap(channel->in.shared);
	if (channel->sub == 0 && channel->device->class->closed)
		channel->device->class->closed(channel->device);
	pr_info("channel %u closed\n", relid);
}
