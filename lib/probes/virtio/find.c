/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The devices on the virtio bus: drivers/base/bus.c's list of them. Where a page of it is missing,
 * the list is followed from its other end too, and drivers/base/core.c's list of all devices, which
 * runs through other objects (devices_kset, since 2.6.30).
 */
#include <stdlib.h>

#include "lib/probes/virtio/virtio.h"
#include "lib/walk.h"

#define BUS_LIMIT 4096
#define ALL_DEVICES_LIMIT 1000000

struct finder {
	struct virtio_probe *probe;
	uint64_t bus;	 /* struct bus_type */
	uint64_t *found; /* struct virtio_device, each once; owned */
	size_t count;
	struct rbs_error error; /* why the first list broke off; RBS_OK while none has */
};

static enum rbs_code subsys_find(struct virtio_probe *probe, uint64_t bus, uint64_t *subsys,
				 struct rbs_error *err)
{
	const struct rbs_layout *layout = &probe->device_layout;
	struct rbs_list_walk walk;
	uint64_t kset, entry;
	enum rbs_code code;

	/* Until "driver core: remove private pointer from struct bus_type" (6.3) the bus knew it.
	 */
	if (rbs_layout_has(layout, VD_BUS_PRIVATE))
		return rbs_layout_require(layout, VD_BUS_PRIVATE, probe->target, bus, subsys, err);
	if (!rbs_layout_has(layout, VD_SUBSYS_BUS) || !rbs_layout_has(layout, VD_KSET_LIST) ||
	    !rbs_layout_has(layout, VD_KOBJECT_ENTRY) || !rbs_layout_has(layout, VD_SUBSYS_KOBJECT))
		return rbs_error_set(err, RBS_NO_MEMBER,
				     "neither bus_type.p nor subsys_private.bus is known");
	code = rbs_symbols_find(&probe->context->dump->symbols, NULL, "bus_kset", &kset, err);
	if (code == RBS_OK)
		code = rbs_target_read_pointer(probe->target, kset, &kset, err);
	if (code != RBS_OK)
		return code;
	rbs_list_walk_init(&walk, probe->target, kset + rbs_layout_offset(layout, VD_KSET_LIST),
			   BUS_LIMIT);
	while (rbs_list_walk_next(&walk, &entry)) {
		uint64_t candidate = entry - rbs_layout_offset(layout, VD_KOBJECT_ENTRY) -
				     rbs_layout_offset(layout, VD_SUBSYS_KOBJECT);
		struct rbs_value owner =
			rbs_layout_read(layout, VD_SUBSYS_BUS, probe->target, candidate);

		if (rbs_value_ok(&owner) && owner.number == bus) {
			*subsys = candidate;
			return RBS_OK;
		}
	}
	if (walk.code != RBS_OK) {
		*err = walk.error;
		return walk.code;
	}
	return rbs_error_set(err, RBS_CORRUPT, "the virtio bus is not among the kernel's buses");
}

static void error_keep(struct finder *finder, const struct rbs_error *error)
{
	if (finder->error.code == RBS_OK)
		finder->error = *error;
}

static void device_take(struct finder *finder, uint64_t address)
{
	uint64_t *found;

	for (size_t i = 0; i < finder->count; i++) {
		if (finder->found[i] == address)
			return;
	}
	if (finder->count == VIRTIO_DEVICE_LIMIT)
		return;
	found = reallocarray(finder->found, finder->count + 1, sizeof(*found));
	if (!found) {
		finder->probe->context->section->node->report->code = RBS_NOMEM;
		return;
	}
	finder->found = found;
	found[finder->count++] = address;
	virtio_device_read(finder->probe, address);
}

static void bus_entry_take(struct finder *finder, uint64_t node)
{
	const struct rbs_layout *layout = &finder->probe->device_layout;
	uint64_t private = node - rbs_layout_offset(layout, VD_KNODE);
	struct rbs_error error;
	uint64_t device;

	if (rbs_layout_require(layout, VD_KNODE_DEVICE, finder->probe->target, private, &device,
			       &error) == RBS_OK)
		device_take(finder, device - rbs_layout_offset(layout, VD_DEV));
	else
		error_keep(finder, &error);
}

static void any_entry_take(struct finder *finder, uint64_t node)
{
	const struct rbs_layout *layout = &finder->probe->device_layout;
	uint64_t device = node - rbs_layout_offset(layout, VD_KOBJECT_ENTRY) -
			  rbs_layout_offset(layout, VD_DEVICE_KOBJECT);
	struct rbs_value bus =
		rbs_layout_read(layout, VD_DEVICE_BUS, finder->probe->target, device);

	if (rbs_value_ok(&bus) && bus.number == finder->bus)
		device_take(finder, device - rbs_layout_offset(layout, VD_DEV));
}

/* Forward, and from the other end where that breaks off. */
static void list_follow(struct finder *finder, uint64_t head, size_t limit,
			void (*take)(struct finder *finder, uint64_t node))
{
	struct rbs_list_walk walk;
	uint64_t node;

	rbs_list_walk_init(&walk, finder->probe->target, head, limit);
	while (rbs_list_walk_next(&walk, &node))
		take(finder, node);
	if (walk.code == RBS_OK)
		return;
	error_keep(finder, &walk.error);
	if (walk.code == RBS_INTERRUPTED)
		return;
	rbs_list_walk_init_backward(&walk, finder->probe->target, head, limit);
	while (rbs_list_walk_next(&walk, &node))
		take(finder, node);
}

static void all_devices_follow(struct finder *finder)
{
	const struct rbs_layout *layout = &finder->probe->device_layout;
	uint64_t kset;

	if (!rbs_layout_has(layout, VD_DEVICE_BUS) || !rbs_layout_has(layout, VD_DEVICE_KOBJECT) ||
	    !rbs_layout_has(layout, VD_KOBJECT_ENTRY) || !rbs_layout_has(layout, VD_KSET_LIST))
		return;
	if (rbs_symbols_find(&finder->probe->context->dump->symbols, NULL, "devices_kset", &kset,
			     NULL) != RBS_OK ||
	    rbs_target_read_pointer(finder->probe->target, kset, &kset, NULL) != RBS_OK)
		return;
	list_follow(finder, kset + rbs_layout_offset(layout, VD_KSET_LIST), ALL_DEVICES_LIMIT,
		    any_entry_take);
}

static void bus_follow(struct finder *finder)
{
	const struct rbs_layout *layout = &finder->probe->device_layout;
	struct rbs_error error;
	uint64_t subsys;

	if (subsys_find(finder->probe, finder->bus, &subsys, &error) == RBS_OK)
		list_follow(finder, subsys + rbs_layout_offset(layout, VD_SUBSYS_DEVICES),
			    VIRTIO_DEVICE_LIMIT, bus_entry_take);
	else
		error_keep(finder, &error);
	if (finder->error.code != RBS_OK && finder->error.code != RBS_INTERRUPTED)
		all_devices_follow(finder);
}

enum rbs_code virtio_bus_walk(struct virtio_probe *probe, struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	struct finder finder = {.probe = probe};
	enum rbs_code code = rbs_symbols_find_either(&probe->context->dump->symbols, "virtio",
						     "virtio_bus", &finder.bus, err);

	if (code != RBS_OK)
		return code;
	bus_follow(&finder);
	free(finder.found);
	if (finder.error.code == RBS_OK)
		return RBS_OK;
	if (!section->child_count)
		return rbs_error_give(err, &finder.error);
	rbs_error_prefix(&finder.error, "devices may be missing");
	rbs_report_add_problem(section->report, section, &finder.error);
	return RBS_OK;
}
