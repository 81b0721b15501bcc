// SPDX-License-Identifier: GPL-2.0-only
/*
 * RNDIS control messages of the network device: initialize, query, set. Word
 * numbers below are those of struct rndis_message (drivers/net/hyperv,
 * rndis_filter.c), whose fields are all 32 bits wide.
 */
#include "vmhost.h"

#define COMPLETION 0x80000000u
#define RNDIS_INITIALIZE 2u
#define RNDIS_QUERY 4u
#define RNDIS_SET 5u
#define STATUS_NOT_SUPPORTED 0xc00000bbu

#define OID_MAXIMUM_FRAME_SIZE 0x00010106u
#define OID_LINK_SPEED 0x00010107u
#define OID_MEDIA_CONNECT_STATUS 0x00010114u
#define OID_RECEIVE_SCALE_CAPABILITIES 0x00010203u
#define OID_PERMANENT_ADDRESS 0x01010101u
#define OID_OFFLOAD_CAPABILITIES 0xfc01020du

#define QUERY_HEADER_WORDS 6
#define ANSWER_WORDS 64

/* 1 Gbit/s, in units of 100 bit/s */
#define LINK_SPEED 10000000u

struct scale_capabilities {
	u8 type, revision;
	u16 size;
	u32 flags, messages, receive_queues;
	u16 table_entries;
} __packed;

struct offload_header {
	u8 type, revision;
	u16 size;
};

/* A host without any offload: zeros behind the header, in the size of NDIS 6.0. */
#define OFFLOAD_BYTES 112

static u32 scale(const struct vmhost_device *device, void *value)
{
	struct scale_capabilities *capabilities = value;

	capabilities->type = 0x88;
	capabilities->revision = 2;
	capabilities->size = sizeof(*capabilities);
	capabilities->receive_queues = device->sub_channels + 1;
	capabilities->table_entries = 128;
	return sizeof(*capabilities);
}

static u32 offload(void *value)
{
	struct offload_header *header = value;

	header->type = 0xa7;
	header->revision = 1;
	header->size = OFFLOAD_BYTES;
	return OFFLOAD_BYTES;
}

static u32 address(const struct vmhost_device *device, u8 *value)
{
	static const u8 microsoft[3] = { 0x00, 0x15, 0x5d };

	memcpy(value, microsoft, sizeof(microsoft));
	value[3] = 0x77;
	value[4] = 0x00;
	value[5] = device - vmhost_devices;
	return 6;
}

/* Writes the value of an OID; returns its length, 0 for one not known. */
static u32 query(const struct vmhost_device *device, u32 oid, void *value)
{
	switch (oid) {
	case OID_PERMANENT_ADDRESS:
		return address(device, value);
	case OID_MAXIMUM_FRAME_SIZE:
		*(u32 *)value = 1500;
		return 4;
	case OID_MEDIA_CONNECT_STATUS:
		*(u32 *)value = 0;
		return 4;
	case OID_LINK_SPEED:
		*(u32 *)value = LINK_SPEED;
		return 4;
	case OID_RECEIVE_SCALE_CAPABILITIES:
		return scale(device, value);
	case OID_OFFLOAD_CAPABILITIES:
		return offload(value);
	}
	return 0;
}

static u32 initialize(u32 *answer)
{
	answer[4] = 1;		/* version 1.0 */
	answer[6] = 1;		/* connectionless device */
	answer[8] = 8;		/* packets in one message */
	answer[9] = 0x4000;	/* bytes in one message */
	answer[10] = 3;		/* packets start at multiples of 8 bytes */
	return 13;
}

/*
 * Answers one control message; answer has room for at least ANSWER_WORDS
 * words, all zero. Returns the answer's bytes, 0 if none is due.
 */
u32 vmhost_rndis_answer(const struct vmhost_device *device, const u32 *request,
			u32 bytes, u32 *answer, u32 room)
{
	u32 value_bytes = 0, words;

	if (bytes < 16 || room < ANSWER_WORDS * sizeof(u32))
		return 0;
	answer[0] = request[0] | COMPLETION;
	answer[2] = request[2];		/* the request's number */
	switch (request[0]) {
	case RNDIS_INITIALIZE:
		words = initialize(answer);
		break;
	case RNDIS_QUERY:
		value_bytes = query(device, request[3],
				    answer + QUERY_HEADER_WORDS);
		answer[3] = value_bytes ? 0 : STATUS_NOT_SUPPORTED;
		answer[4] = value_bytes;
		answer[5] = 16;		/* where the value is, from word 2 on */
		words = QUERY_HEADER_WORDS;
		break;
	case RNDIS_SET:
		words = 4;
		break;
	default:
		return 0;
	}
	answer[1] = words * sizeof(u32) + value_bytes;
	return answer[1];
}
