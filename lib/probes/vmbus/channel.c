/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offered devices and their channels: vmbus_connection.chn_list, and sc_list for sub-channels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probes/vmbus/vmbus.h"
#include "lib/walk.h"

#define REQUESTOR_LIMIT 65536 /* outstanding requests that a bitmap may have bits for */
#define MONITOR_COUNT 128     /* 4 groups of 32 (hypervisor interface) */
#define MONITOR_GROUP 32

static void problem_add(const struct rbs_node *node, const struct rbs_error *error)
{
	rbs_report_add_problem(node->report, node, error);
}

static enum rbs_code guid_read(struct vmbus_probe *probe, unsigned member, uint64_t channel,
			       char *text, size_t size, struct rbs_error *err)
{
	uint8_t guid[16];
	enum rbs_code code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL,
					     channel + rbs_layout_offset(&probe->layout, member),
					     guid, sizeof(guid), err);

	if (code == RBS_OK)
		vmbus_guid_format(guid, text, size);
	return code;
}

static const char *state_name(struct vmbus_probe *probe, uint64_t state)
{
	static const struct {
		unsigned member;
		const char *name;
	} states[] = {
		{HV_CH_OFFER, "offer"},
		{HV_CH_OPENING, "opening"},
		{HV_CH_OPEN, "closed"}, /* CHANNEL_OPEN_STATE: may be opened, is not */
		{HV_CH_OPENED, "opened"},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if ((int64_t)state == rbs_layout_enumerator(&probe->layout, states[i].member, -1))
			return states[i].name;
	}
	return NULL;
}

static void state_show(struct vmbus_probe *probe, uint64_t channel, struct rbs_node *node)
{
	struct rbs_value state =
		rbs_layout_read(&probe->layout, HV_CH_STATE, probe->target, channel);
	const char *name = rbs_value_ok(&state) ? state_name(probe, state.number) : NULL;

	if (name)
		rbs_node_set_text(node, vmbus_desc(VMBUS_D_STATE), name);
	else
		rbs_node_set_absent(node, vmbus_desc(VMBUS_D_STATE),
				    rbs_value_ok(&state) ? RBS_CORRUPT : state.code);
	rbs_node_set(node, vmbus_desc(VMBUS_D_STATE_NUMBER), state);
}

/* A 32-bit number of a monitor page: element index of a table of MONITOR_COUNT. */
static struct rbs_value monitor_table_read(struct vmbus_probe *probe, uint64_t page, unsigned table,
					   uint64_t index)
{
	uint64_t size = rbs_layout_size(&probe->layout, table) / MONITOR_COUNT;
	struct rbs_value value = {.is_signed = false};

	if (!rbs_layout_has(&probe->layout, table) || !page)
		return rbs_value_absent(RBS_NO_MEMBER);
	value.address = page + rbs_layout_offset(&probe->layout, table) + index * size;
	value.code = rbs_target_read_uint(probe->target, value.address, size, &value.number, NULL);
	return value;
}

static struct rbs_value monitor_pending_read(struct vmbus_probe *probe, uint64_t page, uint64_t id)
{
	const struct rbs_layout *layout = &probe->layout;

	if (!page || !rbs_layout_has(layout, HV_MONITOR_GROUPS))
		return rbs_value_absent(RBS_NO_MEMBER);
	return rbs_layout_read(layout, HV_MONITOR_PENDING, probe->target,
			       page + rbs_layout_offset(layout, HV_MONITOR_GROUPS) +
				       id / MONITOR_GROUP *
					       rbs_layout_size(layout, HV_MONITOR_GROUP_SIZE));
}

static struct rbs_value monitor_connection_read(struct vmbus_probe *probe, uint64_t page,
						uint64_t id)
{
	const struct rbs_layout *layout = &probe->layout;

	if (!page || !rbs_layout_has(layout, HV_MONITOR_PARAMETERS))
		return rbs_value_absent(RBS_NO_MEMBER);
	return rbs_layout_read(layout, HV_MONITOR_CONNECTION, probe->target,
			       page + rbs_layout_offset(layout, HV_MONITOR_PARAMETERS) +
				       id * rbs_layout_size(layout, HV_MONITOR_PARAMETER_SIZE));
}

/*
 * A channel that the host signals through the monitor page has an id below 128 there; sysfs shows
 * the fields only then (drivers/hv/vmbus_drv.c: vmbus_chan_attr_is_visible). Page 0 is the host's
 * ("server"), page 1 the guest's ("client").
 */
