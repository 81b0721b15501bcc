/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptor chains that the driver has given to the device and not taken back. */
#include <stdlib.h>

#include "lib/probes/virtio/ring_format.h"

struct chain {
	enum rbs_code code; /* why the descriptors could not be read */
	uint32_t descriptors;
	uint64_t out_bytes, in_bytes;
	bool indirect;
	uint64_t first_address, first_length; /* bus address of the first buffer */
};

struct chain_walk {
	struct virtio_probe *probe;
	const struct virtio_device *device;
	const struct virtio_queue *queue;
	bool packed;
	uint8_t *states; /* copy of desc_state[] */
	uint64_t state_size;
	unsigned data_id, indirect_id;
	bool *used; /* by head or id: returned and not taken back */
	size_t listed;
	bool cut; /* there are more than VIRTIO_CHAIN_LIMIT */
	/* Why a chain of a packed ring was not found there; RBS_NOT_COUNTED: the ring has it no
	 * more */
	enum rbs_code lost;
};

static enum rbs_code descriptor_read(const struct chain_walk *walk, uint64_t table, uint32_t index,
				     struct virtio_descriptor *descriptor)
{
	return virtio_descriptor_read(walk->probe, walk->device, walk->packed, table, index,
				      descriptor);
}

static void chain_add(struct chain *chain, const struct virtio_descriptor *descriptor)
{
	if (!chain->descriptors++) {
		chain->first_address = descriptor->address;
		chain->first_length = descriptor->length;
	}
	if (descriptor->flags & F_WRITE)
		chain->in_bytes += descriptor->length;
	else
		chain->out_bytes += descriptor->length;
}

/* A table of count descriptors: linked by next (split) or one after the other (packed). */
static void table_walk(const struct chain_walk *walk, uint64_t table, uint32_t count,
		       uint32_t first, struct chain *chain)
{
	uint32_t index = first;

	for (uint32_t passed = 0; passed < count && chain->code == RBS_OK; passed++) {
		struct virtio_descriptor descriptor;

		if (index >= count) {
			chain->code = RBS_CORRUPT;
			return;
		}
		chain->code = descriptor_read(walk, table, index, &descriptor);
		if (chain->code != RBS_OK)
			return;
		chain_add(chain, &descriptor);
		if (!walk->packed && !(descriptor.flags & F_NEXT))
			return;
		index = walk->packed ? index + 1 : descriptor.link;
	}
	if (!walk->packed)
		chain->code = RBS_CORRUPT; /* the links never end */
}

static void indirect_walk(const struct chain_walk *walk, const uint8_t *state,
			  const struct virtio_descriptor *descriptor, struct chain *chain)
{
	struct rbs_value table = rbs_layout_get(&walk->probe->queue_layout, walk->indirect_id,
						walk->probe->target, state, walk->state_size);
	uint32_t count = descriptor->length / DESC_SIZE;

	chain->indirect = true;
	if (!rbs_value_ok(&table) || !table.number)
		chain->code = rbs_value_ok(&table) ? RBS_CORRUPT : table.code;
	else if (!count || count > VIRTIO_RING_LIMIT || descriptor->length % DESC_SIZE)
		chain->code = RBS_CORRUPT;
	else
		table_walk(walk, table.number, count, 0, chain);
}

static uint64_t token_of(const struct chain_walk *walk, uint32_t id)
{
	struct rbs_value data =
		rbs_layout_get(&walk->probe->queue_layout, walk->data_id, walk->probe->target,
			       walk->states + id * walk->state_size, walk->state_size);

	return rbs_value_or(&data, 0);
}

