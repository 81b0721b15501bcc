/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lttng - LTTng's kernel ring buffers: sessions, channels, per-CPU buffers and their sub-buffers.
 *
 * Structures of lttng-modules: lttng-events.[ch] (sessions, channels), lib/ringbuffer/ (buffers),
 * lttng-ring-buffer-client.h (packet headers). The arithmetic on positions and commit counters is
 * lib/ringmath.h's, after lib/ringbuffer/frontend_internal.h. Names by release: ltt_session and
 * ltt_channel until 2.0; lttng_session, lttng_channel, channel, lib_ring_buffer until 2.12; the
 * lttng_kernel_ names since 2.13.
 */
#ifndef RBS_PROBES_LTTNG_H
#define RBS_PROBES_LTTNG_H

#include "lib/cpus.h"
#include "lib/ctf_packet.h"
#include "lib/layout.h"
#include "lib/probe.h"
#include "lib/ringmath.h"
#include "lib/subbuf.h"

#define LTTNG_SESSION_LIMIT 1024
#define LTTNG_GROUP_LIMIT 1024
#define LTTNG_CHANNEL_LIMIT 4096 /* of a session */
#define LTTNG_EVENT_LIMIT 65536	 /* of a session */
#define LTTNG_SUBBUF_LIMIT 65536 /* of a buffer */

#define LTTNG_PAGES_SHOWN 8 /* of a sub-buffer */

#define LTTNG_TRACER "lttng_tracer"
#define LTTNG_RING_BUFFER "lttng_lib_ring_buffer"
#define LTTNG_CLIENT "lttng_ring_buffer_client_discard"

/* Sessions, channels, events and groups of event notifiers: module lttng_tracer. */
enum {
	LS_LIST,
	LS_PUBLIC,
	LS_PRIVATE,
	LS_ACTIVE,
	LS_BEEN_ACTIVE,
	LS_NAME,
	LS_CHANNELS,
	LS_EVENTS,
	LS_METADATA,
	LM_DATA,
	LM_ALLOC,
	LM_WRITTEN,
	LM_PRODUCING,
	LC_NODE,
	LC_ID,
	LC_TYPE,
	LC_RING,
	LC_TRANSPORT,
	LC_PUBLIC,
	LC_COMMON,
	LC_COMMON_TYPE,
	LC_COUNTER,
	LC_ENABLED,
	LC_TYPE_METADATA,
	LT_NAME,
	LE_NODE,
	LE_DESC,
	LE_CHANNEL,
	LE_PUBLIC,
	LE_PUBLIC_CHANNEL,
	LE_COMMON,
	LE_ENABLED,
	LG_NODE,
	LG_RING,
	LG_TRANSPORT,
	LG_NOTIFIERS,
	LG_NOTIFIER_NODE,
	LG_NOTIFIER_DESC,
	LG_NOTIFIER_COMMON,
	LE_DESC_NAME,
	LS_COUNT,
};

/* Ring buffers: module lttng_lib_ring_buffer. */
enum {
	LR_RECORD_DISABLED,
	LR_COMMIT_MASK,
	LR_SWITCH_INTERVAL,
	LR_READ_INTERVAL,
	LR_FINALIZED,
	LR_BEEN_ACTIVE,
	LR_BUF_SIZE,
	LR_SUBBUF_SIZE,
	LR_NUM_SUBBUF,
	LR_NUM_ORDER,
	LR_EXTRA_READER,
	LR_BUF,
	LR_NAME,
	LR_ALLOC,
	LR_MODE,
	LR_ALLOC_GLOBAL,
	LR_MODE_OVERWRITE,
	LR_TIMESTAMP_BITS,
	LB_OFFSET,
	LB_COMMIT_HOT,
	LB_COMMIT_COLD,
	LB_CONSUMED,
	LB_RECORD_DISABLED,
	LB_LAST_TIMESTAMP,
	LB_ACTIVE_READERS,
	LB_LOST_FULL,
	LB_LOST_WRAP,
	LB_LOST_BIG,
	LB_COUNT_RECORDS,
	LB_OVERRUN,
	LB_FINALIZED,
	LB_GET_SUBBUF,
	LB_GET_CONSUMED,
	LB_PROD_SNAPSHOT,
	LB_CONS_SNAPSHOT,
	LB_SWITCH_TIMER,
	LB_READ_TIMER,
	LB_QUIESCENT,
	LB_ALLOCATED,
	LB_WSB,
	LB_RSB,
	LB_CNT,
	LB_ARRAY,
	LB_CHAN,
	LB_CPU,
	LB_RECORDS_READ,
	LH_SIZE,
	LH_CC,
	LH_SEQ,
	LCC_SIZE,
	LCC_CC_SB,
	LW_SIZE,
	LW_ID,
	LN_SIZE,
	LN_SEQ_CNT,
	LP_DATA_SIZE,
	LP_RECORDS_COMMIT,
	LP_RECORDS_UNREAD,
	LP_PAGES,
	LP_PAGE_SIZE,
	LP_VIRT,
	LR_COUNT,
};

