/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether assumed layouts fit the memory that they are to explain. A wrong layout hardly finds one
 * channel whose numbers agree; damage seldom spoils all of them. So one channel that fits speaks
 * for the layout, and one that does not only speaks against it when none fits.
 */
#include "lib/probes/lttng/lttng.h"
#include "lib/walk.h"

/* Enough to judge by. */
#define FIT_SESSIONS 64
#define FIT_CHANNELS 64

struct fit {
	struct lttng_probe *probe;
	size_t fits, contradictions;
	const char *reason; /* the first contradiction */
};

static void contradict(struct fit *fit, const char *reason)
{
	if (!fit->contradictions++)
		fit->reason = reason;
}

static struct rbs_value read(struct fit *fit, const struct rbs_layout *layout, unsigned id,
			     uint64_t base)
{
	return rbs_layout_read(layout, id, fit->probe->target, base);
}

/* The next pointer's prev pointer leads back (include/linux/list.h: next, prev). */
static bool list_links(struct fit *fit, uint64_t head)
{
	unsigned word = fit->probe->target->info.word_size;
	uint64_t next, back;

	return rbs_target_read_pointer(fit->probe->target, head, &next, NULL) == RBS_OK &&
	       rbs_target_read_pointer(fit->probe->target, next + word, &back, NULL) == RBS_OK &&
	       back == head;
}

static bool geometry_fits(struct fit *fit, uint64_t ring)
{
	const struct rbs_layout *layout = &fit->probe->rings;
	struct rbs_value size = read(fit, layout, LR_SUBBUF_SIZE, ring);
	struct rbs_value num = read(fit, layout, LR_NUM_SUBBUF, ring);
	struct rbs_value total = read(fit, layout, LR_BUF_SIZE, ring);
	struct rbs_value order = read(fit, layout, LR_NUM_ORDER, ring);
	struct rbs_value mask = read(fit, layout, LR_COMMIT_MASK, ring);
	struct rbs_subbuf_geometry geometry;

	return rbs_value_ok(&size) && rbs_value_ok(&num) && rbs_value_ok(&total) &&
	       rbs_value_ok(&order) && rbs_value_ok(&mask) && num.number <= LTTNG_SUBBUF_LIMIT &&
	       rbs_subbuf_geometry_set(&geometry, size.number, num.number,
				       fit->probe->target->info.word_size * 8) &&
	       total.number == geometry.buf_size && order.number == geometry.num_order &&
	       mask.number == geometry.commit_mask;
}

/* Both are enums of two values: 0 and 1. */
static bool configuration_fits(struct fit *fit, uint64_t ring)
{
	struct rbs_value alloc = read(fit, &fit->probe->rings, LR_ALLOC, ring);
	struct rbs_value mode = read(fit, &fit->probe->rings, LR_MODE, ring);

	return rbs_value_ok(&alloc) && rbs_value_ok(&mode) && alloc.number <= 1 && mode.number <= 1;
}

/* A buffer points back to its channel, and knows its CPU (-1: it is the global one). */
static bool buffer_fits(struct fit *fit, uint64_t ring, uint64_t buffer, int64_t cpu)
{
	const struct rbs_layout *layout = &fit->probe->rings;
	struct rbs_value channel = read(fit, layout, LB_CHAN, buffer);
	struct rbs_value number = read(fit, layout, LB_CPU, buffer);

	return rbs_value_ok(&channel) && channel.number == ring &&
	       (!rbs_value_ok(&number) || (int64_t)number.number == cpu);
}

static bool buffers_fit(struct fit *fit, uint64_t ring)
{
	const struct rbs_layout *layout = &fit->probe->rings;
	const struct rbs_cpus *cpus = &fit->probe->cpus;
	struct rbs_value buf = read(fit, layout, LR_BUF, ring);
	struct rbs_value alloc = read(fit, layout, LR_ALLOC, ring);

	if (!rbs_value_ok(&buf) || !rbs_value_ok(&alloc))
		return false;
	if ((int64_t)alloc.number == rbs_layout_enumerator(layout, LR_ALLOC_GLOBAL, 1))
		return buffer_fits(fit, ring, buf.number, -1);
	for (uint32_t cpu = 0; cpu < cpus->count; cpu++) {
		if (cpus->possible[cpu] &&
		    buffer_fits(fit, ring, buf.number + cpus->offsets[cpu], cpu))
			return true;
	}
	return false;
}

static void channel_check(struct fit *fit, uint64_t channel)
{
	struct rbs_value ring = read(fit, &fit->probe->sessions, LC_RING, channel);

	if (!rbs_value_ok(&ring))
		return;
	if (!geometry_fits(fit, ring.number))
		contradict(fit, "a channel's sizes do not agree");
	else if (!configuration_fits(fit, ring.number))
		contradict(fit, "a channel's configuration is none");
	else if (!buffers_fit(fit, ring.number))
		contradict(fit, "a channel's buffers do not point back to it");
	else
		fit->fits++;
}

static void session_check(struct fit *fit, uint64_t session)
{
	const struct rbs_layout *layout = &fit->probe->sessions;
	uint64_t channels = session + rbs_layout_offset(layout, LS_CHANNELS);
	struct rbs_value public = read(fit, layout, LS_PUBLIC, session);
	struct rbs_value private;
	struct rbs_list_walk walk;
	uint64_t entry;

	if (rbs_value_ok(&public) && rbs_layout_has(layout, LS_PRIVATE)) {
		private = read(fit, layout, LS_PRIVATE, public.number);
		if (!rbs_value_ok(&private) || private.number != session) {
			contradict(fit, "a session's two halves do not point to each other");
			return;
		}
	}
	if (!list_links(fit, channels)) {
		contradict(fit, "a session's list of channels does not link up");
		return;
	}
	rbs_list_walk_init(&walk, fit->probe->target, channels, FIT_CHANNELS);
	while (rbs_list_walk_next(&walk, &entry))
		channel_check(fit, entry - rbs_layout_offset(layout, LC_NODE));
}

bool lttng_layout_fits(struct lttng_probe *probe, uint64_t head, const char **reason)
{
	struct fit fit = {.probe = probe};
	struct rbs_list_walk walk;
	uint64_t entry;

	rbs_list_walk_init(&walk, probe->target, head, FIT_SESSIONS);
	while (!fit.fits && rbs_list_walk_next(&walk, &entry))
		session_check(&fit, entry - rbs_layout_offset(&probe->sessions, LS_LIST));
	*reason = fit.reason;
	return fit.fits || !fit.contradictions;
}
