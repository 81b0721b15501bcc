/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One virtqueue: its shape, the driver's indexes and what stands in the shared ring. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probes/virtio/control.h"
#include "lib/ringmath.h"
#include "lib/walk.h"

struct rbs_value virtio_queue_member_read(struct virtio_probe *probe,
					  const struct virtio_queue *queue, unsigned id)
{
	return rbs_layout_read(&probe->queue_layout, id, probe->target, queue->address);
}

struct rbs_value virtio_queue_member_show(struct virtio_probe *probe,
					  const struct virtio_queue *queue, unsigned id,
					  unsigned desc)
{
	struct rbs_value value = virtio_queue_member_read(probe, queue, id);

	rbs_node_set(queue->node, virtio_desc(desc), value);
	return value;
}

struct rbs_value virtio_ring_show(struct virtio_probe *probe, const struct virtio_device *device,
				  const struct virtio_queue *queue, const struct rbs_value *area,
				  uint64_t offset, unsigned desc)
{
	struct rbs_value value = *area;

	if (rbs_value_ok(area))
		value = virtio_ring_read(probe, device, area->number + offset, 2);
	rbs_node_set(queue->node, virtio_desc(desc), value);
	return value;
}

static const char *kind_name(enum virtio_layout_kind kind)
{
	static const char *const names[] = {"split", "packed", "split-in-order", "packed-in-order"};

	return names[kind];
}

/* Which shape: enum vq_layout (7.x), bool packed_ring (5.0), else split. */
static enum rbs_code kind_read(struct virtio_probe *probe, struct virtio_queue *queue,
			       struct rbs_error *err)
{
	const struct rbs_layout *layout = &probe->queue_layout;
	uint64_t number;
	enum rbs_code code;

	queue->kind = VIRTIO_SPLIT;
	if (rbs_layout_has(layout, VQ_LAYOUT)) {
		code = rbs_layout_require(layout, VQ_LAYOUT, probe->target, queue->address, &number,
					  err);
		if (code != RBS_OK)
			return code;
		if ((int64_t)number == rbs_layout_enumerator(layout, VQ_LAYOUT_PACKED, -1))
			queue->kind = VIRTIO_PACKED;
		else if ((int64_t)number ==
			 rbs_layout_enumerator(layout, VQ_LAYOUT_SPLIT_IN_ORDER, -1))
			queue->kind = VIRTIO_SPLIT_IN_ORDER;
		else if ((int64_t)number ==
			 rbs_layout_enumerator(layout, VQ_LAYOUT_PACKED_IN_ORDER, -1))
			queue->kind = VIRTIO_PACKED_IN_ORDER;
		else if (number)
			return rbs_error_set_at(err, RBS_CORRUPT, queue->address,
						"the queue at %" PRIx64
						" has the unknown layout %" PRIu64,
						queue->address, number);
		return RBS_OK;
	}
	if (!rbs_layout_has(layout, VQ_PACKED_RING))
		return RBS_OK;
	code = rbs_layout_require(layout, VQ_PACKED_RING, probe->target, queue->address, &number,
				  err);
	if (code == RBS_OK && number)
		queue->kind = VIRTIO_PACKED;
	return code;
}

/* False (and num 0) when the ring's size is unknown or cannot be. */
static bool size_read(struct virtio_probe *probe, struct virtio_queue *queue)
{
	struct rbs_value num = virtio_queue_member_read(
		probe, queue, virtio_queue_packed(queue) ? VQ_PACKED_NUM : VQ_SPLIT_NUM);

	if (rbs_value_ok(&num) && (!num.number || num.number > VIRTIO_RING_LIMIT)) {
		struct rbs_error error;

		rbs_error_set_at(&error, RBS_CORRUPT, num.address,
				 "a ring of %" PRIu64 " entries cannot be", num.number);
		rbs_report_add_problem(queue->node->report, queue->node, &error);
		num.code = RBS_CORRUPT;
	}
	if (!rbs_value_ok(&num) && num.code != RBS_CORRUPT) {
		struct rbs_error error;

		rbs_error_set_at(&error, num.code, num.address, "the ring's size: %s",
				 rbs_code_text(num.code));
		rbs_report_add_problem(queue->node->report, queue->node, &error);
	}
	rbs_node_set(queue->node, virtio_desc(VIRTIO_D_SIZE), num);
	queue->num = (uint32_t)rbs_value_or(&num, 0);
	return queue->num != 0;
}

