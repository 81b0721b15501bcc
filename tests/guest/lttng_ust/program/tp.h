/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracepoints of the traced program, in the spelling that all releases of lttng-ust know. */
#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER rbstats_ust
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./tp.h"
#if !defined(RBSTATS_UST_TP_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define RBSTATS_UST_TP_H
#include <lttng/tracepoint.h>

TRACEPOINT_EVENT(rbstats_ust, disc, TP_ARGS(unsigned int, number, const char *, text),
		 TP_FIELDS(ctf_integer(unsigned int, number, number) ctf_string(text, text)))
TRACEPOINT_EVENT(rbstats_ust, over, TP_ARGS(unsigned int, number, const char *, text),
		 TP_FIELDS(ctf_integer(unsigned int, number, number) ctf_string(text, text)))
TRACEPOINT_EVENT(rbstats_ust, path, TP_ARGS(unsigned int, number, const char *, text),
		 TP_FIELDS(ctf_integer(unsigned int, number, number) ctf_string(text, text)))
TRACEPOINT_EVENT(rbstats_ust, quiet, TP_ARGS(unsigned int, number, const char *, text),
		 TP_FIELDS(ctf_integer(unsigned int, number, number) ctf_string(text, text)))
#endif
#include <lttng/tracepoint-event.h>
