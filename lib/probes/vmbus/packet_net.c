/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * netvsc packets: NVSP messages, and the RNDIS message that one refers to
 * (drivers/net/hyperv/hyperv_net.h, include/linux/rndis.h). All fields are little endian.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/probes/vmbus/vmbus.h"

#define NVSP_RNDIS 107 /* NVSP_MSG1_TYPE_SEND_RNDIS_PKT */
#define NVSP_RNDIS_COMPLETE 108
#define SECTION_NONE UINT32_C(0xffffffff)
#define PACKET_XFER_PAGES 7
#define PACKET_GPA_DIRECT 9
#define HYPERVISOR_PAGE 4096 /* HV_HYP_PAGE_SIZE, whatever the guest's page size */
/* Behind the descriptor: {u16 pageset, u8, u8, u32 ranges, {u32 length, u32 offset}...} */
#define XFER_RANGE_OFFSET 28
/* Behind the descriptor: {u32, u32 ranges, {u32 length, u32 offset, u64 pfn[]}...} */
#define GPA_RANGE_OFFSET 28
#define GPA_RANGE_PFN 32

struct message_name {
	uint32_t type;
	const char *name;
};

static const struct message_name nvsp_names[] = {
	{1, "init"},
	{2, "init complete"},
	{100, "send ndis version"},
	{101, "send receive buffer"},
	{102, "send receive buffer complete"},
	{103, "revoke receive buffer"},
	{104, "send send buffer"},
	{105, "send send buffer complete"},
	{106, "revoke send buffer"},
	{NVSP_RNDIS, "send rndis packet"},
	{NVSP_RNDIS_COMPLETE, "send rndis packet complete"},
	{125, "send ndis config"},
	{128, "send vf association"},
	{131, "oid query"},
	{132, "oid query complete"},
	{133, "subchannel"},
	{134, "send indirection table"},
	{135, "set send chimney"},
	{144, "switch data path"},
};

static const struct message_name rndis_names[] = {
	{0x1, "packet"},
	{0x2, "initialize"},
	{0x3, "halt"},
	{0x4, "query"},
	{0x5, "set"},
	{0x6, "reset"},
	{0x7, "indicate status"},
	{0x8, "keepalive"},
	{0x80000002, "initialize complete"},
	{0x80000004, "query complete"},
	{0x80000005, "set complete"},
	{0x80000006, "reset complete"},
	{0x80000008, "keepalive complete"},
};

static const char *name_find(const struct message_name *names, size_t count, uint32_t type)
{
	for (size_t i = 0; i < count; i++) {
		if (names[i].type == type)
			return names[i].name;
	}
	return NULL;
}

/*
 * The first 8 bytes of the RNDIS message: in a shared buffer, or in pages of the guest.
 * RBS_NO_MEMBER: the packet does not say where.
 */
static enum rbs_code rndis_read(struct vmbus_probe *probe, const struct vmbus_ring *ring,
				const struct vmbus_packet *packet, uint8_t *header)
{
	struct rbs_value buffer, section_size;
	uint64_t size, offset;

	if (packet->type == PACKET_XFER_PAGES) {
		if (packet->head_length < XFER_RANGE_OFFSET + 4)
			return RBS_NO_MEMBER;
		offset = rbs_bytes_little(packet->head + XFER_RANGE_OFFSET, 4);
		buffer = vmbus_netvsc_buffer(probe, ring->device, true, &size);
	} else {
		uint64_t section = rbs_bytes_little(packet->payload + 8, 4);

		if (section == SECTION_NONE) {
			uint64_t page;

			if (packet->type != PACKET_GPA_DIRECT ||
			    packet->head_length < GPA_RANGE_PFN + 8)
				return RBS_NO_MEMBER;
			offset = rbs_bytes_little(packet->head + GPA_RANGE_OFFSET, 4);
			page = rbs_bytes_little(packet->head + GPA_RANGE_PFN, 8) * HYPERVISOR_PAGE;
			if (offset > HYPERVISOR_PAGE - 8)
				return RBS_NO_MEMBER;
			return rbs_target_read(probe->target, RBS_PHYSICAL, page + offset, header,
					       8, NULL);
		}
		buffer = vmbus_netvsc_buffer(probe, ring->device, false, &size);
		section_size = vmbus_netvsc_section_size(probe, ring->device);
		if (!rbs_value_ok(&section_size))
			return section_size.code;
		offset = section * section_size.number;
	}
	if (!rbs_value_ok(&buffer))
		return buffer.code;
	if (!buffer.number || size < 8 || offset > size - 8)
		return RBS_NO_MEMBER;
	return rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, buffer.number + offset, header, 8,
			       NULL);
}

enum rbs_code vmbus_net_packet_describe(struct vmbus_probe *probe, const struct vmbus_ring *ring,
					const struct vmbus_packet *packet, char *text, size_t size)
{
	uint8_t header[8];
	const char *name;
	uint32_t type;
	enum rbs_code code;
	int used;

	if (packet->payload_length < 16)
		return RBS_OK;
	type = (uint32_t)rbs_bytes_little(packet->payload, 4);
	name = name_find(nvsp_names, sizeof(nvsp_names) / sizeof(nvsp_names[0]), type);
	if (!name)
		return RBS_OK;
	used = snprintf(text, size, "%s", name);
	if (type == NVSP_RNDIS_COMPLETE)
		snprintf(text + used, size - (size_t)used, " status %" PRIu64,
			 rbs_bytes_little(packet->payload + 4, 4));
	if (type != NVSP_RNDIS)
		return RBS_OK;
	code = rndis_read(probe, ring, packet, header);
	if (code != RBS_OK)
		return code == RBS_NO_MEMBER ? RBS_OK : code;
	type = (uint32_t)rbs_bytes_little(header, 4);
	name = name_find(rndis_names, sizeof(rndis_names) / sizeof(rndis_names[0]), type);
	if (name)
		snprintf(text, size, "rndis %s %" PRIu64 " bytes", name,
			 rbs_bytes_little(header + 4, 4));
	else
		snprintf(text, size, "rndis type %" PRIx32, type);
	return RBS_OK;
}
