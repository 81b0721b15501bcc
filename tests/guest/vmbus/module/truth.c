// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host knows, for comparison with what a dump shows, in the form of
 * the guests' truth blocks ("[section]" and "name=value" lines):
 *
 *   /proc/vmhost/truth     [connection]; [host/RELID] for each channel ever
 *                          offered, and while it is open [host/RELID/out] and
 *                          [host/RELID/in]; [totals], which never rest
 *   /proc/vmhost/packets   [packets/RELID/out] ... for each ring that holds
 *                          packets: the first of them and their count
 */
#include "vmhost.h"

/* Packets shown of one ring; a full one holds thousands. */
#define PACKETS_SHOWN 32
/* Enough for the CDB of a storage packet (28 bytes in) and an RNDIS section. */
#define PAYLOAD_SHOWN 48
#define TRAILER_BYTES 8

static void show_ring(struct seq_file *file, u32 relid, const char *name,
		      const struct vmhost_ring *ring)
{
	const struct hv_ring_buffer *shared = ring->shared;

	seq_printf(file, "[host/%u/%s]\n", relid, name);
	seq_printf(file, "size=%u\n", ring->size);
	seq_printf(file, "read_index=%u\n", shared->read_index);
	seq_printf(file, "write_index=%u\n", shared->write_index);
	seq_printf(file, "interrupt_mask=%u\n", shared->interrupt_mask);
	seq_printf(file, "pending_send_size=%u\n", shared->pending_send_sz);
	seq_printf(file, "feature_bits=%u\n", shared->feature_bits.value);
	seq_printf(file, "sane=%d\n", vmhost_ring_sane(ring));
	if (!vmhost_ring_sane(ring))
		return;
	seq_printf(file, "read_avail=%u\n", vmhost_ring_readable(ring));
	seq_printf(file, "write_avail=%u\n",
		   ring->size - vmhost_ring_readable(ring));
}

static void show_channel(struct seq_file *file,
			 const struct vmhost_channel *channel)
{
	u32 relid = channel->relid;

	seq_printf(file, "[host/%u]\n", relid);
	seq_printf(file, "device=%s\n", channel->device->name);
	seq_printf(file, "class=%s\n", channel->device->class->name);
	seq_printf(file, "instance=%pUl\n", &channel->device->instance);
	seq_printf(file, "class_guid=%pUl\n", &channel->device->class->type);
	seq_printf(file, "sub_channel=%u\n", channel->sub);
	seq_printf(file, "offered=%d\n", channel->offered);
	seq_printf(file, "refused=%d\n", channel->refused);
	seq_printf(file, "opened=%d\n", channel->opened);
	seq_printf(file, "rescinded=%d\n", channel->rescinded);
	seq_printf(file, "stalled=%d\n", channel->stalled);
	if (!channel->opened)
		return;
	seq_printf(file, "target_cpu=%u\n", channel->vp);
	seq_printf(file, "packets_read=%llu\n", channel->packets_read);
	seq_printf(file, "packets_written=%llu\n", channel->packets_written);
	seq_printf(file, "writes_refused=%llu\n", channel->writes_refused);
	show_ring(file, relid, "out", &channel->out);
	show_ring(file, relid, "in", &channel->in);
}

int vmhost_truth_show(struct seq_file *file, void *unused)
{
	u32 relid;

	mutex_lock(&vmhost_lock);
	seq_printf(file, "[connection]\nversion=%u.%u\n", vmhost_version >> 16,
		   vmhost_version & 0xffff);
	for (relid = 1; vmhost_channel_at(relid); relid++)
		show_channel(file, vmhost_channel_at(relid));
	seq_printf(file, "[totals]\nposts=%lld\nsignals=%lld\ninterrupts=%lld\n",
		   atomic64_read(&vmhost_posts), atomic64_read(&vmhost_signals),
		   atomic64_read(&vmhost_interrupts));
	mutex_unlock(&vmhost_lock);
	return 0;
}

/*
 * "NUMBER=offset type flags header_bytes total_bytes trans_id payload"; the
 * lengths include the descriptor and exclude the trailing 8 bytes, the payload
 * is its beginning in hexadecimal.
 */
static void show_packet(struct seq_file *file, u32 number,
			const struct vmhost_ring *ring, u32 offset,
			const struct vmpacket_descriptor *descriptor)
{
	u32 payload = (descriptor->len8 - descriptor->offset8) * 8;
	u8 bytes[PAYLOAD_SHOWN];

	payload = min_t(u32, payload, sizeof(bytes));
	vmhost_ring_copy(ring, offset + descriptor->offset8 * 8, bytes, payload);
	seq_printf(file, "%u=%u %u %u %u %u %#llx %*phN\n", number, offset,
		   descriptor->type, descriptor->flags, descriptor->offset8 * 8,
		   descriptor->len8 * 8, descriptor->trans_id, payload, bytes);
}

static void show_packets(struct seq_file *file, u32 relid, const char *name,
			 const struct vmhost_ring *ring)
{
	u32 left, offset = ring->shared->read_index, count = 0, wanted = 0;

	if (!vmhost_ring_sane(ring) || !vmhost_ring_readable(ring))
		return;
	seq_printf(file, "[packets/%u/%s]\n", relid, name);
	left = vmhost_ring_readable(ring);
	while (left) {
		struct vmpacket_descriptor descriptor;
		u32 bytes;

		vmhost_ring_copy(ring, offset, &descriptor, sizeof(descriptor));
		bytes = descriptor.len8 * 8 + TRAILER_BYTES;
		if (descriptor.offset8 * 8 < sizeof(descriptor) ||
		    descriptor.len8 < descriptor.offset8 || bytes > left) {
			seq_printf(file, "broken_at=%u\n", offset);
			break;
		}
		if (count < PACKETS_SHOWN)
			show_packet(file, count, ring, offset, &descriptor);
		count++;
		wanted += descriptor.flags &
			  VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED;
		left -= bytes;
		offset = (offset + bytes) % ring->size;
	}
	seq_printf(file, "count=%u\ncompletions_wanted=%u\n", count, wanted);
}

int vmhost_packets_show(struct seq_file *file, void *unused)
{
	u32 relid;

	mutex_lock(&vmhost_lock);
	for (relid = 1; vmhost_channel_at(relid); relid++) {
		struct vmhost_channel *channel = vmhost_channel_at(relid);

		if (!channel->opened)
			continue;
		show_packets(file, relid, "out", &channel->out);
		show_packets(file, relid, "in", &channel->in);
	}
	mutex_unlock(&vmhost_lock);
	return 0;
}