void virtio_difference_show(const struct virtio_queue *queue, unsigned desc,
			    const struct rbs_value *ahead, const struct rbs_value *behind)
{
	struct rbs_value value = rbs_value_ok(ahead) ? *behind : *ahead;

	if (rbs_value_ok(&value)) {
		uint16_t distance =
			rbs_ring_distance16((uint16_t)ahead->number, (uint16_t)behind->number);

		/* More than the ring holds: the two do not belong together. */
		value = distance <= queue->num ? rbs_value_of(distance)
					       : rbs_value_absent(RBS_CORRUPT);
	}
	rbs_node_set(queue->node, virtio_desc(desc), value);
}

static bool zero_or_absent(const struct rbs_value *value)
{
	return !rbs_value_ok(value) || value->number == 0;
}

static void in_order_show(struct virtio_probe *probe, struct virtio_queue *queue)
{
	virtio_queue_member_show(probe, queue, VQ_BATCH_LAST_ID, VIRTIO_D_BATCH_ID);
	virtio_queue_member_show(probe, queue, VQ_BATCH_LAST_LEN, VIRTIO_D_BATCH_LEN);
}

static void identity_show(struct virtio_probe *probe, struct virtio_queue *queue)
{
	const struct rbs_layout *layout = &probe->queue_layout;
	struct rbs_value name = rbs_layout_read(layout, VQ_NAME, probe->target, queue->virtqueue);

	if (rbs_value_ok(&name) && name.number)
		name.code = rbs_target_read_string(probe->target, name.number, queue->name,
						   sizeof(queue->name), NULL);
	if (rbs_value_ok(&name))
		rbs_node_set_text(queue->node, virtio_desc(VIRTIO_D_NAME), queue->name);
	else
		rbs_node_set_absent(queue->node, virtio_desc(VIRTIO_D_NAME), name.code);
	rbs_node_set_text(queue->node, virtio_desc(VIRTIO_D_LAYOUT), kind_name(queue->kind));
}

static struct rbs_value virtqueue_or_ring_read(struct virtio_probe *probe,
					       const struct virtio_queue *queue, unsigned id)
{
	/* num_free moved from vring_virtqueue to virtqueue in 3.8. */
	bool moved = probe->queue_layout.slots[id].alternative == 0;

	return rbs_layout_read(&probe->queue_layout, id, probe->target,
			       moved ? queue->virtqueue : queue->address);
}

static void queue_remember(struct virtio_device *device, const struct virtio_queue *queue)
{
	struct virtio_queue_ref *queues =
		reallocarray(device->queues, device->queue_count + 1, sizeof(*queues));

	if (!queues) {
		queue->node->report->code = RBS_NOMEM;
		return;
	}
	device->queues = queues;
	queues[device->queue_count++] =
		(struct virtio_queue_ref){.virtqueue = queue->virtqueue, .node = queue->node};
}

struct rbs_node *virtio_queue_find(const struct virtio_device *device, uint64_t virtqueue)
{
	for (size_t i = 0; i < device->queue_count; i++) {
		if (device->queues[i].virtqueue == virtqueue)
			return device->queues[i].node;
	}
	return NULL;
}

/* Of a net device's queues the one named 'control' says more: it may be this one. */
static void control_lost(struct virtio_device *device, const struct virtio_queue *queue)
{
	const struct rbs_field *name = rbs_node_find(queue->node, "name");
	struct rbs_error error;

	if (!name || name->code == RBS_OK || name->code == RBS_NO_MEMBER)
		return;
	device->queues_code = name->code;
	rbs_error_set_at(&error, name->code, queue->virtqueue,
			 "whether queue %s is the control queue: its name: %s", queue->node->name,
			 rbs_code_text(name->code));
	rbs_report_add_problem(device->node->report, device->node, &error);
}

