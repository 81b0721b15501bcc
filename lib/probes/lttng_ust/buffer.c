/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel, and its buffers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/probes/lttng_ust/lttng_ust.h"

#define PROCESSES_NAMED 8

/* NULL: not known, or, by code, not in the dump. */
static void text_set(struct rbs_node *node, unsigned id, const char *text, enum rbs_code code)
{
	if (code != RBS_OK)
		rbs_node_set_absent(node, ust_desc(id), code);
	else if (text)
		rbs_node_set_text(node, ust_desc(id), text);
}

/* The name of the file of --shm-path without the CPU: CHANNEL_0. */
static void channel_name(const struct rbs_ust_object *object, struct rbs_node *node)
{
	const char *name = strrchr(object->path, '/'), *end;

	if (!name || (!strstr(object->path, "/ust/uid/") && !strstr(object->path, "/ust/pid/"))) {
		text_set(node, UST_D_CHANNEL, NULL, object->path_code);
		return;
	}
	name++;
	end = strrchr(name, '_');
	if (end && end > name) {
		char text[256];

		snprintf(text, sizeof(text), "%.*s", (int)(end - name), name);
		rbs_node_set_text(node, ust_desc(UST_D_CHANNEL), text);
	}
}

static void processes_set(const struct rbs_ust_object *object, enum rbs_code code,
			  struct rbs_node *node)
{
	char text[PROCESSES_NAMED * 128 + 64] = "none";
	size_t used = 0, named = 0;

	for (size_t i = 0; i < object->user_count && named < PROCESSES_NAMED; i++) {
		const struct rbs_task *task = object->users[i].task;
		char uid[24] = "?";

		if (!task)
			continue;
		code = rbs_code_first(code, task->uid.code);
		if (rbs_value_ok(&task->uid))
			snprintf(uid, sizeof(uid), "%" PRIu64, task->uid.number);
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%" PRId64 " %s (uid %s)", named++ ? ", " : "",
					 task->pid, *task->program ? task->program : task->comm,
					 uid);
	}
	if (object->user_count > named)
		snprintf(text + used, sizeof(text) - used, "%s%zu more", used ? " and " : "",
			 object->user_count - named);
	text_set(node, UST_D_PROCESSES, text, code);
}

static void uuid_format(const uint8_t *uuid, char *text)
{
	for (size_t i = 0; i < RBS_UST_UUID_SIZE; i++)
		text += sprintf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
				uuid[i]);
}

static void channel_fill(const struct rbs_ust_object *object, const struct ust_owner *owner,
			 struct rbs_node *node)
{
	const struct rbs_ust_abi *abi = &object->abi;
	char text[40];

	text_set(node, UST_D_SESSION, *owner->session ? owner->session : NULL, owner->session_code);
	channel_name(object, node);
	if (object->has_packet && !object->metadata)
		rbs_node_set_number(node, ust_desc(UST_D_ID), object->stream_id);
	if (object->has_packet)
		rbs_node_set_text(node, ust_desc(UST_D_TYPE),
				  object->metadata ? "metadata" : "data");
	rbs_node_set_text(node, ust_desc(UST_D_MODE), abi->overwrite ? "overwrite" : "discard");
	text_set(node, UST_D_BUFFERING, owner->buffering ? owner->buffering : "unknown",
		 owner->buffering_code);
	text_set(node, UST_D_BUFFERING_BY, owner->buffering_by, owner->by_code);
	rbs_node_set_number(node, ust_desc(UST_D_WORD_SIZE), (uint64_t)abi->word_size * 8);
	rbs_node_set_text(node, ust_desc(UST_D_BYTE_ORDER), abi->big_endian ? "big" : "little");
	rbs_node_set_number(node, ust_desc(UST_D_SUBBUF_SIZE), abi->geometry.subbuf_size);
	rbs_node_set_number(node, ust_desc(UST_D_NUM_SUBBUF), abi->geometry.num_subbuf);
	processes_set(object, owner->users_code, node);
	if (object->has_packet) {
		uuid_format(object->uuid, text);
		rbs_node_set_text(node, ust_desc(UST_D_TRACE), text);
	}
	snprintf(text, sizeof(text), "%u.%u", abi->major, abi->minor);
	rbs_node_set_text(node, ust_desc(UST_D_ABI), text);
	if (object->release)
		rbs_node_set_text(node, ust_desc(UST_D_RELEASE), object->release->name);
	else
		rbs_node_set_absent(node, ust_desc(UST_D_RELEASE), RBS_NO_TYPES);
}

