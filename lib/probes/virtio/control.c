/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net device's control queue: its newest command, and what replies are worth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probes/virtio/control.h"

static const struct rbs_layout_entry control_entries[CN_COUNT] = {
	/* An allocation of its own since 4.17 ("virtio_net: Don't use stack for control messages").
	 */
	[CN_CTRL] = {"virtnet_info:ctrl", RBS_OPTIONAL},
	[CN_STATS_CAP] = {"virtnet_info:device_stats_cap", RBS_OPTIONAL},
	[CN_LOCK_OWNER] = {"virtnet_info:cvq_lock.owner", RBS_OPTIONAL},
	[CN_MAX_PAIRS] = {"virtnet_info:max_queue_pairs", RBS_OPTIONAL},
	[CN_CLASS] = {"control_buf:hdr", RBS_OPTIONAL},
	[CN_STATUS] = {"control_buf:status", RBS_OPTIONAL},
};

/* The same of a buffer, where that nobody knows its place is no loss. */
static bool buffer_note(struct control *control, enum rbs_code code)
{
	return code != RBS_NOT_COUNTED && control_note(control, code);
}

bool control_header_read(struct control *control, const struct control_buffer *buffer,
			 uint8_t header[2])
{
	return !buffer->writable && buffer->length == 2 &&
	       control_memory_read(control, buffer->address, header, 2) == RBS_OK;
}

/*
 * The driver's own ack, when the command is known to be the driver's own: of a freed indirect table
 * the ack's address is just what the freelist's link destroys. Bounce buffers are copied back when
 * a command is taken back, not before.
 */
static uint64_t ack_place(const struct control *control, const struct control_command *command,
			  const struct control_buffer *ack)
{
	bool own = command->buffers[0].address == control->header;

	return control->status && (own || command->place == CONTROL_TAKEN) ? control->status
									   : ack->address;
}

static enum rbs_code ack_read(struct control *control, const struct control_command *command,
			      const struct control_buffer *buffer, uint8_t *ack)
{
	uint64_t address = ack_place(control, command, buffer);

	if (control->status && address == control->status)
		return rbs_target_read(control->probe->target, RBS_PHYSICAL, address, ack, 1, NULL);
	return control_memory_read(control, address, ack, 1);
}

/* The ack is the one writable byte, wherever it stands; what else is writable is the reply. */
static void command_decode(struct control *control, struct control_command *command)
{
	uint8_t header[2], ack;

	command->ack = rbs_value_absent(RBS_NOT_COUNTED);
	if (!command->buffer_count)
		return;
	if (!control_header_read(control, &command->buffers[0], header)) {
		enum rbs_code code = control_memory_read(control, command->buffers[0].address,
							 header, sizeof(header));

		control_note(control, code == RBS_NOT_COUNTED ? RBS_OK : code);
		return;
	}
	command->decoded = true;
	command->class = header[0];
	command->command = header[1];
	for (size_t i = 1; i < command->buffer_count; i++) {
		const struct control_buffer *buffer = &command->buffers[i];

		if (!buffer->writable) {
			command->request = command->request ? command->request : buffer;
		} else if (buffer->length == 1) {
			command->ack.code = ack_read(control, command, buffer, &ack);
			command->ack.number = command->ack.code == RBS_OK ? ack : 0;
		} else {
			command->reply = command->reply ? command->reply : buffer;
		}
	}
}

enum control_worth control_reply_judge(struct control *control,
				       const struct control_command *command,
				       struct rbs_slab_object *object, char *why, size_t size)
{
	static const char *const places[] = {"in flight", "returned and not taken back",
					     "taken back by the driver"};
	enum control_worth best =
		command->place == CONTROL_RETURNED ? CONTROL_ANSWERED : CONTROL_LIVE;
	const char *place = places[command->place];
	char ack[48];
	bool bounced;

	if (!command->reply) {
		snprintf(why, size, "%s, without room for a reply", place);
		return command->place == CONTROL_TAKEN ? CONTROL_GONE : CONTROL_PENDING;
	}
	control_memory_find(control, command->reply->address, &bounced, object);
	if (command->place == CONTROL_TAKEN) {
		snprintf(why, size, "%s; the reply's memory: %s%s%s%s%s", place,
			 rbs_slab_state_name(object->state), *object->cache ? ", " : "",
			 object->cache, *object->why ? ": " : "", object->why);
		return CONTROL_STALE;
	}
	if (!rbs_value_ok(&command->ack))
		snprintf(ack, sizeof(ack), "its ack can't be read");
	else if (command->ack.number == CONTROL_ACK_PRESET)
		snprintf(ack, sizeof(ack), "no ack yet");
	else
		snprintf(ack, sizeof(ack), "ack %u", (unsigned)command->ack.number);
	snprintf(why, size, "%s, %s; the reply's memory: %s%s%s%s%s%s", place, ack,
		 rbs_slab_state_name(object->state), *object->cache ? ", " : "", object->cache,
		 bounced ? ", bounced" : "", *object->why ? ": " : "", object->why);
	if (!rbs_value_ok(&command->ack) || command->ack.number != CONTROL_ACK_OK)
		return command->place == CONTROL_RETURNED ? CONTROL_GONE : CONTROL_PENDING;
	if (object->state == RBS_SLAB_ALLOCATED || object->state == RBS_SLAB_PAGES)
		return best;
	return CONTROL_STALE;
}

const char *control_worth_name(enum control_worth worth)
{
	static const char *const names[] = {"gone", "stale", "pending", "answered", "live"};

	return names[worth];
}

