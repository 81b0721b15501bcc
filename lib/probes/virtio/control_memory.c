/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a control command's buffers are. Without the DMA API a descriptor's address is physical.
 * With it the address is a bounce buffer's (swiotlb, always in confidential guests), the physical
 * one (dma-direct), or an IOMMU's: the driver's own header, whose place is known, tells which.
 */
#include "lib/probes/virtio/control.h"

#define SLOT_SHIFT 11	     /* include/linux/swiotlb.h: IO_TLB_SHIFT */
#define SLOT_FREE UINT64_MAX /* INVALID_PHYS_ADDR: the slot is not mapped */

enum {
	CP_START,
	CP_END,
	CP_SLOTS,
	CP_SLOT_SIZE,
	CP_SLOT_ORIGIN,
	CP_COUNT,
};

/* "swiotlb: move struct io_tlb_slot" ... the pool became a member of its own in 6.6. */
static const struct rbs_layout_entry pool_entries[CP_COUNT] = {
	[CP_START] = {"io_tlb_mem:defpool.start|io_tlb_mem:start"},
	[CP_END] = {"io_tlb_mem:defpool.end|io_tlb_mem:end"},
	[CP_SLOTS] = {"io_tlb_mem:defpool.slots|io_tlb_mem:slots"},
	[CP_SLOT_SIZE] = {"io_tlb_slot", RBS_SIZE},
	[CP_SLOT_ORIGIN] = {"io_tlb_slot:orig_addr"},
};

void control_pool_init(struct control *control)
{
	struct rbs_dump *dump = control->probe->context->dump;
	struct control_pool *pool = &control->pool;
	struct rbs_value start, end, slots;
	uint64_t address;

	if (!control->queue->mapped ||
	    rbs_symbols_find(&dump->symbols, NULL, "io_tlb_default_mem", &address, NULL) !=
		    RBS_OK ||
	    rbs_layout_init(&pool->layout, pool_entries, CP_COUNT, &dump->types, NULL, NULL) !=
		    RBS_OK)
		return;
	start = rbs_layout_read(&pool->layout, CP_START, dump->target, address);
	end = rbs_layout_read(&pool->layout, CP_END, dump->target, address);
	slots = rbs_layout_read(&pool->layout, CP_SLOTS, dump->target, address);
	if (rbs_value_ok(&start) && rbs_value_ok(&end) && rbs_value_ok(&slots) && slots.number &&
	    start.number < end.number) {
		pool->start = start.number;
		pool->end = end.number;
		pool->slots = slots.number;
	}
}

static bool in_pool(const struct control *control, uint64_t address)
{
	return address >= control->pool.start && address < control->pool.end;
}

/* Physical address of the memory that a bounce slot stands for; false when it is not mapped. */
static bool pool_origin(struct control *control, uint64_t address, uint64_t *origin)
{
	const struct control_pool *pool = &control->pool;
	uint64_t index = (address - pool->start) >> SLOT_SHIFT;
	struct rbs_value value =
		rbs_layout_read(&pool->layout, CP_SLOT_ORIGIN, control->probe->target,
				pool->slots + index * rbs_layout_size(&pool->layout, CP_SLOT_SIZE));

	*origin = rbs_value_or(&value, SLOT_FREE);
	return *origin != SLOT_FREE;
}

/* Whether bus addresses are physical: then the newest command's header lies where the driver's is.
 */
static bool bus_is_physical(const struct control *control)
{
	if (!control->queue->mapped)
		return true;
	for (size_t i = 0; control->header && i < control->count + 1 && i < CONTROL_COMMANDS; i++) {
		if (control->commands[i].buffer_count &&
		    control->commands[i].buffers[0].address == control->header)
			return true;
	}
	return false;
}

bool control_note(struct control *control, enum rbs_code code)
{
	if (code != RBS_OK && code != RBS_NO_MEMBER && code != RBS_NO_TYPES)
		control->lost = code;
	return code == RBS_OK;
}

enum rbs_code control_memory_read(struct control *control, uint64_t address, void *buffer,
				  size_t length)
{
	if (!in_pool(control, address) && !bus_is_physical(control) && address != control->header)
		return RBS_NOT_COUNTED;
	return rbs_target_read(control->probe->target, RBS_PHYSICAL, address, buffer, length, NULL);
}

void control_memory_find(struct control *control, uint64_t address, bool *bounced,
			 struct rbs_slab_object *object)
{
	*bounced = in_pool(control, address);
	*object = (struct rbs_slab_object){0};
	if (*bounced && !pool_origin(control, address, &address)) {
		object->state = RBS_SLAB_FREE_PAGES;
		object->link_known = true;
	} else {
		rbs_slab_find(&control->slabs, address, object);
		control_note(control, object->code);
	}
}
