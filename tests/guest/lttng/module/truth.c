// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Every figure of every buffer, in the sections and key=value lines of the
 * guest toolkit's truth block. Called with all CPUs stopped: reads only, takes
 * no lock, and keeps away from the helpers that warn about sub-buffers that
 * are not the caller's.
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

static void say_packet(struct guest_text *text,
		       const struct packet_header *head)
{
	guest_say(text, "magic=%x\nstream=%u\ninstance=%llu\n", head->magic,
		  head->stream_id, head->stream_instance_id);
	guest_say(text, "timestamp_begin=%llu\ntimestamp_end=%llu\n",
		  head->timestamp_begin, head->timestamp_end);
	guest_say(text, "content_bits=%llu\npacket_bits=%llu\n",
		  head->content_size, head->packet_size);
	guest_say(text, "seq=%llu\nevents_discarded=%lu\ncpu=%u\n",
		  head->packet_seq_num, head->events_discarded, head->cpu_id);
}

/* A sub-buffer's memory: which one of the buffer's it is, and what it says. */
static void say_pages(struct guest_text *text, const char *place,
		      guest_rb *buf, unsigned long id)
{
	guest_pages *pages = buf->backend.array[id];
	const struct packet_header *head = pages->p[0].virt;

	guest_say(text, "pages=%lu\ndata_size=%lu\n", id, pages->data_size);
	guest_say(text, "records_commit=%lu\nrecords_unread=%lu\n",
		  value(&pages->records_commit),
		  value(&pages->records_unread));
	/* The metadata client has another header, notifications have none. */
	if (buf->backend.cpu >= 0 && head->magic == CTF_MAGIC) {
		guest_say(text, "[%s/packet]\n", place);
		say_packet(text, head);
	}
}

static void say_subbuffers(struct guest_text *text, const char *buffer,
			guest_rb *buf)
{
	struct channel_backend *chan = &buf->backend.chan->backend;
	char place[192];
	unsigned long i;

	for (i = 0; i < chan->num_subbuf; i++) {
		snprintf(place, sizeof(place), "%s/subbufs/%lu", buffer, i);
		guest_say(text, "[%s]\n", place);
		guest_say(text, "cc=%lu\ncc_sb=%lu\nseq=%lu\npackets=%llu\n",
			  value(&buf->commit_hot[i].cc),
			  value(&buf->commit_cold[i].cc_sb),
			  value(&buf->commit_hot[i].seq),
			  buf->backend.buf_cnt[i].seq_cnt);
		say_pages(text, place, buf,
			  subbuffer_id_get_index(&chan->config,
						 buf->backend.buf_wsb[i].id));
	}
	/* In overwrite mode the reader's own; else the one that it last took. */
	snprintf(place, sizeof(place), "%s/reader", buffer);
	guest_say(text, "[%s]\n", place);
	say_pages(text, place, buf,
		  subbuffer_id_get_index(&chan->config,
					 buf->backend.buf_rsb.id));
}

static void say_buffer(struct guest_text *text, const char *buffer,
			guest_rb *buf)
{
	guest_say(text, "[%s]\n", buffer);
	guest_say(text, "offset=%lu\nconsumed=%ld\n", value(&buf->offset),
		  atomic_long_read(&buf->consumed));
	guest_say(text, "lost_full=%lu\nlost_wrap=%lu\nlost_big=%lu\n",
		  value(&buf->records_lost_full),
		  value(&buf->records_lost_wrap),
		  value(&buf->records_lost_big));
	guest_say(text, "records_count=%lu\nrecords_overrun=%lu\n",
		  value(&buf->records_count), value(&buf->records_overrun));
	guest_say(text, "record_disabled=%d\nactive_readers=%ld\n",
		  atomic_read(&buf->record_disabled),
		  atomic_long_read(&buf->active_readers));
	guest_say(text, "finalized=%d\nquiescent=%u\nlast_timestamp=%lu\n",
		  buf->finalized, buf->quiescent,
		  value(&buf->GUEST_LAST_TIMESTAMP));
	guest_say(text, "get_subbuf=%u\nget_subbuf_consumed=%lu\n",
		  buf->get_subbuf, buf->get_subbuf_consumed);
	guest_say(text, "switch_timer_enabled=%u\nread_timer_enabled=%u\n",
		  buf->switch_timer_enabled, buf->read_timer_enabled);
	say_subbuffers(text, buffer, buf);
}

