// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics in the form of the draft of 2021, which no driver asks for: the device sends itself the
 * commands over the driver's control queue, whose two ends it both holds. Nothing takes them back until
 * draft_reap().
 */
#include <linux/delay.h>
#include <linux/rtnetlink.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "statdev.h"

#define COMMANDS 3 /* NUM, KEYS, VALUES */
#define KEY 32
#define ROOM 8 /* statistics that fit */

static const char *const keys[] = {
	"rx0_packets", "rx0_bytes", "tx0_packets", "tx0_bytes",
	"a_key_of_exactly_32_bytes_no_nul",
};

struct request {
	struct virtio_net_ctrl_hdr header;
	u8 ack;
	u32 length;
	u8 *reply;
};

static struct request *requests[COMMANDS];

u32 draft_reply(u8 command, u8 *reply, u32 room)
{
	__le64 number = cpu_to_le64(ARRAY_SIZE(keys));
	u32 entry = command == 1 ? KEY : command == 2 ? 8 : 0;

	if (room < 8 + entry * ARRAY_SIZE(keys))
		return 0;
	memcpy(reply, &number, 8);
	memset(reply + 8, 0, entry * ARRAY_SIZE(keys));
	for (int i = 0; entry && i < ARRAY_SIZE(keys); i++) {
		number = cpu_to_le64(5000000000ULL + i);
		if (command == 1)
			memcpy(reply + 8 + KEY * i, keys[i], strnlen(keys[i], KEY));
		else
			memcpy(reply + 8 + 8 * i, &number, 8);
	}
	return 8 + entry * ARRAY_SIZE(keys);
}

static int request_send(struct virtqueue *vq, struct request *request, bool ack_first)
{
	struct scatterlist header, ack, reply, *all[3] = {&header};
	int err;

	sg_init_one(&header, &request->header, sizeof(request->header));
	sg_init_one(&ack, &request->ack, 1);
	sg_init_one(&reply, request->reply, request->length);
	all[1] = ack_first ? &ack : &reply;
	all[2] = ack_first ? &reply : &ack;
	err = virtqueue_add_sgs(vq, all, 1, 2, request, GFP_KERNEL);
	if (!err)
		virtqueue_kick(vq);
	return err;
}

int draft_send(struct statdev *dev, bool ack_first)
{
	int err = 0;

	rtnl_lock();
	for (int i = 0; i < COMMANDS && !err; i++) {
		struct request *request = kzalloc(sizeof(*request), GFP_KERNEL);

		if (request) {
			request->length = 8 + (i == 1 ? KEY : i == 2 ? 8 : 0) * ROOM;
			request->reply = kzalloc(request->length, GFP_KERNEL);
		}
		if (!request || !request->reply) {
			kfree(request);
			err = -ENOMEM;
			break;
		}
		request->header.class = DRAFT_CLASS;
		request->header.cmd = i;
		request->ack = 0xff;
		requests[i] = request;
		err = request_send(dev->sides[CONTROL_QUEUE].vq, request, ack_first);
	}
	rtnl_unlock();
	return err;
}

int draft_reap(struct statdev *dev)
{
	struct virtqueue *vq = dev->sides[CONTROL_QUEUE].vq;
	unsigned int length;

	rtnl_lock();
	for (int i = 0; i < COMMANDS; i++) {
		if (!virtqueue_get_buf(vq, &length)) {
			rtnl_unlock();
			return -EIO;
		}
	}
	for (int i = 0; i < COMMANDS; i++) {
		kfree(requests[i]->reply);
		kfree(requests[i]);
	}
	rtnl_unlock();
	return 0;
}
