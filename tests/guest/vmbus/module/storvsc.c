// SPDX-License-Identifier: GPL-2.0-only
/*
 * A SCSI controller as the storage VSP answers it. Structures and operation
 * numbers: drivers/scsi/storvsc_drv.c; the layout is that of Windows 8 and
 * later, which every driver since 5.10 ends up with.
 */
#include "vmhost.h"

enum operation {
	OP_COMPLETE_IO = 1,
	OP_EXECUTE_SRB = 3,
	OP_QUERY_PROPERTIES = 10,
	OP_CREATE_SUB_CHANNELS = 13,
};

#define MULTI_CHANNEL 1
#define MAX_TRANSFER (512 * 1024)
#define SENSE_BYTES 20
#define SRB_SUCCESS 0x01
#define SRB_ERROR_WITH_SENSE 0x84
#define CHECK_CONDITION 2
#define ILLEGAL_REQUEST 5
#define ASC_INVALID_COMMAND 0x20

struct srb {
	u16 length;
	u8 srb_status, scsi_status;
	u8 port, path, target, lun;
	u8 cdb_length, sense_length, data_in, reserved;
	u32 transfer;
	union {
		u8 cdb[16];
		u8 sense[SENSE_BYTES];
	};
	u16 reserved_b;
	u8 queue_tag, queue_action;
	u32 flags, timeout, sort_key;
} __packed;

struct properties {
	u32 reserved;
	u16 max_channels;
	u16 reserved_b;
	u32 flags, max_transfer;
	u64 reserved_c;
} __packed;

struct storage_packet {
	u32 operation, flags, status;
	union {
		struct srb srb;
		struct properties properties;
		u16 sub_channels;
		u8 all[52];
	};
} __packed;

static void set_sense(struct srb *srb)
{
	srb->srb_status = SRB_ERROR_WITH_SENSE;
	srb->scsi_status = CHECK_CONDITION;
	srb->sense_length = SENSE_BYTES;
	memset(srb->sense, 0, SENSE_BYTES);
	srb->sense[0] = 0x70;
	srb->sense[2] = ILLEGAL_REQUEST;
	srb->sense[7] = 10;
	srb->sense[12] = ASC_INVALID_COMMAND;
}

static void execute(struct vmhost_device *device,
		    const struct vmhost_packet *packet, struct srb *srb)
{
	u8 cdb[16];
	struct vmhost_scsi command = {
		.lun = srb->lun,
		.addressable = srb->path == 0 && srb->target == 0,
		.cdb = cdb,
		.length = srb->transfer,
	};

	memcpy(cdb, srb->cdb, sizeof(cdb));
	vmhost_scsi_execute(device, packet, &command);
	srb->transfer = command.length;
	srb->sense_length = 0;
	srb->scsi_status = 0;
	srb->srb_status = SRB_SUCCESS;
	if (!command.good)
		set_sense(srb);
}

static void on_packet(struct vmhost_channel *channel,
		      const struct vmhost_packet *packet)
{
	struct vmhost_device *device = channel->device;
	struct storage_packet message;
	u32 wanted = 0;

	vmhost_packet_fetch(packet, &message, sizeof(message));
	switch (message.operation) {
	case OP_EXECUTE_SRB:
		execute(device, packet, &message.srb);
		break;
	case OP_QUERY_PROPERTIES:
		memset(message.all, 0, sizeof(message.all));
		message.properties.max_channels = device->sub_channels;
		message.properties.flags = MULTI_CHANNEL;
		message.properties.max_transfer = MAX_TRANSFER;
		break;
	case OP_CREATE_SUB_CHANNELS:
		wanted = min_t(u32, message.sub_channels, device->sub_channels);
		break;
	}
	message.operation = OP_COMPLETE_IO;
	message.status = 0;
	vmhost_complete(channel, packet->trans_id, &message, sizeof(message));
	if (wanted)
		vmhost_offer_sub_channels(device, wanted);
}

static void on_close(struct vmhost_device *device)
{
	device->sub_channels_offered = false;
}

const struct vmhost_class vmhost_storvsc = {
	.name = "storvsc",
	.type = GUID_INIT(0xba6163d9, 0x04a1, 0x4d29, 0xb6, 0x05, 0x72, 0xe2,
			  0xff, 0xb1, 0xdc, 0x7f),
	.setup = vmhost_scsi_setup,
	.packet = on_packet,
	.closed = on_close,
};
