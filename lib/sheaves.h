/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sheaves - the free objects that a slab cache keeps in arrays, outside of its slabs.
 *
 * Since "slab: add opt-in caching layer of percpu sheaves" (6.18) every CPU has up to three arrays
 * of free objects (struct slab_sheaf), and each node has a barn with full ones; since 7.0 nearly
 * all caches do so. kfree() puts an object there, and its slab does not know: by the slab's own
 * list it looks handed out. kfree_rcu() fills the third (rcu_free).
 *
 * Not found are arrays that nobody's list has: those that wait in call_rcu() for a grace period,
 * those filled for a user that will need them (kmem_cache_prefill_sheaf()), and one that a CPU is
 * just about to exchange.
 */
#ifndef RBS_SHEAVES_H
#define RBS_SHEAVES_H

#include "lib/cpus.h"
#include "lib/dump.h"
#include "lib/layout.h"

struct rbs_sheaves {
	struct rbs_dump *dump;
	const struct rbs_cpus *cpus; /* borrowed */
	struct rbs_layout cache, parts;
	enum rbs_code code; /* not RBS_OK: there may be sheaves, and their types are not known */
};

/* Never fails: then nothing is known. */
void rbs_sheaves_init(struct rbs_sheaves *sheaves, struct rbs_dump *dump,
		      const struct rbs_cpus *cpus);
void rbs_sheaves_deinit(struct rbs_sheaves *sheaves);

/*
 * Whether the sheaves of the cache (a struct kmem_cache) hold the object that starts at a kernel
 * virtual address and has size bytes. Not RBS_OK: a sheaf that may hold it can't be read.
 */
enum rbs_code rbs_sheaves_ask(const struct rbs_sheaves *sheaves, uint64_t cache, uint64_t object,
			      uint64_t size, bool *held);

#endif
