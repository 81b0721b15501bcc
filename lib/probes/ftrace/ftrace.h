/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ftrace - the ring buffers of the kernel's own tracer, per instance and CPU.
 *
 * Structures: kernel/trace/trace.h (trace_array, array_buffer), kernel/trace/ring_buffer.c
 * (trace_buffer, ring_buffer_per_cpu, private to it). The figures are those of tracefs'
 * per_cpu/cpuN/stats, under its names. What moved: ring_buffer -> trace_buffer and trace_buffer ->
 * array_buffer in 5.6 ("tracing: Rename trace_buffer to array_buffer", "tracing: Rename ring_buffer
 * to trace_buffer"); sub-buffers of several pages in 6.8; mapping by user space in 6.10; max_buffer
 * is snapshot_buffer in 7.x.
 */
#ifndef RBS_PROBES_FTRACE_H
#define RBS_PROBES_FTRACE_H

#include "lib/probe.h"

enum {
	FTRACE_D_TRACING_ON,
	FTRACE_D_TRACER,
	FTRACE_D_CLOCK,
	FTRACE_D_BUFFER_DISABLED,
	FTRACE_D_OVERWRITE,
	FTRACE_D_SUBBUF_SIZE,
	FTRACE_D_SUBBUF_ORDER,
	FTRACE_D_ENTRIES,
	FTRACE_D_OVERRUN,
	FTRACE_D_COMMIT_OVERRUN,
	FTRACE_D_BYTES,
	FTRACE_D_DROPPED,
	FTRACE_D_READ,
	FTRACE_D_OLDEST,
	FTRACE_D_PAGES,
	FTRACE_D_WRITTEN,
	FTRACE_D_LOST,
	FTRACE_D_DISABLED,
	FTRACE_D_COMMITTING,
	FTRACE_D_MAPPED,
	FTRACE_D_WRITE_STAMP,
	FTRACE_D_COUNT,
};

extern const struct rbs_family ftrace_family;
const struct rbs_desc *ftrace_desc(unsigned id);

#endif
