/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/assumed_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_LIMIT 4

struct candidate {
	const struct rbs_assumed_table *table;
	unsigned distance; /* between the versions' last numbers */
	bool refused;
};

struct assumed_source {
	struct rbs_type_source base;
	struct rbs_assumed_options options;
	struct candidate *candidates; /* owned; the table in use first */
	size_t candidate_count;
	size_t current;
	bool ready;
	bool unchecked; /* the current one's conditions could not be checked */
	/* Structures that the current one knows for another kernel only. */
	const struct rbs_assumed_condition *unknown[UNKNOWN_LIMIT];
	size_t unknown_count;
	char reason[384]; /* why those before the current one are not used */
	char remark[256];
};

static void reason_add(struct assumed_source *source, const struct rbs_assumed_table *table,
		       const char *reason)
{
	size_t used = strlen(source->reason);

	snprintf(source->reason + used, sizeof(source->reason) - used, "%s%s as built for %s: %s",
		 used ? "; " : "", table->version, table->kernel, reason);
}

/* "2.13.9" is near to "2.13.12", by 3; to nothing that starts otherwise. */
static bool version_near(const char *wanted, const char *have, unsigned *distance)
{
	unsigned major[2], minor[2], patch[2] = {0, 0};

	if (!strcmp(wanted, have)) {
		*distance = 0;
		return true;
	}
	if (sscanf(wanted, "%u.%u.%u", &major[0], &minor[0], &patch[0]) < 2 ||
	    sscanf(have, "%u.%u.%u", &major[1], &minor[1], &patch[1]) < 2 || major[0] != major[1] ||
	    minor[0] != minor[1])
		return false;
	/* Another build of the same numbers ("2.13.9-dirty") is next to the exact one. */
	*distance = 1 + (patch[0] > patch[1] ? patch[0] - patch[1] : patch[1] - patch[0]);
	return true;
}

static bool covers(const struct rbs_assumed_table *table, const char *module,
		   const struct rbs_assumed_module **found)
{
	for (size_t i = 0; i < table->module_count; i++) {
		if (strcmp(table->modules[i].name, module))
			continue;
		*found = &table->modules[i];
		return true;
	}
	return false;
}

static bool condition_holds(struct assumed_source *source,
			    const struct rbs_assumed_condition *condition, char *reason,
			    size_t room)
{
	struct rbs_types *types = source->options.types;
	struct rbs_member member = {0};
	uint64_t size = 0;
	enum rbs_code code;

	if (condition->path) {
		code = rbs_types_find_member(types, NULL, condition->type, condition->path, &member,
					     NULL, NULL);
		size = member.size;
	} else {
		code = rbs_types_find_size(types, NULL, condition->type, &size, NULL);
	}
	if (code != RBS_OK) {
		source->unchecked = true;
		return true;
	}
	if (size == condition->size)
		return true;
	snprintf(reason, room, "the kernel's %s%s%s has %llu bytes, not %llu", condition->type,
		 condition->path ? "." : "", condition->path ? condition->path : "",
		 (unsigned long long)size, (unsigned long long)condition->size);
	return false;
}

static bool conditions_hold(struct assumed_source *source, const struct rbs_assumed_table *table)
{
	char reason[160];

	source->unchecked = false;
	source->unknown_count = 0;
	for (size_t i = 0; i < table->condition_count; i++) {
		const struct rbs_assumed_condition *condition = &table->conditions[i];

		if (condition_holds(source, condition, reason, sizeof(reason)))
			continue;
		if (condition->only && source->unknown_count < UNKNOWN_LIMIT) {
			source->unknown[source->unknown_count++] = condition;
			continue;
		}
		reason_add(source, table, reason);
		return false;
	}
	return true;
}

