/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who waits for the answer to a control command. Since 6.10 a mutex of the device is held over it
 * ("virtio_net: Add a lock for the command VQ."); before, and around it, the rtnl lock. The owner
 * of a mutex is a task_struct with flags in its lowest three bits (kernel/locking/mutex.c).
 */
#include "lib/probes/virtio/control.h"

#define OWNER_FLAGS 7

enum {
	CW_OWNER,
	CW_PID,
	CW_COMM,
	CW_ON_CPU,
	CW_CPU,
	CW_ARRIVAL,
	CW_CLOCK,
	CW_COUNT,
};

static const struct rbs_layout_entry waiter_entries[CW_COUNT] = {
	[CW_OWNER] = {"mutex:owner"},
	[CW_PID] = {"task_struct:pid"},
	[CW_COMM] = {"task_struct:comm"},
	[CW_ON_CPU] = {"task_struct:on_cpu", RBS_OPTIONAL},
	[CW_CPU] = {"task_struct:thread_info.cpu|task_struct:cpu", RBS_OPTIONAL},
	[CW_ARRIVAL] = {"task_struct:sched_info.last_arrival", RBS_OPTIONAL},
	[CW_CLOCK] = {"rq:clock", RBS_OPTIONAL},
};

struct waiter {
	struct control *control;
	struct rbs_layout layout;
	uint64_t task;
};

static uint64_t owner_find(struct waiter *waiter, const char **lock)
{
	struct control *control = waiter->control;
	struct rbs_dump *dump = control->probe->context->dump;
	struct rbs_value owner = rbs_layout_read(control->layout, CN_LOCK_OWNER, dump->target,
						 control->device->private);
	uint64_t address;

	control_note(control, owner.code);
	*lock = "cvq_lock";
	if (rbs_value_or(&owner, 0) & ~(uint64_t)OWNER_FLAGS)
		return owner.number & ~(uint64_t)OWNER_FLAGS;
	*lock = "rtnl_mutex";
	if (rbs_symbols_find(&dump->symbols, NULL, "rtnl_mutex", &address, NULL) != RBS_OK)
		return 0;
	owner = rbs_layout_read(&waiter->layout, CW_OWNER, dump->target, address);
	control_note(control, owner.code);
	return rbs_value_or(&owner, 0) & ~(uint64_t)OWNER_FLAGS;
}

/* Since when it is on its CPU: the run queue's clock against its last arrival there. */
static struct rbs_value time_on_cpu(struct waiter *waiter, const struct rbs_value *cpu)
{
	struct rbs_dump *dump = waiter->control->probe->context->dump;
	const struct rbs_cpus *cpus = &waiter->control->slabs.cpus;
	struct rbs_value arrival =
		rbs_layout_read(&waiter->layout, CW_ARRIVAL, dump->target, waiter->task);
	struct rbs_value clock;
	uint64_t runqueues;

	if (!rbs_value_ok(&arrival) || !rbs_value_ok(cpu))
		return rbs_value_ok(cpu) ? arrival : *cpu;
	if (cpu->number >= cpus->count ||
	    rbs_symbols_find(&dump->symbols, NULL, "runqueues", &runqueues, NULL) != RBS_OK)
		return rbs_value_absent(RBS_NO_SYMBOL);
	clock = rbs_layout_read(&waiter->layout, CW_CLOCK, dump->target,
				runqueues + cpus->offsets[cpu->number]);
	if (rbs_value_ok(&clock) && clock.number < arrival.number)
		return rbs_value_absent(RBS_CORRUPT);
	if (rbs_value_ok(&clock))
		clock.number -= arrival.number;
	return clock;
}

static void task_show(struct waiter *waiter, const char *lock)
{
	struct rbs_target *target = waiter->control->probe->target;
	struct rbs_node *node = waiter->control->device->node;
	struct rbs_value on_cpu = rbs_layout_read(&waiter->layout, CW_ON_CPU, target, waiter->task);
	struct rbs_value cpu = rbs_layout_read(&waiter->layout, CW_CPU, target, waiter->task);
	char comm[17];
	enum rbs_code code = rbs_target_read_string(
		target, waiter->task + rbs_layout_offset(&waiter->layout, CW_COMM), comm,
		sizeof(comm), NULL);

	if (code == RBS_OK)
		rbs_node_set_text(node, virtio_desc(VIRTIO_D_WAITER), comm);
	else
		rbs_node_set_absent(node, virtio_desc(VIRTIO_D_WAITER), code);
	rbs_node_set(node, virtio_desc(VIRTIO_D_WAITER_PID),
		     rbs_layout_read(&waiter->layout, CW_PID, target, waiter->task));
	rbs_node_set_text(node, virtio_desc(VIRTIO_D_WAITER_LOCK), lock);
	rbs_node_set(node, virtio_desc(VIRTIO_D_WAITER_RUNNING), on_cpu);
	rbs_node_set(node, virtio_desc(VIRTIO_D_WAITER_CPU), cpu);
	control_note(waiter->control, on_cpu.code);
	if (rbs_value_or(&on_cpu, 0))
		rbs_node_set(node, virtio_desc(VIRTIO_D_WAITER_TIME), time_on_cpu(waiter, &cpu));
}

/* Only where someone has to wait: a command is out, or its reply has no end. */
static bool waited_for(const struct control *control)
{
	if (!control->count)
		return false;
	return control->commands[control->count - 1].place != CONTROL_TAKEN ||
	       rbs_node_find(control->device->node, "device_stats_endless_at");
}

void control_waiter_show(struct control *control)
{
	struct waiter waiter = {.control = control};
	const char *lock;

	if (!waited_for(control) ||
	    rbs_layout_init(&waiter.layout, waiter_entries, CW_COUNT,
			    &control->probe->context->dump->types, NULL, NULL) != RBS_OK)
		return;
	waiter.task = owner_find(&waiter, &lock);
	if (waiter.task)
		task_show(&waiter, lock);
	rbs_layout_deinit(&waiter.layout);
}
