/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storvsc: the SCSI host behind a storage channel, its disks and what is outstanding
 * (drivers/scsi/storvsc_drv.c: struct storvsc_device; include/scsi/scsi_host.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/probes/vmbus/vmbus.h"
#include "lib/walk.h"

#define DISK_LIMIT 64 /* named in one device's line */

enum {
	SV_DEVICE,
	SV_OUTSTANDING,
	SV_HOST,
	SV_HOST_NUMBER,
	SV_HOST_DEVICES,
	SV_SDEV_SIBLINGS,
	SV_SDEV_QUEUE,
	SV_QUEUE_DISK,
	SV_DISK_NAME,
	SV_COUNT,
};

static const struct rbs_layout_entry entries[SV_COUNT] = {
	[SV_DEVICE] = {"storvsc_device:device"},
	[SV_OUTSTANDING] = {"storvsc_device:num_outstanding_req", RBS_OPTIONAL},
	[SV_HOST] = {"storvsc_device:host"},
	[SV_HOST_NUMBER] = {"Scsi_Host:host_no", RBS_OPTIONAL},
	[SV_HOST_DEVICES] = {"Scsi_Host:__devices", RBS_OPTIONAL},
	[SV_SDEV_SIBLINGS] = {"scsi_device:siblings", RBS_OPTIONAL},
	[SV_SDEV_QUEUE] = {"scsi_device:request_queue", RBS_OPTIONAL},
	/* Since 5.16 ("block: add a gendisk pointer to the request queue"). */
	[SV_QUEUE_DISK] = {"request_queue:disk", RBS_OPTIONAL},
	[SV_DISK_NAME] = {"gendisk:disk_name", RBS_OPTIONAL},
};

/* Empty where the queue has no disk. */
static enum rbs_code disk_name_read(struct vmbus_probe *probe, uint64_t sdev, char *name,
				    size_t size)
{
	const struct rbs_layout *layout = &probe->storage_layout;
	struct rbs_value queue = rbs_layout_read(layout, SV_SDEV_QUEUE, probe->target, sdev);
	struct rbs_value disk = queue;

	name[0] = '\0';
	if (rbs_value_ok(&queue) && queue.number)
		disk = rbs_layout_read(layout, SV_QUEUE_DISK, probe->target, queue.number);
	if (disk.code == RBS_NO_MEMBER || disk.code == RBS_NO_TYPES ||
	    !rbs_layout_has(layout, SV_DISK_NAME))
		return RBS_OK;
	if (!rbs_value_ok(&disk) || !disk.number)
		return disk.code;
	return rbs_target_read_string(probe->target,
				      disk.number + rbs_layout_offset(layout, SV_DISK_NAME), name,
				      size, NULL);
}

static void disks_show(struct vmbus_probe *probe, uint64_t host, struct rbs_node *node)
{
	const struct rbs_layout *layout = &probe->storage_layout;
	struct rbs_list_walk walk;
	char names[512] = "";
	enum rbs_code code = RBS_OK;
	size_t used = 0;
	uint64_t entry;

	if (!rbs_layout_has(layout, SV_HOST_DEVICES) || !rbs_layout_has(layout, SV_SDEV_SIBLINGS))
		return;
	rbs_list_walk_init(&walk, probe->target, host + rbs_layout_offset(layout, SV_HOST_DEVICES),
			   DISK_LIMIT);
	while (rbs_list_walk_next(&walk, &entry) && used < sizeof(names) - 40) {
		char name[32];
		enum rbs_code one =
			disk_name_read(probe, entry - rbs_layout_offset(layout, SV_SDEV_SIBLINGS),
				       name, sizeof(name));

		if (one != RBS_OK)
			code = one;
		else if (*name)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? "," : "", name);
	}
	if (walk.code != RBS_OK)
		code = walk.code;
	if (code != RBS_OK)
		rbs_node_set_absent(node, vmbus_desc(VMBUS_D_DISK), code);
	else if (*names)
		rbs_node_set_text(node, vmbus_desc(VMBUS_D_DISK), names);
}

void vmbus_storvsc_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	const struct rbs_layout *layout;
	struct rbs_value back, host, number;
	char name[32];

	if (device->class != VMBUS_CLASS_STORAGE || !device->driver_data)
		return;
	layout = rbs_layout_once(&probe->storage_layout, entries, SV_COUNT, probe->context,
				 "hv_storvsc");
	if (!layout)
		return;
	back = rbs_layout_read(layout, SV_DEVICE, probe->target, device->driver_data);
	if (!vmbus_has(device->node, &back, "the driver's figures") ||
	    back.number != device->device)
		return;
	rbs_node_set(device->node, vmbus_desc(VMBUS_D_OUTSTANDING),
		     rbs_layout_read(layout, SV_OUTSTANDING, probe->target, device->driver_data));
	host = rbs_layout_read(layout, SV_HOST, probe->target, device->driver_data);
	if (!vmbus_has(device->node, &host, "the SCSI host") || !host.number)
		return;
	number = rbs_layout_read(layout, SV_HOST_NUMBER, probe->target, host.number);
	if (rbs_value_ok(&number)) {
		snprintf(name, sizeof(name), "host%" PRIu64, number.number);
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_HOST), name);
	} else {
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_HOST), number.code);
	}
	disks_show(probe, host.number, device->node);
}
