// SPDX-License-Identifier: GPL-2.0-only
/*
 * The conversation over the VMBus connection itself: version, offers, opening
 * and closing of channels; and the two monitor pages, through which a guest
 * may signal a channel without a hypercall.
 *
 * Any version that the guest proposes is accepted, so the guest ends up with
 * the newest one that it knows. All under vmhost_lock.
 */
#include "vmhost.h"
#include <linux/io.h>
#include <asm/sync_bitops.h>

/* Protocol 5.3 and later acknowledge a change of the target processor. */
#define VERSION_5_3 ((5 << 16) | 3)

/* Different, so that sysfs and tests tell the two pages apart; unit: 100 ns. */
#define LATENCY_TO_GUEST 10
#define LATENCY_TO_HOST 20

/* Layout of a monitor page: Hyper-V TLFS, and hyperv_vmbus.h. */
struct monitor_page {
	u32 trigger_state;
	u32 reserved_a;
	struct {
		u32 pending;
		u32 armed;
	} group[4];
	u64 reserved_b[3];
	s32 next_check[4][32];
	u16 latency[4][32];
	u64 reserved_c[32];
	struct {
		u32 connection_id;
		u16 flag_number;
		u16 reserved;
	} parameter[4][32];
};

u32 vmhost_version;

static struct monitor_page *to_guest, *to_host;

void vmhost_monitor_arm(u32 relid)
{
	u32 group = relid / 32, bit = relid % 32;

	if (!to_guest || group >= 4)
		return;
	to_guest->latency[group][bit] = LATENCY_TO_GUEST;
	to_host->latency[group][bit] = LATENCY_TO_HOST;
	to_guest->parameter[group][bit].connection_id = relid;
	to_host->parameter[group][bit].connection_id =
		VMHOST_CONNECTION_BASE + relid;
}

void vmhost_monitor_poll(void)
{
	u32 relid;

	if (!to_host)
		return;
	for (relid = 1; relid < VMHOST_CHANNELS; relid++) {
		struct vmhost_channel *channel = vmhost_channel_at(relid);

		if (!channel)
			break;
		if (!channel->opened || channel->stalled || channel->sub ||
		    !channel->device->class->monitored)
			continue;
		if (sync_test_and_clear_bit(relid % 32,
				(unsigned long *)&to_host->group[relid / 32]))
			vmhost_signal_set(relid);
	}
}

static void contact(const struct vmbus_channel_initiate_contact *request)
{
	struct vmbus_channel_version_response answer = {
		.header.msgtype = CHANNELMSG_VERSION_RESPONSE,
		.version_supported = 1,
		/* From 5.0 on the host chooses where messages go; any number serves. */
		.msg_conn_id = 4,
	};

	vmhost_version = request->vmbus_version_requested;
	to_guest = phys_to_virt(request->monitor_page1);
	to_host = phys_to_virt(request->monitor_page2);
	pr_info("guest speaks VMBus %u.%u\n", vmhost_version >> 16,
		vmhost_version & 0xffff);
	vmhost_post(&answer, sizeof(answer));
}

static void offer_all(void)
{
	struct vmbus_channel_message_header done = {
		.msgtype = CHANNELMSG_ALLOFFERS_DELIVERED,
	};
	unsigned int i;

	for (i = 0; i < vmhost_device_count; i++)
		if (!vmhost_devices[i].on_demand)
			vmhost_offer(&vmhost_devices[i], 0);
	vmhost_post(&done, sizeof(done));
}

static void modify(const struct vmbus_channel_modifychannel *request)
{
	struct vmhost_channel *channel = vmhost_channel_at(request->child_relid);
	/* struct vmbus_channel_modifychannel_response, which 5.10 doesn't declare */
	struct {
		struct vmbus_channel_message_header header;
		u32 relid, status;
	} answer = {
		.header.msgtype = CHANNELMSG_MODIFYCHANNEL + 2,
		.relid = request->child_relid,
	};

	if (!channel)
		return;
	channel->vp = request->target_vp;
	if (vmhost_version >= VERSION_5_3)
		vmhost_post(&answer, sizeof(answer));
}

void vmhost_rescind(struct vmhost_channel *channel)
{
	struct vmbus_channel_rescind_offer message = {
		.header.msgtype = CHANNELMSG_RESCIND_CHANNELOFFER,
		.child_relid = channel->relid,
	};

	channel->rescinded = true;
	vmhost_post(&message, sizeof(message));
}

void vmhost_message_handle(const struct vmhost_message *message)
{
	const void *bytes = message->payload;
	const struct vmbus_channel_message_header *header = bytes;
	struct vmbus_channel_message_header unloaded = {
		.msgtype = CHANNELMSG_UNLOAD_RESPONSE,
	};
	struct vmhost_channel *channel;

	switch (header->msgtype) {
	case CHANNELMSG_INITIATE_CONTACT:
		contact(bytes);
		break;
	case CHANNELMSG_REQUESTOFFERS:
		offer_all();
		break;
	case CHANNELMSG_GPADL_HEADER:
		vmhost_gpadl_header(bytes, message->size);
		break;
	case CHANNELMSG_GPADL_BODY:
		vmhost_gpadl_body(bytes, message->size);
		break;
	case CHANNELMSG_GPADL_TEARDOWN:
		vmhost_gpadl_teardown(bytes);
		break;
	case CHANNELMSG_OPENCHANNEL:
		vmhost_open(bytes);
		break;
	case CHANNELMSG_CLOSECHANNEL:
		vmhost_close(((const struct vmbus_channel_close_channel *)bytes)
				     ->child_relid);
		break;
	case CHANNELMSG_MODIFYCHANNEL:
		modify(bytes);
		break;
	case CHANNELMSG_RELID_RELEASED:
		channel = vmhost_channel_at(
			((const struct vmbus_channel_relid_released *)bytes)
				->child_relid);
		if (channel)
			channel->offered = false;
		break;
	case CHANNELMSG_UNLOAD:
		vmhost_post(&unloaded, sizeof(unloaded));
		break;
	default:
		pr_info("message of type %u ignored\n", header->msgtype);
	}
}
