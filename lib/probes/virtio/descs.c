/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/probes/virtio/virtio.h"

#define DEVICE(name_, format_, place_, meaning_, high_)                                            \
	{                                                                                          \
		.name = name_, .level = RBS_LEVEL_DEVICE, .format = format_, .place = place_,      \
		.meaning = meaning_, .high = high_                                                 \
	}
#define QUEUE(name_, header_, format_, meaning_, high_)                                            \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_CHANNEL, .format = format_,   \
		.place = RBS_PLACE_COLUMN, .metric = true, .meaning = meaning_, .high = high_      \
	}
#define INDEX(name_, header_, format_, meaning_, high_)                                            \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_CHANNEL, .format = format_,   \
		.place = RBS_PLACE_COLUMN, .wrap = RBS_WRAP_U16, .metric = true,                   \
		.meaning = meaning_, .high = high_                                                 \
	}
#define QUEUE_IF(name_, header_, format_, meaning_, high_)                                         \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_CHANNEL, .format = format_,   \
		.place = RBS_PLACE_COLUMN_IF, .metric = true, .meaning = meaning_, .high = high_   \
	}
#define QUEUE_IS(name_, header_, format_, place_, meaning_)                                        \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_CHANNEL, .format = format_,   \
		.place = place_, .meaning = meaning_                                               \
	}
#define QUEUE_V(name_, format_, meaning_, high_)                                                   \
	{                                                                                          \
		.name = name_, .level = RBS_LEVEL_CHANNEL, .format = format_,                      \
		.place = RBS_PLACE_VERBOSE, .metric = true, .meaning = meaning_, .high = high_     \
	}
#define COUNTER(name_, unit_, meaning_, high_)                                                     \
	{                                                                                          \
		.name = name_, .level = RBS_LEVEL_CHANNEL, .format = RBS_FORMAT_DECIMAL,           \
		.place = RBS_PLACE_COUNTER, .metric = true, .unit = unit_, .meaning = meaning_,    \
		.high = high_                                                                      \
	}
#define CHAIN(name_, header_, format_, metric_, unit_, meaning_)                                   \
	{                                                                                          \
		.name = name_, .header = header_, .level = RBS_LEVEL_SLOT, .format = format_,      \
		.place = RBS_PLACE_COLUMN, .metric = metric_, .unit = unit_, .meaning = meaning_   \
	}

