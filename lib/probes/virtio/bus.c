/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The devices on the virtio bus: drivers/base/bus.c's list of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/probes/virtio/virtio.h"
#include "lib/walk.h"

#define BUS_LIMIT 4096

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

static void name_set(struct virtio_probe *probe, struct virtio_device *device, unsigned desc,
		     unsigned member, uint64_t owner)
{
	struct rbs_value pointer =
		rbs_layout_read(&probe->device_layout, member, probe->target, owner);
	char name[64];

	if (rbs_value_ok(&pointer) && pointer.number) {
		pointer.code = rbs_target_read_string(probe->target, pointer.number, name,
						      sizeof(name), NULL);
		if (rbs_value_ok(&pointer)) {
			rbs_node_set_text(device->node, virtio_desc(desc), name);
			return;
		}
	}
	if (!rbs_value_ok(&pointer))
		rbs_node_set_absent(device->node, virtio_desc(desc), pointer.code);
}

static void identity_read(struct virtio_probe *probe, struct virtio_device *device)
{
	const struct rbs_layout *layout = &probe->device_layout;
	uint64_t dev = device->address + rbs_layout_offset(layout, VD_DEV);
	struct rbs_value type = rbs_layout_read(layout, VD_ID, probe->target, device->address);
	struct rbs_value parent = rbs_layout_read(layout, VD_DEVICE_PARENT, probe->target, dev);
	struct rbs_value driver = rbs_layout_read(layout, VD_DEVICE_DRIVER, probe->target, dev);

	device->type = rbs_value_or(&type, 0);
	if (!rbs_value_ok(&type)) {
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_TYPE), type.code);
	} else if (virtio_type_name(type.number)) {
		rbs_node_set_text(device->node, virtio_desc(VIRTIO_D_TYPE),
				  virtio_type_name(type.number));
	} else {
		char text[24];

		snprintf(text, sizeof(text), "id-%" PRIu64, type.number);
		rbs_node_set_text(device->node, virtio_desc(VIRTIO_D_TYPE), text);
	}
	if (rbs_value_ok(&driver) && driver.number)
		name_set(probe, device, VIRTIO_D_DRIVER, VD_DRIVER_NAME, driver.number);
	else if (!rbs_value_ok(&driver))
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_DRIVER), driver.code);
	if (rbs_value_ok(&parent) && parent.number)
		name_set(probe, device, VIRTIO_D_BUS_ADDRESS, VD_DEVICE_NAME, parent.number);
}

/* Features are u64, and since 6.16 ("virtio: introduce extended features") also an array. */
static void features_read(struct virtio_probe *probe, struct virtio_device *device)
{
	const struct rbs_layout *layout = &probe->device_layout;
	struct rbs_value features =
		rbs_layout_read(layout, VD_FEATURES, probe->target, device->address);

	rbs_node_set(device->node, virtio_desc(VIRTIO_D_FEATURES), features);
	device->features_code = features.code;
	device->little_endian =
		rbs_value_ok(&features) && (features.number >> VIRTIO_F_VERSION_1 & 1);
	rbs_node_set(device->node, virtio_desc(VIRTIO_D_FAILED),
		     rbs_layout_read(layout, VD_FAILED, probe->target, device->address));
	rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_STATUS), RBS_NO_MEMBER);
}

static void device_read(struct virtio_probe *probe, uint64_t address)
{
	const struct rbs_layout *layout = &probe->device_layout;
	struct virtio_device device = {.address = address};
	struct rbs_node *section = probe->context->section->node;
	struct rbs_value private = rbs_layout_read(layout, VD_PRIV, probe->target, address);
	uint64_t name_at;
	char name[64] = "";
	struct rbs_error error;
	enum rbs_code code;

	code = rbs_layout_require(layout, VD_DEVICE_NAME, probe->target,
				  address + rbs_layout_offset(layout, VD_DEV), &name_at, &error);
	if (code == RBS_OK)
		code = rbs_target_read_string(probe->target, name_at, name, sizeof(name), &error);
	if (code == RBS_OK && !*name)
		code = rbs_error_set_at(&error, RBS_CORRUPT, name_at, "the name is empty");
	if (code == RBS_OK) {
		device.node = rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", name);
	} else {
		device.node = rbs_node_add(section, RBS_LEVEL_DEVICE, "%" PRIx64, address);
		rbs_error_prefix(&error, "the device's name");
		rbs_report_add_problem(section->report, device.node, &error);
	}
	if (!device.node)
		return;
	device.private = rbs_value_or(&private, 0);
	identity_read(probe, &device);
	features_read(probe, &device);
	virtio_queues_read(probe, &device);
	if (device.type == VIRTIO_ID_NET)
		virtio_net_read(probe, &device);
	else if (device.type == VIRTIO_ID_BLOCK)
		virtio_block_read(probe, &device);
	free(device.queues);
}

enum rbs_code virtio_bus_walk(struct virtio_probe *probe, struct rbs_error *err)
{
	const struct rbs_layout *layout = &probe->device_layout;
	struct rbs_node *section = probe->context->section->node;
	struct rbs_list_walk walk;
	uint64_t bus, subsys, node;
	enum rbs_code code;

	code = rbs_symbols_find_either(&probe->context->dump->symbols, "virtio", "virtio_bus", &bus,
				       err);
	if (code == RBS_OK)
		code = subsys_find(probe, bus, &subsys, err);
	if (code != RBS_OK)
		return code;
	rbs_list_walk_init(&walk, probe->target,
			   subsys + rbs_layout_offset(layout, VD_SUBSYS_DEVICES),
			   VIRTIO_DEVICE_LIMIT);
	while (rbs_list_walk_next(&walk, &node)) {
		uint64_t private = node - rbs_layout_offset(layout, VD_KNODE);
		uint64_t device;
		struct rbs_error error;

		if (rbs_layout_require(layout, VD_KNODE_DEVICE, probe->target, private, &device,
				       &error) != RBS_OK) {
			rbs_report_add_problem(section->report, section, &error);
			continue;
		}
		device_read(probe, device - rbs_layout_offset(layout, VD_DEV));
	}
	if (walk.code != RBS_OK) {
		if (!section->child_count) {
			*err = walk.error;
			return walk.code;
		}
		rbs_report_add_problem(section->report, section, &walk.error);
	}
	return RBS_OK;
}
