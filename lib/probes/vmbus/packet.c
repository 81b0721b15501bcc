/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packets that lie between a ring's indexes (include/linux/hyperv.h: struct
 * vmpacket_descriptor; each is followed by 8 bytes that hold where it began).
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/bytes.h"
#include "lib/probes/vmbus/vmbus.h"
#include "lib/ringmath.h"

/* descriptor {u16 type, u16 offset8, u16 len8, u16 flags, u64 trans_id}, little endian */
#define DESCRIPTOR_SIZE 16
#define TRAILER_SIZE 8
/* As much of a packet as any of its descriptions needs. */
#define COPY_SIZE 256

/* enum vmbus_packet_type */
static const char *type_name(uint16_t type)
{
	static const char *const names[] = {
		[1] = "synch",
		[2] = "add-xfer-pageset",
		[3] = "rm-xfer-pageset",
		[4] = "establish-gpadl",
		[5] = "teardown-gpadl",
		[6] = "inband",
		[7] = "xfer-pages",
		[8] = "gpadl",
		[9] = "gpa-direct",
		[10] = "cancel-request",
		[11] = "completion",
		[12] = "additional-packets",
		[13] = "additional-data",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

/* Fails where the packet only says where the message is, and that cannot be read. */
static enum rbs_code describe(struct vmbus_probe *probe, const struct vmbus_ring *ring,
			      const struct vmbus_packet *packet, char *text, size_t size)
{
	text[0] = '\0';
	switch (ring->device->class) {
	case VMBUS_CLASS_NET:
		return vmbus_net_packet_describe(probe, ring, packet, text, size);
	case VMBUS_CLASS_STORAGE:
		vmbus_storage_packet_describe(packet, text, size);
		break;
	case VMBUS_CLASS_UTIL:
		vmbus_util_packet_describe(packet, text, size);
		break;
	case VMBUS_CLASS_SOCKET:
		vmbus_socket_packet_describe(packet, text, size);
		break;
	case VMBUS_CLASS_OTHER:
		break;
	}
	return RBS_OK;
}

static void packet_show(struct vmbus_probe *probe, const struct vmbus_ring *ring, uint32_t offset,
			const uint8_t *copy, uint32_t copied, uint32_t header, uint32_t length)
{
	struct rbs_node *slot = rbs_node_add(ring->node, RBS_LEVEL_SLOT, "%u", offset);
	struct vmbus_packet packet = {
		.type = (uint16_t)rbs_bytes_little(copy, 2),
		.id = rbs_bytes_little(copy + 8, 8),
		.head = copy,
		.head_length = header < copied ? header : copied,
		.payload = copy + header,
		.payload_length = header < copied ? copied - header : 0,
	};
	const char *name = type_name(packet.type);
	enum rbs_code code;
	char text[160];

	if (name) {
		rbs_node_set_text(slot, vmbus_desc(VMBUS_D_PACKET_TYPE), name);
	} else {
		snprintf(text, sizeof(text), "type-%u", packet.type);
		rbs_node_set_text(slot, vmbus_desc(VMBUS_D_PACKET_TYPE), text);
	}
	rbs_node_set_number(slot, vmbus_desc(VMBUS_D_PACKET_HEADER), header);
	rbs_node_set_number(slot, vmbus_desc(VMBUS_D_PACKET_LENGTH), length - header);
	rbs_node_set_number(slot, vmbus_desc(VMBUS_D_PACKET_FLAGS), rbs_bytes_little(copy + 6, 2));
	rbs_node_set_number(slot, vmbus_desc(VMBUS_D_PACKET_ID), packet.id);
	code = describe(probe, ring, &packet, text, sizeof(text));
	if (code != RBS_OK)
		rbs_node_set_absent(slot, vmbus_desc(VMBUS_D_PACKET_WHAT), code);
	else if (*text)
		rbs_node_set_text(slot, vmbus_desc(VMBUS_D_PACKET_WHAT), text);
}

static void stop(const struct vmbus_ring *ring, enum rbs_code code, uint32_t offset,
		 const char *why)
{
	struct rbs_error error;

	rbs_error_set(&error, code, "the list of packets ends at offset %u: %s", offset, why);
	rbs_report_add_problem(ring->node->report, ring->node, &error);
}

void vmbus_packets_read(struct vmbus_probe *probe, const struct vmbus_ring *ring)
{
	uint32_t left = rbs_ring_bytes_used(ring->write, ring->read, ring->size);
	uint32_t offset = ring->read;

	for (unsigned count = 0; left; count++) {
		uint8_t copy[COPY_SIZE];
		uint32_t header, length, copied;
		enum rbs_code code;

		if (count == VMBUS_PACKET_LIMIT) {
			stop(ring, RBS_LIMIT, offset, "only so many are listed");
			return;
		}
		if (left < DESCRIPTOR_SIZE + TRAILER_SIZE) {
			stop(ring, RBS_CORRUPT, offset,
			     "fewer bytes are left than a descriptor has");
			return;
		}
		copied = left - TRAILER_SIZE < COPY_SIZE ? left - TRAILER_SIZE : COPY_SIZE;
		code = vmbus_ring_copy(probe, ring, offset, copy, copied);
		if (code != RBS_OK) {
			stop(ring, code, offset, rbs_code_text(code));
			return;
		}
		header = (uint32_t)rbs_bytes_little(copy + 2, 2) * 8;
		length = (uint32_t)rbs_bytes_little(copy + 4, 2) * 8;
		if (header < DESCRIPTOR_SIZE || length < header || length > left - TRAILER_SIZE) {
			stop(ring, RBS_CORRUPT, offset,
			     "its header or length does not fit into what the ring holds");
			return;
		}
		packet_show(probe, ring, offset, copy, copied < length ? copied : length, header,
			    length);
		offset = (uint32_t)(((uint64_t)offset + length + TRAILER_SIZE) % ring->size);
		left -= length + TRAILER_SIZE;
	}
}
