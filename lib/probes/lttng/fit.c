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

/* Anything may be missing from a dump: what cannot be read speaks neither for nor against. */
enum verdict { FITS, UNKNOWN, CONTRADICTS };

/* No such memory at all is what a number has that is no pointer. */
static enum verdict verdict_of(enum rbs_code code)
{
	return code == RBS_OK ? FITS : code == RBS_UNMAPPED ? CONTRADICTS : UNKNOWN;
}

static enum verdict read_all(struct fit *fit, const struct rbs_layout *layout, uint64_t base,
			     const unsigned *members, size_t count, uint64_t *numbers)
{
	for (size_t i = 0; i < count; i++) {
		struct rbs_value value =
			rbs_layout_read(layout, members[i], fit->probe->target, base);

		if (!rbs_value_ok(&value))
			return verdict_of(value.code);
		numbers[i] = value.number;
	}
	return FITS;
}

/* The next pointer's prev pointer leads back (include/linux/list.h: next, prev). */
static enum verdict list_links(struct fit *fit, uint64_t head)
{
	unsigned word = fit->probe->target->info.word_size;
	uint64_t next, back;
	enum rbs_code code = rbs_target_read_pointer(fit->probe->target, head, &next, NULL);

	if (code == RBS_OK)
		code = rbs_target_read_pointer(fit->probe->target, next + word, &back, NULL);
	if (code != RBS_OK)
		return verdict_of(code);
	return back == head ? FITS : CONTRADICTS;
}

static enum verdict geometry_fits(struct fit *fit, uint64_t ring)
{
	static const unsigned members[] = {LR_SUBBUF_SIZE, LR_NUM_SUBBUF, LR_BUF_SIZE, LR_NUM_ORDER,
					   LR_COMMIT_MASK};
	uint64_t numbers[5] = {0};
	enum verdict verdict = read_all(fit, &fit->probe->rings, ring, members, 5, numbers);
	struct rbs_subbuf_geometry geometry;

	if (verdict != FITS)
		return verdict;
	if (numbers[1] <= LTTNG_SUBBUF_LIMIT &&
	    rbs_subbuf_geometry_set(&geometry, numbers[0], numbers[1],
				    fit->probe->target->info.word_size * 8) &&
	    numbers[2] == geometry.buf_size && numbers[3] == geometry.num_order &&
	    numbers[4] == geometry.commit_mask)
		return FITS;
	return CONTRADICTS;
}

/* A buffer points back to its channel, and knows its CPU (-1: it is the global one). */
static enum verdict buffer_fits(struct fit *fit, uint64_t ring, uint64_t buffer, int64_t cpu)
{
	static const unsigned members[] = {LB_CHAN};
	const struct rbs_layout *layout = &fit->probe->rings;
	struct rbs_value number = rbs_layout_read(layout, LB_CPU, fit->probe->target, buffer);
	uint64_t channel;
	enum verdict verdict = read_all(fit, layout, buffer, members, 1, &channel);

	if (verdict != FITS)
		return verdict;
	if (channel != ring || (rbs_value_ok(&number) && (int64_t)number.number != cpu))
		return CONTRADICTS;
	return FITS;
}

/* Both configurations are enums of two values. The first buffer that can be read decides. */
static enum verdict buffers_fit(struct fit *fit, uint64_t ring)
{
	static const unsigned members[] = {LR_BUF, LR_ALLOC, LR_MODE};
	const struct rbs_layout *layout = &fit->probe->rings;
	const struct rbs_cpus *cpus = &fit->probe->cpus;
	uint64_t numbers[3] = {0};
	enum verdict verdict = read_all(fit, layout, ring, members, 3, numbers);

	if (verdict != FITS)
		return verdict;
	verdict = UNKNOWN;
	if (numbers[1] > 1 || numbers[2] > 1)
		return CONTRADICTS;
	if ((int64_t)numbers[1] == rbs_layout_enumerator(layout, LR_ALLOC_GLOBAL, 1))
		return buffer_fits(fit, ring, numbers[0], -1);
	for (uint32_t cpu = 0; cpu < cpus->count && verdict == UNKNOWN; cpu++) {
		if (cpus->possible[cpu])
			verdict = buffer_fits(fit, ring, numbers[0] + cpus->offsets[cpu], cpu);
	}
	return verdict;
}

static void channel_check(struct fit *fit, uint64_t channel)
{
	static const unsigned members[] = {LC_RING};
	uint64_t ring;
	enum verdict verdict = read_all(fit, &fit->probe->sessions, channel, members, 1, &ring);

	if (verdict == FITS)
		verdict = geometry_fits(fit, ring);
	if (verdict == CONTRADICTS)
		contradict(fit, "a channel's sizes do not agree");
	if (verdict != FITS)
		return;
	verdict = buffers_fit(fit, ring);
	if (verdict == CONTRADICTS)
		contradict(fit, "a channel's buffers do not point back to it");
	else if (verdict == FITS)
		fit->fits++;
}

static void session_check(struct fit *fit, uint64_t session)
{
	const struct rbs_layout *layout = &fit->probe->sessions;
	uint64_t channels = session + rbs_layout_offset(layout, LS_CHANNELS);
	struct rbs_value public = rbs_layout_read(layout, LS_PUBLIC, fit->probe->target, session);
	struct rbs_list_walk walk;
	uint64_t entry;

	if (rbs_value_ok(&public) && rbs_layout_has(layout, LS_PRIVATE)) {
		struct rbs_value back =
			rbs_layout_read(layout, LS_PRIVATE, fit->probe->target, public.number);

		if (rbs_value_ok(&back) && back.number != session) {
			contradict(fit, "a session's two halves do not point to each other");
			return;
		}
	}
	if (list_links(fit, channels) == CONTRADICTS) {
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
