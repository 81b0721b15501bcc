/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One set of names for three generations of lttng-modules:
 *	to 2.12		lttng_session, lttng_channel, lttng_event, channel
 *	2.13, 2.14	split into public and private parts, lttng_kernel_ names
 *	from 2.15	channels and events that may also be counters
 */
#ifndef RBSTATS_COMPAT_H
#define RBSTATS_COMPAT_H

#if defined(LTTNG_OLD_TREE)

#include <lttng-events.h>
#include <lttng-tracer.h>
#include <wrapper/ringbuffer/backend.h>
#include <wrapper/ringbuffer/frontend.h>

typedef struct lttng_session guest_session;
typedef struct lttng_channel guest_channel;
typedef struct lttng_event guest_event;
typedef struct channel guest_rb_channel;
typedef struct lib_ring_buffer guest_rb;
typedef struct lib_ring_buffer_backend_pages guest_pages;
typedef struct lib_ring_buffer_ctx guest_ctx;

#define guest_for_each_session(s)	list_for_each_entry(s, guest_sessions, list)
#define guest_for_each_channel(c, s)	list_for_each_entry(c, &(s)->chan, list)
#define guest_for_each_event(e, s)	list_for_each_entry(e, &(s)->events, list)
#define guest_session_active(s)		((s)->active)
#define guest_channel_rb(c)		((c)->chan)
#define guest_channel_enabled(c)	((c)->enabled)
#define guest_channel_session(c)	((c)->session)
#define guest_event_channel(e)		((e)->chan)
#define guest_event_id(e)		((unsigned int)(e)->id)
#define guest_event_name(e)		((e)->desc->name)
#define guest_event_enabled(e)		((e)->enabled)
#define guest_reserved(ctx)		(ctx)

static inline int guest_reserve(guest_ctx *ctx, guest_channel *chan,
				guest_event *event, size_t size)
{
	struct lttng_probe_ctx probe = { .event = event };

	lib_ring_buffer_ctx_init(ctx, chan->chan, &probe, size, 1, -1);
	return chan->ops->event_reserve(ctx, event->id);
}

static inline void guest_put(guest_ctx *ctx, guest_channel *chan,
			     const void *from, size_t length)
{
	chan->ops->event_write(ctx, from, length);
}

static inline void guest_commit(guest_ctx *ctx, guest_channel *chan)
{
	chan->ops->event_commit(ctx);
}

#else

#include <lttng/events.h>
#include <lttng/events-internal.h>
#include <lttng/tracer.h>
#include <ringbuffer/backend.h>
#include <ringbuffer/frontend.h>

typedef struct lttng_kernel_session_private guest_session;
typedef struct lttng_kernel_channel_buffer_private guest_channel;
typedef struct lttng_kernel_event_recorder_private guest_event;
typedef struct lttng_kernel_ring_buffer_channel guest_rb_channel;
typedef struct lttng_kernel_ring_buffer guest_rb;
typedef struct lttng_kernel_ring_buffer_backend_pages guest_pages;
typedef struct lttng_kernel_ring_buffer_ctx guest_ctx;

#define guest_session_active(s)		((s)->pub->active)
#define guest_channel_rb(c)		((c)->rb_chan)
#define guest_channel_enabled(c)	((c)->pub->parent.enabled)
#define guest_channel_session(c)	((c)->pub->parent.session->priv)
#define guest_event_channel(e)		((e)->pub->chan->priv)
#define guest_event_enabled(e)		((e)->pub->parent.enabled)
#define guest_reserved(ctx)		(&(ctx)->priv)

#if LTTNG_MODULES_MINOR_VERSION >= 15

#define guest_for_each_session(s)	list_for_each_entry(s, guest_sessions, node)
#define guest_for_each_channel(c, s)					\
	list_for_each_entry(c, &(s)->chan_head, parent.node)		\
		if ((c)->pub->parent.type == LTTNG_KERNEL_CHANNEL_TYPE_BUFFER)
#define guest_for_each_event(e, s)					\
	list_for_each_entry(e, &(s)->events_head, parent.parent.node)	\
		if ((e)->pub->parent.type == LTTNG_KERNEL_EVENT_TYPE_RECORDER)
#define guest_for_each_notifier(n, g)					\
	list_for_each_entry(n, &(g)->event_notifiers_head, parent.node)
#define guest_event_id(e)		((unsigned int)(e)->parent.id)
#define guest_event_name(e)		((e)->parent.parent.desc->event_name)
#define GUEST_ALLOC_GLOBAL		RING_BUFFER_ALLOC_PER_CHANNEL
#define guest_rb_global(rb)		((rb)->backend.global_buf)
#define guest_rb_percpu(rb)		((rb)->backend.percpu_buf)

#else

#define guest_for_each_session(s)	list_for_each_entry(s, guest_sessions, list)
#define guest_for_each_channel(c, s)	list_for_each_entry(c, &(s)->chan, node)
#define guest_for_each_event(e, s)	list_for_each_entry(e, &(s)->events, node)
#define guest_for_each_notifier(n, g)					\
	list_for_each_entry(n, &(g)->event_notifiers_head, node)
#define guest_event_id(e)		((e)->id)
#define guest_event_name(e)		((e)->parent.desc->event_name)

#endif

/* Event notifiers, which came with 2.13. */
#define GUEST_NOTIFIERS
typedef struct lttng_event_notifier_group guest_group;
typedef struct lttng_kernel_event_notifier_private guest_notifier;

#define guest_for_each_group(g)		list_for_each_entry(g, guest_groups, node)

#if LTTNG_MODULES_MINOR_VERSION >= 14
#define GUEST_LAST_TIMESTAMP		last_timestamp
#endif

static inline int guest_reserve(guest_ctx *ctx, guest_channel *chan,
				guest_event *event, size_t size)
{
	struct lttng_kernel_probe_ctx probe = { .event = &event->pub->parent };

	lib_ring_buffer_ctx_init(ctx, event->pub, size, 1, &probe);
	return chan->pub->ops->event_reserve(ctx);
}

static inline void guest_put(guest_ctx *ctx, guest_channel *chan,
			     const void *from, size_t length)
{
	chan->pub->ops->event_write(ctx, from, length, 1);
}

static inline void guest_commit(guest_ctx *ctx, guest_channel *chan)
{
	chan->pub->ops->event_commit(ctx);
}

#endif

#ifndef GUEST_ALLOC_GLOBAL
#define GUEST_ALLOC_GLOBAL		RING_BUFFER_ALLOC_GLOBAL
#define guest_rb_global(rb)		((rb)->backend.buf)
#define guest_rb_percpu(rb)		((rb)->backend.buf)
#endif
#ifndef GUEST_LAST_TIMESTAMP
#define GUEST_LAST_TIMESTAMP		last_tsc
#endif

#endif
