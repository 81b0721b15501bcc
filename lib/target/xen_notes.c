/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/xen_notes.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bytes.h"
#include "lib/target/file_view.h"

#define NOTES_LIMIT (16u << 20) /* bytes: 8192 CPUs with all of their notes take half of it */
#define SEGMENT_LIMIT 65536

/* struct QEMUCPUState: version, size; 18 registers; 10 segments of 24 bytes; cr0 ... */
#define QEMU_CR3 (8 + 18 * 8 + 10 * 24 + 3 * 8)
#define QEMU_CR4 (QEMU_CR3 + 8)
#define XEN_CRASH_INFO 0x1000001
#define XEN_CRASH_REGS 0x1000002
/* crash_xen_info_t: unsigned longs; crash_xen_core_t: cr0, cr2, cr3, cr4 */
#define INFO_MAJOR 0
#define INFO_MINOR 8
#define INFO_PHYS_START 64
#define REGS_CR3 16
#define REGS_CR4 24

#define member_get(bytes, type, name)                                                              \
	rbs_bytes_little((bytes) + offsetof(type, name), sizeof(((type *)0)->name))

static void cpu_add(struct rbs_xen_notes *notes, uint64_t cr3, uint64_t cr4)
{
	for (size_t i = 0; i < notes->cr3_count; i++) {
		if (notes->cr3[i] == cr3)
			return;
	}
	if (!cr3 || notes->cr3_count == RBS_XEN_CR3_MAX)
		return;
	notes->cr3[notes->cr3_count] = cr3;
	notes->cr4[notes->cr3_count++] = cr4;
}

/* What follows KEY= at the start of a line, or NULL. */
static const char *own_line_find(const struct rbs_xen_notes *notes, const char *key)
{
	const char *line = strstr(notes->vmcoreinfo, key);

	if (!line || (line != notes->vmcoreinfo && line[-1] != '\n'))
		return NULL;
	return line + strlen(key);
}

/* Our own lines, when the dump is an excerpt. */
static void own_lines_take(struct rbs_xen_notes *notes)
{
	const char *value = own_line_find(notes, RBS_XEN_PHYS_START_KEY "=");
	uint64_t major, minor;
	char *end;

	if (value) {
		uint64_t address = strtoull(value, &end, 16);

		if (end != value && (!*end || *end == '\n')) {
			notes->has_phys_start = true;
			notes->phys_start = address;
		}
	}
	value = own_line_find(notes, RBS_XEN_VERSION_KEY "=");
	if (value && sscanf(value, "%9" SCNu64 ".%9" SCNu64, &major, &minor) == 2) {
		notes->has_version = true;
		notes->major = major;
		notes->minor = minor;
	}
}

