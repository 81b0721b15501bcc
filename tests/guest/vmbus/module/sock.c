// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets (hv_sock) that the host connects to a listener in the guest. The
 * class GUID of such an offer names the service: the port number, followed by
 * a fixed part (net/vmw_vsock/hyperv_transport.c).
 */
#include "vmhost.h"
#include <linux/slab.h>

#define PORT 5001
#define PIPE_DATA 1
#define SEND_MAX 8192u

/* Sends one packet of data. */
void vmhost_sock_send(struct vmhost_channel *channel, u32 bytes)
{
	u32 *message;	/* kind, length, data */
	struct vmhost_outgoing packet = { .type = VM_PKT_DATA_INBAND };

	bytes = min(bytes, SEND_MAX);
	message = kzalloc(2 * sizeof(u32) + bytes, GFP_KERNEL);
	if (!message)
		return;
	message[0] = PIPE_DATA;
	message[1] = bytes;
	memset(message + 2, 'v', bytes);
	packet.payload = message;
	packet.payload_bytes = 2 * sizeof(u32) + bytes;
	if (vmhost_ring_write(channel, &packet))
		pr_err("channel %u: no room to send\n", channel->relid);
	kfree(message);
}

const struct vmhost_class vmhost_sock = {
	.name = "hv_sock",
	.type = GUID_INIT(PORT, 0xfacb, 0x11e6, 0xbd, 0x58, 0x64, 0x00, 0x6a,
			  0x79, 0x86, 0xd3),
	.offer_flags = VMBUS_CHANNEL_TLNPI_PROVIDER_OFFER,
};
