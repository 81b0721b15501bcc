/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmbus_image - the memory of a guest of Hyper-V, written out by hand.
 *
 * The structures lie where the fake types say: at offsets of no real kernel, so that only who asks
 * the types finds anything. Running out of room ends the test by abort().
 */
#ifndef VMBUS_IMAGE_H
#define VMBUS_IMAGE_H

#include "expect.h"
#include "fake_sources.h"
#include "fake_target.h"
#include "lib/dump.h"

#define VMBUS_IMAGE_CHANNELS 2048 /* that there is room for */
#define VMBUS_IMAGE_RING 1024	  /* bytes of a ring's data */

/* Classes that the image knows; the rest has packets without a description. */
enum vmbus_image_class {
	IMAGE_SCSI,
	IMAGE_HEARTBEAT,
	IMAGE_UNKNOWN,
};

struct vmbus_image {
	struct rbs_target *target;
	struct rbs_dump dump;
	struct fake_type *types;
	size_t channels;
	uint64_t tail; /* struct list_head of the last offered channel */
	uint64_t data; /* where a ring's data are, in bytes from its page */
	uint32_t ring; /* bytes of them */
	struct rbs_report *report;
};

/* A connected guest without channels. */
void vmbus_image_init(struct vmbus_image *image);

/*
 * The same of a guest with larger pages: struct hv_ring_buffer is as large as one. There is room
 * for one ring like that, of two pages of data: its page's address; both rings of channels that are
 * offered are the small ones of the others.
 */
uint64_t vmbus_image_init_pages(struct vmbus_image *image, uint32_t page_size);
void vmbus_image_free(struct vmbus_image *image);

/* An opened channel with empty rings; its relid is its position. Returns the vmbus_channel. */
uint64_t vmbus_image_offer(struct vmbus_image *image, enum vmbus_image_class class);

/* The same, as a sub-channel at the end of primary's list. */
uint64_t vmbus_image_offer_sub(struct vmbus_image *image, uint64_t primary, uint32_t number);

/* Write a member of the structure at base. */
void vmbus_image_put(struct vmbus_image *image, const char *type, const char *path, uint64_t base,
		     uint64_t value);

/* A ring's page, its bookkeeping (struct hv_ring_buffer_info), and its data. */
uint64_t vmbus_image_ring(uint64_t channel, bool inbound);
uint64_t vmbus_image_ring_info(uint64_t channel, bool inbound);
void vmbus_image_indexes(struct vmbus_image *image, uint64_t ring, uint32_t read, uint32_t write);

/* Little-endian numbers and bytes at an offset of the ring's data, over its end to its start. */
void vmbus_image_put_data(struct vmbus_image *image, uint64_t ring, uint32_t offset,
			  const void *bytes, size_t size);

/*
 * A packet of type 6 (in band) with flags 1: descriptor, payload, and the 8 bytes behind it.
 * Returns the offset of the next one.
 */
uint32_t vmbus_image_packet(struct vmbus_image *image, uint64_t ring, uint32_t offset, uint64_t id,
			    const void *payload, size_t size);

/* Run the probe; with verbose the packets are listed. */
enum rbs_code vmbus_image_probe(struct vmbus_image *image, bool verbose, struct rbs_error *err);

/* What it found: a device, a channel of it, a ring of that ("out" is 0, "in" is 1); or NULL. */
const struct rbs_node *vmbus_image_found(const struct vmbus_image *image, size_t device);
const struct rbs_node *vmbus_image_found_ring(const struct vmbus_image *image, size_t device,
					      size_t channel, bool inbound);

#endif
