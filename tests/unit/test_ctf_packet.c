/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packet headers as clients write them, and as no client would. */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/ctf_packet.h"

/* struct packet_header of a 64-bit LTTng, written out by hand. */
static const struct rbs_ctf_header fields = {
	.magic = {0, 4},
	.uuid = {4, 16},
	.stream = {20, 4},
	.begin = {32, 8},
	.end = {40, 8},
	.content = {48, 8},
	.packet = {56, 8},
	.seq = {64, 8},
	.discarded = {72, 8},
	.cpu = {80, 4},
};

static struct rbs_ctf_frame frame;
static uint8_t header[4096];

static void put(unsigned at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		header[frame.big_endian ? at + size - 1 - i : at + i] = (uint8_t)(value >> 8 * i);
}

/* A packet of 1000 bytes in 4096, on CPU 3, of stream 5. */
static void fill(bool big_endian)
{
	frame = (struct rbs_ctf_frame){
		.header = fields,
		.big_endian = big_endian,
		.subbuf_size = 4096,
		.alignment = 4096,
		.has_uuid = true,
		.has_stream = true,
		.has_cpu = true,
		.stream = 5,
		.cpu = 3,
	};
	memset(header, 0, sizeof(header));
	memset(frame.uuid, 0xab, sizeof(frame.uuid));
	memset(header + 4, 0xab, 16);
	put(0, 4, 0xC1FC1FC1);
	put(20, 4, 5);
	put(32, 8, 1000);
	put(40, 8, 2000);
	put(48, 8, 8000);
	put(56, 8, 32768);
	put(80, 4, 3);
}

static void start(void)
{
	fill(false);
}

static enum rbs_code check(void)
{
	uint64_t content, packet;

	return rbs_ctf_packet_check(&frame, header, &content, &packet, NULL);
}

TestSuite(ctf_packet, .init = start);

Test(ctf_packet, sound)
{
	uint64_t content, packet;

	cr_assert(rbs_ctf_header_valid(&fields));
	cr_expect_eq(rbs_ctf_header_size(&fields), 84);
	for (int big = 0; big < 2; big++) {
		fill(big);
		cr_assert_eq(rbs_ctf_packet_check(&frame, header, &content, &packet, NULL), RBS_OK);
		cr_expect_eq(content, 1000);
		cr_expect_eq(packet, 4096);
	}
}

/* The largest that can be: all of the sub-buffer. The smallest: nothing but the header. */
Test(ctf_packet, limits)
{
	put(48, 8, 32768);
	cr_expect_eq(check(), RBS_OK);
	put(48, 8, 84 * 8);
	put(56, 8, 84 * 8);
	cr_expect_eq(check(), RBS_OK);
	put(40, 8, 1000);
	cr_expect_eq(check(), RBS_OK);
}

Test(ctf_packet, sizes_that_cannot_be)
{
	static const uint64_t sizes[][2] = {
		{32776, 32776},			  /* more than the sub-buffer */
		{32768, 32760},			  /* content larger than the packet */
		{8001, 32768},			  /* no whole bytes */
		{8000, 32767},			  /* no whole bytes */
		{83 * 8, 32768},		  /* ends inside of the header */
		{0, 0},				  /* nothing */
		{UINT64_MAX - 7, UINT64_MAX - 7}, /* huge */
		{8000, UINT64_MAX},		  /* only one of the two was written */
		{INT64_MIN, INT64_MIN},		  /* negative */
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		put(48, 8, sizes[i][0]);
		put(56, 8, sizes[i][1]);
		cr_expect_eq(check(), RBS_CORRUPT, "%zu", i);
	}
	put(48, 8, UINT64_MAX);
	cr_expect_eq(check(), RBS_TORN);
}

Test(ctf_packet, of_another_trace)
{
	static const unsigned places[] = {0, 4, 19, 20, 80};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		start();
		header[places[i]] ^= 1;
		cr_expect_eq(check(), RBS_CORRUPT, "byte %u", places[i]);
		cr_expect_eq(rbs_ctf_packet_check_open(&frame, header, NULL), RBS_CORRUPT);
	}
	/* What is not known is not compared. */
	start();
	header[4] ^= 1;
	header[20] ^= 1;
	header[80] ^= 1;
	frame.has_uuid = frame.has_stream = frame.has_cpu = false;
	cr_expect_eq(check(), RBS_OK);
	/* Written by a machine of the other byte order. */
	frame.big_endian = true;
	cr_expect_eq(check(), RBS_CORRUPT);
}

Test(ctf_packet, ends_before_it_begins)
{
	put(40, 8, 999);
	cr_expect_eq(check(), RBS_CORRUPT);
	/* Of one that is open, the end is not looked at. */
	cr_expect_eq(rbs_ctf_packet_check_open(&frame, header, NULL), RBS_OK);
}

Test(ctf_packet, close)
{
	for (int big = 0; big < 2; big++) {
		uint64_t content, packet;

		fill(big);
		frame.subbuf_size = 16384;
		put(48, 8, UINT64_MAX);
		put(56, 8, UINT64_MAX);
		put(40, 8, 0);
		cr_expect_eq(rbs_ctf_packet_close(&frame, header, 4097, 1234, 77), 8192);
		cr_assert_eq(rbs_ctf_packet_check(&frame, header, &content, &packet, NULL), RBS_OK);
		cr_expect_eq(content, 4097);
		cr_expect_eq(packet, 8192);
		cr_expect_eq(rbs_ctf_field_get(&frame, fields.end, header), 1234);
		cr_expect_eq(rbs_ctf_field_get(&frame, fields.discarded, header), 77);
		cr_expect_eq(rbs_ctf_field_get(&frame, fields.begin, header), 1000);
	}
}

/* Never filled up beyond the sub-buffer, also where a page is larger than that. */
Test(ctf_packet, close_at_the_end)
{
	cr_expect_eq(rbs_ctf_packet_close(&frame, header, 4096, 2000, 0), 4096);
	frame.alignment = 65536;
	cr_expect_eq(rbs_ctf_packet_close(&frame, header, 4000, 2000, 0), 4000);
	cr_expect_eq(check(), RBS_OK);
}

/* 32-bit clients: the count of lost events is a long. */
Test(ctf_packet, close_keeps_to_its_field)
{
	frame.header.discarded.size = 4;
	frame.header.cpu.offset = 76;
	put(76, 4, 3);
	rbs_ctf_packet_close(&frame, header, 1000, 2000, UINT64_C(0x100000007));
	cr_expect_eq(rbs_ctf_field_get(&frame, frame.header.discarded, header), 7);
	cr_expect_eq(check(), RBS_OK);
}

Test(ctf_packet, layouts_that_cannot_be)
{
	struct rbs_ctf_header odd = fields;

	odd.content.size = 0;
	cr_expect_not(rbs_ctf_header_valid(&odd));
	odd = fields;
	odd.seq.size = 3;
	cr_expect_not(rbs_ctf_header_valid(&odd));
	odd = fields;
	odd.uuid.size = 8;
	cr_expect_not(rbs_ctf_header_valid(&odd));
	odd = fields;
	odd.cpu.offset = UINT32_MAX - 2;
	cr_expect_not(rbs_ctf_header_valid(&odd));
	odd = fields;
	odd.discarded.size = 16;
	cr_expect_not(rbs_ctf_header_valid(&odd));
	odd = fields;
	odd.cpu.size = odd.uuid.size = odd.stream.size = odd.seq.size = odd.discarded.size = 0;
	cr_expect(rbs_ctf_header_valid(&odd));
	cr_expect_eq(rbs_ctf_header_size(&odd), 64);
}
