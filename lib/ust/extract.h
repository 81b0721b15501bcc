/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extract - the packets in the user space tracer's buffers, for a sink. */
#ifndef RBS_UST_EXTRACT_H
#define RBS_UST_EXTRACT_H

#include "lib/packets.h"
#include "lib/ust/ust.h"

/*
 * All buffers that hold records, trace by trace. A buffer that was found twice (its file was
 * copied) is given once.
 */
void rbs_ust_extract(const struct rbs_ust *ust, struct rbs_packet_sink *sink);

#endif
