/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virtio - devices on the kernel's virtio bus, their queues and, for net, the driver's counters.
 *
 * Structures: drivers/virtio/virtio_ring.c (vring_virtqueue, private to that file),
 * include/linux/virtio.h, drivers/base/base.h, drivers/net/virtio_net.c. Ring formats: virtio 1.x,
 * sections 2.7 (split) and 2.8 (packed). What moved:
 * - shape (a) to 4.20: vring_virtqueue.vring, last_used_idx, no avail_idx_shadow before 4.3;
 *   (b, c) since 5.0 ("virtio_ring: split and packed": union of .split and .packed, bool
 *   packed_ring); (d) 6.0: the parts became named structures; (e) 7.x: enum vq_layout replaced
 *   packed_ring when in-order rings came.
 * - the packed used_wrap_counter was folded into bit 15 of last_used_idx in 6.0 ("virtio_ring :
 * keep used_wrap_counter in vq->last_used_idx").
 */
#ifndef RBS_PROBES_VIRTIO_H
#define RBS_PROBES_VIRTIO_H

#include "lib/layout.h"
#include "lib/probe.h"

#define VIRTIO_DEVICE_LIMIT 4096
#define VIRTIO_QUEUE_LIMIT 65536 /* queues of a device: the spec's queue_index is 16 bits */
#define VIRTIO_RING_LIMIT 32768	 /* entries of a ring: spec 2.7 and 2.8 */
#define VIRTIO_CHAIN_LIMIT 1024	 /* chains listed of one queue */
#define VIRTIO_F_VERSION_1 32
#define VIRTIO_ID_NET 1
#define VIRTIO_ID_BLOCK 2

/* Members of the device and of the bus. */
enum {
	VD_BUS_PRIVATE,
	VD_SUBSYS_DEVICES,
	VD_SUBSYS_KOBJECT,
	VD_SUBSYS_BUS,
	VD_KSET_LIST,
	VD_KOBJECT_ENTRY,
	VD_KNODE,
	VD_KNODE_DEVICE,
	VD_DEVICE_NAME,
	VD_DEVICE_KOBJECT,
	VD_DEVICE_BUS,
	VD_DEVICE_PARENT,
	VD_DEVICE_DRIVER,
	VD_DRIVER_NAME,
	VD_DEV,
	VD_ID,
	VD_FEATURES,
	VD_FAILED,
	VD_VQS,
	VD_PRIV,
	VD_COUNT,
};

/* Members of a queue. */
enum {
	VQ_VQ,
	VQ_LIST,
	VQ_NAME,
	VQ_INDEX,
	VQ_NUM_FREE,
	VQ_PACKED_RING,
	VQ_LAYOUT,
	VQ_LAYOUT_PACKED,
	VQ_LAYOUT_SPLIT_IN_ORDER,
	VQ_LAYOUT_PACKED_IN_ORDER,
	VQ_BROKEN,
	VQ_INDIRECT,
	VQ_EVENT,
	VQ_EVENT_TRIGGERED,
	VQ_NUM_ADDED,
	VQ_LAST_USED,
	VQ_LAST_USED_IN_ORDER,
	VQ_BATCH_LAST_ID,
	VQ_BATCH_LAST_LEN,
	VQ_USE_MAP,
	VQ_SPLIT_NUM,
	VQ_SPLIT_DESC,
	VQ_SPLIT_AVAIL,
	VQ_SPLIT_USED,
	VQ_SPLIT_AVAIL_SHADOW,
	VQ_SPLIT_FLAGS_SHADOW,
	VQ_SPLIT_STATE,
	VQ_SPLIT_DMA,
	VQ_PACKED_NUM,
	VQ_PACKED_DESC,
	VQ_PACKED_DRIVER,
	VQ_PACKED_DEVICE,
	VQ_PACKED_AVAIL_WRAP,
	VQ_PACKED_USED_WRAP,
	VQ_PACKED_NEXT_AVAIL,
	VQ_PACKED_EVENT_FLAGS_SHADOW,
	VQ_PACKED_STATE,
	VQ_PACKED_DMA,
	VQ_PACKED_DRIVER_DMA,
	VQ_PACKED_DEVICE_DMA,
	VQ_STATE_SPLIT_SIZE,
	VQ_STATE_SPLIT_DATA,
	VQ_STATE_SPLIT_INDIRECT,
	VQ_STATE_PACKED_SIZE,
	VQ_STATE_PACKED_DATA,
	VQ_STATE_PACKED_INDIRECT,
	VQ_STATE_PACKED_NUM,
	VQ_COUNT,
};

struct virtio_probe {
	struct rbs_probe_context *context;
	struct rbs_target *target;
	struct rbs_layout device_layout;
	struct rbs_layout queue_layout;
	struct rbs_layout net_layout;	  /* resolved when the first net device comes */
	struct rbs_layout block_layout;	  /* the same for block devices */
	struct rbs_layout control_layout; /* of what virtio_net keeps of its control queue */
};

struct virtio_queue_ref {
	uint64_t virtqueue; /* struct virtqueue */
	struct rbs_node *node;
};

struct virtio_device {
	struct rbs_node *node;
	uint64_t address; /* struct virtio_device */
	uint64_t private; /* virtio_device.priv: the driver's structure; 0 when unknown */
	uint64_t type;	  /* virtio device id; 0 when unknown */
	/* Rings are little endian with VERSION_1, else in the guest's order (spec 2.4, 6.3). */
	bool little_endian;
	enum rbs_code features_code; /* why that is not known, RBS_OK when it is */
	/* RBS_OK, or why queues, or the driver's counters of them, may be missing */
	enum rbs_code queues_code, counters_code;
	struct virtio_queue_ref *queues; /* owned */
	size_t queue_count;
};

/* Members of virtio_net's structures. */
enum {
	VN_DEV,
	VN_NETDEV_NAME,
	VN_SQ,
	VN_RQ,
	VN_MAX_PAIRS,
	VN_SQ_SIZE,
	VN_SQ_VQ,
	VN_SQ_STATS,
	VN_RQ_SIZE,
	VN_RQ_VQ,
	VN_RQ_STATS,
	VN_SQ_PACKETS,
	VN_SQ_BYTES,
	VN_SQ_XDP_TX,
	VN_SQ_XDP_TX_DROPS,
	VN_SQ_KICKS,
	VN_SQ_TX_TIMEOUTS,
	VN_SQ_STOP,
	VN_SQ_WAKE,
	VN_RQ_PACKETS,
	VN_RQ_BYTES,
	VN_RQ_DROPS,
	VN_RQ_XDP_PACKETS,
	VN_RQ_XDP_TX,
	VN_RQ_XDP_REDIRECTS,
	VN_RQ_XDP_DROPS,
	VN_RQ_KICKS,
	VN_COUNT,
};

/* Members of virtio_blk's structures. */
enum {
	VB_DISK,
	VB_DISK_NAME,
	VB_REQ_TYPE,
	VB_REQ_SECTOR,
	VB_COUNT,
};

enum virtio_layout_kind {
	VIRTIO_SPLIT,
	VIRTIO_PACKED,
	VIRTIO_SPLIT_IN_ORDER,
	VIRTIO_PACKED_IN_ORDER,
};

struct virtio_queue {
	struct rbs_node *node;
	uint64_t address;   /* struct vring_virtqueue */
	uint64_t virtqueue; /* struct virtqueue inside it */
	char name[64];
	enum virtio_layout_kind kind;
	uint32_t num;	/* ring size; 0 when unknown */
	uint64_t desc;	/* kernel virtual address of the descriptor table or ring */
	uint64_t state; /* of desc_state[] */
	uint64_t used;	/* split: the used ring */
	/* Why one of these three is not known; RBS_OK: it may still be 0 in a damaged queue */
	enum rbs_code memory_code;
	uint16_t last_used; /* split: free running; packed: position */
	uint16_t used_idx;  /* split */
	/* RBS_OK: last_used and (split) used_idx hold; else why they do not */
	enum rbs_code used_code;
	bool used_wrap; /* packed: the wrap bit of last_used */
	bool mapped;	/* addresses go through the DMA API: they need not be physical */
};

static inline bool virtio_queue_packed(const struct virtio_queue *queue)
{
	return queue->kind == VIRTIO_PACKED || queue->kind == VIRTIO_PACKED_IN_ORDER;
}

extern const struct rbs_family virtio_family;

/* Descriptions, for the files of this folder; VIRTIO_D_* index virtio_family.descs. */
enum {
	VIRTIO_D_TYPE,
	VIRTIO_D_NETDEV,
	VIRTIO_D_DISK,
	VIRTIO_D_DRIVER,
	VIRTIO_D_BUS_ADDRESS,
	VIRTIO_D_FEATURES,
	VIRTIO_D_FAILED,
	VIRTIO_D_STATUS,
	VIRTIO_D_STATS,
	VIRTIO_D_DRAFT,
	VIRTIO_D_WAITER,
	VIRTIO_D_WAITER_PID,
	VIRTIO_D_WAITER_CPU,
	VIRTIO_D_WAITER_RUNNING,
	VIRTIO_D_WAITER_TIME,
	VIRTIO_D_WAITER_LOCK,
	VIRTIO_D_CONTROL_COMMAND,
	VIRTIO_D_CONTROL_STATE,
	VIRTIO_D_CONTROL_ACK,
	VIRTIO_D_CONTROL_WRITTEN,
	VIRTIO_D_STATS_CAP,
	VIRTIO_D_STATS_TYPES,
	VIRTIO_D_STATS_REQUEST,
	VIRTIO_D_STATS_EVIDENCE,
	VIRTIO_D_STATS_LOST,
	VIRTIO_D_STATS_ENDLESS,
	VIRTIO_D_DRAFT_EVIDENCE,
	VIRTIO_D_DRAFT_NUM,
	VIRTIO_D_DRAFT_VALUE,
	VIRTIO_D_LINK_RX_PACKETS,
	VIRTIO_D_LINK_RX_BYTES,
	VIRTIO_D_LINK_RX_DROPPED,
	VIRTIO_D_LINK_RX_LENGTH,
	VIRTIO_D_LINK_RX_FRAME,
	VIRTIO_D_LINK_RX_NOHANDLER,
	VIRTIO_D_LINK_TX_PACKETS,
	VIRTIO_D_LINK_TX_BYTES,
	VIRTIO_D_LINK_TX_DROPPED,
	VIRTIO_D_LINK_TX_ERRORS,
	VIRTIO_D_LINK_TX_FIFO,
	VIRTIO_D_CQ_COMMAND_NUM,
	VIRTIO_D_CQ_OK_NUM,
	/* Fields of a record stand together, in the device's order. */
	VIRTIO_D_RX_NOTIFICATIONS,
	VIRTIO_D_RX_PACKETS,
	VIRTIO_D_RX_BYTES,
	VIRTIO_D_RX_INTERRUPTS,
	VIRTIO_D_RX_DROPS,
	VIRTIO_D_RX_DROP_OVERRUNS,
	VIRTIO_D_RX_CSUM_VALID,
	VIRTIO_D_RX_NEEDS_CSUM,
	VIRTIO_D_RX_CSUM_NONE,
	VIRTIO_D_RX_CSUM_BAD,
	VIRTIO_D_RX_GSO_PACKETS,
	VIRTIO_D_RX_GSO_BYTES,
	VIRTIO_D_RX_GSO_PACKETS_COALESCED,
	VIRTIO_D_RX_GSO_BYTES_COALESCED,
	VIRTIO_D_RX_RATELIMIT_PACKETS,
	VIRTIO_D_RX_RATELIMIT_BYTES,
	VIRTIO_D_TX_NOTIFICATIONS,
	VIRTIO_D_TX_PACKETS,
	VIRTIO_D_TX_BYTES,
	VIRTIO_D_TX_INTERRUPTS,
	VIRTIO_D_TX_DROPS,
	VIRTIO_D_TX_DROP_MALFORMED,
	VIRTIO_D_TX_CSUM_NONE,
	VIRTIO_D_TX_NEEDS_CSUM,
	VIRTIO_D_TX_GSO_PACKETS,
	VIRTIO_D_TX_GSO_BYTES,
	VIRTIO_D_TX_GSO_SEGMENTS,
	VIRTIO_D_TX_GSO_SEGMENTS_BYTES,
	VIRTIO_D_TX_GSO_PACKETS_NOSEG,
	VIRTIO_D_TX_GSO_BYTES_NOSEG,
	VIRTIO_D_TX_RATELIMIT_PACKETS,
	VIRTIO_D_TX_RATELIMIT_BYTES,
	VIRTIO_D_INDEX,
	VIRTIO_D_NAME,
	VIRTIO_D_LAYOUT,
	VIRTIO_D_SIZE,
	VIRTIO_D_NUM_FREE,
	VIRTIO_D_AVAIL_IDX,
	VIRTIO_D_AVAIL_SHADOW,
	VIRTIO_D_USED_IDX,
	VIRTIO_D_LAST_USED,
	VIRTIO_D_IN_FLIGHT,
	VIRTIO_D_UNREAPED,
	VIRTIO_D_NUM_ADDED,
	VIRTIO_D_AVAIL_EVENT,
	VIRTIO_D_USED_EVENT,
	VIRTIO_D_AVAIL_FLAGS,
	VIRTIO_D_USED_FLAGS,
	VIRTIO_D_BROKEN,
	VIRTIO_D_AVAIL_WRAP,
	VIRTIO_D_USED_WRAP,
	VIRTIO_D_DESC_ADDRESS,
	VIRTIO_D_DRIVER_ADDRESS,
	VIRTIO_D_DEVICE_ADDRESS,
	VIRTIO_D_INDIRECT,
	VIRTIO_D_EVENT_IDX,
	VIRTIO_D_EVENT_TRIGGERED,
	VIRTIO_D_BATCH_ID,
	VIRTIO_D_BATCH_LEN,
	VIRTIO_D_PACKETS,
	VIRTIO_D_BYTES,
	VIRTIO_D_DROPS,
	VIRTIO_D_KICKS,
	VIRTIO_D_XDP_PACKETS,
	VIRTIO_D_XDP_TX,
	VIRTIO_D_XDP_TX_DROPS,
	VIRTIO_D_XDP_REDIRECTS,
	VIRTIO_D_XDP_DROPS,
	VIRTIO_D_TX_TIMEOUTS,
	VIRTIO_D_STOP,
	VIRTIO_D_WAKE,
	VIRTIO_D_CHAIN_STATE,
	VIRTIO_D_CHAIN_DESCRIPTORS,
	VIRTIO_D_CHAIN_OUT,
	VIRTIO_D_CHAIN_IN,
	VIRTIO_D_CHAIN_INDIRECT,
	VIRTIO_D_CHAIN_REQUEST,
	VIRTIO_D_COUNT,
};

const struct rbs_desc *virtio_desc(unsigned id);

/* Plain name of a virtio device id ("net"), or NULL (include/uapi/linux/virtio_ids.h). */
const char *virtio_type_name(uint64_t type);

/* Read a number out of ring memory, in the ring's byte order. */
struct rbs_value virtio_ring_read(struct virtio_probe *probe, const struct virtio_device *device,
				  uint64_t address, size_t size);
/* Decode one out of a copy. */
uint64_t virtio_ring_get(struct virtio_probe *probe, const struct virtio_device *device,
			 const void *bytes, size_t size);

/* Read a member of vring_virtqueue; _show also sets it as a field of the queue's node. */
struct rbs_value virtio_queue_member_read(struct virtio_probe *probe,
					  const struct virtio_queue *queue, unsigned id);
struct rbs_value virtio_queue_member_show(struct virtio_probe *probe,
					  const struct virtio_queue *queue, unsigned id,
					  unsigned desc);

/* Read 16 bits at offset of a ring area whose address is *area, and set the field. */
struct rbs_value virtio_ring_show(struct virtio_probe *probe, const struct virtio_device *device,
				  const struct virtio_queue *queue, const struct rbs_value *area,
				  uint64_t offset, unsigned desc);

/* Set a field to the 16-bit distance of two indexes, corrupt when the ring cannot hold it. */
void virtio_difference_show(const struct virtio_queue *queue, unsigned desc,
			    const struct rbs_value *ahead, const struct rbs_value *behind);

/* The indexes and notification areas of a queue whose kind and num are known. */
void virtio_split_read(struct virtio_probe *probe, const struct virtio_device *device,
		       struct virtio_queue *queue);
void virtio_packed_read(struct virtio_probe *probe, const struct virtio_device *device,
			struct virtio_queue *queue);

/* Read all devices of the bus that can be found. The caller owns the layouts. */
enum rbs_code virtio_bus_walk(struct virtio_probe *probe, struct rbs_error *err);

/* Add the struct virtio_device at address, with all it has, to the section. */
void virtio_device_read(struct virtio_probe *probe, uint64_t address);

/*
 * Where the bus's lists are broken: net devices by the kernel's lists of interfaces. Reads those
 * that the section does not have yet; returns their number.
 */
size_t virtio_net_devices_find(struct virtio_probe *probe);

/* All queues of a device, as channels below its node. */
void virtio_queues_read(struct virtio_probe *probe, struct virtio_device *device);

/* The chains that the device or the driver still has, as slots below the queue's node. */
void virtio_chains_read(struct virtio_probe *probe, const struct virtio_device *device,
			const struct virtio_queue *queue);

/*
 * What a chain asks of the device, in words, into text; empty when nobody would know. in_bytes:
 * what the device may write. Fails when what says so cannot be read.
 */
enum rbs_code virtio_request_describe(struct virtio_probe *probe,
				      const struct virtio_device *device,
				      const struct virtio_queue *queue, uint64_t token,
				      uint64_t first_address, uint64_t first_length,
				      uint64_t in_bytes, char *text, size_t size);

/* The node of the queue whose struct virtqueue is at address, or NULL. */
struct rbs_node *virtio_queue_find(const struct virtio_device *device, uint64_t virtqueue);

/*
 * The layouts of the drivers' structures, resolved at their first use; NULL when there are no types
 * for them, which costs what depends on them and is reported once.
 */
const struct rbs_layout *virtio_net_layout(struct virtio_probe *probe);
const struct rbs_layout *virtio_block_layout(struct virtio_probe *probe);

/* Name the net_device or the disk, and add the net driver's counters to its queues. */
void virtio_net_read(struct virtio_probe *probe, struct virtio_device *device);
void virtio_block_read(struct virtio_probe *probe, struct virtio_device *device);

/* The interface's figures, after its queues' counters. */
void virtio_net_totals_show(struct virtio_probe *probe, struct virtio_device *device,
			    uint64_t netdev);

#endif
