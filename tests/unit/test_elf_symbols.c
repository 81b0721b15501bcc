/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <elf.h>
#include <stddef.h>
#include <string.h>

#include "dwarf/elf_symbols.h"
#include "dwarf/system_map.h"
#include "fake_target.h"
#include "temp_file.h"

/* A vmlinux in little: one section of code, one of notes, the symbols. */
struct vmlinux {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint8_t notes[36];
	char strings[96];
	uint32_t padding;
	Elf64_Sym symbols[8];
	Elf64_Shdr sections[5];
};

enum { CODE = 1, NOTES, SYMTAB, STRTAB };

static const char strings[] = "\0_stext\0modules\0this_cpu_off\0absolute\0extern\0vmlinux.c\0$d";

static Elf64_Sym symbol(uint32_t name, int type, uint16_t section, uint64_t value)
{
	return (Elf64_Sym){.st_name = name,
			   .st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, type),
			   .st_shndx = section,
			   .st_value = value};
}

static void vmlinux_init(struct vmlinux *file)
{
	static const uint8_t note[] = {4,    0,	   0,	 0,    20,   0,	   0,	 0,    3,
				       0,    0,	   0,	 'G',  'N',  'U',  0,	 0x6a, 0x2b,
				       0x4a, 0xc7, 0x75, 0x85, 0xb8, 0xcf, 0x10, 0x2c, 0xba,
				       0x77, 0x13, 0x00, 0xe5, 0x73, 0xc8, 0x48, 0x9b, 0x69};

	memset(file, 0, sizeof(*file));
	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->header.e_type = ET_EXEC;
	file->header.e_machine = EM_X86_64;
	file->header.e_version = EV_CURRENT;
	file->header.e_ehsize = sizeof(Elf64_Ehdr);
	file->header.e_phoff = offsetof(struct vmlinux, segment);
	file->header.e_phentsize = sizeof(Elf64_Phdr);
	file->header.e_phnum = 1;
	file->header.e_shoff = offsetof(struct vmlinux, sections);
	file->header.e_shentsize = sizeof(Elf64_Shdr);
	file->header.e_shnum = 5;
	file->segment = (Elf64_Phdr){.p_type = PT_NOTE,
				     .p_offset = offsetof(struct vmlinux, notes),
				     .p_filesz = sizeof(file->notes),
				     .p_align = 4};
	memcpy(file->notes, note, sizeof(note));
	memcpy(file->strings, strings, sizeof(strings));
	file->symbols[1] = symbol(1, STT_NOTYPE, CODE, 0xffffffff81000000);
	file->symbols[2] = symbol(8, STT_OBJECT, CODE, 0xffffffff82b292a0);
	file->symbols[3] = symbol(16, STT_OBJECT, CODE, 0x199e8);
	file->symbols[4] = symbol(29, STT_NOTYPE, SHN_ABS, 0xffffffff81400000);
	file->symbols[5] = symbol(38, STT_FUNC, SHN_UNDEF, 0);
	file->symbols[6] = symbol(45, STT_FILE, SHN_ABS, 0);
	file->symbols[7] = symbol(55, STT_NOTYPE, CODE, 0xffffffff81000000);
	file->sections[CODE] = (Elf64_Shdr){.sh_type = SHT_NOBITS};
	file->sections[NOTES] = (Elf64_Shdr){.sh_type = SHT_NOTE,
					     .sh_offset = offsetof(struct vmlinux, notes),
					     .sh_size = sizeof(file->notes),
					     .sh_addralign = 4};
	file->sections[SYMTAB] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
					      .sh_offset = offsetof(struct vmlinux, symbols),
					      .sh_size = sizeof(file->symbols),
					      .sh_entsize = sizeof(Elf64_Sym),
					      .sh_link = STRTAB,
					      .sh_addralign = 8};
	file->sections[STRTAB] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					      .sh_offset = offsetof(struct vmlinux, strings),
					      .sh_size = sizeof(file->strings),
					      .sh_addralign = 1};
}

struct opened {
	struct rbs_target *target;
	struct rbs_symbol_source *source;
	struct rbs_error error;
	enum rbs_code code;
};

static void open_file(struct opened *opened, enum rbs_byte_order order, unsigned word_size,
		      const void *bytes, size_t size)
{
	struct temp_file file;

	*opened = (struct opened){.target = fake_target_create(order, word_size)};
	fake_target_vmcoreinfo(opened->target, "SYMBOL(_stext)=ffffffff83200000\n");
	temp_file_init(&file, bytes, size);
	opened->code =
		rbs_elf_symbols_create(file.path, opened->target, &opened->source, &opened->error);
	temp_file_deinit(&file);
}

static void opened_deinit(struct opened *opened)
{
	if (opened->source)
		opened->source->ops->destroy(opened->source);
	rbs_target_destroy(opened->target);
}

static void assert_symbol(struct opened *opened, const char *name, uint64_t expected)
{
	uint64_t address = 0;

	cr_assert_eq(opened->code, RBS_OK, "%s", opened->error.text);
	cr_assert_eq(opened->source->ops->find(opened->source, NULL, name, &address, NULL), RBS_OK,
		     "%s", name);
	cr_assert_eq(address, expected, "%s is at %llx", name, (unsigned long long)address);
}

static void assert_refused(const void *bytes, size_t size, enum rbs_code code, const char *text)
{
	struct opened opened;

	open_file(&opened, RBS_LITTLE_ENDIAN, 8, bytes, size);
	cr_assert_eq(opened.code, code, "%s (%s)", rbs_code_name(opened.code), opened.error.text);
	cr_assert_null(opened.source);
	cr_assert_not_null(strstr(opened.error.text, text), "%s", opened.error.text);
	opened_deinit(&opened);
}

