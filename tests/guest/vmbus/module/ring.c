// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's ends of a channel's two rings. Data wraps at the ring's size at
 * any byte that is a multiple of 8; every packet is followed by 8 bytes, of
 * which the upper half holds the write index from before the packet.
 *
 * A ring is empty when the two indexes are equal, so a writer leaves at least
 * one byte free.
 */
#include "vmhost.h"
#include <linux/delay.h>
#include <linux/slab.h>

#define TRAILER_BYTES 8
/* Longer packets than the drivers of any class here send. */
#define PACKET_MAX 16384

u32 vmhost_ring_readable(const struct vmhost_ring *ring)
{
	u32 read = READ_ONCE(ring->shared->read_index);
	u32 write = READ_ONCE(ring->shared->write_index);

	return write >= read ? write - read : ring->size - read + write;
}

/* False once a test has put an index outside the ring. */
bool vmhost_ring_sane(const struct vmhost_ring *ring)
{
	return READ_ONCE(ring->shared->read_index) < ring->size &&
	       READ_ONCE(ring->shared->write_index) < ring->size;
}

/* offset may lie past the end by less than the ring's size. */
void vmhost_ring_copy(const struct vmhost_ring *ring, u32 offset, void *to,
		      u32 bytes)
{
	u32 first;

	offset %= ring->size;
	first = min(bytes, ring->size - offset);
	memcpy(to, ring->shared->buffer + offset, first);
	memcpy((u8 *)to + first, ring->shared->buffer, bytes - first);
}

static u32 put(const struct vmhost_ring *ring, u32 offset, const void *from,
	       u32 bytes)
{
	u32 first = min(bytes, ring->size - offset);

	if (bytes) {
		memcpy(ring->shared->buffer + offset, from, first);
		memcpy(ring->shared->buffer, (const u8 *)from + first,
		       bytes - first);
	}
	return (offset + ALIGN(bytes, 8)) % ring->size;
}

static void fill_header(struct vmpacket_descriptor *descriptor,
			const struct vmhost_outgoing *packet)
{
	u32 header = ALIGN(sizeof(*descriptor) + packet->header_bytes, 8);
	u32 total = ALIGN(header + packet->payload_bytes, 8);

	descriptor->type = packet->type;
	descriptor->flags = packet->flags;
	descriptor->offset8 = header / 8;
	descriptor->len8 = total / 8;
	descriptor->trans_id = packet->trans_id;
}

/*
 * Writes one packet to the in ring. -EAGAIN: no room; the host then says in
 * pending_send_sz how much it waits for, as the protocol wants.
 */
int vmhost_ring_write(struct vmhost_channel *channel,
		      const struct vmhost_outgoing *packet)
{
	struct vmhost_ring *ring = &channel->in;
	struct vmpacket_descriptor descriptor;
	u32 start, offset, total;
	u64 trailer;

	if (!channel->opened || !vmhost_ring_sane(ring))
		return -EIO;
	fill_header(&descriptor, packet);
	total = descriptor.len8 * 8 + TRAILER_BYTES;
	if (ring->size - vmhost_ring_readable(ring) <= total) {
		channel->writes_refused++;
		ring->shared->pending_send_sz = total;
		return -EAGAIN;
	}
	ring->shared->pending_send_sz = 0;
	start = ring->shared->write_index;
	trailer = (u64)start << 32;
	offset = put(ring, start, &descriptor, sizeof(descriptor));
	offset = put(ring, offset, packet->header, packet->header_bytes);
	offset = put(ring, offset, packet->payload, packet->payload_bytes);
	offset = put(ring, offset, &trailer, sizeof(trailer));
	smp_mb();
	WRITE_ONCE(ring->shared->write_index, offset);
	smp_mb();
	channel->packets_written++;
	if (!READ_ONCE(ring->shared->interrupt_mask))
		vmhost_interrupt(channel);
	return 0;
}

/* Takes the next packet into buffer; false when there is none, or no sound one. */
static bool take(struct vmhost_channel *channel, u8 *buffer,
		 struct vmhost_packet *packet)
{
	struct vmhost_ring *ring = &channel->out;
	struct vmpacket_descriptor descriptor;
	u32 readable, read = ring->shared->read_index;

	if (!vmhost_ring_sane(ring))
		return false;
	readable = vmhost_ring_readable(ring);
	if (readable < sizeof(descriptor) + TRAILER_BYTES)
		return false;
	smp_rmb();
	vmhost_ring_copy(ring, read, &descriptor, sizeof(descriptor));
	packet->total_bytes = descriptor.len8 * 8;
	packet->header_bytes = descriptor.offset8 * 8;
	if (packet->header_bytes < sizeof(descriptor) ||
	    packet->total_bytes < packet->header_bytes ||
	    packet->total_bytes > PACKET_MAX ||
	    packet->total_bytes + TRAILER_BYTES > readable) {
		pr_err("channel %u: broken packet at %u\n", channel->relid, read);
		return false;
	}
	vmhost_ring_copy(ring, read, buffer, packet->total_bytes);
	packet->type = descriptor.type;
	packet->flags = descriptor.flags;
	packet->trans_id = descriptor.trans_id;
	packet->bytes = buffer;
	return true;
}

/* Frees the packet's room, and wakes a guest that had waited for that much. */
static void release(struct vmhost_channel *channel,
		    const struct vmhost_packet *packet)
{
	struct vmhost_ring *ring = &channel->out;
	u32 bytes = packet->total_bytes + TRAILER_BYTES;
	u32 before = ring->size - vmhost_ring_readable(ring);
	u32 wanted;

	WRITE_ONCE(ring->shared->read_index,
		   (ring->shared->read_index + bytes) % ring->size);
	smp_mb();
	wanted = READ_ONCE(ring->shared->pending_send_sz);
	channel->packets_read++;
	if (wanted && before <= wanted && before + bytes > wanted)
		vmhost_interrupt(channel);
}

static void drain_once(struct vmhost_channel *channel, u8 *buffer)
{
	struct vmhost_packet packet;

	while (channel->opened && !channel->stalled &&
	       take(channel, buffer, &packet)) {
		release(channel, &packet);
		if (channel->device->class->packet)
			channel->device->class->packet(channel, &packet);
	}
}

/*
 * Serves everything in the out ring, with the interrupt masked meanwhile: the
 * guest needn't signal a host that is already reading.
 */
void vmhost_ring_drain(struct vmhost_channel *channel)
{
	struct hv_ring_buffer *shared = channel->out.shared;
	u8 *buffer;

	if (!channel->opened || channel->stalled)
		return;
	buffer = kmalloc(PACKET_MAX, GFP_KERNEL);
	if (!buffer)
		return;
	do {
		WRITE_ONCE(shared->interrupt_mask, 1);
		smp_mb();
		drain_once(channel, buffer);
		WRITE_ONCE(shared->interrupt_mask, 0);
		smp_mb();
	} while (!channel->stalled && vmhost_ring_sane(&channel->out) &&
		 vmhost_ring_readable(&channel->out));
	kfree(buffer);
}