static void queue_read(struct virtio_probe *probe, struct virtio_device *device, uint64_t virtqueue,
		       size_t position)
{
	const struct rbs_layout *layout = &probe->queue_layout;
	struct virtio_queue queue = {.virtqueue = virtqueue};
	struct rbs_value index = rbs_layout_read(layout, VQ_INDEX, probe->target, virtqueue);
	struct rbs_value broken, num_added, mapped;
	struct rbs_error error;

	queue.address = virtqueue - rbs_layout_offset(layout, VQ_VQ);
	queue.node = rbs_node_add(device->node, RBS_LEVEL_CHANNEL, "%" PRIu64,
				  rbs_value_or(&index, position));
	if (!queue.node)
		return;
	queue_remember(device, &queue);
	rbs_node_set(queue.node, virtio_desc(VIRTIO_D_INDEX), index);
	if (kind_read(probe, &queue, &error) != RBS_OK) {
		rbs_report_add_problem(queue.node->report, queue.node, &error);
		return;
	}
	identity_show(probe, &queue);
	mapped = virtio_queue_member_read(probe, &queue, VQ_USE_MAP);
	queue.mapped = !rbs_value_ok(&mapped) || mapped.number;
	size_read(probe, &queue);
	rbs_node_set(queue.node, virtio_desc(VIRTIO_D_NUM_FREE),
		     virtqueue_or_ring_read(probe, &queue, VQ_NUM_FREE));
	if (queue.num && virtio_queue_packed(&queue))
		virtio_packed_read(probe, device, &queue);
	else if (queue.num)
		virtio_split_read(probe, device, &queue);
	if (queue.kind == VIRTIO_SPLIT_IN_ORDER || queue.kind == VIRTIO_PACKED_IN_ORDER)
		in_order_show(probe, &queue);
	num_added = virtio_queue_member_show(probe, &queue, VQ_NUM_ADDED, VIRTIO_D_NUM_ADDED);
	broken = virtio_queue_member_show(probe, &queue, VQ_BROKEN, VIRTIO_D_BROKEN);
	virtio_queue_member_show(probe, &queue, VQ_INDIRECT, VIRTIO_D_INDIRECT);
	virtio_queue_member_show(probe, &queue, VQ_EVENT, VIRTIO_D_EVENT_IDX);
	virtio_queue_member_show(probe, &queue, VQ_EVENT_TRIGGERED, VIRTIO_D_EVENT_TRIGGERED);
	queue.node->idle = queue.node->idle && zero_or_absent(&num_added) &&
			   rbs_value_ok(&broken) && !broken.number;
	if (probe->context->verbose && queue.num)
		virtio_chains_read(probe, device, &queue);
	if (device->type == VIRTIO_ID_NET)
		control_lost(device, &queue);
	if (device->type == VIRTIO_ID_NET && queue.num && !strcmp(queue.name, "control"))
		virtio_control_read(probe, device, &queue);
}

void virtio_queues_read(struct virtio_probe *probe, struct virtio_device *device)
{
	struct rbs_list_walk walk;
	uint64_t head = device->address + rbs_layout_offset(&probe->device_layout, VD_VQS);
	uint64_t node;
	size_t position = 0;

	rbs_list_walk_init(&walk, probe->target, head, VIRTIO_QUEUE_LIMIT);
	while (rbs_list_walk_next(&walk, &node))
		queue_read(probe, device, node - rbs_layout_offset(&probe->queue_layout, VQ_LIST),
			   position++);
	if (walk.code != RBS_OK) {
		device->queues_code = walk.code;
		rbs_error_prefix(&walk.error, "the device's queues");
		rbs_report_add_problem(device->node->report, device->node, &walk.error);
	}
}
