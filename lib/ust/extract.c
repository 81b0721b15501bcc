/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/ust/extract.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ctf_metadata.h"
#include "lib/ring_packets.h"
#include "lib/trace_dir.h"

/* Of a time stamp in the smallest event header (LTTNG_COMPACT_TSC_BITS, lttng-ust's clients). */
#define COMPACT_BITS 27
/* As much as a metadata ring holds by default, twice. */
#define RING_TEXT_SIZE (1u << 20)

struct ust_source {
	struct rbs_ring_source base;
	const struct rbs_ust *ust;
	const struct rbs_ust_object *object;
};

static void load(struct rbs_ring_source *base, uint64_t index, struct rbs_subbuf *subbuf)
{
	const struct ust_source *source = (struct ust_source *)base;
	const struct rbs_ust *ust = source->ust;
	const struct rbs_ust_object *object = source->object;

	*subbuf = (struct rbs_subbuf){.index = index};
	subbuf->seq = rbs_ust_commit_seq(ust, object, index);
	subbuf->cc = rbs_ust_commit_count(ust, object, index);
	subbuf->cc_sb = rbs_ust_commit_visible(ust, object, index);
	subbuf->packets = rbs_ust_packet_count(ust, object, index);
	/* Of a release that is not known the ABI's table tells what was committed in order. */
	if (!object->release)
		subbuf->cc = subbuf->cc_sb = subbuf->seq;
	rbs_subbuf_settle(&base->ring, subbuf);
	if (!object->release && subbuf->visible != base->ring.geometry.subbuf_size)
		subbuf->visible = 0;
}

static enum rbs_code read(struct rbs_ring_source *base, const struct rbs_subbuf *subbuf,
			  void *bytes, uint64_t length, struct rbs_error *err)
{
	const struct ust_source *source = (struct ust_source *)base;
	uint64_t offset;
	enum rbs_code code =
		rbs_ust_packet_find(source->ust, source->object, &base->ring, subbuf, &offset, err);

	if (code != RBS_OK)
		return code;
	return rbs_ust_read(source->ust, source->object, offset, bytes, length, err);
}

static struct rbs_value last_timestamp(struct rbs_ring_source *base)
{
	const struct ust_source *source = (struct ust_source *)base;

	return rbs_ust_field(source->ust, source->object, last_timestamp);
}

static struct rbs_value lost(struct rbs_ring_source *base)
{
	const struct ust_source *source = (struct ust_source *)base;
	const struct rbs_value counts[] = {
		rbs_ust_field(source->ust, source->object, lost_full),
		rbs_ust_field(source->ust, source->object, lost_wrap),
		rbs_ust_field(source->ust, source->object, lost_big),
	};
	struct rbs_value sum = rbs_value_of(0);

	for (size_t i = 0; i < 3; i++) {
		if (!rbs_value_ok(&counts[i]))
			return counts[i];
		sum.number += counts[i].number;
	}
	return sum;
}

static const struct rbs_ring_source_ops ops = {
	.load = load,
	.read = read,
	.last_timestamp = last_timestamp,
	.lost = lost,
};

/*
 * struct packet_header, lttng-ring-buffer-client-template.h. Since 2.8 it has the stream's instance
 * and the packet's number ("Implement packet sequence number", "stream instance id"): the sizes,
 * whose place the ABI tells, lie 8 bytes farther on.
 */
static struct rbs_ctf_header header_of(const struct rbs_ust_abi *abi)
{
	bool numbered = abi->content_size >= 48;
	uint32_t discarded = abi->packet_size + 8 + (numbered ? 8 : 0);

	if (abi->content_size < 40 || abi->packet_size != abi->content_size + 8 ||
	    abi->content_size_length != 8 || abi->packet_size_length != 8 ||
	    abi->packet_size > RBS_CTF_HEADER_LIMIT / 2)
		return (struct rbs_ctf_header){0};
	return (struct rbs_ctf_header){
		.magic = {0, 4},
		.uuid = {4, RBS_CTF_UUID_SIZE},
		.stream = {20, 4},
		.begin = {abi->content_size - 16, 8},
		.end = {abi->content_size - 8, 8},
		.content = {abi->content_size, 8},
		.packet = {abi->packet_size, 8},
		.seq = {abi->packet_size + 8, numbered ? 8 : 0},
		.discarded = {discarded, abi->word_size},
		.cpu = {discarded + abi->word_size, 4},
	};
}

