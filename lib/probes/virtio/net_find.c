/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Net devices by another way than the bus: the network namespaces' lists of interfaces, for dumps
 * that lack pages of the bus's own lists. What virtio_net made has its table of operations.
 */
#include <string.h>

#include "lib/probes/virtio/virtio.h"
#include "lib/walk.h"

#define NAMESPACE_LIMIT 65536
#define NETDEV_LIMIT 1000000
#define PRIVATE_ALIGN 32 /* include/linux/netdevice.h: NETDEV_ALIGN, until 6.8 */

enum {
	NF_NET_LIST,
	NF_NET_DEVICES,
	NF_DEVICE_LIST,
	NF_DEVICE_OPS,
	NF_DEVICE_SIZE,
	NF_DEVICE_PRIVATE,
	NF_VDEV,
	NF_COUNT,
};

static const struct rbs_layout_entry find_entries[NF_COUNT] = {
	[NF_NET_LIST] = {"net:list"},
	[NF_NET_DEVICES] = {"net:dev_base_head"},
	[NF_DEVICE_LIST] = {"net_device:dev_list"},
	[NF_DEVICE_OPS] = {"net_device:netdev_ops"},
	[NF_DEVICE_SIZE] = {"net_device", RBS_SIZE},
	/* A member since "netdevice: define and allocate &net_device _properly_" (6.10). */
	[NF_DEVICE_PRIVATE] = {"net_device:priv", RBS_OPTIONAL},
	[NF_VDEV] = {"virtnet_info:vdev"},
};

struct net_finder {
	struct virtio_probe *probe;
	struct rbs_layout layout;
	uint64_t operations; /* virtnet_netdev */
	size_t found;
};

/* A bus has each name once. */
static bool is_known(struct net_finder *finder, uint64_t device)
{
	const struct rbs_layout *layout = &finder->probe->device_layout;
	struct rbs_target *target = finder->probe->target;
	struct rbs_value at = rbs_layout_read(layout, VD_DEVICE_NAME, target,
					      device + rbs_layout_offset(layout, VD_DEV));
	char name[64];

	return rbs_value_ok(&at) &&
	       rbs_target_read_string(target, at.number, name, sizeof(name), NULL) == RBS_OK &&
	       rbs_node_child(finder->probe->context->section->node, name);
}

static void netdev_look(struct net_finder *finder, uint64_t netdev)
{
	const struct rbs_layout *layout = &finder->layout;
	struct rbs_target *target = finder->probe->target;
	uint64_t private = (rbs_layout_size(layout, NF_DEVICE_SIZE) + PRIVATE_ALIGN - 1) &
			   ~(uint64_t)(PRIVATE_ALIGN - 1);
	struct rbs_value operations = rbs_layout_read(layout, NF_DEVICE_OPS, target, netdev);
	struct rbs_value device;

	if (!rbs_value_ok(&operations) || operations.number != finder->operations)
		return;
	if (rbs_layout_has(layout, NF_DEVICE_PRIVATE))
	private = rbs_layout_offset(layout, NF_DEVICE_PRIVATE);
	device = rbs_layout_read(layout, NF_VDEV, target, netdev + private);
	if (!rbs_value_ok(&device) || !device.number || is_known(finder, device.number))
		return;
	virtio_device_read(finder->probe, device.number);
	finder->found++;
}

static void namespace_look(struct net_finder *finder, uint64_t net)
{
	const struct rbs_layout *layout = &finder->layout;
	struct rbs_list_walk walk;
	uint64_t node;

	rbs_list_walk_init(&walk, finder->probe->target,
			   net + rbs_layout_offset(layout, NF_NET_DEVICES), NETDEV_LIMIT);
	while (rbs_list_walk_next(&walk, &node))
		netdev_look(finder, node - rbs_layout_offset(layout, NF_DEVICE_LIST));
}

size_t virtio_net_devices_find(struct virtio_probe *probe)
{
	struct rbs_dump *dump = probe->context->dump;
	struct net_finder finder = {.probe = probe};
	struct rbs_list_walk walk;
	uint64_t namespaces, node;

	if (rbs_symbols_find_either(&dump->symbols, "virtio_net", "virtnet_netdev",
				    &finder.operations, NULL) != RBS_OK ||
	    rbs_symbols_find(&dump->symbols, NULL, "net_namespace_list", &namespaces, NULL) !=
		    RBS_OK ||
	    rbs_layout_init(&finder.layout, find_entries, NF_COUNT, &dump->types, "virtio_net",
			    NULL) != RBS_OK)
		return 0;
	rbs_list_walk_init(&walk, probe->target, namespaces, NAMESPACE_LIMIT);
	while (rbs_list_walk_next(&walk, &node))
		namespace_look(&finder, node - rbs_layout_offset(&finder.layout, NF_NET_LIST));
	rbs_layout_deinit(&finder.layout);
	return finder.found;
}
