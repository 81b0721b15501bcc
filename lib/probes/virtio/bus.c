/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One device of the virtio bus: what it is, and what it has. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/probes/virtio/virtio.h"

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
	else if (!rbs_value_ok(&parent))
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_BUS_ADDRESS), parent.code);
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

void virtio_device_read(struct virtio_probe *probe, uint64_t address)
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
		rbs_error_prefix(&error, "the name of device %" PRIx64, address);
		rbs_report_add_problem(section->report, section, &error);
	}
	if (!device.node)
		return;
	device.private = rbs_value_or(&private, 0);
	if (!rbs_value_ok(&private) && private.code != RBS_NO_MEMBER) {
		rbs_error_set_at(&error, private.code, private.address,
				 "what the driver knows of the device: %s",
				 rbs_code_text(private.code));
		rbs_report_add_problem(section->report, device.node, &error);
	}
	identity_read(probe, &device);
	features_read(probe, &device);
	virtio_queues_read(probe, &device);
	if (device.type == VIRTIO_ID_NET)
		virtio_net_read(probe, &device);
	else if (device.type == VIRTIO_ID_BLOCK)
		virtio_block_read(probe, &device);
	free(device.queues);
}