/* What the ring buffer itself knows of a channel, and its buffers. */
static void say_ring(struct guest_text *text, const char *channel,
		     guest_rb_channel *rb)
{
	struct channel_backend *backend = &rb->backend;
	bool global = backend->config.alloc == GUEST_ALLOC_GLOBAL;
	char place[160];
	int cpu;

	guest_say(text, "transport=%s\nmode=%s\nalloc=%s\n", backend->name,
		  backend->config.mode == RING_BUFFER_OVERWRITE ?
		  "overwrite" : "discard", global ? "global" : "percpu");
	guest_say(text, "subbuf_size=%lu\nnum_subbuf=%lu\n",
		  backend->subbuf_size, backend->num_subbuf);
	guest_say(text, "record_disabled=%d\nfinalized=%d\n",
		  atomic_read(&rb->record_disabled), rb->finalized);
	guest_say(text, "switch_timer_jiffies=%lu\nread_timer_jiffies=%lu\n",
		  rb->switch_timer_interval, rb->read_timer_interval);
	guest_say(text, "records_counted=%d\n", RECORDS_COUNTED);
#ifdef GUEST_CHANNEL_BEEN_ACTIVE
	guest_say(text, "been_active=%d\n", rb->been_active);
#endif
	if (global) {
		snprintf(place, sizeof(place), "%s/cpus/global", channel);
		say_buffer(text, place, guest_rb_global(rb));
		return;
	}
	for_each_cpu(cpu, backend->cpumask) {
		snprintf(place, sizeof(place), "%s/cpus/%d", channel, cpu);
		say_buffer(text, place, per_cpu_ptr(guest_rb_percpu(rb), cpu));
	}
}

static void say_channel(struct guest_text *text, const char *session,
			guest_channel *chan)
{
	char place[128];

	snprintf(place, sizeof(place), "lttng/%s/channels/%u", session,
		 chan->id);
	guest_say(text, "[%s]\n", place);
	guest_say(text, "type=%s\nenabled=%d\nheader_type=%d\n",
		  chan->channel_type == METADATA_CHANNEL ? "metadata" : "data",
		  guest_channel_enabled(chan), chan->header_type);
	say_ring(text, place, guest_channel_rb(chan));
}

static void say_event(struct guest_text *text, const char *session,
		      guest_event *event)
{
	guest_say(text, "[lttng/%s/channels/%u/events/%u]\n", session,
		  guest_event_channel(event)->id, guest_event_id(event));
	guest_say(text, "name=%s\nenabled=%d\n", guest_event_name(event),
		  guest_event_enabled(event));
}

#ifdef GUEST_NOTIFIERS
/* Groups have no names: they are numbered in the list's order. */
static void say_groups(struct guest_text *text)
{
	unsigned int number = 0, events;
	guest_notifier *notifier;
	guest_group *group;
	char place[64];

	guest_for_each_group(group) {
		events = 0;
		guest_for_each_notifier(notifier, group) {
			guest_say(text, "[notifiers/%u/events/%u]\n", number,
				  events++);
			guest_say(text, "name=%s\nenabled=%d\ntoken=%llu\n",
				  notifier->parent.desc->event_name,
				  notifier->pub->parent.enabled,
				  notifier->parent.user_token);
		}
		snprintf(place, sizeof(place), "notifiers/%u/channel", number);
		guest_say(text, "[%s]\n", place);
		say_ring(text, place, group->chan);
		guest_say(text, "[notifiers/%u]\nnotifiers=%u\n", number++,
			  events);
	}
}
#else
static void say_groups(struct guest_text *text)
{
}
#endif

void guest_truth(struct guest_text *text)
{
	guest_session *session;
	guest_channel *chan;
	guest_event *event;
	unsigned int events;

	guest_for_each_session(session) {
		events = 0;
		guest_for_each_event(event, session)
			events++;
		guest_say(text, "[lttng/%s]\n", session->name);
		guest_say(text, "active=%d\nbeen_active=%d\nevents=%u\n",
			  guest_session_active(session), session->been_active,
			  events);
		guest_for_each_channel(chan, session)
			say_channel(text, session->name, chan);
		events = 0;
		guest_for_each_event(event, session)
			if (events++ < EVENTS_MAX)
				say_event(text, session->name, event);
	}
	say_groups(text);
}
