/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extract - the packets in the user space tracer's buffers, for a sink. */
#ifndef RBS_UST_EXTRACT_H
#define RBS_UST_EXTRACT_H

#include "lib/packets.h"
#include "lib/ust/heap.h"

/*
 * All buffers that hold records, trace by trace, described by texts. A buffer that was found twice
 * (its file was copied) is given once.
 */
void rbs_ust_extract(const struct rbs_ust *ust, const struct rbs_ust_texts *texts,
		     struct rbs_packet_sink *sink);

#endif
