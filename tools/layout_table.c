/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * layout_table - make a built-in layout out of LTTng's modules with debug information.
 *
 *	build/layout-table NAME DIRECTORY > dwarf/tables/lttng_NAME.c
 *
 * DIRECTORY (or folders below it) holds lttng-tracer.ko, lttng-lib-ring-buffer.ko and
 * lttng-ring-buffer-client-discard.ko as a build left them, not stripped. What is asked of them is
 * what the lttng probe's layouts ask: the probe's own tables are resolved through a source of types
 * that writes down each answer. docs/lttng.md says how to add the result.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_source.h"
#include "lib/probes/lttng/lttng.h"
#include "tools/module_info.h"

enum what { MEMBER, SIZE, ENUMERATOR, ABSENCE, WHAT_COUNT };

struct answer {
	struct answer *next;
	enum what what;
	char *type, *name; /* may be NULL */
	struct rbs_member member;
	int64_t value;
};

struct recorder {
	struct rbs_type_source base;
	struct rbs_type_source *inner;
	struct answer *first, **end;
};

/* Modules, the tables that are resolved in them, and what the kernel's types must be like. */
static const struct part {
	const char *module;
	const struct rbs_layout_entry *entries;
	size_t count;
} parts[] = {
	{LTTNG_TRACER, lttng_session_entries, LS_COUNT},
	{LTTNG_RING_BUFFER, lttng_ring_entries, LR_COUNT},
	{LTTNG_CLIENT, lttng_packet_entries, LK_COUNT},
};

#define PART_COUNT (sizeof(parts) / sizeof(parts[0]))

/*
 * The kernel's structures inside of LTTng's, before the last member that is read. Where the kernel
 * has no name for it, a member of its own that is alike stands for it.
 */
static const struct condition {
	unsigned part;
	const char *type, *path;	       /* in the module */
	const char *kernel_type, *kernel_path; /* NULL: the same */
	const char *only; /* what depends on it, if it is not all; where that is in the module */
} conditions[] = {
	{0, "list_head", NULL, NULL, NULL, NULL},
	{0, "hlist_node", NULL, NULL, NULL, NULL},
	{0, "kprobe", NULL, NULL, NULL, "lttng_kernel_event_recorder_private"},
	{0, "kprobe", NULL, NULL, NULL, "lttng_kernel_event_notifier_private"},
	{0, "kprobe", NULL, NULL, NULL, "lttng_event"},
	{1, "hlist_node", NULL, NULL, NULL, NULL},
	{1, "notifier_block", NULL, NULL, NULL, NULL},
	{1, "wait_queue_head", NULL, NULL, NULL, NULL},
	{1, "irq_work", NULL, NULL, NULL, NULL},
	{1, "timer_list", NULL, NULL, NULL, NULL},
	{1, "raw_spinlock", NULL, NULL, NULL, NULL},
	{1, "kref", NULL, NULL, NULL, NULL},
	{1, "channel_backend", "cpumask", "trace_array", "tracing_cpumask", NULL},
};

#define CONDITION_COUNT (sizeof(conditions) / sizeof(conditions[0]))

static void die(const char *format, const char *what)
{
	fprintf(stderr, "layout-table: ");
	fprintf(stderr, format, what);
	fputc('\n', stderr);
	exit(1);
}

static void *checked(void *memory)
{
	if (!memory)
		die("%s", "out of memory");
	return memory;
}

static struct answer *record(struct recorder *recorder, enum what what, const char *type,
			     const char *name)
{
	struct answer *answer;

	for (answer = recorder->first; answer; answer = answer->next) {
		if (answer->what == what &&
		    !strcmp(answer->type ? answer->type : "", type ? type : "") &&
		    !strcmp(answer->name ? answer->name : "", name ? name : ""))
			return answer;
	}
	answer = checked(calloc(1, sizeof(*answer)));
	answer->what = what;
	answer->type = type ? checked(strdup(type)) : NULL;
	answer->name = name ? checked(strdup(name)) : NULL;
	*recorder->end = answer;
	recorder->end = &answer->next;
	return answer;
}

static void absence_record(struct recorder *recorder, enum rbs_code code, const char *type,
			   const char *name)
{
	if (code == RBS_NO_MEMBER)
		record(recorder, ABSENCE, type ? type : "", name);
	else if (code == RBS_NO_TYPES)
		record(recorder, ABSENCE, type ? type : "", NULL);
	else
		die("the debug information cannot be read: %s", rbs_code_text(code));
}

static enum rbs_code find_member(struct rbs_type_source *base, const char *module, const char *type,
				 const char *path, struct rbs_member *member, struct rbs_error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	enum rbs_code code =
		recorder->inner->ops->find_member(recorder->inner, module, type, path, member, err);

	if (code == RBS_OK)
		record(recorder, MEMBER, type, path)->member = *member;
	else
		absence_record(recorder, code, type, path);
	return code;
}

