/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who maps a buffer: the areas in its address_space's i_mmap, an interval tree of rb nodes
 * (mm/interval_tree.c), and the processes whose memory they belong to.
 */
#include "lib/ust/ust.h"

#include <stdlib.h>
#include <string.h>

#include "lib/target/x86_walk.h"

#define TREE_DEPTH 64 /* of a tree of 2^32 nodes */

bool rbs_ust_is_consumer(const struct rbs_task *task)
{
	return !strcmp(*task->program ? task->program : task->comm, "lttng-consumerd");
}

bool rbs_ust_is_sessiond(const struct rbs_task *task)
{
	return !strcmp(*task->program ? task->program : task->comm, "lttng-sessiond");
}

enum rbs_code rbs_ust_tables_find(const struct rbs_ust *ust, uint64_t mm, struct rbs_x86_walk *walk)
{
	struct rbs_dump *dump = ust->dump;
	struct rbs_value table;
	int64_t five = 0;

	/* A PV domain's tables hold the machine's addresses, not its own. */
	if (strcmp(dump->target->info.arch, "x86_64") ||
	    !rbs_layout_has(&ust->layout, RBS_UST_MM_PGD) || ust->pages.by_linear ||
	    !ust->pages.places.has_linear)
		return RBS_UNSUPPORTED;
	table = rbs_ust_member(ust, RBS_UST_MM_PGD, mm);
	/* RBS_UNMAPPED is what the process's own tables say. */
	if (!rbs_value_ok(&table))
		return table.code == RBS_UNMAPPED ? RBS_CORRUPT : table.code;
	rbs_vmcoreinfo_number(dump->target, "pgtable_l5_enabled", &five);
	rbs_x86_walk_init(walk, dump->target, table.number - ust->pages.places.linear,
			  five ? 5 : 4);
	return RBS_OK;
}

/* That a page is not mapped, or that tables can't be followed here, is no loss. */
static void tables_note(struct rbs_ust_object *object, enum rbs_code code)
{
	if (code != RBS_UNMAPPED && code != RBS_UNSUPPORTED)
		object->tables_code = rbs_code_first(object->tables_code, code);
}

void rbs_ust_tables_compare(const struct rbs_ust *ust, struct rbs_ust_object *object,
			    struct rbs_ust_user *user)
{
	uint64_t page_size = ust->dump->target->info.page_size;
	struct rbs_x86_walk walk;
	enum rbs_code code = rbs_ust_tables_find(ust, user->mapping.mm, &walk);

	tables_note(object, code);
	for (size_t i = 0; code == RBS_OK && i < object->pages.count; i++) {
		uint64_t at = user->mapping.start + i * page_size - user->mapping.offset, physical;
		enum rbs_code found;

		if (i * page_size < user->mapping.offset || at >= user->mapping.end ||
		    object->pages.physical[i] >= RBS_PAGE_SWAPPED)
			continue;
		found = rbs_x86_translate(&walk, at, &physical, NULL);
		tables_note(object, found);
		if (found != RBS_OK)
			continue;
		if (physical == object->pages.physical[i])
			user->pages_equal++;
		else
			user->pages_different++;
	}
}

static enum rbs_code user_add(struct rbs_ust *ust, struct rbs_ust_object *object, uint64_t area)
{
	struct rbs_ust_user user = {0}, *moved;
	struct rbs_value space;
	enum rbs_code code = rbs_mapping_read(&ust->tasks, area, &user.mapping, NULL);

	if (code != RBS_OK)
		return code;
	if (!user.mapping.file)
		return RBS_OK;
	if (object->user_count == RBS_UST_USER_LIMIT)
		return RBS_LIMIT;
	space = rbs_ust_member(ust, RBS_UST_FILE_SPACE, user.mapping.file);
	if (!rbs_value_ok(&space) || space.number != object->address_space)
		return space.code;
	moved = reallocarray(object->users, object->user_count + 1, sizeof(*moved));
	if (!moved)
		return RBS_NOMEM;
	object->users = moved;
	user.task = rbs_tasks_by_mm(&ust->tasks, user.mapping.mm);
	if (object->code == RBS_OK)
		rbs_ust_tables_compare(ust, object, &user);
	object->users[object->user_count++] = user;
	return RBS_OK;
}

static void users_note(struct rbs_ust_object *object, enum rbs_code code)
{
	object->users_code = rbs_code_first(object->users_code, code);
}

void rbs_ust_users_find(struct rbs_ust *ust, struct rbs_ust_object *object)
{
	uint64_t stack[TREE_DEPTH], offset = rbs_layout_offset(&ust->layout, RBS_UST_AREA_NODE);
	struct rbs_value root;
	size_t depth = 0, left = RBS_UST_USER_LIMIT;

	if (!object->address_space)
		return;
	root = rbs_ust_member(ust, RBS_UST_MAP_TREE, object->address_space);
	users_note(object, root.code);
	if (rbs_value_or(&root, 0))
		stack[depth++] = root.number;
	while (depth && left--) {
		uint64_t node = stack[--depth];
		const unsigned sides[] = {RBS_UST_RB_RIGHT, RBS_UST_RB_LEFT};

		users_note(object, user_add(ust, object, node - offset));
		for (size_t i = 0; i < 2; i++) {
			struct rbs_value side = rbs_ust_member(ust, sides[i], node);

			users_note(object, side.code);
			if (!rbs_value_or(&side, 0))
				continue;
			if (depth < TREE_DEPTH)
				stack[depth++] = side.number;
			else
				users_note(object, RBS_CORRUPT);
		}
	}
}
