/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * netvsc: the interface behind a network channel, its queues and the counters that 'ethtool -S'
 * prints (drivers/net/hyperv/netvsc_drv.c: netvsc_stats, vf_stats; hyperv_net.h).
 */
#include "lib/cpus.h"
#include "lib/probes/vmbus/vmbus.h"

#define CHANNEL_LIMIT 1024 /* VRSS_CHANNEL_MAX is 64 */
#define NETDEV_ALIGN 32	   /* include/linux/netdevice.h: private data follows at this alignment */

enum {
	NV_NETDEV_NAME,
	NV_NETDEV_SIZE,
	NV_NETDEV_PRIV,
	NV_NETDEV_TX,
	NV_NETDEV_TX_COUNT,
	NV_TX_SIZE,
	NV_TX_STATE,
	NV_CTX_DEVICE,
	NV_CTX_NVDEV,
	NV_CTX_VF,
	NV_CTX_VF_STATS,
	NV_CTX_DATA_PATH_VF,
	NV_TX_SCATTERED,
	NV_TX_NO_MEMORY,
	NV_TX_NO_SPACE,
	NV_TX_TOO_BIG,
	NV_TX_BUSY,
	NV_TX_SEND_FULL,
	NV_RX_COMP_BUSY,
	NV_RX_NO_MEMORY,
	NV_STOP_QUEUE,
	NV_WAKE_QUEUE,
	NV_VLAN_ERROR,
	NV_VF_RX_PACKETS,
	NV_VF_RX_BYTES,
	NV_VF_TX_PACKETS,
	NV_VF_TX_BYTES,
	NV_VF_TX_DROPPED,
	NV_DEV_VERSION,
	NV_DEV_DESTROY,
	NV_DEV_TX_DISABLE,
	NV_DEV_CHANNELS,
	NV_DEV_RECV_BUF,
	NV_DEV_RECV_SIZE,
	NV_DEV_SEND_BUF,
	NV_DEV_SEND_SIZE,
	NV_DEV_SEND_SECTION,
	NV_DEV_RECV_COMPLETIONS,
	NV_DEV_TABLE,
	NV_CH_SIZE,
	NV_CH_CHANNEL,
	NV_CH_SENDS,
	NV_CH_NAPI_STATE,
	NV_CH_MRC_FIRST,
	NV_CH_MRC_NEXT,
	NV_CH_TX_PACKETS,
	NV_CH_TX_BYTES,
	NV_CH_TX_XDP_XMIT,
	NV_CH_RX_PACKETS,
	NV_CH_RX_BYTES,
	NV_CH_RX_BROADCAST,
	NV_CH_RX_MULTICAST,
	NV_CH_RX_XDP_DROP,
	NV_CH_RX_XDP_REDIRECT,
	NV_CH_RX_XDP_TX,
	NV_QUEUE_DRV_XOFF,
	NV_COUNT,
};

#define STATS "net_device_context:eth_stats."
#define CHANNEL "netvsc_channel:"

