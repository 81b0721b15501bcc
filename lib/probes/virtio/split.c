/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Split rings: free-running indexes in memory that driver and device share (virtio 1.x, 2.7). */
#include "lib/probes/virtio/ring_format.h"

static void split_addresses_show(struct virtio_probe *probe, struct virtio_queue *queue,
				 const struct rbs_value *desc, const struct rbs_value *avail,
				 const struct rbs_value *used)
{
	struct rbs_value dma =
		virtio_queue_member_show(probe, queue, VQ_SPLIT_DMA, VIRTIO_D_DESC_ADDRESS);
	struct rbs_value address;

	/* The three parts are one allocation: the others lie as far behind as in virtual memory. */
	address = rbs_value_ok(avail) ? dma : *avail;
	if (rbs_value_ok(&address) && rbs_value_ok(desc))
		address.number += avail->number - desc->number;
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_DRIVER_ADDRESS), address);
	address = rbs_value_ok(used) ? dma : *used;
	if (rbs_value_ok(&address) && rbs_value_ok(desc))
		address.number += used->number - desc->number;
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_DEVICE_ADDRESS), address);
}

void virtio_split_read(struct virtio_probe *probe, const struct virtio_device *device,
		       struct virtio_queue *queue)
{
	struct rbs_value desc = virtio_queue_member_read(probe, queue, VQ_SPLIT_DESC);
	struct rbs_value avail = virtio_queue_member_read(probe, queue, VQ_SPLIT_AVAIL);
	struct rbs_value used = virtio_queue_member_read(probe, queue, VQ_SPLIT_USED);
	struct rbs_value avail_idx, used_idx, last_used;
	struct rbs_value state = virtio_queue_member_read(probe, queue, VQ_SPLIT_STATE);

	avail_idx = virtio_ring_show(probe, device, queue, &avail, AVAIL_IDX, VIRTIO_D_AVAIL_IDX);
	virtio_queue_member_show(probe, queue, VQ_SPLIT_AVAIL_SHADOW, VIRTIO_D_AVAIL_SHADOW);
	used_idx = virtio_ring_show(probe, device, queue, &used, USED_IDX, VIRTIO_D_USED_IDX);
	last_used = virtio_queue_member_show(probe, queue, VQ_LAST_USED, VIRTIO_D_LAST_USED);
	virtio_difference_show(queue, VIRTIO_D_IN_FLIGHT, &avail_idx, &used_idx);
	virtio_difference_show(queue, VIRTIO_D_UNREAPED, &used_idx, &last_used);
	virtio_ring_show(probe, device, queue, &avail, AVAIL_FLAGS, VIRTIO_D_AVAIL_FLAGS);
	virtio_ring_show(probe, device, queue, &used, USED_FLAGS, VIRTIO_D_USED_FLAGS);
	virtio_ring_show(probe, device, queue, &used, USED_RING + (uint64_t)USED_ENTRY * queue->num,
			 VIRTIO_D_AVAIL_EVENT);
	virtio_ring_show(probe, device, queue, &avail,
			 AVAIL_RING + (uint64_t)AVAIL_ENTRY * queue->num, VIRTIO_D_USED_EVENT);
	split_addresses_show(probe, queue, &desc, &avail, &used);

	queue->desc = rbs_value_or(&desc, 0);
	queue->used = rbs_value_or(&used, 0);
	queue->state = rbs_value_or(&state, 0);
	queue->memory_code = !rbs_value_ok(&desc)   ? desc.code
			     : !rbs_value_ok(&used) ? used.code
						    : state.code;
	queue->used_code = rbs_value_ok(&used_idx) ? last_used.code : used_idx.code;
	queue->used_idx = (uint16_t)rbs_value_or(&used_idx, 0);
	queue->last_used = (uint16_t)rbs_value_or(&last_used, 0);
	queue->node->idle = rbs_value_ok(&avail_idx) && rbs_value_ok(&used_idx) &&
			    rbs_value_ok(&last_used) && avail_idx.number == used_idx.number &&
			    used_idx.number == last_used.number && !avail_idx.number;
}