/* Inode numbers are only unique in their file system. */
static void inode_format(const struct rbs_ust_object *object, char *text, size_t size)
{
	snprintf(text, size, "inode-%" PRIu64 "@%" PRIu64 ":%" PRIu64, object->inode,
		 object->device >> 20, object->device & 0xfffff);
}

/*
 * Buffers of one channel share the trace's UUID and the stream's number. A buffer that no packet
 * was begun in (since 2.15) tells neither: it stands alone, by its file's number.
 */
static struct rbs_node *channel_node(const struct rbs_ust_object *object, struct rbs_node *device,
				     const struct ust_owner *owner)
{
	const uint8_t *uuid = object->uuid;
	char name[80], kind[16] = "metadata";
	struct rbs_node *node;

	if (!object->metadata)
		snprintf(kind, sizeof(kind), "%" PRIu32, object->stream_id);
	if (object->has_packet)
		snprintf(name, sizeof(name), "%02x%02x%02x%02x-%s", uuid[0], uuid[1], uuid[2],
			 uuid[3], kind);
	else
		inode_format(object, name, sizeof(name));
	for (size_t i = 0; device && i < device->child_count; i++) {
		if (!strcmp(device->children[i]->name, name))
			return device->children[i];
	}
	node = rbs_node_add(device, RBS_LEVEL_CHANNEL, "%s", name);
	channel_fill(object, owner, node);
	return node;
}

static void problem_add(struct rbs_node *node, enum rbs_code code, const char *text)
{
	struct rbs_error error;

	rbs_error_set(&error, code, "%s", text);
	rbs_report_add_problem(node->report, node, &error);
}

/* What only the release tells. */
static void release_show(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			 struct rbs_node *node)
{
	static const struct {
		unsigned desc;
		size_t place;
	} fields[] = {
		{UST_D_LOST_FULL, offsetof(struct rbs_ust_release, lost_full)},
		{UST_D_LOST_WRAP, offsetof(struct rbs_ust_release, lost_wrap)},
		{UST_D_LOST_BIG, offsetof(struct rbs_ust_release, lost_big)},
		{UST_D_DISABLED, offsetof(struct rbs_ust_release, record_disabled)},
		{UST_D_READERS, offsetof(struct rbs_ust_release, active_readers)},
		{UST_D_FINALIZED, offsetof(struct rbs_ust_release, finalized)},
		{UST_D_GET_SUBBUF, offsetof(struct rbs_ust_release, get_subbuf)},
		{UST_D_GET_CONSUMED, offsetof(struct rbs_ust_release, get_subbuf_consumed)},
		{UST_D_PROD_SNAPSHOT, offsetof(struct rbs_ust_release, prod_snapshot)},
		{UST_D_CONS_SNAPSHOT, offsetof(struct rbs_ust_release, cons_snapshot)},
		{UST_D_LAST_TIMESTAMP, offsetof(struct rbs_ust_release, last_timestamp)},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct rbs_value value = rbs_ust_word(ust, object, fields[i].place);

		/* A single bit of its word, at the end that the byte order says. */
		if (fields[i].desc == UST_D_GET_SUBBUF || fields[i].desc == UST_D_FINALIZED)
			value.number = value.number != 0;
		rbs_node_set(node, ust_desc(fields[i].desc), value);
	}
	/* Compiled out of every build that was seen: 0 means nothing. */
	for (size_t i = 0; i < 2; i++) {
		struct rbs_value value =
			i ? rbs_ust_field(ust, object, overrun) : rbs_ust_field(ust, object, count);

		if (rbs_value_ok(&value) && !value.number)
			value.code = RBS_NOT_COUNTED;
		rbs_node_set(node, ust_desc(i ? UST_D_OVERRUN : UST_D_RECORDS), value);
	}
	if (!object->release)
		problem_add(node, RBS_NO_TYPES,
			    "no layout of a known LTTng-UST release fits the buffer: losses and "
			    "commit counters are not read, positions are the crash ABI's");
}

static void count_set(struct rbs_node *node, unsigned id, uint64_t count, enum rbs_code code)
{
	if (code != RBS_OK)
		rbs_node_set_absent(node, ust_desc(id), code);
	else
		rbs_node_set_number(node, ust_desc(id), count);
}

/* Of a route that ended early it can't be said that it did not lead to the buffer. */
static enum rbs_code routes_code(const struct rbs_ust *ust, const struct rbs_ust_object *object)
{
	if (!(object->routes & RBS_UST_BY_PROCESS) && ust->process_error.code != RBS_OK)
		return ust->process_error.code;
	if (!(object->routes & RBS_UST_BY_INODE) && ust->inode_error.code != RBS_OK)
		return ust->inode_error.code;
	return ust->page_error.code == RBS_OK || object->routes & RBS_UST_BY_PAGE
		       ? RBS_OK
		       : ust->page_error.code;
}

