/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/probe.h"

enum {
	OPTION_DEBUGINFO = 256,
	OPTION_SYMBOLS,
	OPTION_TYPES,
	OPTION_XEN_SYMS,
	OPTION_XEN_PHYS_START,
	OPTION_XEN_GUEST,
	OPTION_XEN_LIVE,
	OPTION_NO_CACHE,
	OPTION_PARTIAL,
	OPTION_ALL,
	OPTION_SYSCTL,
	OPTION_SCAN,
};

static const struct option long_options[] = {
	{"family", required_argument, NULL, 'f'},
	{"device", required_argument, NULL, 'd'},
	{"verbose", no_argument, NULL, 'v'},
	{"format", required_argument, NULL, 'F'},
	{"output", required_argument, NULL, 'o'},
	{"explain", required_argument, NULL, 'e'},
	{"debuginfo", required_argument, NULL, OPTION_DEBUGINFO},
	{"symbols", required_argument, NULL, OPTION_SYMBOLS},
	{"types", required_argument, NULL, OPTION_TYPES},
	{"xen-syms", required_argument, NULL, OPTION_XEN_SYMS},
	{"xen-phys-start", required_argument, NULL, OPTION_XEN_PHYS_START},
	{"xen-guest", required_argument, NULL, OPTION_XEN_GUEST},
	{"xen-live", no_argument, NULL, OPTION_XEN_LIVE},
	{"no-cache", no_argument, NULL, OPTION_NO_CACHE},
	{"partial", no_argument, NULL, OPTION_PARTIAL},
	{"all", no_argument, NULL, OPTION_ALL},
	{"sysctl", required_argument, NULL, OPTION_SYSCTL},
	{"scan", no_argument, NULL, OPTION_SCAN},
	{NULL, 0, NULL, 0},
};

const char *rbs_family_names(char *buffer, size_t size)
{
	size_t count, used = 0;
	const struct rbs_probe *const *probes = rbs_probes(&count);

	buffer[0] = '\0';
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "",
					 probes[i]->family->name);
	return buffer;
}

static enum rbs_code string_append(const char ***array, size_t *count, const char *text,
				   struct rbs_error *err)
{
	const char **grown = reallocarray(*array, *count + 1, sizeof(*grown));

	if (!grown)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	grown[(*count)++] = text;
	*array = grown;
	return RBS_OK;
}

static enum rbs_code families_parse(struct rbs_command *command, const char *list,
				    struct rbs_error *err)
{
	char *rest, *name;
	char names[256];

	free(command->family_text);
	command->family_text = strdup(list);
	if (!command->family_text)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	command->show.family_count = 0;
	for (name = strtok_r(command->family_text, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		enum rbs_code code;

		if (!rbs_probe_find(name))
			return rbs_error_set(err, RBS_USAGE, "no family '%s'; there are: %s", name,
					     rbs_family_names(names, sizeof(names)));
		code = string_append(&command->families, &command->show.family_count, name, err);
		if (code != RBS_OK)
			return code;
	}
	if (!command->show.family_count)
		return rbs_error_set(err, RBS_USAGE, "-f needs a family; there are: %s",
				     rbs_family_names(names, sizeof(names)));
	command->show.families = command->families;
	return RBS_OK;
}

/* The session knows the names. */
static enum rbs_code types_parse(struct rbs_command *command, const char *list,
				 struct rbs_error *err)
{
	char *rest, *name;

	free(command->types_text);
	command->types_text = strdup(list);
	if (!command->types_text)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	command->session.type_source_count = 0;
	for (name = strtok_r(command->types_text, ",", &rest); name;
	     name = strtok_r(NULL, ",", &rest)) {
		enum rbs_code code = string_append(&command->types,
						   &command->session.type_source_count, name, err);

		if (code != RBS_OK)
			return code;
	}
	if (!command->session.type_source_count)
		return rbs_error_set(err, RBS_USAGE, "--types needs a source of types");
	command->session.type_sources = command->types;
	return RBS_OK;
}

/* Hexadecimal, as Xen and crash print it, with 0x or without. */
static enum rbs_code address_parse(struct rbs_command *command, const char *text,
				   struct rbs_error *err)
{
	char *end;

	errno = 0;
	command->session.xen_phys_start = strtoull(text, &end, 16);
	if (end == text || *end || errno || *text == '-')
		return rbs_error_set(err, RBS_USAGE,
				     "--xen-phys-start needs an address in hexadecimal, not '%s'",
				     text);
	command->session.has_xen_phys_start = true;
	return RBS_OK;
}

enum rbs_code rbs_command_domain(const char *option, const char *text, uint32_t *domain,
				 struct rbs_error *err)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	/* DOMID_FIRST_RESERVED, public/xen.h of Xen */
	if (end == text || *end || errno || *text == '-' || number >= 0x7ff0)
		return rbs_error_set(err, RBS_USAGE, "%s needs a domain's number, not '%s'", option,
				     text);
	*domain = (uint32_t)number;
	return RBS_OK;
}

