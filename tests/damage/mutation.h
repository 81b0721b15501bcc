/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mutation - what is done to an image: by a number always the same, or by the bytes of a fuzzer. */
#ifndef DAMAGE_MUTATION_H
#define DAMAGE_MUTATION_H

#include "lib/target/target.h"

/* Damage number N, of the places that the overlay recorded. */
void mutation_apply(struct rbs_target *overlay, uint64_t number);

/* Whether damage number N is done to what is read. */
bool mutation_matters(uint64_t number);

/* The damage that a fuzzer's input describes. */
void mutation_apply_bytes(struct rbs_target *overlay, const uint8_t *bytes, size_t size);

#endif