static void buffer_extract(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			   struct rbs_packet_sink *sink)
{
	const struct rbs_ust_abi *abi = &object->abi;
	struct rbs_value written = rbs_ust_written(ust, object);
	struct rbs_value consumed = rbs_ust_consumed(ust, object);
	struct ust_source source = {
		.base =
			{
				.ops = &ops,
				.target = ust->dump->target,
				.ring =
					{
						.geometry = abi->geometry,
						.overwrite = abi->overwrite,
						.offset = written.number,
						.consumed = consumed.number,
					},
				.timestamp_shift = abi->word_size == 8 ? 0 : COMPACT_BITS,
				.frame =
					{
						.header = header_of(abi),
						.big_endian = abi->big_endian,
						.subbuf_size = abi->geometry.subbuf_size,
						.alignment = ust->dump->target->info.page_size,
						.has_uuid = true,
						.has_stream = true,
						.has_cpu = rbs_value_ok(&object->cpu),
						.stream = object->stream_id,
						.cpu = object->cpu.number,
					},
			},
		.ust = ust,
		.object = object,
	};
	char name[32];
	const struct rbs_packet_stream stream = {
		.channel = name,
		.cpu = rbs_value_ok(&object->cpu) ? (int64_t)object->cpu.number : -1};
	struct rbs_error error;

	rbs_ust_reader(ust, object, &source.base.ring);
	snprintf(name, sizeof(name), "channel%" PRIu32, object->stream_id);
	memcpy(source.base.frame.uuid, object->uuid, sizeof(object->uuid));
	if (rbs_value_ok(&written) && rbs_value_ok(&consumed) &&
	    rbs_subbuf_positions_valid(&abi->geometry, written.number, consumed.number)) {
		rbs_ring_packets_give(&source.base, &stream, sink);
		return;
	}
	rbs_error_set(&error, RBS_CORRUPT, "the buffer's positions cannot be");
	sink->ops->stream_begin(sink, &stream);
	sink->ops->skip(sink, 0, &error);
}

struct described {
	const char *text; /* NULL: not found */
	size_t length;
	char origin[128], missing[256];
	char *ring; /* owned: out of the metadata's own buffer */
};

static void text_find(const struct rbs_ust *ust, const struct rbs_ust_texts *texts,
		      const struct rbs_ust_object *object, struct described *described)
{
	const struct rbs_ust_text *heap = rbs_ust_texts_find(texts, object->uuid);

	if (heap) {
		described->text = heap->text;
		described->length = heap->length;
		snprintf(described->origin, sizeof(described->origin),
			 "the metadata is %s's copy (process %" PRId64 ")%s", heap->task->comm,
			 heap->task->pid, heap->ended ? "" : ", which may not be all of it");
		return;
	}
	described->ring = malloc(RING_TEXT_SIZE);
	if (described->ring && rbs_ust_metadata(ust, object, described->ring, RING_TEXT_SIZE)) {
		described->text = described->ring;
		described->length = strlen(described->ring);
		snprintf(described->origin, sizeof(described->origin),
			 "the metadata is what its buffer holds, which may not be all of it");
		return;
	}
	snprintf(described->missing, sizeof(described->missing),
		 "it is not in its buffer, and not in the memory of %zu of LTTng's daemons%s",
		 texts->daemons, texts->missing ? ", of which the dump lacks pages" : "");
}