static void chain_show(struct chain_walk *walk, uint32_t id, const struct chain *chain)
{
	struct rbs_node *slot;
	char request[128] = "";
	enum rbs_code code;

	if (walk->listed == VIRTIO_CHAIN_LIMIT) {
		walk->cut = true;
		return;
	}
	walk->listed++;
	slot = rbs_node_add(walk->queue->node, RBS_LEVEL_SLOT, "%u", id);
	rbs_node_set_text(slot, virtio_desc(VIRTIO_D_CHAIN_STATE),
			  walk->used[id] ? "used" : "device");
	if (chain->code == RBS_OK) {
		rbs_node_set_number(slot, virtio_desc(VIRTIO_D_CHAIN_DESCRIPTORS),
				    chain->descriptors);
		rbs_node_set_number(slot, virtio_desc(VIRTIO_D_CHAIN_OUT), chain->out_bytes);
		rbs_node_set_number(slot, virtio_desc(VIRTIO_D_CHAIN_IN), chain->in_bytes);
		rbs_node_set_number(slot, virtio_desc(VIRTIO_D_CHAIN_INDIRECT), chain->indirect);
	} else {
		rbs_node_set_absent(slot, virtio_desc(VIRTIO_D_CHAIN_DESCRIPTORS), chain->code);
		rbs_node_set_absent(slot, virtio_desc(VIRTIO_D_CHAIN_OUT), chain->code);
		rbs_node_set_absent(slot, virtio_desc(VIRTIO_D_CHAIN_IN), chain->code);
		if (chain->code != RBS_NOT_COUNTED)
			rbs_node_set_absent(slot, virtio_desc(VIRTIO_D_CHAIN_INDIRECT),
					    chain->code);
	}
	code = virtio_request_describe(walk->probe, walk->device, walk->queue, token_of(walk, id),
				       chain->code == RBS_OK ? chain->first_address : 0,
				       chain->code == RBS_OK ? chain->first_length : 0,
				       chain->in_bytes, request, sizeof(request));
	if (code != RBS_OK)
		rbs_node_set_absent(slot, virtio_desc(VIRTIO_D_CHAIN_REQUEST), code);
	else if (*request)
		rbs_node_set_text(slot, virtio_desc(VIRTIO_D_CHAIN_REQUEST), request);
}

static void split_chains(struct chain_walk *walk)
{
	const struct virtio_queue *queue = walk->queue;

	for (uint32_t head = 0; head < queue->num && !walk->cut; head++) {
		struct chain chain = {0};
		struct virtio_descriptor first;

		if (!token_of(walk, head))
			continue;
		chain.code = descriptor_read(walk, queue->desc, head, &first);
		if (chain.code == RBS_OK && first.flags & F_INDIRECT)
			indirect_walk(walk, walk->states + head * walk->state_size, &first, &chain);
		else if (chain.code == RBS_OK)
			table_walk(walk, queue->desc, queue->num, head, &chain);
		chain_show(walk, head, &chain);
	}
}

static void split_used_mark(struct chain_walk *walk)
{
	const struct virtio_queue *queue = walk->queue;
	uint16_t count = (uint16_t)(queue->used_idx - queue->last_used);

	if (queue->used_code != RBS_OK || !queue->used || count > queue->num)
		return;
	for (uint16_t i = 0; i < count; i++) {
		uint32_t slot = (uint16_t)(queue->last_used + i) % queue->num;
		struct rbs_value id =
			virtio_ring_read(walk->probe, walk->device,
					 queue->used + USED_RING + (uint64_t)slot * USED_ENTRY, 4);

		if (rbs_value_ok(&id) && id.number < queue->num)
			walk->used[id.number] = true;
	}
}

/* What the ring still says of the chain at position, whose driver's record has length entries. */
static void packed_chain_read(const struct chain_walk *walk, uint32_t id, uint32_t position,
			      uint32_t length, struct chain *chain)
{
	struct virtio_descriptor descriptor;

	for (uint32_t i = 0; i < length && chain->code == RBS_OK; i++) {
		chain->code = descriptor_read(walk, walk->queue->desc,
					      (position + i) % walk->queue->num, &descriptor);
		if (chain->code == RBS_OK && descriptor.link != id)
			chain->code = RBS_CORRUPT;
		if (chain->code != RBS_OK)
			return;
		if (descriptor.flags & F_INDIRECT) {
			indirect_walk(walk, walk->states + id * walk->state_size, &descriptor,
				      chain);
			return;
		}
		chain_add(chain, &descriptor);
	}
}

/*
 * The driver fills a packed ring in order, and the device writes what it returned over the first
 * descriptors of chains: so the ring tells which buffer is where only from last_used_idx on, and
 * only while each slot agrees with the driver's record. Of a returned chain the lengths are gone.
 */
