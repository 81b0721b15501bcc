/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats explain: the glossary. */
#include "cli/cli.h"
#include "lib/render/explain.h"

int cli_explain(int argc, char **argv)
{
	struct rbs_error error;

	if (argc > 2) {
		rbs_error_set(&error, RBS_USAGE, "explain: one name is expected, or none");
		return cli_fail(&error);
	}
	if (rbs_explain(argc == 2 ? argv[1] : NULL, stdout, &error) != RBS_OK) {
		rbs_error_prefix(&error, "explain");
		return cli_fail(&error);
	}
	return cli_finish(stdout, "standard output");
}
