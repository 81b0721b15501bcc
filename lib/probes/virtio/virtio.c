/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/virtio/virtio.h"

#include "lib/bytes.h"

static const struct rbs_layout_entry device_entries[VD_COUNT] = {
	[VD_BUS_PRIVATE] = {"bus_type:p", RBS_OPTIONAL},
	[VD_SUBSYS_DEVICES] = {"subsys_private:klist_devices.k_list"},
	[VD_SUBSYS_KOBJECT] = {"subsys_private:subsys.kobj", RBS_OPTIONAL},
	[VD_SUBSYS_BUS] = {"subsys_private:bus", RBS_OPTIONAL},
	[VD_KSET_LIST] = {"kset:list", RBS_OPTIONAL},
	[VD_KOBJECT_ENTRY] = {"kobject:entry", RBS_OPTIONAL},
	[VD_KNODE] = {"device_private:knode_bus.n_node"},
	[VD_KNODE_DEVICE] = {"device_private:device"},
	[VD_DEVICE_NAME] = {"device:kobj.name"},
	[VD_DEVICE_KOBJECT] = {"device:kobj", RBS_OPTIONAL},
	[VD_DEVICE_BUS] = {"device:bus", RBS_OPTIONAL},
	[VD_DEVICE_PARENT] = {"device:parent", RBS_OPTIONAL},
	[VD_DEVICE_DRIVER] = {"device:driver", RBS_OPTIONAL},
	[VD_DRIVER_NAME] = {"device_driver:name", RBS_OPTIONAL},
	[VD_DEV] = {"virtio_device:dev"},
	[VD_ID] = {"virtio_device:id.device", RBS_OPTIONAL},
	[VD_FEATURES] = {"virtio_device:features", RBS_OPTIONAL},
	[VD_FAILED] = {"virtio_device:failed", RBS_OPTIONAL},
	[VD_VQS] = {"virtio_device:vqs"},
	[VD_PRIV] = {"virtio_device:priv", RBS_OPTIONAL},
};

