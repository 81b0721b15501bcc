/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/disk_machine.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/target/file_view.h"

#define MACHINE (12 + 4 * 65)

/* The notes of one CPU are some 1.5 KiB; the first one's will do. */
#define NOTE_LIMIT 16

/* Whether a CPU's notes have its prefix register, which no other architecture has. */
static bool notes_of_s390x(struct rbs_file_view *file)
{
	uint8_t header[RBS_DISK_HEADER_SIZE], part[16], note[sizeof(Elf64_Nhdr)];
	uint64_t block, at, end;

	if (!rbs_file_view_read(file, 0, header, sizeof(header)))
		return false;
	block = rbs_disk_block_size(file, header);
	/* The notes came with version 4. */
	if (!block || !file->big_endian ||
	    rbs_file_view_number(file, header + RBS_DISK_VERSION, 4) < 4 ||
	    !rbs_file_view_read(file, block + RBS_SUB_NOTE, part, sizeof(part)))
		return false;
	at = rbs_file_view_number(file, part, 8);
	end = rbs_part_end(at, rbs_file_view_number(file, part + 8, 8));
	for (unsigned i = 0; i < NOTE_LIMIT && at < end; i++) {
		uint64_t name, size;

		if (!rbs_file_view_read(file, at, note, sizeof(note)))
			return false;
		if (rbs_file_view_member(file, note, Elf64_Nhdr, n_type) == NT_S390_PREFIX)
			return true;
		name = rbs_file_view_member(file, note, Elf64_Nhdr, n_namesz);
		size = rbs_file_view_member(file, note, Elf64_Nhdr, n_descsz);
		at += sizeof(note) + (name + 3) / 4 * 4 + (size + 3) / 4 * 4;
	}
	return false;
}

bool rbs_disk_machine(int fd, char machine[RBS_MACHINE_SIZE])
{
	struct rbs_file_view file;
	char signature[8];

	if (pread(fd, signature, sizeof(signature), 0) != (ssize_t)sizeof(signature) ||
	    (memcmp(signature, "KDUMP   ", 8) && memcmp(signature, "DISKDUMP", 8)))
		return false;
	if (pread(fd, machine, RBS_MACHINE_SIZE, MACHINE) != RBS_MACHINE_SIZE)
		return false;
	machine[RBS_MACHINE_SIZE - 1] = '\0';
	if (!strcmp(machine, "Unknown") && rbs_file_view_init(&file, fd, "") &&
	    notes_of_s390x(&file))
		snprintf(machine, RBS_MACHINE_SIZE, "s390x");
	return *machine;
}
