// SPDX-License-Identifier: GPL-2.0-only
/* The control queue: every command is accepted, statistics are answered as the test asked for. */
#include "statdev.h"


/* Where the ack stands among what is writable: the piece of one byte. */
static bool ack_is_last(const struct chain *chain)
{
	for (unsigned int i = 0; i < chain->count; i++) {
		if (chain->pieces[i].writable)
			return chain->pieces[i].length != 1;
	}
	return false;
}

/* Fill in reply and (unless the test forbids it) ack; returns the bytes written. */
static u32 answer(struct statdev *dev, const struct chain *chain, enum behaviour behaviour)
{
	u32 length = chain_read(chain, dev->request, sizeof(dev->request));
	u32 room = chain_room(chain), reply = 0;
	u8 class = dev->request[0], command = dev->request[1], ack = VIRTIO_NET_OK;

	if (length < 2 || !room || behaviour == IGNORE)
		return 0;
	room = min_t(u32, room - 1, sizeof(dev->reply));
	if (class == VIRTIO_NET_CTRL_STATS && command == VIRTIO_NET_CTRL_STATS_QUERY) {
		__le64 types = cpu_to_le64(statistics_types());

		memcpy(dev->reply, &types, sizeof(types));
		reply = sizeof(types);
	} else if (class == VIRTIO_NET_CTRL_STATS && command == VIRTIO_NET_CTRL_STATS_GET) {
		/* Two queues' requests. */
		if (behaviour == SHORT)
			length = min_t(u32, length, 2 + 2 * 16);
		reply = statistics_reply(dev, dev->request + 2, length - 2, dev->reply, room);
	} else if (class == DRAFT_CLASS && room > 0) {
		reply = draft_reply(command, dev->reply, room);
	}
	chain_write(chain, ack_is_last(chain) ? 0 : 1, dev->reply, reply);
	if (behaviour != NO_ACK)
		chain_write(chain, ack_is_last(chain) ? chain_room(chain) - 1 : 0, &ack, 1);
	dev->commands++;
	dev->accepted++;
	return reply + 1;
}

static void held_release(struct statdev *dev)
{
	struct side *side = &dev->sides[CONTROL_QUEUE];

	if (!dev->held || !atomic_xchg(&dev->release, 0))
		return;
	if (!dev->held_answered)
		dev->held_length = answer(dev, &dev->held_chain, ANSWER);
	chain_return(side, &dev->held_chain, dev->held_length);
	dev->held = false;
}

void control_serve(struct statdev *dev)
{
	struct side *side = &dev->sides[CONTROL_QUEUE];
	struct chain chain;

	held_release(dev);
	while (!dev->held && chain_take(side, &chain)) {
		enum behaviour behaviour = ANSWER;
		u8 header[2] = {0};
		u32 length;

		chain_read(&chain, header, sizeof(header));
		if (header[0] == VIRTIO_NET_CTRL_STATS && header[1] == VIRTIO_NET_CTRL_STATS_GET)
			behaviour = atomic_xchg(&dev->behaviour, ANSWER);
		length = answer(dev, &chain, behaviour);
		if (behaviour == ANSWER || behaviour == SHORT) {
			chain_return(side, &chain, length);
			continue;
		}
		dev->held = true;
		dev->held_answered = behaviour == HOLD;
		dev->held_chain = chain;
		dev->held_length = length;
	}
}
