/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * extract - trace packets out of a dump into folders of CTF that babeltrace2 reads.
 *
 * A sink for the probes' packets (lib/packets.h) that writes them: for each session a folder with
 * the metadata and a file a channel and CPU. A folder is made with its first packet.
 */
#ifndef RBS_EXTRACT_H
#define RBS_EXTRACT_H

#include "lib/packets.h"
#include "lib/session.h"
#include "lib/trace_dir.h"

/* Lines of a kind that are kept; what they are about is counted in any case. */
#define RBS_EXTRACT_REASONS 1000

struct rbs_extract_stream {
	char *name;	  /* of the file, in the trace's folder; owned */
	uint64_t packets; /* written, partial ones included */
	uint64_t partial;
	uint64_t skipped; /* sub-buffers that could not be had */
	uint64_t left;	  /* sub-buffers that are not whole, and were not wanted */
	uint64_t bytes;
};

struct rbs_extract_trace {
	char *path; /* below the folder; of one that has no packet: what it would be; owned */
	char *metadata_missing;		    /* why there is none; NULL: it was written; owned */
	char *metadata_origin;		    /* NULL: the tracer's own memory; owned */
	bool made, ctf2;		    /* its metadata is of CTF 2 */
	struct rbs_extract_stream *streams; /* owned */
	size_t stream_count;
};

struct rbs_extract_lines {
	char *lines[RBS_EXTRACT_REASONS]; /* owned */
	size_t count;
};

struct rbs_extraction {
	struct rbs_packet_sink sink;
	struct rbs_trace_dir dir;
	const char *sessions; /* shell pattern of sessions' names; NULL: all; borrowed */
	struct rbs_extract_trace *traces; /* owned */
	size_t trace_count;
	size_t refused; /* traces whose session did not fit */
	uint64_t packets, skipped, left;
	struct rbs_extract_lines reasons; /* "TRACE/STREAM sub-buffer N: WHY" of skipped ones */
	struct rbs_extract_lines notes;	  /* what else to know, and why a tracer has nothing */
	struct rbs_extract_lines cuts;	  /* of partial ones: what is left out of them */
	struct rbs_error error;		  /* what stopped it; code RBS_OK: nothing */

	/* Of the trace and stream that are being written. */
	bool wanted;
	int folder, file; /* -1: not made yet */
	char *name, *place;
	void *metadata;
	size_t metadata_length;
};

struct rbs_extract_options {
	bool partial, consumed; /* as in struct rbs_packet_sink */
	const char *sessions;
};

/* path: a folder to make, or one that is empty. On success the caller deinits *extraction. */
enum rbs_code rbs_extraction_init(struct rbs_extraction *extraction, const char *path,
				  const struct rbs_extract_options *options, struct rbs_error *err);
void rbs_extraction_deinit(struct rbs_extraction *extraction);

/*
 * Run the probes of show->families (none: all that have packets) with the extraction as their sink.
 * *report is the caller's to destroy: what could not be read is in its problems.
 */
enum rbs_code rbs_extraction_run(struct rbs_extraction *extraction, struct rbs_dump *dump,
				 const struct rbs_show_options *show, struct rbs_report **report,
				 struct rbs_error *err);

#endif
