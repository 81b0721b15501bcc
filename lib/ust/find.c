/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buffers among the kernel's files: those that processes map, and those that tmpfs holds whether a
 * process maps them or not (a dead process's, memfds, copies).
 */
#include "lib/ust/ust.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/walk.h"

#define SUPER_BLOCK_LIMIT 65536
#define INODE_LIMIT (4u << 20) /* of a file system */
#define PATH_DEPTH 16
#define TYPE_MASK 0170000
#define TYPE_REGULAR 0100000

static const struct rbs_layout_entry entries[RBS_UST_LAYOUT_COUNT] = {
	[RBS_UST_HOST] = {"address_space:host"},
	/* struct rb_root_cached since 4.14. */
	[RBS_UST_MAP_TREE] = {"address_space:i_mmap.rb_root.rb_node|"
			      "address_space:i_mmap.rb_node"},
	[RBS_UST_INO] = {"inode:i_ino"},
	[RBS_UST_SIZE] = {"inode:i_size"},
	[RBS_UST_MODE] = {"inode:i_mode"},
	[RBS_UST_INODE_SPACE] = {"inode:i_mapping"},
	[RBS_UST_INODE_NEXT] = {"inode:i_sb_list"},
	[RBS_UST_INODE_SB] = {"inode:i_sb", RBS_OPTIONAL},
	[RBS_UST_SB_DEVICE] = {"super_block:s_dev", RBS_OPTIONAL},
	[RBS_UST_ALIAS_HEAD] = {"inode:i_dentry.first", RBS_OPTIONAL},
	[RBS_UST_ALIAS] = {"dentry:d_u.d_alias|dentry:d_alias", RBS_OPTIONAL},
	/* "VFS: rename d_name to __d_name", 6.17: the old name is there too, const. */
	[RBS_UST_NAME] = {"dentry:d_name.name|dentry:__d_name.name", RBS_OPTIONAL},
	[RBS_UST_PARENT] = {"dentry:d_parent", RBS_OPTIONAL},
	[RBS_UST_SB_LIST] = {"super_block:s_list"},
	[RBS_UST_SB_TYPE] = {"super_block:s_type"},
	[RBS_UST_SB_INODES] = {"super_block:s_inodes"},
	[RBS_UST_TYPE_NAME] = {"file_system_type:name"},
	[RBS_UST_FILE_SPACE] = {"file:f_mapping"},
	[RBS_UST_AREA_NODE] = {"vm_area_struct:shared.rb"},
	[RBS_UST_RB_LEFT] = {"rb_node:rb_left"},
	[RBS_UST_RB_RIGHT] = {"rb_node:rb_right"},
	[RBS_UST_MM_OWNER] = {"mm_struct:owner", RBS_OPTIONAL},
	[RBS_UST_MM_PGD] = {"mm_struct:pgd", RBS_OPTIONAL},
};

struct rbs_value rbs_ust_member(const struct rbs_ust *ust, unsigned id, uint64_t base)
{
	return rbs_layout_read(&ust->layout, id, ust->dump->target, base);
}

/* On failure the part that could be read, from the file's own name on. */
static enum rbs_code path_read(const struct rbs_ust *ust, uint64_t dentry, char *path, size_t size)
{
	char joined[256] = "", name[256], longer[512];
	enum rbs_code code = RBS_OK;

	for (unsigned i = 0; dentry && i < PATH_DEPTH; i++) {
		struct rbs_value parent = rbs_ust_member(ust, RBS_UST_PARENT, dentry);
		struct rbs_value text = rbs_ust_member(ust, RBS_UST_NAME, dentry);

		code = rbs_value_ok(&parent) ? text.code : parent.code;
		if (rbs_value_ok(&parent) && parent.number == dentry)
			break;
		if (!rbs_value_or(&text, 0))
			break;
		code = rbs_target_read_string(ust->dump->target, text.number, name, sizeof(name),
					      NULL);
		if (code != RBS_OK)
			break;
		snprintf(longer, sizeof(longer), "/%.200s%s", name, joined);
		snprintf(joined, sizeof(joined), "%.255s", longer);
		code = parent.code;
		dentry = rbs_value_or(&parent, 0);
	}
	snprintf(path, size, "%s", joined);
	return code;
}

/* The directory entry of an inode, "/" at the front of its path from the file system's root. */
static void path_find(const struct rbs_ust *ust, struct rbs_ust_object *object, uint64_t inode)
{
	struct rbs_value alias = rbs_ust_member(ust, RBS_UST_ALIAS_HEAD, inode);

	if (!rbs_layout_has(&ust->layout, RBS_UST_ALIAS_HEAD) ||
	    !rbs_layout_has(&ust->layout, RBS_UST_ALIAS))
		return;
	object->path_code = alias.code;
	if (rbs_value_or(&alias, 0))
		object->path_code = path_read(
			ust, alias.number - rbs_layout_offset(&ust->layout, RBS_UST_ALIAS),
			object->path, sizeof(object->path));
}

/* What the inode says; object->code when it can't be read. */
static void inode_read(const struct rbs_ust *ust, struct rbs_ust_object *object, uint64_t inode)
{
	struct rbs_target *target = ust->dump->target;
	struct rbs_error *err = &object->error;
	uint64_t super_block = 0;

	object->code =
		rbs_layout_require(&ust->layout, RBS_UST_INO, target, inode, &object->inode, err);
	if (object->code == RBS_OK)
		object->code = rbs_layout_require(&ust->layout, RBS_UST_SIZE, target, inode,
						  &object->size, err);
	if (object->code == RBS_OK && rbs_layout_has(&ust->layout, RBS_UST_INODE_SB))
		object->code = rbs_layout_require(&ust->layout, RBS_UST_INODE_SB, target, inode,
						  &super_block, err);
	if (super_block && rbs_layout_has(&ust->layout, RBS_UST_SB_DEVICE))
		object->code = rbs_layout_require(&ust->layout, RBS_UST_SB_DEVICE, target,
						  super_block, &object->device, err);
	path_find(ust, object, inode);
}

/*
 * Names that LTTng gives: the consumer's shared memory (lttng-tools: src/common/shm.c; until 2.12
 * src/common/ust-consumer/ust-consumer.c), and the folders of --shm-path. A trace that was written
 * has the same folders: that a process maps the file tells the difference.
 */
static bool path_is_buffer(const char *path, bool mapped)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return !strncmp(name, "shm-ust-consumer-", 17) || !strncmp(name, "ust-shm-consumer-", 17) ||
	       (mapped && (strstr(path, "/ust/uid/") || strstr(path, "/ust/pid/")));
}