static const struct rbs_layout_entry entries[NV_COUNT] = {
	[NV_NETDEV_NAME] = {"net_device:name"},
	[NV_NETDEV_SIZE] = {"net_device", RBS_SIZE},
	[NV_NETDEV_PRIV] = {"net_device:priv", RBS_OPTIONAL},
	[NV_NETDEV_TX] = {"net_device:_tx", RBS_OPTIONAL},
	[NV_NETDEV_TX_COUNT] = {"net_device:num_tx_queues", RBS_OPTIONAL},
	[NV_TX_SIZE] = {"netdev_queue", RBS_SIZE | RBS_OPTIONAL},
	[NV_TX_STATE] = {"netdev_queue:state", RBS_OPTIONAL},
	[NV_CTX_DEVICE] = {"net_device_context:device_ctx"},
	[NV_CTX_NVDEV] = {"net_device_context:nvdev"},
	[NV_CTX_VF] = {"net_device_context:vf_netdev", RBS_OPTIONAL},
	[NV_CTX_VF_STATS] = {"net_device_context:vf_stats", RBS_OPTIONAL},
	[NV_CTX_DATA_PATH_VF] = {"net_device_context:data_path_is_vf", RBS_OPTIONAL},
	[NV_TX_SCATTERED] = {STATS "tx_scattered", RBS_OPTIONAL},
	[NV_TX_NO_MEMORY] = {STATS "tx_no_memory", RBS_OPTIONAL},
	[NV_TX_NO_SPACE] = {STATS "tx_no_space", RBS_OPTIONAL},
	[NV_TX_TOO_BIG] = {STATS "tx_too_big", RBS_OPTIONAL},
	[NV_TX_BUSY] = {STATS "tx_busy", RBS_OPTIONAL},
	[NV_TX_SEND_FULL] = {STATS "tx_send_full", RBS_OPTIONAL},
	[NV_RX_COMP_BUSY] = {STATS "rx_comp_busy", RBS_OPTIONAL},
	[NV_RX_NO_MEMORY] = {STATS "rx_no_memory", RBS_OPTIONAL},
	[NV_STOP_QUEUE] = {STATS "stop_queue", RBS_OPTIONAL},
	[NV_WAKE_QUEUE] = {STATS "wake_queue", RBS_OPTIONAL},
	[NV_VLAN_ERROR] = {STATS "vlan_error", RBS_OPTIONAL},
	[NV_VF_RX_PACKETS] = {"netvsc_vf_pcpu_stats:rx_packets", RBS_OPTIONAL},
	[NV_VF_RX_BYTES] = {"netvsc_vf_pcpu_stats:rx_bytes", RBS_OPTIONAL},
	[NV_VF_TX_PACKETS] = {"netvsc_vf_pcpu_stats:tx_packets", RBS_OPTIONAL},
	[NV_VF_TX_BYTES] = {"netvsc_vf_pcpu_stats:tx_bytes", RBS_OPTIONAL},
	[NV_VF_TX_DROPPED] = {"netvsc_vf_pcpu_stats:tx_dropped", RBS_OPTIONAL},
	[NV_DEV_VERSION] = {"netvsc_device:nvsp_version", RBS_OPTIONAL},
	[NV_DEV_DESTROY] = {"netvsc_device:destroy", RBS_OPTIONAL},
	[NV_DEV_TX_DISABLE] = {"netvsc_device:tx_disable", RBS_OPTIONAL},
	[NV_DEV_CHANNELS] = {"netvsc_device:num_chn", RBS_OPTIONAL},
	[NV_DEV_RECV_BUF] = {"netvsc_device:recv_buf", RBS_OPTIONAL},
	[NV_DEV_RECV_SIZE] = {"netvsc_device:recv_buf_size", RBS_OPTIONAL},
	[NV_DEV_SEND_BUF] = {"netvsc_device:send_buf", RBS_OPTIONAL},
	[NV_DEV_SEND_SIZE] = {"netvsc_device:send_buf_size", RBS_OPTIONAL},
	[NV_DEV_SEND_SECTION] = {"netvsc_device:send_section_size", RBS_OPTIONAL},
	[NV_DEV_RECV_COMPLETIONS] = {"netvsc_device:recv_completion_cnt", RBS_OPTIONAL},
	[NV_DEV_TABLE] = {"netvsc_device:chan_table"},
	[NV_CH_SIZE] = {"netvsc_channel", RBS_SIZE},
	[NV_CH_CHANNEL] = {CHANNEL "channel"},
	[NV_CH_SENDS] = {CHANNEL "queue_sends", RBS_OPTIONAL},
	[NV_CH_NAPI_STATE] = {CHANNEL "napi.state", RBS_OPTIONAL},
	[NV_CH_MRC_FIRST] = {CHANNEL "mrc.first", RBS_OPTIONAL},
	[NV_CH_MRC_NEXT] = {CHANNEL "mrc.next", RBS_OPTIONAL},
	[NV_CH_TX_PACKETS] = {CHANNEL "tx_stats.packets", RBS_OPTIONAL},
	[NV_CH_TX_BYTES] = {CHANNEL "tx_stats.bytes", RBS_OPTIONAL},
	[NV_CH_TX_XDP_XMIT] = {CHANNEL "tx_stats.xdp_xmit", RBS_OPTIONAL},
	[NV_CH_RX_PACKETS] = {CHANNEL "rx_stats.packets", RBS_OPTIONAL},
	[NV_CH_RX_BYTES] = {CHANNEL "rx_stats.bytes", RBS_OPTIONAL},
	[NV_CH_RX_BROADCAST] = {CHANNEL "rx_stats.broadcast", RBS_OPTIONAL},
	[NV_CH_RX_MULTICAST] = {CHANNEL "rx_stats.multicast", RBS_OPTIONAL},
	[NV_CH_RX_XDP_DROP] = {CHANNEL "rx_stats.xdp_drop", RBS_OPTIONAL},
	[NV_CH_RX_XDP_REDIRECT] = {CHANNEL "rx_stats.xdp_redirect", RBS_OPTIONAL},
	[NV_CH_RX_XDP_TX] = {CHANNEL "rx_stats.xdp_tx", RBS_OPTIONAL},
	[NV_QUEUE_DRV_XOFF] = {"netdev_queue_state_t:__QUEUE_STATE_DRV_XOFF|"
			       ":__QUEUE_STATE_DRV_XOFF",
			       RBS_ENUMERATOR | RBS_OPTIONAL},
};

