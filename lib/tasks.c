/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/tasks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/maple.h"
#include "lib/walk.h"

#define AREA_LIMIT (1u << 20) /* of a process; vm.max_map_count is 65530 by default */
#define VM_READ 1	      /* include/linux/mm.h */
#define VM_SHARED 8	      /* include/linux/mm.h */

enum {
	T_TASKS,
	T_MM,
	T_TGID,
	T_COMM,
	T_CRED,
	T_UID,
	T_PARENT,
	T_EXE,
	T_DENTRY,
	T_NAME,
	T_COUNT,
};

static const struct rbs_layout_entry task_entries[T_COUNT] = {
	[T_TASKS] = {"task_struct:tasks"},
	[T_MM] = {"task_struct:mm"},
	[T_TGID] = {"task_struct:tgid"},
	[T_COMM] = {"task_struct:comm"},
	[T_CRED] = {"task_struct:real_cred", RBS_OPTIONAL},
	[T_UID] = {"cred:uid", RBS_OPTIONAL},
	[T_PARENT] = {"task_struct:real_parent", RBS_OPTIONAL},
	[T_EXE] = {"mm_struct:exe_file", RBS_OPTIONAL},
	[T_DENTRY] = {"file:f_path.dentry", RBS_OPTIONAL},
	/* "VFS: rename d_name to __d_name", 6.17: the old name is there too, const. */
	[T_NAME] = {"dentry:d_name.name|dentry:__d_name.name", RBS_OPTIONAL},
};

enum {
	V_MM,
	V_START,
	V_END,
	V_OFFSET,
	V_FILE,
	V_FLAGS,
	V_NEXT,
	V_FIRST,
	V_TREE,
	V_COUNT,
};

static const struct rbs_layout_entry memory_entries[V_COUNT] = {
	[V_MM] = {"vm_area_struct:vm_mm"},
	[V_START] = {"vm_area_struct:vm_start"},
	[V_END] = {"vm_area_struct:vm_end"},
	[V_OFFSET] = {"vm_area_struct:vm_pgoff"},
	[V_FILE] = {"vm_area_struct:vm_file"},
	/* An anonymous union with __vm_flags since 6.3. */
	[V_FLAGS] = {"vm_area_struct:vm_flags"},
	[V_NEXT] = {"vm_area_struct:vm_next", RBS_OPTIONAL},
	[V_FIRST] = {"mm_struct:mmap", RBS_OPTIONAL},
	[V_TREE] = {"mm_struct:mm_mt", RBS_OPTIONAL},
};

static struct rbs_value member(const struct rbs_tasks *tasks, unsigned id, uint64_t base)
{
	return rbs_layout_read(&tasks->layout, id, tasks->dump->target, base);
}

/* A member that may not be missing; the first that is tells why in task->code. */
static uint64_t member_take(struct rbs_tasks *tasks, struct rbs_task *task, unsigned id,
			    uint64_t base)
{
	struct rbs_value value = member(tasks, id, base);

	if (value.code != RBS_NO_MEMBER)
		task->code = rbs_code_first(task->code, value.code);
	return rbs_value_or(&value, 0);
}

static void program_read(struct rbs_tasks *tasks, struct rbs_task *task)
{
	uint64_t file = task->mm ? member_take(tasks, task, T_EXE, task->mm) : 0;
	uint64_t dentry = file ? member_take(tasks, task, T_DENTRY, file) : 0;
	uint64_t name = dentry ? member_take(tasks, task, T_NAME, dentry) : 0;
	enum rbs_code code;

	if (!name)
		return;
	code = rbs_target_read_string(tasks->dump->target, name, task->program,
				      sizeof(task->program), NULL);
	if (code != RBS_OK)
		task->program[0] = '\0';
	task->code = rbs_code_first(task->code, code);
}

/* What can't be read stays 0 or empty: a process of which nothing is known is shown as such. */
static void task_read(struct rbs_tasks *tasks, uint64_t address, struct rbs_task *task)
{
	struct rbs_value pid = member(tasks, T_TGID, address);
	struct rbs_value cred = member(tasks, T_CRED, address);
	enum rbs_code code;

	*task = (struct rbs_task){.address = address, .code = pid.code};
	task->mm = member_take(tasks, task, T_MM, address);
	task->pid = (int64_t)rbs_value_or(&pid, (uint64_t)-1);
	task->parent = member_take(tasks, task, T_PARENT, address);
	task->uid = rbs_value_or(&cred, 0)
			    ? member(tasks, T_UID, cred.number)
			    : rbs_value_absent(rbs_value_ok(&cred) ? RBS_CORRUPT : cred.code);
	code = rbs_target_read_string(tasks->dump->target,
				      address + rbs_layout_offset(&tasks->layout, T_COMM),
				      task->comm, sizeof(task->comm), NULL);
	task->code = rbs_code_first(task->code, code);
	program_read(tasks, task);
}

/* Whose memory can't be found is missing among those that map a file. */
static void memory_check(struct rbs_tasks *tasks, const struct rbs_task *task)
{
	uint64_t mm;

	if (tasks->code == RBS_OK)
		tasks->code = rbs_layout_require(&tasks->layout, T_MM, tasks->dump->target,
						 task->address, &mm, &tasks->error);
}

