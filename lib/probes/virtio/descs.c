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
