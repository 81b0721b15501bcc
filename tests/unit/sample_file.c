/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample_file.h"

#include <criterion/criterion.h>
#include <string.h>

void sample_write_unit(const struct scratch *scratch)
{
	static const char text[] = "#include \"dwarf_sample.h\"\n"
				   "struct sample sample;\n"
				   "struct sample_packed sample_packed;\n"
				   "enum sample_signed sample_signed = SAMPLE_LESS;\n"
				   "int main(void) { return sample.second; }\n";

	scratch_write(scratch, "unit.c", text, sizeof(text) - 1);
}

void sample_open(struct sample_file *file, const char *name)
{
	char path[256];

	cr_assert_eq(rbs_dwarf_source_create(scratch_path(&file->scratch, name, path), NULL,
					     &file->source, NULL),
		     RBS_OK);
}

void sample_file_init(struct sample_file *file, const char *command, const char *name)
{
	memset(file, 0, sizeof(*file));
	scratch_init(&file->scratch);
	sample_write_unit(&file->scratch);
	scratch_run(&file->scratch, command);
	sample_open(file, name);
}

void sample_file_deinit(struct sample_file *file)
{
	if (file->source)
		file->source->ops->destroy(file->source);
	scratch_deinit(&file->scratch);
}

enum rbs_code sample_try_find(struct sample_file *file, const char *type, const char *path)
{
	struct rbs_member member;

	return file->source->ops->find_member(file->source, NULL, type, path, &member, NULL);
}

struct rbs_member sample_find(struct sample_file *file, const char *type, const char *path)
{
	struct rbs_error err = {.code = RBS_OK};
	struct rbs_member member;

	cr_assert_eq(file->source->ops->find_member(file->source, NULL, type, path, &member, &err),
		     RBS_OK, "%s.%s: %s", type, path, err.text);
	return member;
}