static void file_show(const struct rbs_ust *ust, const struct rbs_ust_object *object,
		      struct rbs_node *node)
{
	/* Entries that are garbage are no pages; of those that can't be read nobody knows. */
	enum rbs_code listed = object->pages.code == RBS_CORRUPT ? RBS_OK : object->pages.code;
	enum rbs_code compared = object->tables_code;
	size_t agreed = 0, differ = 0;
	char routes[64];

	snprintf(routes, sizeof(routes), "%s%s%s",
		 object->routes & RBS_UST_BY_PROCESS ? "processes," : "",
		 object->routes & RBS_UST_BY_INODE ? "inodes," : "",
		 object->routes & RBS_UST_BY_PAGE ? "pages," : "");
	if (*routes)
		routes[strlen(routes) - 1] = '\0';
	for (size_t i = 0; i < object->user_count; i++) {
		agreed += object->users[i].pages_equal;
		differ += object->users[i].pages_different;
	}
	rbs_node_set_number(node, ust_desc(UST_D_INODE), object->inode);
	text_set(node, UST_D_PATH, *object->path ? object->path : NULL, object->path_code);
	text_set(node, UST_D_ROUTES, routes, routes_code(ust, object));
	rbs_node_set_number(node, ust_desc(UST_D_PAGES), object->pages.count);
	count_set(node, UST_D_PAGES_PRESENT, object->pages.present, listed);
	count_set(node, UST_D_PAGES_SWAPPED, object->pages.swapped, listed);
	if (compared == RBS_OK)
		compared = object->users_code != RBS_OK ? object->users_code : listed;
	count_set(node, UST_D_PAGES_AGREED, agreed, compared);
	count_set(node, UST_D_PAGES_DIFFER, differ, compared);
	if (object->pages.code != RBS_OK)
		rbs_report_add_problem(node->report, node, &object->pages.error);
	if (differ)
		problem_add(node, RBS_CORRUPT,
			    "the page tables of a process and the file name different pages");
}

static struct rbs_node *buffer_node(const struct rbs_ust_object *object, struct rbs_node *channel)
{
	char name[80] = "global", file[80];
	int64_t cpu = (int64_t)object->cpu.number;

	inode_format(object, file, sizeof(file));
	if (!rbs_value_ok(&object->cpu))
		snprintf(name, sizeof(name), "%s", file);
	else if (cpu >= 0)
		snprintf(name, sizeof(name), "cpu%" PRId64, cpu);
	/* A copy of the file is a buffer like the original. */
	for (size_t i = 0; channel && i < channel->child_count; i++) {
		if (!strcmp(channel->children[i]->name, name))
			return rbs_node_add(channel, RBS_LEVEL_RING, "%s-%s", name, file);
	}
	return rbs_node_add(channel, RBS_LEVEL_RING, "%s", name);
}

void ust_buffer_show(struct ust_probe *probe, const struct rbs_ust_object *object,
		     struct rbs_node *device, const struct ust_owner *owner)
{
	const struct rbs_ust *ust = &probe->ust;
	struct rbs_node *channel = channel_node(object, device, owner);
	struct rbs_node *node = buffer_node(object, channel);
	struct rbs_value written = rbs_ust_written(ust, object);
	struct rbs_value consumed = rbs_ust_consumed(ust, object);
	struct rbs_subbuf_ring ring = {.geometry = object->abi.geometry,
				       .overwrite = object->abi.overwrite,
				       .offset = written.number,
				       .consumed = consumed.number};

	if (!node)
		return;
	rbs_node_set(node, ust_desc(UST_D_WRITE_OFFSET), written);
	rbs_node_set(node, ust_desc(UST_D_CONSUMED), consumed);
	release_show(ust, object, node);
	file_show(ust, object, node);
	if (!rbs_value_ok(&written) || !rbs_value_ok(&consumed)) {
		problem_add(node, rbs_value_ok(&written) ? consumed.code : written.code,
			    "without its positions nothing is known of its sub-buffers");
		return;
	}
	/* Nothing was ever written: there is nothing to see. */
	node->idle = !written.number;
	if (!rbs_subbuf_positions_valid(&ring.geometry, ring.offset, ring.consumed)) {
		problem_add(node, RBS_CORRUPT,
			    "the write offset lies more than a buffer ahead of what was consumed");
		return;
	}
	rbs_ust_reader(ust, object, &ring);
	/* In overwrite mode the writer moves the consumed position on as a reader would. */
	if (ring.overwrite)
		rbs_node_set_number(node, ust_desc(UST_D_PASSED), ring.consumed);
	ust_subbufs_show(probe, object, &ring, node);
}