/* Packet headers: the ring buffer clients' modules. */
enum {
	LK_MAGIC,
	LK_UUID,
	LK_STREAM,
	LK_INSTANCE,
	LK_BEGIN,
	LK_END,
	LK_CONTENT,
	LK_PACKET,
	LK_SEQ,
	LK_DISCARDED,
	LK_CPU,
	LK_SIZE,
	LK_COUNT,
};

extern const struct rbs_layout_entry lttng_session_entries[LS_COUNT];
extern const struct rbs_layout_entry lttng_ring_entries[LR_COUNT];
extern const struct rbs_layout_entry lttng_packet_entries[LK_COUNT];

struct lttng_probe {
	struct rbs_probe_context *context;
	struct rbs_target *target;
	struct rbs_layout sessions, rings, packets;
	struct rbs_cpus cpus;
	struct lttng_channel_events *events; /* of the session's channels; event.c */
	size_t event_channels;
	bool has_uuid; /* of the session, when packets are wanted; extract.c */
	uint8_t uuid[RBS_CTF_UUID_SIZE];
};

struct lttng_channel {
	struct rbs_node *node;
	uint64_t ring; /* struct lttng_kernel_ring_buffer_channel */
	struct rbs_value id;
	bool overwrite, global;
	bool packets; /* sub-buffers begin with a CTF packet header */
	struct rbs_subbuf_geometry geometry;
};

struct lttng_buffer {
	struct rbs_node *node;
	const struct lttng_channel *channel;
	int64_t cpu;	  /* -1: one buffer for all */
	uint64_t address; /* struct lttng_kernel_ring_buffer */
	struct rbs_subbuf_ring ring;
	uint64_t hot, cold, wsb, array, counts; /* tables, by sub-buffer */
};

enum {
	LTTNG_D_ACTIVE,
	LTTNG_D_BEEN_ACTIVE,
	LTTNG_D_KIND,
	LTTNG_D_MODE,
	LTTNG_D_TRANSPORT,
	LTTNG_D_TYPE,
	LTTNG_D_SUBBUF_SIZE,
	LTTNG_D_NUM_SUBBUF,
	LTTNG_D_CH_ENABLED,
	LTTNG_D_CH_DISABLED,
	LTTNG_D_ALLOC,
	LTTNG_D_SWITCH_INTERVAL,
	LTTNG_D_READ_INTERVAL,
	LTTNG_D_EXTRA_READER,
	LTTNG_D_CH_FINALIZED,
	LTTNG_D_CH_BEEN_ACTIVE,
	LTTNG_D_LOG_PREFIX,
	LTTNG_D_EVENTS,
	LTTNG_D_EVENT_COUNT,
	LTTNG_D_ENABLED_COUNT,
	LTTNG_D_WRITE_OFFSET,
	LTTNG_D_CONSUMED,
	LTTNG_D_READABLE,
	LTTNG_D_UNCOMMITTED,
	LTTNG_D_LOST_FULL,
	LTTNG_D_LOST_WRAP,
	LTTNG_D_LOST_BIG,
	LTTNG_D_PASSED,
	LTTNG_D_DISABLED,
	LTTNG_D_READERS,
	LTTNG_D_RECORDS,
	LTTNG_D_OVERRUN,
	LTTNG_D_RECORDS_READ,
	LTTNG_D_LAST_TIMESTAMP,
	LTTNG_D_FINALIZED,
	LTTNG_D_QUIESCENT,
	LTTNG_D_SWITCH_TIMER,
	LTTNG_D_READ_TIMER,
	LTTNG_D_GET_SUBBUF,
	LTTNG_D_GET_CONSUMED,
	LTTNG_D_PROD_SNAPSHOT,
	LTTNG_D_CONS_SNAPSHOT,
	LTTNG_D_STATE,
	LTTNG_D_COMMITTED,
	LTTNG_D_VISIBLE,
	LTTNG_D_SHORT,
	LTTNG_D_CC,
	LTTNG_D_CC_SB,
	LTTNG_D_CC_SEQ,
	LTTNG_D_PACKETS,
	LTTNG_D_DATA_SIZE,
	LTTNG_D_PAGES,
	LTTNG_D_SPARE_PAGES,
	LTTNG_D_RECORDS_COMMIT,
	LTTNG_D_RECORDS_UNREAD,
	LTTNG_D_PACKET_SEQ,
	LTTNG_D_STREAM,
	LTTNG_D_BEGIN,
	LTTNG_D_END,
	LTTNG_D_CONTENT,
	LTTNG_D_PACKET_SIZE,
	LTTNG_D_DISCARDED,
	LTTNG_D_COUNT,
};

