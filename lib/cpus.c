/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/cpus.h"

#include <stdlib.h>

static enum rbs_code number_find(struct rbs_dump *dump, const char *name, size_t size,
				 uint64_t *number, struct rbs_error *err)
{
	uint64_t address;
	enum rbs_code code = rbs_symbols_find(&dump->symbols, NULL, name, &address, err);

	if (code == RBS_OK)
		code = rbs_target_read_uint(dump->target, address, size, number, err);
	return code;
}

/* A cpumask is an array of longs. */
static enum rbs_code mask_read(struct rbs_dump *dump, const char *name, bool *bits, uint32_t count)
{
	unsigned size = dump->target->info.word_size;
	uint64_t address, word = 0;
	enum rbs_code code = rbs_symbols_find(&dump->symbols, NULL, name, &address, NULL);

	for (uint32_t cpu = 0; code == RBS_OK && cpu < count; cpu++) {
		unsigned bit = cpu % (size * 8);

		if (!bit)
			code = rbs_target_read_uint(dump->target, address + cpu / 8, size, &word,
						    NULL);
		bits[cpu] = word >> bit & 1;
	}
	return code;
}

static enum rbs_code offsets_read(struct rbs_cpus *cpus, struct rbs_dump *dump,
				  struct rbs_error *err)
{
	unsigned size = dump->target->info.word_size;
	uint64_t address;
	enum rbs_code code =
		rbs_symbols_find(&dump->symbols, NULL, "__per_cpu_offset", &address, err);

	for (uint32_t cpu = 0; code == RBS_OK && cpu < cpus->count; cpu++) {
		if (cpus->possible[cpu])
			code = rbs_target_read_uint(dump->target, address + (uint64_t)cpu * size,
						    size, &cpus->offsets[cpu], err);
	}
	if (code != RBS_OK)
		rbs_error_prefix(err, "the CPUs' per-CPU offsets");
	return code;
}

static enum rbs_code arrays_create(struct rbs_cpus *cpus, struct rbs_error *err)
{
	cpus->possible = calloc(cpus->count, sizeof(*cpus->possible));
	cpus->online = calloc(cpus->count, sizeof(*cpus->online));
	cpus->offsets = calloc(cpus->count, sizeof(*cpus->offsets));
	if (cpus->possible && cpus->online && cpus->offsets)
		return RBS_OK;
	return rbs_error_set(err, RBS_NOMEM, "out of memory");
}

enum rbs_code rbs_cpus_init(struct rbs_cpus *cpus, struct rbs_dump *dump, struct rbs_error *err)
{
	uint64_t count = 1;
	bool multi = true;
	enum rbs_code code;

	*cpus = (struct rbs_cpus){0};
	/* nr_cpu_ids is an unsigned int; kernels for one CPU do not have it. */
	code = number_find(dump, "nr_cpu_ids", 4, &count, err);
	if (code == RBS_NO_SYMBOL)
		multi = false;
	else if (code != RBS_OK)
		return code;
	if (!count || count > RBS_CPU_LIMIT)
		return rbs_error_set(err, RBS_CORRUPT, "nr_cpu_ids is %llu",
				     (unsigned long long)count);
	cpus->count = (uint32_t)count;
	code = arrays_create(cpus, err);
	if (code == RBS_OK && (!multi || mask_read(dump, "__cpu_possible_mask", cpus->possible,
						   cpus->count) != RBS_OK)) {
		for (uint32_t cpu = 0; cpu < cpus->count; cpu++)
			cpus->possible[cpu] = true;
	}
	if (code == RBS_OK && multi)
		cpus->online_code = mask_read(dump, "__cpu_online_mask", cpus->online, cpus->count);
	else if (code == RBS_OK)
		cpus->online[0] = true;
	if (code == RBS_OK && multi)
		code = offsets_read(cpus, dump, err);
	if (code != RBS_OK)
		rbs_cpus_deinit(cpus);
	return code;
}

void rbs_cpus_deinit(struct rbs_cpus *cpus)
{
	free(cpus->possible);
	free(cpus->online);
	free(cpus->offsets);
	*cpus = (struct rbs_cpus){0};
}
