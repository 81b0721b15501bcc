/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands in a control queue's ring: in flight, returned, and the newest that was taken back.
 */
#include <string.h>

#include "lib/probes/virtio/control.h"
#include "lib/probes/virtio/ring_format.h"

static void entry_decode(struct control *control, const uint8_t *bytes,
			 struct virtio_descriptor *entry)
{
	virtio_descriptor_decode(control->probe, control->device,
				 virtio_queue_packed(control->queue), bytes, entry);
}

static bool entry_read(struct control *control, uint32_t index, struct virtio_descriptor *entry)
{
	return control_note(control, virtio_descriptor_read(control->probe, control->device,
							    virtio_queue_packed(control->queue),
							    control->queue->desc, index, entry));
}

static bool buffer_add(struct control_command *command, uint64_t address, uint32_t length,
		       bool writable)
{
	if (command->buffer_count == CONTROL_BUFFERS)
		return false;
	command->buffers[command->buffer_count++] =
		(struct control_buffer){.address = address, .length = length, .writable = writable};
	return true;
}

/*
 * A table of count entries (0: as many as the command has: a returned packed table's length was
 * overwritten). table: its kernel virtual address, 0: only its bus address is known.
 */
static bool table_read(struct control *control, struct control_command *command, uint64_t table,
		       uint64_t bus, uint32_t count)
{
	uint8_t bytes[CONTROL_BUFFERS * DESC_SIZE], header[2];
	struct virtio_descriptor entry;
	uint32_t wanted = count ? count : 3;
	size_t length = (size_t)wanted * DESC_SIZE;

	if (wanted > CONTROL_BUFFERS)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		enum rbs_code code =
			table ? rbs_target_read(control->probe->target, RBS_KERNEL_VIRTUAL, table,
						bytes, length, NULL)
			      : control_memory_read(control, bus, bytes, length);

		/* Where in a packed ring a command was is tried out: not every place is one. */
		if (table || !virtio_queue_packed(control->queue))
			control_note(control, code == RBS_NOT_COUNTED ? RBS_OK : code);
		if (code != RBS_OK)
			return false;
		entry_decode(control, bytes, &entry);
		/* All commands of statistics have three buffers, GET has its request too. */
		if (count || pass ||
		    !control_header_read(
			    control,
			    &(struct control_buffer){.address = entry.address, .length = 2},
			    header) ||
		    header[0] != CONTROL_CLASS_STATS || header[1] != CONTROL_STATS_GET)
			break;
		wanted = 4;
		length = (size_t)wanted * DESC_SIZE;
	}
	for (uint32_t i = 0; i < wanted; i++) {
		entry_decode(control, bytes + (size_t)i * DESC_SIZE, &entry);
		buffer_add(command, entry.address, entry.length, entry.flags & F_WRITE);
	}
	return true;
}

static struct rbs_value state_read(struct control *control, uint32_t id, unsigned member)
{
	const struct rbs_layout *layout = &control->probe->queue_layout;
	uint64_t size =
		rbs_layout_size(layout, virtio_queue_packed(control->queue) ? VQ_STATE_PACKED_SIZE
									    : VQ_STATE_SPLIT_SIZE);

	struct rbs_value value;

	if (!control->queue->state || !size)
		return rbs_value_absent(RBS_NO_MEMBER);
	value = rbs_layout_read(layout, member, control->probe->target,
				control->queue->state + id * size);
	control_note(control, value.code);
	return value;
}

static bool split_chain_read(struct control *control, struct control_command *command,
			     uint32_t head)
{
	struct virtio_descriptor entry;
	uint32_t index = head;

	if (!entry_read(control, head, &entry))
		return false;
	if (entry.flags & F_INDIRECT) {
		struct rbs_value table = state_read(control, head, VQ_STATE_SPLIT_INDIRECT);

		if (!entry.length || entry.length % DESC_SIZE)
			return false;
		return table_read(control, command,
				  command->place == CONTROL_TAKEN ? 0 : rbs_value_or(&table, 0),
				  entry.address, entry.length / DESC_SIZE);
	}
	while (buffer_add(command, entry.address, entry.length, entry.flags & F_WRITE)) {
		if (!(entry.flags & F_NEXT))
			return true;
		index = entry.link;
		if (index >= control->queue->num || !entry_read(control, index, &entry))
			return false;
	}
	return false;
}

