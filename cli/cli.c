/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

#include <json-c/json.h>

int cli_fail(const struct rbs_error *err)
{
	fprintf(stderr, CLI_NAME ": %s\n", err->text);
	return CLI_FAILURE;
}

int cli_finish(FILE *out, const char *name)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	fprintf(stderr, CLI_NAME ": %s: %s\n", name, strerror(errno));
	return CLI_FAILURE;
}

void cli_version_print(FILE *out)
{
	fprintf(out, CLI_NAME " " RBS_VERSION "\nbuilt with json-c %s, %s libdwarf\n",
		json_c_version(),
#ifdef RBS_LIBDWARF_OLD
		"older"
#else
		"newer"
#endif
	);
}
