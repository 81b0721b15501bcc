/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lttng-ust - the buffers of LTTng's user space tracer, by who owns them.
 *
 * lib/ust finds and reads the buffers; here they become the results: owner > channel > buffer >
 * sub-buffer, with the names of the kernel tracer's section.
 */
#ifndef RBS_PROBES_LTTNG_UST_H
#define RBS_PROBES_LTTNG_UST_H

#include "lib/probe.h"
#include "lib/subbuf.h"
#include "lib/ust/extract.h"
#include "lib/ust/heap.h"
#include "lib/ust/ust.h"

struct ust_probe {
	struct rbs_probe_context *context;
	struct rbs_ust ust;
	struct rbs_ust_texts texts; /* what describes the traces, by LTTng's daemons */
};

enum {
	UST_D_KIND,
	UST_D_PID,
	UST_D_UID,
	UST_D_PROGRAM,
	UST_D_SESSION,
	UST_D_CHANNEL,
	UST_D_ID,
	UST_D_TYPE,
	UST_D_MODE,
	UST_D_BUFFERING,
	UST_D_BUFFERING_BY,
	UST_D_WORD_SIZE,
	UST_D_BYTE_ORDER,
	UST_D_SUBBUF_SIZE,
	UST_D_NUM_SUBBUF,
	UST_D_PROCESSES,
	UST_D_TRACE,
	UST_D_ABI,
	UST_D_RELEASE,
	UST_D_WRITE_OFFSET,
	UST_D_CONSUMED,
	UST_D_READABLE,
	UST_D_UNCOMMITTED,
	UST_D_LOST_FULL,
	UST_D_LOST_WRAP,
	UST_D_LOST_BIG,
	UST_D_PASSED,
	UST_D_DISABLED,
	UST_D_READERS,
	UST_D_RECORDS,
	UST_D_OVERRUN,
	UST_D_FINALIZED,
	UST_D_GET_SUBBUF,
	UST_D_GET_CONSUMED,
	UST_D_PROD_SNAPSHOT,
	UST_D_CONS_SNAPSHOT,
	UST_D_LAST_TIMESTAMP,
	UST_D_INODE,
	UST_D_PATH,
	UST_D_ROUTES,
	UST_D_PAGES,
	UST_D_PAGES_PRESENT,
	UST_D_PAGES_SWAPPED,
	UST_D_PAGES_AGREED,
	UST_D_PAGES_DIFFER,
	UST_D_STATE,
	UST_D_COMMITTED,
	UST_D_VISIBLE,
	UST_D_SHORT,
	UST_D_PACKET_SEQ,
	UST_D_BEGIN,
	UST_D_END,
	UST_D_CONTENT,
	UST_D_PACKET_SIZE,
	UST_D_DISCARDED,
	UST_D_CC,
	UST_D_CC_SB,
	UST_D_CC_SEQ,
	UST_D_PACKETS,
	UST_D_COUNT,
};

extern const struct rbs_family ust_family;
const struct rbs_desc *ust_desc(unsigned id);

/* What tells who a buffer is for. */
struct ust_owner {
	const char *buffering;	  /* "per-uid", "per-pid"; NULL: not known */
	const char *buffering_by; /* what tells it: "metadata", "path", "processes" */
	const struct rbs_task *consumer;
	const struct rbs_task *process; /* the traced one, where there is exactly one */
	char session[128];		/* empty: not known */
	/*
	 * Not RBS_OK: the dump lacks what would tell which processes map it, whose it is, its
	 * buffering, what tells that, and its session.
	 */
	enum rbs_code users_code, code, buffering_code, by_code, session_code;
};

void ust_owner_find(const struct ust_probe *probe, const struct rbs_ust_object *object,
		    struct ust_owner *owner);

/* The node of the buffer's owner in the section, made when it is not there yet. */
struct rbs_node *ust_owner_node(const struct ust_probe *probe, const struct rbs_ust_object *object,
				const struct ust_owner *owner);

/* A buffer below its channel's node, which is made with the first of its buffers. */
void ust_buffer_show(struct ust_probe *probe, const struct rbs_ust_object *object,
		     struct rbs_node *device, const struct ust_owner *owner);

/* All sub-buffers with -v, else those that are not at rest; also what sums them up. */
void ust_subbufs_show(struct ust_probe *probe, const struct rbs_ust_object *object,
		      const struct rbs_subbuf_ring *ring, struct rbs_node *node);

/* A file that is a buffer by its name and could not be read as one. */
void ust_unread_show(struct ust_probe *probe);

#endif