static bool used_entry_read(struct control *control, uint16_t index, uint64_t *id,
			    struct rbs_value *length)
{
	uint64_t at = control->queue->used + USED_RING +
		      (uint64_t)(index % control->queue->num) * USED_ENTRY;
	struct rbs_value value = virtio_ring_read(control->probe, control->device, at, 4);

	*id = rbs_value_or(&value, 0);
	*length = virtio_ring_read(control->probe, control->device, at + 4, 4);
	return control_note(control, value.code) && control_note(control, length->code);
}

/* Whether the device returned what stands at this index of the avail ring, and how much it wrote.
 */
static bool split_returned(struct control *control, uint16_t index, uint64_t head,
			   struct rbs_value *written)
{
	const struct virtio_queue *queue = control->queue;
	uint16_t count = (uint16_t)(queue->used_idx - queue->last_used);
	uint64_t id;

	*written = rbs_value_absent(RBS_NOT_COUNTED);
	/* In order, one used entry may stand for all before it. */
	if (queue->kind == VIRTIO_SPLIT_IN_ORDER)
		return (uint16_t)(index - queue->last_used) < count;
	for (uint16_t i = 0; i < count; i++) {
		struct rbs_value length;

		if (used_entry_read(control, (uint16_t)(queue->last_used + i), &id, &length) &&
		    id == head) {
			*written = length;
			return true;
		}
	}
	return false;
}

static void split_command_add(struct control *control, uint64_t avail, uint16_t index, bool taken)
{
	struct control_command *command = &control->commands[control->count];
	uint32_t num = control->queue->num;
	struct rbs_value head =
		virtio_ring_read(control->probe, control->device,
				 avail + AVAIL_RING + (uint64_t)(index % num) * 2, 2);
	struct rbs_value token, length;
	uint64_t id;

	if (control->count == CONTROL_COMMANDS || !control_note(control, head.code) ||
	    head.number >= num)
		return;
	token = state_read(control, (uint32_t)head.number, VQ_STATE_SPLIT_DATA);
	if (!rbs_value_ok(&token) || !token.number != taken)
		return;
	*command = (struct control_command){.written = rbs_value_absent(RBS_NOT_COUNTED)};
	if (taken) {
		command->place = CONTROL_TAKEN;
		if (used_entry_read(control, (uint16_t)(control->queue->used_idx - 1), &id,
				    &length) &&
		    id == head.number)
			command->written = length;
	} else if (split_returned(control, index, head.number, &command->written)) {
		command->place = CONTROL_RETURNED;
	}
	if (split_chain_read(control, command, (uint32_t)head.number))
		control->count++;
}

static void split_find(struct control *control)
{
	const struct virtio_queue *queue = control->queue;
	struct rbs_value avail = virtio_queue_member_read(control->probe, queue, VQ_SPLIT_AVAIL);
	struct rbs_value idx;
	uint16_t outstanding;

	if (!control_note(control, avail.code) || !queue->used)
		return;
	idx = virtio_ring_read(control->probe, control->device, avail.number + AVAIL_IDX, 2);
	if (!control_note(control, idx.code))
		return;
	outstanding = (uint16_t)(idx.number - queue->last_used);
	if (outstanding > queue->num ||
	    (uint16_t)(queue->used_idx - queue->last_used) > outstanding)
		return;
	for (uint16_t i = 0; i < outstanding; i++)
		split_command_add(control, avail.number, (uint16_t)(queue->last_used + i), false);
	if (!outstanding)
		split_command_add(control, avail.number, (uint16_t)(idx.number - 1), true);
}

