/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>

/* xz -9e needs 65 MiB to unpack; the kernel's build uses less. */
#define XZ_MEMORY_LIMIT (UINT64_C(256) << 20)
#define FIRST_CAPACITY ((size_t)1 << 20)

/* What is unpacked so far. */
struct output {
	unsigned char *bytes;
	size_t used;
	size_t capacity;
};

static enum rbs_code output_grow(struct output *output, const char *path, struct rbs_error *err)
{
	size_t capacity = output->capacity ? 2 * output->capacity : FIRST_CAPACITY;
	unsigned char *bytes;

	if (capacity > RBS_UNPACKED_LIMIT)
		return rbs_error_set(err, RBS_LIMIT, "%s: more than %llu MiB when unpacked", path,
				     (unsigned long long)(RBS_UNPACKED_LIMIT >> 20));
	bytes = realloc(output->bytes, capacity);
	if (!bytes)
		return rbs_error_set(err, RBS_NOMEM, "%s: out of memory to unpack it", path);
	output->bytes = bytes;
	output->capacity = capacity;
	return RBS_OK;
}

static enum rbs_code unpack_xz(const char *path, const unsigned char *packed, size_t size,
			       struct output *output, struct rbs_error *err)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	enum rbs_code code = RBS_OK;
	lzma_ret ret = lzma_stream_decoder(&stream, XZ_MEMORY_LIMIT, LZMA_CONCATENATED);

	stream.next_in = packed;
	stream.avail_in = size;
	while (ret == LZMA_OK && !code) {
		if (output->used == output->capacity)
			code = output_grow(output, path, err);
		if (code)
			break;
		stream.next_out = output->bytes + output->used;
		stream.avail_out = output->capacity - output->used;
		ret = lzma_code(&stream, LZMA_FINISH);
		output->used = output->capacity - stream.avail_out;
	}
	lzma_end(&stream);
	if (code)
		return code;
	if (ret != LZMA_STREAM_END)
		return rbs_error_set(err, RBS_CORRUPT, "%s: damaged or cut off xz data", path);
	return RBS_OK;
}

static enum rbs_code unpack_gzip(const char *path, const unsigned char *packed, size_t size,
				 struct output *output, struct rbs_error *err)
{
	z_stream stream = {.zalloc = Z_NULL};
	enum rbs_code code = RBS_OK;
	int ret;

	if (size > UINT32_MAX)
		return rbs_error_set(err, RBS_LIMIT, "%s: too large to unpack", path);
	ret = inflateInit2(&stream, 16 + MAX_WBITS); /* 16: a gzip header */
	stream.next_in = (unsigned char *)(uintptr_t)packed;
	stream.avail_in = (uInt)size;
	while (ret == Z_OK && !code) {
		if (output->used == output->capacity)
			code = output_grow(output, path, err);
		if (code)
			break;
		stream.next_out = output->bytes + output->used;
		stream.avail_out = (uInt)(output->capacity - output->used);
		ret = inflate(&stream, Z_NO_FLUSH);
		output->used = output->capacity - stream.avail_out;
	}
	inflateEnd(&stream);
	if (code)
		return code;
	if (ret != Z_STREAM_END)
		return rbs_error_set(err, RBS_CORRUPT, "%s: damaged or cut off gzip data", path);
	return RBS_OK;
}

static bool begins_with(const struct rbs_debug_file *file, const char *magic, size_t length)
{
	return file->size >= length && !memcmp(file->bytes, magic, length);
}

/* Replace a mapped compressed file by its unpacked bytes. */
static enum rbs_code unpack(const char *path, struct rbs_debug_file *file, struct rbs_error *err)
{
	struct output output = {.bytes = NULL};
	int64_t changed = file->changed;
	enum rbs_code code;

	if (begins_with(file, "\3757zXZ", 6))
		code = unpack_xz(path, file->bytes, file->size, &output, err);
	else if (begins_with(file, "\x1f\x8b\x08", 3))
		code = unpack_gzip(path, file->bytes, file->size, &output, err);
	else if (begins_with(file, "\x28\xb5\x2f\xfd", 4))
		code = rbs_error_set(err, RBS_UNSUPPORTED,
				     "%s is compressed with zstd: unpack it with 'zstd -d'", path);
	else
		return RBS_OK;
	rbs_debug_file_close(file);
	if (code) {
		free(output.bytes);
		return code;
	}
	file->changed = changed;
	file->bytes = output.bytes;
	file->unpacked = output.bytes;
	file->size = output.used;
	return RBS_OK;
}

enum rbs_code rbs_debug_file_open(const char *path, struct rbs_debug_file *file,
				  struct rbs_error *err)
{
	struct stat status;
	void *bytes = NULL;
	int fd;

	memset(file, 0, sizeof(*file));
	/* O_NONBLOCK: a named pipe in a debug folder must not hang the search. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
	if (fstat(fd, &status)) {
		int saved = errno;

		close(fd);
		return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(saved));
	}
	if (!S_ISREG(status.st_mode)) {
		close(fd);
		return rbs_error_set(err, RBS_IO, "%s is not a file", path);
	}
	if (status.st_size) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED) {
			int saved = errno;

			close(fd);
			return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(saved));
		}
	}
	close(fd);
	file->bytes = bytes;
	file->size = (size_t)status.st_size;
	file->changed = (int64_t)((uint64_t)status.st_mtim.tv_sec * 1000000000 +
				  (uint64_t)status.st_mtim.tv_nsec);
	return unpack(path, file, err);
}

void rbs_debug_file_close(struct rbs_debug_file *file)
{
	if (file->unpacked)
		free(file->unpacked);
	else if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
	memset(file, 0, sizeof(*file));
}

void rbs_debug_file_release(const struct rbs_debug_file *file)
{
	if (file->bytes && !file->unpacked)
		madvise((void *)(uintptr_t)file->bytes, file->size, MADV_DONTNEED);
}
