/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/scratch_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

int rbs_scratch_file_open(char *where, size_t size)
{
	const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		int fd;

		if (!folders[i] || !*folders[i])
			continue;
		snprintf(where, size, "%s", folders[i]);
		fd = open(folders[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
	}
	return -1;
}
