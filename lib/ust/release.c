/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in struct lttng_ust_ring_buffer that the crash ABI does not tell: measured by compiling
 * frontend_types.h of each release (2.7.0 to 2.16.0-rc1) for 64 and 32 bits. The structure holds
 * only words, pointers' worth of shm references (two words) and ints, so that the word size decides
 * and the architecture does not; its start is aligned to 32 bytes behind the ABI's 124.
 *
 *   2.8   "Generate and export the sequence number": buf_cnt
 *   2.11  "Fix: timestamp_end field should include all events within sub-buffer": ts_end, before
 *         active_readers
 *   2.15  "ring buffer: move ts_end to backend_pages"; the ABI's major is 1
 *
 * A release is taken when what it says of places which the ABI tells too agrees with the ABI.
 */
#include "lib/ust/ust.h"

static const struct rbs_ust_release releases[] = {
	{.name = "2.7",
	 .major = 0,
	 .word_size = 8,
	 .commit_hot = 136,
	 .record_disabled = 160,
	 .last_timestamp = 168,
	 .buf_wsb = 176,
	 .buf_rsb = 192,
	 .array = 200,
	 .cpu = 248,
	 .commit_cold = 336,
	 .active_readers = 352,
	 .lost_full = 360,
	 .lost_wrap = 368,
	 .lost_big = 376,
	 .count = 384,
	 .overrun = 392,
	 .finalized = 400,
	 .get_subbuf_consumed = 408,
	 .prod_snapshot = 416,
	 .cons_snapshot = 424,
	 .get_subbuf = 432,
	 .self = 440},
	{.name = "2.7",
	 .major = 0,
	 .word_size = 4,
	 .commit_hot = 132,
	 .record_disabled = 144,
	 .last_timestamp = 148,
	 .buf_wsb = 152,
	 .buf_rsb = 160,
	 .array = 164,
	 .cpu = 188,
	 .commit_cold = 264,
	 .active_readers = 272,
	 .lost_full = 276,
	 .lost_wrap = 280,
	 .lost_big = 284,
	 .count = 288,
	 .overrun = 292,
	 .finalized = 296,
	 .get_subbuf_consumed = 300,
	 .prod_snapshot = 304,
	 .cons_snapshot = 308,
	 .get_subbuf = 312,
	 .self = 316},
	{.name = "2.8 to 2.10",
	 .major = 0,
	 .word_size = 8,
	 .commit_hot = 136,
	 .record_disabled = 160,
	 .last_timestamp = 168,
	 .buf_wsb = 176,
	 .buf_rsb = 192,
	 .buf_cnt = 200,
	 .array = 216,
	 .cpu = 264,
	 .commit_cold = 352,
	 .active_readers = 368,
	 .lost_full = 376,
	 .lost_wrap = 384,
	 .lost_big = 392,
	 .count = 400,
	 .overrun = 408,
	 .finalized = 416,
	 .get_subbuf_consumed = 424,
	 .prod_snapshot = 432,
	 .cons_snapshot = 440,
	 .get_subbuf = 448,
	 .self = 456},
	{.name = "2.8 to 2.10",
	 .major = 0,
	 .word_size = 4,
	 .commit_hot = 132,
	 .record_disabled = 144,
	 .last_timestamp = 148,
	 .buf_wsb = 152,
	 .buf_rsb = 160,
	 .buf_cnt = 164,
	 .array = 172,
	 .cpu = 196,
	 .commit_cold = 272,
	 .active_readers = 280,
	 .lost_full = 284,
	 .lost_wrap = 288,
	 .lost_big = 292,
	 .count = 296,
	 .overrun = 300,
	 .finalized = 304,
	 .get_subbuf_consumed = 308,
	 .prod_snapshot = 312,
	 .cons_snapshot = 316,
	 .get_subbuf = 320,
	 .self = 324},
	{.name = "2.11 to 2.14",
	 .major = 0,
	 .word_size = 8,
	 .commit_hot = 136,
	 .record_disabled = 160,
	 .last_timestamp = 168,
	 .buf_wsb = 176,
	 .buf_rsb = 192,
	 .buf_cnt = 200,
	 .array = 216,
	 .cpu = 264,
	 .commit_cold = 352,
	 .active_readers = 384,
	 .lost_full = 392,
	 .lost_wrap = 400,
	 .lost_big = 408,
	 .count = 416,
	 .overrun = 424,
	 .finalized = 432,
	 .get_subbuf_consumed = 440,
	 .prod_snapshot = 448,
	 .cons_snapshot = 456,
	 .get_subbuf = 464,
	 .self = 472},
	{.name = "2.11 to 2.14",
	 .major = 0,
	 .word_size = 4,
	 .commit_hot = 132,
	 .record_disabled = 144,
	 .last_timestamp = 148,
	 .buf_wsb = 152,
	 .buf_rsb = 160,
	 .buf_cnt = 164,
	 .array = 172,
	 .cpu = 196,
	 .commit_cold = 272,
	 .active_readers = 288,
	 .lost_full = 292,
	 .lost_wrap = 296,
	 .lost_big = 300,
	 .count = 304,
	 .overrun = 308,
	 .finalized = 312,
	 .get_subbuf_consumed = 316,
	 .prod_snapshot = 320,
	 .cons_snapshot = 324,
	 .get_subbuf = 328,
	 .self = 332},
	{.name = "2.15 and 2.16",
	 .major = 1,
	 .word_size = 8,
	 .commit_hot = 136,
	 .record_disabled = 160,
	 .last_timestamp = 168,
	 .buf_wsb = 176,
	 .buf_rsb = 192,
	 .buf_cnt = 200,
	 .array = 216,
	 .cpu = 264,
	 .commit_cold = 352,
	 .active_readers = 368,
	 .lost_full = 376,
	 .lost_wrap = 384,
	 .lost_big = 392,
	 .count = 400,
	 .overrun = 408,
	 .finalized = 416,
	 .get_subbuf_consumed = 424,
	 .prod_snapshot = 432,
	 .cons_snapshot = 440,
	 .get_subbuf = 448,
	 .self = 456},
	{.name = "2.15 and 2.16",
	 .major = 1,
	 .word_size = 4,
	 .commit_hot = 132,
	 .record_disabled = 144,
	 .last_timestamp = 148,
	 .buf_wsb = 152,
	 .buf_rsb = 160,
	 .buf_cnt = 164,
	 .array = 172,
	 .cpu = 196,
	 .commit_cold = 272,
	 .active_readers = 280,
	 .lost_full = 284,
	 .lost_wrap = 288,
	 .lost_big = 292,
	 .count = 296,
	 .overrun = 300,
	 .finalized = 304,
	 .get_subbuf_consumed = 308,
	 .prod_snapshot = 312,
	 .cons_snapshot = 316,
	 .get_subbuf = 320,
	 .self = 328},
};

