/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong comes first: at three in the morning nobody reads tables. */
#include <stdio.h>
#include <string.h>

#include "lib/render/printable.h"
#include "lib/render/text.h"

void rbs_text_style(FILE *out, bool colour, const char *style, const char *words)
{
	if (colour)
		fprintf(out, "%s%s\033[0m", style, words);
	else
		fputs(words, out);
}

const char *rbs_text_plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* A sentence, broken at blanks before TEXT_WIDTH. */
static void sentence_show(FILE *out, const char *sentence, size_t indent)
{
	while (*sentence) {
		size_t room = TEXT_WIDTH - indent;
		size_t length = strlen(sentence);

		if (length > room) {
			size_t blank = room;

			while (blank && sentence[blank] != ' ')
				blank--;
			/* A word that is longer than the line stays whole. */
			length = blank ? blank : strcspn(sentence, " ");
		}
		fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, sentence);
		sentence += length;
		sentence += strspn(sentence, " ");
	}
}

void rbs_text_findings(const struct rbs_report *report, bool verbose, bool colour, FILE *out)
{
	size_t counts[RBS_SEVERITY_CRITICAL + 1] = {0};
	char subject[600], summary[600], severity[16];

	for (size_t i = 0; i < report->finding_count; i++)
		counts[report->findings[i].severity]++;
	if (!report->finding_count)
		return;
	fputc('\n', out);
	rbs_text_style(out, colour, TEXT_BOLD, "FINDINGS");
	fprintf(out, "  %zu critical, %zu warning%s, %zu info%s\n", counts[RBS_SEVERITY_CRITICAL],
		counts[RBS_SEVERITY_WARNING], rbs_text_plural(counts[RBS_SEVERITY_WARNING]),
		counts[RBS_SEVERITY_INFO],
		counts[RBS_SEVERITY_INFO] && !verbose ? " (-v lists them)" : "");
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct rbs_finding *finding = &report->findings[i];

		if (finding->severity == RBS_SEVERITY_INFO && !verbose)
			continue;
		snprintf(severity, sizeof(severity), "%-8s", rbs_severity_name(finding->severity));
		if (finding->severity == RBS_SEVERITY_CRITICAL)
			rbs_text_style(out, colour, TEXT_RED, severity);
		else
			fputs(severity, out);
		fprintf(out, " %s  %s\n", finding->code,
			rbs_printable(finding->subject, subject, sizeof(subject)));
		sentence_show(out, rbs_printable(finding->summary, summary, sizeof(summary)),
			      sizeof("critical"));
	}
}
