/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * command - the arguments of 'show', the same for the program and for crash's command.
 *
 * Strings are borrowed from argv. Errors come back as one line; nothing is printed.
 */
#ifndef RBS_COMMAND_H
#define RBS_COMMAND_H

#include "lib/render/render.h"
#include "lib/session.h"

struct rbs_command {
	struct rbs_session_options session;
	struct rbs_show_options show;
	rbs_render_fn *render;
	bool partial, consumed; /* of 'extract' alone */
	bool xen_live;	     /* the running hypervisor instead of a dump; an operand is a domain */
	bool sysctl_seed;    /* -F sysctl: FreeBSD 11.0's text also for a newer kernel */
	const char *output;  /* NULL: standard output */
	const char *explain; /* -e: a name to explain instead; NULL: none */
	const char **operands; /* what is left: DUMP, VMLINUX ...; owned as an array */
	size_t operand_count;
	const char **debuginfo; /* owned as an array */
	const char **families;	/* owned as an array */
	const char **types;	/* owned as an array */
	char *family_text;	/* owned */
	char *types_text;	/* owned */
};

/*
 * argv[0] is the command's own name; render is what it is without -F. On success the caller deinits
 * *command.
 */
enum rbs_code rbs_command_parse(struct rbs_command *command, int argc, char **argv,
				rbs_render_fn *render, struct rbs_error *err);
void rbs_command_deinit(struct rbs_command *command);

/* A domain's number; option is for the message. */
enum rbs_code rbs_command_domain(const char *option, const char *text, uint32_t *domain,
				 struct rbs_error *err);

/* "virtio, ..." into buffer; returns buffer. */
const char *rbs_family_names(char *buffer, size_t size);

#endif
