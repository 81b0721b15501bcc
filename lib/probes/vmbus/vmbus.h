/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmbus - Hyper-V's channels: devices that the host offered, their channels and rings.
 *
 * Structures: include/linux/hyperv.h, drivers/hv/hyperv_vmbus.h, drivers/net/hyperv/hyperv_net.h,
 * drivers/scsi/storvsc_drv.c. The ring page's fields are the hypervisor's interface; everything in
 * a ring is written by the host and is checked before it is used. Metrics have the names that
 * /sys/bus/vmbus/devices has for them (Documentation/ABI/stable/sysfs-bus-vmbus).
 */
#ifndef RBS_PROBES_VMBUS_H
#define RBS_PROBES_VMBUS_H

#include "lib/layout.h"
#include "lib/probe.h"

#define VMBUS_DEVICE_LIMIT 65536 /* channel ids are below 64 Ki in every Hyper-V version */
#define VMBUS_SUBCHANNEL_LIMIT 4096
#define VMBUS_RING_LIMIT (1u << 28) /* bytes of a ring's data */
#define VMBUS_PACKET_LIMIT 4096	    /* packets listed of one ring */

/* vmbus_connection, channels, devices, rings */
enum {
	HV_CONNECTION_STATE,
	HV_CONNECTION_CHANNELS,
	HV_CONNECTION_MONITORS,
	HV_CONNECTED,
	HV_CH_LIST,
	HV_CH_SUB_LIST,
	HV_CH_DEVICE,
	HV_CH_STATE,
	HV_CH_RESCIND,
	HV_CH_RELID,
	HV_CH_SUB_INDEX,
	HV_CH_CLASS,
	HV_CH_INSTANCE,
	HV_CH_MONITOR_ID,
	HV_CH_MONITOR_ALLOCATED,
	HV_CH_CONNECTION_ID,
	HV_CH_DEDICATED,
	HV_CH_TARGET_CPU,
	HV_CH_INTERRUPTS,
	HV_CH_EVENTS,
	HV_CH_INTR_OUT_EMPTY,
	HV_CH_INTR_IN_FULL,
	HV_CH_OUT_FULL_TOTAL,
	HV_CH_OUT_FULL_FIRST,
	HV_CH_OUT_FULL_FLAG,
	HV_CH_OUTBOUND,
	HV_CH_INBOUND,
	HV_CH_REQ_BITMAP,
	HV_CH_REQ_SIZE,
	HV_CH_MAX_PKT_SIZE,
	HV_CH_OFFER,
	HV_CH_OPENING,
	HV_CH_OPEN,
	HV_CH_OPENED,
	HV_RING_BUFFER,
	HV_RING_SIZE,
	HV_RING_DATASIZE,
	HV_RING_PRIV_READ,
	HV_PAGE_WRITE,
	HV_PAGE_READ,
	HV_PAGE_MASK,
	HV_PAGE_PENDING,
	HV_PAGE_FEATURES,
	HV_PAGE_DATA,
	HV_DEV_DEVICE,
	HV_DEV_VENDOR,
	HV_DEV_DEVICE_ID,
	HV_DEV_OVERRIDE,
	HV_DEVICE_DRIVER,
	HV_DEVICE_DRIVER_DATA,
	HV_DRIVER_NAME,
	HV_MONITOR_GROUPS,
	HV_MONITOR_GROUP_SIZE,
	HV_MONITOR_PENDING,
	HV_MONITOR_LATENCY,
	HV_MONITOR_PARAMETERS,
	HV_MONITOR_PARAMETER_SIZE,
	HV_MONITOR_CONNECTION,
	HV_COUNT,
};

struct vmbus_probe {
	struct rbs_probe_context *context;
	struct rbs_target *target;
	struct rbs_layout layout;
	struct rbs_layout net_layout, storage_layout; /* at their first use */
	struct rbs_layout bus_layout;		      /* FreeBSD's devices */
	uint64_t monitors[2]; /* host to guest, guest to host; 0 when there is none */
};

/* What stands behind a channel: decides how its packets read. */
enum vmbus_class {
	VMBUS_CLASS_OTHER,
	VMBUS_CLASS_NET,
	VMBUS_CLASS_STORAGE, /* SCSI, IDE, Fibre Channel */
	VMBUS_CLASS_UTIL,
	VMBUS_CLASS_SOCKET,
};

struct vmbus_device {
	/* Why what the driver knows of it, or a part of that, is not known; RBS_OK: none is lost */
	enum rbs_code lost;
	struct rbs_node *node;
	uint64_t channel; /* the primary vmbus_channel */
	uint64_t device;  /* struct hv_device; 0 when it was never made */
	uint64_t driver_data;
	enum vmbus_class class;
	char driver[64];
	uint64_t net_context;		    /* struct net_device_context; 0 when unknown */
	uint64_t net;			    /* struct netvsc_device; 0 when unknown */
	struct vmbus_channel_ref *channels; /* owned */
	size_t channel_count;
};

