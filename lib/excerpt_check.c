/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/excerpt.h"
#include "lib/render/render.h"

/* All of a report as text: JSON has every figure, absence and problem. NULL when out of memory. */
static char *report_text(const struct rbs_report *report, struct rbs_error *err)
{
	struct rbs_render_options options = {.tool = "", .version = "", .verbose = true};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	enum rbs_code code;

	if (!out) {
		rbs_error_set(err, RBS_NOMEM, "out of memory");
		return NULL;
	}
	code = rbs_render_json(report, &options, out, err);
	if (fclose(out) && code == RBS_OK)
		code = rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (code == RBS_OK)
		return text;
	free(text);
	return NULL;
}

static enum rbs_code texts_compare(const char *whole, const char *excerpt, struct rbs_error *err)
{
	while (*whole && *excerpt) {
		size_t length = strcspn(whole, "\n");
		size_t other = strcspn(excerpt, "\n");

		if (length != other || memcmp(whole, excerpt, length))
			break;
		whole += length + (whole[length] == '\n');
		excerpt += other + (excerpt[other] == '\n');
	}
	if (!*whole && !*excerpt)
		return RBS_OK;
	whole += strspn(whole, " ");
	excerpt += strspn(excerpt, " ");
	return rbs_error_set(
		err, RBS_MISMATCH, "does not read like the dump: '%.*s' there, '%.*s' here",
		(int)strcspn(whole, "\n"), whole, (int)strcspn(excerpt, "\n"), excerpt);
}

static enum rbs_code reports_compare(struct rbs_report *whole, struct rbs_report *excerpt,
				     struct rbs_error *err)
{
	enum rbs_code code = RBS_NOMEM;
	char *text, *other;

	/* The two things that must differ. */
	memcpy(excerpt->dump.path, whole->dump.path, sizeof(whole->dump.path));
	memcpy(excerpt->dump.format, whole->dump.format, sizeof(whole->dump.format));
	text = report_text(whole, err);
	other = text ? report_text(excerpt, err) : NULL;
	if (other)
		code = texts_compare(text, other, err);
	free(text);
	free(other);
	return code;
}

enum rbs_code rbs_excerpt_check(const char *path, const struct rbs_session_options *session,
				const struct rbs_show_options *show, struct rbs_report *whole,
				struct rbs_error *err)
{
	struct rbs_report *report;
	enum rbs_code code = rbs_session_report(path, session, show, &report, err);

	if (code != RBS_OK)
		return code;
	code = reports_compare(whole, report, err);
	rbs_report_destroy(report);
	return code;
}
