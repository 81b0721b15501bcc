/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * freebsd - VMBus as FreeBSD's driver keeps it, in the three shapes that it had.
 *
 * sys/dev/hyperv/vmbus: 11.0 has hv_vmbus_channel below hv_vmbus_g_connection; 10.4, 11.1 and later
 * have vmbus_channel below vmbus_sc (vmbus_chanvar.h, vmbus_brvar.h); newer rings have more counts
 * on their page (vmbus_reg.h: struct vmbus_bufring). A hybrid of 2016 has hv_vmbus_channel with
 * members of the second kind.
 */
#ifndef RBS_PROBES_VMBUS_FREEBSD_H
#define RBS_PROBES_VMBUS_FREEBSD_H

#include "lib/probes/vmbus/vmbus.h"

enum {
	FB_CHANNELS,
	FB_VERSION,
	FB_LINK,
	FB_SUBS,
	FB_SUB_LINK,
	FB_ID,
	FB_SUB_INDEX,
	FB_PRIMARY,
	FB_FLAGS,
	FB_STATE,
	FB_OFFER,
	FB_OPENING,
	FB_OPENED,
	FB_CPU,
	FB_CLASS,
	FB_INSTANCE,
	FB_DEVICE,
	FB_HV_DEVICE,
	FB_HV_DEVICE_DEVICE,
	FB_OUT,
	FB_IN,
	FB_RING,
	FB_SIZE,
	FB_PAGE_WRITE,
	FB_PAGE_READ,
	FB_PAGE_MASK,
	FB_PAGE_PENDING,
	FB_PAGE_FEATURES,
	FB_PAGE_SIGNALS,
	FB_PAGE_DATA,
	FB_COUNT,
};

struct fb_channel {
	uint64_t address;
	uint64_t owner; /* the primary channel; its own address where it is one */
	size_t order;	/* in which it was found */
};

struct fb_channels {
	struct fb_channel *channels; /* owned */
	size_t count, room;
	struct rbs_page_set seen; /* addresses */
};

/* The alternative that a layout's entry was found by. */
unsigned fb_alternative(const struct vmbus_probe *probe, unsigned id);

/*
 * All offered channels, sub-channels right behind their primary channel. head is the address of the
 * list's head. What breaks the list off is a problem of the section.
 */
enum rbs_code fb_channels_init(struct fb_channels *channels, struct vmbus_probe *probe,
			       uint64_t head, struct rbs_error *err);
void fb_channels_deinit(struct fb_channels *channels);

/* The channel's fields and rings below device->node. */
void fb_channel_read(struct vmbus_probe *probe, const struct vmbus_device *device,
		     uint64_t channel);

/* Whether the driver has the channel open: only then its rings are its own. */
bool fb_channel_opened(struct vmbus_probe *probe, uint64_t channel);

/* Its state: flags, or a number of an enum. */
struct rbs_value fb_channel_state(struct vmbus_probe *probe, uint64_t channel);

#endif
