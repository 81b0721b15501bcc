/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/vmbus/vmbus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/walk.h"

static const struct rbs_layout_entry entries[HV_COUNT] = {
	[HV_CONNECTION_STATE] = {"vmbus_connection:conn_state", RBS_OPTIONAL},
	[HV_CONNECTION_CHANNELS] = {"vmbus_connection:chn_list"},
	[HV_CONNECTION_MONITORS] = {"vmbus_connection:monitor_pages", RBS_OPTIONAL},
	[HV_CONNECTED] = {"vmbus_connect_state:CONNECTED|:CONNECTED",
			  RBS_ENUMERATOR | RBS_OPTIONAL},
	[HV_CH_LIST] = {"vmbus_channel:listentry"},
	[HV_CH_SUB_LIST] = {"vmbus_channel:sc_list"},
	[HV_CH_DEVICE] = {"vmbus_channel:device_obj"},
	[HV_CH_STATE] = {"vmbus_channel:state", RBS_OPTIONAL},
	[HV_CH_RESCIND] = {"vmbus_channel:rescind", RBS_OPTIONAL},
	[HV_CH_RELID] = {"vmbus_channel:offermsg.child_relid"},
	[HV_CH_SUB_INDEX] = {"vmbus_channel:offermsg.offer.sub_channel_index", RBS_OPTIONAL},
	[HV_CH_CLASS] = {"vmbus_channel:offermsg.offer.if_type"},
	[HV_CH_INSTANCE] = {"vmbus_channel:offermsg.offer.if_instance"},
	[HV_CH_MONITOR_ID] = {"vmbus_channel:offermsg.monitorid", RBS_OPTIONAL},
	[HV_CH_MONITOR_ALLOCATED] = {"vmbus_channel:offermsg.monitor_allocated", RBS_OPTIONAL},
	[HV_CH_CONNECTION_ID] = {"vmbus_channel:offermsg.connection_id", RBS_OPTIONAL},
	[HV_CH_DEDICATED] = {"vmbus_channel:is_dedicated_interrupt", RBS_OPTIONAL},
	[HV_CH_TARGET_CPU] = {"vmbus_channel:target_cpu", RBS_OPTIONAL},
	[HV_CH_INTERRUPTS] = {"vmbus_channel:interrupts", RBS_OPTIONAL},
	[HV_CH_EVENTS] = {"vmbus_channel:sig_events", RBS_OPTIONAL},
	[HV_CH_INTR_OUT_EMPTY] = {"vmbus_channel:intr_out_empty", RBS_OPTIONAL},
	[HV_CH_INTR_IN_FULL] = {"vmbus_channel:intr_in_full", RBS_OPTIONAL},
	[HV_CH_OUT_FULL_TOTAL] = {"vmbus_channel:out_full_total", RBS_OPTIONAL},
	[HV_CH_OUT_FULL_FIRST] = {"vmbus_channel:out_full_first", RBS_OPTIONAL},
	[HV_CH_OUT_FULL_FLAG] = {"vmbus_channel:out_full_flag", RBS_OPTIONAL},
	[HV_CH_OUTBOUND] = {"vmbus_channel:outbound"},
	[HV_CH_INBOUND] = {"vmbus_channel:inbound"},
	[HV_CH_REQ_BITMAP] = {"vmbus_channel:requestor.req_bitmap", RBS_OPTIONAL},
	[HV_CH_REQ_SIZE] = {"vmbus_channel:requestor.size", RBS_OPTIONAL},
	[HV_CH_MAX_PKT_SIZE] = {"vmbus_channel:max_pkt_size", RBS_OPTIONAL},
	[HV_CH_OFFER] = {"vmbus_channel_state:CHANNEL_OFFER_STATE", RBS_ENUMERATOR | RBS_OPTIONAL},
	[HV_CH_OPENING] = {"vmbus_channel_state:CHANNEL_OPENING_STATE",
			   RBS_ENUMERATOR | RBS_OPTIONAL},
	[HV_CH_OPEN] = {"vmbus_channel_state:CHANNEL_OPEN_STATE", RBS_ENUMERATOR | RBS_OPTIONAL},
	[HV_CH_OPENED] = {"vmbus_channel_state:CHANNEL_OPENED_STATE",
			  RBS_ENUMERATOR | RBS_OPTIONAL},
	[HV_RING_BUFFER] = {"hv_ring_buffer_info:ring_buffer"},
	[HV_RING_SIZE] = {"hv_ring_buffer_info:ring_size", RBS_OPTIONAL},
	[HV_RING_DATASIZE] = {"hv_ring_buffer_info:ring_datasize"},
	[HV_RING_PRIV_READ] = {"hv_ring_buffer_info:priv_read_index", RBS_OPTIONAL},
	[HV_PAGE_WRITE] = {"hv_ring_buffer:write_index"},
	[HV_PAGE_READ] = {"hv_ring_buffer:read_index"},
	[HV_PAGE_MASK] = {"hv_ring_buffer:interrupt_mask", RBS_OPTIONAL},
	[HV_PAGE_PENDING] = {"hv_ring_buffer:pending_send_sz", RBS_OPTIONAL},
	[HV_PAGE_FEATURES] = {"hv_ring_buffer:feature_bits.value", RBS_OPTIONAL},
	[HV_PAGE_DATA] = {"hv_ring_buffer:buffer"},
	[HV_DEV_DEVICE] = {"hv_device:device"},
	[HV_DEV_VENDOR] = {"hv_device:vendor_id", RBS_OPTIONAL},
	[HV_DEV_DEVICE_ID] = {"hv_device:device_id", RBS_OPTIONAL},
	[HV_DEV_OVERRIDE] = {"hv_device:driver_override", RBS_OPTIONAL},
	[HV_DEVICE_DRIVER] = {"device:driver", RBS_OPTIONAL},
	[HV_DEVICE_DRIVER_DATA] = {"device:driver_data", RBS_OPTIONAL},
	[HV_DRIVER_NAME] = {"device_driver:name", RBS_OPTIONAL},
	[HV_MONITOR_GROUPS] = {"hv_monitor_page:trigger_group", RBS_OPTIONAL},
	[HV_MONITOR_GROUP_SIZE] = {"hv_monitor_trigger_group", RBS_SIZE | RBS_OPTIONAL},
	[HV_MONITOR_PENDING] = {"hv_monitor_trigger_group:pending", RBS_OPTIONAL},
	[HV_MONITOR_LATENCY] = {"hv_monitor_page:latency", RBS_OPTIONAL},
	[HV_MONITOR_PARAMETERS] = {"hv_monitor_page:parameter", RBS_OPTIONAL},
	[HV_MONITOR_PARAMETER_SIZE] = {"hv_monitor_parameter", RBS_SIZE | RBS_OPTIONAL},
	[HV_MONITOR_CONNECTION] = {"hv_monitor_parameter:connectionid.u.id", RBS_OPTIONAL},
};