static enum rbs_code option_take(struct rbs_command *command, int option, struct rbs_error *err)
{
	char names[256];

	switch (option) {
	case 'f':
		return families_parse(command, optarg, err);
	case 'd':
		command->show.device = optarg;
		return RBS_OK;
	case 'v':
		command->show.verbose = true;
		return RBS_OK;
	case 'F':
		command->render = rbs_render_find(optarg);
		if (!command->render)
			return rbs_error_set(err, RBS_USAGE, "no format '%s'; there are: %s",
					     optarg, rbs_render_names(names, sizeof(names)));
		return RBS_OK;
	case 'o':
		command->output = optarg;
		return RBS_OK;
	case 'e':
		command->explain = optarg;
		return RBS_OK;
	case OPTION_DEBUGINFO:
		return string_append(&command->debuginfo, &command->session.debuginfo_count, optarg,
				     err);
	case OPTION_SYMBOLS:
		command->session.symbols_file = optarg;
		return RBS_OK;
	case OPTION_TYPES:
		return types_parse(command, optarg, err);
	case OPTION_XEN_SYMS:
		command->session.xen_syms = optarg;
		return RBS_OK;
	case OPTION_XEN_PHYS_START:
		return address_parse(command, optarg, err);
	case OPTION_XEN_GUEST:
		command->session.has_xen_guest = true;
		return rbs_command_domain("--xen-guest", optarg, &command->session.xen_guest, err);
	case OPTION_XEN_LIVE:
		command->xen_live = true;
		return RBS_OK;
	case OPTION_NO_CACHE:
		command->session.cache = false;
		return RBS_OK;
	case OPTION_PARTIAL:
		command->partial = true;
		return RBS_OK;
	case OPTION_ALL:
		command->consumed = true;
		return RBS_OK;
	case OPTION_SCAN:
		command->show.scan = true;
		return RBS_OK;
	case OPTION_SYSCTL:
		command->sysctl_seed = !strcmp(optarg, "seed");
		if (!command->sysctl_seed && strcmp(optarg, "own"))
			return rbs_error_set(err, RBS_USAGE,
					     "--sysctl is own (the dump's own text) or seed "
					     "(FreeBSD 11.0's), not '%s'",
					     optarg);
		return RBS_OK;
	default:
		return RBS_USAGE;
	}
}

static enum rbs_code options_parse(struct rbs_command *command, int argc, char **argv,
				   struct rbs_error *err)
{
	int option;

	/* getopt keeps its place in globals: 0 makes glibc start afresh for every command line. */
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":f:d:vF:o:e:", long_options, NULL)) != -1) {
		enum rbs_code code;

		if (option == ':')
			return rbs_error_set(err, RBS_USAGE, "%s needs an argument",
					     argv[optind - 1]);
		/* A letter that there is: only as a word can it have been given an argument. */
		if (option == '?' && optopt == 'v')
			return rbs_error_set(err, RBS_USAGE, "%s: the option takes no argument",
					     argv[optind - 1]);
		if (option == '?' && optopt && optopt < 256)
			return rbs_error_set(err, RBS_USAGE, "no option -%c", optopt);
		if (option == '?')
			return rbs_error_set(err, RBS_USAGE, "no option %s", argv[optind - 1]);
		code = option_take(command, option, err);
		if (code != RBS_OK)
			return code;
	}
	for (int i = optind; i < argc; i++) {
		enum rbs_code code =
			string_append(&command->operands, &command->operand_count, argv[i], err);

		if (code != RBS_OK)
			return code;
	}
	return RBS_OK;
}

enum rbs_code rbs_command_parse(struct rbs_command *command, int argc, char **argv,
				rbs_render_fn *render, struct rbs_error *err)
{
	enum rbs_code code;

	const char *no_cache = getenv("RBSTATS_NO_CACHE");

	*command = (struct rbs_command){.render = render};
	command->session.cache = !no_cache || !*no_cache;
	code = options_parse(command, argc, argv, err);
	if (code == RBS_OK && (command->partial || command->consumed) && strcmp(argv[0], "extract"))
		code = rbs_error_set(err, RBS_USAGE,
				     "--partial and --all are options of 'extract'");
	command->session.debuginfo = command->debuginfo;
	command->show.verbose = command->show.verbose || rbs_render_needs_slots(command->render);
	if (code != RBS_OK)
		rbs_command_deinit(command);
	return code;
}

void rbs_command_deinit(struct rbs_command *command)
{
	free(command->operands);
	free(command->debuginfo);
	free(command->families);
	free(command->types);
	free(command->types_text);
	free(command->family_text);
	*command = (struct rbs_command){0};
}
