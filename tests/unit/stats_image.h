/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stats_image - a net device whose control queue has a command for statistics, and the slab
 * allocator's word on the memory of the reply.
 */
#ifndef STATS_IMAGE_H
#define STATS_IMAGE_H

#include "virtio_image.h"

#define STATS_FEATURES (UINT64_C(1) << 32 | UINT64_C(1) << 50)
#define STATS_REPLY 0x5000 /* physical; an object of 1024 bytes whose link would be at 512 */
#define STATS_PAGE UINT64_C(0xffffea0000000140) /* its struct page */
#define STATS_LINK 512
#define STATS_TASK 0xffff888000700000

struct stats_image {
	struct virtio_image image;
	uint64_t device, info, control, rings;
	uint8_t reply[1024];
	size_t length; /* of the reply */
	uint8_t ack;
	uint8_t class, command;
	bool packed;
};

/*
 * A device with one queue pair (its control queue has number 2) and types for the allocator. Fill
 * in reply, then map it.
 */
void stats_image_init(struct stats_image *stats, uint64_t features);

/* A record of count fields first, first + 1 ... at the end of the reply. */
void stats_record(struct stats_image *stats, uint8_t type, uint16_t queue, uint16_t count,
		  uint64_t first);

/* Put all into memory: a GET in flight with ack 0 and its reply's object allocated. */
void stats_image_map(struct stats_image *stats);

/* The object is free now. */
void stats_image_free_object(struct stats_image *stats);

/* The device returned the command (length bytes written), and the driver took it back. */
void stats_image_return(struct stats_image *stats, uint32_t length);
void stats_image_take(struct stats_image *stats);

/* The device's node after a run of the probe. */
const struct rbs_node *stats_image_run(struct stats_image *stats, bool verbose);

#endif
