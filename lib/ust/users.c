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

/* An entry of the top table of 5 levels: the first of its 512 GiB that processes live in. */
static bool top_level_skip(const struct rbs_ust *ust, uint64_t *root)
{
	int64_t enabled = 0;
	uint8_t bytes[8];
	uint64_t entry;

	rbs_vmcoreinfo_number(ust->dump->target, "pgtable_l5_enabled", &enabled);
	if (!enabled)
		return true;
	if (rbs_target_read(ust->dump->target, RBS_PHYSICAL, *root, bytes, sizeof(bytes), NULL) !=
	    RBS_OK)
		return false;
	entry = rbs_target_get_uint(ust->dump->target, bytes, sizeof(bytes));
	*root = entry & UINT64_C(0xffffffffff000);
	return entry & 1;
}

bool rbs_ust_tables_find(const struct rbs_ust *ust, uint64_t mm, struct rbs_x86_walk *walk)
{
	struct rbs_dump *dump = ust->dump;
	struct rbs_value table = rbs_ust_member(ust, RBS_UST_MM_PGD, mm);
	uint64_t root;

	/* A PV domain's tables hold the machine's addresses, not its own. */
	if (strcmp(dump->target->info.arch, "x86_64") || !rbs_value_ok(&table) ||
	    ust->pages.by_linear || !ust->pages.places.has_linear)
		return false;
	root = table.number - ust->pages.places.linear;
	if (!top_level_skip(ust, &root))
		return false;
	rbs_x86_walk_init(walk, dump->target, root);
	return true;
}

void rbs_ust_tables_compare(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			    struct rbs_ust_user *user)
{
	uint64_t page_size = ust->dump->target->info.page_size;
	struct rbs_x86_walk walk;

	if (!rbs_ust_tables_find(ust, user->mapping.mm, &walk))
		return;
	for (size_t i = 0; i < object->pages.count; i++) {
		uint64_t at = user->mapping.start + i * page_size - user->mapping.offset, physical;

		if (i * page_size < user->mapping.offset || at >= user->mapping.end ||
		    object->pages.physical[i] >= RBS_PAGE_SWAPPED ||
		    rbs_x86_translate(&walk, at, &physical, NULL) != RBS_OK)
			continue;
		if (physical == object->pages.physical[i])
			user->pages_equal++;
		else
			user->pages_different++;
	}
}

static void user_add(struct rbs_ust *ust, struct rbs_ust_object *object, uint64_t area)
{
	struct rbs_ust_user user = {0}, *moved;
	struct rbs_value space;

	if (rbs_mapping_read(&ust->tasks, area, &user.mapping, NULL) != RBS_OK ||
	    !user.mapping.file || object->user_count == RBS_UST_USER_LIMIT)
		return;
	space = rbs_ust_member(ust, RBS_UST_FILE_SPACE, user.mapping.file);
	if (rbs_value_or(&space, 0) != object->address_space)
		return;
	moved = reallocarray(object->users, object->user_count + 1, sizeof(*moved));
	if (!moved)
		return;
	object->users = moved;
	user.task = rbs_tasks_by_mm(&ust->tasks, user.mapping.mm);
	if (object->code == RBS_OK)
		rbs_ust_tables_compare(ust, object, &user);
	object->users[object->user_count++] = user;
}

void rbs_ust_users_find(struct rbs_ust *ust, struct rbs_ust_object *object)
{
	uint64_t stack[TREE_DEPTH], offset = rbs_layout_offset(&ust->layout, RBS_UST_AREA_NODE);
	struct rbs_value root;
	size_t depth = 0, left = RBS_UST_USER_LIMIT;

	if (!object->address_space)
		return;
	root = rbs_ust_member(ust, RBS_UST_MAP_TREE, object->address_space);
	if (rbs_value_or(&root, 0))
		stack[depth++] = root.number;
	while (depth && left--) {
		uint64_t node = stack[--depth];
		const unsigned sides[] = {RBS_UST_RB_RIGHT, RBS_UST_RB_LEFT};

		user_add(ust, object, node - offset);
		for (size_t i = 0; i < 2; i++) {
			struct rbs_value side = rbs_ust_member(ust, sides[i], node);

			if (rbs_value_or(&side, 0) && depth < TREE_DEPTH)
				stack[depth++] = side.number;
		}
	}
}