static enum rbs_code find_size(struct rbs_type_source *base, const char *module, const char *type,
			       uint64_t *size, struct rbs_error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	enum rbs_code code =
		recorder->inner->ops->find_size(recorder->inner, module, type, size, err);

	if (code == RBS_OK)
		record(recorder, SIZE, type, NULL)->member.size = *size;
	else
		absence_record(recorder, code, type, NULL);
	return code;
}

static enum rbs_code find_enumerator(struct rbs_type_source *base, const char *module,
				     const char *type, const char *name, int64_t *value,
				     struct rbs_error *err)
{
	struct recorder *recorder = (struct recorder *)base;
	enum rbs_code code = recorder->inner->ops->find_enumerator(recorder->inner, module, type,
								   name, value, err);

	if (code == RBS_OK)
		record(recorder, ENUMERATOR, type, name)->value = *value;
	else
		absence_record(recorder, code, type, name);
	return code;
}

static void destroy(struct rbs_type_source *base)
{
	struct recorder *recorder = (struct recorder *)base;

	while (recorder->first) {
		struct answer *answer = recorder->first;

		recorder->first = answer->next;
		free(answer->type);
		free(answer->name);
		free(answer);
	}
}

static const struct rbs_type_source_ops ops = {
	.name = "recorder",
	.find_member = find_member,
	.find_size = find_size,
	.find_enumerator = find_enumerator,
	.destroy = destroy,
};

static const char *const kinds[] = {
	[RBS_KIND_INT] = "RBS_KIND_INT",       [RBS_KIND_POINTER] = "RBS_KIND_POINTER",
	[RBS_KIND_STRUCT] = "RBS_KIND_STRUCT", [RBS_KIND_ARRAY] = "RBS_KIND_ARRAY",
	[RBS_KIND_OTHER] = "RBS_KIND_OTHER",
};

static void text_print(const char *text)
{
	if (text)
		printf("\"%s\"", text);
	else
		printf("NULL");
}

/* All fields in their order: one line a member reads better than their names. */
static void member_print(const struct rbs_member *member)
{
	printf("{%llu, %llu, %llu, %llu, %s, %s, %u, %u}", (unsigned long long)member->offset,
	       (unsigned long long)member->size, (unsigned long long)member->count,
	       (unsigned long long)member->element_size, kinds[member->kind],
	       member->is_signed ? "true" : "false", member->bit_offset, member->bit_size);
}

static void answer_print(const struct answer *answer)
{
	printf("\t{");
	text_print(answer->type);
	if (answer->what != SIZE) {
		printf(", ");
		text_print(answer->name);
	}
	if (answer->what == MEMBER) {
		printf(", ");
		member_print(&answer->member);
	} else if (answer->what == SIZE) {
		printf(", %llu", (unsigned long long)answer->member.size);
	} else if (answer->what == ENUMERATOR) {
		printf(", %lld", (long long)answer->value);
	}
	printf("},\n");
}

static const struct {
	const char *type, *name, *field, *count;
} arrays[WHAT_COUNT] = {
	[MEMBER] = {"rbs_assumed_member", "members", "members", "member_count"},
	[SIZE] = {"rbs_assumed_size", "sizes", "sizes", "size_count"},
	[ENUMERATOR] = {"rbs_assumed_enumerator", "enumerators", "enumerators", "enumerator_count"},
	[ABSENCE] = {"rbs_assumed_absence", "absences", "absences", "absence_count"},
};

static size_t answers_count(const struct recorder *recorder, enum what what)
{
	size_t count = 0;

	for (const struct answer *answer = recorder->first; answer; answer = answer->next)
		count += answer->what == what;
	return count;
}

static void arrays_print(const struct recorder *recorder, const char *module)
{
	for (enum what what = 0; what < WHAT_COUNT; what++) {
		if (!answers_count(recorder, what))
			continue;
		printf("static const struct %s %s_%s[] = {\n", arrays[what].type, module,
		       arrays[what].name);
		for (const struct answer *answer = recorder->first; answer; answer = answer->next) {
			if (answer->what == what)
				answer_print(answer);
		}
		printf("};\n\n");
	}
}

static void module_print(const struct recorder *recorder, const char *module)
{
	printf("\t{\n\t\t.name = \"%s\",\n", module);
	for (enum what what = 0; what < WHAT_COUNT; what++) {
		if (!answers_count(recorder, what))
			continue;
		printf("\t\t.%s = %s_%s,\n", arrays[what].field, module, arrays[what].name);
		printf("\t\t.%s = COUNT(%s_%s),\n", arrays[what].count, module, arrays[what].name);
	}
	printf("\t},\n");
}

static bool condition_size(struct rbs_type_source *dwarf, const struct condition *condition,
			   uint64_t *size)
{
	const char *module = parts[condition->part].module;
	struct rbs_member member;

	if (!condition->path)
		return dwarf->ops->find_size(dwarf, module, condition->type, size, NULL) == RBS_OK;
	if (dwarf->ops->find_member(dwarf, module, condition->type, condition->path, &member,
				    NULL) != RBS_OK)
		return false;
	*size = member.size;
	return true;
}