struct rbs_value vmbus_show(struct vmbus_probe *probe, unsigned member, uint64_t base,
			    struct rbs_node *node, unsigned desc)
{
	struct rbs_value value = rbs_layout_read(&probe->layout, member, probe->target, base);

	rbs_node_set(node, vmbus_desc(desc), value);
	return value;
}

bool vmbus_has(struct rbs_node *node, const struct rbs_value *value, const char *what)
{
	struct rbs_error error;

	if (value->code == RBS_NO_MEMBER || value->code == RBS_NO_TYPES || rbs_value_ok(value))
		return rbs_value_ok(value);
	rbs_error_set_at(&error, value->code, value->address, "%s: %s", what,
			 rbs_code_text(value->code));
	rbs_report_add_problem(node->report, node, &error);
	return false;
}

/* enum vmbus_connect_state (drivers/hv/hyperv_vmbus.h) */
static const char *connection_state_name(uint64_t state)
{
	static const char *const names[] = {"disconnected", "connecting", "connected",
					    "disconnecting"};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

static void connection_read(struct vmbus_probe *probe, uint64_t connection)
{
	struct rbs_node *section = probe->context->section->node;
	struct rbs_value state =
		rbs_layout_read(&probe->layout, HV_CONNECTION_STATE, probe->target, connection);
	uint64_t address, version;
	enum rbs_code code;
	char text[32];

	code = rbs_symbols_find_either(&probe->context->dump->symbols, "hv_vmbus",
				       "vmbus_proto_version", &address, NULL);
	if (code == RBS_OK)
		code = rbs_target_read_uint(probe->target, address, 4, &version, NULL);
	if (code != RBS_OK && code != RBS_NO_SYMBOL) {
		rbs_node_set_absent(section, vmbus_desc(VMBUS_D_PROTOCOL), code);
	} else if (code == RBS_OK) {
		snprintf(text, sizeof(text), "%" PRIu64 ".%" PRIu64, version >> 16,
			 version & 0xffff);
		rbs_node_set_text(section, vmbus_desc(VMBUS_D_PROTOCOL), text);
	}
	if (rbs_value_ok(&state))
		rbs_node_set_text(section, vmbus_desc(VMBUS_D_CONNECTION),
				  connection_state_name(state.number));
	else
		rbs_node_set_absent(section, vmbus_desc(VMBUS_D_CONNECTION), state.code);
	for (unsigned i = 0; i < 2; i++) {
		struct rbs_value page = rbs_layout_read_element(
			&probe->layout, HV_CONNECTION_MONITORS, probe->target, connection, i);

		vmbus_has(section, &page, "the monitor pages");
		probe->monitors[i] = rbs_value_or(&page, 0);
	}
}

struct rbs_node *vmbus_channel_find(const struct vmbus_device *device, uint64_t channel)
{
	for (size_t i = 0; i < device->channel_count; i++) {
		if (device->channels[i].address == channel)
			return device->channels[i].node;
	}
	return NULL;
}

/*
 * True when the driver is built in but not on Hyper-V: the list's head, zero at first, is set up by
 * vmbus_connect() (drivers/hv/connection.c).
 */
static bool never_connected(const struct vmbus_probe *probe, uint64_t connection)
{
	uint64_t first;

	return rbs_target_read_pointer(
		       probe->target,
		       connection + rbs_layout_offset(&probe->layout, HV_CONNECTION_CHANNELS),
		       &first, NULL) == RBS_OK &&
	       !first;
}

static enum rbs_code vmbus_run(struct rbs_probe_context *context, bool *absent,
			       struct rbs_error *err)
{
	struct vmbus_probe probe = {.context = context, .target = context->dump->target};
	uint64_t connection;
	enum rbs_code code;

	if (context->dump->is_freebsd)
		return vmbus_freebsd_run(context, absent, err);
	code = rbs_symbols_find_either(&context->dump->symbols, "hv_vmbus", "vmbus_connection",
				       &connection, err);
	if (code == RBS_NO_SYMBOL) {
		*absent = true;
		return rbs_error_set(err, code,
				     "no VMBus: neither the kernel nor a loaded module has the "
				     "symbol vmbus_connection");
	}
	if (code == RBS_OK)
		code = rbs_layout_init(&probe.layout, entries, HV_COUNT, &context->dump->types,
				       "hv_vmbus", err);
	if (code == RBS_OK && never_connected(&probe, connection)) {
		*absent = true;
		code = rbs_error_set(err, RBS_NO_SYMBOL,
				     "no VMBus: its driver is there, but was never connected to a "
				     "host");
	} else if (code == RBS_OK) {
		context->section->types = probe.layout.answered;
		connection_read(&probe, connection);
		code = vmbus_channels_walk(&probe, connection, err);
	}
	rbs_layout_deinit(&probe.net_layout);
	rbs_layout_deinit(&probe.storage_layout);
	rbs_layout_deinit(&probe.layout);
	return code;
}

const struct rbs_probe rbs_vmbus_probe = {
	.family = &vmbus_family, .of_freebsd = true, .run = vmbus_run};
