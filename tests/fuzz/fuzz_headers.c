/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_headers - what is looked at before libkdumpfile: flattened, cut, damaged and FreeBSD's
 * files. */
#include <unistd.h>

#include "lib/target/flattened.h"
#include "lib/target/freebsd.h"
#include "lib/target/header_check.h"
#include "lib/target/truncated.h"
#include "lib/target/xen_notes.h"
#include "tests/fuzz/fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct rbs_xen_notes notes = {0};
	struct rbs_target *target = NULL;
	struct rbs_disk_map map;
	char path[FUZZ_PATH_SIZE];
	int fd = fuzz_file(bytes, size, path), rearranged;

	if (rbs_flattened_detect(fd) &&
	    rbs_flattened_rearrange(fd, path, &rearranged, NULL) == RBS_OK)
		close(rearranged);
	if (rbs_disk_map_init(&map, fd, path, NULL) == RBS_OK)
		rbs_truncated_check(fd, path, &map, NULL);
	rbs_disk_map_deinit(&map);
	rbs_header_check(fd, path, NULL);
	rbs_xen_notes_init(&notes, fd, NULL);
	rbs_xen_notes_deinit(&notes);
	if (rbs_freebsd_open(path, &target, NULL) == RBS_OK)
		rbs_target_destroy(target);
	close(fd);
	return 0;
}
