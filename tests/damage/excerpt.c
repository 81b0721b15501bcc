/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/excerpt.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bytes.h"

#define GET(self, bytes, type, member)                                                             \
	rbs_bytes_get((bytes) + offsetof(type, member), sizeof(((type *)0)->member),               \
		      (self)->big_endian)
#define PUT(self, bytes, type, member, value)                                                      \
	bytes_put((bytes) + offsetof(type, member), sizeof(((type *)0)->member), value,            \
		  (self)->big_endian)

static void bytes_put(uint8_t *bytes, size_t size, uint64_t value, bool big)
{
	for (size_t i = 0; i < size; i++)
		bytes[big ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static bool refuse(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	return false;
}

static uint8_t *file_read(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint8_t *bytes = NULL;

	if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0) {
		*size = (size_t)status.st_size;
		bytes = malloc(*size);
		for (size_t done = 0; bytes && done < *size;) {
			ssize_t got = read(fd, bytes + done, *size - done);

			if (got <= 0) {
				free(bytes);
				bytes = NULL;
				break;
			}
			done += (size_t)got;
		}
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

/* One PT_LOAD: its pages go into the arrays. */
static bool run_add(struct excerpt *self, const uint8_t *file, size_t file_size,
		    const uint8_t *segment)
{
	uint64_t offset = GET(self, segment, Elf64_Phdr, p_offset);
	uint64_t physical = GET(self, segment, Elf64_Phdr, p_paddr);
	uint64_t count = GET(self, segment, Elf64_Phdr, p_filesz) / self->page_size;

	if (offset > file_size || count > (file_size - offset) / self->page_size)
		return false;
	for (uint64_t i = 0; i < count; i++, self->page_count++) {
		self->pfns[self->page_count] = physical / self->page_size + i;
		memcpy(self->pages + self->page_count * self->page_size,
		       file + offset + i * self->page_size, self->page_size);
	}
	return true;
}

static bool segments_read(struct excerpt *self, const char *path, const uint8_t *file,
			  size_t file_size)
{
	uint64_t table = GET(self, file, Elf64_Ehdr, e_phoff);
	uint64_t count = GET(self, file, Elf64_Ehdr, e_phnum);

	if (table > file_size || count > (file_size - table) / sizeof(Elf64_Phdr))
		return refuse(path, "its program headers are not in the file");
	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *segment = file + table + i * sizeof(Elf64_Phdr);
		uint64_t offset = GET(self, segment, Elf64_Phdr, p_offset);
		uint64_t size = GET(self, segment, Elf64_Phdr, p_filesz);

		if (GET(self, segment, Elf64_Phdr, p_type) == PT_LOAD) {
			if (!self->page_size) {
				/* The alignment that rbstats writes is the page's size. */
				self->page_size = GET(self, segment, Elf64_Phdr, p_align);
				if (self->page_size < 512 || self->page_size > file_size)
					return refuse(path, "no excerpt: no page size");
				self->pages = malloc(file_size);
				self->pfns = calloc(file_size / self->page_size, sizeof(uint64_t));
			}
			if (!self->pages || !self->pfns || !run_add(self, file, file_size, segment))
				return refuse(path, "its segments are not in the file");
		} else if (GET(self, segment, Elf64_Phdr, p_type) == PT_NOTE && !self->note &&
			   offset <= file_size && size <= file_size - offset) {
			self->note_size = size;
			self->note = malloc(size + 1);
			if (self->note)
				memcpy(self->note, file + offset, size);
		}
	}
	return self->page_count || refuse(path, "no excerpt: no pages");
}

/* Room for a segment for every page that follows a hole, and then some. */
static bool copy_make(struct excerpt *self)
{
	size_t room = sizeof(Elf64_Ehdr) + (self->page_count + 1) * sizeof(Elf64_Phdr);
	size_t size = self->page_count * self->page_size;

	room += self->note_size;
	self->head_size = (room + self->page_size - 1) / self->page_size * self->page_size;
	self->head = calloc(1, self->head_size);
	self->fd = memfd_create("excerpt", MFD_CLOEXEC);
	snprintf(self->path, sizeof(self->path), "/proc/self/fd/%d", self->fd);
	for (size_t done = 0; self->fd >= 0 && done < size;) {
		ssize_t got = pwrite(self->fd, self->pages + done, size - done,
				     (off_t)(self->head_size + done));

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return self->fd >= 0 && self->head;
}

bool excerpt_init(struct excerpt *self, const char *path)
{
	size_t size;
	uint8_t *file = file_read(path, &size);
	bool done;

	*self = (struct excerpt){.fd = -1};
	if (!file)
		return refuse(path, "cannot be read");
	if (size < sizeof(Elf64_Ehdr) || memcmp(file, ELFMAG, SELFMAG) ||
	    file[EI_CLASS] != ELFCLASS64) {
		free(file);
		return refuse(path, "not an ELF file of 64 bits");
	}
	self->big_endian = file[EI_DATA] == ELFDATA2MSB;
	memcpy(self->ident, file, sizeof(self->ident));
	done = segments_read(self, path, file, size);
	free(file);
	if (done && !copy_make(self))
		done = refuse(path, "no memory for a copy");
	if (!done)
		excerpt_deinit(self);
	return done;
}

void excerpt_deinit(struct excerpt *self)
{
	if (self->fd >= 0)
		close(self->fd);
	free(self->head);
	free(self->pages);
	free(self->pfns);
	free(self->note);
	*self = (struct excerpt){.fd = -1};
}

static void segment_put(struct excerpt *self, size_t number, uint32_t type, uint64_t offset,
			uint64_t physical, uint64_t size)
{
	uint8_t *segment = self->head + sizeof(Elf64_Ehdr) + number * sizeof(Elf64_Phdr);

	memset(segment, 0, sizeof(Elf64_Phdr));
	PUT(self, segment, Elf64_Phdr, p_type, type);
	PUT(self, segment, Elf64_Phdr, p_flags, type == PT_LOAD ? PF_R | PF_W | PF_X : 0);
	PUT(self, segment, Elf64_Phdr, p_offset, offset);
	PUT(self, segment, Elf64_Phdr, p_paddr, physical);
	PUT(self, segment, Elf64_Phdr, p_filesz, size);
	PUT(self, segment, Elf64_Phdr, p_memsz, size);
	PUT(self, segment, Elf64_Phdr, p_align, type == PT_LOAD ? self->page_size : 4);
}

bool excerpt_leave_out(struct excerpt *self, excerpt_keep *keep, const void *data)
{
	size_t segments = 1, note_at = self->head_size - self->note_size;
	uint8_t *header = self->head;

	segment_put(self, 0, PT_NOTE, note_at, 0, self->note_size);
	for (size_t i = 0; i < self->page_count;) {
		size_t from = i;

		if (!keep(i, data)) {
			i++;
			continue;
		}
		while (i < self->page_count && self->pfns[i] == self->pfns[from] + (i - from) &&
		       keep(i, data))
			i++;
		segment_put(self, segments++, PT_LOAD, self->head_size + from * self->page_size,
			    self->pfns[from] * self->page_size, (i - from) * self->page_size);
	}
	if (segments >= PN_XNUM)
		return false;
	memset(header, 0, sizeof(Elf64_Ehdr));
	memcpy(header, self->ident, sizeof(self->ident));
	PUT(self, header, Elf64_Ehdr, e_version, EV_CURRENT);
	PUT(self, header, Elf64_Ehdr, e_phoff, sizeof(Elf64_Ehdr));
	PUT(self, header, Elf64_Ehdr, e_ehsize, sizeof(Elf64_Ehdr));
	PUT(self, header, Elf64_Ehdr, e_phentsize, sizeof(Elf64_Phdr));
	PUT(self, header, Elf64_Ehdr, e_phnum, segments);
	if (self->note_size)
		memcpy(self->head + note_at, self->note, self->note_size);
	return pwrite(self->fd, self->head, self->head_size, 0) == (ssize_t)self->head_size;
}

bool excerpt_page_write(const struct excerpt *self, size_t page, const void *bytes)
{
	return pwrite(self->fd, bytes, self->page_size,
		      (off_t)(self->head_size + page * self->page_size)) ==
	       (ssize_t)self->page_size;
}

bool excerpt_page_read(const struct excerpt *self, size_t page, void *bytes)
{
	return pread(self->fd, bytes, self->page_size,
		     (off_t)(self->head_size + page * self->page_size)) == (ssize_t)self->page_size;
}

const uint8_t *excerpt_page(const struct excerpt *self, size_t page)
{
	return self->pages + page * self->page_size;
}
