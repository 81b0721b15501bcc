/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats show --xen-live: the figures of the hypervisor that this machine runs on. */
#include "cli/cli.h"
#include "lib/xen_live.h"

enum rbs_code cli_xen_live_load(struct rbs_command *command, struct rbs_report **report,
				struct rbs_error *err)
{
	struct rbs_xen_live_options options = {.has_domain = command->operand_count > 0};
	enum rbs_code code = RBS_OK;
	struct rbs_dump dump;

	if (command->operand_count > 1)
		code = rbs_error_set(err, RBS_USAGE, "--xen-live takes one domain at most");
	else if (command->operand_count)
		code = rbs_command_domain("--xen-live", command->operands[0], &options.domain, err);
	if (code == RBS_OK)
		code = rbs_xen_live_open(&dump, &options, err);
	if (code != RBS_OK)
		return code;
	code = rbs_session_show(&dump, &command->show, report, err);
	rbs_dump_deinit(&dump);
	return code;
}
