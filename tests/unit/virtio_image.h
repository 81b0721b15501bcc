/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virtio_image - the memory of a machine with virtio devices, written out by hand.
 *
 * The structures lie where the fake types say: at offsets of no real kernel, so that only who asks
 * the types finds anything. Running out of room ends the test by abort().
 */
#ifndef VIRTIO_IMAGE_H
#define VIRTIO_IMAGE_H

#include "expect.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/dump.h"
#include "lib/result.h"

/* How struct vring_virtqueue looked over the years; the letters are those of docs/virtio.md. */
enum virtio_shape {
	SHAPE_A, /* .vring, no avail_idx_shadow, num_free in vring_virtqueue, no desc_state */
	SHAPE_B, /* .split alone */
	SHAPE_C, /* .split and .packed, bool packed_ring, packed.used_wrap_counter */
	SHAPE_D, /* the wrap bit in last_used_idx */
	SHAPE_E, /* enum vq_layout, in-order rings */
};

struct virtio_image {
	struct rbs_target *target;
	struct rbs_dump dump;
	const struct fake_type *types;
	size_t devices, queues;
	uint64_t last_device; /* struct list_head of the bus's last device */
	uint64_t next_ring;
	struct rbs_report *report;
};

/* A bus without devices. */
void image_init(struct virtio_image *image, enum virtio_shape shape, enum rbs_byte_order order);
void image_free(struct virtio_image *image);

/* A device of that virtio id at the end of the bus; returns its struct virtio_device. */
uint64_t image_device(struct virtio_image *image, const char *name, uint64_t id, uint64_t features);

/* A queue at the end of the device's list; returns its struct vring_virtqueue. */
uint64_t image_queue(struct virtio_image *image, uint64_t device, const char *name);

/* Room for rings and tables: size bytes of zeros, at an address that is a multiple of 4096. */
uint64_t image_room(struct virtio_image *image, size_t size);

/* Write a member of the structure at base. */
void image_put(struct virtio_image *image, const char *type, const char *path, uint64_t base,
	       uint64_t value);
uint64_t image_offset(const struct virtio_image *image, const char *type, const char *path);

/* A string somewhere; returns its address. */
uint64_t image_string(struct virtio_image *image, const char *text);

/* Numbers of ring memory in little or big endian, whatever the machine's order. */
void image_put_little(struct virtio_image *image, uint64_t address, size_t size, uint64_t value);
void image_put_big(struct virtio_image *image, uint64_t address, size_t size, uint64_t value);

/*
 * Rings for a split queue of num entries: descriptors at the address returned, the avail ring at
 * +0x4000, the used ring at +0x8000, desc_state[] (from shape B on) at +0xc000.
 */
uint64_t image_split_rings(struct virtio_image *image, uint64_t queue, uint32_t num);

/* The avail and used index of such rings, little endian. */
void image_put_indexes(struct virtio_image *image, uint64_t rings, uint16_t avail, uint16_t used);

/*
 * The same for a packed queue: descriptors, the driver's event area at +0x4000, the device's at
 * +0x5000, desc_state[] at +0x8000.
 */
uint64_t image_packed_rings(struct virtio_image *image, uint64_t queue, uint32_t num);

/* Run the probe; with verbose the chains are listed. */
enum rbs_code image_probe(struct virtio_image *image, bool verbose, struct rbs_error *err);

/* What it found: a device, a queue (by its position) or a chain; NULL when there is none. */
struct rbs_node *image_found(const struct virtio_image *image, size_t device);
struct rbs_node *image_found_queue(const struct virtio_image *image, size_t device, size_t queue);

#endif
