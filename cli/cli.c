/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "lib/render/printable.h"
#include "lib/xen_live.h"

int cli_fail(const struct rbs_error *err)
{
	char text[4 * sizeof(err->text)];

	/* It names files and what stands in a dump: neither may move the cursor. */
	fprintf(stderr, CLI_NAME ": %s\n", rbs_printable(err->text, text, sizeof(text)));
	return CLI_FAILURE;
}

enum rbs_code cli_operands_check(const struct rbs_command *command, struct rbs_error *err)
{
	if (!command->operand_count)
		return rbs_error_set(err, RBS_USAGE, "no dump given; see rbstats --help");
	if (command->operand_count > 2)
		return rbs_error_set(
			err, RBS_USAGE,
			"too many files: DUMP [VMLINUX] is expected; see rbstats --help");
	return RBS_OK;
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
	fprintf(out, CLI_NAME " " RBS_VERSION "\nbuilt with json-c %s, %s libdwarf, %s\n",
		json_c_version(),
#ifdef RBS_LIBDWARF_OLD
		"older"
#else
		"newer"
#endif
		,
		rbs_xen_live_built());
}

void cli_progress(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	if (!total || !isatty(STDERR_FILENO))
		return;
	if (done < total)
		fprintf(stderr, "\r%s: searching all pages: %3u %%", CLI_NAME,
			(unsigned)(done * 100 / total));
	else
		fprintf(stderr, "\r\033[K");
	fflush(stderr);
}
