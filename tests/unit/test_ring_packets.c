/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which packets of a ring are given, and which are not: rings written by hand, and damaged. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fake_target.h"
#include "lib/ring_packets.h"

#define SIZE 4096u
#define NUMBER 4u
#define HEADER 84u

/* A ring of four sub-buffers of a page each. */
static struct ring {
	struct rbs_ring_source base;
	uint8_t memory[NUMBER][SIZE], taken[SIZE];	 /* taken: the reader's own */
	uint64_t cc[NUMBER], cc_sb[NUMBER], seq[NUMBER]; /* of the latest pass */
	enum rbs_code counters[NUMBER], bytes[NUMBER];	 /* how reading them ends */
	struct rbs_value last, lost, data;
} ring;

/* What the sink was told, a line each. */
static struct log {
	struct rbs_packet_sink base;
	char text[2048];
	uint8_t packet[SIZE]; /* the last one */
} told;

static void put(uint8_t *at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		at[ring.base.frame.big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* Counters are of all passes, those of the test of the latest one. */
static struct rbs_value counter(uint64_t start, uint64_t bytes, enum rbs_code code)
{
	struct rbs_value value = rbs_value_of(start / (NUMBER * SIZE) * SIZE + bytes);

	value.code = code;
	return value;
}

static void load(struct rbs_ring_source *base, uint64_t index, struct rbs_subbuf *subbuf)
{
	*subbuf = (struct rbs_subbuf){.index = index};
	rbs_subbuf_settle(&base->ring, subbuf);
	subbuf->cc = counter(subbuf->start, ring.cc[index], ring.counters[index]);
	subbuf->cc_sb = counter(subbuf->start, ring.cc_sb[index], ring.counters[index]);
	subbuf->seq = counter(subbuf->start, ring.seq[index], RBS_OK);
	rbs_subbuf_settle(&base->ring, subbuf);
}

static enum rbs_code read_bytes(struct rbs_ring_source *base, const struct rbs_subbuf *subbuf,
				void *bytes, uint64_t length, struct rbs_error *err)
{
	if (ring.bytes[subbuf->index] != RBS_OK)
		return rbs_error_set(err, ring.bytes[subbuf->index], "no such page");
	if (base->ring.overwrite && subbuf->held)
		memcpy(bytes, ring.taken, length);
	else
		memcpy(bytes, ring.memory[subbuf->index], length);
	return RBS_OK;
}

static struct rbs_value last_timestamp(struct rbs_ring_source *base)
{
	(void)base;
	return ring.last;
}

static struct rbs_value lost(struct rbs_ring_source *base)
{
	(void)base;
	return ring.lost;
}

static struct rbs_value data_size(struct rbs_ring_source *base, const struct rbs_subbuf *subbuf)
{
	(void)base;
	(void)subbuf;
	return ring.data;
}

static const struct rbs_ring_source_ops ops = {
	.load = load,
	.read = read_bytes,
	.data_size = data_size,
	.last_timestamp = last_timestamp,
	.lost = lost,
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	size_t used = strlen(told.text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(told.text + used, sizeof(told.text) - used, format, arguments);
	va_end(arguments);
}

static uint64_t field(unsigned at, unsigned size)
{
	return rbs_ctf_field_get(&ring.base.frame, (struct rbs_ctf_field){at, size}, told.packet);
}

static void stream_begin(struct rbs_packet_sink *sink, const struct rbs_packet_stream *stream)
{
	(void)sink;
	cr_expect_str_eq(stream->channel, "channel5");
}

static void packet(struct rbs_packet_sink *sink, const struct rbs_packet *given)
{
	(void)sink;
	cr_assert_leq(given->length, SIZE);
	memcpy(told.packet, given->bytes, given->length);
	if (given->partial)
		say("part%d %d+%d end%d lost%d\n", (int)field(64, 8), (int)field(48, 8) / 8,
		    (int)given->cut, (int)field(40, 8), (int)field(72, 8));
	else
		say("whole%d\n", (int)field(64, 8));
}

static void skip(struct rbs_packet_sink *sink, uint64_t subbuf, const struct rbs_error *why)
{
	(void)sink;
	say("skip%d %s\n", (int)subbuf, rbs_code_name(why->code));
}

static void leave(struct rbs_packet_sink *sink, uint64_t subbuf)
{
	(void)sink;
	say("open%d\n", (int)subbuf);
}

static const struct rbs_packet_sink_ops sink_ops = {
	.stream_begin = stream_begin, .packet = packet, .skip = skip, .leave = leave};

/* Packet number n, closed, of 1000 bytes, from 100 n to 100 n + 100; n events were lost. */
static void packet_put(uint64_t number)
{
	uint8_t *at = ring.memory[number % NUMBER];

	memset(at, 0, SIZE);
	put(at, 4, 0xC1FC1FC1);
	put(at + 20, 4, 5);
	put(at + 32, 8, 100 * number);
	put(at + 40, 8, 100 * number + 100);
	put(at + 48, 8, 8000);
	put(at + 56, 8, 32768);
	put(at + 64, 8, number);
	put(at + 72, 8, number);
	put(at + 80, 4, 3);
	ring.cc[number % NUMBER] = ring.cc_sb[number % NUMBER] = ring.seq[number % NUMBER] = SIZE;
}

/* The same, as long as it is open. */
static void packet_open(uint64_t number, uint64_t committed, uint64_t in_order)
{
	uint8_t *at = ring.memory[number % NUMBER];

	packet_put(number);
	put(at + 40, 8, 0);
	put(at + 48, 8, UINT64_MAX);
	put(at + 56, 8, UINT64_MAX);
	put(at + 72, 8, 0);
	ring.cc[number % NUMBER] = committed;
	ring.cc_sb[number % NUMBER] = 0;
	ring.seq[number % NUMBER] = in_order;
}

static void init(bool big_endian, unsigned bits)
{
	if (ring.base.target)
		rbs_target_destroy(ring.base.target);
	memset(&ring, 0, sizeof(ring));
	memset(&told, 0, sizeof(told));
	ring.base.ops = &ops;
	ring.base.target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	rbs_subbuf_geometry_set(&ring.base.ring.geometry, SIZE, NUMBER, bits);
	ring.base.frame = (struct rbs_ctf_frame){
		.header = {.magic = {0, 4},
			   .uuid = {4, 16},
			   .stream = {20, 4},
			   .begin = {32, 8},
			   .end = {40, 8},
			   .content = {48, 8},
			   .packet = {56, 8},
			   .seq = {64, 8},
			   .discarded = {72, 8},
			   .cpu = {80, 4}},
		.big_endian = big_endian,
		.subbuf_size = SIZE,
		.alignment = SIZE,
		.has_stream = true,
		.has_cpu = true,
		.stream = 5,
		.cpu = 3,
	};
	ring.lost = rbs_value_of(77);
	ring.last = rbs_value_of(5000);
	ring.data = rbs_value_of(1000);
	told.base.ops = &sink_ops;
}

/* Packets 5 to 7 are whole, 8 is being written: 500 bytes of it. 4 and 5 were read. */
static void start(void)
{
	init(false, 64);
	for (uint64_t i = 5; i < 8; i++)
		packet_put(i);
	packet_open(8, 500, 500);
	ring.base.ring.offset = 8 * SIZE + 500;
	ring.base.ring.consumed = 6 * SIZE;
}

static void stop(void)
{
	rbs_target_destroy(ring.base.target);
	ring.base.target = NULL;
}

static void expect(const char *wanted)
{
	const struct rbs_packet_stream stream = {.channel = "channel5", .cpu = 3};

	told.text[0] = '\0';
	rbs_ring_packets_give(&ring.base, &stream, &told.base);
	cr_expect_str_eq(told.text, wanted);
}

TestSuite(ring_packets, .init = start, .fini = stop);

Test(ring_packets, what_was_asked_for)
{
	expect("whole6\nwhole7\nopen0\n");
	told.base.partial = true;
	expect("whole6\nwhole7\npart8 500+0 end5000 lost77\n");
	told.base.consumed = true;
	expect("whole5\nwhole6\nwhole7\npart8 500+0 end5000 lost77\n");
	told.base.stopped = true;
	expect("");
}

/* The offset at a sub-buffer's end: the newest pass is the one before it. */
Test(ring_packets, at_the_end_of_a_subbuffer)
{
	packet_put(8);
	ring.base.ring.offset = 9 * SIZE;
	expect("whole6\nwhole7\nwhole8\n");
	ring.base.ring.consumed = 9 * SIZE;
	expect("");
	told.base.consumed = true;
	expect("whole5\nwhole6\nwhole7\nwhole8\n");
}

/* A reader holds the oldest that is not given back yet. */
Test(ring_packets, held)
{
	ring.base.ring.reading = true;
	ring.base.ring.get_consumed = 5 * SIZE;
	expect("whole5\nwhole6\nwhole7\nopen0\n");
}

/* It took it out of an overwrite ring, which has since come round to its place. */
Test(ring_packets, held_out_of_the_ring)
{
	packet_put(3);
	memcpy(ring.taken, ring.memory[3], SIZE);
	packet_put(7);
	ring.base.ring.overwrite = true;
	ring.base.ring.get_consumed = 3 * SIZE;
	/* Unless none holds it any more. */
	expect("whole6\nwhole7\nopen0\n");
	ring.base.ring.reading = true;
	expect("whole3\nwhole6\nwhole7\nopen0\n");
	/* The mark is wrong: what the reader has is no packet of that place. */
	ring.base.ring.get_consumed = 2 * SIZE;
	expect("skip2 corrupt\nwhole6\nwhole7\nopen0\n");
	/* It cannot be ahead of the writer. */
	ring.base.ring.get_consumed = UINT64_C(1) << 62;
	expect("whole6\nwhole7\nopen0\n");
	/* Whether a reader holds something is not known. */
	ring.base.ring.get_consumed = 3 * SIZE;
	ring.base.ring.reading_code = RBS_EXCLUDED;
	expect("whole6\nwhole7\nopen0\n");
}

/* A record of 6 was never committed: 700 bytes before it were, and some behind it. */
Test(ring_packets, hole)
{
	packet_open(6, 3900, 700);
	expect("skip2 torn\nwhole7\nopen0\n");
	/* It ends when the next begins, and knows of losses what the one before said. */
	told.base.partial = true;
	expect("part6 700+3396 end700 lost5\nwhole7\npart8 500+0 end5000 lost77\n");
	/* What is beside it cannot be read: the one after. */
	ring.bytes[1] = ring.bytes[3] = RBS_EXCLUDED;
	expect("part6 700+3396 end800 lost0\nskip3 excluded\npart8 500+0 end5000 lost77\n");
	/* Not even the header, or the count is of the pass before. */
	packet_open(6, 3900, HEADER - 1);
	expect("skip2 torn\nskip3 excluded\npart8 500+0 end5000 lost77\n");
}

/* In the one that is being written. */
Test(ring_packets, hole_in_the_newest)
{
	packet_open(8, 450, 200);
	told.base.partial = true;
	expect("whole6\nwhole7\npart8 200+300 end5000 lost77\n");
	/* All was committed, if not in order. */
	packet_open(8, 500, 200);
	expect("whole6\nwhole7\npart8 500+0 end5000 lost77\n");
}

Test(ring_packets, opened_without_an_event)
{
	packet_open(8, HEADER, HEADER);
	ring.base.ring.offset = 8 * SIZE + HEADER;
	told.base.partial = true;
	expect("whole6\nwhole7\npart8 84+0 end5000 lost77\n");
	ring.lost = rbs_value_of(0);
	expect("whole6\nwhole7\n");
}

Test(ring_packets, not_known)
{
	ring.lost = rbs_value_absent(RBS_NO_TYPES);
	ring.last = rbs_value_absent(RBS_EXCLUDED);
	told.base.partial = true;
	/* No end before the beginning, no count less than that of the packet before. */
	expect("whole6\nwhole7\npart8 500+0 end800 lost7\n");
}

Test(ring_packets, counters)
{
	ring.counters[2] = RBS_EXCLUDED;
	ring.cc[3] = SIZE + 1;
	ring.cc[0] = 501;
	told.base.partial = true;
	expect("skip2 excluded\nskip3 torn\nskip0 torn\n");
	start();
	ring.cc[2] = SIZE - 1;
	expect("skip2 torn\nwhole7\nopen0\n");
}

Test(ring_packets, damaged_headers)
{
	put(ring.memory[2] + 64, 8, 2); /* the packet of the pass before */
	put(ring.memory[3], 4, 0);
	put(ring.memory[0] + 64, 8, 12);
	told.base.partial = true;
	expect("skip2 corrupt\nskip3 corrupt\nskip0 corrupt\n");
	start();
	put(ring.memory[3] + 32, 8, 699); /* before 6 ended */
	expect("whole6\nskip3 corrupt\nopen0\n");
	start();
	ring.data = rbs_value_of(999);
	expect("skip2 corrupt\nskip3 corrupt\nopen0\n");
	/* Of what was read already nobody expects anything. */
	start();
	told.base.consumed = true;
	memset(ring.memory[1], 0, SIZE);
	expect("whole6\nwhole7\nopen0\n");
}

Test(ring_packets, other_byte_order)
{
	init(true, 64);
	packet_put(0);
	packet_open(1, 300, 300);
	ring.base.ring.offset = SIZE + 300;
	told.base.partial = true;
	expect("whole0\npart1 300+0 end5000 lost77\n");
}

/* Positions of 32 bits have come round to 0; the packets' numbers have not. */
Test(ring_packets, positions_come_round)
{
	const uint64_t lap = (UINT64_C(1) << 32) / SIZE;

	init(false, 32);
	packet_put(lap - 2);
	packet_put(lap - 1);
	packet_open(lap, 300, 300);
	ring.base.ring.offset = 300;
	ring.base.ring.consumed = (uint32_t)(0 - 2 * SIZE);
	ring.base.timestamp_shift = 27;
	ring.last = rbs_value_of(0);
	expect("whole1048574\nwhole1048575\nopen0\n");
	told.base.partial = true;
	/* The lowest 27 bits of its time are not known: it is no later than this. */
	expect("whole1048574\nwhole1048575\npart1048576 300+0 end134217727 lost77\n");
}

Test(ring_packets, rings_that_cannot_be)
{
	ring.base.frame.header.content.size = 4;
	expect("skip0 no-types\n");
	start();
	rbs_subbuf_geometry_set(&ring.base.ring.geometry, UINT64_C(1) << 40, 2, 64);
	expect("skip0 limit\n");
	start();
	fake_target_interrupt(ring.base.target, true);
	expect("");
}
