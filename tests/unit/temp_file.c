/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "temp_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void temp_file_init(struct temp_file *file, const void *bytes, size_t size)
{
	int fd;

	strcpy(file->path, "/tmp/rbstats-unit-XXXXXX");
	fd = mkstemp(file->path);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

void temp_file_deinit(struct temp_file *file)
{
	unlink(file->path);
}