struct figure {
	unsigned member;
	unsigned desc;
};

static const struct figure device_figures[] = {
	{NV_DEV_VERSION, VMBUS_D_NVSP_VERSION},
	{NV_DEV_DESTROY, VMBUS_D_NET_DESTROY},
	{NV_DEV_TX_DISABLE, VMBUS_D_NET_TX_DISABLE},
	{NV_DEV_CHANNELS, VMBUS_D_NET_CHANNELS},
};

static const struct figure ethtool_figures[] = {
	{NV_TX_SCATTERED, VMBUS_D_TX_SCATTERED}, {NV_TX_NO_MEMORY, VMBUS_D_TX_NO_MEMORY},
	{NV_TX_NO_SPACE, VMBUS_D_TX_NO_SPACE},	 {NV_TX_TOO_BIG, VMBUS_D_TX_TOO_BIG},
	{NV_TX_BUSY, VMBUS_D_TX_BUSY},		 {NV_TX_SEND_FULL, VMBUS_D_TX_SEND_FULL},
	{NV_RX_COMP_BUSY, VMBUS_D_RX_COMP_BUSY}, {NV_RX_NO_MEMORY, VMBUS_D_RX_NO_MEMORY},
	{NV_STOP_QUEUE, VMBUS_D_STOP_QUEUE},	 {NV_WAKE_QUEUE, VMBUS_D_WAKE_QUEUE},
	{NV_VLAN_ERROR, VMBUS_D_VLAN_ERROR},
};

static const struct figure vf_figures[] = {
	{NV_VF_RX_PACKETS, VMBUS_D_VF_RX_PACKETS}, {NV_VF_RX_BYTES, VMBUS_D_VF_RX_BYTES},
	{NV_VF_TX_PACKETS, VMBUS_D_VF_TX_PACKETS}, {NV_VF_TX_BYTES, VMBUS_D_VF_TX_BYTES},
	{NV_VF_TX_DROPPED, VMBUS_D_VF_TX_DROPPED},
};

