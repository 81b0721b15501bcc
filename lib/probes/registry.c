/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "lib/probe.h"

extern const struct rbs_probe rbs_ftrace_probe;
extern const struct rbs_probe rbs_lttng_probe;
extern const struct rbs_probe rbs_lttng_ust_probe;
extern const struct rbs_probe rbs_virtio_probe;
extern const struct rbs_probe rbs_vmbus_probe;
extern const struct rbs_probe rbs_xen_guest_probe;
extern const struct rbs_probe rbs_xen_probe;

static const struct rbs_probe *const probes[] = {
	&rbs_virtio_probe,
	&rbs_lttng_probe,
	&rbs_lttng_ust_probe,
	&rbs_ftrace_probe,
	&rbs_vmbus_probe,
	&rbs_xen_probe,
	&rbs_xen_guest_probe,
};

#define PROBE_COUNT (sizeof(probes) / sizeof(probes[0]))

const struct rbs_probe *const *rbs_probes(size_t *count)
{
	*count = PROBE_COUNT;
	return probes;
}

const struct rbs_probe *rbs_probe_find(const char *family)
{
	for (size_t i = 0; i < PROBE_COUNT; i++) {
		if (!strcmp(probes[i]->family->name, family))
			return probes[i];
	}
	return NULL;
}
