/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel's ring buffer: its geometry and configuration, and its buffers. */
#include <inttypes.h>

#include "lib/probes/lttng/lttng.h"

static struct rbs_value member(struct lttng_probe *probe, unsigned id, uint64_t base)
{
	return rbs_layout_read(&probe->rings, id, probe->target, base);
}

static struct rbs_value show(struct lttng_probe *probe, const struct lttng_channel *channel,
			     unsigned id, unsigned desc)
{
	return lttng_show(probe, &probe->rings, id, channel->ring, channel->node, desc);
}

/*
 * Everything is computed from the geometry: a channel whose numbers do not fit together is not
 * LTTng's (or not any more), and is not read further.
 */
static bool geometry_read(struct lttng_probe *probe, struct lttng_channel *channel)
{
	struct rbs_value size = show(probe, channel, LR_SUBBUF_SIZE, LTTNG_D_SUBBUF_SIZE);
	struct rbs_value num = show(probe, channel, LR_NUM_SUBBUF, LTTNG_D_NUM_SUBBUF);
	struct rbs_value total = member(probe, LR_BUF_SIZE, channel->ring);
	struct rbs_value order = member(probe, LR_NUM_ORDER, channel->ring);
	struct rbs_value mask = member(probe, LR_COMMIT_MASK, channel->ring);
	unsigned bits = probe->target->info.word_size * 8;
	struct rbs_error error;

	if (!rbs_value_ok(&size) || !rbs_value_ok(&num) || !rbs_value_ok(&total) ||
	    !rbs_value_ok(&order) || !rbs_value_ok(&mask)) {
		rbs_error_set_at(
			&error, size.code != RBS_OK ? size.code : RBS_UNMAPPED, channel->ring,
			"the channel's ring buffer at %" PRIx64 " cannot be read", channel->ring);
		rbs_report_add_problem(channel->node->report, channel->node, &error);
		return false;
	}
	if (num.number <= LTTNG_SUBBUF_LIMIT &&
	    rbs_subbuf_geometry_set(&channel->geometry, size.number, num.number, bits) &&
	    total.number == size.number * num.number &&
	    order.number == channel->geometry.num_order &&
	    mask.number == channel->geometry.commit_mask)
		return true;
	rbs_error_set_at(&error, RBS_CORRUPT, channel->ring,
			 "%" PRIu64 " sub-buffers of %" PRIu64 " bytes in a buffer of %" PRIu64
			 " do not fit together",
			 num.number, size.number, total.number);
	rbs_report_add_problem(channel->node->report, channel->node, &error);
	return false;
}

/* False when its buffers cannot be told without what is missing. */
static bool configuration_read(struct lttng_probe *probe, struct lttng_channel *channel)
{
	const struct rbs_layout *layout = &probe->rings;
	struct rbs_value mode = member(probe, LR_MODE, channel->ring);
	struct rbs_value alloc = member(probe, LR_ALLOC, channel->ring);

	channel->overwrite =
		rbs_value_ok(&mode) &&
		(int64_t)mode.number == rbs_layout_enumerator(layout, LR_MODE_OVERWRITE, -1);
	channel->global =
		rbs_value_ok(&alloc) &&
		(int64_t)alloc.number == rbs_layout_enumerator(layout, LR_ALLOC_GLOBAL, -1);
	if (rbs_value_ok(&mode))
		rbs_node_set_text(channel->node, lttng_desc(LTTNG_D_MODE),
				  channel->overwrite ? "overwrite" : "discard");
	else
		rbs_node_set_absent(channel->node, lttng_desc(LTTNG_D_MODE), mode.code);
	if (rbs_value_ok(&alloc))
		rbs_node_set_text(channel->node, lttng_desc(LTTNG_D_ALLOC),
				  channel->global ? "global" : "per-cpu");
	else
		rbs_node_set_absent(channel->node, lttng_desc(LTTNG_D_ALLOC), alloc.code);
	if (!rbs_value_ok(&mode) || !rbs_value_ok(&alloc)) {
		struct rbs_error error;

		rbs_error_set_at(&error, rbs_value_ok(&mode) ? alloc.code : mode.code,
				 channel->ring, "the configuration of the channel's ring buffer");
		rbs_report_add_problem(channel->node->report, channel->node, &error);
	}
	show(probe, channel, LR_RECORD_DISABLED, LTTNG_D_CH_DISABLED);
	show(probe, channel, LR_SWITCH_INTERVAL, LTTNG_D_SWITCH_INTERVAL);
	show(probe, channel, LR_READ_INTERVAL, LTTNG_D_READ_INTERVAL);
	show(probe, channel, LR_EXTRA_READER, LTTNG_D_EXTRA_READER);
	show(probe, channel, LR_FINALIZED, LTTNG_D_CH_FINALIZED);
	show(probe, channel, LR_BEEN_ACTIVE, LTTNG_D_CH_BEEN_ACTIVE);
	/* Since 2.13 ("Namespace all logging statements"), when the structures got new names too.
	 */
	rbs_node_set_text(channel->node, lttng_desc(LTTNG_D_LOG_PREFIX),
			  layout->slots[LB_OFFSET].alternative ? "" : "LTTng: ");
	return rbs_value_ok(&mode) && rbs_value_ok(&alloc);
}

void lttng_channel_read(struct lttng_probe *probe, struct lttng_channel *channel)
{
	struct rbs_value buf = member(probe, LR_BUF, channel->ring);
	struct rbs_error error;

	bool known = configuration_read(probe, channel);

	if (!geometry_read(probe, channel) || !known)
		return;
	if (!rbs_value_ok(&buf) || !buf.number) {
		rbs_error_set_at(&error, rbs_value_ok(&buf) ? RBS_CORRUPT : buf.code, channel->ring,
				 "the channel has no buffers");
		rbs_report_add_problem(channel->node->report, channel->node, &error);
		return;
	}
	if (channel->global) {
		lttng_buffer_read(probe, channel, -1, buf.number);
		return;
	}
	for (uint32_t cpu = 0; cpu < probe->cpus.count; cpu++) {
		if (probe->cpus.possible[cpu])
			lttng_buffer_read(probe, channel, cpu,
					  buf.number + probe->cpus.offsets[cpu]);
	}
}
