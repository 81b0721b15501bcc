/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/elf_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/kernel_shift.h"
#include "dwarf/symbol_table.h"

struct elf_symbols {
	struct rbs_symbol_source source;
	int fd;
	Elf *elf; /* holds the table's strings */
	struct rbs_symbol_table table;
};

static enum rbs_code elf_open(const char *path, int *fd, Elf **elf, struct rbs_error *err)
{
	struct stat status;
	GElf_Ehdr header;

	*elf = NULL;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	*elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	if (!*elf || elf_kind(*elf) != ELF_K_ELF)
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s is not an ELF file", path);
	/* The section headers are last; libelf takes a file without its end for one without any. */
	if (!fstat(*fd, &status) && gelf_getehdr(*elf, &header) &&
	    header.e_shoff >= (uint64_t)status.st_size)
		return rbs_error_set(err, RBS_TRUNCATED, "%s is cut off", path);
	return RBS_OK;
}

static void elf_close(int fd, Elf *elf)
{
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static enum rbs_code check_machine(Elf *elf, const struct rbs_target *target, const char *path,
				   struct rbs_error *err)
{
	const char *ident = elf_getident(elf, NULL);
	int class = target->info.word_size == 8 ? ELFCLASS64 : ELFCLASS32;
	int order = target->info.byte_order == RBS_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

	if (ident && ident[EI_CLASS] == class && ident[EI_DATA] == order)
		return RBS_OK;
	return rbs_error_set(err, RBS_MISMATCH,
			     "%s is of a machine of another word size or byte order than the "
			     "dump's %s",
			     path, target->info.arch);
}

/* The symbol table and its strings, which must end with a NUL. */
static enum rbs_code find_symtab(Elf *elf, const char *path, Elf_Data **symbols, Elf_Data **strings,
				 struct rbs_error *err)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
			break;
	if (!section)
		return rbs_error_set(err, RBS_UNSUPPORTED, "%s has no symbol table (stripped)",
				     path);
	*symbols = elf_getdata(section, NULL);
	*strings = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
	if (!*symbols || !*strings || !(*strings)->d_buf || !(*strings)->d_size ||
	    ((const char *)(*strings)->d_buf)[(*strings)->d_size - 1])
		return rbs_error_set(err, RBS_CORRUPT, "%s: damaged symbol table", path);
	return RBS_OK;
}

/* What a program means by a name: no sections, no files, none of the assembler's marks. */
static bool is_symbol(const GElf_Sym *symbol, const Elf_Data *strings)
{
	int type = GELF_ST_TYPE(symbol->st_info);
	const char *names = strings->d_buf;

	return symbol->st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
	       symbol->st_name < strings->d_size && names[symbol->st_name] &&
	       names[symbol->st_name] != '$';
}

static enum rbs_code load(struct elf_symbols *self, const char *path, struct rbs_target *target,
			  struct rbs_error *err)
{
	Elf_Data *symbols = NULL, *strings = NULL;
	GElf_Sym symbol;
	enum rbs_code code;

	code = elf_open(path, &self->fd, &self->elf, err);
	if (code == RBS_OK)
		code = check_machine(self->elf, target, path, err);
	if (code == RBS_OK)
		code = find_symtab(self->elf, path, &symbols, &strings, err);
	if (code != RBS_OK)
		return code;
	rbs_symbol_table_init(&self->table, strings->d_buf);
	for (int i = 0; gelf_getsym(symbols, i, &symbol); i++)
		if (is_symbol(&symbol, strings) &&
		    !rbs_symbol_table_add(&self->table, symbol.st_name, symbol.st_value,
					  symbol.st_shndx == SHN_ABS))
			return rbs_error_set(err, RBS_NOMEM, "%s: out of memory", path);
	if (!rbs_symbol_table_index(&self->table))
		return rbs_error_set(err, RBS_NOMEM, "%s: out of memory", path);
	return rbs_kernel_shift(&self->table, target, path, err);
}

static enum rbs_code elf_find(struct rbs_symbol_source *source, const char *module,
			      const char *name, uint64_t *address, struct rbs_error *err)
{
	struct elf_symbols *self = (struct elf_symbols *)source;

	if (!module && rbs_symbol_table_find(&self->table, name, address))
		return RBS_OK;
	return rbs_error_set(err, RBS_NO_SYMBOL, "no symbol %s in the vmlinux", name);
}

static enum rbs_code elf_name_at(struct rbs_symbol_source *source, uint64_t address, char *buffer,
				 size_t size, struct rbs_error *err)
{
	struct elf_symbols *self = (struct elf_symbols *)source;
	const char *name = rbs_symbol_table_name_at(&self->table, address);

	if (!name)
		return rbs_error_set_at(err, RBS_NO_SYMBOL, address,
					"no symbol of the vmlinux starts at %" PRIx64, address);
	snprintf(buffer, size, "%s", name);
	return RBS_OK;
}

static void elf_destroy(struct rbs_symbol_source *source)
{
	struct elf_symbols *self = (struct elf_symbols *)source;

	rbs_symbol_table_deinit(&self->table);
	elf_close(self->fd, self->elf);
	free(self);
}

static const struct rbs_symbol_source_ops elf_ops = {
	.name = "vmlinux",
	.find = elf_find,
	.name_at = elf_name_at,
	.destroy = elf_destroy,
};

enum rbs_code rbs_elf_symbols_create(const char *path, struct rbs_target *target,
				     struct rbs_symbol_source **source, struct rbs_error *err)
{
	struct elf_symbols *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->source.ops = &elf_ops;
	code = load(self, path, target, err);
	if (code != RBS_OK)
		elf_destroy(&self->source);
	else
		*source = &self->source;
	return code;
}

/* Search libelf's view of a run of notes. */
static bool find_note(Elf_Data *notes, struct rbs_build_id *id)
{
	size_t position = 0, next, name, descriptor;
	GElf_Nhdr header;

	while (notes && (next = gelf_getnote(notes, position, &header, &name, &descriptor)) > 0) {
		const char *bytes = notes->d_buf;

		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof("GNU") &&
		    !memcmp(bytes + name, "GNU", sizeof("GNU")) && header.n_descsz &&
		    header.n_descsz <= RBS_BUILD_ID_MAX) {
			id->size = (uint8_t)header.n_descsz;
			memcpy(id->bytes, bytes + descriptor, header.n_descsz);
			return true;
		}
		position = next;
	}
	return false;
}

enum rbs_code rbs_elf_build_id_read(const char *path, struct rbs_build_id *id,
				    struct rbs_error *err)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Phdr segment;
	size_t segments = 0;
	bool found = false;
	enum rbs_code code;
	Elf *elf;
	int fd;

	*id = (struct rbs_build_id){.size = 0};
	code = elf_open(path, &fd, &elf, err);
	if (code == RBS_OK) {
		while (!found && (section = elf_nextscn(elf, section)))
			found = gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE &&
				find_note(elf_getdata(section, NULL), id);
		if (elf_getphdrnum(elf, &segments))
			segments = 0;
		/* A file without sections, or one whose note sections were dropped. */
		for (size_t i = 0; !found && i < segments && i < INT32_MAX; i++)
			found = gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_NOTE &&
				find_note(elf_getdata_rawchunk(elf, (int64_t)segment.p_offset,
							       segment.p_filesz, ELF_T_NHDR),
					  id);
	}
	elf_close(fd, elf);
	return code;
}
