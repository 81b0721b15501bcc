/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rbstats: the subcommands, and what is common to them. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/command.h"

static const struct cli_command commands[] = {
	{"show", "DUMP [VMLINUX]", "print the figures of a dump (the default)", cli_show},
	{"excerpt", "DUMP [VMLINUX] -o FILE", "write a small dump of the pages that show reads",
	 cli_excerpt},
	{"extract", "DUMP [VMLINUX] -o DIR [--partial] [--all]",
	 "write the records in LTTng's buffers as traces for babeltrace2", cli_extract},
	{"report", "DUMP [VMLINUX] -o FILE", "a page for escalations (-F html, or md for tickets)",
	 cli_report},
	{"diff", "A B", "what moved between two dumps, or files of JSON", cli_diff},
	{"triage", "[-j N] [--timeout S] DUMP...",
	 "judge many dumps, a line each (-F text or jsonl)", cli_triage},
	{"explain", "[NAME]", "what a figure, a column or a finding means; all without NAME",
	 cli_explain},
	{NULL, NULL, NULL, NULL},
};

static void usage_print(FILE *out)
{
	char families[256], formats[256];

	fprintf(out,
		"usage: rbstats [show] [-f FAMILY,...] [-d GLOB] [-v] [-F FORMAT] [-o FILE]\n"
		"               [--debuginfo PATH]... [--symbols FILE] DUMP [VMLINUX]\n"
		"\n"
		"Ring buffer statistics out of a kernel crash dump: what sysfs, ethtool and\n"
		"tracefs print on a live system, read from its dump.\n"
		"\n"
		"  -f, --family LIST     only these families:\n"
		"                        %s\n"
		"  -d, --device GLOB     only devices whose name, driver, interface or\n"
		"                        address fits\n"
		"  -v, --verbose         more: idle rings, addresses, what is in flight\n"
		"      --scan            search all pages for LTTng user space buffers\n"
		"  -F, --format FORMAT   %s\n"
		"  -o, --output FILE     write there instead of to standard output\n"
		"      --debuginfo PATH  a file or folder with debug information; repeatable\n"
		"      --symbols FILE    a System.map or vmlinux with the kernel's symbols\n"
		"      --xen-syms FILE   the hypervisor's ELF file: read Xen's vCPUs in a dump\n"
		"                        of the machine\n"
		"      --xen-guest DOMID with --xen-syms: read this PV domain's Linux too\n"
		"      --xen-live [DOMID] instead of a dump: ask the Xen that this dom0 runs on\n"
		"      --xen-phys-start ADDRESS  where Xen was loaded, if it is not found\n"
		"      --sysctl seed     with -F sysctl: FreeBSD 11.0's text, whatever the\n"
		"                        dump's is\n"
		"      --types LIST      ask only these sources of types, in this order (btf,\n"
		"                        dwarf; of FreeBSD dwarf, ctf)\n"
		"      --no-cache        neither use nor write ~/.cache/rbstats/layouts\n"
		"  -h, --help            this text\n"
		"      --version         the version, and what it was built with\n"
		"\n"
		"commands:\n",
		rbs_family_names(families, sizeof(families)),
		rbs_render_names(formats, sizeof(formats)));
	for (const struct cli_command *command = commands; command->name; command++)
		fprintf(out, "  %-8s %s\n           %s\n", command->name, command->arguments,
			command->summary);
	fprintf(out, "\nSee rbstats(1).\n");
}

static void command_usage_print(const struct cli_command *command, FILE *out)
{
	fprintf(out,
		"usage: rbstats %s %s\n\n%s\n\n"
		"rbstats --help lists the options, rbstats(1) explains them.\n",
		command->name, command->arguments, command->summary);
}

static bool asks_for_help(const char *argument)
{
	return !strcmp(argument, "--help") || !strcmp(argument, "-h");
}

int main(int argc, char **argv)
{
	/* A limit on the size of files is an error like a full disk, not an end. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		fprintf(stderr, "rbstats: no dump given; see rbstats --help\n");
		return 1;
	}
	if (asks_for_help(argv[1])) {
		usage_print(stdout);
		return cli_finish(stdout, "standard output");
	}
	if (!strcmp(argv[1], "--version")) {
		cli_version_print(stdout);
		return cli_finish(stdout, "standard output");
	}
	for (const struct cli_command *command = commands; command->name; command++) {
		if (strcmp(argv[1], command->name))
			continue;
		if (argc > 2 && asks_for_help(argv[2])) {
			command_usage_print(command, stdout);
			return cli_finish(stdout, "standard output");
		}
		return command->run(argc - 1, argv + 1);
	}
	return cli_show(argc, argv);
}