void vmbus_monitor_read(struct vmbus_probe *probe, uint64_t channel, struct rbs_node *node,
			bool device)
{
	struct rbs_value allocated =
		rbs_layout_read(&probe->layout, HV_CH_MONITOR_ALLOCATED, probe->target, channel);
	struct rbs_value id =
		rbs_layout_read(&probe->layout, HV_CH_MONITOR_ID, probe->target, channel);
	uint64_t server = probe->monitors[0], client = probe->monitors[1];

	if (!rbs_value_ok(&allocated) || !allocated.number || !rbs_value_ok(&id))
		return;
	rbs_node_set(node, vmbus_desc(device ? VMBUS_D_MONITOR_ID : VMBUS_D_CH_MONITOR_ID), id);
	if (id.number >= MONITOR_COUNT)
		return;
	if (!device) {
		rbs_node_set(node, vmbus_desc(VMBUS_D_PENDING),
			     monitor_pending_read(probe, client, id.number));
		rbs_node_set(node, vmbus_desc(VMBUS_D_LATENCY),
			     monitor_table_read(probe, client, HV_MONITOR_LATENCY, id.number));
		return;
	}
	rbs_node_set(node, vmbus_desc(VMBUS_D_SERVER_PENDING),
		     monitor_pending_read(probe, server, id.number));
	rbs_node_set(node, vmbus_desc(VMBUS_D_CLIENT_PENDING),
		     monitor_pending_read(probe, client, id.number));
	rbs_node_set(node, vmbus_desc(VMBUS_D_SERVER_LATENCY),
		     monitor_table_read(probe, server, HV_MONITOR_LATENCY, id.number));
	rbs_node_set(node, vmbus_desc(VMBUS_D_CLIENT_LATENCY),
		     monitor_table_read(probe, client, HV_MONITOR_LATENCY, id.number));
	rbs_node_set(node, vmbus_desc(VMBUS_D_SERVER_CONN_ID),
		     monitor_connection_read(probe, server, id.number));
	rbs_node_set(node, vmbus_desc(VMBUS_D_CLIENT_CONN_ID),
		     monitor_connection_read(probe, client, id.number));
}

/* Requests that the driver waits for: set bits of the channel's requestor (since 5.11). */
static void requestor_read(struct vmbus_probe *probe, uint64_t channel, struct rbs_node *node)
{
	struct rbs_value bitmap =
		rbs_layout_read(&probe->layout, HV_CH_REQ_BITMAP, probe->target, channel);
	struct rbs_value size =
		rbs_layout_read(&probe->layout, HV_CH_REQ_SIZE, probe->target, channel);
	uint8_t bytes[REQUESTOR_LIMIT / 8];
	struct rbs_value count = {0};

	rbs_node_set(node, vmbus_desc(VMBUS_D_REQUESTOR_SIZE), size);
	if (!rbs_value_ok(&bitmap) || !rbs_value_ok(&size)) {
		count.code = rbs_value_ok(&bitmap) ? size.code : bitmap.code;
	} else if (!bitmap.number || !size.number) {
		count.code = RBS_NOT_COUNTED; /* the driver keeps no requestor here */
	} else if (size.number > REQUESTOR_LIMIT) {
		count.code = RBS_CORRUPT;
	} else {
		/* Whole longs, so that the byte order does not matter to the count. */
		uint64_t length = (size.number + 63) / 64 * 8;

		count.code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, bitmap.number,
					     bytes, length, NULL);
		for (uint64_t i = 0; count.code == RBS_OK && i < length; i++)
			count.number += (unsigned)__builtin_popcount(bytes[i]);
	}
	rbs_node_set(node, vmbus_desc(VMBUS_D_REQUESTS), count);
}

static bool channel_remember(struct vmbus_device *device, uint64_t address, struct rbs_node *node)
{
	struct vmbus_channel_ref *channels =
		reallocarray(device->channels, device->channel_count + 1, sizeof(*channels));

	if (!channels) {
		node->report->code = RBS_NOMEM;
		return false;
	}
	device->channels = channels;
	channels[device->channel_count++] =
		(struct vmbus_channel_ref){.address = address, .node = node};
	return true;
}

