/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/fuzz_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int fuzz_file(const uint8_t *bytes, size_t size, char *path)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, FUZZ_PATH_SIZE, "/proc/self/fd/%d", fd);
	return fd;
}
