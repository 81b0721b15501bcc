/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json_read - a report out of its JSON: stored results can be rendered and compared as fresh ones.
 *
 * Fields and findings that this version does not know are left out.
 */
#ifndef RBS_RENDER_JSON_READ_H
#define RBS_RENDER_JSON_READ_H

#include "lib/result.h"

/* Whether the file at path looks like JSON: its first character that is no blank is '{'. */
bool rbs_json_detect(const char *path);

/*
 * *report is the caller's to destroy. RBS_IO when the file cannot be read, RBS_CORRUPT when it is
 * no JSON, RBS_UNSUPPORTED when it is of another schema.
 */
enum rbs_code rbs_json_read(const char *path, struct rbs_report **report, struct rbs_error *err);

#endif
