/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * statdev - a virtio network device inside the guest, for the stock virtio_net driver.
 *
 * It sends what it gets nowhere and receives nothing. What it is for is its control queue, which answers
 * commands for device statistics when, how and as far as a test wants.
 */
#ifndef STATDEV_H
#define STATDEV_H

#include <linux/virtio.h>
#include <linux/virtio_net.h>
#include <linux/virtio_ring.h>
#include <linux/wait.h>

#define PAIRS 2
#define QUEUES (2 * PAIRS + 1)
#define CONTROL_QUEUE (QUEUES - 1)
#define PIECES 16
#define REPLY_MAX 4096
#define DRAFT_CLASS 6

/* What becomes of the next statistics GET. */
enum behaviour {
	ANSWER,
	HOLD,	/* reply and ack are written, the command is not returned */
	NO_ACK, /* the reply is written, nothing else */
	IGNORE, /* nothing is written */
	SHORT,	/* returned, with the statistics of two queues only */
};

struct piece {
	u8 *memory;
	u32 length;
	bool writable;
};

struct chain {
	struct piece pieces[PIECES];
	unsigned int count;
	u16 id;
	u16 slots; /* of a packed ring */
};

/* The device's side of a queue. */
struct side {
	struct virtqueue *vq;
	u32 size;
	void *descriptors, *driver, *device;
	u16 next, used;
	bool next_wrap, used_wrap;
	bool packed;
	atomic_t kicks;
	u64 notifications;
};

struct statdev {
	struct virtio_device vdev;
	struct virtio_net_config config;
	u8 status;
	struct side sides[QUEUES];
	unsigned int queues;
	struct task_struct *worker;
	wait_queue_head_t wait;
	atomic_t work;
	atomic_t behaviour, release;
	bool held;
	struct chain held_chain;
	u32 held_length;
	bool held_answered;
	u64 commands, accepted;
	u8 request[512], reply[REPLY_MAX];
};

/* ring.c */
void side_init(struct side *side, struct virtqueue *vq, bool packed);
bool chain_take(struct side *side, struct chain *chain);
void chain_return(struct side *side, const struct chain *chain, u32 length);
u32 chain_read(const struct chain *chain, u8 *to, u32 size);
void chain_write(const struct chain *chain, u32 offset, const u8 *from, u32 length);
u32 chain_room(const struct chain *chain);
void side_interrupt(struct side *side);

/* control.c: called by the worker only */
void control_serve(struct statdev *dev);

/* statistics.c */
u64 statistics_types(void);
u32 statistics_reply(struct statdev *dev, const u8 *request, u32 length, u8 *reply, u32 room);

/* draft.c */
u32 draft_reply(u8 command, u8 *reply, u32 room);
int draft_send(struct statdev *dev, bool ack_first);
int draft_reap(struct statdev *dev);

#endif
