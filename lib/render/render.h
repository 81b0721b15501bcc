/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render - a report as text, JSON, flat lines, or as a live system's own files.
 *
 * Renderers see results only. They write to a FILE: the program's standard output or crash's fp.
 * Write errors are the caller's to find with ferror().
 */
#ifndef RBS_RENDER_H
#define RBS_RENDER_H

#include <stdio.h>

#include "lib/result.h"

struct rbs_render_options {
	const char *tool; /* name and version for JSON's "tool" */
	const char *version;
	bool verbose;
	bool colour;	  /* text only: red for critical, bold for names */
	bool sysctl_seed; /* sysctl only: FreeBSD 11.0's text, whatever the dump's own is */
};

/* For people, 80 to 120 columns, in crash's habits. */
enum rbs_code rbs_render_text(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err);

/* One object of schema rbs_json_schema; docs/json.md describes it. */
enum rbs_code rbs_render_json(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err);

/* 'path=value', a line a value, sorted: for grep and diff. */
enum rbs_code rbs_render_flat(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err);

/*
 * VMBus rings as the sysctls of FreeBSD's driver print them: of a FreeBSD dump the text that its
 * own kernel has (three are known), of others that of 11.0: dev.N.U.channel.ID[.sub.IDX].{in,out}
 * .ring_buffer_stats. Other families are left out.
 */
enum rbs_code rbs_render_sysctl(const struct rbs_report *report,
				const struct rbs_render_options *options, FILE *out,
				struct rbs_error *err);

/*
 * VMBus devices as 'path:value' lines of /sys/bus/vmbus/devices, sorted, as 'grep -r . | sort'
 * prints the live tree. Attributes that the live kernel refuses to read are left out there and
 * here.
 */
enum rbs_code rbs_render_sysfs(const struct rbs_report *report,
			       const struct rbs_render_options *options, FILE *out,
			       struct rbs_error *err);

/*
 * What lttng-modules prints of each kernel buffer when it is torn down, word for word
 * (lib/ringbuffer/ring_buffer_frontend.c: lib_ring_buffer_print_errors). Needs all sub-buffers.
 */
enum rbs_code rbs_render_teardown(const struct rbs_report *report,
				  const struct rbs_render_options *options, FILE *out,
				  struct rbs_error *err);

/* One self-contained page with the rings drawn: for escalations. */
enum rbs_code rbs_render_html(const struct rbs_report *report,
			      const struct rbs_render_options *options, FILE *out,
			      struct rbs_error *err);

/* The same for tickets, without drawings. */
enum rbs_code rbs_render_markdown(const struct rbs_report *report,
				  const struct rbs_render_options *options, FILE *out,
				  struct rbs_error *err);

typedef enum rbs_code rbs_render_fn(const struct rbs_report *report,
				    const struct rbs_render_options *options, FILE *out,
				    struct rbs_error *err);

/* By the name that -F takes; NULL when there is none. */
rbs_render_fn *rbs_render_find(const char *name);

/* "text, json, ..." into buffer; returns buffer. */
const char *rbs_render_names(char *buffer, size_t size);

/* The architecture, with its page size unless that is 4 KiB, into buffer; returns buffer. */
const char *rbs_render_machine(const struct rbs_report *report, char *buffer, size_t size);
#define RBS_RENDER_MACHINE_SIZE 320

/* Whether the format shows slots whatever -v says: the probes must have filled them. */
bool rbs_render_needs_slots(rbs_render_fn *render);

#endif
