/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a FreeBSD dump, and reading its memory. */
#include "lib/target/freebsd_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FreeBSD's KERNBASE on amd64: where the image is linked, 2 GiB below the end of all addresses. */
#define AMD64_KERNBASE UINT64_C(0xffffffff80000000)
/* The image, the modules and the symbol tables that the loader puts behind it. */
#define IMAGE_SIZE (UINT64_C(256) << 20)

static enum rbs_code bytes_read(const struct freebsd_file *file, uint64_t offset, void *buffer,
				size_t length, struct rbs_error *err)
{
	uint8_t *to = buffer;

	while (length) {
		ssize_t got = pread(file->fd, to, length, (off_t)(file->base + offset));

		if (got < 0)
			return rbs_error_set(err, RBS_IO, "the dump file at %" PRIu64 ": %s",
					     file->base + offset, strerror(errno));
		if (!got)
			return rbs_error_set(err, RBS_TRUNCATED,
					     "the dump file became shorter while it was read");
		to += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return RBS_OK;
}

/* The slot of a page of the file, read when it is not there. */
static enum rbs_code page_load(struct freebsd_file *file, uint64_t page, const uint8_t **bytes,
			       struct rbs_error *err)
{
	size_t slot = page % FREEBSD_CACHE_SLOTS;
	uint64_t offset = page * FREEBSD_CACHE_PAGE;
	uint8_t *place = file->cache + slot * FREEBSD_CACHE_PAGE;
	uint64_t left = file->size - offset;
	size_t length = left < FREEBSD_CACHE_PAGE ? left : FREEBSD_CACHE_PAGE;

	if (file->slots[slot] != page + 1) {
		enum rbs_code code = bytes_read(file, offset, place, length, err);

		file->slots[slot] = code == RBS_OK ? page + 1 : 0;
		if (code != RBS_OK)
			return code;
	}
	*bytes = place;
	return RBS_OK;
}

enum rbs_code freebsd_file_read(struct freebsd_file *file, uint64_t offset, void *buffer,
				size_t length, struct rbs_error *err)
{
	uint8_t *to = buffer;

	if (offset > file->size || length > file->size - offset)
		return rbs_error_set(err, RBS_TRUNCATED, "the dump file ends before it");
	/* A bitmap, a symbol table: once, and not through the cache. */
	if (length >= FREEBSD_CACHE_BYPASS)
		return bytes_read(file, offset, buffer, length, err);
	while (length) {
		uint64_t page = offset / FREEBSD_CACHE_PAGE, at = offset % FREEBSD_CACHE_PAGE;
		size_t step = length < FREEBSD_CACHE_PAGE - at ? length : FREEBSD_CACHE_PAGE - at;
		const uint8_t *bytes = NULL;
		enum rbs_code code = page_load(file, page, &bytes, err);

		if (code != RBS_OK)
			return code;
		memcpy(to, bytes + at, step);
		to += step;
		offset += step;
		length -= step;
	}
	return RBS_OK;
}

static enum rbs_code physical_locate(struct freebsd_target *self, uint64_t physical,
				     uint64_t *offset, uint64_t *length, struct rbs_error *err)
{
	uint64_t size = self->target.info.page_size, in_page = physical & (size - 1);
	enum rbs_code code;

	if (rbs_page_set_add(&self->pages, physical / size))
		self->target.stats.pages_read++;
	if (self->is_full)
		return freebsd_full_find(self, physical, offset, length, err);
	code = freebsd_mini_page(self, physical, offset, err);
	*offset += in_page;
	*length = size - in_page;
	return code;
}

static enum rbs_code physical_read(struct freebsd_target *self, uint64_t physical, void *buffer,
				   size_t length, struct rbs_error *err)
{
	uint8_t *to = buffer;

	while (length) {
		uint64_t offset = 0, there = 0;
		size_t step;
		enum rbs_code code = physical_locate(self, physical, &offset, &there, err);

		if (code != RBS_OK)
			return code;
		step = length < there ? length : there;
		code = freebsd_file_read(&self->file, offset, to, step, err);
		if (code != RBS_OK)
			return code;
		to += step;
		physical += step;
		length -= step;
	}
	return RBS_OK;
}

static enum rbs_code mini_read(struct freebsd_target *self, uint64_t address, void *buffer,
			       size_t length, struct rbs_error *err)
{
	uint64_t size = self->target.info.page_size;
	uint8_t *to = buffer;

	while (length) {
		size_t step = rbs_page_part(address, length, size);
		struct rbs_error error;
		uint64_t physical;
		enum rbs_code code = freebsd_mini_translate(self, address, &physical, &error);

		if (code == RBS_OK)
			code = physical_read(self, physical, to, step, &error);
		if (code != RBS_OK)
			return rbs_error_set_at(err, code, address, "%" PRIx64 ": %s", address,
						error.text);
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}

static enum rbs_code freebsd_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				  void *buffer, size_t length, struct rbs_error *err)
{
	struct freebsd_target *self = freebsd_target_from(target);
	struct rbs_error error;
	enum rbs_code code;

	if (space == RBS_KERNEL_VIRTUAL && !self->is_full)
		return mini_read(self, address, buffer, length, err);
	if (space == RBS_KERNEL_VIRTUAL && !self->full.has_root)
		return rbs_error_set_at(err, RBS_UNMAPPED, address,
					"the kernel's page tables are not known");
	if (space == RBS_KERNEL_VIRTUAL)
		return rbs_x86_read(&self->full.walk, address, buffer, length, err);
	code = physical_read(self, address, buffer, length, &error);
	if (code != RBS_OK)
		return rbs_error_set_at(err, code, address, "physical %" PRIx64 ": %s", address,
					error.text);
	return RBS_OK;
}

/* VMCOREINFO is a Linux kernel's. */
static const char *freebsd_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static void freebsd_destroy(struct rbs_target *target)
{
	struct freebsd_target *self = freebsd_target_from(target);

	freebsd_mini_deinit(&self->mini);
	freebsd_full_deinit(&self->full);
	rbs_page_set_deinit(&self->pages);
	free(self->file.cache);
	free(self->file.slots);
	if (self->file.fd >= 0)
		close(self->file.fd);
	free(self);
}

static const struct rbs_target_ops freebsd_ops = {
	.read = freebsd_read,
	.vmcoreinfo = freebsd_vmcoreinfo,
	.destroy = freebsd_destroy,
};

/* A fifo would wait for its other end; what is no file or device is another reader's to refuse. */
static bool file_open(struct freebsd_file *file, const char *path)
{
	struct stat status;
	off_t size;

	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 || fstat(file->fd, &status) ||
	    (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)))
		return false;
	size = lseek(file->fd, 0, SEEK_END);
	file->size = size < 0 ? 0 : (uint64_t)size;
	file->cache = malloc(FREEBSD_CACHE_SLOTS * FREEBSD_CACHE_PAGE);
	file->slots = calloc(FREEBSD_CACHE_SLOTS, sizeof(*file->slots));
	return true;
}

