/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_relocate.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/* Absolute relocations, by the machines' psABIs (elf.h has their names). */
static const struct machine {
	uint16_t machine;
	uint32_t words[2]; /* of 32 bits; 0: there is no second one */
	uint32_t xword;	   /* of 64 bits */
} machines[] = {
	{EM_X86_64, {R_X86_64_32, R_X86_64_32S}, R_X86_64_64},
	{EM_386, {R_386_32, 0}, 0},
	{EM_AARCH64, {R_AARCH64_ABS32, 0}, R_AARCH64_ABS64},
	{EM_ARM, {R_ARM_ABS32, 0}, 0},
	{EM_S390, {R_390_32, 0}, R_390_64},
	{EM_PPC64, {R_PPC64_ADDR32, 0}, R_PPC64_ADDR64},
	{EM_PPC, {R_PPC_ADDR32, 0}, 0},
	{EM_RISCV, {R_RISCV_32, 0}, R_RISCV_64},
	{EM_LOONGARCH, {1, 0}, 2}, /* R_LARCH_32, R_LARCH_64 */
};

/* Entries, of 24 bytes: an out-of-tree module's debug information has a million. */
#define RELEASE_INTERVAL 65536

/* One relocation section at work. */
struct relocator {
	const struct rbs_elf *elf;
	const struct machine *machine;
	const struct rbs_elf_section *table;
	const struct rbs_elf_section *symbols;
	bool has_addend;
	unsigned entry_size;
	unsigned symbol_size;
};

static const struct machine *find_machine(uint16_t machine)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

static unsigned relocation_size(const struct machine *machine, uint32_t type)
{
	if (!type)
		return 0;
	if (type == machine->words[0] || type == machine->words[1])
		return 4;
	return type == machine->xword ? 8 : 0;
}

static void put(const struct rbs_elf *elf, unsigned char *bytes, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++) {
		unsigned shift = elf->byte_order == RBS_BIG_ENDIAN ? 8 * (size - 1 - i) : 8 * i;

		bytes[i] = (unsigned char)(value >> shift);
	}
}

/* Elf32_Rel, Elf32_Rela, Elf64_Rel, Elf64_Rela; st_value of Elf32_Sym and Elf64_Sym. */
static enum rbs_code apply(const struct relocator *relocator, uint64_t index,
			   struct rbs_elf_contents *contents, struct rbs_error *err)
{
	const struct rbs_elf *elf = relocator->elf;
	const unsigned char *entry =
		elf->bytes + relocator->table->offset + index * relocator->entry_size;
	unsigned word = elf->is_64 ? 8 : 4;
	uint64_t offset = rbs_elf_get(elf, entry, 0, word);
	uint64_t info = rbs_elf_get(elf, entry, word, word);
	uint64_t symbol = elf->is_64 ? info >> 32 : info >> 8;
	uint32_t type = elf->is_64 ? (uint32_t)info : (uint32_t)(info & 0xff);
	unsigned size = relocation_size(relocator->machine, type);
	unsigned char *place = contents->copy;
	const unsigned char *symbols = elf->bytes + relocator->symbols->offset;
	uint64_t value, addend;

	if (!size)
		return RBS_OK;
	if (offset > contents->size || size > contents->size - offset ||
	    symbol >= relocator->symbols->size / relocator->symbol_size)
		return rbs_error_set(err, RBS_CORRUPT, "relocation %llu of %s is out of bounds",
				     (unsigned long long)index, relocator->table->name);
	value = rbs_elf_get(elf, symbols + symbol * relocator->symbol_size, elf->is_64 ? 8 : 4,
			    word);
	addend = relocator->has_addend ? rbs_elf_get(elf, entry, (uint64_t)2 * word, word)
				       : rbs_elf_get(elf, place, offset, size);
	put(elf, place + offset, size, value + addend);
	return RBS_OK;
}

static bool is_whole(const struct rbs_elf *elf, const struct rbs_elf_section *section)
{
	return section->offset <= elf->size && section->size <= elf->size - section->offset;
}

static enum rbs_code apply_table(const struct rbs_elf *elf, const struct rbs_elf_section *table,
				 struct rbs_elf_contents *contents, struct rbs_error *err)
{
	struct relocator relocator = {.elf = elf, .table = table};

	relocator.machine = find_machine(elf->machine);
	if (!relocator.machine)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "relocatable file of an unknown machine (%u)", elf->machine);
	if (table->link >= elf->section_count || !is_whole(elf, table) ||
	    !is_whole(elf, &elf->sections[table->link]) ||
	    elf->sections[table->link].type != SHT_SYMTAB)
		return rbs_error_set(err, RBS_CORRUPT, "damaged relocations %s", table->name);
	relocator.symbols = &elf->sections[table->link];
	relocator.has_addend = table->type == SHT_RELA;
	relocator.entry_size =
		(elf->is_64 ? 16 : 8) + (relocator.has_addend ? (elf->is_64 ? 8 : 4) : 0);
	relocator.symbol_size = elf->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	for (uint64_t i = 0; i < table->size / relocator.entry_size; i++) {
		enum rbs_code code = apply(&relocator, i, contents, err);

		if (elf->file && i % RELEASE_INTERVAL == 0)
			rbs_debug_file_release(elf->file);
		if (code)
			return code;
	}
	return RBS_OK;
}

enum rbs_code rbs_elf_relocate(const struct rbs_elf *elf, uint32_t index,
			       struct rbs_elf_contents *contents, struct rbs_error *err)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct rbs_elf_section *table = &elf->sections[i];
		enum rbs_code code;

		if ((table->type != SHT_RELA && table->type != SHT_REL) || table->info != index)
			continue;
		if (!contents->copy) {
			contents->copy = malloc(contents->size ? contents->size : 1);
			if (!contents->copy)
				return rbs_error_set(err, RBS_NOMEM, "out of memory for %s",
						     elf->sections[index].name);
			memcpy(contents->copy, contents->bytes, contents->size);
			contents->bytes = contents->copy;
		}
		code = apply_table(elf, table, contents, err);
		if (code)
			return code;
	}
	return RBS_OK;
}