static void remark_make(struct assumed_source *source, const char *version)
{
	const struct rbs_assumed_table *table = source->candidates[source->current].table;
	size_t used;

	used = (size_t)snprintf(source->remark, sizeof(source->remark), "%s %s as built for %s",
				table->product, table->version, table->kernel);
	if (strcmp(table->version, version) && used < sizeof(source->remark))
		used += (size_t)snprintf(source->remark + used, sizeof(source->remark) - used,
					 "; the dump has %s",
					 *version ? version : "an unknown version");
	for (size_t i = 0; i < source->unknown_count && used < sizeof(source->remark); i++)
		used += (size_t)snprintf(source->remark + used, sizeof(source->remark) - used,
					 "; without %s, which moved with the kernel's %s",
					 source->unknown[i]->only, source->unknown[i]->type);
	if (source->unchecked && used < sizeof(source->remark))
		snprintf(source->remark + used, sizeof(source->remark) - used,
			 "; not checked against the kernel's types, which are not known");
}

/*
 * The version of the first of the table's modules that says it: they are of one build. Empty when
 * they have none. NULL when it cannot be read: several tables may then fit, and all but one of
 * them are wrong.
 */
static const char *version_of(struct assumed_source *source, const struct rbs_assumed_table *table)
{
	bool unreadable = false;

	for (size_t i = 0; i < table->module_count; i++) {
		const struct rbs_module *found =
			rbs_modules_find(source->options.modules, table->modules[i].name);

		if (found && *found->version)
			return found->version;
		unreadable = unreadable || (found && found->version_code != RBS_OK);
	}
	return unreadable ? NULL : "";
}

/* Go on to the first candidate, from the current one, that the kernel's types allow. */
static void current_settle(struct assumed_source *source)
{
	for (; source->current < source->candidate_count; source->current++) {
		const struct rbs_assumed_table *table = source->candidates[source->current].table;

		if (!conditions_hold(source, table))
			continue;
		remark_make(source, version_of(source, table));
		return;
	}
}

static void candidate_add(struct assumed_source *source, const struct rbs_assumed_table *table)
{
	const char *version = version_of(source, table);
	struct candidate candidate = {.table = table};
	size_t at = source->candidate_count;

	if (strcmp(table->arch, source->options.arch) || !table->module_count)
		return;
	if (!version) {
		reason_add(source, table, "the version of the modules cannot be read");
		return;
	}
	/* With no version known, any may be right: memory decides. */
	if (*version && !version_near(version, table->version, &candidate.distance))
		return;
	while (at && source->candidates[at - 1].distance > candidate.distance) {
		source->candidates[at] = source->candidates[at - 1];
		at--;
	}
	source->candidates[at] = candidate;
	source->candidate_count++;
}

static void candidates_find(struct assumed_source *source)
{
	source->ready = true;
	/* They are listed by age; of those that are equally near the newest goes first. */
	for (size_t i = source->options.table_count; i-- > 0;)
		candidate_add(source, source->options.tables[i]);
	current_settle(source);
}

/* Whether any table is about the module: what is not is none of this source's business. */
static bool concerns(const struct assumed_source *source, const char *module)
{
	const struct rbs_assumed_module *found;

	for (size_t i = 0; module && i < source->options.table_count; i++) {
		if (covers(source->options.tables[i], module, &found))
			return true;
	}
	return false;
}

static enum rbs_code module_find(struct assumed_source *source, const char *module,
				 const struct rbs_assumed_module **found, struct rbs_error *err)
{
	if (!concerns(source, module))
		return rbs_error_set(err, RBS_NO_TYPES, "%s", "");
	if (!source->ready)
		candidates_find(source);
	if (source->current < source->candidate_count)
		return covers(source->candidates[source->current].table, module, found)
			       ? RBS_OK
			       : rbs_error_set(err, RBS_NO_TYPES, "%s", "");
	if (*source->reason)
		return rbs_error_set(err, RBS_NO_TYPES, "%s", source->reason);
	return rbs_error_set(err, RBS_NO_TYPES, "there is no table for this version on %s",
			     source->options.arch);
}