static const struct rbs_layout_entry queue_entries[VQ_COUNT] = {
	[VQ_VQ] = {"vring_virtqueue:vq"},
	[VQ_LIST] = {"virtqueue:list"},
	[VQ_NAME] = {"virtqueue:name", RBS_OPTIONAL},
	[VQ_INDEX] = {"virtqueue:index", RBS_OPTIONAL},
	[VQ_NUM_FREE] = {"virtqueue:num_free|vring_virtqueue:num_free", RBS_OPTIONAL},
	[VQ_PACKED_RING] = {"vring_virtqueue:packed_ring", RBS_OPTIONAL},
	[VQ_LAYOUT] = {"vring_virtqueue:layout", RBS_OPTIONAL},
	[VQ_LAYOUT_PACKED] = {"vq_layout:VQ_LAYOUT_PACKED|:VQ_LAYOUT_PACKED|vq_layout:PACKED",
			      RBS_ENUMERATOR | RBS_OPTIONAL},
	[VQ_LAYOUT_SPLIT_IN_ORDER] =
		{"vq_layout:VQ_LAYOUT_SPLIT_IN_ORDER|:VQ_LAYOUT_SPLIT_IN_ORDER|"
		 "vq_layout:SPLIT_IN_ORDER",
		 RBS_ENUMERATOR | RBS_OPTIONAL},
	[VQ_LAYOUT_PACKED_IN_ORDER] =
		{"vq_layout:VQ_LAYOUT_PACKED_IN_ORDER|:VQ_LAYOUT_PACKED_IN_ORDER|"
		 "vq_layout:PACKED_IN_ORDER",
		 RBS_ENUMERATOR | RBS_OPTIONAL},
	[VQ_BROKEN] = {"vring_virtqueue:broken", RBS_OPTIONAL},
	[VQ_INDIRECT] = {"vring_virtqueue:indirect", RBS_OPTIONAL},
	[VQ_EVENT] = {"vring_virtqueue:event", RBS_OPTIONAL},
	[VQ_EVENT_TRIGGERED] = {"vring_virtqueue:event_triggered", RBS_OPTIONAL},
	[VQ_NUM_ADDED] = {"vring_virtqueue:num_added", RBS_OPTIONAL},
	[VQ_LAST_USED] = {"vring_virtqueue:last_used_idx", RBS_OPTIONAL},
	[VQ_LAST_USED_IN_ORDER] = {"vring_virtqueue:last_used", RBS_OPTIONAL},
	[VQ_BATCH_LAST_ID] = {"vring_virtqueue:batch_last.id", RBS_OPTIONAL},
	[VQ_BATCH_LAST_LEN] = {"vring_virtqueue:batch_last.len", RBS_OPTIONAL},
	[VQ_USE_MAP] = {"vring_virtqueue:use_map_api|vring_virtqueue:use_dma_api", RBS_OPTIONAL},
	[VQ_SPLIT_NUM] = {"vring_virtqueue:split.vring.num|vring_virtqueue:vring.num",
			  RBS_OPTIONAL},
	[VQ_SPLIT_DESC] = {"vring_virtqueue:split.vring.desc|vring_virtqueue:vring.desc",
			   RBS_OPTIONAL},
	[VQ_SPLIT_AVAIL] = {"vring_virtqueue:split.vring.avail|vring_virtqueue:vring.avail",
			    RBS_OPTIONAL},
	[VQ_SPLIT_USED] = {"vring_virtqueue:split.vring.used|vring_virtqueue:vring.used",
			   RBS_OPTIONAL},
	[VQ_SPLIT_AVAIL_SHADOW] =
		{"vring_virtqueue:split.avail_idx_shadow|vring_virtqueue:avail_idx_shadow",
		 RBS_OPTIONAL},
	[VQ_SPLIT_FLAGS_SHADOW] =
		{"vring_virtqueue:split.avail_flags_shadow|vring_virtqueue:avail_flags_shadow",
		 RBS_OPTIONAL},
	[VQ_SPLIT_STATE] = {"vring_virtqueue:split.desc_state|vring_virtqueue:desc_state",
			    RBS_OPTIONAL},
	[VQ_SPLIT_DMA] = {"vring_virtqueue:split.queue_dma_addr|vring_virtqueue:queue_dma_addr",
			  RBS_OPTIONAL},
	[VQ_PACKED_NUM] = {"vring_virtqueue:packed.vring.num", RBS_OPTIONAL},
	[VQ_PACKED_DESC] = {"vring_virtqueue:packed.vring.desc", RBS_OPTIONAL},
	[VQ_PACKED_DRIVER] = {"vring_virtqueue:packed.vring.driver", RBS_OPTIONAL},
	[VQ_PACKED_DEVICE] = {"vring_virtqueue:packed.vring.device", RBS_OPTIONAL},
	[VQ_PACKED_AVAIL_WRAP] = {"vring_virtqueue:packed.avail_wrap_counter", RBS_OPTIONAL},
	[VQ_PACKED_USED_WRAP] = {"vring_virtqueue:packed.used_wrap_counter", RBS_OPTIONAL},
	[VQ_PACKED_NEXT_AVAIL] = {"vring_virtqueue:packed.next_avail_idx", RBS_OPTIONAL},
	[VQ_PACKED_EVENT_FLAGS_SHADOW] = {"vring_virtqueue:packed.event_flags_shadow",
					  RBS_OPTIONAL},
	[VQ_PACKED_STATE] = {"vring_virtqueue:packed.desc_state", RBS_OPTIONAL},
	[VQ_PACKED_DMA] = {"vring_virtqueue:packed.ring_dma_addr", RBS_OPTIONAL},
	[VQ_PACKED_DRIVER_DMA] = {"vring_virtqueue:packed.driver_event_dma_addr", RBS_OPTIONAL},
	[VQ_PACKED_DEVICE_DMA] = {"vring_virtqueue:packed.device_event_dma_addr", RBS_OPTIONAL},
	[VQ_STATE_SPLIT_SIZE] = {"vring_desc_state_split|vring_desc_state",
				 RBS_SIZE | RBS_OPTIONAL},
	[VQ_STATE_SPLIT_DATA] = {"vring_desc_state_split:data|vring_desc_state:data", RBS_OPTIONAL},
	[VQ_STATE_SPLIT_INDIRECT] =
		{"vring_desc_state_split:indir_desc|vring_desc_state:indir_desc", RBS_OPTIONAL},
	[VQ_STATE_PACKED_SIZE] = {"vring_desc_state_packed", RBS_SIZE | RBS_OPTIONAL},
	[VQ_STATE_PACKED_DATA] = {"vring_desc_state_packed:data", RBS_OPTIONAL},
	[VQ_STATE_PACKED_INDIRECT] = {"vring_desc_state_packed:indir_desc", RBS_OPTIONAL},
	[VQ_STATE_PACKED_NUM] = {"vring_desc_state_packed:num", RBS_OPTIONAL},
};

