/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/diff.h"

#include <stdlib.h>
#include <string.h>

#include "lib/render/field.h"

static struct rbs_change *change_add(struct rbs_diff *diff, enum rbs_change_kind kind,
				     const char *path)
{
	struct rbs_change *changes = diff->changes;

	if (diff->count == diff->room) {
		size_t room = diff->room ? 2 * diff->room : 64;

		changes = reallocarray(changes, room, sizeof(*changes));
		if (!changes) {
			diff->failed = true;
			return NULL;
		}
		diff->changes = changes;
		diff->room = room;
	}
	changes[diff->count] = (struct rbs_change){.kind = kind, .path = strdup(path)};
	if (!changes[diff->count].path) {
		diff->failed = true;
		return NULL;
	}
	return &changes[diff->count++];
}

static const char *value_words(const struct rbs_field *field, char *buffer, size_t size)
{
	return field->code == RBS_OK ? rbs_field_format(field, buffer, size)
				     : rbs_code_name(field->code);
}

static bool field_equal(const struct rbs_field *a, const struct rbs_field *b)
{
	if (a->code != b->code)
		return false;
	if (a->code != RBS_OK)
		return true;
	if (a->text && b->text)
		return !strcmp(a->text, b->text);
	return !a->text && !b->text && a->number == b->number;
}

/* What the index wraps at; 0: it does not, or that is not known. */
static uint64_t modulus(const struct rbs_field *field, const struct rbs_node *node)
{
	const char *layout = rbs_node_text(node, "layout");
	uint64_t size;

	switch (field->desc->wrap) {
	case RBS_WRAP_U16:
		/* A packed ring's positions wrap at its size. */
		if (!layout || strncmp(layout, "packed", 6))
			return 65536;
		break;
	case RBS_WRAP_SIZE:
		break;
	case RBS_WRAP_NONE:
		return 0;
	}
	return rbs_node_number(node, "size", &size) ? size : 0;
}

static void field_compare(struct rbs_diff *diff, const struct rbs_field *a,
			  const struct rbs_field *b, const struct rbs_node *node)
{
	char path[640], node_path[512], from[256], to[256];
	struct rbs_change *change;
	uint64_t wrap;

	if (field_equal(a, b)) {
		diff->same++;
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", rbs_node_path(node, node_path, sizeof(node_path)),
		 b->desc->name);
	change = change_add(diff, RBS_CHANGE_VALUE, path);
	if (!change)
		return;
	change->from = strdup(value_words(a, from, sizeof(from)));
	change->to = strdup(value_words(b, to, sizeof(to)));
	diff->failed |= !change->from || !change->to;
	if (a->code != RBS_OK || b->code != RBS_OK || a->text || b->text ||
	    b->desc->format != RBS_FORMAT_DECIMAL)
		return;
	change->has_delta = true;
	wrap = modulus(b, node);
	change->delta = (int64_t)(b->number - a->number);
	if (wrap && a->number < wrap && b->number < wrap)
		change->delta = (int64_t)((b->number - a->number + wrap) % wrap);
}

/* A figure that one side alone has, with what it is there. */
static void field_single(struct rbs_diff *diff, enum rbs_change_kind kind,
			 const struct rbs_field *field, const struct rbs_node *node)
{
	char path[640], node_path[512], words[256];
	struct rbs_change *change;
	char **value;

	snprintf(path, sizeof(path), "%s/%s", rbs_node_path(node, node_path, sizeof(node_path)),
		 field->desc->name);
	change = change_add(diff, kind, path);
	if (!change)
		return;
	value = kind == RBS_CHANGE_GONE ? &change->from : &change->to;
	*value = strdup(value_words(field, words, sizeof(words)));
	diff->failed |= !*value;
}

static void fields_compare(struct rbs_diff *diff, const struct rbs_node *first,
			   const struct rbs_node *second)
{
	for (size_t i = 0; i < second->field_count; i++) {
		const struct rbs_field *other = rbs_node_find(first, second->fields[i].desc->name);

		if (other)
			field_compare(diff, other, &second->fields[i], second);
		else
			field_single(diff, RBS_CHANGE_APPEARED, &second->fields[i], second);
	}
	for (size_t i = 0; i < first->field_count; i++) {
		if (!rbs_node_find(second, first->fields[i].desc->name))
			field_single(diff, RBS_CHANGE_GONE, &first->fields[i], first);
	}
}

static void node_change_add(struct rbs_diff *diff, enum rbs_change_kind kind,
			    const struct rbs_node *node)
{
	char path[512];

	/* Slots come and go with every packet: they say nothing. */
	if (node->level != RBS_LEVEL_SLOT)
		change_add(diff, kind, rbs_node_path(node, path, sizeof(path)));
}

static void children_gone(struct rbs_diff *diff, const struct rbs_node *first,
			  const struct rbs_node *second)
{
	for (size_t i = 0; i < first->child_count; i++) {
		if (!rbs_node_child(second, first->children[i]->name))
			node_change_add(diff, RBS_CHANGE_GONE, first->children[i]);
	}
}

struct pair {
	const struct rbs_node *first, *second;
	size_t next;
};

/* Depth first along the second result, without recursion: the levels bound the depth. */
static void nodes_compare(struct rbs_diff *diff, const struct rbs_node *first,
			  const struct rbs_node *second)
{
	struct pair pairs[RBS_LEVEL_COUNT + 1] = {{.first = first, .second = second}};
	size_t depth = 0;

	fields_compare(diff, first, second);
	children_gone(diff, first, second);
	for (;;) {
		struct pair *pair = &pairs[depth];

		if (pair->next < pair->second->child_count) {
			const struct rbs_node *child = pair->second->children[pair->next++];
			const struct rbs_node *other = rbs_node_child(pair->first, child->name);

			if (!other) {
				node_change_add(diff, RBS_CHANGE_APPEARED, child);
				continue;
			}
			fields_compare(diff, other, child);
			children_gone(diff, other, child);
			pairs[++depth] = (struct pair){.first = other, .second = child};
		} else if (depth) {
			depth--;
		} else {
			return;
		}
	}
}

void rbs_diff_init(struct rbs_diff *diff, const struct rbs_report *first,
		   const struct rbs_report *second)
{
	*diff = (struct rbs_diff){0};
	for (size_t i = 0; i < second->section_count; i++) {
		const struct rbs_node *node = second->sections[i].node;
		const struct rbs_node *other = rbs_report_section(first, node->name);

		if (other)
			nodes_compare(diff, other, node);
		else if (node->child_count)
			node_change_add(diff, RBS_CHANGE_APPEARED, node);
	}
	for (size_t i = 0; i < first->section_count; i++) {
		const struct rbs_node *node = first->sections[i].node;

		if (node->child_count && !rbs_report_section(second, node->name))
			node_change_add(diff, RBS_CHANGE_GONE, node);
	}
}

void rbs_diff_deinit(struct rbs_diff *diff)
{
	for (size_t i = 0; i < diff->count; i++) {
		free(diff->changes[i].path);
		free(diff->changes[i].from);
		free(diff->changes[i].to);
	}
	free(diff->changes);
	*diff = (struct rbs_diff){0};
}
