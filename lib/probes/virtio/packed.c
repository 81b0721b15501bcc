/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packed rings: one ring of descriptors, who owns one is in its flags (virtio 1.x, 2.8). */
#include "lib/probes/virtio/ring_format.h"

/* event areas {off_wrap, flags}, 16 bits each */
#define EVENT_OFF_WRAP 0
#define EVENT_FLAGS 2
#define WRAP_BIT 0x8000

/* The driver's position and wrap bit in last_used_idx and, before 6.0, used_wrap_counter. */
static void packed_last_used_read(struct virtio_probe *probe, struct virtio_queue *queue)
{
	struct rbs_value last_used = virtio_queue_member_read(probe, queue, VQ_LAST_USED);
	struct rbs_value wrap = virtio_queue_member_read(probe, queue, VQ_PACKED_USED_WRAP);

	if (!rbs_layout_has(&probe->queue_layout, VQ_PACKED_USED_WRAP)) {
		wrap = last_used;
		wrap.number = last_used.number >> 15 & 1;
		last_used.number &= WRAP_BIT - 1;
	}
	if (rbs_value_ok(&last_used) && last_used.number >= queue->num)
		last_used.code = RBS_CORRUPT;
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_LAST_USED), last_used);
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_USED_WRAP), wrap);
	queue->used_code = rbs_value_ok(&last_used) ? wrap.code : last_used.code;
	queue->last_used = (uint16_t)rbs_value_or(&last_used, 0);
	queue->used_wrap = rbs_value_or(&wrap, 0) != 0;
}

struct packed_scan {
	enum rbs_code code;
	uint32_t outstanding; /* chains that the driver has given and not taken back */
	uint32_t unreaped;    /* of these, returned by the device */
	uint32_t position;    /* where the device writes the next used descriptor */
};

/* Descriptors of a chain: the driver's own record of buffer id. */
static enum rbs_code packed_chain_length(struct virtio_probe *probe, struct virtio_queue *queue,
					 uint32_t id, uint32_t *length)
{
	const struct rbs_layout *layout = &probe->queue_layout;
	uint64_t size = rbs_layout_size(layout, VQ_STATE_PACKED_SIZE);
	uint64_t number;
	enum rbs_code code;

	if (!queue->state || !size)
		return RBS_NO_MEMBER;
	code = rbs_layout_require(layout, VQ_STATE_PACKED_NUM, probe->target,
				  queue->state + id * size, &number, NULL);
	if (code == RBS_OK && (!number || number > queue->num))
		code = RBS_CORRUPT;
	*length = (uint32_t)number;
	return code;
}

/*
 * A packed ring has no shared index: descriptors at last_used_idx whose AVAIL and USED flags equal
 * the wrap bit have been returned (section 2.8.1). Each one stands for a chain of the driver's
 * length.
 */
static void packed_used_scan(struct virtio_probe *probe, const struct virtio_device *device,
			     struct virtio_queue *queue, struct packed_scan *scan)
{
	bool wrap = queue->used_wrap;

	scan->position = queue->last_used;
	for (uint32_t passed = 0; passed < queue->num;) {
		struct virtio_descriptor entry;
		uint32_t length;

		scan->code = virtio_descriptor_read(probe, device, true, queue->desc,
						    scan->position, &entry);
		if (scan->code != RBS_OK || !virtio_descriptor_returned(&entry, wrap))
			return;
		if (entry.link >= queue->num) {
			scan->code = RBS_CORRUPT;
			return;
		}
		/* In order, one used descriptor may stand for a whole batch: the count is open. */
		if (queue->kind == VIRTIO_PACKED_IN_ORDER) {
			scan->code = RBS_NOT_COUNTED;
			return;
		}
		scan->code = packed_chain_length(probe, queue, entry.link, &length);
		if (scan->code != RBS_OK)
			return;
		scan->unreaped++;
		passed += length;
		scan->position += length;
		if (scan->position >= queue->num) {
			scan->position -= queue->num;
			wrap = !wrap;
		}
	}
}

static void packed_outstanding_count(struct virtio_probe *probe, struct virtio_queue *queue,
				     struct packed_scan *scan)
{
	const struct rbs_layout *layout = &probe->queue_layout;
	uint64_t size = rbs_layout_size(layout, VQ_STATE_PACKED_SIZE);