static const struct figure channel_figures[] = {
	{NV_CH_SENDS, VMBUS_D_QUEUE_SENDS},
	{NV_CH_NAPI_STATE, VMBUS_D_NAPI_STATE},
	{NV_CH_TX_PACKETS, VMBUS_D_TX_PACKETS},
	{NV_CH_TX_BYTES, VMBUS_D_TX_BYTES},
	{NV_CH_TX_XDP_XMIT, VMBUS_D_TX_XDP_XMIT},
	{NV_CH_RX_PACKETS, VMBUS_D_RX_PACKETS},
	{NV_CH_RX_BYTES, VMBUS_D_RX_BYTES},
	{NV_CH_RX_BROADCAST, VMBUS_D_RX_BROADCAST},
	{NV_CH_RX_MULTICAST, VMBUS_D_RX_MULTICAST},
	{NV_CH_RX_XDP_DROP, VMBUS_D_RX_XDP_DROP},
	{NV_CH_RX_XDP_REDIRECT, VMBUS_D_RX_XDP_REDIRECT},
	{NV_CH_RX_XDP_TX, VMBUS_D_RX_XDP_TX},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct rbs_layout *layout_get(struct vmbus_probe *probe)
{
	return rbs_layout_once(&probe->net_layout, entries, NV_COUNT, probe->context, "hv_netvsc");
}

static void figures_show(struct vmbus_probe *probe, const struct figure *figures, size_t count,
			 uint64_t base, struct rbs_node *node)
{
	for (size_t i = 0; i < count; i++) {
		if (rbs_layout_has(&probe->net_layout, figures[i].member))
			rbs_node_set(node, vmbus_desc(figures[i].desc),
				     rbs_layout_read(&probe->net_layout, figures[i].member,
						     probe->target, base));
	}
}

/* netdev_priv(): a member since 6.8 ("net: group struct net_device's private data"), else behind.
 */
static uint64_t context_address(const struct rbs_layout *layout, uint64_t netdev)
{
	if (rbs_layout_has(layout, NV_NETDEV_PRIV))
		return netdev + rbs_layout_offset(layout, NV_NETDEV_PRIV);
	return netdev + (rbs_layout_size(layout, NV_NETDEV_SIZE) + NETDEV_ALIGN - 1) /
				NETDEV_ALIGN * NETDEV_ALIGN;
}

static uint64_t context_find(struct vmbus_probe *probe, struct vmbus_device *device)
{
	const struct rbs_layout *layout = layout_get(probe);
	struct rbs_value back;
	uint64_t context;

	if (!layout)
		device->lost = RBS_NO_TYPES;
	if (!layout || !device->driver_data)
		return 0;
	context = context_address(layout, device->driver_data);
	back = rbs_layout_read(layout, NV_CTX_DEVICE, probe->target, context);
	if (!vmbus_has(device->node, &back, "the driver's figures"))
		device->lost = back.code;
	return rbs_value_ok(&back) && back.number == device->device ? context : 0;
}

void vmbus_netvsc_find(struct vmbus_probe *probe, struct vmbus_device *device)
{
	struct rbs_value nvdev;

	if (device->class != VMBUS_CLASS_NET || !device->device)
		return;
	device->net_context = context_find(probe, device);
	if (!device->net_context)
		return;
	nvdev = rbs_layout_read(&probe->net_layout, NV_CTX_NVDEV, probe->target,
				device->net_context);
	device->net = rbs_value_or(&nvdev, 0);
	if (!vmbus_has(device->node, &nvdev, "the driver's figures of queues"))
		device->lost = nvdev.code;
}

struct rbs_value vmbus_netvsc_buffer(struct vmbus_probe *probe, const struct vmbus_device *device,
				     bool receive, uint64_t *size)
{
	struct rbs_value address, length;

	*size = 0;
	if (!device->net)
		return rbs_value_absent(device->lost == RBS_OK ? RBS_NO_MEMBER : device->lost);
	address = rbs_layout_read(&probe->net_layout, receive ? NV_DEV_RECV_BUF : NV_DEV_SEND_BUF,
				  probe->target, device->net);
	length = rbs_layout_read(&probe->net_layout, receive ? NV_DEV_RECV_SIZE : NV_DEV_SEND_SIZE,
				 probe->target, device->net);
	*size = rbs_value_or(&length, 0);
	return rbs_value_ok(&address) && !rbs_value_ok(&length) ? length : address;
}

struct rbs_value vmbus_netvsc_section_size(struct vmbus_probe *probe,
					   const struct vmbus_device *device)
{
	if (!device->net)
		return rbs_value_absent(device->lost == RBS_OK ? RBS_NO_MEMBER : device->lost);
	return rbs_layout_read(&probe->net_layout, NV_DEV_SEND_SECTION, probe->target, device->net);
}

static void name_show(struct vmbus_probe *probe, uint64_t netdev, struct rbs_node *node,
		      unsigned desc)
{
	char name[32];
	enum rbs_code code = rbs_target_read_string(
		probe->target, netdev + rbs_layout_offset(&probe->net_layout, NV_NETDEV_NAME), name,
		sizeof(name), NULL);

	if (code == RBS_OK)
		rbs_node_set_text(node, vmbus_desc(desc), name);
	else
		rbs_node_set_absent(node, vmbus_desc(desc), code);
}

/* ethtool -S adds the VF's per-CPU counters up (netvsc_get_vf_stats). */
static void vf_stats_show(struct vmbus_probe *probe, uint64_t context, struct rbs_node *node)
{
	const struct rbs_layout *layout = &probe->net_layout;
	struct rbs_value stats = rbs_layout_read(layout, NV_CTX_VF_STATS, probe->target, context);
	struct rbs_cpus cpus;
	struct rbs_error error;

	if (!vmbus_has(node, &stats, "the VF's counters") || !stats.number)
		return;
	if (rbs_cpus_init(&cpus, probe->context->dump, &error) != RBS_OK) {
		rbs_error_prefix(&error, "the VF's counters");
		rbs_report_add_problem(node->report, node, &error);
		return;
	}
	for (size_t i = 0; i < COUNT(vf_figures); i++) {
		struct rbs_value sum = rbs_value_of(0);

		for (uint32_t cpu = 0; cpu < cpus.count && rbs_value_ok(&sum); cpu++) {
			struct rbs_value one;

			if (!cpus.possible[cpu])
				continue;
			one = rbs_layout_read(layout, vf_figures[i].member, probe->target,
					      stats.number + cpus.offsets[cpu]);
			sum.code = one.code;
			sum.number += one.number;
		}
		rbs_node_set(node, vmbus_desc(vf_figures[i].desc), sum);
	}
	rbs_cpus_deinit(&cpus);
}

/* Bit __QUEUE_STATE_DRV_XOFF of the netdev's queue: the driver stopped it (netif_tx_stop_queue). */
static void tx_stopped_show(struct vmbus_probe *probe, uint64_t netdev, uint64_t index,
			    struct rbs_node *node)
{
	const struct rbs_layout *layout = &probe->net_layout;
	struct rbs_value queues = rbs_layout_read(layout, NV_NETDEV_TX, probe->target, netdev);
	struct rbs_value count = rbs_layout_read(layout, NV_NETDEV_TX_COUNT, probe->target, netdev);
	struct rbs_value state = queues;
	int64_t bit = rbs_layout_enumerator(layout, NV_QUEUE_DRV_XOFF, -1);

	if (rbs_value_ok(&queues) && rbs_value_ok(&count) && bit >= 0 && bit < 32) {
		if (index >= count.number)
			return;
		state = rbs_layout_read(layout, NV_TX_STATE, probe->target,
					queues.number +
						index * rbs_layout_size(layout, NV_TX_SIZE));
		if (rbs_value_ok(&state))
			state = rbs_value_of(state.number >> bit & 1);
	} else if (rbs_value_ok(&state)) {
		state = rbs_value_absent(RBS_NO_MEMBER);
	}
	rbs_node_set(node, vmbus_desc(VMBUS_D_TX_STOPPED), state);
}

/* Receive completions that wait for room in the ring: mrc is a ring of recv_completion_cnt. */
static void completions_show(struct vmbus_probe *probe, const struct vmbus_device *device,
			     uint64_t queue, struct rbs_node *node)
{
	const struct rbs_layout *layout = &probe->net_layout;
	struct rbs_value first = rbs_layout_read(layout, NV_CH_MRC_FIRST, probe->target, queue);
	struct rbs_value next = rbs_layout_read(layout, NV_CH_MRC_NEXT, probe->target, queue);
	struct rbs_value size =
		rbs_layout_read(layout, NV_DEV_RECV_COMPLETIONS, probe->target, device->net);
	struct rbs_value waiting = rbs_value_absent(RBS_CORRUPT);

	if (!rbs_value_ok(&first) || !rbs_value_ok(&next) || !rbs_value_ok(&size))
		waiting.code = !rbs_value_ok(&first)  ? first.code
			       : !rbs_value_ok(&next) ? next.code
						      : size.code;
	else if (first.number < size.number && next.number < size.number)
		waiting = rbs_value_of(next.number >= first.number
					       ? next.number - first.number
					       : size.number - first.number + next.number);
	rbs_node_set(node, vmbus_desc(VMBUS_D_RX_COMPLETIONS), waiting);
}

static void queues_show(struct vmbus_probe *probe, struct vmbus_device *device)
{
	const struct rbs_layout *layout = &probe->net_layout;
	struct rbs_value count =
		rbs_layout_read(layout, NV_DEV_CHANNELS, probe->target, device->net);
	uint64_t size = rbs_layout_size(layout, NV_CH_SIZE);
	uint64_t room = size ? rbs_layout_size(layout, NV_DEV_TABLE) / size : 0;

	if (!vmbus_has(device->node, &count, "the driver's figures of queues"))
		return;
	for (uint64_t i = 0; i < count.number && i < room && i < CHANNEL_LIMIT; i++) {
		uint64_t queue = device->net + rbs_layout_offset(layout, NV_DEV_TABLE) + i * size;
		struct rbs_value channel =
			rbs_layout_read(layout, NV_CH_CHANNEL, probe->target, queue);
		struct rbs_node *node = NULL;

		if (vmbus_has(device->node, &channel, "the driver's figures of a queue"))
			node = vmbus_channel_find(device, channel.number);
		if (!node)
			continue;
		rbs_node_set_number(node, vmbus_desc(VMBUS_D_QUEUE), i);
		figures_show(probe, channel_figures, COUNT(channel_figures), queue, node);
		tx_stopped_show(probe, device->driver_data, i, node);
		completions_show(probe, device, queue, node);
	}
}

void vmbus_netvsc_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	uint64_t context = device->net_context;
	struct rbs_value vf;

	if (!context)
		return;
	name_show(probe, device->driver_data, device->node, VMBUS_D_NETDEV);
	vf = rbs_layout_read(&probe->net_layout, NV_CTX_VF, probe->target, context);
	if (rbs_value_ok(&vf) && vf.number)
		name_show(probe, vf.number, device->node, VMBUS_D_VF_NETDEV);
	else if (!rbs_value_ok(&vf) && vf.code != RBS_NO_MEMBER)
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_VF_NETDEV), vf.code);
	if (rbs_layout_has(&probe->net_layout, NV_CTX_DATA_PATH_VF))
		rbs_node_set(device->node, vmbus_desc(VMBUS_D_DATA_PATH_VF),
			     rbs_layout_read(&probe->net_layout, NV_CTX_DATA_PATH_VF, probe->target,
					     context));
	figures_show(probe, ethtool_figures, COUNT(ethtool_figures), context, device->node);
	vf_stats_show(probe, context, device->node);
	if (!device->net)
		return;
	figures_show(probe, device_figures, COUNT(device_figures), device->net, device->node);
	queues_show(probe, device);
}
