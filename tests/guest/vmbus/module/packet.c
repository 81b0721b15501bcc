// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is in a packet: its payload, and the guest memory that a GPA-direct
 * packet points at. Each of its ranges has a byte count, the offset in its
 * first page and one page frame number for each page that it touches.
 */
#include "vmhost.h"
#include <linux/delay.h>
#include <linux/highmem.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define kmap_local_page kmap_atomic
#define kunmap_local kunmap_atomic
#endif

/* Points into packet->bytes. */
const void *vmhost_packet_payload(const struct vmhost_packet *packet, u32 *bytes)
{
	*bytes = packet->total_bytes - packet->header_bytes;
	return packet->bytes + packet->header_bytes;
}

/* Copies the payload; what the packet is short of is filled with zeros. */
void vmhost_packet_fetch(const struct vmhost_packet *packet, void *to, u32 bytes)
{
	u32 have;
	const void *payload = vmhost_packet_payload(packet, &have);

	memset(to, 0, bytes);
	memcpy(to, payload, min(have, bytes));
}

static void copy_in_page(u64 pfn, u32 offset, u8 *buffer, u32 bytes, bool to_guest)
{
	u8 *page = kmap_local_page(pfn_to_page(pfn));

	if (to_guest)
		memcpy(page + offset, buffer, bytes);
	else
		memcpy(buffer, page + offset, bytes);
	kunmap_local(page);
}

static u32 copy_range(const struct gpa_range *range, u8 *buffer, u32 bytes,
		      bool to_guest)
{
	u32 done = 0, position = range->byte_offset;

	bytes = min(bytes, range->byte_count);
	while (done < bytes) {
		u32 offset = offset_in_page(position);
		u32 part = min_t(u32, bytes - done, PAGE_SIZE - offset);

		copy_in_page(range->pfn_array[position >> PAGE_SHIFT], offset,
			  buffer + done, part, to_guest);
		done += part;
		position += part;
	}
	return done;
}

/* Returns the bytes copied; 0 for a packet without guest memory. */
u32 vmhost_packet_guest_copy(const struct vmhost_packet *packet, void *buffer,
			     u32 bytes, bool to_guest)
{
	const struct vmdata_gpa_direct *direct = (const void *)packet->bytes;
	const u8 *end = packet->bytes + packet->header_bytes;
	const u8 *at = packet->bytes + offsetof(struct vmdata_gpa_direct, range);
	u32 i, done = 0;

	if (packet->type != VM_PKT_DATA_USING_GPA_DIRECT)
		return 0;
	for (i = 0; i < direct->range_cnt && done < bytes; i++) {
		const struct gpa_range *range = (const void *)at;
		u32 pages;

		if (at + sizeof(*range) > end)
			break;
		pages = DIV_ROUND_UP(range->byte_offset + range->byte_count,
				     PAGE_SIZE);
		at += sizeof(*range) + pages * sizeof(u64);
		if (at > end)
			break;
		done += copy_range(range, (u8 *)buffer + done, bytes - done,
				   to_guest);
	}
	return done;
}

/*
 * Completes a request of the guest. Waits up to 100 ms for room: a full in
 * ring usually means that the guest is about to read it.
 */
void vmhost_complete(struct vmhost_channel *channel, u64 trans_id,
		     const void *payload, u32 bytes)
{
	struct vmhost_outgoing packet = {
		.type = VM_PKT_COMP,
		.trans_id = trans_id,
		.payload = payload,
		.payload_bytes = bytes,
	};
	unsigned int tries;

	for (tries = 0; tries < 200; tries++) {
		if (vmhost_ring_write(channel, &packet) != -EAGAIN)
			return;
		usleep_range(500, 1000);
	}
	pr_err("channel %u: a completion is lost, the in ring is full\n",
	       channel->relid);
}