static enum rbs_code tasks_add(struct rbs_tasks *tasks, size_t *room, uint64_t address,
			       struct rbs_error *err)
{
	if (tasks->count == *room) {
		size_t grown = *room ? *room * 2 : 64;
		struct rbs_task *moved = reallocarray(tasks->tasks, grown, sizeof(*moved));

		if (!moved)
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
		tasks->tasks = moved;
		*room = grown;
	}
	task_read(tasks, address, &tasks->tasks[tasks->count]);
	memory_check(tasks, &tasks->tasks[tasks->count++]);
	return RBS_OK;
}

enum rbs_code rbs_tasks_init(struct rbs_tasks *tasks, struct rbs_dump *dump, struct rbs_error *err)
{
	struct rbs_list_walk walk;
	uint64_t init, entry;
	size_t room = 0;
	enum rbs_code code;

	*tasks = (struct rbs_tasks){.dump = dump};
	code = rbs_layout_init(&tasks->layout, task_entries, T_COUNT, &dump->types, NULL, err);
	if (code == RBS_OK)
		code = rbs_layout_init(&tasks->memory, memory_entries, V_COUNT, &dump->types, NULL,
				       err);
	if (code == RBS_OK)
		code = rbs_symbols_find(&dump->symbols, NULL, "init_task", &init, err);
	if (code != RBS_OK) {
		rbs_tasks_deinit(tasks);
		return code;
	}
	init += rbs_layout_offset(&tasks->layout, T_TASKS);
	rbs_list_walk_init(&walk, dump->target, init, RBS_TASK_LIMIT);
	while (code == RBS_OK && rbs_list_walk_next(&walk, &entry))
		code = tasks_add(tasks, &room, entry - rbs_layout_offset(&tasks->layout, T_TASKS),
				 err);
	if (code != RBS_OK) {
		rbs_tasks_deinit(tasks);
		return code;
	}
	if (walk.code != RBS_OK) {
		tasks->code = walk.code;
		tasks->error = walk.error;
	}
	return RBS_OK;
}

void rbs_tasks_deinit(struct rbs_tasks *tasks)
{
	rbs_layout_deinit(&tasks->layout);
	rbs_layout_deinit(&tasks->memory);
	free(tasks->tasks);
	*tasks = (struct rbs_tasks){0};
}

const struct rbs_task *rbs_tasks_by_mm(const struct rbs_tasks *tasks, uint64_t mm)
{
	for (size_t i = 0; mm && i < tasks->count; i++) {
		if (tasks->tasks[i].mm == mm)
			return &tasks->tasks[i];
	}
	return NULL;
}

enum rbs_code rbs_mapping_read(const struct rbs_tasks *tasks, uint64_t area,
			       struct rbs_mapping *mapping, struct rbs_error *err)
{
	struct rbs_target *target = tasks->dump->target;
	const struct {
		unsigned id;
		uint64_t *place;
	} members[] = {{V_MM, &mapping->mm},
		       {V_START, &mapping->start},
		       {V_END, &mapping->end},
		       {V_OFFSET, &mapping->offset},
		       {V_FILE, &mapping->file}};
	struct rbs_value flags;

	*mapping = (struct rbs_mapping){.area = area};
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		enum rbs_code code = rbs_layout_require(&tasks->memory, members[i].id, target, area,
							members[i].place, err);

		if (code != RBS_OK)
			return code;
	}
	flags = rbs_layout_read(&tasks->memory, V_FLAGS, target, area);
	mapping->shared = rbs_value_or(&flags, 0) & VM_SHARED;
	mapping->readable = rbs_value_or(&flags, VM_READ) & VM_READ;
	mapping->offset *= target->info.page_size;
	if (mapping->start > mapping->end)
		return rbs_error_set_at(err, RBS_CORRUPT, area,
					"the memory area at %" PRIx64 " ends before it starts",
					area);
	return RBS_OK;
}

static enum rbs_code areas_list(const struct rbs_tasks *tasks, uint64_t mm,
				bool (*visit)(void *context, uint64_t area), void *context,
				struct rbs_error *err)
{
	struct rbs_target *target = tasks->dump->target;
	uint64_t area;
	enum rbs_code code = rbs_layout_require(&tasks->memory, V_FIRST, target, mm, &area, err);

	for (size_t i = 0; code == RBS_OK && area; i++) {
		if (i == AREA_LIMIT)
			return rbs_error_set_at(err, RBS_LIMIT, mm,
						"the process has more than %u memory areas",
						AREA_LIMIT);
		if (!visit(context, area))
			return RBS_OK;
		code = rbs_layout_require(&tasks->memory, V_NEXT, target, area, &area, err);
	}
	return code;
}

enum rbs_code rbs_task_areas(const struct rbs_tasks *tasks, uint64_t mm,
			     bool (*visit)(void *context, uint64_t area), void *context,
			     struct rbs_error *err)
{
	struct rbs_maple_types types;
	enum rbs_code code;

	if (!rbs_layout_has(&tasks->memory, V_TREE))
		return areas_list(tasks, mm, visit, context, err);
	code = rbs_maple_types_init(&types, &tasks->dump->types, err);
	if (code == RBS_OK)
		code = rbs_maple_walk(&types, tasks->dump->target,
				      mm + rbs_layout_offset(&tasks->memory, V_TREE), AREA_LIMIT,
				      visit, context, err);
	rbs_maple_types_deinit(&types);
	return code;
}
