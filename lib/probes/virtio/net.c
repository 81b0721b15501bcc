/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virtio_net: the interface's name and the counters that 'ethtool -S' prints for each queue
 * (drivers/net/virtio_net.c: virtnet_sq_stats, virtnet_rq_stats; per queue since 4.19).
 */
#include "lib/probes/virtio/control.h"

#define QUEUE_PAIR_LIMIT 32768 /* spec 5.1.2: at most 0x8000 pairs */

static const struct rbs_layout_entry entries[VN_COUNT] = {
	[VN_DEV] = {"virtnet_info:dev"},
	[VN_NETDEV_NAME] = {"net_device:name"},
	[VN_SQ] = {"virtnet_info:sq", RBS_OPTIONAL},
	[VN_RQ] = {"virtnet_info:rq", RBS_OPTIONAL},
	[VN_MAX_PAIRS] = {"virtnet_info:max_queue_pairs", RBS_OPTIONAL},
	[VN_SQ_SIZE] = {"send_queue", RBS_SIZE | RBS_OPTIONAL},
	[VN_SQ_VQ] = {"send_queue:vq", RBS_OPTIONAL},
	[VN_SQ_STATS] = {"send_queue:stats", RBS_OPTIONAL},
	[VN_RQ_SIZE] = {"receive_queue", RBS_SIZE | RBS_OPTIONAL},
	[VN_RQ_VQ] = {"receive_queue:vq", RBS_OPTIONAL},
	[VN_RQ_STATS] = {"receive_queue:stats", RBS_OPTIONAL},
	[VN_SQ_PACKETS] = {"send_queue:stats.packets", RBS_OPTIONAL},
	[VN_SQ_BYTES] = {"send_queue:stats.bytes", RBS_OPTIONAL},
	[VN_SQ_XDP_TX] = {"send_queue:stats.xdp_tx", RBS_OPTIONAL},
	[VN_SQ_XDP_TX_DROPS] = {"send_queue:stats.xdp_tx_drops", RBS_OPTIONAL},
	[VN_SQ_KICKS] = {"send_queue:stats.kicks", RBS_OPTIONAL},
	[VN_SQ_TX_TIMEOUTS] = {"send_queue:stats.tx_timeouts", RBS_OPTIONAL},
	[VN_SQ_STOP] = {"send_queue:stats.stop", RBS_OPTIONAL},
	[VN_SQ_WAKE] = {"send_queue:stats.wake", RBS_OPTIONAL},
	[VN_RQ_PACKETS] = {"receive_queue:stats.packets", RBS_OPTIONAL},
	[VN_RQ_BYTES] = {"receive_queue:stats.bytes", RBS_OPTIONAL},
	[VN_RQ_DROPS] = {"receive_queue:stats.drops", RBS_OPTIONAL},
	[VN_RQ_XDP_PACKETS] = {"receive_queue:stats.xdp_packets", RBS_OPTIONAL},
	[VN_RQ_XDP_TX] = {"receive_queue:stats.xdp_tx", RBS_OPTIONAL},
	[VN_RQ_XDP_REDIRECTS] = {"receive_queue:stats.xdp_redirects", RBS_OPTIONAL},
	[VN_RQ_XDP_DROPS] = {"receive_queue:stats.xdp_drops", RBS_OPTIONAL},
	[VN_RQ_KICKS] = {"receive_queue:stats.kicks", RBS_OPTIONAL},
};

struct counter {
	unsigned member;
	unsigned desc;
};

static const struct counter send_counters[] = {
	{VN_SQ_PACKETS, VIRTIO_D_PACKETS},
	{VN_SQ_BYTES, VIRTIO_D_BYTES},
	{VN_SQ_KICKS, VIRTIO_D_KICKS},
	{VN_SQ_XDP_TX, VIRTIO_D_XDP_TX},
	{VN_SQ_XDP_TX_DROPS, VIRTIO_D_XDP_TX_DROPS},
	{VN_SQ_TX_TIMEOUTS, VIRTIO_D_TX_TIMEOUTS},
	{VN_SQ_STOP, VIRTIO_D_STOP},
	{VN_SQ_WAKE, VIRTIO_D_WAKE},
};

static const struct counter receive_counters[] = {
	{VN_RQ_PACKETS, VIRTIO_D_PACKETS},
	{VN_RQ_BYTES, VIRTIO_D_BYTES},
	{VN_RQ_KICKS, VIRTIO_D_KICKS},
	{VN_RQ_DROPS, VIRTIO_D_DROPS},
	{VN_RQ_XDP_PACKETS, VIRTIO_D_XDP_PACKETS},
	{VN_RQ_XDP_TX, VIRTIO_D_XDP_TX},
	{VN_RQ_XDP_REDIRECTS, VIRTIO_D_XDP_REDIRECTS},
	{VN_RQ_XDP_DROPS, VIRTIO_D_XDP_DROPS},
};

struct queue_kind {
	unsigned array, size, vq;
	const struct counter *counters;
	size_t counter_count;
};

