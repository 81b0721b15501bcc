/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ring_format - offsets, sizes and flags of what lies in a virtqueue's rings (virtio 1.x, 2.7 and
 * 2.8; include/uapi/linux/virtio_ring.h). Numbers have the device's byte order.
 */
#ifndef RBS_PROBES_VIRTIO_RING_FORMAT_H
#define RBS_PROBES_VIRTIO_RING_FORMAT_H

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

#endif
