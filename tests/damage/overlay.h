/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overlay - a target over another one, whose pages can be altered and put back.
 *
 * Symbols and types are read once through it; then a probe runs again and again, each time over
 * other damage. Addresses are translated by the real target: its page tables stay whole (pages.c
 * takes those away).
 */
#ifndef DAMAGE_OVERLAY_H
#define DAMAGE_OVERLAY_H

#include "lib/target/target.h"

/* Takes ownership of inner. NULL when out of memory. */
struct rbs_target *overlay_create(struct rbs_target *inner);

/* From now on the places that are read are remembered, as those worth altering. */
void overlay_record(struct rbs_target *overlay, bool on);

/*
 * A word of memory (8 bytes, aligned) that was read while recording, or, where read is false, one
 * of the same pages that was not. size_t numbers count them: 0 to overlay_words() - 1.
 */
size_t overlay_words(const struct rbs_target *overlay, bool read);

uint64_t overlay_word_get(const struct rbs_target *overlay, bool read, size_t number);
uint64_t overlay_word_address(const struct rbs_target *overlay, bool read, size_t number);

/* Alter it, or the page that it is on. */
void overlay_word_put(struct rbs_target *overlay, bool read, size_t number, uint64_t value);
void overlay_page_fill(struct rbs_target *overlay, size_t number, uint8_t byte);
void overlay_page_remove(struct rbs_target *overlay, size_t number, enum rbs_code reason);

/* Put all back. */
void overlay_restore(struct rbs_target *overlay);

/* After so many more reads every read fails, so that a walk without an end is seen; 0: no limit. */
void overlay_limit(struct rbs_target *overlay, uint64_t reads);
bool overlay_limit_reached(const struct rbs_target *overlay);

#endif
