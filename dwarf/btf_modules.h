/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * btf_modules - the BTF of loaded modules, out of the dump.
 *
 * module->btf_data is NULL once a module is loaded; the kernel's own copy hangs on the static list
 * 'btf_modules' (kernel/bpf/btf.c, since 5.11: "bpf: Keep module's btf_data_size intact after
 * load" and "bpf: Load and verify kernel module BTFs"). Out-of-tree modules built against another
 * kernel's BTF were renumbered by the kernel when they were loaded ("libbpf,bpf: Share BTF
 * relocate-related code with kernel", 6.11), so that all are split BTF on the kernel's.
 *
 * The list is walked once; a module's blob is read when it is first asked for. A broken entry costs
 * its own module; a broken link also those behind it, and is told to whoever asks for one of them.
 */
#ifndef RBS_BTF_MODULES_H
#define RBS_BTF_MODULES_H

#include <stddef.h>

#include "dwarf/btf_blob.h"
#include "lib/cache.h"
#include "lib/modules.h"
#include "lib/symbols.h"
#include "lib/target/target.h"

struct rbs_btf_module {
	char name[64];
	uint64_t data;		   /* kernel virtual address of the blob */
	uint64_t size;		   /* bytes */
	struct rbs_btf_blob *blob; /* owned; NULL until it is asked for */
	struct rbs_error failure;  /* code RBS_OK: not tried yet, or loaded */
};

struct rbs_btf_modules {
	struct rbs_target *target;    /* borrowed */
	struct rbs_btf_blob *vmlinux; /* borrowed */
	struct rbs_cache *cache;      /* borrowed; NULL: none */
	struct rbs_build_id kernel;   /* for the cache; size 0: not known */
	struct rbs_btf_module *modules;
	size_t count;
	size_t capacity;
	struct rbs_error trouble; /* why the list is not complete; code RBS_OK when it is */
};

/*
 * Walks the list. *modules is zeros but for cache and kernel, as the caller wants them. A list that
 * cannot be walked is no error here but trouble for the answers.
 */
void rbs_btf_modules_init(struct rbs_btf_modules *modules, struct rbs_target *target,
			  struct rbs_symbols *symbols, struct rbs_btf_blob *vmlinux);
void rbs_btf_modules_deinit(struct rbs_btf_modules *modules);

/*
 * The BTF of a module, which stays owned here. '-' and '_' are the same in names. RBS_NO_TYPES when
 * the module has none, or why it could not be read.
 */
enum rbs_code rbs_btf_modules_get(struct rbs_btf_modules *modules, const char *name,
				  struct rbs_btf_blob **blob, struct rbs_error *err);

#endif
