/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/render.h"

#include <inttypes.h>
#include <string.h>

#include "lib/render/printable.h"

static const struct {
	const char *name;
	rbs_render_fn *render;
} formats[] = {
	{"text", rbs_render_text},   {"json", rbs_render_json},
	{"flat", rbs_render_flat},   {"sysctl", rbs_render_sysctl},
	{"sysfs", rbs_render_sysfs}, {"teardown", rbs_render_teardown},
	{"html", rbs_render_html},   {"md", rbs_render_markdown},
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))

rbs_render_fn *rbs_render_find(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (!strcmp(formats[i].name, name))
			return formats[i].render;
	}
	return NULL;
}

const char *rbs_render_machine(const struct rbs_report *report, char *buffer, size_t size)
{
	char arch[4 * sizeof(report->dump.arch)];
	uint64_t page = report->dump.page_size;

	rbs_printable(report->dump.arch, arch, sizeof(arch));
	/* Nobody expects anything but 4 KiB, and x86-64 and s390x have nothing else. */
	if (!page || page == 4096)
		snprintf(buffer, size, "%s", arch);
	else
		snprintf(buffer, size, "%s (pages of %" PRIu64 " %s)", arch,
			 page % 1024 ? page : page / 1024, page % 1024 ? "bytes" : "KiB");
	return buffer;
}

const char *rbs_render_names(char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < FORMAT_COUNT && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "",
					 formats[i].name);
	return buffer;
}

bool rbs_render_needs_slots(rbs_render_fn *render)
{
	return render == rbs_render_teardown || render == rbs_render_html;
}