	if (!queue->state || !size) {
		scan->code = RBS_NO_MEMBER;
		return;
	}
	for (uint32_t id = 0; id < queue->num; id++) {
		struct rbs_value data = rbs_layout_read(layout, VQ_STATE_PACKED_DATA, probe->target,
							queue->state + id * size);

		if (!rbs_value_ok(&data)) {
			scan->code = data.code;
			return;
		}
		scan->outstanding += data.number != 0;
	}
}

static void packed_counts_show(struct virtio_probe *probe, const struct virtio_device *device,
			       struct virtio_queue *queue, enum rbs_code ring_code)
{
	struct packed_scan scan = {.code = ring_code};
	struct rbs_value in_flight, unreaped, used;

	if (scan.code == RBS_OK)
		scan.code = queue->used_code;
	if (scan.code == RBS_OK)
		scan.code = device->features_code;
	if (scan.code == RBS_OK)
		packed_used_scan(probe, device, queue, &scan);
	unreaped = scan.code == RBS_OK ? rbs_value_of(scan.unreaped) : rbs_value_absent(scan.code);
	used = scan.code == RBS_OK ? rbs_value_of(scan.position) : rbs_value_absent(scan.code);
	if (scan.code == RBS_OK)
		packed_outstanding_count(probe, queue, &scan);
	if (scan.code == RBS_OK && scan.outstanding < scan.unreaped)
		scan.code = RBS_CORRUPT;
	in_flight = scan.code == RBS_OK ? rbs_value_of(scan.outstanding - scan.unreaped)
					: rbs_value_absent(scan.code);
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_USED_IDX), used);
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_IN_FLIGHT), in_flight);
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_UNREAPED), unreaped);
}

void virtio_packed_read(struct virtio_probe *probe, const struct virtio_device *device,
			struct virtio_queue *queue)
{
	struct rbs_value desc = virtio_queue_member_read(probe, queue, VQ_PACKED_DESC);
	struct rbs_value driver = virtio_queue_member_read(probe, queue, VQ_PACKED_DRIVER);
	struct rbs_value device_area = virtio_queue_member_read(probe, queue, VQ_PACKED_DEVICE);
	struct rbs_value state = virtio_queue_member_read(probe, queue, VQ_PACKED_STATE);
	struct rbs_value next, wrap;
	const struct rbs_field *in_flight;

	next = virtio_queue_member_show(probe, queue, VQ_PACKED_NEXT_AVAIL, VIRTIO_D_AVAIL_IDX);
	queue->desc = rbs_value_or(&desc, 0);
	queue->state = rbs_value_or(&state, 0);
	queue->memory_code = rbs_value_ok(&desc) ? state.code : desc.code;
	packed_last_used_read(probe, queue);
	packed_counts_show(probe, device, queue, desc.code);
	virtio_ring_show(probe, device, queue, &driver, EVENT_FLAGS, VIRTIO_D_AVAIL_FLAGS);
	virtio_ring_show(probe, device, queue, &device_area, EVENT_FLAGS, VIRTIO_D_USED_FLAGS);
	virtio_ring_show(probe, device, queue, &device_area, EVENT_OFF_WRAP, VIRTIO_D_AVAIL_EVENT);
	virtio_ring_show(probe, device, queue, &driver, EVENT_OFF_WRAP, VIRTIO_D_USED_EVENT);
	wrap = virtio_queue_member_show(probe, queue, VQ_PACKED_AVAIL_WRAP, VIRTIO_D_AVAIL_WRAP);
	virtio_queue_member_show(probe, queue, VQ_PACKED_DMA, VIRTIO_D_DESC_ADDRESS);
	virtio_queue_member_show(probe, queue, VQ_PACKED_DRIVER_DMA, VIRTIO_D_DRIVER_ADDRESS);
	virtio_queue_member_show(probe, queue, VQ_PACKED_DEVICE_DMA, VIRTIO_D_DEVICE_ADDRESS);
	in_flight = rbs_node_find(queue->node, "in_flight");
	/* Never used: both at the start, on the first lap (wrap bits start as 1). */
	queue->node->idle = rbs_value_ok(&next) && !next.number && rbs_value_ok(&wrap) &&
			    wrap.number == 1 && queue->used_code == RBS_OK && !queue->last_used &&
			    queue->used_wrap && in_flight && in_flight->code == RBS_OK &&
			    !in_flight->number;
}
