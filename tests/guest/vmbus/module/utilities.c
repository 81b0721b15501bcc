// SPDX-License-Identifier: GPL-2.0-only
/*
 * The integration services of hv_utils: heartbeat, shutdown, time
 * synchronization, key-value pairs and backup. Messages: struct vmbuspipe_hdr
 * and struct icmsg_hdr in include/linux/hyperv.h. The host only asks; it reads
 * what the guest answers and forgets it.
 */
#include "vmhost.h"

#define FRAMEWORK_MAJOR 3
#define SERVICE_MAJOR 3
#define TRANSACTION_BASE 0x1000

struct message {
	struct vmbuspipe_hdr pipe;
	struct icmsg_hdr header;
	union {
		struct {
			u16 frameworks, services;
			u32 reserved;
			struct ic_version version[2];
		} __packed negotiate;
		struct heartbeat_msg_data heartbeat;
	};
} __packed;

static int send(struct vmhost_channel *channel, struct message *message,
		u32 type, u32 bytes)
{
	u64 sequence = ++channel->device->sequence;
	struct vmhost_outgoing packet = {
		.type = VM_PKT_DATA_INBAND,
		.trans_id = TRANSACTION_BASE + sequence,
		.payload = message,
		.payload_bytes = sizeof(message->pipe) +
				 sizeof(message->header) + bytes,
	};

	message->pipe.msgsize = sizeof(message->header) + bytes;
	message->header.icverframe.major = FRAMEWORK_MAJOR;
	message->header.icvermsg.major = SERVICE_MAJOR;
	message->header.icmsgtype = type;
	message->header.icmsgsize = bytes;
	message->header.ictransaction_id = sequence;
	message->header.icflags = ICMSGHDRFLAG_TRANSACTION |
				  ICMSGHDRFLAG_REQUEST;
	return vmhost_ring_write(channel, &packet);
}

/* Offers one version of the framework and one of the service. */
int vmhost_utility_negotiate(struct vmhost_channel *channel)
{
	struct message message = {
		.negotiate.frameworks = 1,
		.negotiate.services = 1,
		.negotiate.version[0].major = FRAMEWORK_MAJOR,
		.negotiate.version[1].major = SERVICE_MAJOR,
	};

	return send(channel, &message, ICMSGTYPE_NEGOTIATE,
		    sizeof(message.negotiate));
}

/* Stops early when the in ring is full. */
void vmhost_utility_heartbeats(struct vmhost_channel *channel, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		struct message message = {
			.heartbeat.seq_num = channel->device->sequence,
		};

		if (send(channel, &message, ICMSGTYPE_HEARTBEAT,
			 sizeof(message.heartbeat)))
			break;
	}
	pr_info("channel %u: %u heartbeats\n", channel->relid, i);
}

const struct vmhost_class vmhost_heartbeat = {
	.name = "heartbeat",
	.type = GUID_INIT(0x57164f39, 0x9115, 0x4e78, 0xab, 0x55, 0x38, 0x2f,
			  0x3b, 0xd5, 0x42, 0x2d),
};

const struct vmhost_class vmhost_shutdown = {
	.name = "shutdown",
	.type = GUID_INIT(0x0e0b6031, 0x5213, 0x4934, 0x81, 0x8b, 0x38, 0xd9,
			  0x0c, 0xed, 0x39, 0xdb),
};

const struct vmhost_class vmhost_timesync = {
	.name = "timesync",
	.type = GUID_INIT(0x9527e630, 0xd0ae, 0x497b, 0xad, 0xce, 0xe8, 0x0a,
			  0xb0, 0x17, 0x5c, 0xaf),
};

const struct vmhost_class vmhost_kvp = {
	.name = "kvp",
	.type = GUID_INIT(0xa9a0f4e7, 0x5a45, 0x4d96, 0xb8, 0x27, 0x8a, 0x84,
			  0x1e, 0x8c, 0x03, 0xe6),
	.monitored = true,
};

const struct vmhost_class vmhost_vss = {
	.name = "vss",
	.type = GUID_INIT(0x35fa2e29, 0xea23, 0x4236, 0x96, 0xae, 0x3a, 0x6e,
			  0xba, 0xcb, 0xa4, 0x40),
};
