/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/virtio/ring_format.h"

void virtio_descriptor_decode(struct virtio_probe *probe, const struct virtio_device *device,
			      bool packed, const uint8_t *bytes,
			      struct virtio_descriptor *descriptor)
{
	descriptor->address = virtio_ring_get(probe, device, bytes, 8);
	descriptor->length = (uint32_t)virtio_ring_get(probe, device, bytes + DESC_LEN, 4);
	descriptor->flags = (uint16_t)virtio_ring_get(
		probe, device, bytes + (packed ? PACKED_FLAGS : SPLIT_FLAGS), 2);
	descriptor->link = (uint16_t)virtio_ring_get(probe, device,
						     bytes + (packed ? PACKED_ID : SPLIT_NEXT), 2);
}

enum rbs_code virtio_descriptor_read(struct virtio_probe *probe, const struct virtio_device *device,
				     bool packed, uint64_t table, uint32_t index,
				     struct virtio_descriptor *descriptor)
{
	uint8_t bytes[DESC_SIZE];
	enum rbs_code code =
		rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL,
				table + (uint64_t)index * DESC_SIZE, bytes, sizeof(bytes), NULL);

	if (code == RBS_OK)
		virtio_descriptor_decode(probe, device, packed, bytes, descriptor);
	return code;
}

bool virtio_descriptor_returned(const struct virtio_descriptor *descriptor, bool wrap)
{
	return !!(descriptor->flags & PACKED_F_AVAIL) == wrap &&
	       !!(descriptor->flags & PACKED_F_USED) == wrap;
}