static struct rbs_ust_object *object_known(struct rbs_ust *ust, uint64_t address_space)
{
	for (size_t i = 0; i < ust->count; i++) {
		if (ust->objects[i].address_space == address_space)
			return &ust->objects[i];
	}
	return NULL;
}

struct rbs_ust_object *rbs_ust_add(struct rbs_ust *ust)
{
	if (ust->count == ust->room) {
		size_t grown = ust->room ? ust->room * 2 : 32;
		struct rbs_ust_object *moved;

		if (grown > RBS_UST_OBJECT_LIMIT)
			return NULL;
		moved = reallocarray(ust->objects, grown, sizeof(*moved));
		if (!moved)
			return NULL;
		ust->objects = moved;
		ust->room = grown;
	}
	ust->objects[ust->count] =
		(struct rbs_ust_object){.code = RBS_OK, .cpu = rbs_value_absent(RBS_NO_TYPES)};
	return &ust->objects[ust->count++];
}

static void object_read(struct rbs_ust *ust, struct rbs_ust_object *object)
{
	uint64_t page_size = ust->dump->target->info.page_size;
	uint64_t pages = object->size / page_size + (object->size % page_size != 0);

	if (pages > RBS_UST_PAGE_LIMIT) {
		object->code = rbs_error_set_at(
			&object->error, RBS_LIMIT, object->address_space,
			"the buffer's file of %" PRIu64 " pages is too large", pages);
		return;
	}
	object->code = rbs_page_list_init(&object->pages, &ust->pages, object->address_space,
					  (size_t)pages, &object->error);
	if (object->code == RBS_OK)
		object->code = rbs_ust_abi_read(ust, object, &object->error);
	if (object->code == RBS_OK)
		rbs_ust_owner_read(ust, object);
}

