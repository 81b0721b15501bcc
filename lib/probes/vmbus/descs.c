/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/vmbus/vmbus.h"

/* Offsets into a ring's data: they start again at its size. */
#define INDEX(name_, level_, format_, place_, header_, unit_, meaning_, high_)                     \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_##level_,                     \
		.format = RBS_FORMAT_##format_, .place = RBS_PLACE_##place_,                       \
		.wrap = RBS_WRAP_SIZE, .metric = true, .unit = unit_, .meaning = meaning_,         \
		.high = high_                                                                      \
	}

static const struct rbs_desc descs[VMBUS_D_COUNT] = {
	[VMBUS_D_PROTOCOL] = RBS_IS("protocol_version", SECTION, TEXT, TITLE, "protocol",
				    "VMBus protocol version that guest and host agreed on"),
	[VMBUS_D_CONNECTION] = RBS_IS("connection_state", SECTION, TEXT, TITLE, NULL,
				      "state of the connection to the host"),
	[VMBUS_D_CLASS] =
		RBS_IS("class", DEVICE, TEXT, TITLE, NULL, "what the device is, by its class GUID"),
	[VMBUS_D_NETDEV] = RBS_IS("netdev", DEVICE, TEXT, TITLE, NULL, "network interface"),
	[VMBUS_D_HOST] = RBS_IS("scsi_host", DEVICE, TEXT, TITLE, NULL, "SCSI host"),
	[VMBUS_D_DISK] =
		RBS_IS("disks", DEVICE, TEXT, TITLE, NULL, "block devices behind the SCSI host"),
	[VMBUS_D_DRIVER] =
		RBS_IS("driver", DEVICE, TEXT, TITLE, NULL, "driver bound to the device"),
	[VMBUS_D_UNIT] = RBS_IS("unit", DEVICE, DECIMAL, HIDDEN, NULL,
				"FreeBSD: number of the device among its driver's"),
	[VMBUS_D_SYSCTL] = RBS_IS("sysctl_form", SECTION, DECIMAL, HIDDEN, NULL,
				  "FreeBSD: which text its sysctl has for a ring, 1 to 3"),
	[VMBUS_D_CLASS_ID] = RBS_IS("class_id", DEVICE, TEXT, VERBOSE, NULL, "class GUID"),
	[VMBUS_D_INSTANCE] = RBS_IS("instance_id", DEVICE, TEXT, VERBOSE, NULL,
				    "FreeBSD: instance GUID (Linux: the device's name)"),
	[VMBUS_D_DEVICE_STATE] = RBS_IS("state", DEVICE, DECIMAL, VERBOSE, NULL,
					"state of the primary channel as sysfs prints it; "
					"FreeBSD: its flags or state"),
	[VMBUS_D_ID] = RBS_IS("id", DEVICE, DECIMAL, VERBOSE, NULL, "relid of the primary channel"),
	[VMBUS_D_VENDOR] = RBS_IS("vendor", DEVICE, HEX, VERBOSE, NULL, "vendor id"),
	[VMBUS_D_DEVICE] = RBS_IS("device", DEVICE, HEX, VERBOSE, NULL, "device id"),
	[VMBUS_D_OVERRIDE] = RBS_IS("driver_override", DEVICE, TEXT, HIDDEN, NULL,
				    "the only driver that may bind, when one was named"),
	[VMBUS_D_SUB_OFFERED] =
		RBS_COUNTS("sub_channels_offered", DEVICE, DECIMAL, TITLE, "sub-channels offered",
			   NULL, "sub-channels that the host offered", NULL),
	[VMBUS_D_SUB_OPENED] = RBS_COUNTS("sub_channels_opened", DEVICE, DECIMAL, TITLE, "opened",
					  NULL, "sub-channels that the driver opened", NULL),
	[VMBUS_D_MONITOR_ID] = RBS_IS("monitor_id", DEVICE, DECIMAL, VERBOSE, NULL,
				      "bit of the monitor page that signals the channel"),
	[VMBUS_D_SERVER_PENDING] =
		RBS_COUNTS("server_monitor_pending", DEVICE, DECIMAL, VERBOSE, NULL, NULL,
			   "pending bits of the channel's group, host's page", NULL),
	[VMBUS_D_CLIENT_PENDING] =
		RBS_COUNTS("client_monitor_pending", DEVICE, DECIMAL, VERBOSE, NULL, NULL,
			   "pending bits of the channel's group, guest's page", NULL),
	[VMBUS_D_SERVER_LATENCY] = RBS_COUNTS("server_monitor_latency", DEVICE, DECIMAL, VERBOSE,
					      NULL, "100 ns", "latency hint, host's page", NULL),
	[VMBUS_D_CLIENT_LATENCY] = RBS_COUNTS("client_monitor_latency", DEVICE, DECIMAL, VERBOSE,
					      NULL, "100 ns", "latency hint, guest's page", NULL),
	[VMBUS_D_SERVER_CONN_ID] = RBS_IS("server_monitor_conn_id", DEVICE, DECIMAL, VERBOSE, NULL,
					  "connection id, host's page"),
	[VMBUS_D_CLIENT_CONN_ID] = RBS_IS("client_monitor_conn_id", DEVICE, DECIMAL, VERBOSE, NULL,
					  "connection id, guest's page"),
	[VMBUS_D_NVSP_VERSION] =
		RBS_IS("nvsp_version", DEVICE, HEX, VERBOSE, NULL, "netvsc protocol version"),
	[VMBUS_D_VF_NETDEV] = RBS_IS("vf_netdev", DEVICE, TEXT, TITLE, "VF",
				     "virtual function that carries the traffic beside netvsc"),
	[VMBUS_D_DATA_PATH_VF] = RBS_IS("data_path_is_vf", DEVICE, BOOL, VERBOSE, NULL,
					"the host was told to send through the virtual function"),
	[VMBUS_D_NET_DESTROY] =
		RBS_IS("destroy", DEVICE, BOOL, VERBOSE, NULL, "the device is being torn down"),
	[VMBUS_D_NET_TX_DISABLE] = RBS_IS("tx_disable", DEVICE, BOOL, VERBOSE, NULL,
					  "the driver refuses to wake transmit queues"),
	[VMBUS_D_NET_CHANNELS] =
		RBS_IS("num_chn", DEVICE, DECIMAL, VERBOSE, NULL, "channels that netvsc uses"),
	[VMBUS_D_TX_SCATTERED] = RBS_COUNTS("tx_scattered", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					    "packets copied into scattered buffers", NULL),
	[VMBUS_D_TX_NO_MEMORY] =
		RBS_COUNTS("tx_no_memory", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets dropped for want of memory", "memory pressure"),
	[VMBUS_D_TX_NO_SPACE] = RBS_COUNTS("tx_no_space", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					   "packets dropped for want of ring space",
					   "the host does not drain the ring"),
	[VMBUS_D_TX_TOO_BIG] = RBS_COUNTS("tx_too_big", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					  "packets dropped as too big", NULL),
	[VMBUS_D_TX_BUSY] =
		RBS_COUNTS("tx_busy", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "sends that found the queue busy", "the host does not drain the ring"),
	[VMBUS_D_TX_SEND_FULL] = RBS_COUNTS("tx_send_full", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					    "sends that found the send buffer full",
					    "the host does not complete sends in time"),
	[VMBUS_D_RX_COMP_BUSY] = RBS_COUNTS("rx_comp_busy", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					    "receive completions that found the ring full",
					    "the host does not drain the ring"),
	[VMBUS_D_RX_NO_MEMORY] =
		RBS_COUNTS("rx_no_memory", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "received packets dropped for want of memory", "memory pressure"),
	[VMBUS_D_STOP_QUEUE] =
		RBS_COUNTS("stop_queue", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "times that a transmit queue was stopped", "the ring was full"),
	[VMBUS_D_WAKE_QUEUE] = RBS_COUNTS("wake_queue", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					  "times that a transmit queue was woken", NULL),
	[VMBUS_D_VLAN_ERROR] = RBS_COUNTS("vlan_error", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					  "packets dropped for a bad VLAN tag", NULL),
	[VMBUS_D_VF_RX_PACKETS] = RBS_COUNTS("vf_rx_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					     "packets received through the virtual function", NULL),
	[VMBUS_D_VF_RX_BYTES] = RBS_COUNTS("vf_rx_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
					   "bytes received through it", NULL),
	[VMBUS_D_VF_TX_PACKETS] = RBS_COUNTS("vf_tx_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					     "packets sent through it", NULL),
	[VMBUS_D_VF_TX_BYTES] = RBS_COUNTS("vf_tx_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
					   "bytes sent through it", NULL),
	[VMBUS_D_VF_TX_DROPPED] = RBS_COUNTS("vf_tx_dropped", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					     "packets that it dropped", NULL),
	[VMBUS_D_OUTSTANDING] = RBS_COUNTS(
		"num_outstanding_req", DEVICE, DECIMAL, TITLE, "requests outstanding", NULL,
		"SCSI requests that the host has not completed", "the host does not answer"),
	[VMBUS_D_SUBCHANNEL] = RBS_IS("sub_channel", CHANNEL, DECIMAL, COLUMN, "SUB",
				      "sub-channel number; 0 is the primary"),
	[VMBUS_D_CPU] = RBS_IS("target_cpu", CHANNEL, DECIMAL, COLUMN, "CPU",
			       "CPU that the host interrupts"),
	[VMBUS_D_STATE] = RBS_IS("state", CHANNEL, TEXT, COLUMN, "STATE",
				 "offer, opening, closed (may be opened), opened"),
	[VMBUS_D_STATE_NUMBER] = RBS_IS("state_number", CHANNEL, DECIMAL, VERBOSE, NULL,
					"the same as sysfs prints it; FreeBSD: flags or state"),
	[VMBUS_D_RESCINDED] = RBS_IS("rescinded", CHANNEL, BOOL, COLUMN_IF, "RESC",
				     "the host took the channel back"),
	[VMBUS_D_INTERRUPTS] = RBS_COUNTS("interrupts", CHANNEL, DECIMAL, COUNTER, "INTRS", NULL,
					  "interrupts that the host sent for the channel", NULL),
	[VMBUS_D_EVENTS] = RBS_COUNTS("events", CHANNEL, DECIMAL, COUNTER, "EVENTS", NULL,
				      "times that the guest signalled the host (sig_events)", NULL),
	[VMBUS_D_INTR_IN_FULL] =
		RBS_COUNTS("intr_in_full", CHANNEL, DECIMAL, COUNTER, "IN_FULL", NULL,
			   "signals to the host because the inbound ring had been full",
			   "the guest was slow to read"),
	[VMBUS_D_INTR_OUT_EMPTY] =
		RBS_COUNTS("intr_out_empty", CHANNEL, DECIMAL, COUNTER, "OUT_EMPTY", NULL,
			   "signals to the host because the outbound ring had been empty", NULL),
	[VMBUS_D_OUT_FULL_FIRST] =
		RBS_COUNTS("out_full_first", CHANNEL, DECIMAL, COUNTER, "FULL_FIRST", NULL,
			   "times that the outbound ring became full", "the host was slow to read"),
	[VMBUS_D_OUT_FULL_TOTAL] =
		RBS_COUNTS("out_full_total", CHANNEL, DECIMAL, COUNTER, "FULL_TOTAL", NULL,
			   "writes that found the outbound ring full", "the host was slow to read"),
	[VMBUS_D_OUT_FULL_FLAG] = RBS_IS("out_full_flag", CHANNEL, BOOL, VERBOSE, "FULL_NOW",
					 "the outbound ring was full at the last write"),
	[VMBUS_D_CH_MONITOR_ID] = RBS_IS("monitor_id", CHANNEL, DECIMAL, VERBOSE, "MONITOR",
					 "bit of the monitor page that signals the channel"),
	[VMBUS_D_PENDING] = RBS_COUNTS("pending", CHANNEL, DECIMAL, VERBOSE, "PENDING", NULL,
				       "pending bits of the channel's monitor group", NULL),
	[VMBUS_D_LATENCY] = RBS_COUNTS("latency", CHANNEL, DECIMAL, VERBOSE, "LATENCY", "100 ns",
				       "latency hint of the monitor page", NULL),
	[VMBUS_D_DEDICATED] = RBS_IS("dedicated_interrupt", CHANNEL, BOOL, VERBOSE, "DEDICATED",
				     "the channel has an interrupt of its own"),
	[VMBUS_D_CONNECTION_ID] = RBS_IS("connection_id", CHANNEL, DECIMAL, VERBOSE, "CONNECTION",
					 "id that the guest signals with"),
	[VMBUS_D_REQUESTS] =
		RBS_COUNTS("requests_outstanding", CHANNEL, DECIMAL, COUNTER, "REQS", NULL,
			   "requests of the channel that the host has not completed",
			   "the host does not answer"),
	[VMBUS_D_REQUESTOR_SIZE] = RBS_IS("requestor_size", CHANNEL, DECIMAL, VERBOSE, "REQ_SIZE",
					  "requests that the channel can have outstanding"),
	[VMBUS_D_MAX_PKT_SIZE] = RBS_IS("max_pkt_size", CHANNEL, DECIMAL, VERBOSE, "MAX_PKT",
					"longest packet that the guest accepts"),
	[VMBUS_D_QUEUE] =
		RBS_IS("queue", CHANNEL, DECIMAL, COUNTER, "QUEUE", "netvsc queue of the channel"),
	[VMBUS_D_QUEUE_SENDS] = RBS_COUNTS("queue_sends", CHANNEL, DECIMAL, COUNTER, "SENDS", NULL,
					   "sends that the host has not completed",
					   "the host does not complete sends"),
	[VMBUS_D_TX_STOPPED] = RBS_IS("tx_stopped", CHANNEL, BOOL, COUNTER, "TX_STOP",
				      "the transmit queue is stopped"),
	[VMBUS_D_NAPI_STATE] = RBS_IS("napi_state", CHANNEL, HEX, COUNTER, "NAPI",
				      "NAPI state bits: 1 scheduled, 2 missed, 4 disabled"),
	[VMBUS_D_RX_COMPLETIONS] =
		RBS_COUNTS("rx_completions", CHANNEL, DECIMAL, COUNTER, "RX_COMP", NULL,
			   "receive completions that wait to be sent", "the outbound ring is full"),
	[VMBUS_D_TX_PACKETS] = RBS_COUNTS("tx_packets", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					  "packets sent", NULL),
	[VMBUS_D_TX_BYTES] = RBS_COUNTS("tx_bytes", CHANNEL, DECIMAL, VERBOSE, NULL, "bytes",
					"bytes sent", NULL),
	[VMBUS_D_TX_XDP_XMIT] = RBS_COUNTS("tx_xdp_xmit", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					   "packets sent by XDP", NULL),
	[VMBUS_D_RX_PACKETS] = RBS_COUNTS("rx_packets", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					  "packets received", NULL),
	[VMBUS_D_RX_BYTES] = RBS_COUNTS("rx_bytes", CHANNEL, DECIMAL, VERBOSE, NULL, "bytes",
					"bytes received", NULL),
	[VMBUS_D_RX_BROADCAST] = RBS_COUNTS("rx_broadcast", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					    "broadcast packets received", NULL),
	[VMBUS_D_RX_MULTICAST] = RBS_COUNTS("rx_multicast", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					    "multicast packets received", NULL),
	[VMBUS_D_RX_XDP_DROP] = RBS_COUNTS("rx_xdp_drop", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					   "packets dropped by XDP", NULL),
	[VMBUS_D_RX_XDP_REDIRECT] = RBS_COUNTS("rx_xdp_redirect", CHANNEL, DECIMAL, VERBOSE, NULL,
					       NULL, "packets redirected by XDP", NULL),
	[VMBUS_D_RX_XDP_TX] = RBS_COUNTS("rx_xdp_tx", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					 "packets sent back by XDP", NULL),
	[VMBUS_D_READ_INDEX] = INDEX("read_index", RING, DECIMAL, COLUMN, "READ", "bytes",
				     "where the reader will read next", NULL),
	[VMBUS_D_WRITE_INDEX] = INDEX("write_index", RING, DECIMAL, COLUMN, "WRITE", "bytes",
				      "where the writer will write next", NULL),
	[VMBUS_D_MASK] = RBS_COUNTS("interrupt_mask", RING, DECIMAL, COLUMN, "MASK", NULL,
				    "the reader wants no interrupts", NULL),
	[VMBUS_D_READ_AVAIL] = RBS_COUNTS("read_avail", RING, DECIMAL, COLUMN, "RAVAIL", "bytes",
					  "bytes that wait to be read",
					  "the reader does not read: out: the host, in: the guest"),
	[VMBUS_D_WRITE_AVAIL] = RBS_COUNTS("write_avail", RING, DECIMAL, COLUMN, "WAVAIL", "bytes",
					   "bytes that can be written", NULL),
	[VMBUS_D_PENDING_SEND] = RBS_COUNTS("pending_send_size", RING, DECIMAL, COLUMN, "PEND",
					    "bytes", "bytes that the writer waits to write",
					    "the writer is blocked by a full ring"),
	[VMBUS_D_SIZE] = RBS_COUNTS("size", RING, DECIMAL, COLUMN, "SIZE", "bytes",
				    "bytes of data that the ring has", NULL),
	[VMBUS_D_PRIV_READ] =
		INDEX("priv_read_index", RING, DECIMAL, VERBOSE, "PRIV_READ", "bytes",
		      "the guest's own read index, ahead while packets are held", NULL),
	[VMBUS_D_ITERATOR_HELD] =
		RBS_COUNTS("iterator_held", RING, DECIMAL, VERBOSE, "HELD", "bytes",
			   "bytes that the packet iterator has read and not given back", NULL),
	[VMBUS_D_FEATURES] = RBS_IS("feature_bits", RING, HEX, VERBOSE, "FEATURES",
				    "1: the reader honours pending_send_size"),
	[VMBUS_D_SIGNALS] =
		RBS_COUNTS("guest_signals", RING, DECIMAL, VERBOSE, "SIGNALS", NULL,
			   "times that the guest signalled the host for this ring", NULL),
	[VMBUS_D_PACKET_TYPE] = RBS_IS("type", SLOT, TEXT, COLUMN, "TYPE", "packet type"),
	[VMBUS_D_PACKET_LENGTH] = RBS_COUNTS("payload_bytes", SLOT, DECIMAL, COLUMN, "BYTES",
					     "bytes", "bytes of the payload", NULL),
	[VMBUS_D_PACKET_HEADER] = RBS_COUNTS("header_bytes", SLOT, DECIMAL, COLUMN, "HDR", "bytes",
					     "bytes of the header", NULL),
	[VMBUS_D_PACKET_FLAGS] =
		RBS_IS("flags", SLOT, DECIMAL, COLUMN, "FLAGS", "1: a completion is wanted"),
	[VMBUS_D_PACKET_ID] =
		RBS_IS("transaction_id", SLOT, HEX, COLUMN, "TRANSACTION", "transaction id"),
	[VMBUS_D_PACKET_WHAT] =
		RBS_IS("what", SLOT, TEXT, COLUMN, "WHAT", "what it is, for known classes"),
};

const struct rbs_family vmbus_family = {
	.name = "vmbus",
	.title = "Hyper-V VMBus channels",
	.group = RBS_LEVEL_DEVICE,
	.row = RBS_LEVEL_RING,
	.group_noun = "device",
	.row_noun = "ring",
	.name_header = {[RBS_LEVEL_CHANNEL] = "CH",
			[RBS_LEVEL_RING] = "RING",
			[RBS_LEVEL_SLOT] = "OFFSET"},
	.descs = descs,
	.desc_count = VMBUS_D_COUNT,
};

const struct rbs_desc *vmbus_desc(unsigned id)
{
	return &descs[id];
}
