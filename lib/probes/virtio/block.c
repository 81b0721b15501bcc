/* SPDX-License-Identifier: GPL-3.0-or-later */
/* virtio_blk: the disk's name (drivers/block/virtio_blk.c: virtio_blk, virtblk_req). */
#include "lib/probes/virtio/virtio.h"

static const struct rbs_layout_entry block_entries[VB_COUNT] = {
	[VB_DISK] = {"virtio_blk:disk"},
	[VB_DISK_NAME] = {"gendisk:disk_name"},
	[VB_REQ_TYPE] = {"virtblk_req:out_hdr.type", RBS_OPTIONAL},
	[VB_REQ_SECTOR] = {"virtblk_req:out_hdr.sector", RBS_OPTIONAL},
};

const struct rbs_layout *virtio_block_layout(struct virtio_probe *probe)
{
	return rbs_layout_once(&probe->block_layout, block_entries, VB_COUNT, probe->context,
			       "virtio_blk");
}

void virtio_block_read(struct virtio_probe *probe, struct virtio_device *device)
{
	const struct rbs_layout *layout = device->private ? virtio_block_layout(probe) : NULL;
	struct rbs_value disk;
	char name[32];

	if (!layout)
		return;
	disk = rbs_layout_read(layout, VB_DISK, probe->target, device->private);
	if (rbs_value_ok(&disk))
		disk.code = rbs_target_read_string(
			probe->target, disk.number + rbs_layout_offset(layout, VB_DISK_NAME), name,
			sizeof(name), NULL);
	if (rbs_value_ok(&disk))
		rbs_node_set_text(device->node, virtio_desc(VIRTIO_D_DISK), name);
	else
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_DISK), disk.code);
}
