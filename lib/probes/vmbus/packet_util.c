/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of the utility services (include/linux/hyperv.h: struct vmbuspipe_hdr, icmsg_hdr) and of
 * hv_sock (struct vmpipe_proto_header). Little endian.
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/bytes.h"
#include "lib/probes/vmbus/vmbus.h"

/* {u32 flags, u32 size}, then {u16 x 2 frame version, u16 type, u16 x 2 message version, ...} */
#define IC_TYPE 12
#define IC_SIZE 18
#define IC_STATUS 20
#define IC_TRANSACTION 24
#define IC_FLAGS 25
#define IC_END 28

static const char *message_name(uint64_t type)
{
	static const char *const names[] = {"negotiate", "heartbeat", "KVP exchange", "shutdown",
					    "time sync", "VSS",	      NULL,	      "file copy"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

/* icflags (ICMSGHDRFLAG_*): 1 transaction, 2 request, 4 response */
void vmbus_util_packet_describe(const struct vmbus_packet *packet, char *text, size_t size)
{
	const uint8_t *payload = packet->payload;
	const char *name;
	uint8_t flags;

	if (packet->payload_length < IC_END)
		return;
	name = message_name(rbs_bytes_little(payload + IC_TYPE, 2));
	if (!name)
		return;
	flags = payload[IC_FLAGS];
	snprintf(text, size, "%s%s %" PRIu64 " bytes status %" PRIx64 " transaction %u", name,
		 flags & 4   ? " response"
		 : flags & 2 ? " request"
			     : "",
		 rbs_bytes_little(payload + IC_SIZE, 2), rbs_bytes_little(payload + IC_STATUS, 4),
		 payload[IC_TRANSACTION]);
}

void vmbus_socket_packet_describe(const struct vmbus_packet *packet, char *text, size_t size)
{
	if (packet->payload_length < 8)
		return;
	if (rbs_bytes_little(packet->payload, 4) == 1)
		snprintf(text, size, "data %" PRIu64 " bytes",
			 rbs_bytes_little(packet->payload + 4, 4));
	else
		snprintf(text, size, "pipe type %" PRIu64 " %" PRIu64 " bytes",
			 rbs_bytes_little(packet->payload, 4),
			 rbs_bytes_little(packet->payload + 4, 4));
}