static struct rbs_error *route_error(struct rbs_ust *ust, unsigned route)
{
	return route == RBS_UST_BY_PROCESS ? &ust->process_error
	       : route == RBS_UST_BY_INODE ? &ust->inode_error
					   : &ust->page_error;
}

/* A member of what a route leads through; what can't be read is told of the route. */
static uint64_t member_follow(struct rbs_ust *ust, unsigned id, uint64_t base, unsigned route)
{
	struct rbs_error error;
	uint64_t number = 0;

	if (rbs_layout_require(&ust->layout, id, ust->dump->target, base, &number, &error) !=
	    RBS_OK) {
		rbs_error_keep(route_error(ust, route), &error);
		return 0;
	}
	return number;
}

/* Whether the file's first page starts a buffer; *code says why that can't be told. */
static bool first_page_fits(struct rbs_ust *ust, uint64_t address_space, enum rbs_code *code)
{
	uint8_t bytes[RBS_UST_MAGIC_SIZE];
	uint64_t physical;

	*code = rbs_page_first(&ust->pages, address_space, &physical, NULL);
	if (*code == RBS_OK && physical == RBS_PAGE_NONE)
		return false;
	if (*code == RBS_OK && physical == RBS_PAGE_SWAPPED)
		*code = RBS_UNMAPPED;
	if (*code == RBS_OK)
		*code = rbs_page_read(&ust->pages, physical, bytes, sizeof(bytes), NULL);
	return *code == RBS_OK && rbs_ust_magic(bytes);
}

void rbs_ust_consider(struct rbs_ust *ust, uint64_t address_space, unsigned route)
{
	struct rbs_ust_object *known, found = {.address_space = address_space, .routes = route};
	uint64_t inode;
	enum rbs_code code;
	bool fits = first_page_fits(ust, address_space, &code);

	if (code == RBS_OK && !fits)
		return;
	known = object_known(ust, address_space);
	if (known) {
		known->routes |= route;
		return;
	}
	inode = member_follow(ust, RBS_UST_HOST, address_space, route);
	if (!inode)
		return;
	inode_read(ust, &found, inode);
	/* Of a page that can't be read, only a name can tell what it was. */
	if (code != RBS_OK && !path_is_buffer(found.path, route == RBS_UST_BY_PROCESS)) {
		if (ust->nameless == RBS_OK && code != RBS_UNMAPPED)
			ust->nameless = code;
		return;
	}
	known = rbs_ust_add(ust);
	if (!known)
		return;
	found.cpu = known->cpu;
	*known = found;
	if (known->code == RBS_OK)
		object_read(ust, known);
}

struct visit {
	struct rbs_ust *ust;
};

static bool area_visit(void *context, uint64_t area)
{
	struct rbs_ust *ust = ((struct visit *)context)->ust;
	struct rbs_mapping mapping;
	struct rbs_error error;
	uint64_t space;

	if (rbs_mapping_read(&ust->tasks, area, &mapping, &error) != RBS_OK) {
		rbs_error_keep(&ust->process_error, &error);
		return true;
	}
	if (!mapping.file || !mapping.shared)
		return true;
	space = member_follow(ust, RBS_UST_FILE_SPACE, mapping.file, RBS_UST_BY_PROCESS);
	if (space)
		rbs_ust_consider(ust, space, RBS_UST_BY_PROCESS);
	return true;
}

void rbs_ust_find_processes(struct rbs_ust *ust)
{
	struct visit visit = {ust};

	ust->process_error = ust->tasks.error;
	ust->process_error.code = ust->tasks.code;
	for (size_t i = 0; i < ust->tasks.count; i++) {
		const struct rbs_task *task = &ust->tasks.tasks[i];
		struct rbs_error error;

		if (!task->mm ||
		    rbs_task_areas(&ust->tasks, task->mm, area_visit, &visit, &error) == RBS_OK ||
		    ust->process_error.code != RBS_OK)
			continue;
		rbs_error_prefix(&error, "process %" PRId64 "'s memory areas", task->pid);
		ust->process_error = error;
	}
}

