/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control - what a net device's control queue still tells of the commands that went through it.
 *
 * A command is a chain of {u8 class, u8 command}, maybe a request, then what the device writes: one
 * byte of ack and maybe a reply (virtio 1.x, 5.1.6.5; the ack comes first in
 * drivers/net/virtio_net.c, last in older drafts). The driver presets the ack to 0xff and frees
 * request and reply when it has taken the answer, so what is in memory is evidence of different
 * worth: see docs/device-stats.md.
 */
#ifndef RBS_PROBES_VIRTIO_CONTROL_H
#define RBS_PROBES_VIRTIO_CONTROL_H

#include "lib/probes/virtio/virtio.h"
#include "lib/slab.h"

#define CONTROL_BUFFERS 8
#define CONTROL_COMMANDS 64
#define CONTROL_REPLY_LIMIT (16u << 20) /* 65535 queues' statistics are less */
#define CONTROL_ACK_OK 0
#define CONTROL_ACK_PRESET 0xff
#define VIRTIO_NET_F_DEVICE_STATS 50

/* include/uapi/linux/virtio_net.h: VIRTIO_NET_CTRL_STATS */
#define CONTROL_CLASS_STATS 8
#define CONTROL_STATS_QUERY 0
#define CONTROL_STATS_GET 1
/* The class of the draft of 2021; today VIRTIO_NET_CTRL_NOTF_COAL. */
#define CONTROL_CLASS_DRAFT 6
#define CONTROL_DRAFT_NUM 0
#define CONTROL_DRAFT_KEYS 1
#define CONTROL_DRAFT_VALUES 2

enum control_place {
	CONTROL_IN_FLIGHT, /* the device has it */
	CONTROL_RETURNED,  /* the device gave it back, the driver has not looked */
	CONTROL_TAKEN,	   /* the driver took it back: its buffers are free, or someone else's */
};

struct control_buffer {
	uint64_t address; /* bus address */
	uint32_t length;
	bool writable; /* by the device */
};

struct control_command {
	enum control_place place;
	struct control_buffer buffers[CONTROL_BUFFERS];
	size_t buffer_count;
	struct rbs_value written; /* bytes, by the device's used entry */
	bool decoded;		  /* its header was read */
	uint8_t class, command;
	struct rbs_value ack;
	/* Of buffers, or NULL. */
	const struct control_buffer *request, *reply;
};

/* The bounce buffers (kernel/dma/swiotlb.c) that a queue of the DMA API may go through. */
struct control_pool {
	struct rbs_layout layout;
	uint64_t start, end; /* physical; end 0: no pool */
	uint64_t slots;	     /* io_tlb_slot[] */
};

struct control {
	struct virtio_probe *probe;
	struct virtio_device *device;
	const struct virtio_queue *queue;
	const struct rbs_layout *layout;
	struct rbs_slabs slabs;
	struct control_pool pool;
	uint64_t header; /* physical address of the driver's own command header; 0: unknown */
	uint64_t status; /* the same of its own ack */
	struct control_command commands[CONTROL_COMMANDS]; /* the newest last */
	size_t count;
	enum rbs_code
		lost;	/* why a part of the ring or of a command could not be read, or RBS_OK */
	bool has_stats; /* statistics were negotiated */
	bool told;	/* a problem says what is lost */
};

/* Members of virtio_net's structures, and of what waits. */
enum {
	CN_CTRL,
	CN_CTRL_EMBEDDED,
	CN_STATS_CAP,
	CN_LOCK_OWNER,
	CN_MAX_PAIRS,
	CN_CLASS,
	CN_STATUS,
	CN_COUNT,
};

/* The control queue of a net device: what is in it, as fields of the device's node. */
void virtio_control_read(struct virtio_probe *probe, struct virtio_device *device,
			 const struct virtio_queue *queue);

/* The commands that are in the ring, and the newest that was taken back when none is. */
void control_commands_find(struct control *control);

/* Whether entry 0 of a table of descriptors is a command's header, and what it says. */
bool control_header_read(struct control *control, const struct control_buffer *buffer,
			 uint8_t header[2]);

/* Remember why something could not be read; returns whether it could. */
bool control_note(struct control *control, enum rbs_code code);

/* Read what stands at a bus address; RBS_NOT_COUNTED when nobody can say where that is. */
enum rbs_code control_memory_read(struct control *control, uint64_t address, void *buffer,
				  size_t length);

/* The kernel's own memory behind a buffer: its state, and in *bounced whether it is elsewhere. */
void control_memory_find(struct control *control, uint64_t address, bool *bounced,
			 struct rbs_slab_object *object);
void control_pool_init(struct control *control);

/* "stats get (class 8 command 1)" */
void control_command_name(const struct control_command *command, char *text, size_t size);

/* Who waits for an answer, as fields of the device's node. */
void control_waiter_show(struct control *control);

/* The statistics of the device, and of devices of the draft. */
void control_stats_show(struct control *control);
void control_draft_show(struct control *control);

/* How much the memory of a reply is worth. */
enum control_worth {
	CONTROL_GONE,
	CONTROL_STALE,
	CONTROL_PENDING,
	CONTROL_ANSWERED,
	CONTROL_LIVE,
};
const char *control_worth_name(enum control_worth worth);

/*
 * Why no word can be said of what a reply is worth: what the best evidence rests on is not in the
 * dump. RBS_OK: worth stands. object holds the reply; of no reply its code is RBS_OK. When nobody
 * can say what became of its memory a problem tells why.
 */
enum rbs_code control_worth_lost(struct control *control, enum control_worth worth,
				 const struct rbs_slab_object *object, const char *why);

/*
 * By the ring, the ack and the allocator. A command that was taken back is STALE: whether its reply
 * still reads as one has to be seen. why (size bytes) gets the evidence in words; object what holds
 * the reply.
 */
enum control_worth control_reply_judge(struct control *control,
				       const struct control_command *command,
				       struct rbs_slab_object *object, char *why, size_t size);

/* The reply's bytes, or NULL; *length gets their number. The caller frees them. */
uint8_t *control_reply_read(struct control *control, const struct control_command *command,
			    size_t *length);

/* One kind of statistics of a queue, as the device writes it. */
struct stats_kind {
	uint8_t type;	   /* the number of its bit in device_stats_cap */
	const char *name;  /* "rx_basic" */
	unsigned first;	   /* description of its first field; VIRTIO_D_COUNT: see fields */
	size_t count;	   /* of fields, le64 each behind an 8-byte header */
	const char *queue; /* "rx", "tx" or "cq" */
};

const struct stats_kind *stats_kind_find(uint64_t type);
/* The kinds whose bits are set, joined by '+'. */
void stats_kinds_format(uint64_t bits, char *text, size_t size);

/* What a walk over a reply's records found. */
struct stats_walk {
	size_t records;
	size_t at;	  /* how far it came */
	bool whole;	  /* the records fill the reply */
	bool endless;	  /* a record of size 0 at .at: the driver would never get past it */
	bool link_header; /* it stopped at a header that a freelist's link destroyed */
};

/*
 * Walk the records of a reply as the driver does. lost: offset of 8 bytes that are destroyed, or
 * -1. With node not NULL each value becomes a field of it.
 */
void stats_records_walk(const uint8_t *reply, size_t length, int64_t lost, uint64_t queues,
			struct rbs_node *node, struct stats_walk *walk);

#endif
