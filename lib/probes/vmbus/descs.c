/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/vmbus/vmbus.h"

#define IS(name_, level_, format_, place_, header_, meaning_)                                      \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_##level_,                     \
		.format = RBS_FORMAT_##format_, .place = RBS_PLACE_##place_, .meaning = meaning_   \
	}
#define COUNTS(name_, level_, format_, place_, header_, unit_, meaning_, high_)                    \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_##level_,                     \
		.format = RBS_FORMAT_##format_, .place = RBS_PLACE_##place_, .metric = true,       \
		.unit = unit_, .meaning = meaning_, .high = high_                                  \
	}

static const struct rbs_desc descs[VMBUS_D_COUNT] = {
	[VMBUS_D_PROTOCOL] = IS("protocol_version", SECTION, TEXT, TITLE, "protocol",
				"VMBus protocol version that guest and host agreed on"),
	[VMBUS_D_CONNECTION] = IS("connection_state", SECTION, TEXT, TITLE, NULL,
				  "state of the connection to the host"),
	[VMBUS_D_CLASS] =
		IS("class", DEVICE, TEXT, TITLE, NULL, "what the device is, by its class GUID"),
	[VMBUS_D_NETDEV] = IS("netdev", DEVICE, TEXT, TITLE, NULL, "network interface"),
	[VMBUS_D_HOST] = IS("scsi_host", DEVICE, TEXT, TITLE, NULL, "SCSI host"),
	[VMBUS_D_DISK] =
		IS("disks", DEVICE, TEXT, TITLE, NULL, "block devices behind the SCSI host"),
	[VMBUS_D_DRIVER] = IS("driver", DEVICE, TEXT, TITLE, NULL, "driver bound to the device"),
	[VMBUS_D_CLASS_ID] = IS("class_id", DEVICE, TEXT, VERBOSE, NULL, "class GUID"),
	[VMBUS_D_DEVICE_STATE] = IS("state", DEVICE, DECIMAL, VERBOSE, NULL,
				    "state of the primary channel as sysfs prints it"),
	[VMBUS_D_ID] = IS("id", DEVICE, DECIMAL, VERBOSE, NULL, "relid of the primary channel"),
	[VMBUS_D_VENDOR] = IS("vendor", DEVICE, HEX, VERBOSE, NULL, "vendor id"),
	[VMBUS_D_DEVICE] = IS("device", DEVICE, HEX, VERBOSE, NULL, "device id"),
	[VMBUS_D_SUB_OFFERED] =
		COUNTS("sub_channels_offered", DEVICE, DECIMAL, TITLE, "sub-channels offered", NULL,
		       "sub-channels that the host offered", NULL),
	[VMBUS_D_SUB_OPENED] = COUNTS("sub_channels_opened", DEVICE, DECIMAL, TITLE, "opened", NULL,
				      "sub-channels that the driver opened", NULL),
	[VMBUS_D_MONITOR_ID] = IS("monitor_id", DEVICE, DECIMAL, VERBOSE, NULL,
				  "bit of the monitor page that signals the channel"),
	[VMBUS_D_SERVER_PENDING] =
		COUNTS("server_monitor_pending", DEVICE, DECIMAL, VERBOSE, NULL, NULL,
		       "pending bits of the channel's group, host's page", NULL),
	[VMBUS_D_CLIENT_PENDING] =
		COUNTS("client_monitor_pending", DEVICE, DECIMAL, VERBOSE, NULL, NULL,
		       "pending bits of the channel's group, guest's page", NULL),
	[VMBUS_D_SERVER_LATENCY] = COUNTS("server_monitor_latency", DEVICE, DECIMAL, VERBOSE, NULL,
					  "100 ns", "latency hint, host's page", NULL),
	[VMBUS_D_CLIENT_LATENCY] = COUNTS("client_monitor_latency", DEVICE, DECIMAL, VERBOSE, NULL,
					  "100 ns", "latency hint, guest's page", NULL),
	[VMBUS_D_SERVER_CONN_ID] = IS("server_monitor_conn_id", DEVICE, DECIMAL, VERBOSE, NULL,
				      "connection id, host's page"),
	[VMBUS_D_CLIENT_CONN_ID] = IS("client_monitor_conn_id", DEVICE, DECIMAL, VERBOSE, NULL,
				      "connection id, guest's page"),
	[VMBUS_D_NVSP_VERSION] =
		IS("nvsp_version", DEVICE, HEX, VERBOSE, NULL, "netvsc protocol version"),
	[VMBUS_D_VF_NETDEV] = IS("vf_netdev", DEVICE, TEXT, TITLE, NULL,
				 "virtual function that carries the traffic beside netvsc"),
	[VMBUS_D_DATA_PATH_VF] = IS("data_path_is_vf", DEVICE, BOOL, VERBOSE, NULL,
				    "the host was told to send through the virtual function"),
	[VMBUS_D_NET_DESTROY] =
		IS("destroy", DEVICE, BOOL, VERBOSE, NULL, "the device is being torn down"),
	[VMBUS_D_NET_TX_DISABLE] = IS("tx_disable", DEVICE, BOOL, VERBOSE, NULL,
				      "the driver refuses to wake transmit queues"),
	[VMBUS_D_NET_CHANNELS] =
		IS("num_chn", DEVICE, DECIMAL, VERBOSE, NULL, "channels that netvsc uses"),
	[VMBUS_D_TX_SCATTERED] = COUNTS("tx_scattered", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					"packets copied into scattered buffers", NULL),
	[VMBUS_D_TX_NO_MEMORY] = COUNTS("tx_no_memory", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					"packets dropped for want of memory", "memory pressure"),
	[VMBUS_D_TX_NO_SPACE] = COUNTS("tx_no_space", DEVICE, DECIMAL, COUNTER, NULL, NULL,
				       "packets dropped for want of ring space",
				       "the host does not drain the ring"),
	[VMBUS_D_TX_TOO_BIG] = COUNTS("tx_too_big", DEVICE, DECIMAL, COUNTER, NULL, NULL,
				      "packets dropped as too big", NULL),
	[VMBUS_D_TX_BUSY] =
		COUNTS("tx_busy", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		       "sends that found the queue busy", "the host does not drain the ring"),
	[VMBUS_D_TX_SEND_FULL] = COUNTS("tx_send_full", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					"sends that found the send buffer full",
					"the host does not complete sends in time"),
	[VMBUS_D_RX_COMP_BUSY] = COUNTS("rx_comp_busy", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					"receive completions that found the ring full",
					"the host does not drain the ring"),
	[VMBUS_D_RX_NO_MEMORY] =
		COUNTS("rx_no_memory", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		       "received packets dropped for want of memory", "memory pressure"),
	[VMBUS_D_STOP_QUEUE] =
		COUNTS("stop_queue", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		       "times that a transmit queue was stopped", "the ring was full"),
	[VMBUS_D_WAKE_QUEUE] = COUNTS("wake_queue", DEVICE, DECIMAL, COUNTER, NULL, NULL,
				      "times that a transmit queue was woken", NULL),
	[VMBUS_D_VLAN_ERROR] = COUNTS("vlan_error", DEVICE, DECIMAL, COUNTER, NULL, NULL,
				      "packets dropped for a bad VLAN tag", NULL),
	[VMBUS_D_VF_RX_PACKETS] = COUNTS("vf_rx_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					 "packets received through the virtual function", NULL),
	[VMBUS_D_VF_RX_BYTES] = COUNTS("vf_rx_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
				       "bytes received through it", NULL),
	[VMBUS_D_VF_TX_PACKETS] = COUNTS("vf_tx_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					 "packets sent through it", NULL),
	[VMBUS_D_VF_TX_BYTES] = COUNTS("vf_tx_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
				       "bytes sent through it", NULL),
	[VMBUS_D_VF_TX_DROPPED] = COUNTS("vf_tx_dropped", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					 "packets that it dropped", NULL),
	[VMBUS_D_OUTSTANDING] =
		COUNTS("num_outstanding_req", DEVICE, DECIMAL, TITLE, "requests outstanding", NULL,
		       "SCSI requests that the host has not completed", "the host does not answer"),
	[VMBUS_D_SUBCHANNEL] = IS("sub_channel", CHANNEL, DECIMAL, COLUMN, "SUB",
				  "sub-channel number; 0 is the primary"),
	[VMBUS_D_CPU] =
		IS("target_cpu", CHANNEL, DECIMAL, COLUMN, "CPU", "CPU that the host interrupts"),
	[VMBUS_D_STATE] = IS("state", CHANNEL, TEXT, COLUMN, "STATE",
			     "offer, opening, closed (may be opened), opened"),
	[VMBUS_D_STATE_NUMBER] =
		IS("state_number", CHANNEL, DECIMAL, VERBOSE, NULL, "the same as sysfs prints it"),
	[VMBUS_D_RESCINDED] =
		IS("rescinded", CHANNEL, BOOL, COLUMN_IF, "RESC", "the host took the channel back"),
	[VMBUS_D_INTERRUPTS] = COUNTS("interrupts", CHANNEL, DECIMAL, COUNTER, "INTRS", NULL,
				      "interrupts that the host sent for the channel", NULL),
	[VMBUS_D_EVENTS] = COUNTS("events", CHANNEL, DECIMAL, COUNTER, "EVENTS", NULL,
				  "times that the guest signalled the host (sig_events)", NULL),
	[VMBUS_D_INTR_IN_FULL] =
		COUNTS("intr_in_full", CHANNEL, DECIMAL, COUNTER, "IN_FULL", NULL,
		       "signals to the host because the inbound ring had been full",
		       "the guest was slow to read"),
	[VMBUS_D_INTR_OUT_EMPTY] =
		COUNTS("intr_out_empty", CHANNEL, DECIMAL, COUNTER, "OUT_EMPTY", NULL,
		       "signals to the host because the outbound ring had been empty", NULL),
	[VMBUS_D_OUT_FULL_FIRST] =
		COUNTS("out_full_first", CHANNEL, DECIMAL, COUNTER, "FULL_FIRST", NULL,
		       "times that the outbound ring became full", "the host was slow to read"),
	[VMBUS_D_OUT_FULL_TOTAL] =
		COUNTS("out_full_total", CHANNEL, DECIMAL, COUNTER, "FULL_TOTAL", NULL,
		       "writes that found the outbound ring full", "the host was slow to read"),
	[VMBUS_D_OUT_FULL_FLAG] = IS("out_full_flag", CHANNEL, BOOL, VERBOSE, "FULL_NOW",
				     "the outbound ring was full at the last write"),
	[VMBUS_D_CH_MONITOR_ID] = IS("monitor_id", CHANNEL, DECIMAL, VERBOSE, "MONITOR",
				     "bit of the monitor page that signals the channel"),
	[VMBUS_D_PENDING] = COUNTS("pending", CHANNEL, DECIMAL, VERBOSE, "PENDING", NULL,
				   "pending bits of the channel's monitor group", NULL),
	[VMBUS_D_LATENCY] = COUNTS("latency", CHANNEL, DECIMAL, VERBOSE, "LATENCY", "100 ns",
				   "latency hint of the monitor page", NULL),
	[VMBUS_D_DEDICATED] = IS("dedicated_interrupt", CHANNEL, BOOL, VERBOSE, "DEDICATED",
				 "the channel has an interrupt of its own"),
	[VMBUS_D_CONNECTION_ID] = IS("connection_id", CHANNEL, DECIMAL, VERBOSE, "CONNECTION",
				     "id that the guest signals with"),
	[VMBUS_D_REQUESTS] = COUNTS("requests_outstanding", CHANNEL, DECIMAL, COUNTER, "REQS", NULL,
				    "requests of the channel that the host has not completed",
				    "the host does not answer"),
	[VMBUS_D_REQUESTOR_SIZE] = IS("requestor_size", CHANNEL, DECIMAL, VERBOSE, "REQ_SIZE",
				      "requests that the channel can have outstanding"),
	[VMBUS_D_MAX_PKT_SIZE] = IS("max_pkt_size", CHANNEL, DECIMAL, VERBOSE, "MAX_PKT",
				    "longest packet that the guest accepts"),
	[VMBUS_D_QUEUE] =
		IS("queue", CHANNEL, DECIMAL, COUNTER, "QUEUE", "netvsc queue of the channel"),
	[VMBUS_D_QUEUE_SENDS] =
		COUNTS("queue_sends", CHANNEL, DECIMAL, COUNTER, "SENDS", NULL,
		       "sends that the host has not completed", "the host does not complete sends"),
	[VMBUS_D_TX_STOPPED] = IS("tx_stopped", CHANNEL, BOOL, COUNTER, "TX_STOP",
				  "the transmit queue is stopped"),
	[VMBUS_D_NAPI_STATE] = IS("napi_state", CHANNEL, HEX, COUNTER, "NAPI",
				  "NAPI state bits: 1 scheduled, 2 missed, 4 disabled"),
	[VMBUS_D_RX_COMPLETIONS] =
		COUNTS("rx_completions", CHANNEL, DECIMAL, COUNTER, "RX_COMP", NULL,
		       "receive completions that wait to be sent", "the outbound ring is full"),
	[VMBUS_D_TX_PACKETS] =
		COUNTS("tx_packets", CHANNEL, DECIMAL, VERBOSE, NULL, NULL, "packets sent", NULL),
	[VMBUS_D_TX_BYTES] =
		COUNTS("tx_bytes", CHANNEL, DECIMAL, VERBOSE, NULL, "bytes", "bytes sent", NULL),
	[VMBUS_D_TX_XDP_XMIT] = COUNTS("tx_xdp_xmit", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
				       "packets sent by XDP", NULL),
	[VMBUS_D_RX_PACKETS] = COUNTS("rx_packets", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
				      "packets received", NULL),
	[VMBUS_D_RX_BYTES] = COUNTS("rx_bytes", CHANNEL, DECIMAL, VERBOSE, NULL, "bytes",
				    "bytes received", NULL),
	[VMBUS_D_RX_BROADCAST] = COUNTS("rx_broadcast", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					"broadcast packets received", NULL),
	[VMBUS_D_RX_MULTICAST] = COUNTS("rx_multicast", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					"multicast packets received", NULL),
	[VMBUS_D_RX_XDP_DROP] = COUNTS("rx_xdp_drop", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
				       "packets dropped by XDP", NULL),
	[VMBUS_D_RX_XDP_REDIRECT] = COUNTS("rx_xdp_redirect", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
					   "packets redirected by XDP", NULL),
	[VMBUS_D_RX_XDP_TX] = COUNTS("rx_xdp_tx", CHANNEL, DECIMAL, VERBOSE, NULL, NULL,
				     "packets sent back by XDP", NULL),
	[VMBUS_D_READ_INDEX] = COUNTS("read_index", RING, DECIMAL, COLUMN, "READ", "bytes",
				      "where the reader will read next", NULL),
	[VMBUS_D_WRITE_INDEX] = COUNTS("write_index", RING, DECIMAL, COLUMN, "WRITE", "bytes",
				       "where the writer will write next", NULL),
	[VMBUS_D_MASK] = COUNTS("interrupt_mask", RING, DECIMAL, COLUMN, "MASK", NULL,
				"the reader wants no interrupts", NULL),
	[VMBUS_D_READ_AVAIL] = COUNTS("read_avail", RING, DECIMAL, COLUMN, "RAVAIL", "bytes",
				      "bytes that wait to be read",
				      "the reader does not read: out: the host, in: the guest"),
	[VMBUS_D_WRITE_AVAIL] = COUNTS("write_avail", RING, DECIMAL, COLUMN, "WAVAIL", "bytes",
				       "bytes that can be written", NULL),
	[VMBUS_D_PENDING_SEND] = COUNTS("pending_send_size", RING, DECIMAL, COLUMN, "PEND", "bytes",
					"bytes that the writer waits to write",
					"the writer is blocked by a full ring"),
	[VMBUS_D_SIZE] = COUNTS("size", RING, DECIMAL, COLUMN, "SIZE", "bytes",
				"bytes of data that the ring has", NULL),
	[VMBUS_D_PRIV_READ] =
		COUNTS("priv_read_index", RING, DECIMAL, VERBOSE, "PRIV_READ", "bytes",
		       "the guest's own read index, ahead while packets are held", NULL),
	[VMBUS_D_ITERATOR_HELD] =
		COUNTS("iterator_held", RING, DECIMAL, VERBOSE, "HELD", "bytes",
		       "bytes that the packet iterator has read and not given back", NULL),
	[VMBUS_D_FEATURES] = IS("feature_bits", RING, HEX, VERBOSE, "FEATURES",
				"1: the reader honours pending_send_size"),
	[VMBUS_D_PACKET_TYPE] = IS("type", SLOT, TEXT, COLUMN, "TYPE", "packet type"),
	[VMBUS_D_PACKET_LENGTH] = COUNTS("payload_bytes", SLOT, DECIMAL, COLUMN, "BYTES", "bytes",
					 "bytes of the payload", NULL),
	[VMBUS_D_PACKET_HEADER] = COUNTS("header_bytes", SLOT, DECIMAL, COLUMN, "HDR", "bytes",
					 "bytes of the header", NULL),
	[VMBUS_D_PACKET_FLAGS] =
		IS("flags", SLOT, DECIMAL, COLUMN, "FLAGS", "1: a completion is wanted"),
	[VMBUS_D_PACKET_ID] =
		IS("transaction_id", SLOT, HEX, COLUMN, "TRANSACTION", "transaction id"),
	[VMBUS_D_PACKET_WHAT] =
		IS("what", SLOT, TEXT, COLUMN, "WHAT", "what it is, for known classes"),
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
