/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache - what was found out about a build of a kernel, kept for the next dump of the same build.
 *
 * A folder of small text files ("shelves"), one for each build and kind of answers, in
 * $XDG_CACHE_HOME/rbstats/layouts (~/.cache/rbstats/layouts). It may be deleted at any time.
 *
 * An answer of the cache must be the one that the dump itself would have given:
 *   - a shelf's name is made from build-ids; whoever opens it checks it against the dump
 *     (lib/shelf.h) before anything on it is believed;
 *   - a file of another version of rbstats, or one that is damaged, counts as empty and is written
 *     anew;
 *   - folders and files that belong to someone else, or that others can write, are not used.
 *
 * Files appear whole or not at all: they are written under a name that did not exist and renamed.
 * Nothing here fails: where there is no cache, all is found out from the dump.
 */
#ifndef RBS_CACHE_H
#define RBS_CACHE_H

#include "lib/shelf.h"

struct rbs_cache;

/*
 * Open the cache in folder, NULL: the user's. What is missing of the path is made. NULL when it
 * cannot be used; all functions take NULL for a cache without shelves.
 */
struct rbs_cache *rbs_cache_open(const char *folder);

/* Writes the shelves that changed. Whoever uses them must be gone. */
void rbs_cache_close(struct rbs_cache *cache);

/*
 * The shelf of that name (lower case letters, digits and '-'), loaded on first use; the cache's.
 * NULL when there is no cache.
 */
struct rbs_shelf *rbs_cache_shelf(struct rbs_cache *cache, const char *name);

#endif
