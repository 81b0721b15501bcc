/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/module_info.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *arch_name(const GElf_Ehdr *header)
{
	switch (header->e_machine) {
	case EM_X86_64:
		return "x86_64";
	case EM_AARCH64:
		return "aarch64";
	case EM_386:
		return "i686";
	case EM_S390:
		return "s390x";
	case EM_PPC64:
		return header->e_ident[EI_DATA] == ELFDATA2LSB ? "ppc64le" : "ppc64";
	}
	return NULL;
}

static void modinfo_scan(const Elf_Data *data, struct module_info *info)
{
	const char *text = data->d_buf, *end = text + data->d_size;

	while (text < end) {
		size_t length = strnlen(text, (size_t)(end - text));

		if (length > 8 && !strncmp(text, "version=", 8))
			snprintf(info->version, sizeof(info->version), "%.*s", (int)length - 8,
				 text + 8);
		if (length > 9 && !strncmp(text, "vermagic=", 9))
			snprintf(info->kernel, sizeof(info->kernel), "%.*s",
				 (int)strcspn(text + 9, " "), text + 9);
		text += length + 1;
	}
}

static void info_find(Elf *elf, struct module_info *info)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		const Elf_Data *data;
		const char *name;
		GElf_Shdr shdr;

		if (!gelf_getshdr(section, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		data = name && !strcmp(name, ".modinfo") ? elf_getdata(section, NULL) : NULL;
		if (data && data->d_buf)
			modinfo_scan(data, info);
	}
}

bool module_info_read(const char *path, struct module_info *info)
{
	int file = open(path, O_RDONLY);
	GElf_Ehdr header;
	Elf *elf;

	*info = (struct module_info){0};
	if (file < 0)
		return false;
	if (elf_version(EV_CURRENT) != EV_NONE && (elf = elf_begin(file, ELF_C_READ, NULL))) {
		if (gelf_getehdr(elf, &header) && arch_name(&header)) {
			snprintf(info->arch, sizeof(info->arch), "%s", arch_name(&header));
			info_find(elf, info);
		}
		elf_end(elf);
	}
	close(file);
	return *info->version && *info->kernel && *info->arch;
}
