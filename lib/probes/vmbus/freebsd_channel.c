/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A FreeBSD kernel's channels and their rings. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probes/vmbus/freebsd.h"
#include "lib/walk.h"

/* vmbus_chanvar.h: VMBUS_CHAN_ST_OPENED, VMBUS_CHAN_ST_REVOKED */
#define FLAG_OPENED UINT64_C(1)
#define FLAG_REVOKED UINT64_C(0x10)

static bool channel_add(struct fb_channels *channels, uint64_t address, uint64_t owner)
{
	struct fb_channel *grown;

	/* On the list of all, and on its primary channel's: once is enough. */
	if (!rbs_page_set_add(&channels->seen, address))
		return true;
	if (channels->count == channels->room) {
		channels->room = channels->room ? channels->room * 2 : 64;
		grown = reallocarray(channels->channels, channels->room, sizeof(*grown));
		if (!grown)
			return false;
		channels->channels = grown;
	}
	channels->channels[channels->count] = (struct fb_channel){address, owner, channels->count};
	channels->count++;
	return true;
}

/* The primary channel of a sub-channel; a primary channel has none. */
static uint64_t owner_read(struct vmbus_probe *probe, uint64_t channel)
{
	struct rbs_value primary =
		rbs_layout_read(&probe->layout, FB_PRIMARY, probe->target, channel);
	uint64_t owner = rbs_value_or(&primary, 0);

	return owner ? owner : channel;
}

