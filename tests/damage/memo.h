/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memo - remembers what sources of types answered: a probe that runs 20,000 times asks the same. */
#ifndef DAMAGE_MEMO_H
#define DAMAGE_MEMO_H

#include "lib/types.h"

/* Put a memory in front of every source that does not guess (a guess can be taken back). */
void memo_attach(struct rbs_types *types);

#endif
