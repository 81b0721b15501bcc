// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/vmhost/control: one command in one write. A channel is named by its
 * relid, a device by its name. Numbers are decimal.
 *
 *   stall RELID 0|1          no longer read the out ring, or read it again
 *   mask RELID 0|1           leave this in the out ring's interrupt mask
 *   rescind RELID            take the offer back
 *   offer DEVICE             offer a device that is offered on demand
 *   refuse DEVICE SUB        offer one more sub-channel, fail its opening
 *   extra DEVICE SUB         offer one more sub-channel that nobody asked for
 *   negotiate RELID          version negotiation of a utility
 *   heartbeat RELID COUNT    heartbeats
 *   frames RELID COUNT       frames for a network device
 *   vf RELID SERIAL          a virtual function is there
 *   send RELID BYTES         one packet for a socket
 *   poke RELID in|out WORD VALUE   overwrite a word of a ring's header page
 *   spoil RELID in|out NTH   clear the lengths of a waiting packet's descriptor
 *   starve CPU SECONDS       see starve.c
 */
#include "vmhost.h"
#include <linux/proc_fs.h>
#include <linux/uaccess.h>

struct arguments {
	char name[16];		/* the second word */
	u32 number;		/* the same, if it is a number */
	char word[16];		/* the third */
	u32 value;		/* the same, if it is a number */
	u32 fourth, fifth;
	struct vmhost_channel *channel;	/* whose relid is the second word */
	struct vmhost_device *device;	/* whose name is the second word */
};

struct command {
	const char *name;
	bool wants_open;	/* the second word must be an open channel */
	bool wants_device;
	int (*run)(const struct arguments *arguments);
};

static int stall(const struct arguments *arguments)
{
	arguments->channel->stalled = arguments->value;
	vmhost_signal_set(arguments->number);
	return 0;
}

static int mask(const struct arguments *arguments)
{
	arguments->channel->out.shared->interrupt_mask = arguments->value;
	return 0;
}

static int rescind(const struct arguments *arguments)
{
	vmhost_rescind(arguments->channel);
	return 0;
}

static int offer(const struct arguments *arguments)
{
	return vmhost_offer(arguments->device, 0) ? 0 : -ENOSPC;
}

static int extra(const struct arguments *arguments)
{
	return vmhost_offer(arguments->device, arguments->value) ? 0 : -ENOSPC;
}

/* The host thread, which would answer the open, waits for the lock meanwhile. */
static int refuse(const struct arguments *arguments)
{
	struct vmhost_channel *channel =
		vmhost_offer(arguments->device, arguments->value);

	if (!channel)
		return -ENOSPC;
	channel->refused = true;
	return 0;
}

static int negotiate(const struct arguments *arguments)
{
	return vmhost_utility_negotiate(arguments->channel);
}

static int heartbeat(const struct arguments *arguments)
{
	vmhost_utility_heartbeats(arguments->channel, arguments->value);
	return 0;
}

static int frames(const struct arguments *arguments)
{
	vmhost_net_frames(arguments->channel, arguments->value);
	return 0;
}

static int vf(const struct arguments *arguments)
{
	vmhost_net_vf(arguments->channel, arguments->value, true);
	return 0;
}

static int send(const struct arguments *arguments)
{
	vmhost_sock_send(arguments->channel, arguments->value);
	return 0;
}

static struct vmhost_ring *ring_of(const struct arguments *arguments)
{
	return strcmp(arguments->word, "in") ? &arguments->channel->out :
					       &arguments->channel->in;
}

static int poke(const struct arguments *arguments)
{
	u32 *header = (u32 *)ring_of(arguments)->shared;

	if (arguments->fourth >= PAGE_SIZE / sizeof(u32))
		return -EINVAL;
	header[arguments->fourth] = arguments->fifth;
	return 0;
}

static int spoil(const struct arguments *arguments)
{
	struct vmhost_ring *ring = ring_of(arguments);
	u32 nth, offset = ring->shared->read_index;
	struct vmpacket_descriptor descriptor;

	for (nth = 0; nth < arguments->fourth; nth++) {
		vmhost_ring_copy(ring, offset, &descriptor, sizeof(descriptor));
		offset = (offset + descriptor.len8 * 8 + 8) % ring->size;
	}
	/* A descriptor's first 8 bytes never wrap: all lengths are multiples of 8. */
	memset(ring->shared->buffer + offset +
	       offsetof(struct vmpacket_descriptor, offset8), 0, 2 * sizeof(u16));
	return 0;
}

static int starve(const struct arguments *arguments)
{
	return vmhost_starve_cpu(arguments->number, arguments->value);
}

static const struct command commands[] = {
	{ "stall", true, false, stall },
	{ "mask", true, false, mask },
	{ "rescind", true, false, rescind },
	{ "offer", false, true, offer },
	{ "refuse", false, true, refuse },
	{ "extra", false, true, extra },
	{ "negotiate", true, false, negotiate },
	{ "heartbeat", true, false, heartbeat },
	{ "frames", true, false, frames },
	{ "vf", true, false, vf },
	{ "send", true, false, send },
	{ "poke", true, false, poke },
	{ "spoil", true, false, spoil },
	{ "starve", false, false, starve },
};

static struct vmhost_device *device_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < vmhost_device_count; i++)
		if (!strcmp(vmhost_devices[i].name, name))
			return &vmhost_devices[i];
	return NULL;
}

static int run(const char *name, struct arguments *arguments)
{
	unsigned int i;

	/* A word that isn't a number reads as 0, which names no channel. */
	if (kstrtou32(arguments->name, 10, &arguments->number))
		arguments->number = 0;
	if (kstrtou32(arguments->word, 10, &arguments->value))
		arguments->value = 0;
	arguments->channel = vmhost_channel_at(arguments->number);
	arguments->device = device_named(arguments->name);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (strcmp(commands[i].name, name))
			continue;
		if (commands[i].wants_open &&
		    (!arguments->channel || !arguments->channel->opened))
			return -ENOTCONN;
		if (commands[i].wants_device && !arguments->device)
			return -ENODEV;
		return commands[i].run(arguments);
	}
	return -EINVAL;
}

static ssize_t control_write(struct file *file, const char __user *user,
			     size_t bytes, loff_t *position)
{
	struct arguments arguments = {};
	char line[80] = {}, name[16] = {};
	int error;

	if (bytes >= sizeof(line))
		return -E2BIG;
	if (copy_from_user(line, user, bytes))
		return -EFAULT;
	if (sscanf(line, "%15s %15s %15s %u %u", name, arguments.name,
		   arguments.word, &arguments.fourth, &arguments.fifth) < 1)
		return -EINVAL;
	mutex_lock(&vmhost_lock);
	error = run(name, &arguments);
	mutex_unlock(&vmhost_lock);
	return error ? error : bytes;
}

static int truth_open(struct inode *inode, struct file *file)
{
	return single_open(file, vmhost_truth_show, NULL);
}

static int packets_open(struct inode *inode, struct file *file)
{
	return single_open(file, vmhost_packets_show, NULL);
}

static const struct proc_ops control_operations = {
	.proc_write = control_write,
};

static const struct proc_ops truth_operations = {
	.proc_open = truth_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static const struct proc_ops packets_operations = {
	.proc_open = packets_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

int vmhost_control_create(void)
{
	struct proc_dir_entry *folder = proc_mkdir("vmhost", NULL);

	if (!folder ||
	    !proc_create("control", 0200, folder, &control_operations) ||
	    !proc_create("truth", 0400, folder, &truth_operations) ||
	    !proc_create("packets", 0400, folder, &packets_operations))
		return -ENOMEM;
	return 0;
}