static void conditions_print(struct rbs_type_source *dwarf)
{
	printf("static const struct rbs_assumed_condition conditions[] = {\n");
	for (size_t i = 0; i < CONDITION_COUNT; i++) {
		const struct condition *condition = &conditions[i];
		uint64_t size;
		bool twice = false;

		for (size_t k = 0; k < i; k++)
			twice |= !condition->only && !conditions[k].path && !condition->path &&
				 !strcmp(conditions[k].type, condition->type);
		if (condition->only &&
		    dwarf->ops->find_size(dwarf, parts[condition->part].module, condition->only,
					  &size, NULL) != RBS_OK)
			continue;
		if (twice || !condition_size(dwarf, condition, &size))
			continue;
		printf("\t{");
		text_print(condition->kernel_type ? condition->kernel_type : condition->type);
		printf(", ");
		text_print(condition->kernel_path);
		printf(", %llu, ", (unsigned long long)size);
		text_print(condition->only);
		printf("},\n");
	}
	printf("};\n\n");
}

/* nftw() has no argument for the caller's own. */
static char *module_paths[PART_COUNT];

static int file_visit(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	const char *name = path + where->base;

	(void)status;
	for (size_t i = 0; kind == FTW_F && i < PART_COUNT; i++) {
		const char *module = parts[i].module;
		size_t length = strlen(module);

		if (module_paths[i] || strcmp(name + strcspn(name, "."), ".ko"))
			continue;
		for (size_t k = 0; k <= length; k++) {
			char c = name[k] == '-' ? '_' : name[k];

			if (k == length && name[k] == '.')
				module_paths[i] = checked(strdup(path));
			else if (c != module[k])
				break;
		}
	}
	return 0;
}

static void table_print(const char *name, const struct module_info *info,
			const struct recorder *recorders)
{
	printf("static const struct rbs_assumed_module modules[] = {\n");
	for (size_t i = 0; i < PART_COUNT; i++)
		module_print(&recorders[i], parts[i].module);
	printf("};\n\nconst struct rbs_assumed_table rbs_assumed_lttng_%s = {\n"
	       "\t.product = \"LTTng\",\n\t.version = \"%s\",\n\t.arch = \"%s\",\n"
	       "\t.kernel = \"%s\",\n\t.conditions = conditions,\n"
	       "\t.condition_count = COUNT(conditions),\n\t.modules = modules,\n"
	       "\t.module_count = COUNT(modules),\n};\n",
	       name, info->version, info->arch, info->kernel);
}

int main(int argc, char **argv)
{
	struct recorder recorders[PART_COUNT];
	struct module_info info = {0};
	struct rbs_type_source *dwarf;
	struct rbs_error error;

	if (argc != 3)
		die("%s", "usage: layout-table NAME DIRECTORY");
	if (nftw(argv[2], file_visit, 16, FTW_PHYS))
		die("%s cannot be read", argv[2]);
	if (rbs_dwarf_source_create(NULL, NULL, &dwarf, &error) != RBS_OK)
		die("%s", error.text);
	for (size_t i = 0; i < PART_COUNT; i++) {
		if (!module_paths[i])
			die("no file of module %s", parts[i].module);
		if (rbs_dwarf_source_add_module(dwarf, parts[i].module, module_paths[i], &error) !=
		    RBS_OK)
			die("%s", error.text);
	}
	if (!module_info_read(module_paths[0], &info))
		die("%s is no module that says its version, kernel and architecture",
		    module_paths[0]);
	for (size_t i = 0; i < PART_COUNT; i++) {
		struct rbs_types types;
		struct rbs_layout layout;

		recorders[i] = (struct recorder){.base.ops = &ops, .inner = dwarf};
		recorders[i].end = &recorders[i].first;
		types.first = &recorders[i].base;
		if (rbs_layout_init(&layout, parts[i].entries, parts[i].count, &types,
				    parts[i].module, &error) != RBS_OK)
			die("%s", error.text);
		rbs_layout_deinit(&layout);
	}
	printf("/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
	       "/* Made by tools/layout_table.c: lttng-modules %s, Linux %s, %s. */\n"
	       "#include \"dwarf/assumed_table.h\"\n\n"
	       "#define COUNT(array) (sizeof(array) / sizeof((array)[0]))\n\n"
	       "extern const struct rbs_assumed_table rbs_assumed_lttng_%s;\n\n",
	       info.version, info.kernel, info.arch, argv[1]);
	conditions_print(dwarf);
	printf("/* Of a member: offset, size, elements, their size, kind, sign, bit offset, bits. "
	       "*/\n");
	for (size_t i = 0; i < PART_COUNT; i++)
		arrays_print(&recorders[i], parts[i].module);
	table_print(argv[1], &info, recorders);
	for (size_t i = 0; i < PART_COUNT; i++) {
		destroy(&recorders[i].base);
		free(module_paths[i]);
	}
	dwarf->ops->destroy(dwarf);
	return 0;
}
