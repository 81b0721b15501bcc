/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What 'ip -s link' shows of a virtio_net interface (struct rtnl_link_stats64): sums of the queues'
 * counters (virtnet_stats()), and what net_device counts itself (dev_get_stats(), net/core/dev.c).
 */
#include <string.h>

#include "lib/cpus.h"
#include "lib/probes/virtio/virtio.h"

enum {
	NT_TX_DROPPED,
	NT_TX_FIFO,
	NT_RX_LENGTH,
	NT_RX_FRAME,
	NT_CORE,
	NT_CORE_RX_DROPPED,
	NT_CORE_TX_DROPPED,
	NT_CORE_RX_NOHANDLER,
	NT_COUNT,
};

/*
 * Since 6.2 ("net: add atomic_long_t to net_device_stats fields") a second name in a union.
 * core_stats is per CPU since 5.18 ("net: add per-cpu storage and net->core_stats").
 */
static const struct rbs_layout_entry total_entries[NT_COUNT] = {
	[NT_TX_DROPPED] = {"net_device:stats.tx_dropped|net_device:stats.__tx_dropped",
			   RBS_OPTIONAL},
	[NT_TX_FIFO] = {"net_device:stats.tx_fifo_errors|net_device:stats.__tx_fifo_errors",
			RBS_OPTIONAL},
	[NT_RX_LENGTH] = {"net_device:stats.rx_length_errors|net_device:stats.__rx_length_errors",
			  RBS_OPTIONAL},
	[NT_RX_FRAME] = {"net_device:stats.rx_frame_errors|net_device:stats.__rx_frame_errors",
			 RBS_OPTIONAL},
	[NT_CORE] = {"net_device:core_stats", RBS_OPTIONAL},
	[NT_CORE_RX_DROPPED] = {"net_device_core_stats:rx_dropped", RBS_OPTIONAL},
	[NT_CORE_TX_DROPPED] = {"net_device_core_stats:tx_dropped", RBS_OPTIONAL},
	[NT_CORE_RX_NOHANDLER] = {"net_device_core_stats:rx_nohandler", RBS_OPTIONAL},
};

/* A figure of the interface: the counter of queues of that name, and members of net_device. */
struct total {
	unsigned desc;
	const char *queues; /* name of the queues: starts with "input" or "output"; NULL: none */
	const char *counter;
	unsigned own, core; /* NT_COUNT: none */
};

static const struct total totals[] = {
	{VIRTIO_D_LINK_RX_PACKETS, "input", "packets", NT_COUNT, NT_COUNT},
	{VIRTIO_D_LINK_RX_BYTES, "input", "bytes", NT_COUNT, NT_COUNT},
	{VIRTIO_D_LINK_RX_DROPPED, "input", "drops", NT_COUNT, NT_CORE_RX_DROPPED},
	{VIRTIO_D_LINK_RX_LENGTH, NULL, NULL, NT_RX_LENGTH, NT_COUNT},
	{VIRTIO_D_LINK_RX_FRAME, NULL, NULL, NT_RX_FRAME, NT_COUNT},
	{VIRTIO_D_LINK_RX_NOHANDLER, NULL, NULL, NT_COUNT, NT_CORE_RX_NOHANDLER},
	{VIRTIO_D_LINK_TX_PACKETS, "output", "packets", NT_COUNT, NT_COUNT},
	{VIRTIO_D_LINK_TX_BYTES, "output", "bytes", NT_COUNT, NT_COUNT},
	{VIRTIO_D_LINK_TX_DROPPED, NULL, NULL, NT_TX_DROPPED, NT_CORE_TX_DROPPED},
	{VIRTIO_D_LINK_TX_ERRORS, "output", "tx_timeouts", NT_COUNT, NT_COUNT},
	{VIRTIO_D_LINK_TX_FIFO, NULL, NULL, NT_TX_FIFO, NT_COUNT},
};

