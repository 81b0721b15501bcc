/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slab - whether the kernel's allocators consider a piece of memory as handed out.
 *
 * Of SLUB (mm/slub.c, mm/slab.h; the only one since 6.8): an object is free when it is on its
 * slab's freelist or on the list of a CPU that works with that slab. The links lie inside of free
 * objects, at kmem_cache.offset, and with CONFIG_SLAB_FREELIST_HARDENED they are mixed with
 * kmem_cache.random and their own address (its bytes swapped since "slub: improve bit diffusion for
 * freelist ptr obfuscation", 5.7). Since 6.18 it may be in a sheaf too (lib/sheaves.h). All other
 * memory: pages of the page allocator, whose reference count is 0 while they are free.
 *
 * Whatever can't be shown is RBS_SLAB_UNKNOWN: a page or a type that is missing, SLAB and SLOB.
 */
#ifndef RBS_SLAB_H
#define RBS_SLAB_H

#include "lib/cpus.h"
#include "lib/dump.h"
#include "lib/layout.h"
#include "lib/sheaves.h"

enum rbs_slab_state {
	RBS_SLAB_UNKNOWN,
	RBS_SLAB_ALLOCATED, /* an object that is handed out */
	RBS_SLAB_FREE,	    /* an object that is free */
	RBS_SLAB_PAGES,	    /* no slab: pages that someone holds */
	RBS_SLAB_FREE_PAGES,
};

struct rbs_slab_object {
	enum rbs_slab_state state;
	char cache[32];	    /* its cache's name, empty for pages */
	char why[96];	    /* of RBS_SLAB_UNKNOWN */
	enum rbs_code code; /* of the first read that failed, or RBS_OK: not all of this is known */
	/*
	 * A free list's link was written into it, or may have been, and where that lies, in bytes
	 * from the asked address; may be negative. link_known: nobody can say so otherwise.
	 */
	bool link_known, linked;
	int64_t link;
};

struct rbs_slabs {
	struct rbs_dump *dump;
	struct rbs_layout layout;
	struct rbs_cpus cpus;
	struct rbs_sheaves sheaves;
	uint64_t linear; /* virtual address of physical address 0; on s390x that may be 0 */
	bool has_linear;
	uint64_t pages;		/* virtual address of the struct page of physical address 0 */
	struct rbs_error error; /* why nothing is known, when error.code is not RBS_OK */
	enum rbs_code lost;	/* of the first read of this question that failed */
};

/*
 * linear: the virtual address of physical address 0 by what the caller knows, NULL for unknown; the
 * kernel's own word comes first. Never fails: then all is unknown.
 */
void rbs_slabs_init(struct rbs_slabs *slabs, struct rbs_dump *dump, const uint64_t *linear);
void rbs_slabs_deinit(struct rbs_slabs *slabs);

/* What holds the memory at a physical address. */
void rbs_slab_find(struct rbs_slabs *slabs, uint64_t physical, struct rbs_slab_object *object);

/* "allocated", "free" ... for people */
const char *rbs_slab_state_name(enum rbs_slab_state state);

#endif