/* File systems that keep files in the page cache alone. */
static bool holds_shared_memory(struct rbs_ust *ust, uint64_t super_block)
{
	static const char *const names[] = {"tmpfs", "devtmpfs", "ramfs", "rootfs"};
	uint64_t type = member_follow(ust, RBS_UST_SB_TYPE, super_block, RBS_UST_BY_INODE);
	uint64_t text = type ? member_follow(ust, RBS_UST_TYPE_NAME, type, RBS_UST_BY_INODE) : 0;
	struct rbs_error error;
	char name[16];

	if (!text)
		return false;
	if (rbs_target_read_string(ust->dump->target, text, name, sizeof(name), &error) != RBS_OK) {
		rbs_error_keep(&ust->inode_error, &error);
		return false;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static void inodes_walk(struct rbs_ust *ust, uint64_t super_block)
{
	struct rbs_list_walk walk;
	uint64_t entry;

	rbs_list_walk_init(&walk, ust->dump->target,
			   super_block + rbs_layout_offset(&ust->layout, RBS_UST_SB_INODES),
			   INODE_LIMIT);
	while (rbs_list_walk_next(&walk, &entry)) {
		uint64_t inode = entry - rbs_layout_offset(&ust->layout, RBS_UST_INODE_NEXT);
		uint64_t space;

		if ((member_follow(ust, RBS_UST_MODE, inode, RBS_UST_BY_INODE) & TYPE_MASK) !=
			    TYPE_REGULAR ||
		    member_follow(ust, RBS_UST_SIZE, inode, RBS_UST_BY_INODE) <
			    ust->dump->target->info.page_size)
			continue;
		space = member_follow(ust, RBS_UST_INODE_SPACE, inode, RBS_UST_BY_INODE);
		if (space)
			rbs_ust_consider(ust, space, RBS_UST_BY_INODE);
	}
	if (walk.code != RBS_OK && ust->inode_error.code == RBS_OK)
		ust->inode_error = walk.error;
}

void rbs_ust_find_inodes(struct rbs_ust *ust)
{
	struct rbs_list_walk walk;
	uint64_t head, entry;

	ust->inode_error.code = rbs_symbols_find(&ust->dump->symbols, NULL, "super_blocks", &head,
						 &ust->inode_error);
	if (ust->inode_error.code != RBS_OK)
		return;
	rbs_list_walk_init(&walk, ust->dump->target, head, SUPER_BLOCK_LIMIT);
	while (rbs_list_walk_next(&walk, &entry)) {
		uint64_t super_block = entry - rbs_layout_offset(&ust->layout, RBS_UST_SB_LIST);

		if (holds_shared_memory(ust, super_block))
			inodes_walk(ust, super_block);
	}
	if (walk.code != RBS_OK && ust->inode_error.code == RBS_OK)
		ust->inode_error = walk.error;
}

enum rbs_code rbs_ust_init(struct rbs_ust *ust, struct rbs_dump *dump,
			   const struct rbs_ust_options *options, struct rbs_error *err)
{
	enum rbs_code code;

	*ust = (struct rbs_ust){.dump = dump};
	code = rbs_layout_init(&ust->layout, entries, RBS_UST_LAYOUT_COUNT, &dump->types, NULL,
			       err);
	if (code == RBS_OK)
		code = rbs_pages_init(&ust->pages, dump, err);
	if (code == RBS_OK)
		code = rbs_tasks_init(&ust->tasks, dump, err);
	if (code != RBS_OK) {
		rbs_ust_deinit(ust);
		return code;
	}
	rbs_ust_find_processes(ust);
	rbs_ust_find_inodes(ust);
	if (options->scan)
		rbs_ust_find_pages(ust, options);
	for (size_t i = 0; i < ust->count; i++)
		rbs_ust_users_find(ust, &ust->objects[i]);
	return RBS_OK;
}

void rbs_ust_deinit(struct rbs_ust *ust)
{
	for (size_t i = 0; i < ust->count; i++) {
		rbs_page_list_deinit(&ust->objects[i].pages);
		free(ust->objects[i].users);
	}
	free(ust->objects);
	rbs_tasks_deinit(&ust->tasks);
	rbs_pages_deinit(&ust->pages);
	rbs_layout_deinit(&ust->layout);
	*ust = (struct rbs_ust){0};
}
