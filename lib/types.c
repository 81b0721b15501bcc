/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/types.h"

#include <stdio.h>
#include <string.h>

void rbs_types_init(struct rbs_types *types)
{
	types->first = NULL;
}

void rbs_types_deinit(struct rbs_types *types)
{
	while (types->first) {
		struct rbs_type_source *source = types->first;

		types->first = source->next;
		source->ops->destroy(source);
	}
}

void rbs_types_add(struct rbs_types *types, struct rbs_type_source *source)
{
	struct rbs_type_source **end = &types->first;

	while (*end && (source->fallback || !(*end)->fallback))
		end = &(*end)->next;
	source->next = *end;
	*end = source;
}

/*
 * Why no source answered. A source that does not know the structure is the ordinary case; one that
 * failed (its page excluded, its file damaged) might have known it, so its reason wins.
 */
struct refusals {
	enum rbs_code code;
	char text[sizeof(((struct rbs_error *)NULL)->text)];
	size_t used;
	bool has_address;
	uint64_t address;
};

static bool is_answer(enum rbs_code code)
{
	return code == RBS_OK || code == RBS_NO_MEMBER;
}

/* No other source can help: asking it would only hide the reason. */
static bool is_final(enum rbs_code code)
{
	return code == RBS_INTERRUPTED || code == RBS_NOMEM || code == RBS_USAGE;
}

static void refusals_init(struct refusals *refusals)
{
	memset(refusals, 0, sizeof(*refusals));
	refusals->code = RBS_NO_TYPES;
}

static void refusals_add(struct refusals *refusals, const char *source, const struct rbs_error *err)
{
	size_t room = sizeof(refusals->text) - refusals->used;
	int length;

	if (err->code == RBS_NO_TYPES && !*err->text)
		return;
	if (refusals->code == RBS_NO_TYPES && err->code != RBS_NO_TYPES) {
		refusals->code = err->code;
		refusals->has_address = err->has_address;
		refusals->address = err->address;
	}
	length = snprintf(refusals->text + refusals->used, room, "%s%s: %s",
			  refusals->used ? "; " : "", source, err->text);
	if (length > 0)
		refusals->used += (size_t)length < room ? (size_t)length : room - 1;
}

static enum rbs_code refusals_report(const struct refusals *refusals, const char *what,
				     struct rbs_error *err)
{
	if (!refusals->used)
		return rbs_error_set(err, RBS_NO_TYPES, "%s: there is no source of types", what);
	if (refusals->has_address)
		return rbs_error_set_at(err, refusals->code, refusals->address, "%s",
					refusals->text);
	return rbs_error_set(err, refusals->code, "%s", refusals->text);
}

enum rbs_code rbs_types_find_member(struct rbs_types *types, const char *module, const char *type,
				    const char *path, struct rbs_member *member,
				    const char **answered, struct rbs_error *err)
{
	struct refusals refusals;

	refusals_init(&refusals);
	for (struct rbs_type_source *source = types->first; source; source = source->next) {
		struct rbs_error got = {.code = RBS_OK};
		enum rbs_code code;

		code = source->ops->find_member(source, module, type, path, member, &got);
		if (is_answer(code) && answered)
			*answered = source->ops->name;
		if (is_answer(code) || is_final(code))
			return code ? rbs_error_give(err, &got) : RBS_OK;
		refusals_add(&refusals, source->ops->name, &got);
	}
	return refusals_report(&refusals, type, err);
}

enum rbs_code rbs_types_find_size(struct rbs_types *types, const char *module, const char *type,
				  uint64_t *size, struct rbs_error *err)
{
	struct refusals refusals;

	refusals_init(&refusals);
	for (struct rbs_type_source *source = types->first; source; source = source->next) {
		struct rbs_error got = {.code = RBS_OK};
		enum rbs_code code;

		code = source->ops->find_size(source, module, type, size, &got);
		if (is_answer(code) || is_final(code))
			return code ? rbs_error_give(err, &got) : RBS_OK;
		refusals_add(&refusals, source->ops->name, &got);
	}
	return refusals_report(&refusals, type, err);
}

enum rbs_code rbs_types_find_enumerator(struct rbs_types *types, const char *module,
					const char *type, const char *name, int64_t *value,
					struct rbs_error *err)
{
	struct refusals refusals;

	refusals_init(&refusals);
	for (struct rbs_type_source *source = types->first; source; source = source->next) {
		struct rbs_error got = {.code = RBS_OK};
		enum rbs_code code;

		code = source->ops->find_enumerator(source, module, type, name, value, &got);
		if (is_answer(code) || is_final(code))
			return code ? rbs_error_give(err, &got) : RBS_OK;
		refusals_add(&refusals, source->ops->name, &got);
	}
	return refusals_report(&refusals, name, err);
}

static struct rbs_type_source *source_find(struct rbs_types *types, const char *name)
{
	struct rbs_type_source *source = types->first;

	while (source && name && strcmp(source->ops->name, name))
		source = source->next;
	return name ? source : NULL;
}

bool rbs_types_refuse(struct rbs_types *types, const char *answered, const char *module,
		      const char *reason)
{
	struct rbs_type_source *source = source_find(types, answered);

	return source && source->ops->refuse && source->ops->refuse(source, module, reason);
}

const char *rbs_types_remark(struct rbs_types *types, const char *answered, const char *module)
{
	struct rbs_type_source *source = source_find(types, answered);

	return source && source->ops->remark ? source->ops->remark(source, module) : NULL;
}
