/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/flattened.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bytes.h"
#include "lib/target/scratch_file.h"

#define HEADER_SIZE 4096
#define SIGNATURE "makedumpfile"
#define COPY_SIZE (1 << 20)

bool rbs_flattened_detect(int fd)
{
	uint8_t header[32];

	/* The stream format's type is 1 and its version 1, big endian. */
	return pread(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       !memcmp(header, SIGNATURE, sizeof(SIGNATURE)) && rbs_bytes_big(header + 16, 8) == 1;
}

static enum rbs_code piece_copy(int from, uint64_t from_offset, int to, uint64_t to_offset,
				uint64_t size, char *buffer, const char *path, const char *where,
				struct rbs_error *err)
{
	while (size) {
		size_t step = size < COPY_SIZE ? size : COPY_SIZE;
		ssize_t got = pread(from, buffer, step, (off_t)from_offset);

		if (got < 0)
			return rbs_error_set(err, RBS_IO, "%s: %s", path, strerror(errno));
		if (got == 0)
			return rbs_error_set(
				err, RBS_TRUNCATED,
				"%s: the flattened dump ends in the middle of a record "
				"at %llu; it was not written completely",
				path, (unsigned long long)from_offset);
		if (pwrite(to, buffer, (size_t)got, (off_t)to_offset) != got)
			return rbs_error_set(
				err, RBS_IO,
				"%s is flattened and a rearranged copy does not fit in "
				"%s (%s); set TMPDIR, or run: makedumpfile -R NEW < %s",
				path, where, strerror(errno), path);
		from_offset += (uint64_t)got;
		to_offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return RBS_OK;
}

static enum rbs_code pieces_copy(int from, int to, const char *path, const char *where,
				 struct rbs_error *err)
{
	char *buffer = malloc(COPY_SIZE);
	uint64_t at = HEADER_SIZE;
	enum rbs_code code = RBS_OK;

	if (!buffer)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	while (code == RBS_OK) {
		uint8_t record[16];
		uint64_t offset, size;

		if (pread(from, record, sizeof(record), (off_t)at) != (ssize_t)sizeof(record)) {
			code = rbs_error_set(err, RBS_TRUNCATED,
					     "%s: the flattened dump has no end mark; it was not "
					     "written completely",
					     path);
			break;
		}
		offset = rbs_bytes_big(record, 8);
		size = rbs_bytes_big(record + 8, 8);
		if (offset == UINT64_MAX)
			break;
		if (offset > INT64_MAX / 2 || size > INT64_MAX / 2) {
			code = rbs_error_set(err, RBS_CORRUPT,
					     "%s: bad record at %llu of the flattened dump", path,
					     (unsigned long long)at);
			break;
		}
		at += sizeof(record);
		code = piece_copy(from, at, to, offset, size, buffer, path, where, err);
		at += size;
	}
	free(buffer);
	return code;
}

enum rbs_code rbs_flattened_rearrange(int fd, const char *path, int *rearranged,
				      struct rbs_error *err)
{
	char where[4096] = "";
	int to = rbs_scratch_file_open(where, sizeof(where));
	enum rbs_code code;

	if (to < 0)
		return rbs_error_set(
			err, RBS_IO,
			"%s is flattened and no temporary file can be made in %s (%s); "
			"set TMPDIR, or run: makedumpfile -R NEW < %s",
			path, where, strerror(errno), path);
	code = pieces_copy(fd, to, path, where, err);
	if (code != RBS_OK) {
		close(to);
		return code;
	}
	*rearranged = to;
	return RBS_OK;
}
