/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/render/explain.h"

#include <string.h>
#include <strings.h>

#include "lib/probe.h"
#include "lib/verdict.h"

static const char *level_name(enum rbs_level level)
{
	static const char *const names[] = {"section", "device", "channel", "ring", "slot"};

	return names[level];
}

/* "name", "family.name" or the header that text prints. */
static bool desc_matches(const struct rbs_family *family, const struct rbs_desc *desc,
			 const char *name)
{
	size_t length = strlen(family->name);

	return rbs_desc_names(desc, name, NULL, NULL) ||
	       (desc->header && !strcasecmp(name, desc->header)) ||
	       (!strncmp(name, family->name, length) && name[length] == '.' &&
		rbs_desc_names(desc, name + length + 1, NULL, NULL));
}

static void desc_print(const struct rbs_family *family, const struct rbs_desc *desc, FILE *out)
{
	fprintf(out, "%s.%s  (%s of a %s%s%s%s%s)\n  %s\n", family->name, desc->name,
		desc->metric ? "figure" : "attribute", level_name(desc->level),
		desc->unit ? ", in " : "", desc->unit ? desc->unit : "",
		desc->header ? ", shown as " : "", desc->header ? desc->header : "", desc->meaning);
	if (desc->high)
		fprintf(out, "  when high or set: %s\n", desc->high);
}

static void rule_print(const struct rbs_rule *rule, FILE *out)
{
	fprintf(out,
		"%s  (finding of a %s, at most %s)\n  %s\n  why it matters: %s\n  look next at: "
		"%s\n",
		rule->code, level_name(rule->level), rbs_severity_name(rule->severity), rule->title,
		rule->why, rule->next);
}

static void all_list(FILE *out)
{
	size_t count;
	const struct rbs_probe *const *probes = rbs_probes(&count);
	const struct rbs_rule_table *tables;

	for (size_t i = 0; i < count; i++) {
		const struct rbs_family *family = probes[i]->family;

		fprintf(out, "%s%s: %s\n", i ? "\n" : "", family->name, family->title);
		for (size_t k = 0; k < family->desc_count; k++)
			fprintf(out, "  %-24s %s\n", family->descs[k].name,
				family->descs[k].meaning);
	}
	fprintf(out, "\nfindings\n");
	tables = rbs_rule_tables(&count);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < tables[i].count; k++)
			fprintf(out, "  %-28s %s\n", tables[i].rules[k].code,
				tables[i].rules[k].title);
	}
}

enum rbs_code rbs_explain(const char *name, FILE *out, struct rbs_error *err)
{
	size_t count, found = 0;
	const struct rbs_probe *const *probes = rbs_probes(&count);
	const struct rbs_rule *rule;

	if (!name) {
		all_list(out);
		return RBS_OK;
	}
	rule = rbs_rule_find(name);
	if (rule) {
		rule_print(rule, out);
		return RBS_OK;
	}
	for (size_t i = 0; i < count; i++) {
		const struct rbs_family *family = probes[i]->family;

		for (size_t k = 0; k < family->desc_count; k++) {
			if (desc_matches(family, &family->descs[k], name)) {
				desc_print(family, &family->descs[k], out);
				found++;
			}
		}
	}
	if (found)
		return RBS_OK;
	return rbs_error_set(err, RBS_USAGE,
			     "nothing is called '%s'; without a name all figures and findings are "
			     "listed",
			     name);
}