struct vmbus_channel_ref {
	uint64_t address;
	struct rbs_node *node;
};

struct vmbus_ring {
	struct rbs_node *node;
	const struct vmbus_device *device;
	bool inbound;
	uint64_t page; /* kernel virtual address of the ring page ... */
	uint64_t data; /* ... and of the data behind it */
	uint32_t size; /* bytes of data */
	uint32_t read, write;
};

/* Descriptions: vmbus_family.descs by these. */
enum {
	VMBUS_D_PROTOCOL,
	VMBUS_D_CONNECTION,
	VMBUS_D_CLASS,
	VMBUS_D_NETDEV,
	VMBUS_D_HOST,
	VMBUS_D_DISK,
	VMBUS_D_DRIVER,
	VMBUS_D_UNIT,
	VMBUS_D_SYSCTL,
	VMBUS_D_CLASS_ID,
	VMBUS_D_INSTANCE,
	VMBUS_D_DEVICE_STATE,
	VMBUS_D_ID,
	VMBUS_D_VENDOR,
	VMBUS_D_DEVICE,
	VMBUS_D_OVERRIDE,
	VMBUS_D_SUB_OFFERED,
	VMBUS_D_SUB_OPENED,
	VMBUS_D_MONITOR_ID,
	VMBUS_D_SERVER_PENDING,
	VMBUS_D_CLIENT_PENDING,
	VMBUS_D_SERVER_LATENCY,
	VMBUS_D_CLIENT_LATENCY,
	VMBUS_D_SERVER_CONN_ID,
	VMBUS_D_CLIENT_CONN_ID,
	VMBUS_D_NVSP_VERSION,
	VMBUS_D_VF_NETDEV,
	VMBUS_D_DATA_PATH_VF,
	VMBUS_D_NET_DESTROY,
	VMBUS_D_NET_TX_DISABLE,
	VMBUS_D_NET_CHANNELS,
	VMBUS_D_TX_SCATTERED,
	VMBUS_D_TX_NO_MEMORY,
	VMBUS_D_TX_NO_SPACE,
	VMBUS_D_TX_TOO_BIG,
	VMBUS_D_TX_BUSY,
	VMBUS_D_TX_SEND_FULL,
	VMBUS_D_RX_COMP_BUSY,
	VMBUS_D_RX_NO_MEMORY,
	VMBUS_D_STOP_QUEUE,
	VMBUS_D_WAKE_QUEUE,
	VMBUS_D_VLAN_ERROR,
	VMBUS_D_VF_RX_PACKETS,
	VMBUS_D_VF_RX_BYTES,
	VMBUS_D_VF_TX_PACKETS,
	VMBUS_D_VF_TX_BYTES,
	VMBUS_D_VF_TX_DROPPED,
	VMBUS_D_OUTSTANDING,
	VMBUS_D_SUBCHANNEL,
	VMBUS_D_CPU,
	VMBUS_D_STATE,
	VMBUS_D_STATE_NUMBER,
	VMBUS_D_RESCINDED,
	VMBUS_D_INTERRUPTS,
	VMBUS_D_EVENTS,
	VMBUS_D_INTR_IN_FULL,
	VMBUS_D_INTR_OUT_EMPTY,
	VMBUS_D_OUT_FULL_FIRST,
	VMBUS_D_OUT_FULL_TOTAL,
	VMBUS_D_OUT_FULL_FLAG,
	VMBUS_D_CH_MONITOR_ID,
	VMBUS_D_PENDING,
	VMBUS_D_LATENCY,
	VMBUS_D_DEDICATED,
	VMBUS_D_CONNECTION_ID,
	VMBUS_D_REQUESTS,
	VMBUS_D_REQUESTOR_SIZE,
	VMBUS_D_MAX_PKT_SIZE,
	VMBUS_D_QUEUE,
	VMBUS_D_QUEUE_SENDS,
	VMBUS_D_TX_STOPPED,
	VMBUS_D_NAPI_STATE,
	VMBUS_D_RX_COMPLETIONS,
	VMBUS_D_TX_PACKETS,
	VMBUS_D_TX_BYTES,
	VMBUS_D_TX_XDP_XMIT,
	VMBUS_D_RX_PACKETS,
	VMBUS_D_RX_BYTES,
	VMBUS_D_RX_BROADCAST,
	VMBUS_D_RX_MULTICAST,
	VMBUS_D_RX_XDP_DROP,
	VMBUS_D_RX_XDP_REDIRECT,
	VMBUS_D_RX_XDP_TX,
	VMBUS_D_READ_INDEX,
	VMBUS_D_WRITE_INDEX,
	VMBUS_D_MASK,
	VMBUS_D_READ_AVAIL,
	VMBUS_D_WRITE_AVAIL,
	VMBUS_D_PENDING_SEND,
	VMBUS_D_SIZE,
	VMBUS_D_PRIV_READ,
	VMBUS_D_ITERATOR_HELD,
	VMBUS_D_FEATURES,
	VMBUS_D_SIGNALS,
	VMBUS_D_PACKET_TYPE,
	VMBUS_D_PACKET_LENGTH,
	VMBUS_D_PACKET_HEADER,
	VMBUS_D_PACKET_FLAGS,
	VMBUS_D_PACKET_ID,
	VMBUS_D_PACKET_WHAT,
	VMBUS_D_COUNT,
};

