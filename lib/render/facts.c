/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/facts.h"

#include <stdio.h>
#include <time.h>

#define TIME_FORMAT "%Y-%m-%dT%H:%M:%SZ"

const char *rbs_time_format(int64_t seconds, char *buffer, size_t size)
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!gmtime_r(&time, &parts) || !strftime(buffer, size, TIME_FORMAT, &parts))
		snprintf(buffer, size, "?");
	return buffer;
}

bool rbs_time_parse(const char *text, int64_t *seconds)
{
	struct tm parts = {0};
	const char *end = strptime(text, TIME_FORMAT, &parts);

	if (!end || *end)
		return false;
	*seconds = (int64_t)timegm(&parts);
	return true;
}

struct rbs_fact rbs_fact_get(const struct rbs_target_info *info, unsigned number)
{
	struct rbs_fact fact = {.label = NULL};

	if (*info->panic && !number--) {
		fact.label = "panic";
		snprintf(fact.text, sizeof(fact.text), "%s", info->panic);
	} else if (info->has_boot_time && !number--) {
		fact.label = "booted";
		rbs_time_format(info->boot_time, fact.text, sizeof(fact.text));
	} else if (*info->version && !number--) {
		fact.label = "version";
		snprintf(fact.text, sizeof(fact.text), "%s", info->version);
	}
	return fact;
}
