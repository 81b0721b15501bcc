/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * storvsc packets: the operation and, for a SCSI request, its command (drivers/scsi/storvsc_drv.c:
 * struct vstor_packet, struct vmscsi_request; little endian, the command block as SCSI has it).
 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/bytes.h"
#include "lib/probes/vmbus/vmbus.h"

/* {u32 operation, u32 flags, u32 status, request} */
#define REQUEST 12
#define REQUEST_SRB_STATUS (REQUEST + 2)
#define REQUEST_SCSI_STATUS (REQUEST + 3)
#define REQUEST_TARGET (REQUEST + 6)
#define REQUEST_LUN (REQUEST + 7)
#define REQUEST_LENGTH (REQUEST + 12)
#define REQUEST_CDB (REQUEST + 16)
#define CDB_SIZE 16
#define OPERATION_COMPLETE 1
#define OPERATION_EXECUTE 3

static const char *operation_name(uint64_t operation)
{
	static const char *const names[] = {
		[1] = "complete io",	     [2] = "remove device",  [3] = "execute srb",
		[4] = "reset lun",	     [5] = "reset adapter",  [6] = "reset bus",
		[7] = "begin init",	     [8] = "end init",	     [9] = "query version",
		[10] = "query properties",   [11] = "enumerate bus", [12] = "fchba data",
		[13] = "create subchannels",
	};

	return operation < sizeof(names) / sizeof(names[0]) ? names[operation] : NULL;
}

struct command {
	uint8_t opcode;
	const char *name;
	uint8_t block_at, block_size; /* of the logical block address; size 0: none */
	uint8_t count_at, count_size;
};

/* SPC and SBC: the commands that Linux sends. */
static const struct command commands[] = {
	{0x00, "TEST UNIT READY", 0, 0, 0, 0},	 {0x03, "REQUEST SENSE", 0, 0, 0, 0},
	{0x12, "INQUIRY", 0, 0, 0, 0},		 {0x1a, "MODE SENSE(6)", 0, 0, 0, 0},
	{0x1b, "START STOP UNIT", 0, 0, 0, 0},	 {0x1e, "PREVENT ALLOW MEDIUM REMOVAL", 0, 0, 0, 0},
	{0x25, "READ CAPACITY(10)", 0, 0, 0, 0}, {0x28, "READ(10)", 2, 4, 7, 2},
	{0x2a, "WRITE(10)", 2, 4, 7, 2},	 {0x35, "SYNCHRONIZE CACHE(10)", 2, 4, 7, 2},
	{0x41, "WRITE SAME(10)", 2, 4, 7, 2},	 {0x42, "UNMAP", 0, 0, 0, 0},
	{0x5a, "MODE SENSE(10)", 0, 0, 0, 0},	 {0x88, "READ(16)", 2, 8, 10, 4},
	{0x8a, "WRITE(16)", 2, 8, 10, 4},	 {0x91, "SYNCHRONIZE CACHE(16)", 2, 8, 10, 4},
	{0x93, "WRITE SAME(16)", 2, 8, 10, 4},	 {0x9e, "SERVICE ACTION IN(16)", 0, 0, 0, 0},
	{0xa0, "REPORT LUNS", 0, 0, 0, 0},	 {0xa3, "MAINTENANCE IN", 0, 0, 0, 0},
};

static void cdb_describe(const uint8_t *cdb, char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const struct command *command = &commands[i];

		if (command->opcode != cdb[0])
			continue;
		if (command->block_size)
			snprintf(text, size, "%s block %" PRIu64 " count %" PRIu64, command->name,
				 rbs_bytes_big(cdb + command->block_at, command->block_size),
				 rbs_bytes_big(cdb + command->count_at, command->count_size));
		else
			snprintf(text, size, "%s", command->name);
		return;
	}
	snprintf(text, size, "SCSI command %02x", cdb[0]);
}

void vmbus_storage_packet_describe(const struct vmbus_packet *packet, char *text, size_t size)
{
	const uint8_t *payload = packet->payload;
	char command[96];
	const char *name;
	uint64_t operation;

	if (packet->payload_length < REQUEST)
		return;
	operation = rbs_bytes_little(payload, 4);
	name = operation_name(operation);
	if (!name) {
		snprintf(text, size, "operation %" PRIu64, operation);
		return;
	}
	if (packet->payload_length < REQUEST_CDB + CDB_SIZE ||
	    (operation != OPERATION_EXECUTE && operation != OPERATION_COMPLETE)) {
		snprintf(text, size, "%s", name);
		return;
	}
	if (operation == OPERATION_COMPLETE) {
		/* Where the command was, a completion may hold sense data. */
		snprintf(text, size, "%s target %u lun %u srb status %02x scsi status %02x", name,
			 payload[REQUEST_TARGET], payload[REQUEST_LUN], payload[REQUEST_SRB_STATUS],
			 payload[REQUEST_SCSI_STATUS]);
		return;
	}
	cdb_describe(payload + REQUEST_CDB, command, sizeof(command));
	snprintf(text, size, "%s target %u lun %u %" PRIu64 " bytes", command,
		 payload[REQUEST_TARGET], payload[REQUEST_LUN],
		 rbs_bytes_little(payload + REQUEST_LENGTH, 4));
}