void vmbus_channel_read(struct vmbus_probe *probe, struct vmbus_device *device, uint64_t channel,
			uint64_t relid)
{
	const struct rbs_layout *layout = &probe->layout;
	struct rbs_node *node = rbs_node_add(device->node, RBS_LEVEL_CHANNEL, "%" PRIu64, relid);

	if (!node || !channel_remember(device, channel, node))
		return;
	vmbus_show(probe, HV_CH_SUB_INDEX, channel, node, VMBUS_D_SUBCHANNEL);
	vmbus_show(probe, HV_CH_TARGET_CPU, channel, node, VMBUS_D_CPU);
	state_show(probe, channel, node);
	vmbus_show(probe, HV_CH_RESCIND, channel, node, VMBUS_D_RESCINDED);
	vmbus_show(probe, HV_CH_INTERRUPTS, channel, node, VMBUS_D_INTERRUPTS);
	vmbus_show(probe, HV_CH_EVENTS, channel, node, VMBUS_D_EVENTS);
	vmbus_show(probe, HV_CH_INTR_IN_FULL, channel, node, VMBUS_D_INTR_IN_FULL);
	vmbus_show(probe, HV_CH_INTR_OUT_EMPTY, channel, node, VMBUS_D_INTR_OUT_EMPTY);
	vmbus_show(probe, HV_CH_OUT_FULL_FIRST, channel, node, VMBUS_D_OUT_FULL_FIRST);
	vmbus_show(probe, HV_CH_OUT_FULL_TOTAL, channel, node, VMBUS_D_OUT_FULL_TOTAL);
	vmbus_show(probe, HV_CH_OUT_FULL_FLAG, channel, node, VMBUS_D_OUT_FULL_FLAG);
	vmbus_show(probe, HV_CH_DEDICATED, channel, node, VMBUS_D_DEDICATED);
	vmbus_show(probe, HV_CH_CONNECTION_ID, channel, node, VMBUS_D_CONNECTION_ID);
	vmbus_show(probe, HV_CH_MAX_PKT_SIZE, channel, node, VMBUS_D_MAX_PKT_SIZE);
	requestor_read(probe, channel, node);
	vmbus_monitor_read(probe, channel, node, false);
	vmbus_ring_read(probe, device, node, channel + rbs_layout_offset(layout, HV_CH_OUTBOUND),
			false);
	vmbus_ring_read(probe, device, node, channel + rbs_layout_offset(layout, HV_CH_INBOUND),
			true);
}

static void driver_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	const struct rbs_layout *layout = &probe->layout;
	uint64_t dev = device->device + rbs_layout_offset(layout, HV_DEV_DEVICE);
	struct rbs_value driver = rbs_layout_read(layout, HV_DEVICE_DRIVER, probe->target, dev);
	struct rbs_value data = rbs_layout_read(layout, HV_DEVICE_DRIVER_DATA, probe->target, dev);
	struct rbs_value name = driver;

	device->driver_data = rbs_value_or(&data, 0);
	if (!vmbus_has(device->node, &data, "what the driver knows of the device"))
		device->lost = data.code;
	if (rbs_value_ok(&driver) && driver.number) {
		name = rbs_layout_read(layout, HV_DRIVER_NAME, probe->target, driver.number);
		if (rbs_value_ok(&name))
			name.code =
				rbs_target_read_string(probe->target, name.number, device->driver,
						       sizeof(device->driver), NULL);
	}
	if (!rbs_value_ok(&name))
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_DRIVER), name.code);
	else if (*device->driver)
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_DRIVER), device->driver);
}

/* NULL when none was set, and then no field. */
static void override_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	struct rbs_value text =
		rbs_layout_read(&probe->layout, HV_DEV_OVERRIDE, probe->target, device->device);
	char name[64];

	if (rbs_value_ok(&text) && text.number)
		text.code = rbs_target_read_string(probe->target, text.number, name, sizeof(name),
						   NULL);
	if (rbs_value_ok(&text) && text.number)
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_OVERRIDE), name);
	else if (!rbs_value_ok(&text) && text.code != RBS_NO_MEMBER)
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_OVERRIDE), text.code);
}

static void identity_read(struct vmbus_probe *probe, struct vmbus_device *device)
{
	char guid[40];
	const char *name;
	struct rbs_error error;

	if (guid_read(probe, HV_CH_CLASS, device->channel, guid, sizeof(guid), &error) == RBS_OK) {
		name = vmbus_class_name(guid, &device->class);
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_CLASS),
				  name ? name : "unknown class");
		rbs_node_set_text(device->node, vmbus_desc(VMBUS_D_CLASS_ID), guid);
	} else {
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_CLASS_ID), error.code);
		rbs_error_prefix(&error, "the class of the device");
		problem_add(device->node, &error);
	}
	vmbus_show(probe, HV_CH_STATE, device->channel, device->node, VMBUS_D_DEVICE_STATE);
	vmbus_show(probe, HV_CH_RELID, device->channel, device->node, VMBUS_D_ID);
	if (!device->device)
		return;
	vmbus_show(probe, HV_DEV_VENDOR, device->device, device->node, VMBUS_D_VENDOR);
	vmbus_show(probe, HV_DEV_DEVICE_ID, device->device, device->node, VMBUS_D_DEVICE);
	override_read(probe, device);
	driver_read(probe, device);
}

