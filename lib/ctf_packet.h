/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ctf_packet - the header of a CTF packet as LTTng's ring buffer clients write it: whether one can
 * be what it says, and completing that of a packet that was never closed.
 *
 * Common Trace Format 1.8, 4.1.2 (magic, UUID, stream_id) and 4.2 (sizes are in bits, content_size
 * without padding). The fields are those of struct packet_header (lttng-modules
 * lttng-ring-buffer-client.h, lttng-ust lttng-ring-buffer-client-template.h). A client fills in
 * timestamp_end, content_size, packet_size and events_discarded when the sub-buffer is delivered.
 */
#ifndef RBS_CTF_PACKET_H
#define RBS_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ctf_metadata.h"
#include "lib/error.h"

#define RBS_CTF_MAGIC 0xC1FC1FC1u
/* Farther out than any client's header reaches. */
#define RBS_CTF_HEADER_LIMIT 1024

/* Bytes from the packet's start; size 0: the header has no such field. */
struct rbs_ctf_field {
	uint32_t offset, size;
};

struct rbs_ctf_header {
	struct rbs_ctf_field magic, uuid, stream, begin, end, content, packet, seq, discarded, cpu;
};

/* What a packet must agree with. */
struct rbs_ctf_frame {
	struct rbs_ctf_header header;
	bool big_endian;
	uint64_t subbuf_size; /* bytes */
	uint64_t alignment;   /* bytes that a packet is filled up to: the tracer's page */
	bool has_uuid, has_stream, has_cpu;
	uint8_t uuid[RBS_CTF_UUID_SIZE];
	uint64_t stream, cpu;
};

/* Whether all fields that are needed are there and small enough; else no packet can be judged. */
bool rbs_ctf_header_valid(const struct rbs_ctf_header *header);

/* Bytes from the packet's start to the end of its header: so many the calls below need. */
size_t rbs_ctf_header_size(const struct rbs_ctf_header *header);

/*
 * A packet that was closed. packet_size and content_size get bytes, both at most the sub-buffer's.
 * RBS_CORRUPT, and which field cannot be, when it is none of this trace's packets.
 */
enum rbs_code rbs_ctf_packet_check(const struct rbs_ctf_frame *frame, const void *header,
				   uint64_t *content_size, uint64_t *packet_size,
				   struct rbs_error *err);

/* A packet that is still open: what its client wrote at the start. */
enum rbs_code rbs_ctf_packet_check_open(const struct rbs_ctf_frame *frame, const void *header,
					struct rbs_error *err);

/*
 * Complete the header of a copy of a packet whose first content bytes hold, as its client would
 * have done now. Returns the packet's size in bytes, content filled up to the alignment: the caller
 * clears what follows the content.
 */
uint64_t rbs_ctf_packet_close(const struct rbs_ctf_frame *frame, void *packet, uint64_t content,
			      uint64_t timestamp_end, uint64_t discarded);

/* A field of the header. */
uint64_t rbs_ctf_field_get(const struct rbs_ctf_frame *frame, struct rbs_ctf_field field,
			   const void *header);

#endif
