/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/render.h"

#include <string.h>

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