static enum rbs_code dump_init(struct freebsd_target *self, bool *known, struct rbs_error *err)
{
	uint8_t head[FREEBSD_CACHE_PAGE] = {0};
	size_t size = self->file.size < sizeof(head) ? self->file.size : sizeof(head);
	enum rbs_code code = freebsd_file_read(&self->file, 0, head, size, err);

	*known = false;
	if (code != RBS_OK)
		return code;
	if (freebsd_mini_detect(head, size)) {
		*known = true;
		return freebsd_mini_init(self, head, err);
	}
	if (freebsd_full_detect(&self->file, head, size)) {
		*known = true;
		self->is_full = true;
		return freebsd_full_init(self, head, err);
	}
	return RBS_OK;
}

static enum rbs_code target_init(struct freebsd_target *self, const char *path, bool *known,
				 struct rbs_error *err)
{
	bool on_device;
	enum rbs_code code;

	if (!self->file.cache || !self->file.slots)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	code = freebsd_media_look(&self->file, path, &self->header, &on_device, err);
	if (code == RBS_OK)
		code = dump_init(self, known, err);
	if (code != RBS_OK)
		return rbs_error_prefix(err, "%s", path);
	if (on_device && !*known)
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s: a dump device of FreeBSD whose header leads to no dump "
				     "that is known: run savecore(8) on it and give the vmcore",
				     path);
	return RBS_OK;
}

enum rbs_code rbs_freebsd_open(const char *path, struct rbs_target **target, struct rbs_error *err)
{
	struct freebsd_target *self = calloc(1, sizeof(*self));
	bool known = false;
	enum rbs_code code = RBS_OK;

	*target = NULL;
	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &freebsd_ops;
	self->target.info.byte_order = RBS_LITTLE_ENDIAN;
	rbs_page_set_init(&self->pages);
	snprintf(self->target.info.path, sizeof(self->target.info.path), "%s", path);
	snprintf(self->target.info.system, sizeof(self->target.info.system), "FreeBSD");
	if (file_open(&self->file, path))
		code = target_init(self, path, &known, err);
	if (code == RBS_OK && known)
		*target = &self->target;
	else
		freebsd_destroy(&self->target);
	return code;
}

bool rbs_freebsd_is(const struct rbs_target *target)
{
	return target->ops == &freebsd_ops;
}

const struct rbs_freebsd_header *rbs_freebsd_header_get(const struct rbs_target *target)
{
	return &((const struct freebsd_target *)target)->header;
}

char *rbs_freebsd_messages(struct rbs_target *target)
{
	struct freebsd_target *self = freebsd_target_from(target);
	size_t size = self->mini.messages_size, kept = 0;
	char *text = self->is_full ? NULL : malloc(size + 1);

	if (text && freebsd_file_read(&self->file, self->mini.messages_offset, text, size, NULL) !=
			    RBS_OK) {
		free(text);
		return NULL;
	}
	/* A buffer that was never filled up has NULs, also before its text. */
	for (size_t i = 0; text && i < size; i++) {
		if (text[i])
			text[kept++] = text[i];
	}
	if (text)
		text[kept] = '\0';
	return text;
}

void rbs_freebsd_image_range(const struct rbs_target *target, uint64_t *start, uint64_t *end)
{
	const struct freebsd_target *self = (const struct freebsd_target *)target;

	/* amd64's minidump describes more than the image: all from VM_MIN_KERNEL_ADDRESS on. */
	*start = self->is_full || self->mini.arch == FREEBSD_AMD64 ? AMD64_KERNBASE
								   : self->mini.kernbase;
	*end = *start + IMAGE_SIZE;
}

uint64_t rbs_freebsd_missing(const struct rbs_target *target)
{
	const struct freebsd_target *self = (const struct freebsd_target *)target;

	return self->end > self->file.size ? self->end - self->file.size : 0;
}
