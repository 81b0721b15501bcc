/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lttng_image - a machine whose LTTng has two sessions with a channel each, laid out as no release
 * ever was: the offsets are the image's own.
 */
#ifndef LTTNG_IMAGE_H
#define LTTNG_IMAGE_H

#include "fake_target.h"
#include "lib/probe.h"

#define IMAGE_SESSIONS UINT64_C(0xc0001000) /* the list's head */
#define IMAGE_GROUPS UINT64_C(0xc0001100)   /* the list of event notifiers' groups: empty */
#define IMAGE_GROUP UINT64_C(0xc0001200)
#define IMAGE_FIRST UINT64_C(0xc0010000) /* session "first", its channel and buffer */
#define IMAGE_SECOND UINT64_C(0xc0020000)

/* From a session's address. */
#define IMAGE_LIST 0x28
#define IMAGE_CHANNELS 0x08
#define IMAGE_CHANNEL 0x1000 /* struct lttng_channel: list at 8 */
#define IMAGE_RING 0x2000
#define IMAGE_BUFFER 0x3000
#define IMAGE_HOT 0x4000    /* 16 bytes a sub-buffer: cc, seq */
#define IMAGE_COLD 0x4800   /* 8 bytes: cc_sb */
#define IMAGE_COUNTS 0x5000 /* 8 bytes: packets */
#define IMAGE_WSB 0x5400    /* 8 bytes: which memory it has */
#define IMAGE_ARRAY 0x5500  /* a pointer: pages of a memory, one more than sub-buffers */
#define IMAGE_PAGES                                                                                \
	0x5600 /* data_size (100 + index), and a page's address with packet 40 + index */
#define IMAGE_PAGES_STEP 0x20

/* From a ring's and a buffer's address. */
#define IMAGE_RING_NUM 0x28
#define IMAGE_RING_MODE 0x3c
#define IMAGE_BUFFER_OFFSET 0x00
#define IMAGE_BUFFER_CONSUMED 0x10
#define IMAGE_BUFFER_DISABLED 0x18
#define IMAGE_BUFFER_CHAN 0x30
#define IMAGE_BUFFER_LOST 0x50
#define IMAGE_BUFFER_READER 0x60 /* which memory the reader has */
#define IMAGE_BUFFER_HELD 0x70
#define IMAGE_BUFFER_HELD_AT 0x78
#define IMAGE_GROUP_RING 0x10 /* of a group */

#define IMAGE_SUBBUF_SIZE 0x1000u
#define IMAGE_NUM_SUBBUF 4u

struct lttng_image {
	struct rbs_dump dump;
	struct rbs_report *report;
	struct rbs_section *section;
	unsigned word; /* bytes */
	void *types, *tables;
	struct lttng_image_guess *guesses;
	struct rbs_error error;
};

/* A layout of the image that is right but for one member; moved NULL: for none. */
struct lttng_image_wrong {
	const char *version, *moved;
	uint64_t by;
};

/*
 * Take the types away, and have them assumed: by tables of these versions (the modules' own is
 * 2.8.1), at most four.
 */
void lttng_image_assume(struct lttng_image *image, const struct lttng_image_wrong *wrongs,
			size_t count);

/* Both sessions discard, their buffers are empty and global. */
void lttng_image_init(struct lttng_image *image, enum rbs_byte_order order, unsigned word_size);
void lttng_image_deinit(struct lttng_image *image);

/* A long of the machine. */
void lttng_image_put(struct lttng_image *image, uint64_t address, uint64_t value);

/* Positions of a session's buffer; what was committed to a sub-buffer, and is visible. */
void lttng_image_positions(struct lttng_image *image, uint64_t session, uint64_t offset,
			   uint64_t consumed);
void lttng_image_committed(struct lttng_image *image, uint64_t session, unsigned subbuf,
			   uint64_t cc, uint64_t cc_sb);

/* Make the session's buffer an overwrite ring, of which a reader holds what was at that position.
 */
void lttng_image_reader(struct lttng_image *image, uint64_t session, uint64_t consumed);

/* The only group of event notifiers, with this ring. */
void lttng_image_group(struct lttng_image *image, uint64_t ring);

/* Run the lttng probe, verbosely; *absent: what it says of the tracer. */
enum rbs_code lttng_image_run(struct lttng_image *image);
enum rbs_code lttng_image_ask(struct lttng_image *image, bool *absent);

/* What the report has at a path below the section: NULL when there is no such node. */
const struct rbs_node *lttng_image_node(const struct lttng_image *image, const char *session,
					const char *ring, const char *slot);

#endif