extern const struct rbs_family lttng_family;
const struct rbs_desc *lttng_desc(unsigned id);

/* A value of member as the unsigned number that it is to the driver. */
struct rbs_value lttng_unsigned(const struct rbs_layout *layout, unsigned member,
				struct rbs_value value);

/* Read a member of base through layout and set the field; what the release lacks is left out. */
struct rbs_value lttng_show(struct lttng_probe *probe, const struct rbs_layout *layout,
			    unsigned member, uint64_t base, struct rbs_node *node, unsigned desc);

/*
 * Whether the layouts fit memory: lists that point back, buffers that belong to their channels,
 * sizes that agree. False, with the reason in words, when nothing that could be read does.
 */
bool lttng_layout_fits(struct lttng_probe *probe, uint64_t head, const char **reason);

/* A session at address (its list entry's structure), with channels and buffers. */
void lttng_session_read(struct lttng_probe *probe, uint64_t address, size_t position);

/* The groups of event notifiers, whose ring buffers belong to no session. */
void lttng_groups_read(struct lttng_probe *probe);

/* The name of the transport that a member of base points to. */
void lttng_transport_show(struct lttng_probe *probe, struct rbs_node *channel, unsigned member,
			  uint64_t base);

/*
 * A channel whose events are to be named; channel: the address that its events point to, or absent
 * when that is not known.
 */
void lttng_events_expect(struct lttng_probe *probe, struct rbs_node *node,
			 const struct rbs_value *channel);

/* Name the session's events in their channels' nodes. */
void lttng_events_read(struct lttng_probe *probe, struct rbs_node *session, uint64_t address);
/* Name the event notifiers of the group at address in its channel's node. */
void lttng_notifiers_read(struct lttng_probe *probe, struct rbs_node *channel, uint64_t address);
void lttng_events_forget(struct lttng_probe *probe);

/* A channel's ring buffers below channel->node; channel->ring is set. */
void lttng_channel_read(struct lttng_probe *probe, struct lttng_channel *channel);

/* The buffer at address, as a ring named cpuN, or global for -1. */
void lttng_buffer_read(struct lttng_probe *probe, const struct lttng_channel *channel, int64_t cpu,
		       uint64_t address);

/* A sub-buffer's counters, and what they and the positions tell of its latest pass. */
void lttng_subbuf_load(struct lttng_probe *probe, const struct lttng_buffer *buffer, uint64_t index,
		       struct rbs_subbuf *subbuf);

/* The address of the sub-buffer's struct lttng_kernel_ring_buffer_backend_pages. */
struct rbs_value lttng_subbuf_pages(struct lttng_probe *probe, const struct lttng_buffer *buffer,
				    uint64_t index);

/*
 * In overwrite mode a reader exchanges a sub-buffer's memory for that of its own spare one
 * (lib/ringbuffer/backend_internal.h: update_read_sb_index): the packet is not in the ring then.
 */
bool lttng_subbuf_taken(const struct lttng_buffer *buffer, const struct rbs_subbuf *subbuf);

/* Where its packet is: the ring's memory or the reader's. */
struct rbs_value lttng_subbuf_pages_held(struct lttng_probe *probe,
					 const struct lttng_buffer *buffer,
					 const struct rbs_subbuf *subbuf);

/* All sub-buffers with -v, else those that are not at rest; also sets what sums them up. */
void lttng_subbufs_read(struct lttng_probe *probe, const struct lttng_buffer *buffer);

/* Where the members of a packet header are; NULL: not known, and reported once. */
const struct rbs_layout *lttng_packet_layout(struct lttng_probe *probe);

/* When packets are wanted: the session's metadata, and a buffer's packets. */
void lttng_metadata_extract(struct lttng_probe *probe, const struct rbs_node *session,
			    uint64_t address);
void lttng_packets_extract(struct lttng_probe *probe, const struct lttng_buffer *buffer);

/* The packet header at the start of a sub-buffer's memory. */
void lttng_packet_read(struct lttng_probe *probe, uint64_t memory, struct rbs_node *slot);
/* The same where that memory cannot be read. */
void lttng_packet_absent(struct rbs_node *slot, enum rbs_code reason);

#endif
