/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols - names to kernel virtual addresses, by (module, name).
 *
 * A chain of sources, asked in the order in which they were added, fallbacks last. module is a
 * module's name as lsmod shows it ("virtio_ring"); NULL means the kernel itself. Static symbols
 * count: 'sessions' of lttng_tracer isn't mistaken for another.
 */
#ifndef RBS_SYMBOLS_H
#define RBS_SYMBOLS_H

#include <stddef.h>

#include "lib/error.h"

struct rbs_symbol_source;

struct rbs_symbol_source_ops {
	const char *name; /* "kallsyms", "module kallsyms", "vmlinux", "System.map", "crash" */
	/* RBS_OK, RBS_NO_SYMBOL, or why the source could not be read. */
	enum rbs_code (*find)(struct rbs_symbol_source *source, const char *module,
			      const char *name, uint64_t *address, struct rbs_error *err);
	/*
	 * The name of the symbol that starts exactly at address, into buffer. RBS_NO_SYMBOL when
	 * there is none. May be NULL.
	 */
	enum rbs_code (*name_at)(struct rbs_symbol_source *source, uint64_t address, char *buffer,
				 size_t size, struct rbs_error *err);
	void (*destroy)(struct rbs_symbol_source *source);
};

/* Implementations embed this as their first member. */
struct rbs_symbol_source {
	const struct rbs_symbol_source_ops *ops;
	struct rbs_symbol_source *next;
	bool fallback; /* asked after all that are not, also after those added later */
};

struct rbs_symbols {
	struct rbs_symbol_source *first;
};

void rbs_symbols_init(struct rbs_symbols *symbols);
void rbs_symbols_deinit(struct rbs_symbols *symbols); /* destroys the sources */

/* Takes ownership of source; it is asked after those already there that are no fallback. */
void rbs_symbols_add(struct rbs_symbols *symbols, struct rbs_symbol_source *source);

enum rbs_code rbs_symbols_find(struct rbs_symbols *symbols, const char *module, const char *name,
			       uint64_t *address, struct rbs_error *err);

/* In the module, else in the kernel: for code that distributions build either way. */
enum rbs_code rbs_symbols_find_either(struct rbs_symbols *symbols, const char *module,
				      const char *name, uint64_t *address, struct rbs_error *err);

enum rbs_code rbs_symbols_name_at(struct rbs_symbols *symbols, uint64_t address, char *buffer,
				  size_t size, struct rbs_error *err);

#endif