struct adder {
	struct virtio_probe *probe;
	struct virtio_device *device;
	struct rbs_layout layout;
	struct rbs_cpus cpus;
	enum rbs_code cpus_code;
	uint64_t netdev;
	struct rbs_value core; /* per-CPU pointer; 0: nothing was dropped yet */
};

/* One part that is not there takes the sum with it. */
static void part_add(struct rbs_value *sum, struct rbs_value part, bool *any)
{
	*any = true;
	if (!rbs_value_ok(&part) && rbs_value_ok(sum))
		*sum = part;
	else if (rbs_value_ok(sum))
		sum->number += part.number;
}

static void queues_add(const struct adder *adder, const struct total *total, struct rbs_value *sum,
		       bool *any)
{
	const struct rbs_node *device = adder->device->node;
	enum rbs_code lost = adder->device->queues_code != RBS_OK ? adder->device->queues_code
								  : adder->device->counters_code;

	if (lost != RBS_OK)
		part_add(sum, rbs_value_absent(lost), any);
	for (size_t i = 0; i < device->child_count; i++) {
		const struct rbs_node *queue = device->children[i];
		const char *name = rbs_node_text(queue, "name");
		const struct rbs_field *field = rbs_node_find(queue, total->counter);
		const struct rbs_field *named = rbs_node_find(queue, "name");

		/* It may be one of them. */
		if (!named || named->code != RBS_OK)
			part_add(sum, rbs_value_absent(named ? named->code : RBS_CORRUPT), any);
		if (name && field && !strncmp(name, total->queues, strlen(total->queues)))
			part_add(sum,
				 (struct rbs_value){.code = field->code, .number = field->number},
				 any);
	}
}

static void core_add(struct adder *adder, unsigned member, struct rbs_value *sum, bool *any)
{
	if (!rbs_layout_has(&adder->layout, member))
		return;
	if (!rbs_value_ok(&adder->core) || !adder->core.number) {
		part_add(sum, adder->core, any);
		return;
	}
	if (adder->cpus_code != RBS_OK)
		part_add(sum, rbs_value_absent(adder->cpus_code), any);
	for (uint32_t i = 0; adder->cpus_code == RBS_OK && i < adder->cpus.count; i++) {
		if (adder->cpus.possible[i])
			part_add(sum,
				 rbs_layout_read(&adder->layout, member, adder->probe->target,
						 adder->core.number + adder->cpus.offsets[i]),
				 any);
	}
}

static void total_show(struct adder *adder, const struct total *total)
{
	struct rbs_value sum = rbs_value_of(0);
	bool any = false;

	if (total->queues)
		queues_add(adder, total, &sum, &any);
	if (total->own != NT_COUNT && rbs_layout_has(&adder->layout, total->own))
		part_add(&sum,
			 rbs_layout_read(&adder->layout, total->own, adder->probe->target,
					 adder->netdev),
			 &any);
	if (total->core != NT_COUNT && rbs_layout_has(&adder->layout, NT_CORE))
		core_add(adder, total->core, &sum, &any);
	if (any)
		rbs_node_set(adder->device->node, virtio_desc(total->desc), sum);
}

void virtio_net_totals_show(struct virtio_probe *probe, struct virtio_device *device,
			    uint64_t netdev)
{
	struct adder adder = {.probe = probe, .device = device, .netdev = netdev};
	struct rbs_dump *dump = probe->context->dump;

	if (rbs_layout_init(&adder.layout, total_entries, NT_COUNT, &dump->types, NULL, NULL) !=
	    RBS_OK)
		return;
	adder.core = rbs_layout_read(&adder.layout, NT_CORE, probe->target, netdev);
	if (rbs_value_or(&adder.core, 0))
		adder.cpus_code = rbs_cpus_init(&adder.cpus, dump, NULL);
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		total_show(&adder, &totals[i]);
	rbs_cpus_deinit(&adder.cpus);
	rbs_layout_deinit(&adder.layout);
}
