/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpus - the machine's CPUs and where each one's per-CPU memory is.
 *
 * From the kernel's nr_cpu_ids, __cpu_possible_mask, __cpu_online_mask and __per_cpu_offset[]
 * (kernel/cpu.c, include/asm-generic/percpu.h). A uniprocessor kernel has none of them: one CPU,
 * offset 0.
 */
#ifndef RBS_CPUS_H
#define RBS_CPUS_H

#include "lib/dump.h"

#define RBS_CPU_LIMIT 8192 /* CONFIG_NR_CPUS of the largest kernels */

struct rbs_cpus {
	uint32_t count;		   /* possible CPUs are below this number */
	bool *possible;		   /* owned, count of each */
	bool *online;		   /* when online_code is RBS_OK, count of them */
	enum rbs_code online_code; /* why it is not known */
	uint64_t *offsets;	   /* add to a per-CPU pointer or symbol */
};

enum rbs_code rbs_cpus_init(struct rbs_cpus *cpus, struct rbs_dump *dump, struct rbs_error *err);
void rbs_cpus_deinit(struct rbs_cpus *cpus);

#endif
