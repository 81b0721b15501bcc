/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/xen_syms.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "dwarf/elf_symbols.h"

#define IMAGE_FIRST UINT64_C(0xffff82d000000000)
#define IMAGE_LAST UINT64_C(0xffff82d0ffffffff)
/* Xen's image has a gigabyte of its own, and is linked 1 or 2 MiB above its start. */
#define IMAGE_ALIGN (UINT64_C(1) << 30)

static bool in_image(uint64_t address)
{
	return address >= IMAGE_FIRST && address <= IMAGE_LAST;
}

static bool section_fits(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR)
			return in_image(header.sh_addr);
	}
	return false;
}

bool rbs_xen_syms_detect(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool fits = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		fits = section_fits(elf);
	elf_end(elf);
	close(fd);
	return fits;
}

static const char *no_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

/* Xen runs at its link-time addresses: what a Linux above it says must not move its symbols. */
static const struct rbs_target_ops still_ops = {.vmcoreinfo = no_vmcoreinfo};

static uint64_t address_of(struct rbs_symbol_source *symbols, const char *name)
{
	uint64_t address;

	return symbols->ops->find(symbols, NULL, name, &address, NULL) == RBS_OK ? address : 0;
}

static enum rbs_code image_fill(struct rbs_xen_image *image, struct rbs_symbol_source *symbols,
				struct rbs_error *err)
{
	uint64_t list = address_of(symbols, "domain_list");

	image->phys_start_variable = address_of(symbols, "xen_phys_start");
	if (!in_image(list) || !in_image(image->phys_start_variable))
		return rbs_error_set(err, RBS_MISMATCH,
				     "%s is not a xen-syms: it lacks the hypervisor's domain_list "
				     "and xen_phys_start",
				     image->path);
	image->virt_start = list & ~(IMAGE_ALIGN - 1);
	image->page_table = address_of(symbols, "idle_pg_table");
	if (image->build_id.size)
		image->build_id_note = address_of(symbols, "__note_gnu_build_id_start");
	return RBS_OK;
}

enum rbs_code rbs_xen_syms_open(const char *path, const struct rbs_target *machine,
				struct rbs_xen_image *image, struct rbs_symbol_source **symbols,
				struct rbs_error *err)
{
	struct rbs_target still = {.ops = &still_ops, .info = machine->info};
	enum rbs_code code;

	*image = (struct rbs_xen_image){.path = path};
	code = rbs_elf_build_id_read(path, &image->build_id, err);
	if (code == RBS_OK)
		code = rbs_elf_symbols_create(path, &still, symbols, err);
	if (code != RBS_OK)
		return code;
	code = image_fill(image, *symbols, err);
	if (code != RBS_OK)
		(*symbols)->ops->destroy(*symbols);
	return code;
}
