// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dynamic memory: accepts the guest's version and capabilities, and takes its
 * pressure reports without comment. Messages: drivers/hv/hv_balloon.c.
 */
#include "vmhost.h"

enum type {
	VERSION_REQUEST = 1,
	VERSION_RESPONSE = 2,
	CAPABILITIES_REPORT = 3,
	CAPABILITIES_RESPONSE = 4,
};

struct header {
	u16 type, bytes;
	u32 trans_id;
} __packed;

static void on_packet(struct vmhost_channel *channel,
		      const struct vmhost_packet *packet)
{
	struct header request;
	struct {
		struct header header;
		u64 accepted;
	} __packed answer = { .accepted = 1 };
	struct vmhost_outgoing outgoing = {
		.type = VM_PKT_DATA_INBAND,
		.payload = &answer,
		.payload_bytes = sizeof(answer),
	};

	vmhost_packet_fetch(packet, &request, sizeof(request));
	if (request.type == VERSION_REQUEST)
		answer.header.type = VERSION_RESPONSE;
	else if (request.type == CAPABILITIES_REPORT)
		answer.header.type = CAPABILITIES_RESPONSE;
	else
		return;
	answer.header.bytes = sizeof(answer);
	answer.header.trans_id = request.trans_id;
	if (vmhost_ring_write(channel, &outgoing))
		pr_err("no room for an answer to the balloon driver\n");
}

const struct vmhost_class vmhost_balloon = {
	.name = "balloon",
	.type = GUID_INIT(0x525074dc, 0x8985, 0x46e2, 0x80, 0x57, 0xa3, 0x07,
			  0xdc, 0x18, 0xa5, 0x02),
	.packet = on_packet,
};
