/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which units are looked into: a definition is found among declarations, members and functions of
 * the same name, whatever of that the scan of units could have been misled by.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/dwarf_source.h"
#include "dwarf/dwarf_units.h"
#include "scratch.h"

/* How the files are compiled and linked into a program 'all'. */
static char commands[][200] = {
	"$CC -g -c decl.c def.c && $CC -o all decl.o def.o",
	"$CC -gdwarf-4 -c decl.c def.c && $CC -o all decl.o def.o",
	"$CC -gdwarf-2 -gstrict-dwarf -c decl.c def.c && $CC -o all decl.o def.o",
	"$CC -g -c decl.c def.c && ld -r -o all decl.o def.o",
	"$CC -g -flto -O1 -c decl.c def.c && $CC -flto -O1 -g -o all decl.o def.o",
	"$CC -g -gdwarf64 -c decl.c def.c || $CC -g -c decl.c def.c; $CC -o all decl.o def.o",
};

static void write_text(const struct scratch *scratch, const char *name, const char *text)
{
	scratch_write(scratch, name, text, strlen(text));
}

/*
 * decl.c knows 'wanted' as a declaration, a member, a label and a variable, and has 40 other names
 * that end with it; 200 structures make its abbreviations and offsets need two bytes.
 */
static void write_files(const struct scratch *scratch)
{
	char text[32768] = "struct wanted; union kept; enum shade { DARK, LIGHT = 7 };\n"
			   "struct user { struct wanted *one; int wanted; union kept *other; };\n"
			   "struct user user; enum shade shade;\n"
			   "int wanted(struct user *user) { return user->wanted; }\n";
	size_t used = strlen(text);

	for (int i = 0; i < 200; i++)
		used += (size_t)snprintf(
			text + used, sizeof(text) - used,
			"struct filler%d { char room[%d]; int n%d_wanted; } f%d;\n", i, i + 1, i,
			i);
	write_text(scratch, "decl.c", text);
	write_text(scratch, "def.c",
		   "struct wanted { char pad[24]; union kept { long a; int b[6]; } inner; };\n"
		   "struct outer { struct nested { short c, d; } e; };\n"
		   "typedef struct { int f, g; } alias;\n"
		   "struct wanted known; struct outer outer; alias aliased;\n"
		   "int main(void) { struct local { int h; } local = {1}; return local.h - 1; }\n");
}

ParameterizedTestParameters(dwarf_search, finds_definitions)
{
	return cr_make_param_array(char[200], commands, sizeof(commands) / sizeof(commands[0]));
}

ParameterizedTest(char command[200], dwarf_search, finds_definitions)
{
	static const struct {
		const char *type;
		const char *path;
		uint64_t offset;
	} members[] = {
		{"wanted", "inner", 24}, {"kept", "b", 0},
		{"nested", "d", 2},	 {"user", "wanted", sizeof(void *)},
		{"alias", "g", 4},
	};
	struct rbs_type_source *source;
	struct rbs_member member;
	struct scratch scratch;
	struct rbs_error err = {.code = RBS_OK};
	char path[256];
	int64_t value = 0;

	scratch_init(&scratch);
	write_files(&scratch);
	scratch_run(&scratch, command);
	cr_assert_eq(rbs_dwarf_source_create(scratch_path(&scratch, "all", path), NULL, &source, &err),
		     RBS_OK);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		cr_assert_eq(source->ops->find_member(source, NULL, members[i].type,
						      members[i].path, &member, &err),
			     RBS_OK, "%s: %s: %s", command, members[i].type, err.text);
		cr_expect_eq(member.offset, members[i].offset, "%s: %s", command, members[i].type);
	}
	cr_assert_eq(source->ops->find_enumerator(source, NULL, NULL, "LIGHT", &value, &err),
		     RBS_OK, "%s: %s", command, err.text);
	cr_expect_eq(value, 7);
	cr_expect_eq(source->ops->find_member(source, NULL, "filler", "room", &member, NULL),
		     RBS_NO_TYPES, "a name that only begins others");
	source->ops->destroy(source);
	scratch_deinit(&scratch);
}

/* That the shortcut is taken: else all of this would pass by libdwarf alone. */
Test(dwarf_search, rules_out_what_only_declares)
{
	struct rbs_dwarf_object object;
	struct rbs_dwarf_units units;
	struct rbs_dwarf_place place;
	struct scratch scratch;
	char path[256];

	scratch_init(&scratch);
	write_files(&scratch);
	scratch_run(&scratch, "gcc -g -c decl.c def.c && gcc -o all decl.o def.o");
	cr_assert_eq(rbs_dwarf_object_open(&object, scratch_path(&scratch, "all", path), NULL),
		     RBS_OK);
	cr_assert_eq(rbs_dwarf_units_init(&units, &object, NULL), RBS_OK);
	cr_assert_eq(units.count, 2);
	cr_expect_str_eq(units.units[0].name, "decl.c");
	cr_assert_eq(rbs_dwarf_units_find(&units, NULL, RBS_DWARF_RECORD, "wanted", &place, NULL),
		     RBS_OK);
	cr_expect(units.units[0].is_scanned);
	cr_expect_null(units.units[0].view, "it was looked into");
	cr_expect_not_null(units.units[1].view);
	rbs_dwarf_units_deinit(&units);
	rbs_dwarf_object_close(&object);
	scratch_deinit(&scratch);
}
