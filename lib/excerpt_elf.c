/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/excerpt_elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/arch.h"

/* Where the parts are, in bytes from the start of the file. */
struct head {
	uint8_t *bytes;
	enum rbs_byte_order order;
	uint64_t page_size;
	size_t segments;
	size_t note, note_size;
	size_t size;
};

/* A member of an ELF structure at an offset of the file, in the dump's byte order. */
#define put(head, at, type, member, value)                                                         \
	put_bytes(head, (at) + offsetof(type, member), sizeof(((type *)0)->member), value)

static void put_bytes(struct head *head, size_t at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++) {
		size_t byte = head->order == RBS_LITTLE_ENDIAN ? i : size - 1 - i;

		head->bytes[at + byte] = (uint8_t)(value >> 8 * i);
	}
}

static size_t round_up(size_t number, size_t step)
{
	return (number + step - 1) / step * step;
}

/* From PN_XNUM segments on, their number stands in the first section header. */
static bool needs_section(size_t segments)
{
	return segments >= PN_XNUM;
}

static void header_put(struct head *head, unsigned machine)
{
	bool section = needs_section(head->segments);
	size_t table = sizeof(Elf64_Ehdr);

	memcpy(head->bytes, ELFMAG, SELFMAG);
	head->bytes[EI_CLASS] = ELFCLASS64;
	head->bytes[EI_DATA] = head->order == RBS_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	head->bytes[EI_VERSION] = EV_CURRENT;
	put(head, 0, Elf64_Ehdr, e_type, ET_CORE);
	put(head, 0, Elf64_Ehdr, e_machine, machine);
	put(head, 0, Elf64_Ehdr, e_version, EV_CURRENT);
	put(head, 0, Elf64_Ehdr, e_phoff, table);
	put(head, 0, Elf64_Ehdr, e_ehsize, sizeof(Elf64_Ehdr));
	put(head, 0, Elf64_Ehdr, e_phentsize, sizeof(Elf64_Phdr));
	put(head, 0, Elf64_Ehdr, e_phnum, section ? PN_XNUM : head->segments);
	if (section) {
		size_t at = table + head->segments * sizeof(Elf64_Phdr);

		put(head, 0, Elf64_Ehdr, e_shoff, at);
		put(head, 0, Elf64_Ehdr, e_shentsize, sizeof(Elf64_Shdr));
		put(head, 0, Elf64_Ehdr, e_shnum, 1);
		put(head, at, Elf64_Shdr, sh_info, head->segments);
	}
}

static void segments_put(struct head *head, const struct rbs_excerpt_run *runs, size_t run_count)
{
	size_t at = sizeof(Elf64_Ehdr);
	uint64_t offset = head->size;

	put(head, at, Elf64_Phdr, p_type, PT_NOTE);
	put(head, at, Elf64_Phdr, p_offset, head->note);
	put(head, at, Elf64_Phdr, p_filesz, head->note_size);
	put(head, at, Elf64_Phdr, p_memsz, head->note_size);
	put(head, at, Elf64_Phdr, p_align, 4);
	for (size_t i = 0; i < run_count; i++) {
		uint64_t length = runs[i].count * head->page_size;

		at += sizeof(Elf64_Phdr);
		put(head, at, Elf64_Phdr, p_type, PT_LOAD);
		put(head, at, Elf64_Phdr, p_flags, PF_R | PF_W | PF_X);
		put(head, at, Elf64_Phdr, p_offset, offset);
		put(head, at, Elf64_Phdr, p_paddr, runs[i].pfn * head->page_size);
		put(head, at, Elf64_Phdr, p_filesz, length);
		put(head, at, Elf64_Phdr, p_memsz, length);
		put(head, at, Elf64_Phdr, p_align, head->page_size);
		offset += length;
	}
}

static void note_put(struct head *head, const char *name, const char *text)
{
	size_t name_size = strlen(name) + 1, length = strlen(text);
	uint8_t *at = head->bytes + head->note + sizeof(Elf64_Nhdr);

	put(head, head->note, Elf64_Nhdr, n_namesz, name_size);
	put(head, head->note, Elf64_Nhdr, n_descsz, length);
	memcpy(at, name, name_size);
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): a note ends by its length alone */
	memcpy(at + round_up(name_size, 4), text, length);
}

enum rbs_code rbs_excerpt_head_build(struct rbs_target *target, const struct rbs_excerpt_run *runs,
				     size_t run_count, uint8_t **bytes, size_t *size,
				     struct rbs_error *err)
{
	const struct rbs_target_info *info = &target->info;
	const char *name, *text = rbs_target_note(target, &name);
	const struct rbs_arch *arch = rbs_arch_by_name(info->arch);
	struct head head = {
		.order = info->byte_order,
		.page_size = info->page_size,
		.segments = run_count + 1,
	};

	if (!arch || info->word_size != 8)
		return rbs_error_set(err, RBS_UNSUPPORTED, "no excerpts of %s dumps yet",
				     info->arch);
	if (!text || run_count >= UINT32_MAX / sizeof(Elf64_Phdr))
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s",
				     text ? "too many pages" : "no VMCOREINFO to keep");
	head.note = sizeof(Elf64_Ehdr) + head.segments * sizeof(Elf64_Phdr);
	if (needs_section(head.segments))
		head.note += sizeof(Elf64_Shdr);
	head.note_size =
		sizeof(Elf64_Nhdr) + round_up(strlen(name) + 1, 4) + round_up(strlen(text), 4);
	head.size = round_up(head.note + head.note_size, info->page_size);
	head.bytes = calloc(1, head.size);
	if (!head.bytes)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	header_put(&head, arch->elf_machine);
	segments_put(&head, runs, run_count);
	note_put(&head, name, text);
	*bytes = head.bytes;
	*size = head.size;
	return RBS_OK;
}
