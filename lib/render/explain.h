/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * explain - the glossary: every figure and every finding in words, out of the tables that the
 * probes and the rules carry.
 */
#ifndef RBS_EXPLAIN_H
#define RBS_EXPLAIN_H

#include <stdio.h>

#include "lib/error.h"

/*
 * Explain a figure ("in_flight", "virtio.in_flight"), a column's header ("INFLT") or a finding's
 * code ("vmbus.ring-full"); NULL lists all with a line each. RBS_USAGE when nothing has that name.
 */
enum rbs_code rbs_explain(const char *name, FILE *out, struct rbs_error *err);

#endif
