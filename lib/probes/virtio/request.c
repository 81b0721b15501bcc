/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a chain asks for: block requests and net control commands, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/probes/virtio/control.h"

/* include/uapi/linux/virtio_blk.h: VIRTIO_BLK_T_* */
static const char *block_type_name(uint64_t type)
{
	switch (type) {
	case 0:
		return "read";
	case 1:
		return "write";
	case 4:
		return "flush";
	case 8:
		return "get id";
	case 10:
		return "get lifetime";
	case 11:
		return "discard";
	case 13:
		return "write zeroes";
	case 14:
		return "secure erase";
	case 15:
		return "zone append";
	case 16:
		return "zone report";
	default:
		return NULL;
	}
}

static bool block_type_has_sector(uint64_t type)
{
	return type == 0 || type == 1 || type == 15 || type == 16;
}

/* The driver's request (struct virtblk_req) begins with the header that the device reads. */
static enum rbs_code block_describe(struct virtio_probe *probe, const struct virtio_device *device,
				    uint64_t token, char *text, size_t size)
{
	const struct rbs_layout *layout = virtio_block_layout(probe);
	struct rbs_value type, sector;
	const char *name;

	if (!layout || !rbs_layout_has(layout, VB_REQ_TYPE) ||
	    !rbs_layout_has(layout, VB_REQ_SECTOR))
		return RBS_OK;
	type = virtio_ring_read(probe, device, token + rbs_layout_offset(layout, VB_REQ_TYPE), 4);
	sector = virtio_ring_read(probe, device, token + rbs_layout_offset(layout, VB_REQ_SECTOR),
				  8);
	if (!rbs_value_ok(&type) || !rbs_value_ok(&sector))
		return rbs_value_ok(&type) ? sector.code : type.code;
	name = block_type_name(type.number);
	if (!name)
		snprintf(text, size, "type %" PRIu64, type.number);
	else if (block_type_has_sector(type.number))
		snprintf(text, size, "%s sector %" PRIu64, name, sector.number);
	else
		snprintf(text, size, "%s", name);
	return RBS_OK;
}

struct command_name {
	uint8_t class, command;
	const char *name;
};

/* include/uapi/linux/virtio_net.h: VIRTIO_NET_CTRL_* */
static const struct command_name control_commands[] = {
	{0, 0, "rx promisc"},	     {0, 1, "rx allmulti"},	  {0, 2, "rx alluni"},
	{0, 3, "rx nomulti"},	     {0, 4, "rx nouni"},	  {0, 5, "rx nobcast"},
	{1, 0, "mac table set"},     {1, 1, "mac address set"},	  {2, 0, "vlan add"},
	{2, 1, "vlan delete"},	     {3, 0, "announce ack"},	  {4, 0, "mq pairs set"},
	{4, 1, "mq rss config"},     {4, 2, "mq hash config"},	  {5, 0, "guest offloads set"},
	{6, 0, "coalescing tx set"}, {6, 1, "coalescing rx set"}, {6, 2, "coalescing vq set"},
	{6, 3, "coalescing vq get"}, {8, 0, "stats query"},	  {8, 1, "stats get"},
};

/* With room for more than an ack, these commands are the draft's (control.h). */
static const char *control_name(uint8_t class, uint8_t command, bool has_reply)
{
	static const char *const draft[] = {"draft stats num", "draft stats keys",
					    "draft stats values"};

	if (class == CONTROL_CLASS_DRAFT && command <= CONTROL_DRAFT_VALUES && has_reply)
		return draft[command];
	for (size_t i = 0; i < sizeof(control_commands) / sizeof(control_commands[0]); i++) {
		if (control_commands[i].class == class && control_commands[i].command == command)
			return control_commands[i].name;
	}
	return "unknown command";
}

void control_command_name(const struct control_command *command, char *text, size_t size)
{
	snprintf(text, size, "%s (class %u command %u)",
		 control_name(command->class, command->command, command->reply != NULL),
		 command->class, command->command);
}

/* The first buffer of a control chain is {u8 class, u8 command} (spec 5.1.6.5). */
static enum rbs_code control_describe(struct virtio_probe *probe, const struct virtio_queue *queue,
				      uint64_t address, uint64_t length, uint64_t in_bytes,
				      char *text, size_t size)
{
	uint8_t header[2];
	enum rbs_code code;

	/* A bus address is a physical one only when no DMA API stands between. */
	if (queue->mapped || length < sizeof(header))
		return RBS_OK;
	code = rbs_target_read(probe->target, RBS_PHYSICAL, address, header, sizeof(header), NULL);
	if (code == RBS_OK)
		snprintf(text, size, "%s (class %u command %u)",
			 control_name(header[0], header[1], in_bytes > 1), header[0], header[1]);
	return code;
}

enum rbs_code virtio_request_describe(struct virtio_probe *probe,
				      const struct virtio_device *device,
				      const struct virtio_queue *queue, uint64_t token,
				      uint64_t first_address, uint64_t first_length,
				      uint64_t in_bytes, char *text, size_t size)
{
	text[0] = '\0';
	if (device->type == VIRTIO_ID_BLOCK)
		return block_describe(probe, device, token, text, size);
	if (device->type == VIRTIO_ID_NET && !strcmp(queue->name, "control"))
		return control_describe(probe, queue, first_address, first_length, in_bytes, text,
					size);
	return RBS_OK;
}
