// SPDX-License-Identifier: GPL-2.0-only
/*
 * A network device as the network VSP (NVSP) answers it, up to version 6.1 of
 * the protocol. Messages: drivers/net/hyperv/hyperv_net.h. Frames that the
 * guest sends end here; frames to the guest are made on demand.
 *
 * The receive buffer is cut into sections of equal size. A section belongs to
 * the guest from the packet that names it until the guest completes that
 * packet; the packet's transaction id is the section's number plus one.
 */
#include "vmhost.h"
#include <linux/bitmap.h>
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

enum nvsp_type {
	NVSP_INIT = 1,
	NVSP_INIT_COMPLETE = 2,
	NVSP_SEND_RECV_BUF = 101,
	NVSP_SEND_RECV_BUF_COMPLETE = 102,
	NVSP_SEND_SEND_BUF = 104,
	NVSP_SEND_SEND_BUF_COMPLETE = 105,
	NVSP_RNDIS = 107,
	NVSP_RNDIS_COMPLETE = 108,
	NVSP_VF_ASSOCIATION = 128,
	NVSP_SUBCHANNEL = 133,
};

#define STATUS_SUCCESS 1
#define RNDIS_DATA 0
#define RNDIS_CONTROL 1
#define RNDIS_PACKET_MESSAGE 1
#define RNDIS_PACKET_HEADER 44
#define NO_SECTION 0xffffffffu
#define RECEIVE_BUFFER_ID 0xcafe
#define RECEIVE_SECTION 1728u
#define SEND_SECTION 6144u
#define CONTROL_MAX 4096u

/* Every NVSP message is a type and up to 36 bytes; all fields are 32 bits. */
struct nvsp {
	u32 type;
	u32 word[9];
};

struct transfer_header {
	u16 buffer_id;
	u8 sender_owns;
	u8 reserved;
	u32 ranges;
	u32 bytes, offset;
} __packed;

struct vmhost_net {
	u8 *receive, *send;
	u32 receive_bytes, send_bytes;
	unsigned long *busy;	/* sections of the receive buffer */
	u32 sections;
};

static void setup(struct vmhost_device *device)
{
	device->net = kzalloc(sizeof(*device->net), GFP_KERNEL);
}

static void on_close(struct vmhost_device *device)
{
	struct vmhost_net *net = device->net;

	vunmap(net->receive);
	vunmap(net->send);
	bitmap_free(net->busy);
	memset(net, 0, sizeof(*net));
	device->sub_channels_offered = false;
}

/* Hands the guest one RNDIS message. False: no free section or no room. */
static bool deliver(struct vmhost_channel *channel, const void *message,
		    u32 bytes, u32 kind)
{
	struct vmhost_net *net = channel->device->net;
	struct transfer_header header = {
		.buffer_id = RECEIVE_BUFFER_ID,
		.ranges = 1,
		.bytes = bytes,
	};
	struct nvsp nvsp = {
		.type = NVSP_RNDIS,
		.word = { kind, NO_SECTION },
	};
	struct vmhost_outgoing packet = {
		.type = VM_PKT_DATA_USING_XFER_PAGES,
		.flags = VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED,
		.header = &header,
		.header_bytes = sizeof(header),
		.payload = &nvsp,
		.payload_bytes = sizeof(nvsp),
	};
	u32 section;

	if (!net->busy || bytes > RECEIVE_SECTION)
		return false;
	section = find_first_zero_bit(net->busy, net->sections);
	if (section >= net->sections)
		return false;
	header.offset = section * RECEIVE_SECTION;
	packet.trans_id = section + 1;
	memcpy(net->receive + header.offset, message, bytes);
	if (vmhost_ring_write(channel, &packet))
		return false;
	set_bit(section, net->busy);
	return true;
}

/* The guest returns a section. */
static void returned(struct vmhost_net *net, u64 trans_id)
{
	if (net->busy && trans_id && trans_id <= net->sections)
		clear_bit(trans_id - 1, net->busy);
}

static void receive_buffer(struct vmhost_net *net, const struct nvsp *request,
			   struct nvsp *answer)
{
	net->receive = vmhost_gpadl_map(request->word[0], &net->receive_bytes);
	net->sections = net->receive_bytes / RECEIVE_SECTION;
	net->busy = bitmap_zalloc(net->sections, GFP_KERNEL);
	answer->type = NVSP_SEND_RECV_BUF_COMPLETE;
	answer->word[0] = STATUS_SUCCESS;
	answer->word[1] = 1;		/* kinds of sections */
	answer->word[2] = 0;		/* offset */
	answer->word[3] = RECEIVE_SECTION;
	answer->word[4] = net->sections;
	answer->word[5] = net->sections * RECEIVE_SECTION;
}

static void send_buffer(struct vmhost_net *net, const struct nvsp *request,
			struct nvsp *answer)
{
	net->send = vmhost_gpadl_map(request->word[0], &net->send_bytes);
	answer->type = NVSP_SEND_SEND_BUF_COMPLETE;
	answer->word[0] = STATUS_SUCCESS;
	answer->word[1] = SEND_SECTION;
}