static void subchannels_walk(struct vmbus_probe *probe, struct vmbus_device *device)
{
	const struct rbs_layout *layout = &probe->layout;
	struct rbs_list_walk walk;
	uint64_t entry, offered = 0, opened = 0;
	enum rbs_code opened_code = RBS_OK;

	rbs_list_walk_init(&walk, probe->target,
			   device->channel + rbs_layout_offset(layout, HV_CH_SUB_LIST),
			   VMBUS_SUBCHANNEL_LIMIT);
	while (rbs_list_walk_next(&walk, &entry)) {
		uint64_t channel = entry - rbs_layout_offset(layout, HV_CH_SUB_LIST);
		struct rbs_value state =
			rbs_layout_read(layout, HV_CH_STATE, probe->target, channel);
		struct rbs_error error;
		uint64_t relid;

		offered++;
		if (!rbs_value_ok(&state))
			opened_code = state.code;
		opened += rbs_value_ok(&state) &&
			  (int64_t)state.number == rbs_layout_enumerator(layout, HV_CH_OPENED, -1);
		if (rbs_layout_require(layout, HV_CH_RELID, probe->target, channel, &relid,
				       &error) == RBS_OK)
			vmbus_channel_read(probe, device, channel, relid);
		else
			problem_add(device->node, &error);
	}
	if (walk.code != RBS_OK) {
		rbs_error_prefix(&walk.error, "the device's sub-channels");
		problem_add(device->node, &walk.error);
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_SUB_OFFERED), walk.code);
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_SUB_OPENED), walk.code);
		return;
	}
	rbs_node_set_number(device->node, vmbus_desc(VMBUS_D_SUB_OFFERED), offered);
	if (opened_code == RBS_OK)
		rbs_node_set_number(device->node, vmbus_desc(VMBUS_D_SUB_OPENED), opened);
	else
		rbs_node_set_absent(device->node, vmbus_desc(VMBUS_D_SUB_OPENED), opened_code);
}

static void device_read(struct vmbus_probe *probe, uint64_t channel)
{
	struct rbs_node *section = probe->context->section->node;
	struct vmbus_device device = {.channel = channel};
	struct rbs_value object =
		rbs_layout_read(&probe->layout, HV_CH_DEVICE, probe->target, channel);
	struct rbs_error error;
	char guid[40];
	uint64_t relid;

	if (guid_read(probe, HV_CH_INSTANCE, channel, guid, sizeof(guid), &error) != RBS_OK ||
	    rbs_layout_require(&probe->layout, HV_CH_RELID, probe->target, channel, &relid,
			       &error) != RBS_OK) {
		rbs_error_prefix(&error, "the channel at %" PRIx64, channel);
		problem_add(section, &error);
		return;
	}
	device.node = rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", guid);
	if (!device.node)
		return;
	device.device = rbs_value_or(&object, 0);
	if (!vmbus_has(device.node, &object, "the device of the channel"))
		device.lost = object.code;
	identity_read(probe, &device);
	vmbus_monitor_read(probe, channel, device.node, true);
	vmbus_netvsc_find(probe, &device);
	vmbus_channel_read(probe, &device, channel, relid);
	subchannels_walk(probe, &device);
	vmbus_netvsc_read(probe, &device);
	vmbus_storvsc_read(probe, &device);
	free(device.channels);
}

enum rbs_code vmbus_channels_walk(struct vmbus_probe *probe, uint64_t connection,
				  struct rbs_error *err)
{
	const struct rbs_layout *layout = &probe->layout;
	struct rbs_list_walk walk;
	uint64_t entry;

	rbs_list_walk_init(&walk, probe->target,
			   connection + rbs_layout_offset(layout, HV_CONNECTION_CHANNELS),
			   VMBUS_DEVICE_LIMIT);
	while (rbs_list_walk_next(&walk, &entry))
		device_read(probe, entry - rbs_layout_offset(layout, HV_CH_LIST));
	return rbs_probe_walk_end(probe->context, &walk, err);
}
