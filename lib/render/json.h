/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json - pieces of the JSON contract, for those who write other objects with them. */
#ifndef RBS_RENDER_JSON_H
#define RBS_RENDER_JSON_H

#include <json-c/json.h>

#include "lib/result.h"

/* A string of the dump, made valid and printable. */
struct json_object *rbs_json_string(const char *text);

/* {"code", "severity", "subject", "summary", "evidence"} */
struct json_object *rbs_json_finding(const struct rbs_finding *finding);

#endif
