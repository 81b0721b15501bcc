/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text that describes a session's trace. The tracer keeps all of it for readers that come
 * later (struct lttng_metadata_cache, lttng-modules' lttng-events.h; since 2.2), whatever the
 * metadata channel's own buffer still holds. It is vmalloc memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/ctf_metadata.h"
#include "lib/probes/lttng/lttng.h"

static enum rbs_code cache_member(struct lttng_probe *probe, unsigned id, uint64_t base,
				  uint64_t *number, struct rbs_error *err)
{
	if (!rbs_layout_has(&probe->sessions, id))
		return rbs_error_set(err, RBS_NO_MEMBER,
				     "this LTTng's types say nothing of a copy of the metadata");
	return rbs_layout_require(&probe->sessions, id, probe->target, base, number, err);
}

/* Page by page: the error names the one that is missing. */
static enum rbs_code text_read(struct lttng_probe *probe, uint64_t address, char *text,
			       uint64_t length, struct rbs_error *err)
{
	uint64_t page = probe->target->info.page_size;

	for (uint64_t done = 0; done < length;) {
		uint64_t part = page - ((address + done) & (page - 1));
		enum rbs_code code;

		if (part > length - done)
			part = length - done;
		code = rbs_target_read(probe->target, RBS_KERNEL_VIRTUAL, address + done,
				       text + done, part, err);
		if (code != RBS_OK)
			return code;
		done += part;
	}
	return RBS_OK;
}

static enum rbs_code cache_read(struct lttng_probe *probe, uint64_t session, char **text,
				uint64_t *length, struct rbs_error *err)
{
	uint64_t cache, data, room, producing;
	enum rbs_code code = cache_member(probe, LS_METADATA, session, &cache, err);

	if (code == RBS_OK)
		code = cache_member(probe, LM_DATA, cache, &data, err);
	if (code == RBS_OK)
		code = cache_member(probe, LM_ALLOC, cache, &room, err);
	if (code == RBS_OK)
		code = cache_member(probe, LM_WRITTEN, cache, length, err);
	if (code != RBS_OK)
		return code;
	if (!*length)
		return rbs_error_set(err, RBS_NOT_COUNTED,
				     "the session has no metadata: it was never started");
	if (*length > room || room > RBS_METADATA_LIMIT)
		return rbs_error_set_at(err, RBS_CORRUPT, cache,
					"%" PRIu64 " bytes of metadata in a cache of %" PRIu64
					" cannot be",
					*length, room);
	if (cache_member(probe, LM_PRODUCING, cache, &producing, NULL) == RBS_OK && producing)
		return rbs_error_set(err, RBS_TORN, "the metadata was being written");
	*text = malloc(*length);
	if (!*text)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = text_read(probe, data, *text, *length, err);
	if (code != RBS_OK) {
		free(*text);
		*text = NULL;
	}
	return code;
}

void lttng_metadata_extract(struct lttng_probe *probe, const struct rbs_node *session,
			    uint64_t address)
{
	struct rbs_packet_sink *sink = probe->context->packets;
	struct rbs_packet_trace trace = {.name = session->name, .place = "kernel"};
	struct rbs_error error;
	char *text = NULL;
	uint64_t length = 0;

	probe->has_uuid = false;
	if (cache_read(probe, address, &text, &length, &error) == RBS_OK) {
		trace.metadata = text;
		trace.metadata_length = length;
		probe->has_uuid = rbs_ctf_uuid_find(text, length, probe->uuid);
	} else {
		trace.metadata_missing = error.text;
	}
	sink->ops->trace_begin(sink, &trace);
	free(text);
}