extern const struct rbs_family vmbus_family;
const struct rbs_desc *vmbus_desc(unsigned id);

/* 16 bytes of a guid_t, as in memory: the first three parts are little endian. */
void vmbus_guid_format(const uint8_t *guid, char *text, size_t size);

/* Plain name and kind of a class GUID, as vmbus_guid_format() writes it. */
const char *vmbus_class_name(const char *guid, enum vmbus_class *class);

/*
 * Something that others rest on could not be read: a problem of node, once for each what. What the
 * kernel does not have is none. Returns whether it is there.
 */
bool vmbus_has(struct rbs_node *node, const struct rbs_value *value, const char *what);

/* Read a member of base through the probe's main layout, and set it as a field of node. */
struct rbs_value vmbus_show(struct vmbus_probe *probe, unsigned member, uint64_t base,
			    struct rbs_node *node, unsigned desc);

/* Walk the offered channels: devices, channels and rings below the section. */
enum rbs_code vmbus_channels_walk(struct vmbus_probe *probe, uint64_t connection,
				  struct rbs_error *err);

/* The channel's fields and rings below device->node. */
void vmbus_channel_read(struct vmbus_probe *probe, struct vmbus_device *device, uint64_t channel,
			uint64_t relid);
void vmbus_ring_read(struct vmbus_probe *probe, const struct vmbus_device *device,
		     struct rbs_node *channel, uint64_t info, bool inbound);

/*
 * The ring's size and what follows from it and its indexes, as fields; info is what the size was
 * read from. False when something is not known, or an index lies outside: then nothing follows.
 */
bool vmbus_ring_figures(struct vmbus_ring *ring, uint64_t info, struct rbs_value size,
			const struct rbs_value *read, const struct rbs_value *write);

/* freebsd.c: the same section, of a FreeBSD kernel. */
enum rbs_code vmbus_freebsd_run(struct rbs_probe_context *context, bool *absent,
				struct rbs_error *err);

/* The host's monitor page fields of a channel; nothing when the channel has no monitor. */
void vmbus_monitor_read(struct vmbus_probe *probe, uint64_t channel, struct rbs_node *node,
			bool device);

/* The packets between the indexes, as slots below the ring's node. */
void vmbus_packets_read(struct vmbus_probe *probe, const struct vmbus_ring *ring);

/* Copy bytes of the ring's data from offset (below size), over the end to the start. */
enum rbs_code vmbus_ring_copy(struct vmbus_probe *probe, const struct vmbus_ring *ring,
			      uint32_t offset, void *buffer, uint32_t length);

/* What a packet is, in words; payload is a copy of its first bytes. Empty when unknown. */
struct vmbus_packet {
	uint16_t type;
	uint64_t id;
	const uint8_t *head; /* from the start of the descriptor */
	uint32_t head_length;
	const uint8_t *payload;
	uint32_t payload_length; /* of the copy */
};
enum rbs_code vmbus_net_packet_describe(struct vmbus_probe *probe, const struct vmbus_ring *ring,
					const struct vmbus_packet *packet, char *text, size_t size);
void vmbus_storage_packet_describe(const struct vmbus_packet *packet, char *text, size_t size);
void vmbus_util_packet_describe(const struct vmbus_packet *packet, char *text, size_t size);
void vmbus_socket_packet_describe(const struct vmbus_packet *packet, char *text, size_t size);

/* The driver's own structures: found before the channels are read, shown after them. */
void vmbus_netvsc_find(struct vmbus_probe *probe, struct vmbus_device *device);
void vmbus_netvsc_read(struct vmbus_probe *probe, struct vmbus_device *device);
void vmbus_storvsc_read(struct vmbus_probe *probe, struct vmbus_device *device);
/* The netvsc_device's send or receive buffer: its address and size, 0 when unknown. */
struct rbs_value vmbus_netvsc_buffer(struct vmbus_probe *probe, const struct vmbus_device *device,
				     bool receive, uint64_t *size);

struct rbs_value vmbus_netvsc_section_size(struct vmbus_probe *probe,
					   const struct vmbus_device *device);

/* The node of the channel at that address, or NULL. */
struct rbs_node *vmbus_channel_find(const struct vmbus_device *device, uint64_t channel);

#endif