static void place_find(const struct rbs_ust_object *object, const struct described *described,
		       char *place, size_t size)
{
	char scheme[16] = "", process[64], number[24];
	char safe[RBS_TRACE_NAME_SIZE], safe_number[RBS_TRACE_NAME_SIZE];

	if (described->text)
		rbs_ctf_env_find(described->text, described->length, "tracer_buffering_scheme",
				 scheme, sizeof(scheme));
	if (!strcmp(scheme, "uid") &&
	    rbs_ctf_env_find(described->text, described->length, "tracer_buffering_id", number,
			     sizeof(number)))
		snprintf(place, size, "ust/uid/%s/%u-bit", rbs_trace_name(number, safe_number),
			 object->abi.word_size * 8u);
	else if (!strcmp(scheme, "pid") &&
		 rbs_ctf_env_find(described->text, described->length, "procname", process,
				  sizeof(process)) &&
		 rbs_ctf_env_find(described->text, described->length, "vpid", number,
				  sizeof(number)))
		snprintf(place, size, "ust/pid/%s-%s", rbs_trace_name(process, safe),
			 rbs_trace_name(number, safe_number));
	else
		snprintf(place, size, "ust/%u-bit", object->abi.word_size * 8u);
}

static void trace_begin(const struct rbs_ust *ust, const struct rbs_ust_texts *texts,
			const struct rbs_ust_object *object, struct rbs_packet_sink *sink)
{
	struct described described = {0};
	char place[3 * RBS_TRACE_NAME_SIZE], name[256];
	struct rbs_packet_trace trace = {.name = name, .place = place};

	text_find(ust, texts, object, &described);
	place_find(object, &described, place, sizeof(place));
	if (!described.text ||
	    !rbs_ctf_env_find(described.text, described.length, "trace_name", name, sizeof(name))) {
		snprintf(name, sizeof(name), "trace-");
		for (size_t i = 0; i < 4; i++)
			snprintf(name + 6 + 2 * i, sizeof(name) - 6 - 2 * i, "%02x",
				 object->uuid[i]);
	}
	if (described.text) {
		trace.metadata = described.text;
		trace.metadata_length = described.length;
		trace.metadata_origin = described.origin;
	} else {
		trace.metadata_missing = described.missing;
	}
	sink->ops->trace_begin(sink, &trace);
	free(described.ring);
}

static int value_compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int object_compare(const void *left, const void *right)
{
	const struct rbs_ust_object *a = *(const struct rbs_ust_object *const *)left;
	const struct rbs_ust_object *b = *(const struct rbs_ust_object *const *)right;
	int order = memcmp(a->uuid, b->uuid, sizeof(a->uuid));

	if (!order)
		order = value_compare(a->stream_id, b->stream_id);
	if (!order)
		order = value_compare(a->cpu.number, b->cpu.number);
	/* Of copies, the one that most processes have comes first. */
	if (!order)
		order = value_compare(b->user_count, a->user_count);
	if (!order)
		order = value_compare(a->inode, b->inode);
	return order;
}

static bool same_buffer(const struct rbs_ust_object *a, const struct rbs_ust_object *b)
{
	return !memcmp(a->uuid, b->uuid, sizeof(a->uuid)) && a->stream_id == b->stream_id &&
	       rbs_value_ok(&a->cpu) && rbs_value_ok(&b->cpu) && a->cpu.number == b->cpu.number;
}

void rbs_ust_extract(const struct rbs_ust *ust, const struct rbs_ust_texts *texts,
		     struct rbs_packet_sink *sink)
{
	const struct rbs_ust_object **objects = calloc(ust->count + 1, sizeof(const void *));
	size_t count = 0;

	for (size_t i = 0; objects && i < ust->count; i++) {
		const struct rbs_ust_object *object = &ust->objects[i];

		if (object->code == RBS_OK && object->has_packet && !object->metadata)
			objects[count++] = object;
	}
	if (count)
		qsort(objects, count, sizeof(const void *), object_compare);
	for (size_t i = 0; i < count && !sink->stopped; i++) {
		if (!i || memcmp(objects[i - 1]->uuid, objects[i]->uuid, RBS_UST_UUID_SIZE))
			trace_begin(ust, texts, objects[i], sink);
		if (!i || !same_buffer(objects[i - 1], objects[i]))
			buffer_extract(ust, objects[i], sink);
	}
	free(objects);
}
