/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz_json - stored results: read, and printed in every format. */
#include <stdio.h>
#include <unistd.h>

#include "lib/render/json_read.h"
#include "lib/render/render.h"
#include "tests/fuzz/fuzz_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const formats[] = {"text",  "json",	   "flat", "sysctl",
					      "sysfs", "teardown", "html", "md"};
	const struct rbs_render_options options = {.tool = "", .version = "", .verbose = true};
	struct rbs_report *report;
	char path[FUZZ_PATH_SIZE];
	int fd = fuzz_file(bytes, size, path);

	if (rbs_json_read(path, &report, NULL) == RBS_OK) {
		for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
			FILE *out = fopen("/dev/null", "w");

			if (out) {
				rbs_render_find(formats[i])(report, &options, out, NULL);
				fclose(out);
			}
		}
		rbs_report_destroy(report);
	}
	close(fd);
	return 0;
}