static const struct queue_kind queue_kinds[] = {
	{VN_RQ, VN_RQ_SIZE, VN_RQ_VQ, receive_counters,
	 sizeof(receive_counters) / sizeof(receive_counters[0])},
	{VN_SQ, VN_SQ_SIZE, VN_SQ_VQ, send_counters,
	 sizeof(send_counters) / sizeof(send_counters[0])},
};

const struct rbs_layout *virtio_net_layout(struct virtio_probe *probe)
{
	return rbs_layout_once(&probe->net_layout, entries, VN_COUNT, probe->context, "virtio_net");
}

/* Once for each device: sums over its queues cannot be had either. */
static void counters_lost(struct virtio_device *device, const struct rbs_value *value,
			  const char *what)
{
	struct rbs_error error;

	if (value->code == RBS_NO_MEMBER || value->code == RBS_NO_TYPES ||
	    device->counters_code != RBS_OK)
		return;
	device->counters_code = value->code;
	rbs_error_set_at(&error, value->code, value->address, "the driver's counters of %s: %s",
			 what, rbs_code_text(value->code));
	rbs_report_add_problem(device->node->report, device->node, &error);
}

static void queue_counters_read(struct virtio_probe *probe, const struct rbs_layout *layout,
				struct virtio_device *device, const struct queue_kind *kind,
				uint64_t queue)
{
	struct rbs_value vq = rbs_layout_read(layout, kind->vq, probe->target, queue);
	struct rbs_node *node;

	if (!rbs_value_ok(&vq))
		counters_lost(device, &vq, "a queue");
	if (!rbs_value_ok(&vq) || !vq.number)
		return;
	node = virtio_queue_find(device, vq.number);
	for (size_t i = 0; node && i < kind->counter_count; i++) {
		const struct counter *counter = &kind->counters[i];

		if (rbs_layout_has(layout, counter->member))
			rbs_node_set(
				node, virtio_desc(counter->desc),
				rbs_layout_read(layout, counter->member, probe->target, queue));
	}
}

static void queues_counters_read(struct virtio_probe *probe, const struct rbs_layout *layout,
				 struct virtio_device *device, const struct queue_kind *kind)
{
	struct rbs_value array =
		rbs_layout_read(layout, kind->array, probe->target, device->private);
	struct rbs_value pairs =
		rbs_layout_read(layout, VN_MAX_PAIRS, probe->target, device->private);
	uint64_t size = rbs_layout_size(layout, kind->size);
	uint64_t count = rbs_value_or(&pairs, 0);

	if (!rbs_value_ok(&array))
		counters_lost(device, &array, "the queues");
	if (!rbs_value_ok(&pairs))
		counters_lost(device, &pairs, "the queues");
	if (!rbs_value_ok(&array) || !array.number || !size)
		return;
	if (count > QUEUE_PAIR_LIMIT) {
		struct rbs_error error;

		rbs_error_set_at(&error, RBS_CORRUPT, pairs.address,
				 "%llu queue pairs cannot be: no driver counters",
				 (unsigned long long)count);
		rbs_report_add_problem(device->node->report, device->node, &error);
		return;
	}
	for (uint64_t i = 0; i < count && i < device->queue_count; i++)
		queue_counters_read(probe, layout, device, kind, array.number + i * size);
}

/*
 * The control queue was read before: where it says nothing there is nothing, unless the device has
 * such statistics and the queue could not be read.
 */
static void stats_show_none(struct virtio_probe *probe, struct virtio_device *device)
{
	struct rbs_value features =
		rbs_layout_read(&probe->device_layout, VD_FEATURES, probe->target, device->address);

	if (rbs_node_find(device->node, "device_stats"))
		return;
	if (!rbs_value_ok(&features))
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_STATS), features.code);
	else if (features.number >> VIRTIO_NET_F_DEVICE_STATS & 1)
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_STATS),
				    device->queues_code != RBS_OK ? device->queues_code
								  : RBS_CORRUPT);
	else
		rbs_node_set_text(device->node, virtio_desc(VIRTIO_D_STATS), "none");
}

void virtio_net_read(struct virtio_probe *probe, struct virtio_device *device)
{
	const struct rbs_layout *layout = device->private ? virtio_net_layout(probe) : NULL;
	struct rbs_value netdev;
	uint64_t netdev_at;
	char name[32];

	if (!layout)
		return;
	netdev = rbs_layout_read(layout, VN_DEV, probe->target, device->private);
	netdev_at = rbs_value_or(&netdev, 0);
	if (rbs_value_ok(&netdev))
		netdev.code = rbs_target_read_string(
			probe->target, netdev.number + rbs_layout_offset(layout, VN_NETDEV_NAME),
			name, sizeof(name), NULL);
	if (rbs_value_ok(&netdev))
		rbs_node_set_text(device->node, virtio_desc(VIRTIO_D_NETDEV), name);
	else
		rbs_node_set_absent(device->node, virtio_desc(VIRTIO_D_NETDEV), netdev.code);
	stats_show_none(probe, device);
	for (size_t i = 0; i < sizeof(queue_kinds) / sizeof(queue_kinds[0]); i++)
		queues_counters_read(probe, layout, device, &queue_kinds[i]);
	if (netdev_at)
		virtio_net_totals_show(probe, device, netdev_at);
}
