/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/render/printable.h"
#include "lib/render/render.h"
#include "lib/ringmath.h"

struct buffer {
	FILE *out;
	const struct rbs_node *node;
	char transport[64];
	const char *prefix; /* "LTTng: ", or nothing before 2.13 */
	bool been_active;
	int cpu; /* -1: the buffer of all CPUs */
};

/* The driver compares with exactly this name; the mmap variant counts as a data buffer. */
static bool metadata(const struct buffer *buffer)
{
	return !strcmp(buffer->transport, "relay-metadata");
}

static void records_print(const struct buffer *buffer)
{
	uint64_t written, overrun;

	if (!rbs_node_number(buffer->node, "records_count", &written) ||
	    !rbs_node_number(buffer->node, "records_overrun", &overrun))
		return; /* not counted by this build: the driver prints nothing either */
	fprintf(buffer->out, "%sring buffer %s", buffer->prefix, buffer->transport);
	if (!metadata(buffer))
		fprintf(buffer->out, ", cpu %d", buffer->cpu);
	fprintf(buffer->out, ": %" PRIu64 " records written, %" PRIu64 " records overrun\n",
		written, overrun);
}

static void lost_print(const struct buffer *buffer)
{
	uint64_t full, wrap, big;

	if (metadata(buffer) || !rbs_node_number(buffer->node, "records_lost_full", &full) ||
	    !rbs_node_number(buffer->node, "records_lost_wrap", &wrap) ||
	    !rbs_node_number(buffer->node, "records_lost_big", &big) || !(full || wrap || big))
		return;
	fprintf(buffer->out,
		"%sring buffer %s, cpu %d: records were lost. Caused by:\n"
		"  [ %" PRIu64 " buffer full, %" PRIu64 " nest buffer wrap-around, %" PRIu64
		" event too big ]\n",
		buffer->prefix, buffer->transport, buffer->cpu, full, wrap, big);
}

static void subbuf_print(const struct buffer *buffer, const struct rbs_subbuf_geometry *geometry,
			 uint64_t position)
{
	uint64_t index = rbs_subbuf_index(geometry, position), count, visible;
	const struct rbs_node *slot;
	char name[24];

	snprintf(name, sizeof(name), "%" PRIu64, index);
	slot = rbs_node_child(buffer->node, name);
	if (!slot || !rbs_node_number(slot, "commit_count", &count) ||
	    !rbs_node_number(slot, "commit_count_sb", &visible))
		return;
	if (count & (geometry->subbuf_size - 1))
		fprintf(buffer->out,
			"%sring buffer %s, cpu %d: commit count in subbuffer %" PRIu64 ",\n"
			"expecting multiples of %" PRIu64 " bytes\n"
			"  [ %" PRIu64 " bytes committed, %" PRIu64 " bytes reader-visible ]\n",
			buffer->prefix, buffer->transport, buffer->cpu, index,
			geometry->subbuf_size, count, visible);
	fprintf(buffer->out, "%sring buffer: %s, cpu %d: %" PRIu64 " bytes committed\n",
		buffer->prefix, buffer->transport, buffer->cpu, count);
}

static void positions_print(const struct buffer *buffer, const struct rbs_node *channel,
			    unsigned word_bits)
{
	struct rbs_subbuf_geometry geometry;
	uint64_t size, num, offset, consumed, left;

	if (!rbs_node_number(buffer->node, "write_offset", &offset) ||
	    !rbs_node_number(buffer->node, "consumed", &consumed) ||
	    !rbs_node_number(channel, "subbuf_size", &size) ||
	    !rbs_node_number(channel, "num_subbuf", &num) ||
	    !rbs_subbuf_geometry_set(&geometry, size, num, word_bits) ||
	    !rbs_subbuf_positions_valid(&geometry, offset, consumed))
		return;
	/* "Fix: silence 'non-consumed' message for non-started sessions" (late 2.13) */
	if (offset != consumed && buffer->been_active)
		fprintf(buffer->out,
			"%sring buffer %s, cpu %d: non-consumed data\n"
			"  [ %" PRIu64 " bytes written, %" PRIu64 " bytes read ]\n",
			buffer->prefix, buffer->transport, buffer->cpu, offset, consumed);
	/* Every sub-buffer that the write offset has left behind. */
	left = ((rbs_subbuf_start(&geometry, offset) - rbs_subbuf_start(&geometry, consumed)) &
		geometry.word_mask) /
	       geometry.subbuf_size;
	for (uint64_t i = 0; i < left; i++)
		subbuf_print(buffer, &geometry, consumed + i * geometry.subbuf_size);
}

static void channel_print(const struct rbs_node *channel, unsigned word_bits, FILE *out)
{
	const char *transport = rbs_node_text(channel, "transport");
	const char *prefix = rbs_node_text(channel, "log_prefix");
	uint64_t active;
	/* Where the driver does not know, it prints in any case. */
	bool been_active = !rbs_node_number(channel, "been_active", &active) || active;

	for (size_t i = 0; i < channel->child_count; i++) {
		struct buffer buffer = {.out = out,
					.node = channel->children[i],
					.prefix = prefix ? prefix : "",
					.been_active = been_active,
					.cpu = -1};

		rbs_printable(transport ? transport : "(unknown)", buffer.transport,
			      sizeof(buffer.transport));
		if (!strncmp(buffer.node->name, "cpu", 3))
			buffer.cpu = atoi(buffer.node->name + 3);
		records_print(&buffer);
		lost_print(&buffer);
		positions_print(&buffer, channel, word_bits);
	}
}

enum rbs_code rbs_render_teardown(const struct rbs_report *report,
				  const struct rbs_render_options *options, FILE *out,
				  struct rbs_error *err)
{
	const struct rbs_node *section = rbs_report_section(report, "lttng");

	(void)options;
	(void)err;
	for (size_t i = 0; section && i < section->child_count; i++) {
		const struct rbs_node *session = section->children[i];

		for (size_t k = 0; k < session->child_count; k++)
			channel_print(session->children[k], report->dump.word_size * 8, out);
	}
	return RBS_OK;
}
