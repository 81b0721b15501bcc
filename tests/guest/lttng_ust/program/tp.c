/* SPDX-License-Identifier: GPL-3.0-or-later */
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "tp.h"
