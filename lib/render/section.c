/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/section.h"

#include <string.h>

const struct rbs_node *rbs_section_find(const struct rbs_report *report, const char *family)
{
	for (size_t i = 0; i < report->section_count; i++) {
		if (!strcmp(report->sections[i].family->name, family))
			return report->sections[i].node;
	}
	return NULL;
}

const struct rbs_node *rbs_child_find(const struct rbs_node *node, const char *name)
{
	for (size_t i = 0; i < node->child_count; i++) {
		if (!strcmp(node->children[i]->name, name))
			return node->children[i];
	}
	return NULL;
}

bool rbs_field_number(const struct rbs_node *node, const char *name, uint64_t *number)
{
	const struct rbs_field *field = rbs_node_find(node, name);

	if (!field || field->code != RBS_OK)
		return false;
	*number = field->number;
	return true;
}

const char *rbs_field_text(const struct rbs_node *node, const char *name)
{
	const struct rbs_field *field = rbs_node_find(node, name);

	return field && field->code == RBS_OK ? field->text : NULL;
}
