// SPDX-License-Identifier: GPL-2.0-only
/*
 * The disks behind a storage controller: LUNs 0 and 1 of path 0, target 0, in
 * memory, with the few SCSI commands (SPC-4, SBC-3) that Linux needs for one.
 */
#include "vmhost.h"
#include <linux/vmalloc.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#define BLOCK_BYTES 512u
#define DISK_BYTES (4u << 20)
#define DISK_BLOCKS (DISK_BYTES / BLOCK_BYTES)
#define NO_SUCH_UNIT 0x7f
#define SPC_3 5

enum command {
	TEST_UNIT_READY = 0x00,
	INQUIRY = 0x12,
	MODE_SENSE_6 = 0x1a,
	READ_CAPACITY_10 = 0x25,
	READ_10 = 0x28,
	WRITE_10 = 0x2a,
	SYNCHRONIZE_CACHE_10 = 0x35,
	READ_16 = 0x88,
	WRITE_16 = 0x8a,
	SYNCHRONIZE_CACHE_16 = 0x91,
	SERVICE_ACTION_IN_16 = 0x9e,
	REPORT_LUNS = 0xa0,
};

/* A device without disks answers as one with no units. */
void vmhost_scsi_setup(struct vmhost_device *device)
{
	unsigned int lun;

	for (lun = 0; lun < VMHOST_LUNS; lun++)
		device->disk[lun] = vzalloc(DISK_BYTES);
}

static void *disk_of(const struct vmhost_device *device,
		     const struct vmhost_scsi *command)
{
	if (!command->addressable || command->lun >= VMHOST_LUNS)
		return NULL;
	return device->disk[command->lun];
}

static u32 inquiry(u8 *answer, const u8 *cdb, bool present)
{
	static const char identity[] = "Msft    Virtual Disk    1.0 ";

	if (cdb[1] & 1) {
		/* Vital product data: only the list of pages, with one entry. */
		answer[3] = 1;
		return cdb[2] == 0 && present ? 5 : 0;
	}
	answer[0] = present ? 0 : NO_SUCH_UNIT;
	answer[2] = SPC_3;
	answer[3] = 2;
	answer[4] = 31;
	answer[7] = 2;
	memcpy(answer + 8, identity, sizeof(identity) - 1);
	return 36;
}

static u32 report_luns(u8 *answer, bool present)
{
	unsigned int lun, count = present ? VMHOST_LUNS : 0;

	put_unaligned_be32(count * 8, answer);
	for (lun = 0; lun < count; lun++)
		answer[8 + lun * 8 + 1] = lun;
	return 8 + count * 8;
}

/* Fills answer; returns its length, or 0 if the command isn't one of these. */
static u32 describe(u8 *answer, const u8 *cdb, bool present)
{
	switch (cdb[0]) {
	case INQUIRY:
		return inquiry(answer, cdb, present);
	case REPORT_LUNS:
		return report_luns(answer, present);
	case MODE_SENSE_6:
		answer[0] = 3;
		return present ? 4 : 0;
	case READ_CAPACITY_10:
		put_unaligned_be32(DISK_BLOCKS - 1, answer);
		put_unaligned_be32(BLOCK_BYTES, answer + 4);
		return present ? 8 : 0;
	case SERVICE_ACTION_IN_16:
		put_unaligned_be64(DISK_BLOCKS - 1, answer);
		put_unaligned_be32(BLOCK_BYTES, answer + 8);
		return present && (cdb[1] & 0x1f) == 0x10 ? 32 : 0;
	}
	return 0;
}

static bool transfer(u8 *disk, const struct vmhost_packet *packet, u64 block,
		     u32 count, bool read, u32 *length)
{
	if (block > DISK_BLOCKS || count > DISK_BLOCKS - block)
		return false;
	*length = vmhost_packet_guest_copy(packet, disk + block * BLOCK_BYTES,
					   count * BLOCK_BYTES, read);
	return true;
}

static bool access_disk(u8 *disk, const struct vmhost_packet *packet,
			struct vmhost_scsi *command)
{
	const u8 *cdb = command->cdb;

	switch (cdb[0]) {
	case TEST_UNIT_READY:
	case SYNCHRONIZE_CACHE_10:
	case SYNCHRONIZE_CACHE_16:
		command->length = 0;
		return true;
	case READ_10:
	case WRITE_10:
		return transfer(disk, packet, get_unaligned_be32(cdb + 2),
				get_unaligned_be16(cdb + 7), cdb[0] == READ_10,
				&command->length);
	case READ_16:
	case WRITE_16:
		return transfer(disk, packet, get_unaligned_be64(cdb + 2),
				get_unaligned_be32(cdb + 10), cdb[0] == READ_16,
				&command->length);
	}
	return false;
}

void vmhost_scsi_execute(struct vmhost_device *device,
			 const struct vmhost_packet *packet,
			 struct vmhost_scsi *command)
{
	u8 *disk = disk_of(device, command);
	u8 answer[64] = {};
	u32 bytes = describe(answer, command->cdb, disk);

	if (bytes) {
		command->length = vmhost_packet_guest_copy(
			packet, answer, min(bytes, command->length), true);
		command->good = true;
		return;
	}
	command->good = disk && access_disk(disk, packet, command);
	if (!command->good)
		command->length = 0;
}
