// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Every figure of every buffer, one line each. Called with all CPUs stopped:
 * reads only, takes no lock, and keeps away from the helpers that warn about
 * sub-buffers that are not the caller's.
 */
#include <linux/cpumask.h>

#include "rbstats-lttng.h"

#define CTF_MAGIC	0xC1FC1FC1
#define EVENTS_MAX	64

#ifdef LTTNG_RING_BUFFER_COUNT_EVENTS
#define RECORDS_COUNTED	1
#else
#define RECORDS_COUNTED	0
#endif

/* What lttng-ring-buffer-client.h puts before a packet's first record. */
struct packet_header {
	u32 magic;
	u8 uuid[16];
	u32 stream_id;
	u64 stream_instance_id;
	u64 timestamp_begin;
	u64 timestamp_end;
	u64 content_size;	/* bits */
	u64 packet_size;	/* bits */
	u64 packet_seq_num;
	unsigned long events_discarded;
	u32 cpu_id;
};

static unsigned long value(const union v_atomic *v)
{
	return atomic_long_read(&v->a);
}

/* Where a buffer belongs: repeated on each of its lines. */
struct place {
	const char *session;
	unsigned int channel;
	int cpu;
};

static void say_packet(struct guest_text *text, const struct place *at,
		       unsigned long index, const struct packet_header *head)
{
	if (head->magic != CTF_MAGIC)
		return;
	guest_say(text, "TRUTH lttng-packet session=%s channel=%u cpu=%d index=%lu stream=%u begin=%llu end=%llu content_bits=%llu packet_bits=%llu seq=%llu discarded=%lu cpu_id=%u\n",
		  at->session, at->channel, at->cpu, index, head->stream_id,
		  head->timestamp_begin, head->timestamp_end,
		  head->content_size, head->packet_size, head->packet_seq_num,
		  head->events_discarded, head->cpu_id);
}

static void say_subbuffers(struct guest_text *text, const struct place *at,
			   struct lttng_kernel_ring_buffer *buf)
{
	struct channel_backend *chan = &buf->backend.chan->backend;
	struct lttng_kernel_ring_buffer_backend_pages *pages;
	unsigned long i, id;

	for (i = 0; i < chan->num_subbuf; i++) {
		id = subbuffer_id_get_index(&chan->config,
					    buf->backend.buf_wsb[i].id);
		pages = buf->backend.array[id];
		guest_say(text, "TRUTH lttng-subbuf session=%s channel=%u cpu=%d index=%lu cc=%lu cc_sb=%lu seq=%lu packets=%llu pages=%lu data_size=%lu records_commit=%lu records_unread=%lu\n",
			  at->session, at->channel, at->cpu, i,
			  value(&buf->commit_hot[i].cc),
			  value(&buf->commit_cold[i].cc_sb),
			  value(&buf->commit_hot[i].seq),
			  buf->backend.buf_cnt[i].seq_cnt, id,
			  pages->data_size, value(&pages->records_commit),
			  value(&pages->records_unread));
		/* The metadata client has no such header. */
		if (at->cpu >= 0)
			say_packet(text, at, i, pages->p[0].virt);
	}
}

static void say_buffer(struct guest_text *text, const struct place *at,
		       struct lttng_kernel_ring_buffer *buf)
{
	guest_say(text, "TRUTH lttng-buffer session=%s channel=%u cpu=%d offset=%lu consumed=%lu lost_full=%lu lost_wrap=%lu lost_big=%lu records_count=%lu records_overrun=%lu record_disabled=%d active_readers=%ld finalized=%d last_timestamp=%lu get_subbuf=%u get_subbuf_consumed=%lu quiescent=%u switch_timer_enabled=%u read_timer_enabled=%u\n",
		  at->session, at->channel, at->cpu, value(&buf->offset),
		  atomic_long_read(&buf->consumed),
		  value(&buf->records_lost_full),
		  value(&buf->records_lost_wrap),
		  value(&buf->records_lost_big), value(&buf->records_count),
		  value(&buf->records_overrun),
		  atomic_read(&buf->record_disabled),
		  atomic_long_read(&buf->active_readers), buf->finalized,
		  value(&buf->GUEST_LAST_TIMESTAMP), buf->get_subbuf,
		  buf->get_subbuf_consumed, buf->quiescent,
		  buf->switch_timer_enabled, buf->read_timer_enabled);
	say_subbuffers(text, at, buf);
}

static void say_channel(struct guest_text *text, const char *session,
			struct lttng_kernel_channel_buffer_private *chan)
{
	struct lttng_kernel_ring_buffer_channel *rb = chan->rb_chan;
	struct channel_backend *backend = &rb->backend;
	bool global = backend->config.alloc == GUEST_ALLOC_GLOBAL;
	struct place at = { session, chan->id, -1 };

	guest_say(text, "TRUTH lttng-channel session=%s channel=%u type=%s transport=%s mode=%s alloc=%s subbuf_size=%lu num_subbuf=%lu record_disabled=%d finalized=%d enabled=%d header_type=%d switch_timer=%lu read_timer=%lu counted=%d\n",
		  session, chan->id,
		  chan->channel_type == METADATA_CHANNEL ? "metadata" : "data",
		  backend->name,
		  backend->config.mode == RING_BUFFER_OVERWRITE ?
		  "overwrite" : "discard", global ? "global" : "percpu",
		  backend->subbuf_size, backend->num_subbuf,
		  atomic_read(&rb->record_disabled), rb->finalized,
		  chan->pub->parent.enabled, chan->header_type,
		  rb->switch_timer_interval, rb->read_timer_interval,
		  RECORDS_COUNTED);
	if (global) {
		say_buffer(text, &at, guest_rb_global(rb));
		return;
	}
	for_each_cpu(at.cpu, backend->cpumask)
		say_buffer(text, &at, per_cpu_ptr(guest_rb_percpu(rb), at.cpu));
}

static void say_event(struct guest_text *text, const char *session,
		      struct lttng_kernel_event_recorder_private *event)
{
	guest_say(text, "TRUTH lttng-event session=%s channel=%u id=%u name=%s enabled=%d\n",
		  session, event->pub->chan->priv->id, event->id,
		  event->parent.desc->event_name, event->pub->parent.enabled);
}

void guest_truth(struct guest_text *text)
{
	struct lttng_kernel_event_recorder_private *event;
	struct lttng_kernel_channel_buffer_private *chan;
	struct lttng_kernel_session_private *session;
	unsigned int events;

	list_for_each_entry(session, guest_sessions, GUEST_SESSION_NODE) {
		events = 0;
		list_for_each_entry(event, &session->GUEST_EVENTS, node)
			events++;
		guest_say(text, "TRUTH lttng-session session=%s active=%d been_active=%d events=%u\n",
			  session->name, session->pub->active,
			  session->been_active, events);
		list_for_each_entry(chan, &session->GUEST_CHANNELS, node)
			say_channel(text, session->name, chan);
		events = 0;
		list_for_each_entry(event, &session->GUEST_EVENTS, node)
			if (events++ < EVENTS_MAX)
				say_event(text, session->name, event);
	}
}