/* What ends the walk early is a problem, or the error when it is all that was found. */
static enum rbs_code walk_add(struct fb_channels *channels, struct vmbus_probe *probe,
			      uint64_t head, unsigned link, uint64_t owner, size_t limit,
			      struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_list_walk walk;
	uint64_t channel;

	rbs_list_walk_init_chain(&walk, probe->target, head,
				 rbs_layout_offset(&probe->layout, link), limit);
	while (rbs_list_walk_next(&walk, &channel)) {
		if (!channel_add(channels, channel, owner ? owner : owner_read(probe, channel)))
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	if (walk.code == RBS_OK)
		return RBS_OK;
	rbs_error_prefix(&walk.error, "%s", owner ? "a device's sub-channels" : "channels");
	if (walk.code == RBS_INTERRUPTED || !channels->count) {
		*err = walk.error;
		return walk.code;
	}
	rbs_report_add_problem(section->report, section, &walk.error);
	return RBS_OK;
}

/* Those that are not on the list of all. */
static enum rbs_code subs_add(struct fb_channels *channels, struct vmbus_probe *probe,
			      struct rbs_error *err)
{
	size_t primaries = channels->count;
	enum rbs_code code = RBS_OK;

	if (!rbs_layout_has(&probe->layout, FB_SUBS) ||
	    !rbs_layout_has(&probe->layout, FB_SUB_LINK))
		return RBS_OK;
	for (size_t i = 0; code == RBS_OK && i < primaries; i++) {
		uint64_t address = channels->channels[i].address;

		if (channels->channels[i].owner == address && channels->count < VMBUS_DEVICE_LIMIT)
			code = walk_add(channels, probe,
					address + rbs_layout_offset(&probe->layout, FB_SUBS),
					FB_SUB_LINK, address, VMBUS_SUBCHANNEL_LIMIT, err);
	}
	return code;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct fb_channel *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

/* By the place of the owner on the list; the owner first. */
static int compare_groups(const void *a, const void *b, void *context)
{
	const struct fb_channel *left = a, *right = b;
	const size_t *places = context;
	size_t left_place = places[left->order], right_place = places[right->order];

	if (left_place != right_place)
		return left_place < right_place ? -1 : 1;
	if ((left->owner == left->address) != (right->owner == right->address))
		return left->owner == left->address ? -1 : 1;
	return left->order < right->order ? -1 : left->order > right->order;
}

/* An orphan stays at its own place. */
static bool group(struct fb_channels *channels)
{
	size_t *places;

	if (!channels->count)
		return true;
	places = calloc(channels->count, sizeof(*places));
	if (!places)
		return false;
	qsort(channels->channels, channels->count, sizeof(*channels->channels), compare_addresses);
	for (size_t i = 0; i < channels->count; i++) {
		const struct fb_channel *channel = &channels->channels[i];
		const struct fb_channel key = {.address = channel->owner};
		const struct fb_channel *owner =
			bsearch(&key, channels->channels, channels->count,
				sizeof(*channels->channels), compare_addresses);

		places[channel->order] = owner ? owner->order : channel->order;
	}
	qsort_r(channels->channels, channels->count, sizeof(*channels->channels), compare_groups,
		places);
	free(places);
	return true;
}

enum rbs_code fb_channels_init(struct fb_channels *channels, struct vmbus_probe *probe,
			       uint64_t head, struct rbs_error *err)
{
	enum rbs_code code;

	rbs_page_set_init(&channels->seen);
	code = walk_add(channels, probe, head, FB_LINK, 0, VMBUS_DEVICE_LIMIT, err);
	if (code == RBS_OK)
		code = subs_add(channels, probe, err);
	if (code == RBS_OK && !group(channels))
		code = rbs_error_set(err, RBS_NOMEM, "out of memory");
	return code;
}

void fb_channels_deinit(struct fb_channels *channels)
{
	rbs_page_set_deinit(&channels->seen);
	free(channels->channels);
}

struct rbs_value fb_channel_state(struct vmbus_probe *probe, uint64_t channel)
{
	return rbs_layout_read(&probe->layout,
			       rbs_layout_has(&probe->layout, FB_FLAGS) ? FB_FLAGS : FB_STATE,
			       probe->target, channel);
}

bool fb_channel_opened(struct vmbus_probe *probe, uint64_t channel)
{
	struct rbs_value state = fb_channel_state(probe, channel);

	if (!rbs_value_ok(&state))
		return false;
	if (rbs_layout_has(&probe->layout, FB_FLAGS))
		return state.number & FLAG_OPENED;
	return (int64_t)state.number == rbs_layout_enumerator(&probe->layout, FB_OPENED, -1);
}

static const char *state_name(struct vmbus_probe *probe, uint64_t channel, uint64_t state)
{
	if (fb_channel_opened(probe, channel))
		return "opened";
	if (!rbs_layout_has(&probe->layout, FB_FLAGS)) {
		if ((int64_t)state == rbs_layout_enumerator(&probe->layout, FB_OFFER, -1))
			return "offer";
		if ((int64_t)state == rbs_layout_enumerator(&probe->layout, FB_OPENING, -1))
			return "opening";
	}
	return "closed";
}

static void state_show(struct vmbus_probe *probe, uint64_t channel, struct rbs_node *node)
{
	struct rbs_value state = fb_channel_state(probe, channel);

	if (!rbs_value_ok(&state)) {
		rbs_node_set_absent(node, vmbus_desc(VMBUS_D_STATE), state.code);
		return;
	}
	rbs_node_set_text(node, vmbus_desc(VMBUS_D_STATE),
			  state_name(probe, channel, state.number));
	rbs_node_set(node, vmbus_desc(VMBUS_D_STATE_NUMBER), state);
	if (rbs_layout_has(&probe->layout, FB_FLAGS))
		rbs_node_set_number(node, vmbus_desc(VMBUS_D_RESCINDED),
				    (state.number & FLAG_REVOKED) != 0);
}

static void ring_read(struct vmbus_probe *probe, const struct vmbus_device *device,
		      struct rbs_node *channel, uint64_t info, bool inbound)
{
	struct vmbus_ring ring = {.device = device, .inbound = inbound};
	struct rbs_value page = rbs_layout_read(&probe->layout, FB_RING, probe->target, info);
	struct rbs_value read, write, size;
	bool good;

	ring.node = rbs_node_add(channel, RBS_LEVEL_RING, "%s", inbound ? "in" : "out");
	if (!ring.node)
		return;
	if (rbs_value_ok(&page) && !page.number)
		page.code = RBS_CORRUPT; /* an open channel has rings */
	if (!rbs_value_ok(&page)) {
		rbs_node_set_absent(ring.node, vmbus_desc(VMBUS_D_READ_INDEX), page.code);
		rbs_node_set_absent(ring.node, vmbus_desc(VMBUS_D_WRITE_INDEX), page.code);
		return;
	}
	ring.page = page.number;
	ring.data = page.number + rbs_layout_offset(&probe->layout, FB_PAGE_DATA);
	read = vmbus_show(probe, FB_PAGE_READ, ring.page, ring.node, VMBUS_D_READ_INDEX);
	write = vmbus_show(probe, FB_PAGE_WRITE, ring.page, ring.node, VMBUS_D_WRITE_INDEX);
	vmbus_show(probe, FB_PAGE_MASK, ring.page, ring.node, VMBUS_D_MASK);
	size = rbs_layout_read(&probe->layout, FB_SIZE, probe->target, info);
	good = vmbus_ring_figures(&ring, info, size, &read, &write);
	vmbus_show(probe, FB_PAGE_PENDING, ring.page, ring.node, VMBUS_D_PENDING_SEND);
	vmbus_show(probe, FB_PAGE_FEATURES, ring.page, ring.node, VMBUS_D_FEATURES);
	vmbus_show(probe, FB_PAGE_SIGNALS, ring.page, ring.node, VMBUS_D_SIGNALS);
	if (good && probe->context->verbose)
		vmbus_packets_read(probe, &ring);
}

void fb_channel_read(struct vmbus_probe *probe, const struct vmbus_device *device, uint64_t channel)
{
	const struct rbs_layout *layout = &probe->layout;
	struct rbs_value id = rbs_layout_read(layout, FB_ID, probe->target, channel);
	struct rbs_node *node;

	if (!rbs_value_ok(&id)) {
		struct rbs_error error;

		rbs_error_set_at(&error, id.code, channel, "the channel at %" PRIx64 ": %s",
				 channel, rbs_code_text(id.code));
		rbs_report_add_problem(device->node->report, device->node, &error);
		return;
	}
	node = rbs_node_add(device->node, RBS_LEVEL_CHANNEL, "%" PRIu64, id.number);
	if (!node)
		return;
	vmbus_show(probe, FB_SUB_INDEX, channel, node, VMBUS_D_SUBCHANNEL);
	vmbus_show(probe, FB_CPU, channel, node, VMBUS_D_CPU);
	state_show(probe, channel, node);
	if (!fb_channel_opened(probe, channel))
		return;
	ring_read(probe, device, node, channel + rbs_layout_offset(layout, FB_OUT), false);
	ring_read(probe, device, node, channel + rbs_layout_offset(layout, FB_IN), true);
}