/* A reference into shared memory (struct shm_ref): the file's number, and the place in it. */
struct reference {
	struct rbs_value file, offset;
};

static struct reference reference_read(const struct rbs_ust *ust,
				       const struct rbs_ust_object *object, uint64_t at)
{
	uint8_t word = object->abi.word_size;

	return (struct reference){.file = rbs_ust_number(ust, object, at, word),
				  .offset = rbs_ust_number(ust, object, at + word, word)};
}

static bool refers_to(const struct reference *reference, const struct reference *like,
		      uint64_t offset)
{
	return rbs_value_ok(&reference->file) && rbs_value_ok(&reference->offset) &&
	       rbs_value_ok(&like->file) && reference->file.number == like->file.number &&
	       reference->offset.number == offset;
}

/*
 * The ABI tells where three of the tables are; the reference to itself, which lies behind all that
 * moved between releases, and the table of cold counters, which follows the hot ones, settle it.
 */
static bool release_fits(const struct rbs_ust *ust, const struct rbs_ust_object *object,
			 const struct rbs_ust_release *release)
{
	const struct rbs_ust_abi *abi = &object->abi;
	struct reference hot = reference_read(ust, object, release->commit_hot);
	struct reference wsb = reference_read(ust, object, release->buf_wsb);
	struct reference array = reference_read(ust, object, release->array);
	struct reference cold = reference_read(ust, object, release->commit_cold);
	struct reference self = reference_read(ust, object, release->self);

	return release->major == abi->major && release->word_size == abi->word_size &&
	       refers_to(&hot, &hot, abi->commit_hot_array) &&
	       refers_to(&wsb, &hot, abi->wsb_array) && refers_to(&array, &hot, abi->sb_array) &&
	       refers_to(&self, &hot, 0) && rbs_value_ok(&cold.file) &&
	       cold.file.number == hot.file.number && rbs_value_ok(&cold.offset) &&
	       cold.offset.number > abi->commit_hot_array && cold.offset.number < abi->mmap_length;
}

void rbs_ust_release_choose(const struct rbs_ust *ust, struct rbs_ust_object *object)
{
	object->release = NULL;
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		if (!release_fits(ust, object, &releases[i]))
			continue;
		object->release = &releases[i];
		return;
	}
}
