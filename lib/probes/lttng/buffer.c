/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One buffer: positions, losses, readers; and whether it really belongs to its channel. */
#include <inttypes.h>

#include "lib/probes/lttng/lttng.h"

static struct rbs_value show(struct lttng_probe *probe, const struct lttng_buffer *buffer,
			     unsigned member, unsigned desc)
{
	return lttng_show(probe, &probe->rings, member, buffer->address, buffer->node, desc);
}

static uint64_t table(struct lttng_probe *probe, const struct lttng_buffer *buffer, unsigned member)
{
	struct rbs_value value =
		rbs_layout_read(&probe->rings, member, probe->target, buffer->address);

	return rbs_value_or(&value, 0);
}

static void problem_add(const struct lttng_buffer *buffer, enum rbs_code code, const char *text)
{
	struct rbs_error error;

	rbs_error_set_at(&error, code, buffer->address, "%s", text);
	rbs_report_add_problem(buffer->node->report, buffer->node, &error);
}

/* Buffers of CPUs that never came up exist without memory of their own. */
static bool allocated(struct lttng_probe *probe, uint64_t address)
{
	struct rbs_value value =
		rbs_layout_read(&probe->rings, LB_ALLOCATED, probe->target, address);

	return !rbs_value_ok(&value) || value.number;
}

static bool buffer_belongs(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	struct rbs_value channel =
		rbs_layout_read(&probe->rings, LB_CHAN, probe->target, buffer->address);

	/* Its figures will say so one by one. */
	if (!rbs_value_ok(&channel)) {
		problem_add(buffer, channel.code, "the buffer cannot be read");
		return true;
	}
	if (channel.number == buffer->channel->ring)
		return true;
	problem_add(buffer, RBS_CORRUPT, "the buffer does not point back to its channel");
	return false;
}

static void state_show(struct lttng_probe *probe, const struct lttng_buffer *buffer)
{
	show(probe, buffer, LB_LOST_FULL, LTTNG_D_LOST_FULL);
	show(probe, buffer, LB_LOST_WRAP, LTTNG_D_LOST_WRAP);
	show(probe, buffer, LB_LOST_BIG, LTTNG_D_LOST_BIG);
	show(probe, buffer, LB_RECORD_DISABLED, LTTNG_D_DISABLED);
	show(probe, buffer, LB_ACTIVE_READERS, LTTNG_D_READERS);
	show(probe, buffer, LB_COUNT_RECORDS, LTTNG_D_RECORDS);
	show(probe, buffer, LB_OVERRUN, LTTNG_D_OVERRUN);
	show(probe, buffer, LB_RECORDS_READ, LTTNG_D_RECORDS_READ);
	show(probe, buffer, LB_LAST_TIMESTAMP, LTTNG_D_LAST_TIMESTAMP);
	show(probe, buffer, LB_FINALIZED, LTTNG_D_FINALIZED);
	show(probe, buffer, LB_QUIESCENT, LTTNG_D_QUIESCENT);
	show(probe, buffer, LB_SWITCH_TIMER, LTTNG_D_SWITCH_TIMER);
	show(probe, buffer, LB_READ_TIMER, LTTNG_D_READ_TIMER);
	show(probe, buffer, LB_PROD_SNAPSHOT, LTTNG_D_PROD_SNAPSHOT);
	show(probe, buffer, LB_CONS_SNAPSHOT, LTTNG_D_CONS_SNAPSHOT);
}

void lttng_buffer_read(struct lttng_probe *probe, const struct lttng_channel *channel, int64_t cpu,
		       uint64_t address)
{
	struct lttng_buffer buffer = {.channel = channel, .cpu = cpu, .address = address};
	struct rbs_value offset, consumed, get, get_consumed;

	if (!allocated(probe, address))
		return;
	buffer.node = cpu < 0 ? rbs_node_add(channel->node, RBS_LEVEL_RING, "global")
			      : rbs_node_add(channel->node, RBS_LEVEL_RING, "cpu%" PRId64, cpu);
	if (!buffer.node || !buffer_belongs(probe, &buffer))
		return;
	offset = show(probe, &buffer, LB_OFFSET, LTTNG_D_WRITE_OFFSET);
	consumed = show(probe, &buffer, LB_CONSUMED, LTTNG_D_CONSUMED);
	state_show(probe, &buffer);
	get = show(probe, &buffer, LB_GET_SUBBUF, LTTNG_D_GET_SUBBUF);
	get_consumed = show(probe, &buffer, LB_GET_CONSUMED, LTTNG_D_GET_CONSUMED);
	if (!rbs_value_ok(&offset) || !rbs_value_ok(&consumed))
		return;
	buffer.ring.geometry = channel->geometry;
	buffer.ring.overwrite = channel->overwrite;
	buffer.ring.offset = offset.number & channel->geometry.word_mask;
	buffer.ring.consumed = consumed.number & channel->geometry.word_mask;
	buffer.ring.reading = rbs_value_ok(&get) && get.number && rbs_value_ok(&get_consumed);
	buffer.ring.get_consumed = rbs_value_or(&get_consumed, 0);
	if (!rbs_value_ok(&get) && get.code != RBS_NO_MEMBER && get.code != RBS_NO_TYPES)
		buffer.ring.reading_code = get.code;
	else if (rbs_value_ok(&get) && get.number)
		buffer.ring.reading_code = get_consumed.code;
	/* It may be out of the ring, and then nothing else here tells of it. */
	if (buffer.ring.overwrite && buffer.ring.reading_code != RBS_OK)
		problem_add(&buffer, buffer.ring.reading_code,
			    "whether a reader holds a packet cannot be read");
	buffer.hot = table(probe, &buffer, LB_COMMIT_HOT);
	buffer.cold = table(probe, &buffer, LB_COMMIT_COLD);
	buffer.wsb = table(probe, &buffer, LB_WSB);
	buffer.array = table(probe, &buffer, LB_ARRAY);
	buffer.counts = table(probe, &buffer, LB_CNT);
	if (!rbs_subbuf_positions_valid(&channel->geometry, buffer.ring.offset,
					buffer.ring.consumed)) {
		problem_add(&buffer, RBS_CORRUPT,
			    "the write offset lies more than a buffer ahead of what was consumed");
		return;
	}
	/* In overwrite mode the writer moves the consumed position on as a reader would. */
	if (channel->overwrite)
		rbs_node_set_number(buffer.node, lttng_desc(LTTNG_D_PASSED), buffer.ring.consumed);
	lttng_subbufs_read(probe, &buffer);
	if (probe->context->packets && channel->packets)
		lttng_packets_extract(probe, &buffer);
}