/* Not what memory says is wrong, but what the dump, or those who describe it, do not have. */
static bool is_missing(enum rbs_code code)
{
	return code == RBS_EXCLUDED || code == RBS_TRUNCATED || code == RBS_NO_TYPES ||
	       code == RBS_NO_SYMBOL;
}

enum rbs_code control_worth_lost(struct control *control, enum control_worth worth,
				 const struct rbs_slab_object *object, const char *why)
{
	struct rbs_node *node = control->device->node;
	struct rbs_error error;

	if (worth == CONTROL_LIVE || worth == CONTROL_ANSWERED)
		return RBS_OK;
	if (object->state == RBS_SLAB_UNKNOWN && is_missing(object->code)) {
		rbs_error_set(&error, object->code, "statistics: %s", why);
		rbs_report_add_problem(node->report, node, &error);
		control->told = true;
		return object->code;
	}
	return is_missing(control->lost) ? control->lost : RBS_OK;
}

/*
 * What is missing below the device for lack of pages, where that may be statistics. A command that
 * was taken back often lay in memory that is free, and free pages are not dumped.
 */
static void losses_tell(struct control *control)
{
	struct rbs_node *node = control->device->node;
	struct rbs_error error;

	if (!control->has_stats || !is_missing(control->lost) || control->told)
		return;
	rbs_error_set(&error, control->lost,
		      "not all of what its control queue has could be read: %s",
		      rbs_code_text(control->lost));
	rbs_report_add_problem(node->report, node, &error);
}

uint8_t *control_reply_read(struct control *control, const struct control_command *command,
			    size_t *length)
{
	uint8_t *bytes;

	*length = command->reply ? command->reply->length : 0;
	if (!*length || *length > CONTROL_REPLY_LIMIT)
		return NULL;
	bytes = malloc(*length);
	if (!bytes) {
		control->device->node->report->code = RBS_NOMEM;
		return NULL;
	}
	if (buffer_note(control,
			control_memory_read(control, command->reply->address, bytes, *length)))
		return bytes;
	free(bytes);
	return NULL;
}

static void newest_show(struct control *control)
{
	static const char *const places[] = {"in flight", "returned", "completed"};
	const struct control_command *command;
	struct rbs_node *node = control->device->node;
	char text[96];

	if (!control->count) {
		if (control->lost != RBS_OK)
			rbs_node_set_absent(node, virtio_desc(VIRTIO_D_CONTROL_COMMAND),
					    control->lost);
		return;
	}
	command = &control->commands[control->count - 1];
	if (!command->decoded) {
		rbs_node_set_absent(node, virtio_desc(VIRTIO_D_CONTROL_COMMAND),
				    control->lost != RBS_OK ? control->lost : RBS_NOT_COUNTED);
		return;
	}
	control_command_name(command, text, sizeof(text));
	rbs_node_set_text(node, virtio_desc(VIRTIO_D_CONTROL_COMMAND), text);
	rbs_node_set_text(node, virtio_desc(VIRTIO_D_CONTROL_STATE), places[command->place]);
	rbs_node_set(node, virtio_desc(VIRTIO_D_CONTROL_ACK), command->ack);
	rbs_node_set(node, virtio_desc(VIRTIO_D_CONTROL_WRITTEN), command->written);
}

/* Where the driver keeps the header that it sends with every command. */
static void header_find(struct control *control)
{
	struct virtio_probe *probe = control->probe;
	struct rbs_value ctrl;

	if (!control->device->private || !rbs_layout_has(control->layout, CN_CTRL) ||
	    !rbs_layout_has(control->layout, CN_CLASS) || !control->slabs.has_linear)
		return;
	ctrl = rbs_layout_read(control->layout, CN_CTRL, probe->target, control->device->private);
	if (rbs_value_ok(&ctrl) && ctrl.number >= control->slabs.linear)
		control->header = ctrl.number - control->slabs.linear +
				  rbs_layout_offset(control->layout, CN_CLASS);
	if (control->header && rbs_layout_has(control->layout, CN_STATUS))
		control->status = ctrl.number - control->slabs.linear +
				  rbs_layout_offset(control->layout, CN_STATUS);
}

/* Without the DMA API the driver's own record of where the ring is gives the direct map away. */
static bool linear_guess(struct virtio_probe *probe, const struct virtio_queue *queue,
			 uint64_t *linear)
{
	struct rbs_value bus = virtio_queue_member_read(
		probe, queue, virtio_queue_packed(queue) ? VQ_PACKED_DMA : VQ_SPLIT_DMA);

	if (queue->mapped || !rbs_value_ok(&bus) || !bus.number)
		return false;
	*linear = queue->desc - bus.number;
	return true;
}

void virtio_control_read(struct virtio_probe *probe, struct virtio_device *device,
			 const struct virtio_queue *queue)
{
	struct control *control = calloc(1, sizeof(*control));
	uint64_t linear;

	if (!control) {
		device->node->report->code = RBS_NOMEM;
		return;
	}
	*control = (struct control){.probe = probe, .device = device, .queue = queue};
	control->layout = rbs_layout_once(&probe->control_layout, control_entries, CN_COUNT,
					  probe->context, "virtio_net");
	if (control->layout) {
		rbs_slabs_init(&control->slabs, probe->context->dump,
			       linear_guess(probe, queue, &linear) ? &linear : NULL);
		control_pool_init(control);
		header_find(control);
		control_commands_find(control);
		for (size_t i = 0; i < control->count; i++)
			command_decode(control, &control->commands[i]);
		newest_show(control);
		control_stats_show(control);
		control_draft_show(control);
		control_waiter_show(control);
		losses_tell(control);
		rbs_layout_deinit(&control->pool.layout);
		rbs_slabs_deinit(&control->slabs);
	}
	free(control);
}