/* Fetches a control message from the send buffer or from guest pages. */
static u32 fetch(const struct vmhost_net *net, const struct vmhost_packet *packet,
		 const struct nvsp *request, void *buffer)
{
	u32 section = request->word[1];
	u32 bytes = min(request->word[2], CONTROL_MAX);

	if (section == NO_SECTION)
		return vmhost_packet_guest_copy(packet, buffer, CONTROL_MAX,
						false);
	if ((u64)section * SEND_SECTION + bytes > net->send_bytes)
		return 0;
	memcpy(buffer, net->send + section * SEND_SECTION, bytes);
	return bytes;
}

static void control(struct vmhost_channel *channel,
		    const struct vmhost_packet *packet,
		    const struct nvsp *request)
{
	u32 *message = kzalloc(CONTROL_MAX, GFP_KERNEL);
	u32 *answer = kzalloc(RECEIVE_SECTION, GFP_KERNEL);
	u32 bytes;

	if (message && answer) {
		bytes = fetch(channel->device->net, packet, request, message);
		bytes = vmhost_rndis_answer(channel->device, message, bytes,
					    answer, RECEIVE_SECTION);
		if (bytes && !deliver(channel, answer, bytes, RNDIS_CONTROL))
			pr_err("an RNDIS answer is lost\n");
	}
	kfree(answer);
	kfree(message);
}

static void on_packet(struct vmhost_channel *channel,
		      const struct vmhost_packet *packet)
{
	struct vmhost_device *device = channel->device;
	struct nvsp request, answer = {};
	u32 granted = 0;

	if (packet->type == VM_PKT_COMP) {
		returned(device->net, packet->trans_id);
		return;
	}
	vmhost_packet_fetch(packet, &request, sizeof(request));
	switch (request.type) {
	case NVSP_INIT:
		answer.type = NVSP_INIT_COMPLETE;
		answer.word[0] = request.word[1];	/* the newest offered */
		answer.word[1] = 34;			/* longest MDL chain */
		answer.word[2] = STATUS_SUCCESS;
		break;
	case NVSP_SEND_RECV_BUF:
		receive_buffer(device->net, &request, &answer);
		break;
	case NVSP_SEND_SEND_BUF:
		send_buffer(device->net, &request, &answer);
		break;
	case NVSP_SUBCHANNEL:
		granted = min(request.word[1], device->sub_channels);
		answer.type = NVSP_SUBCHANNEL;
		answer.word[0] = STATUS_SUCCESS;
		answer.word[1] = granted;
		break;
	case NVSP_RNDIS:
		answer.type = NVSP_RNDIS_COMPLETE;
		answer.word[0] = STATUS_SUCCESS;
		break;
	default:
		/* Such as the switch to the VF: completed without a payload. */
		if (packet->flags & VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED)
			vmhost_complete(channel, packet->trans_id, NULL, 0);
		return;
	}
	vmhost_complete(channel, packet->trans_id, &answer, sizeof(answer));
	if (request.type == NVSP_RNDIS && request.word[0] == RNDIS_CONTROL)
		control(channel, packet, &request);
	if (granted)
		vmhost_offer_sub_channels(device, granted);
}

/* Sends broadcast frames of a local experimental type until one doesn't fit. */
void vmhost_net_frames(struct vmhost_channel *channel, u32 count)
{
	u32 message[(RNDIS_PACKET_HEADER + ETH_ZLEN) / sizeof(u32)] = {
		RNDIS_PACKET_MESSAGE, sizeof(message),
		RNDIS_PACKET_HEADER - 2 * sizeof(u32), ETH_ZLEN,
	};
	struct ethhdr *frame = (void *)message + RNDIS_PACKET_HEADER;
	u32 sent = 0;

	eth_broadcast_addr(frame->h_dest);
	frame->h_source[0] = 0x02;
	frame->h_proto = htons(0x88b5);
	while (sent < count &&
	       deliver(channel, message, sizeof(message), RNDIS_DATA))
		sent++;
	pr_info("channel %u: %u frames to the guest\n", channel->relid, sent);
}

/* Tells the guest that a virtual function belongs to this device, or no longer does. */
void vmhost_net_vf(struct vmhost_channel *channel, u32 serial, bool present)
{
	struct nvsp message = {
		.type = NVSP_VF_ASSOCIATION,
		.word = { present, serial },
	};
	struct vmhost_outgoing packet = {
		.type = VM_PKT_DATA_INBAND,
		.payload = &message,
		.payload_bytes = sizeof(message),
	};

	if (vmhost_ring_write(channel, &packet))
		pr_err("channel %u: the VF message found no room\n",
		       channel->relid);
}

const struct vmhost_class vmhost_netvsc = {
	.name = "netvsc",
	.type = GUID_INIT(0xf8615163, 0xdf3e, 0x46c5, 0x91, 0x3f, 0xf2, 0xd2,
			  0xf9, 0x65, 0xed, 0x0e),
	.monitored = true,
	.setup = setup,
	.packet = on_packet,
	.closed = on_close,
};
