/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ring_format - offsets, sizes and flags of what lies in a virtqueue's rings (virtio 1.x, 2.7 and
 * 2.8; include/uapi/linux/virtio_ring.h). Numbers have the device's byte order.
 */
#ifndef RBS_PROBES_VIRTIO_RING_FORMAT_H
#define RBS_PROBES_VIRTIO_RING_FORMAT_H

#include "lib/probes/virtio/virtio.h"

/* Split descriptor {u64 addr, u32 len, u16 flags, u16 next}. */
#define DESC_SIZE 16
#define DESC_LEN 8
#define SPLIT_FLAGS 12
#define SPLIT_NEXT 14

/* Packed descriptor {u64 addr, u32 len, u16 id, u16 flags}; the same size and length. */
#define PACKED_ID 12
#define PACKED_FLAGS 14
#define PACKED_F_AVAIL (1 << 7)
#define PACKED_F_USED (1 << 15)

/* Flags of both. */
#define F_NEXT 1
#define F_WRITE 2
#define F_INDIRECT 4

/* The driver's ring {u16 flags, u16 idx, u16 ring[num], u16 used_event}. */
#define AVAIL_FLAGS 0
#define AVAIL_IDX 2
#define AVAIL_RING 4
#define AVAIL_ENTRY 2

/* The device's ring {u16 flags, u16 idx, {u32 id, u32 len} ring[num], u16 avail_event}. */
#define USED_FLAGS 0
#define USED_IDX 2
#define USED_RING 4
#define USED_ENTRY 8

struct virtio_descriptor {
	uint64_t address; /* on the bus */
	uint32_t length;  /* bytes */
	uint16_t flags;
	uint16_t link; /* split: next; packed: id */
};

/* From DESC_SIZE bytes, and from entry index of the table at that kernel virtual address. */
void virtio_descriptor_decode(struct virtio_probe *probe, const struct virtio_device *device,
			      bool packed, const uint8_t *bytes,
			      struct virtio_descriptor *descriptor);
enum rbs_code virtio_descriptor_read(struct virtio_probe *probe, const struct virtio_device *device,
				     bool packed, uint64_t table, uint32_t index,
				     struct virtio_descriptor *descriptor);

/* Packed: the device gave it back in the lap of that wrap bit. */
bool virtio_descriptor_returned(const struct virtio_descriptor *descriptor, bool wrap);

#endif