static const struct rbs_desc descs[VIRTIO_D_COUNT] = {
	[VIRTIO_D_TYPE] = DEVICE("type", RBS_FORMAT_TEXT, RBS_PLACE_TITLE,
				 "what the device is (virtio device id)", NULL),
	[VIRTIO_D_NETDEV] =
		DEVICE("netdev", RBS_FORMAT_TEXT, RBS_PLACE_TITLE, "network interface", NULL),
	[VIRTIO_D_DISK] = DEVICE("disk", RBS_FORMAT_TEXT, RBS_PLACE_TITLE, "block device", NULL),
	[VIRTIO_D_DRIVER] = DEVICE("driver", RBS_FORMAT_TEXT, RBS_PLACE_TITLE,
				   "driver bound to the device", NULL),
	[VIRTIO_D_BUS_ADDRESS] = DEVICE("bus_address", RBS_FORMAT_TEXT, RBS_PLACE_TITLE,
					"PCI, mmio or ccw device that carries it", NULL),
	[VIRTIO_D_FEATURES] = DEVICE("features", RBS_FORMAT_HEX, RBS_PLACE_TITLE,
				     "negotiated feature bits", NULL),
	[VIRTIO_D_FAILED] = DEVICE("failed", RBS_FORMAT_BOOL, RBS_PLACE_TITLE_IF,
				   "the driver saw the device fail on restore",
				   "the device needs a reset before it works again"),
	[VIRTIO_D_STATUS] =
		DEVICE("status", RBS_FORMAT_HEX, RBS_PLACE_HIDDEN,
		       "device status; only the device itself knows it, not memory", NULL),
	[VIRTIO_D_STATS] = RBS_IS(
		"device_stats", DEVICE, TEXT, TITLE, "device_stats",
		"what memory still knows of the statistics that the device itself counted: "
		"live, answered, pending, stale (shown with -v), gone; none: not negotiated"),
	[VIRTIO_D_DRAFT] = RBS_IS("draft_stats", DEVICE, TEXT, TITLE, "draft_stats",
				  "the same of statistics in the form of the draft of 2021"),
	[VIRTIO_D_WAITER] = RBS_IS("control_waiter", DEVICE, TEXT, TITLE, "control_waiter",
				   "task that waits for the answer to a control command"),
	[VIRTIO_D_WAITER_PID] =
		RBS_IS("control_waiter_pid", DEVICE, DECIMAL, TITLE, "pid", "its process id"),
	[VIRTIO_D_WAITER_CPU] = RBS_IS("control_waiter_cpu", DEVICE, DECIMAL, TITLE, "cpu",
				       "the CPU it runs on, or ran last"),
	[VIRTIO_D_WAITER_RUNNING] = RBS_IS(
		"control_waiter_running", DEVICE, BOOL, TITLE, "running",
		"whether it was on that CPU when the machine stopped: then the driver spins"),
	[VIRTIO_D_WAITER_TIME] =
		RBS_COUNTS("control_waiter_on_cpu", DEVICE, DECIMAL, TITLE, "on_cpu_ns", "ns",
			   "how long it had been there without a break", NULL),
	[VIRTIO_D_WAITER_LOCK] =
		RBS_IS("control_waiter_lock", DEVICE, TEXT, VERBOSE, "by",
		       "the lock by which it is known: cvq_lock of the device, or rtnl_mutex"),
	[VIRTIO_D_CONTROL_COMMAND] =
		RBS_IS("control_command", DEVICE, TEXT, VERBOSE, "control_command",
		       "the newest command on the control queue"),
	[VIRTIO_D_CONTROL_STATE] =
		RBS_IS("control_state", DEVICE, TEXT, VERBOSE, "control_state",
		       "in flight, returned (by the device, the driver has not looked), completed"),
	[VIRTIO_D_CONTROL_ACK] = DEVICE("control_ack", RBS_FORMAT_DECIMAL, RBS_PLACE_VERBOSE,
					"its ack: 0 ok, 1 error, 255 not yet written", NULL),
	[VIRTIO_D_CONTROL_WRITTEN] =
		RBS_COUNTS("control_written", DEVICE, DECIMAL, VERBOSE, NULL, "bytes",
			   "what the device says it wrote, the ack included", NULL),
	[VIRTIO_D_STATS_CAP] =
		DEVICE("device_stats_cap", RBS_FORMAT_HEX, RBS_PLACE_VERBOSE,
		       "types of statistics that the device offered (bits, of a QUERY)", NULL),
	[VIRTIO_D_STATS_TYPES] = RBS_IS("device_stats_types", DEVICE, TEXT, VERBOSE,
					"device_stats_types", "the same by name"),
	[VIRTIO_D_STATS_REQUEST] =
		RBS_IS("device_stats_request", DEVICE, TEXT, VERBOSE, "device_stats_request",
		       "what a GET that was not taken back asks for: queue:types"),
	[VIRTIO_D_STATS_EVIDENCE] = RBS_IS("device_stats_evidence", DEVICE, TEXT, VERBOSE,
					   "device_stats_evidence", "what device_stats rests on"),
	[VIRTIO_D_STATS_LOST] = RBS_IS("device_stats_lost", DEVICE, TEXT, VERBOSE,
				       "device_stats_lost", "what of the reply is destroyed"),
	[VIRTIO_D_STATS_ENDLESS] =
		DEVICE("device_stats_endless_at", RBS_FORMAT_DECIMAL, RBS_PLACE_VERBOSE,
		       "byte of the reply where a record has size 0",
		       "the driver looks at that record for ever"),
	[VIRTIO_D_DRAFT_EVIDENCE] = RBS_IS("draft_stats_evidence", DEVICE, TEXT, VERBOSE,
					   "draft_stats_evidence", "what draft_stats rests on"),
	[VIRTIO_D_DRAFT_NUM] = RBS_COUNTS("draft_num", DEVICE, DECIMAL, VERBOSE, NULL, NULL,
					  "how many statistics the device says it has (NUM)", NULL),
	[VIRTIO_D_DRAFT_VALUE] =
		RBS_COUNTS("draft_key_*", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "a statistic of the draft of 2021, under the device's own key; with a "
			   "number where the keys are not in memory",
			   NULL),
	[VIRTIO_D_LINK_RX_PACKETS] =
		RBS_COUNTS("rx_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets received, all queues (rtnl_link_stats64)", NULL),
	[VIRTIO_D_LINK_RX_BYTES] = RBS_COUNTS("rx_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
					      "bytes of these", NULL),
	[VIRTIO_D_LINK_RX_DROPPED] = RBS_COUNTS("rx_dropped", DEVICE, DECIMAL, COUNTER, NULL, NULL,
						"received packets that driver or stack dropped",
						"malformed packets, or no room in a backlog"),
	[VIRTIO_D_LINK_RX_LENGTH] = RBS_COUNTS("rx_length_errors", DEVICE, DECIMAL, COUNTER, NULL,
					       NULL, "received packets of a wrong length",
					       "the device wrote less than a packet's header"),
	[VIRTIO_D_LINK_RX_FRAME] = RBS_COUNTS("rx_frame_errors", DEVICE, DECIMAL, COUNTER, NULL,
					      NULL, "received packets that were no frames",
					      "the device's packet headers are wrong"),
	[VIRTIO_D_LINK_RX_NOHANDLER] =
		RBS_COUNTS("rx_nohandler", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "received packets that nobody wanted", NULL),
	[VIRTIO_D_LINK_TX_PACKETS] = RBS_COUNTS("tx_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
						"packets sent, all queues", NULL),
	[VIRTIO_D_LINK_TX_BYTES] = RBS_COUNTS("tx_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
					      "bytes of these", NULL),
	[VIRTIO_D_LINK_TX_DROPPED] = RBS_COUNTS(
		"tx_dropped", DEVICE, DECIMAL, COUNTER, NULL, NULL, "packets that were not sent",
		"the ring was full or the packet could not be mapped"),
	[VIRTIO_D_LINK_TX_ERRORS] =
		RBS_COUNTS("tx_errors", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "transmit watchdog timeouts, all queues",
			   "the device did not return transmit buffers in time"),
	[VIRTIO_D_LINK_TX_FIFO] =
		RBS_COUNTS("tx_fifo_errors", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "times that a transmit ring was full where it never should be",
			   "a driver's or device's error"),
	[VIRTIO_D_CQ_COMMAND_NUM] =
		RBS_COUNTS("cq_hw_command_num", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "control commands that the device received", NULL),
	[VIRTIO_D_CQ_OK_NUM] = RBS_COUNTS("cq_hw_ok_num", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					  "of these, carried out", NULL),
	[VIRTIO_D_RX_NOTIFICATIONS] =
		RBS_COUNTS("rx*_hw_notifications", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "kicks that the device received for the queue", NULL),
	[VIRTIO_D_RX_PACKETS] = RBS_COUNTS("rx*_hw_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					   "packets that the device put into the queue", NULL),
	[VIRTIO_D_RX_BYTES] = RBS_COUNTS("rx*_hw_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
					 "bytes of these", NULL),
	[VIRTIO_D_RX_INTERRUPTS] =
		RBS_COUNTS("rx*_hw_interrupts", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "interrupts that the device raised for the queue", NULL),
	[VIRTIO_D_RX_DROPS] = RBS_COUNTS("rx*_hw_drops", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					 "packets that the device dropped (qstats rx-hw-drops)",
					 "the guest is too slow, or what came was malformed"),
	[VIRTIO_D_RX_DROP_OVERRUNS] =
		RBS_COUNTS("rx*_hw_drop_overruns", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "of these, for want of buffers (qstats rx-hw-drop-overruns)",
			   "the guest gave no receive buffers in time"),
	[VIRTIO_D_RX_CSUM_VALID] = RBS_COUNTS(
		"rx*_hw_csum_valid", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		"packets whose checksum the device found valid (qstats rx-csum-unnecessary)", NULL),
	[VIRTIO_D_RX_NEEDS_CSUM] = RBS_COUNTS("rx*_hw_needs_csum", DEVICE, DECIMAL, COUNTER, NULL,
					      NULL, "packets with an unfinished checksum", NULL),
	[VIRTIO_D_RX_CSUM_NONE] = RBS_COUNTS(
		"rx*_hw_csum_none", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		"packets whose checksum the device did not look at (qstats rx-csum-none)", NULL),
	[VIRTIO_D_RX_CSUM_BAD] = RBS_COUNTS("rx*_hw_csum_bad", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					    "packets whose checksum was wrong (qstats rx-csum-bad)",
					    "packets are damaged on their way"),
	[VIRTIO_D_RX_GSO_PACKETS] =
		RBS_COUNTS("rx*_hw_gso_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets that the device coalesced (qstats rx-hw-gro-packets)", NULL),
	[VIRTIO_D_RX_GSO_BYTES] =
		RBS_COUNTS("rx*_hw_gso_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
			   "bytes of these (qstats rx-hw-gro-bytes)", NULL),
	[VIRTIO_D_RX_GSO_PACKETS_COALESCED] = RBS_COUNTS(
		"rx*_hw_gso_packets_coalesced", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		"packets of the wire that they were made of (qstats rx-hw-gro-wire-packets)", NULL),
	[VIRTIO_D_RX_GSO_BYTES_COALESCED] =
		RBS_COUNTS("rx*_hw_gso_bytes_coalesced", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
			   "bytes of these (qstats rx-hw-gro-wire-bytes)", NULL),
	[VIRTIO_D_RX_RATELIMIT_PACKETS] =
		RBS_COUNTS("rx*_hw_ratelimit_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets dropped by a rate limit (qstats rx-hw-drop-ratelimits)",
			   "the host limits this queue"),
	[VIRTIO_D_RX_RATELIMIT_BYTES] = RBS_COUNTS("rx*_hw_ratelimit_bytes", DEVICE, DECIMAL,
						   COUNTER, NULL, "bytes", "bytes of these", NULL),
	[VIRTIO_D_TX_NOTIFICATIONS] =
		RBS_COUNTS("tx*_hw_notifications", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "kicks that the device received for the queue", NULL),
	[VIRTIO_D_TX_PACKETS] =
		RBS_COUNTS("tx*_hw_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets that the device took from the queue and sent", NULL),
	[VIRTIO_D_TX_BYTES] = RBS_COUNTS("tx*_hw_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
					 "bytes of these", NULL),
	[VIRTIO_D_TX_INTERRUPTS] =
		RBS_COUNTS("tx*_hw_interrupts", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "interrupts that the device raised for the queue", NULL),
	[VIRTIO_D_TX_DROPS] = RBS_COUNTS("tx*_hw_drops", DEVICE, DECIMAL, COUNTER, NULL, NULL,
					 "packets that the device dropped (qstats tx-hw-drops)",
					 "the host could not send"),
	[VIRTIO_D_TX_DROP_MALFORMED] =
		RBS_COUNTS("tx*_hw_drop_malformed", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "of these, because they made no sense to it (qstats tx-hw-drop-errors)",
			   "the driver wrote packets that the device refuses"),
	[VIRTIO_D_TX_CSUM_NONE] =
		RBS_COUNTS("tx*_hw_csum_none", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets without work on the checksum (qstats tx-csum-none)", NULL),
	[VIRTIO_D_TX_NEEDS_CSUM] = RBS_COUNTS(
		"tx*_hw_needs_csum", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		"packets whose checksum the device had to finish (qstats tx-needs-csum)", NULL),
	[VIRTIO_D_TX_GSO_PACKETS] =
		RBS_COUNTS("tx*_hw_gso_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets that the device had to cut (qstats tx-hw-gso-packets)", NULL),
	[VIRTIO_D_TX_GSO_BYTES] =
		RBS_COUNTS("tx*_hw_gso_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
			   "bytes of these (qstats tx-hw-gso-bytes)", NULL),
	[VIRTIO_D_TX_GSO_SEGMENTS] = RBS_COUNTS(
		"tx*_hw_gso_segments", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		"packets of the wire that came of it (qstats tx-hw-gso-wire-packets)", NULL),
	[VIRTIO_D_TX_GSO_SEGMENTS_BYTES] =
		RBS_COUNTS("tx*_hw_gso_segments_bytes", DEVICE, DECIMAL, COUNTER, NULL, "bytes",
			   "bytes of these (qstats tx-hw-gso-wire-bytes)", NULL),
	[VIRTIO_D_TX_GSO_PACKETS_NOSEG] =
		RBS_COUNTS("tx*_hw_gso_packets_noseg", DEVICE, DECIMAL, COUNTER, NULL, NULL,
			   "packets that were sent uncut", NULL),
	[VIRTIO_D_TX_GSO_BYTES_NOSEG] = RBS_COUNTS("tx*_hw_gso_bytes_noseg", DEVICE, DECIMAL,
						   COUNTER, NULL, "bytes", "bytes of these", NULL),
	[VIRTIO_D_TX_RATELIMIT_PACKETS] = RBS_COUNTS(
		"tx*_hw_ratelimit_packets", DEVICE, DECIMAL, COUNTER, NULL, NULL,
		"packets held up or dropped by a rate limit (qstats tx-hw-drop-ratelimits)",
		"the host limits this queue"),
	[VIRTIO_D_TX_RATELIMIT_BYTES] = RBS_COUNTS("tx*_hw_ratelimit_bytes", DEVICE, DECIMAL,
						   COUNTER, NULL, "bytes", "bytes of these", NULL),
	[VIRTIO_D_INDEX] = QUEUE_IS("index", NULL, RBS_FORMAT_DECIMAL, RBS_PLACE_HIDDEN,
				    "queue index of the device"),
	[VIRTIO_D_NAME] = QUEUE_IS("name", "NAME", RBS_FORMAT_TEXT, RBS_PLACE_COLUMN,
				   "the driver's name for the queue"),
	[VIRTIO_D_LAYOUT] = QUEUE_IS("layout", "LAYOUT", RBS_FORMAT_TEXT, RBS_PLACE_COLUMN,
				     "split, packed, split-in-order or packed-in-order"),
	[VIRTIO_D_SIZE] = QUEUE_IS("size", "SIZE", RBS_FORMAT_DECIMAL, RBS_PLACE_COLUMN,
				   "entries of the ring"),
	[VIRTIO_D_NUM_FREE] = QUEUE("num_free", "FREE", RBS_FORMAT_DECIMAL,
				    "descriptors that the driver can use", NULL),
	[VIRTIO_D_AVAIL_IDX] =
		INDEX("avail_idx", "AVAIL", RBS_FORMAT_DECIMAL,
		      "split: driver's index in shared memory, free-running 16 bits; packed: "
		      "position of the next descriptor that the driver fills",
		      NULL),
	[VIRTIO_D_AVAIL_SHADOW] =
		INDEX("avail_idx_shadow", "SHAD", RBS_FORMAT_DECIMAL,
		      "the driver's own copy of avail_idx",
		      "ahead of AVAIL: buffers added and not yet shown to the device"),
	[VIRTIO_D_USED_IDX] =
		INDEX("used_idx", "USED", RBS_FORMAT_DECIMAL,
		      "split: device's index in shared memory, free-running 16 bits; packed: "
		      "position after the last descriptor that the device returned",
		      NULL),
	[VIRTIO_D_LAST_USED] = INDEX("last_used_idx", "LAST", RBS_FORMAT_DECIMAL,
				     "how far the driver took returned buffers back",
				     "behind USED: the driver has not noticed (lost interrupt, or "
				     "callbacks off while it polls)"),
	[VIRTIO_D_IN_FLIGHT] =
		QUEUE("in_flight", "INFLT", RBS_FORMAT_DECIMAL,
		      "buffers that the device has not returned (16-bit avail_idx - used_idx)",
		      "outstanding requests; on receive queues, buffers waiting for data"),
	[VIRTIO_D_UNREAPED] = QUEUE_IF("unreaped", "REAP", RBS_FORMAT_DECIMAL,
				       "buffers returned by the device, not taken by the driver",
				       "the driver has not noticed: lost interrupt or starved CPU"),
	[VIRTIO_D_NUM_ADDED] = QUEUE_IF("num_added", "ADD", RBS_FORMAT_DECIMAL,
					"buffers added since the last kick",
					"the device was not told of them yet"),
	[VIRTIO_D_AVAIL_EVENT] = INDEX("avail_event", "AVEV", RBS_FORMAT_DECIMAL,
				       "the device wants a kick at this avail_idx (EVENT_IDX); "
				       "packed: the device's off_wrap",
				       NULL),
	[VIRTIO_D_USED_EVENT] = INDEX("used_event", "USEV", RBS_FORMAT_DECIMAL,
				      "the driver wants an interrupt at this used_idx "
				      "(EVENT_IDX); packed: the driver's off_wrap",
				      NULL),
	[VIRTIO_D_AVAIL_FLAGS] =
		QUEUE("avail_flags", "AF", RBS_FORMAT_DECIMAL,
		      "the driver's notification flags (split: 1 = no interrupts wanted; packed: 0 "
		      "all, 1 none, 2 at used_event)",
		      NULL),
	[VIRTIO_D_USED_FLAGS] =
		QUEUE("used_flags", "UF", RBS_FORMAT_DECIMAL,
		      "the device's notification flags (split: 1 = no kicks wanted; packed: 0 all, "
		      "1 none, 2 at avail_event)",
		      NULL),
	[VIRTIO_D_BROKEN] = QUEUE_IS("broken", "BRK", RBS_FORMAT_BOOL, RBS_PLACE_COLUMN,
				     "the driver gave the queue up after an error"),
	[VIRTIO_D_AVAIL_WRAP] = QUEUE_V("avail_wrap_counter", RBS_FORMAT_DECIMAL,
					"packed: the driver's wrap bit", NULL),
	[VIRTIO_D_USED_WRAP] = QUEUE_V("used_wrap_counter", RBS_FORMAT_DECIMAL,
				       "packed: the wrap bit of last_used_idx", NULL),
	[VIRTIO_D_DESC_ADDRESS] = QUEUE_IS("desc_address", NULL, RBS_FORMAT_ADDRESS,
					   RBS_PLACE_VERBOSE, "bus address of the descriptors"),
	[VIRTIO_D_DRIVER_ADDRESS] =
		QUEUE_IS("driver_address", NULL, RBS_FORMAT_ADDRESS, RBS_PLACE_VERBOSE,
			 "bus address of the avail ring (packed: driver event area)"),
	[VIRTIO_D_DEVICE_ADDRESS] =
		QUEUE_IS("device_address", NULL, RBS_FORMAT_ADDRESS, RBS_PLACE_VERBOSE,
			 "bus address of the used ring (packed: device event area)"),
	[VIRTIO_D_INDIRECT] = QUEUE_IS("indirect", NULL, RBS_FORMAT_BOOL, RBS_PLACE_VERBOSE,
				       "indirect descriptors were negotiated"),
	[VIRTIO_D_EVENT_IDX] = QUEUE_IS("event_idx", NULL, RBS_FORMAT_BOOL, RBS_PLACE_VERBOSE,
					"EVENT_IDX was negotiated"),
	[VIRTIO_D_EVENT_TRIGGERED] =
		QUEUE_IS("event_triggered", NULL, RBS_FORMAT_BOOL, RBS_PLACE_VERBOSE,
			 "an interrupt came since callbacks were last enabled"),
	[VIRTIO_D_BATCH_ID] =
		QUEUE_V("batch_last_id", RBS_FORMAT_HEX,
			"in order: id of the batch's last buffer (ffffffff: none)", NULL),
	[VIRTIO_D_BATCH_LEN] = QUEUE_V("batch_last_len", RBS_FORMAT_DECIMAL,
				       "in order: bytes written to the batch's last buffer", NULL),
	[VIRTIO_D_PACKETS] = COUNTER("packets", NULL, "packets, as ethtool -S counts", NULL),
	[VIRTIO_D_BYTES] = COUNTER("bytes", "bytes", "bytes, as ethtool -S counts", NULL),
	[VIRTIO_D_DROPS] = COUNTER("drops", NULL, "received packets that the driver dropped",
				   "no memory or malformed packets"),
	[VIRTIO_D_KICKS] = COUNTER("kicks", NULL, "times that the driver told the device", NULL),
	[VIRTIO_D_XDP_PACKETS] = COUNTER("xdp_packets", NULL, "packets given to XDP", NULL),
	[VIRTIO_D_XDP_TX] = COUNTER("xdp_tx", NULL, "packets sent by XDP_TX", NULL),
	[VIRTIO_D_XDP_TX_DROPS] = COUNTER("xdp_tx_drops", NULL, "XDP packets not sent",
					  "the transmit ring was full or the packet invalid"),
	[VIRTIO_D_XDP_REDIRECTS] =
		COUNTER("xdp_redirects", NULL, "packets redirected by XDP", NULL),
	[VIRTIO_D_XDP_DROPS] = COUNTER("xdp_drops", NULL, "packets dropped by XDP", NULL),
	[VIRTIO_D_TX_TIMEOUTS] = COUNTER("tx_timeouts", NULL, "transmit watchdog timeouts",
					 "the device did not return transmit buffers in time"),
	[VIRTIO_D_STOP] = COUNTER("stop", NULL, "times that the transmit queue was stopped",
				  "the ring was full"),
	[VIRTIO_D_WAKE] = COUNTER("wake", NULL, "times that it was woken", NULL),
	[VIRTIO_D_CHAIN_STATE] = CHAIN("state", "STATE", RBS_FORMAT_TEXT, false, NULL,
				       "device: in flight; used: returned, not taken back"),
	[VIRTIO_D_CHAIN_DESCRIPTORS] = CHAIN("descriptors", "DESCS", RBS_FORMAT_DECIMAL, true, NULL,
					     "descriptors of the chain, indirect ones included"),
	[VIRTIO_D_CHAIN_OUT] = CHAIN("out_bytes", "OUT", RBS_FORMAT_DECIMAL, true, "bytes",
				     "bytes that the device reads"),
	[VIRTIO_D_CHAIN_IN] = CHAIN("in_bytes", "IN", RBS_FORMAT_DECIMAL, true, "bytes",
				    "bytes that the device may write"),
	[VIRTIO_D_CHAIN_INDIRECT] = CHAIN("indirect", "IND", RBS_FORMAT_BOOL, false, NULL,
					  "the chain is an indirect table"),
	[VIRTIO_D_CHAIN_REQUEST] = CHAIN("request", "REQUEST", RBS_FORMAT_TEXT, false, NULL,
					 "what is asked of the device"),
};

const struct rbs_family virtio_family = {
	.name = "virtio",
	.title = "virtio devices and queues",
	.group = RBS_LEVEL_DEVICE,
	.row = RBS_LEVEL_CHANNEL,
	.group_noun = "device",
	.row_noun = "queue",
	.name_header = {[RBS_LEVEL_CHANNEL] = "Q", [RBS_LEVEL_SLOT] = "HEAD"},
	.descs = descs,
	.desc_count = VIRTIO_D_COUNT,
};

const struct rbs_desc *virtio_desc(unsigned id)
{
	return &descs[id];
}

const char *virtio_type_name(uint64_t type)
{
	static const char *const names[] = {
		[1] = "net",
		[2] = "block",
		[3] = "console",
		[4] = "rng",
		[5] = "balloon",
		[6] = "iomem",
		[7] = "rpmsg",
		[8] = "scsi",
		[9] = "9p",
		[10] = "mac80211",
		[11] = "rproc-serial",
		[12] = "caif",
		[16] = "gpu",
		[17] = "clock",
		[18] = "input",
		[19] = "vsock",
		[20] = "crypto",
		[21] = "signal",
		[22] = "pstore",
		[23] = "iommu",
		[24] = "memory",
		[25] = "sound",
		[26] = "fs",
		[27] = "pmem",
		[28] = "rpmb",
		[29] = "mac80211-hwsim",
		[30] = "video-encoder",
		[31] = "video-decoder",
		[32] = "scmi",
		[33] = "nitro-sec-mod",
		[34] = "i2c",
		[35] = "watchdog",
		[36] = "can",
		[38] = "param-serv",
		[39] = "audio-policy",
		[40] = "bluetooth",
		[41] = "gpio",
	};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}
