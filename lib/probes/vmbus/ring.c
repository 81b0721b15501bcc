/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One direction of a channel: the page of indexes that guest and host share, and its data behind it
 * (include/linux/hyperv.h: struct hv_ring_buffer; arithmetic of hv_get_ring_bytes_available).
 */
#include <inttypes.h>

#include "lib/probes/vmbus/vmbus.h"
#include "lib/ringmath.h"

static struct rbs_value page_show(struct vmbus_probe *probe, const struct vmbus_ring *ring,
				  unsigned member, unsigned desc)
{
	return vmbus_show(probe, member, ring->page, ring->node, desc);
}

static void absent_show(const struct vmbus_ring *ring, enum rbs_code reason)
{
	rbs_node_set_absent(ring->node, vmbus_desc(VMBUS_D_READ_AVAIL), reason);
	rbs_node_set_absent(ring->node, vmbus_desc(VMBUS_D_WRITE_AVAIL), reason);
}

/* The host writes one of the indexes: outside the data they are corrupt, and nothing follows. */
static bool indexes_check(struct vmbus_ring *ring, const struct rbs_value *read,
			  const struct rbs_value *write)
{
	struct rbs_error error;

	if (!rbs_value_ok(read) || !rbs_value_ok(write)) {
		absent_show(ring, rbs_value_ok(read) ? write->code : read->code);
		return false;
	}
	if (read->number < ring->size && write->number < ring->size) {
		ring->read = (uint32_t)read->number;
		ring->write = (uint32_t)write->number;
		return true;
	}
	rbs_error_set_at(&error, RBS_CORRUPT, ring->page,
			 "read index %" PRIu64 " or write index %" PRIu64
			 " lies outside the ring's %u bytes",
			 read->number, write->number, ring->size);
	rbs_report_add_problem(ring->node->report, ring->node, &error);
	absent_show(ring, RBS_CORRUPT);
	return false;
}

static bool size_check(struct vmbus_ring *ring, uint64_t info, struct rbs_value size)
{
	struct rbs_error error;

	if (rbs_value_ok(&size) && (!size.number || size.number > VMBUS_RING_LIMIT)) {
		rbs_error_set_at(&error, RBS_CORRUPT, info, "a ring of %" PRIu64 " bytes cannot be",
				 size.number);
		rbs_report_add_problem(ring->node->report, ring->node, &error);
		size.code = RBS_CORRUPT;
	}
	rbs_node_set(ring->node, vmbus_desc(VMBUS_D_SIZE), size);
	ring->size = (uint32_t)rbs_value_or(&size, 0);
	return ring->size != 0;
}

bool vmbus_ring_figures(struct vmbus_ring *ring, uint64_t info, struct rbs_value size,
			const struct rbs_value *read, const struct rbs_value *write)
{
	uint32_t used;

	if (!size_check(ring, info, size) || !indexes_check(ring, read, write))
		return false;
	used = rbs_ring_bytes_used(ring->write, ring->read, ring->size);
	rbs_node_set_number(ring->node, vmbus_desc(VMBUS_D_READ_AVAIL), used);
	rbs_node_set_number(ring->node, vmbus_desc(VMBUS_D_WRITE_AVAIL), ring->size - used);
	return true;
}

/*
 * The guest reads packets ahead of the read index that the host sees, until hv_pkt_iter_close():
 * priv_read_index runs ahead by the bytes that its iterator holds.
 */
static void iterator_show(struct vmbus_probe *probe, const struct vmbus_ring *ring, uint64_t info,
			  bool indexes_good)
{
	struct rbs_value private =
		vmbus_show(probe, HV_RING_PRIV_READ, info, ring->node, VMBUS_D_PRIV_READ);
	struct rbs_value held = private;

	if (rbs_value_ok(&private)) {
		held = rbs_value_absent(RBS_CORRUPT);
		if (indexes_good && private.number < ring->size)
			held = rbs_value_of(rbs_ring_bytes_used((uint32_t) private.number,
								ring->read, ring->size));
	}
	rbs_node_set(ring->node, vmbus_desc(VMBUS_D_ITERATOR_HELD), held);
}

void vmbus_ring_read(struct vmbus_probe *probe, const struct vmbus_device *device,
		     struct rbs_node *channel, uint64_t info, bool inbound)
{
	struct vmbus_ring ring = {.device = device, .inbound = inbound};
	struct rbs_value page =
		rbs_layout_read(&probe->layout, HV_RING_BUFFER, probe->target, info);
	struct rbs_value read, write, size;
	bool good;

	/* A channel that was never opened has no rings. */
	if (rbs_value_ok(&page) && !page.number)
		return;
	ring.node = rbs_node_add(channel, RBS_LEVEL_RING, "%s", inbound ? "in" : "out");
	if (!ring.node)
		return;
	if (!rbs_value_ok(&page)) {
		rbs_node_set_absent(ring.node, vmbus_desc(VMBUS_D_READ_INDEX), page.code);
		rbs_node_set_absent(ring.node, vmbus_desc(VMBUS_D_WRITE_INDEX), page.code);
		vmbus_has(ring.node, &page, "the ring");
		return;
	}
	ring.page = page.number;
	ring.data = page.number + rbs_layout_offset(&probe->layout, HV_PAGE_DATA);
	read = page_show(probe, &ring, HV_PAGE_READ, VMBUS_D_READ_INDEX);
	write = page_show(probe, &ring, HV_PAGE_WRITE, VMBUS_D_WRITE_INDEX);
	page_show(probe, &ring, HV_PAGE_MASK, VMBUS_D_MASK);
	size = rbs_layout_read(&probe->layout, HV_RING_DATASIZE, probe->target, info);
	good = vmbus_ring_figures(&ring, info, size, &read, &write);
	vmbus_has(ring.node,
		  !rbs_value_ok(&size)	 ? &size
		  : !rbs_value_ok(&read) ? &read
					 : &write,
		  "what lies in the ring");
	page_show(probe, &ring, HV_PAGE_PENDING, VMBUS_D_PENDING_SEND);
	page_show(probe, &ring, HV_PAGE_FEATURES, VMBUS_D_FEATURES);
	if (inbound)
		iterator_show(probe, &ring, info, good);
	if (good && probe->context->verbose)
		vmbus_packets_read(probe, &ring);
}

enum rbs_code vmbus_ring_copy(struct vmbus_probe *probe, const struct vmbus_ring *ring,
			      uint32_t offset, void *buffer, uint32_t length)
{
	uint32_t first = length < ring->size - offset ? length : ring->size - offset;
	enum rbs_code code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, ring->data + offset,
					     buffer, first, NULL);

	if (code == RBS_OK && first < length)
		code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, ring->data,
				       (uint8_t *)buffer + first, length - first, NULL);
	return code;
}
