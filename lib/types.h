/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * types - where the members of a kernel structure are.
 *
 * A chain of sources (BTF in the dump, DWARF files, built-in tables, crash), asked in the order in
 * which they were added; the first that knows the structure answers, also when its answer is that
 * the member does not exist. Type names come without 'struct' or 'union'; module names the module
 * whose types are preferred (its split BTF, its .ko), NULL is the kernel; a module's source sees
 * the kernel's types too.
 *
 * A path is member names joined by dots ("split.vring.num"); members of anonymous structures and
 * unions count as their parent's. A member that is a structure of one scalar that fills it
 * (atomic_t, local_t, u64_stats_t, refcount_t ...) is answered as that scalar. Pointers are not
 * followed.
 */
#ifndef RBS_TYPES_H
#define RBS_TYPES_H

#include <stddef.h>

#include "lib/error.h"

enum rbs_kind {
	RBS_KIND_INT, /* integers, bool, char, enums */
	RBS_KIND_POINTER,
	RBS_KIND_STRUCT, /* and unions */
	RBS_KIND_ARRAY,
	RBS_KIND_OTHER,
};

struct rbs_member {
	uint64_t offset;       /* bytes from the start of the outermost structure */
	uint64_t size;	       /* bytes; of a bit field: of the unit at offset that holds it */
	uint64_t count;	       /* array: elements of all dimensions (0: a flexible array), else 1 */
	uint64_t element_size; /* array: bytes an element, else size */
	enum rbs_kind kind;
	bool is_signed;
	/* Bit fields only (bit_size != 0): bits from the unit's least significant bit. */
	uint8_t bit_offset;
	uint8_t bit_size;
};

struct rbs_type_source;

struct rbs_type_source_ops {
	const char *name; /* the word of the output: "btf", "dwarf", "assumed", "crash" */
	/*
	 * RBS_NO_TYPES: unknown structure; without a text when the source has nothing to say about
	 * it. RBS_NO_MEMBER: known, without such a member.
	 */
	enum rbs_code (*find_member)(struct rbs_type_source *source, const char *module,
				     const char *type, const char *path, struct rbs_member *member,
				     struct rbs_error *err);
	enum rbs_code (*find_size)(struct rbs_type_source *source, const char *module,
				   const char *type, uint64_t *size, struct rbs_error *err);
	/* type may be NULL: an enumerator of any enum (anonymous ones have no name). */
	enum rbs_code (*find_enumerator)(struct rbs_type_source *source, const char *module,
					 const char *type, const char *name, int64_t *value,
					 struct rbs_error *err);
	/*
	 * Only of a source that guesses; else NULL. The caller found that its answers about
	 * module's structures do not fit the dump (reason: a few words): from now on it answers
	 * by its next guess. False when there is none left, and then it knows nothing.
	 */
	bool (*refuse)(struct rbs_type_source *source, const char *module, const char *reason);
	/* May be NULL. What a user should know of its answers about module; NULL: nothing. */
	const char *(*remark)(struct rbs_type_source *source, const char *module);
	void (*destroy)(struct rbs_type_source *source);
};

/* Implementations embed this as their first member. */
struct rbs_type_source {
	const struct rbs_type_source_ops *ops;
	struct rbs_type_source *next;
	bool fallback;	   /* asked after all that are not, also after those added later */
	bool knows_kernel; /* has all of the kernel's own types */
	bool modules_only; /* another source knows the kernel: only good for modules' types */
};

struct rbs_types {
	struct rbs_type_source *first;
};

void rbs_types_init(struct rbs_types *types);
void rbs_types_deinit(struct rbs_types *types); /* destroys the sources */

/* Takes ownership of source; it is asked after those already there that are no fallback. */
void rbs_types_add(struct rbs_types *types, struct rbs_type_source *source);

/* *answered (may be NULL) gets the name of the source that answered. */
enum rbs_code rbs_types_find_member(struct rbs_types *types, const char *module, const char *type,
				    const char *path, struct rbs_member *member,
				    const char **answered, struct rbs_error *err);
enum rbs_code rbs_types_find_size(struct rbs_types *types, const char *module, const char *type,
				  uint64_t *size, struct rbs_error *err);
enum rbs_code rbs_types_find_enumerator(struct rbs_types *types, const char *module,
					const char *type, const char *name, int64_t *value,
					struct rbs_error *err);

/*
 * The same two of the source named answered (NULL: none). Resolve layouts anew after a refusal,
 * also when it returned false: another source may have the structures.
 */
bool rbs_types_refuse(struct rbs_types *types, const char *answered, const char *module,
		      const char *reason);
const char *rbs_types_remark(struct rbs_types *types, const char *answered, const char *module);

#endif