static enum rbs_code note_take(struct rbs_xen_notes *notes, const char *name, size_t name_size,
			       uint64_t type, const uint8_t *desc, size_t size,
			       struct rbs_error *err)
{
	if (name_size == sizeof("QEMU") && !memcmp(name, "QEMU", sizeof("QEMU")) &&
	    size >= QEMU_CR4 + 8)
		cpu_add(notes, rbs_bytes_little(desc + QEMU_CR3, 8),
			rbs_bytes_little(desc + QEMU_CR4, 8));
	if (name_size == sizeof("Xen") && !memcmp(name, "Xen", sizeof("Xen"))) {
		if (type == XEN_CRASH_REGS && size >= REGS_CR4 + 8)
			cpu_add(notes, rbs_bytes_little(desc + REGS_CR3, 8),
				rbs_bytes_little(desc + REGS_CR4, 8));
		if (type == XEN_CRASH_INFO && size >= INFO_PHYS_START + 8) {
			notes->has_version = true;
			notes->major = rbs_bytes_little(desc + INFO_MAJOR, 8);
			notes->minor = rbs_bytes_little(desc + INFO_MINOR, 8);
			notes->has_phys_start = true;
			notes->phys_start = rbs_bytes_little(desc + INFO_PHYS_START, 8);
		}
	}
	if (!notes->vmcoreinfo && name_size == sizeof("VMCOREINFO_XEN") &&
	    !memcmp(name, "VMCOREINFO_XEN", sizeof("VMCOREINFO_XEN"))) {
		notes->vmcoreinfo = strndup((const char *)desc, size);
		if (!notes->vmcoreinfo)
			return rbs_error_set(err, RBS_NOMEM, "out of memory");
		own_lines_take(notes);
	}
	return RBS_OK;
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

enum rbs_code rbs_xen_notes_parse(struct rbs_xen_notes *notes, const uint8_t *bytes, size_t size,
				  struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	size_t at = 0;

	while (code == RBS_OK && size - at >= sizeof(Elf64_Nhdr)) {
		const uint8_t *header = bytes + at;
		size_t name_size = member_get(header, Elf64_Nhdr, n_namesz);
		size_t desc_size = member_get(header, Elf64_Nhdr, n_descsz);
		size_t left = size - at - sizeof(Elf64_Nhdr);

		if (padded(name_size) > left || desc_size > left - padded(name_size))
			break;
		code = note_take(notes, (const char *)header + sizeof(Elf64_Nhdr), name_size,
				 member_get(header, Elf64_Nhdr, n_type),
				 header + sizeof(Elf64_Nhdr) + padded(name_size), desc_size, err);
		if (padded(desc_size) > left - padded(name_size))
			break;
		at += sizeof(Elf64_Nhdr) + padded(name_size) + padded(desc_size);
	}
	return code;
}

static bool bytes_read(int fd, uint64_t offset, void *buffer, size_t size)
{
	return offset <= INT64_MAX && pread(fd, buffer, size, (off_t)offset) == (ssize_t)size;
}

static enum rbs_code run_read(struct rbs_xen_notes *notes, int fd, uint64_t offset, uint64_t size,
			      struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;
	uint8_t *bytes;

	if (!size || size > NOTES_LIMIT)
		return RBS_OK;
	bytes = malloc(size);
	if (!bytes)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (bytes_read(fd, offset, bytes, size))
		code = rbs_xen_notes_parse(notes, bytes, size, err);
	free(bytes);
	return code;
}

static enum rbs_code elf_read(struct rbs_xen_notes *notes, int fd, struct rbs_error *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)], section[sizeof(Elf64_Shdr)];
	uint64_t table, count;
	enum rbs_code code = RBS_OK;

	if (!bytes_read(fd, 0, header, sizeof(header)) || header[EI_CLASS] != ELFCLASS64 ||
	    header[EI_DATA] != ELFDATA2LSB)
		return RBS_OK;
	table = member_get(header, Elf64_Ehdr, e_phoff);
	count = member_get(header, Elf64_Ehdr, e_phnum);
	if (count == PN_XNUM &&
	    bytes_read(fd, member_get(header, Elf64_Ehdr, e_shoff), section, sizeof(section)))
		count = member_get(section, Elf64_Shdr, sh_info);
	if (count > SEGMENT_LIMIT)
		count = SEGMENT_LIMIT;
	for (uint64_t i = 0; code == RBS_OK && i < count; i++) {
		uint8_t segment[sizeof(Elf64_Phdr)];

		if (!bytes_read(fd, table + i * sizeof(segment), segment, sizeof(segment)))
			break;
		if (member_get(segment, Elf64_Phdr, p_type) == PT_NOTE)
			code = run_read(notes, fd, member_get(segment, Elf64_Phdr, p_offset),
					member_get(segment, Elf64_Phdr, p_filesz), err);
	}
	return code;
}

static enum rbs_code kdump_read(struct rbs_xen_notes *notes, int fd, struct rbs_error *err)
{
	uint8_t header[RBS_DISK_HEADER_SIZE], part[16];

	if (!bytes_read(fd, 0, header, sizeof(header)) ||
	    rbs_bytes_little(header + RBS_DISK_VERSION, 4) < 4 || /* since then it has notes */
	    !bytes_read(fd, rbs_bytes_little(header + RBS_DISK_BLOCK_SIZE, 4) + RBS_SUB_NOTE, part,
			sizeof(part)))
		return RBS_OK;
	return run_read(notes, fd, rbs_bytes_little(part, 8), rbs_bytes_little(part + 8, 8), err);
}

enum rbs_code rbs_xen_notes_init(struct rbs_xen_notes *notes, int fd, struct rbs_error *err)
{
	enum rbs_code code = RBS_OK;

	*notes = (struct rbs_xen_notes){0};
	switch (rbs_file_kind_detect(fd)) {
	case RBS_FILE_ELF:
		code = elf_read(notes, fd, err);
		break;
	case RBS_FILE_KDUMP:
		code = kdump_read(notes, fd, err);
		break;
	case RBS_FILE_OTHER:
		break;
	}
	if (code != RBS_OK)
		rbs_xen_notes_deinit(notes);
	return code;
}

void rbs_xen_notes_deinit(struct rbs_xen_notes *notes)
{
	free(notes->vmcoreinfo);
	*notes = (struct rbs_xen_notes){0};
}
