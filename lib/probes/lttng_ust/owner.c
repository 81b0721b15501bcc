/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who a buffer belongs to, by what memory tells. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/ctf_metadata.h"
#include "lib/probes/lttng_ust/lttng_ust.h"

#define DATE_LENGTH 16

/* What the trace's metadata says (lttng-sessiond's ust-trace-class.cpp, since 2.11). */
static void metadata_ask(const struct ust_probe *probe, const struct rbs_ust_object *object,
			 struct ust_owner *owner)
{
	const struct rbs_ust_text *text =
		object->has_packet ? rbs_ust_texts_find(&probe->texts, object->uuid) : NULL;
	char scheme[16];

	if (!text)
		return;
	rbs_ctf_env_find(text->text, text->length, "trace_name", owner->session,
			 sizeof(owner->session));
	if (!rbs_ctf_env_find(text->text, text->length, "tracer_buffering_scheme", scheme,
			      sizeof(scheme)))
		return;
	if (strcmp(scheme, "uid") && strcmp(scheme, "pid"))
		return;
	owner->buffering = strcmp(scheme, "uid") ? "per-pid" : "per-uid";
	owner->buffering_by = "metadata";
}

/* PATH/SESSION-DATE-TIME/ust/uid/... of a session with --shm-path. */
static void path_ask(const struct rbs_ust_object *object, struct ust_owner *owner)
{
	const char *uid = strstr(object->path, "/ust/uid/");
	const char *pid = strstr(object->path, "/ust/pid/");
	const char *end = uid ? uid : pid, *start = end;

	if (!end)
		return;
	owner->buffering = uid ? "per-uid" : "per-pid";
	owner->buffering_by = "path";
	while (start > object->path && start[-1] != '/')
		start--;
	/* SESSION-20261130-152949: when it was made. */
	if (end - start > (ptrdiff_t)DATE_LENGTH && end[-DATE_LENGTH] == '-' && end[-7] == '-')
		end -= DATE_LENGTH;
	if (!*owner->session)
		snprintf(owner->session, sizeof(owner->session), "%.*s", (int)(end - start), start);
}

/* A child that was forked off without the tracer's knowledge maps what its parent does. */
static bool is_child(const struct rbs_task *task, const struct rbs_task *of)
{
	return task->parent == of->address;
}

static enum rbs_code users_code(const struct ust_probe *probe, const struct rbs_ust_object *object)
{
	enum rbs_code code = object->users_code;

	for (size_t i = 0; i < object->user_count; i++) {
		const struct rbs_task *task = object->users[i].task;

		code = rbs_code_first(code, task ? task->code : probe->ust.tasks.code);
	}
	return code;
}

/* What stays unknown because the dump lacks it, and not because nothing tells it. */
static void losses_set(const struct ust_probe *probe, const struct rbs_ust_object *object,
		       struct ust_owner *owner)
{
	bool by_metadata = owner->buffering_by && !strcmp(owner->buffering_by, "metadata");
	enum rbs_code texts = object->has_packet ? probe->texts.code : RBS_OK;

	owner->users_code = users_code(probe, object);
	if (!*owner->session)
		owner->session_code = rbs_code_first(texts, object->path_code);
	if (!by_metadata)
		owner->by_code =
			rbs_code_first(rbs_code_first(texts, object->path_code), owner->users_code);
	if (!owner->buffering)
		owner->buffering_code = owner->by_code;
	owner->code = owner->users_code;
	if (owner->process && owner->code == RBS_OK)
		owner->code = owner->buffering_code;
}

void ust_owner_find(const struct ust_probe *probe, const struct rbs_ust_object *object,
		    struct ust_owner *owner)
{
	bool several = false;

	*owner = (struct ust_owner){0};
	for (size_t i = 0; i < object->user_count; i++) {
		const struct rbs_task *task = object->users[i].task;

		if (!task || rbs_ust_is_sessiond(task))
			continue;
		if (rbs_ust_is_consumer(task)) {
			/* It forks a helper, which maps the same: the older is the daemon. */
			if (!owner->consumer || task->pid < owner->consumer->pid)
				owner->consumer = task;
		} else if (!owner->process || is_child(owner->process, task)) {
			owner->process = task;
		} else if (task != owner->process && !is_child(task, owner->process)) {
			several = true;
		}
	}
	metadata_ask(probe, object, owner);
	if (!owner->buffering || !*owner->session)
		path_ask(object, owner);
	if (!owner->buffering && several) {
		owner->buffering = "per-uid";
		owner->buffering_by = "processes";
	}
	if (several)
		owner->process = NULL;
	losses_set(probe, object, owner);
}

static void name_make(const struct rbs_task *task, char *name, size_t size)
{
	snprintf(name, size, "%s-%" PRId64, *task->program ? task->program : task->comm, task->pid);
	/* It becomes part of a path. */
	for (char *at = name; *at; at++) {
		if (*at == '/')
			*at = '_';
	}
}

/* For buffers whose owner the dump does not tell any more. */
static void owner_lost(struct rbs_node *node, struct rbs_node *section, enum rbs_code code)
{
	struct rbs_error error;

	rbs_node_set_absent(node, ust_desc(UST_D_KIND), code);
	rbs_error_set(&error, code,
		      "whose the buffers below unknown are can't be told: memory of the kernel or "
		      "of LTTng's daemons that would tell it can't be read");
	rbs_report_add_problem(section->report, section, &error);
}

struct rbs_node *ust_owner_node(const struct ust_probe *probe, const struct rbs_ust_object *object,
				const struct ust_owner *owner)
{
	struct rbs_node *section = probe->context->section->node, *node;
	bool own = owner->process && owner->buffering && !strcmp(owner->buffering, "per-pid");
	const struct rbs_task *task = own || !owner->consumer ? owner->process : owner->consumer;
	const char *kind = task == owner->consumer ? "consumer" : "process";
	char name[96] = "unmapped";

	if (owner->code == RBS_OK && task)
		name_make(task, name, sizeof(name));
	else if (owner->code != RBS_OK || object->user_count)
		snprintf(name, sizeof(name), "unknown");
	else
		kind = "unmapped";
	if (!task && object->user_count)
		kind = "unknown";
	for (size_t i = 0; i < section->child_count; i++) {
		if (!strcmp(section->children[i]->name, name))
			return section->children[i];
	}
	node = rbs_node_add(section, RBS_LEVEL_DEVICE, "%s", name);
	if (owner->code != RBS_OK) {
		owner_lost(node, section, owner->code);
		return node;
	}
	rbs_node_set_text(node, ust_desc(UST_D_KIND), kind);
	if (!task)
		return node;
	rbs_node_set_number(node, ust_desc(UST_D_PID), (uint64_t)task->pid);
	rbs_node_set(node, ust_desc(UST_D_UID), task->uid);
	rbs_node_set_text(node, ust_desc(UST_D_PROGRAM),
			  *task->program ? task->program : task->comm);
	return node;
}
