/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/freebsd_kernel.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/modules.h"

#define VERSION_SIZE 256
#define VERSION_START "FreeBSD "

/* What two copies of the same thing say: nothing, where one of them cannot be read. */
enum answer { ANSWER_NONE, ANSWER_SAME, ANSWER_OTHER };

static enum answer note_compare(struct rbs_target *target, const GElf_Shdr *section,
				Elf_Data *notes)
{
	size_t at = 0, next, name, descriptor;
	uint8_t bytes[RBS_BUILD_ID_MAX];
	GElf_Nhdr note;

	while (notes && (next = gelf_getnote(notes, at, &note, &name, &descriptor)) > 0) {
		const uint8_t *from = notes->d_buf;

		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz &&
		    note.n_descsz <= sizeof(bytes) &&
		    rbs_target_read(target, RBS_KERNEL_VIRTUAL, section->sh_addr + descriptor,
				    bytes, note.n_descsz, NULL) == RBS_OK)
			return memcmp(bytes, from + descriptor, note.n_descsz) ? ANSWER_OTHER
									       : ANSWER_SAME;
		at = next;
	}
	return ANSWER_NONE;
}

static enum answer build_id_compare(Elf *elf, struct rbs_target *target)
{
	enum answer answer = ANSWER_NONE;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (answer == ANSWER_NONE && (section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
		    header.sh_flags & SHF_ALLOC && header.sh_addr)
			answer = note_compare(target, &header, elf_getdata(section, NULL));
	}
	return answer;
}

/* The string at an address of the image; false where the file has no bytes for it. */
static bool file_string(Elf *elf, uint64_t address, char *text, size_t size)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		uint64_t offset;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_ALLOC) || address < header.sh_addr ||
		    address - header.sh_addr >= header.sh_size)
			continue;
		data = elf_getdata(section, NULL);
		offset = address - header.sh_addr;
		if (!data || !data->d_buf || offset >= data->d_size)
			return false;
		snprintf(text, size, "%.*s",
			 (int)strnlen((char *)data->d_buf + offset, data->d_size - offset),
			 (char *)data->d_buf + offset);
		return true;
	}
	return false;
}

static void line_end(char *text)
{
	text[strcspn(text, "\n")] = '\0';
}

static enum rbs_code version_compare(Elf *elf, const char *path, struct rbs_target *target,
				     struct rbs_symbols *symbols, bool *proved,
				     struct rbs_error *err)
{
	char in_memory[VERSION_SIZE], in_file[VERSION_SIZE];
	uint64_t address;
	enum rbs_code code;

	if (rbs_symbols_find(symbols, NULL, "version", &address, NULL) != RBS_OK)
		return RBS_OK;
	code = rbs_target_read_string(target, address, in_memory, sizeof(in_memory), NULL);
	if (code == RBS_EXCLUDED || code == RBS_TRUNCATED || code == RBS_IO)
		return RBS_OK;
	if (code != RBS_OK || strncmp(in_memory, VERSION_START, strlen(VERSION_START)))
		return rbs_error_set_at(err, RBS_MISMATCH, address,
					"%s is not of the kernel in this dump: its version string "
					"would be at %" PRIx64 ", but is not",
					path, address);
	if (!file_string(elf, address, in_file, sizeof(in_file)))
		return RBS_OK;
	*proved = !strcmp(in_memory, in_file);
	if (*proved)
		return RBS_OK;
	line_end(in_memory);
	line_end(in_file);
	return rbs_error_set(err, RBS_MISMATCH,
			     "%s is of another kernel: it is '%.120s', the dump's is '%.120s'",
			     path, in_file, in_memory);
}

enum rbs_code rbs_freebsd_kernel_check(const char *path, struct rbs_target *target,
				       struct rbs_symbols *symbols, bool *proved,
				       struct rbs_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	enum rbs_code code = RBS_OK;
	enum answer answer = ANSWER_NONE;
	Elf *elf;

	*proved = false;
	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		answer = build_id_compare(elf, target);
		*proved = answer == ANSWER_SAME;
		if (answer != ANSWER_SAME)
			code = version_compare(elf, path, target, symbols, proved, err);
		if (code == RBS_OK && answer == ANSWER_OTHER)
			code = rbs_error_set(
				err, RBS_MISMATCH,
				"%s is of another build of the kernel: its build-id is "
				"not the dump's",
				path);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return code;
}