Test(elf_symbols, moved_with_the_image)
{
	static const char *const none[] = {"", "extern", "vmlinux.c", "$d", "module", "stext"};
	struct vmlinux file;
	struct opened opened;
	uint64_t address;
	char name[16];

	vmlinux_init(&file);
	open_file(&opened, RBS_LITTLE_ENDIAN, 8, &file, sizeof(file));
	assert_symbol(&opened, "_stext", 0xffffffff83200000);
	assert_symbol(&opened, "modules", 0xffffffff84d292a0);
	assert_symbol(&opened, "this_cpu_off", 0x199e8);
	assert_symbol(&opened, "absolute", 0xffffffff81400000);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		cr_assert_eq(opened.source->ops->find(opened.source, NULL, none[i], &address, NULL),
			     RBS_NO_SYMBOL, "%s", none[i]);
	cr_assert_eq(opened.source->ops->find(opened.source, "ext4", "modules", &address, NULL),
		     RBS_NO_SYMBOL);
	cr_assert_eq(opened.source->ops->name_at(opened.source, 0xffffffff84d292a0, name,
						 sizeof(name), NULL),
		     RBS_OK);
	cr_assert_str_eq(name, "modules");
	opened_deinit(&opened);
}

Test(elf_symbols, of_another_machine)
{
	struct vmlinux file;
	struct opened opened;

	vmlinux_init(&file);
	open_file(&opened, RBS_BIG_ENDIAN, 8, &file, sizeof(file));
	cr_assert_eq(opened.code, RBS_MISMATCH);
	opened_deinit(&opened);
	open_file(&opened, RBS_LITTLE_ENDIAN, 4, &file, sizeof(file));
	cr_assert_eq(opened.code, RBS_MISMATCH);
	opened_deinit(&opened);
}

Test(elf_symbols, no_vmlinux)
{
	struct vmlinux file;

	assert_refused("", 0, RBS_UNSUPPORTED, "is not an ELF file");
	assert_refused("text\n", 5, RBS_UNSUPPORTED, "is not an ELF file");
	vmlinux_init(&file);
	file.sections[SYMTAB].sh_type = SHT_PROGBITS;
	assert_refused(&file, sizeof(file), RBS_UNSUPPORTED, "no symbol table");
	vmlinux_init(&file);
	file.strings[1] = 'x';
	assert_refused(&file, sizeof(file), RBS_MISMATCH, "no symbol _stext");
}

Test(elf_symbols, damaged)
{
	struct vmlinux file;

	vmlinux_init(&file);
	file.sections[SYMTAB].sh_link = 77;
	assert_refused(&file, sizeof(file), RBS_CORRUPT, "damaged symbol table");
	vmlinux_init(&file);
	file.sections[SYMTAB].sh_size = UINT64_C(1) << 60;
	assert_refused(&file, sizeof(file), RBS_CORRUPT, "damaged symbol table");
	vmlinux_init(&file);
	file.strings[95] = 'x'; /* no end */
	assert_refused(&file, sizeof(file), RBS_CORRUPT, "damaged symbol table");
}

Test(elf_symbols, name_outside_of_the_strings)
{
	struct vmlinux file;
	struct opened opened;

	vmlinux_init(&file);
	file.symbols[3].st_name = 96;
	file.symbols[4].st_name = 0xfffffff0;
	open_file(&opened, RBS_LITTLE_ENDIAN, 8, &file, sizeof(file));
	assert_symbol(&opened, "modules", 0xffffffff84d292a0);
	opened_deinit(&opened);
}

/* Cut anywhere before its section headers, the file says so. */
Test(elf_symbols, cut_off)
{
	struct vmlinux file;

	vmlinux_init(&file);
	for (size_t size = sizeof(Elf64_Ehdr); size < offsetof(struct vmlinux, sections);
	     size += 37)
		assert_refused(&file, size, RBS_TRUNCATED, "is cut off");
}

static void assert_build_id(const void *bytes, size_t size, enum rbs_code code,
			    const char *expected)
{
	struct rbs_build_id id = {.size = 99};
	char text[2 * RBS_BUILD_ID_MAX + 1];
	struct temp_file file;

	temp_file_init(&file, bytes, size);
	cr_assert_eq(rbs_elf_build_id_read(file.path, &id, NULL), code);
	temp_file_deinit(&file);
	rbs_build_id_format(&id, text, sizeof(text));
	cr_assert_str_eq(text, expected);
}

Test(elf_symbols, build_id)
{
	static const char expected[] = "6a2b4ac77585b8cf102cba771300e573c8489b69";
	struct vmlinux file;

	vmlinux_init(&file);
	assert_build_id(&file, sizeof(file), RBS_OK, expected);
	file.sections[NOTES].sh_type = SHT_PROGBITS;
	assert_build_id(&file, sizeof(file), RBS_OK, expected);
	file.segment.p_type = PT_LOAD;
	assert_build_id(&file, sizeof(file), RBS_OK, "");
	assert_build_id("text", 4, RBS_UNSUPPORTED, "");
	vmlinux_init(&file);
	file.notes[4] = 200; /* longer than its section */
	assert_build_id(&file, sizeof(file), RBS_OK, "");
}

/* --symbols takes either kind. */
Test(elf_symbols, by_its_first_bytes)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_symbol_source *source;
	struct temp_file temp;
	struct vmlinux file;

	vmlinux_init(&file);
	temp_file_init(&temp, &file, sizeof(file));
	cr_assert_eq(rbs_symbol_file_create(temp.path, target, &source, NULL), RBS_OK);
	cr_assert_str_eq(source->ops->name, "vmlinux");
	source->ops->destroy(source);
	temp_file_deinit(&temp);
	rbs_target_destroy(target);
}
