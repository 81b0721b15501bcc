/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of the draft of 2021 ("virtio-net: add counters for devices", Xuan Zhuo), which
 * devices came to speak before the specification took another form. The device names its counters
 * itself: NUM says how many there are, KEYS their names, VALUES what they count.
 *
 * Its feature bit (55) and its class (6) mean something else today. What no other command of class
 * 6 has is a reply: the merged commands 0 to 2 write an ack and nothing else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probes/virtio/control.h"

#define KEY 32
#define NUMBER 8
#define NAMES_LIMIT 65536

/* A reply of the draft, and what it is worth. */
struct draft_reply {
	const struct control_command *command;
	enum control_worth worth;
	uint8_t *bytes; /* owned; NULL: none, or not readable */
	size_t length;
	uint64_t count; /* le64 at its start, as many as there is room for */
	struct rbs_slab_object object;
	char why[400];
};

struct draft {
	struct control *control;
	struct draft_reply num, keys, values;
};

static bool is_draft(const struct control_command *command)
{
	return command->decoded && command->class == CONTROL_CLASS_DRAFT &&
	       command->command <= CONTROL_DRAFT_VALUES && command->reply &&
	       command->reply->length >= NUMBER;
}

/* In the ring's order: legacy devices speak the guest's (virtio 1.x, 5.1.6.5). */
static uint64_t number_get(const struct draft *draft, const uint8_t *bytes)
{
	return virtio_ring_get(draft->control->probe, draft->control->device, bytes, NUMBER);
}

static void count_check(struct draft *draft, struct draft_reply *reply, size_t entry)
{
	uint64_t said = number_get(draft, reply->bytes);
	uint64_t room = (reply->length - NUMBER) / entry;
	struct rbs_node *node = draft->control->device->node;
	struct rbs_error error;

	reply->count = said <= room ? said : room;
	if (said <= room)
		return;
	rbs_error_set(&error, RBS_CORRUPT,
		      "the device says that it wrote %" PRIu64 " statistics where %" PRIu64
		      " have room",
		      said, room);
	rbs_report_add_problem(node->report, node, &error);
}

static void reply_take(struct draft *draft, struct draft_reply *reply, size_t entry)
{
	reply->worth = control_reply_judge(draft->control, reply->command, &reply->object,
					   reply->why, sizeof(reply->why));
	if (reply->worth == CONTROL_PENDING || reply->worth == CONTROL_GONE ||
	    (reply->worth == CONTROL_STALE && !draft->control->probe->context->verbose))
		return;
	/* A free object's link lies somewhere in it: names and numbers can't be told from it. */
	if (reply->object.state == RBS_SLAB_FREE || !reply->object.link_known) {
		reply->worth = CONTROL_GONE;
		return;
	}
	reply->bytes = control_reply_read(draft->control, reply->command, &reply->length);
	if (!reply->bytes)
		reply->worth = CONTROL_GONE;
	else if (entry)
		count_check(draft, reply, entry);
}

/* A key is cut at its NUL or at 32 bytes; what would not do as a field's name becomes '_'. */
static void key_copy(const struct draft *draft, uint64_t index, char *name, size_t size)
{
	const struct draft_reply *keys = &draft->keys;
	size_t length = 0;

	if (keys->bytes && index < keys->count) {
		const uint8_t *key = keys->bytes + NUMBER + KEY * index;

		while (length < KEY && length + 1 < size && key[length]) {
			char c = (char)key[length];
			bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
				     (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';

			name[length++] = plain ? c : '_';
		}
	}
	name[length] = '\0';
	if (!length)
		snprintf(name, size, "%" PRIu64, index);
}

static void values_show(struct draft *draft)
{
	struct rbs_node *node = draft->control->device->node;
	const struct draft_reply *values = &draft->values;
	uint64_t count = values->bytes ? values->count : draft->keys.count;

	for (uint64_t i = 0; i < count && i < NAMES_LIMIT; i++) {
		const struct rbs_desc *desc;
		char name[KEY + 1];

		key_copy(draft, i, name, sizeof(name));
		desc = rbs_report_member(node->report, virtio_desc(VIRTIO_D_DRAFT_VALUE), name);
		if (values->bytes)
			rbs_node_set_number(node, desc,
					    number_get(draft, values->bytes + NUMBER * (i + 1)));
		else
			rbs_node_set_absent(node, desc, RBS_NOT_COUNTED);
	}
}

static void draft_show(struct draft *draft)
{
	struct rbs_node *node = draft->control->device->node;
	const struct draft_reply *best = draft->values.command ? &draft->values
					 : draft->keys.command ? &draft->keys
							       : &draft->num;
	enum rbs_code lost =
		control_worth_lost(draft->control, best->worth, &best->object, best->why);

	if (lost != RBS_OK)
		rbs_node_set_absent(node, virtio_desc(VIRTIO_D_DRAFT), lost);
	else
		rbs_node_set_text(node, virtio_desc(VIRTIO_D_DRAFT),
				  control_worth_name(best->worth));
	if (lost == RBS_OK && best->object.state != RBS_SLAB_UNKNOWN)
		lost = best->object.code;
	if (lost != RBS_OK)
		rbs_node_set_absent(node, virtio_desc(VIRTIO_D_DRAFT_EVIDENCE), lost);
	else
		rbs_node_set_text(node, virtio_desc(VIRTIO_D_DRAFT_EVIDENCE), best->why);
	if (draft->num.bytes)
		rbs_node_set_number(node, virtio_desc(VIRTIO_D_DRAFT_NUM),
				    number_get(draft, draft->num.bytes));
	values_show(draft);
}

void control_draft_show(struct control *control)
{
	struct draft draft = {.control = control};
	struct draft_reply *const replies[] = {&draft.num, &draft.keys, &draft.values};
	static const size_t entries[] = {0, KEY, NUMBER};
	bool any = false;

	for (size_t i = 0; i < control->count; i++) {
		const struct control_command *command = &control->commands[i];

		if (is_draft(command)) {
			replies[command->command]->command = command;
			any = true;
		}
	}
	for (size_t i = 0; i < 3; i++) {
		if (replies[i]->command)
			reply_take(&draft, replies[i], entries[i]);
	}
	if (any)
		draft_show(&draft);
	for (size_t i = 0; i < 3; i++)
		free(replies[i]->bytes);
}