static enum rbs_code absence_report(const struct rbs_assumed_module *module, const char *type,
				    const char *path, struct rbs_error *err)
{
	for (size_t i = 0; i < module->absence_count; i++) {
		const struct rbs_assumed_absence *absence = &module->absences[i];

		if (strcmp(absence->type, type))
			continue;
		if (!absence->path)
			return rbs_error_set(err, RBS_NO_TYPES, "%s", "");
		if (path && !strcmp(absence->path, path))
			return rbs_error_set(err, RBS_NO_MEMBER, "%s has no member %s", type, path);
	}
	return rbs_error_set(err, RBS_NO_TYPES, "the table does not say where %s%s%s is", type,
			     path ? "." : "", path ? path : "");
}

static bool moved(const struct assumed_source *source, const char *type)
{
	for (size_t i = 0; i < source->unknown_count; i++) {
		if (!strcmp(source->unknown[i]->only, type))
			return true;
	}
	return false;
}

static enum rbs_code find_member(struct rbs_type_source *base, const char *module, const char *type,
				 const char *path, struct rbs_member *member, struct rbs_error *err)
{
	struct assumed_source *source = (struct assumed_source *)base;
	const struct rbs_assumed_module *found;
	enum rbs_code code = module_find(source, module, &found, err);

	if (code == RBS_OK && moved(source, type))
		return rbs_error_set(err, RBS_NO_TYPES, "%s is laid out otherwise here", type);

	for (size_t i = 0; code == RBS_OK && i < found->member_count; i++) {
		if (strcmp(found->members[i].type, type) || strcmp(found->members[i].path, path))
			continue;
		*member = found->members[i].member;
		return RBS_OK;
	}
	return code == RBS_OK ? absence_report(found, type, path, err) : code;
}

static enum rbs_code find_size(struct rbs_type_source *base, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	const struct rbs_assumed_module *found;
	enum rbs_code code = module_find((struct assumed_source *)base, module, &found, err);

	for (size_t i = 0; code == RBS_OK && i < found->size_count; i++) {
		if (strcmp(found->sizes[i].type, type))
			continue;
		*size = found->sizes[i].size;
		return RBS_OK;
	}
	return code == RBS_OK ? absence_report(found, type, NULL, err) : code;
}

static enum rbs_code find_enumerator(struct rbs_type_source *base, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	const struct rbs_assumed_module *found;
	enum rbs_code code = module_find((struct assumed_source *)base, module, &found, err);

	for (size_t i = 0; code == RBS_OK && i < found->enumerator_count; i++) {
		const struct rbs_assumed_enumerator *one = &found->enumerators[i];

		if (strcmp(one->name, name) || (type && one->type && strcmp(one->type, type)))
			continue;
		*value = one->value;
		return RBS_OK;
	}
	return code == RBS_OK ? absence_report(found, type ? type : "", name, err) : code;
}

static bool refuse(struct rbs_type_source *base, const char *module, const char *reason)
{
	struct assumed_source *source = (struct assumed_source *)base;

	if (!concerns(source, module) || source->current >= source->candidate_count)
		return false;
	reason_add(source, source->candidates[source->current].table, reason);
	source->current++;
	current_settle(source);
	return source->current < source->candidate_count;
}

static const char *remark(struct rbs_type_source *base, const char *module)
{
	struct assumed_source *source = (struct assumed_source *)base;

	if (!concerns(source, module) || !source->ready ||
	    source->current >= source->candidate_count)
		return NULL;
	return source->remark;
}

static void destroy(struct rbs_type_source *base)
{
	struct assumed_source *source = (struct assumed_source *)base;

	free(source->candidates);
	free(source);
}

static const struct rbs_type_source_ops ops = {
	.name = "assumed",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.refuse = refuse,
	.remark = remark,
	.destroy = destroy,
};

enum rbs_code rbs_assumed_types_create(const struct rbs_assumed_options *options,
				       struct rbs_type_source **result, struct rbs_error *err)
{
	struct assumed_source *source = calloc(1, sizeof(*source));

	if (!source)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	source->base.ops = &ops;
	source->options = *options;
	if (!options->tables)
		source->options.tables = rbs_assumed_tables(&source->options.table_count);
	source->candidates = calloc(source->options.table_count + 1, sizeof(*source->candidates));
	if (!source->candidates) {
		free(source);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	*result = &source->base;
	return RBS_OK;
}
