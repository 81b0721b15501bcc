/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of a heap's bytes is a text that describes a trace. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lib/ust/heap.h"

/* bytes without their own NUL; wanted: the part that counts. */
static void expect_length(const char *bytes, size_t length, const char *wanted, bool end)
{
	bool ended;

	cr_expect_eq(rbs_ust_text_length(bytes, length, &ended), strlen(wanted), "%s", bytes);
	cr_expect_eq(ended, end, "%s", bytes);
}

Test(ust_text, whole_declarations)
{
	static const char whole[] = "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n};\n\n";
	char memory[256];

	/* The line's end behind the ';' counts, an empty line does not. */
	expect_length(whole, sizeof(whole), "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n};\n", true);
	/* At the end of what is there, nobody knows what would follow. */
	expect_length(whole, sizeof(whole) - 1, "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n};\n",
		      false);
	/* The page behind it was given back and is used again. */
	snprintf(memory, sizeof(memory), "%sevent {\n\tname = \"x\";\n\tid = 1;\x80\xff", whole);
	expect_length(memory, strlen(memory), "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n};\n",
		      false);
	snprintf(memory, sizeof(memory), "%s\x01};\n", whole);
	expect_length(memory, strlen(memory), "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n};\n",
		      false);
}

Test(ust_text, braces_that_are_none)
{
	static const char quoted[] = "env {\n\tprocname = \"a{\\\"};\n\";\n};\n";
	static const char comment[] = "/* { */\nenv {\n\tx = 1; /* };\n */\n};\n";

	expect_length(quoted, sizeof(quoted), quoted, true);
	expect_length(comment, sizeof(comment), comment, true);
	/* Never closed: nothing behind it is outside of it. */
	expect_length("env {\n};\na = \"x;\n", 17, "env {\n};\n", false);
	expect_length("env {\n};\n/* x;\n", 15, "env {\n};\n", false);
	expect_length("env {\n\tx = 1;\n", 15, "", true);
}

/* CTF 2: JSON texts, each behind an RS. */
Test(ust_text, json)
{
	static const char whole[] = "\x1e{\n  \"a\": \"}\",\n  \"b\": {}\n}\x1e{\n}";
	static const char cut[] = "\x1e{\n}\x1e{\n  \"b\": {\n  }";

	expect_length(whole, sizeof(whole), whole, true);
	expect_length(cut, sizeof(cut), "\x1e{\n}", true);
	expect_length("\x1e{\n}\x1e{\xff", 6, "\x1e{\n}", false);
	expect_length("\x1e", 1, "", false);
}

Test(ust_text, nonsense)
{
	expect_length("", 0, "", false);
	expect_length("", 1, "", true);
	expect_length("}};\n", 5, "", true);
	expect_length("a;\n}b;\n", 8, "a;\n", true);
	expect_length("\"", 1, "", false);
	expect_length("\"\\", 2, "", false);
	expect_length("/*", 2, "", false);
	expect_length("/*/", 3, "", false);
	expect_length("/", 1, "", false);
}