static void packed_chains_find(struct chain_walk *walk, struct chain *chains, bool *seen)
{
	const struct virtio_queue *queue = walk->queue;
	uint32_t position = queue->last_used;
	bool wrap = queue->used_wrap;

	walk->lost = queue->used_code == RBS_OK ? RBS_NOT_COUNTED : queue->used_code;
	for (uint32_t passed = 0; queue->used_code == RBS_OK && passed < queue->num;) {
		struct virtio_descriptor first;
		struct rbs_value num;
		enum rbs_code code = descriptor_read(walk, queue->desc, position, &first);

		if (code != RBS_OK)
			walk->lost = code;
		if (code != RBS_OK || first.link >= queue->num || seen[first.link] ||
		    !token_of(walk, first.link))
			return;
		num = rbs_layout_get(
			&walk->probe->queue_layout, VQ_STATE_PACKED_NUM, walk->probe->target,
			walk->states + first.link * walk->state_size, walk->state_size);
		if (!rbs_value_ok(&num) || !num.number || num.number > queue->num)
			return;
		seen[first.link] = true;
		walk->used[first.link] = virtio_descriptor_returned(&first, wrap);
		if (!walk->used[first.link]) {
			chains[first.link].code = RBS_OK;
			packed_chain_read(walk, first.link, position, (uint32_t)num.number,
					  &chains[first.link]);
		}
		passed += (uint32_t)num.number;
		position += (uint32_t)num.number;
		if (position >= queue->num) {
			position -= queue->num;
			wrap = !wrap;
		}
	}
}

static void packed_chains(struct chain_walk *walk)
{
	const struct virtio_queue *queue = walk->queue;
	struct chain *chains = calloc(queue->num, sizeof(*chains));
	bool *seen = calloc(queue->num, sizeof(*seen));

	if (chains && seen) {
		for (uint32_t id = 0; id < queue->num; id++)
			chains[id].code = RBS_NOT_COUNTED;
		packed_chains_find(walk, chains, seen);
		for (uint32_t id = 0; id < queue->num && !walk->cut; id++) {
			if (!seen[id])
				chains[id].code = walk->lost;
			if (token_of(walk, id))
				chain_show(walk, id, &chains[id]);
		}
	} else {
		queue->node->report->code = RBS_NOMEM;
	}
	free(chains);
	free(seen);
}

static bool walk_init(struct chain_walk *walk)
{
	const struct rbs_layout *layout = &walk->probe->queue_layout;
	const struct virtio_queue *queue = walk->queue;
	uint64_t size =
		rbs_layout_size(layout, walk->packed ? VQ_STATE_PACKED_SIZE : VQ_STATE_SPLIT_SIZE);
	struct rbs_error error;
	enum rbs_code code = queue->memory_code;

	/* Without the features nobody knows the rings' byte order. */
	if (code == RBS_OK)
		code = walk->device->features_code;
	if (code != RBS_OK && code != RBS_NO_MEMBER && code != RBS_NO_TYPES) {
		rbs_error_set(&error, code, "the chains in flight: %s", rbs_code_text(code));
		rbs_report_add_problem(queue->node->report, queue->node, &error);
	}
	if (code != RBS_OK || !queue->state || !queue->desc || !size || size > 4096)
		return false;
	walk->state_size = size;
	walk->data_id = walk->packed ? VQ_STATE_PACKED_DATA : VQ_STATE_SPLIT_DATA;
	walk->indirect_id = walk->packed ? VQ_STATE_PACKED_INDIRECT : VQ_STATE_SPLIT_INDIRECT;
	walk->states = malloc(queue->num * size);
	walk->used = calloc(queue->num, sizeof(*walk->used));
	if (!walk->states || !walk->used) {
		queue->node->report->code = RBS_NOMEM;
		return false;
	}
	if (rbs_target_read(walk->probe->target, RBS_KERNEL_VIRTUAL, queue->state, walk->states,
			    queue->num * size, &error) != RBS_OK) {
		rbs_error_prefix(&error, "the chains in flight");
		rbs_report_add_problem(queue->node->report, queue->node, &error);
		return false;
	}
	return true;
}

void virtio_chains_read(struct virtio_probe *probe, const struct virtio_device *device,
			const struct virtio_queue *queue)
{
	struct chain_walk walk = {
		.probe = probe,
		.device = device,
		.queue = queue,
		.packed = virtio_queue_packed(queue),
	};

	if (walk_init(&walk)) {
		if (walk.packed) {
			packed_chains(&walk);
		} else {
			split_used_mark(&walk);
			split_chains(&walk);
		}
		if (walk.cut) {
			struct rbs_error error;

			rbs_error_set(&error, RBS_LIMIT, "only the first %d chains are listed",
				      VIRTIO_CHAIN_LIMIT);
			rbs_report_add_problem(queue->node->report, queue->node, &error);
		}
	}
	free(walk.states);
	free(walk.used);
}
