/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/damage/input.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#define OPTIONS_MAX 16

static void usage(const char *program, const struct input_option *options, size_t count)
{
	fprintf(stderr, "usage: %s", program);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, " [--%s%s]", options[i].name,
			options[i].flag	    ? ""
			: options[i].number ? " N"
					    : " TEXT");
	fprintf(stderr, " DUMP\n");
}

static bool value_put(const struct input_option *option, const char *value)
{
	char *end;

	if (option->flag) {
		*option->flag = true;
		return true;
	}
	if (option->text) {
		*option->text = value;
		return true;
	}
	errno = 0;
	*option->number = strtoul(value, &end, 10);
	return !errno && end != value && !*end;
}

bool input_read(struct input *input, const struct input_option *own, int argc, char **argv)
{
	struct input_option options[OPTIONS_MAX] = {
		{"xen-syms", .text = &input->xen_syms},
		{"xen-guest", .flag = &input->xen_guest},
		{"debuginfo", .text = &input->debuginfo},
		{"symbols", .text = &input->symbols},
	};
	struct option longs[OPTIONS_MAX + 1] = {0};
	size_t count = 4;
	int option;

	while (own->name && count < OPTIONS_MAX)
		options[count++] = *own++;
	for (size_t i = 0; i < count; i++) {
		longs[i].name = options[i].name;
		longs[i].has_arg = options[i].flag ? no_argument : required_argument;
		longs[i].val = (int)i;
	}
	while ((option = getopt_long(argc, argv, "", longs, NULL)) >= 0) {
		if ((size_t)option >= count || !value_put(&options[option], optarg)) {
			usage(argv[0], options, count);
			return false;
		}
	}
	if (optind != argc - 1) {
		usage(argv[0], options, count);
		return false;
	}
	input->path = argv[optind];
	return true;
}

struct rbs_session_options input_session(const struct input *input)
{
	return (struct rbs_session_options){
		.xen_syms = input->xen_syms,
		.has_xen_guest = input->xen_guest,
		.symbols_file = input->symbols,
		.debuginfo = &input->debuginfo,
		.debuginfo_count = input->debuginfo != NULL,
	};
}