/* The device writes the used entry over the first descriptor of a chain, whose address stays. */
static bool packed_chain_read(struct control *control, struct control_command *command,
			      uint32_t position, uint32_t length,
			      const struct virtio_descriptor *first, uint64_t table)
{
	bool overwritten = command->place != CONTROL_IN_FLIGHT;
	struct virtio_descriptor entry;

	if (length == 1) {
		if (!overwritten && !(first->flags & F_INDIRECT))
			return false;
		return table_read(control, command, table, first->address,
				  overwritten ? 0 : first->length / DESC_SIZE);
	}
	buffer_add(command, first->address, overwritten ? 2 : first->length, false);
	for (uint32_t i = 1; i < length; i++) {
		if (!entry_read(control, (position + i) % control->queue->num, &entry) ||
		    entry.link != first->link ||
		    !buffer_add(command, entry.address, entry.length, entry.flags & F_WRITE))
			return false;
	}
	return true;
}

static bool packed_length_read(struct control *control, const struct virtio_descriptor *first,
			       bool taken, uint32_t *length)
{
	struct rbs_value num, token;

	if (first->link >= control->queue->num)
		return false;
	num = state_read(control, first->link, VQ_STATE_PACKED_NUM);
	token = state_read(control, first->link, VQ_STATE_PACKED_DATA);
	*length = (uint32_t)rbs_value_or(&num, 0);
	return rbs_value_ok(&token) && !token.number == taken && *length &&
	       *length <= control->queue->num;
}

static void packed_taken_find(struct control *control, uint32_t next)
{
	uint32_t num = control->queue->num;

	/* The newest ends where the driver fills next; how long it was its own record tells. */
	for (uint32_t back = 1; back <= CONTROL_BUFFERS && back <= num && !control->count; back++) {
		struct control_command *command = &control->commands[0];
		uint32_t position = (next + num - back) % num, length;
		uint8_t header[2];
		struct virtio_descriptor first;

		*command = (struct control_command){.place = CONTROL_TAKEN,
						    .written = rbs_value_absent(RBS_NOT_COUNTED)};
		if (entry_read(control, position, &first) &&
		    packed_length_read(control, &first, true, &length) && length == back &&
		    packed_chain_read(control, command, position, length, &first, 0) &&
		    control_header_read(control, &command->buffers[0], header)) {
			command->written = rbs_value_of(first.length);
			control->count = 1;
		}
	}
}

static void packed_find(struct control *control)
{
	const struct virtio_queue *queue = control->queue;
	struct rbs_value next =
		virtio_queue_member_read(control->probe, queue, VQ_PACKED_NEXT_AVAIL);
	uint32_t position = queue->last_used;
	bool wrap = queue->used_wrap;

	if (!control_note(control, next.code) || next.number >= queue->num)
		return;
	for (uint32_t passed = 0; passed < queue->num && control->count < CONTROL_COMMANDS;) {
		struct control_command *command = &control->commands[control->count];
		struct rbs_value table;
		struct virtio_descriptor first;
		uint32_t length;

		if (!entry_read(control, position, &first) ||
		    !packed_length_read(control, &first, false, &length))
			break;
		*command = (struct control_command){.written = rbs_value_absent(RBS_NOT_COUNTED)};
		if (virtio_descriptor_returned(&first, wrap)) {
			command->place = CONTROL_RETURNED;
			command->written = rbs_value_of(first.length);
		}
		table = state_read(control, first.link, VQ_STATE_PACKED_INDIRECT);
		if (packed_chain_read(control, command, position, length, &first,
				      rbs_value_or(&table, 0)))
			control->count++;
		passed += length;
		position += length;
		if (position >= queue->num) {
			position -= queue->num;
			wrap = !wrap;
		}
		if (position == next.number)
			break;
	}
	if (!control->count && queue->last_used == next.number)
		packed_taken_find(control, (uint32_t)next.number);
}

void control_commands_find(struct control *control)
{
	control->count = 0;
	if (!control_note(control, control->device->features_code) ||
	    !control_note(control, control->queue->used_code) ||
	    !control_note(control, control->queue->memory_code) || !control->queue->desc ||
	    !control->queue->num)
		return;
	if (virtio_queue_packed(control->queue))
		packed_find(control);
	else
		split_find(control);
}