uint64_t virtio_ring_get(struct virtio_probe *probe, const struct virtio_device *device,
			 const void *bytes, size_t size)
{
	return device->little_endian ? rbs_bytes_little(bytes, size)
				     : rbs_target_get_uint(probe->target, bytes, size);
}

struct rbs_value virtio_ring_read(struct virtio_probe *probe, const struct virtio_device *device,
				  uint64_t address, size_t size)
{
	struct rbs_value value = {.address = address};
	uint8_t bytes[8];

	/* Without the features nobody knows the byte order: do not guess. */
	if (device->features_code != RBS_OK)
		return rbs_value_absent(device->features_code);
	value.code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, address, bytes, size, NULL);
	if (value.code == RBS_OK)
		value.number = virtio_ring_get(probe, device, bytes, size);
	return value;
}

static enum rbs_code bus_read(struct virtio_probe *probe, struct rbs_error *err)
{
	struct rbs_node *section = probe->context->section->node;
	size_t problems = section->report->problem_count;
	enum rbs_code code = virtio_bus_walk(probe, err);

	if (code == RBS_OK && section->report->problem_count == problems)
		return code;
	if (virtio_net_devices_find(probe) && code != RBS_OK) {
		rbs_report_add_problem(section->report, section, err);
		return RBS_OK;
	}
	return code;
}

static enum rbs_code virtio_run(struct rbs_probe_context *context, bool *absent,
				struct rbs_error *err)
{
	struct virtio_probe probe = {.context = context, .target = context->dump->target};
	struct rbs_types *types = &context->dump->types;
	enum rbs_code code;
	uint64_t bus;

	code = rbs_symbols_find_either(&context->dump->symbols, "virtio", "virtio_bus", &bus, err);
	if (code == RBS_NO_SYMBOL) {
		*absent = true;
		return rbs_error_set(
			err, code,
			"no virtio bus: neither the kernel nor a loaded module has the "
			"symbol virtio_bus");
	}
	if (code == RBS_OK)
		code = rbs_layout_init(&probe.device_layout, device_entries, VD_COUNT, types,
				       "virtio", err);
	if (code == RBS_OK)
		code = rbs_layout_init(&probe.queue_layout, queue_entries, VQ_COUNT, types,
				       "virtio_ring", err);
	if (code == RBS_OK) {
		context->section->types = probe.queue_layout.answered;
		code = bus_read(&probe, err);
	}
	rbs_layout_deinit(&probe.net_layout);
	rbs_layout_deinit(&probe.block_layout);
	rbs_layout_deinit(&probe.control_layout);
	rbs_layout_deinit(&probe.queue_layout);
	rbs_layout_deinit(&probe.device_layout);
	return code;
}

const struct rbs_probe rbs_virtio_probe = {.family = &virtio_family, .run = virtio_run};
