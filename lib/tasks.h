/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tasks - the processes that there were, and their mappings of files.
 *
 * From init_task.tasks, the list of the leaders of thread groups (kernel/fork.c). Kernel threads
 * have no memory of their own (mm 0).
 */
#ifndef RBS_TASKS_H
#define RBS_TASKS_H

#include "lib/dump.h"
#include "lib/layout.h"

#define RBS_TASK_LIMIT (4u << 20) /* PID_MAX_LIMIT */

struct rbs_task {
	uint64_t address; /* struct task_struct */
	uint64_t mm;	  /* struct mm_struct, 0 for a kernel thread */
	uint64_t parent;  /* struct task_struct of its real parent */
	int64_t pid;	  /* of the thread group */
	struct rbs_value uid;
	char comm[17];
	char program[64]; /* name of the file that it runs; empty when unknown */
	/* Not RBS_OK: why some of the above is not known (uid tells its own reason). */
	enum rbs_code code;
};

struct rbs_tasks {
	struct rbs_dump *dump;
	struct rbs_layout layout, memory;
	struct rbs_task *tasks; /* owned; in the order of the list */
	size_t count;
	/* Not RBS_OK: the list broke off, or a process's memory is not known; error says where. */
	enum rbs_code code;
	struct rbs_error error;
};

/* RBS_NO_SYMBOL or RBS_NO_TYPES when there is no way to the list. */
enum rbs_code rbs_tasks_init(struct rbs_tasks *tasks, struct rbs_dump *dump, struct rbs_error *err);
void rbs_tasks_deinit(struct rbs_tasks *tasks);

/* The process that has this memory; NULL when no listed one has. */
const struct rbs_task *rbs_tasks_by_mm(const struct rbs_tasks *tasks, uint64_t mm);

/* A mapping. Addresses are the process's; offset is where in the file it starts, in bytes. */
struct rbs_mapping {
	uint64_t area; /* struct vm_area_struct */
	uint64_t mm;
	uint64_t start, end, offset;
	uint64_t file; /* struct file, 0 for none */
	bool shared;
	bool readable; /* by the process; of areas that are only reserved: false */
};

/* What an area of memory says of itself. */
enum rbs_code rbs_mapping_read(const struct rbs_tasks *tasks, uint64_t area,
			       struct rbs_mapping *mapping, struct rbs_error *err);

/*
 * Visit the areas of a process. visit returns false to end. Until 6.0 a list, then a maple tree
 * ("mm: remove the vma linked list", 6.1). Fails when the areas can't be followed to their end.
 */
enum rbs_code rbs_task_areas(const struct rbs_tasks *tasks, uint64_t mm,
			     bool (*visit)(void *context, uint64_t area), void *context,
			     struct rbs_error *err);

#endif
