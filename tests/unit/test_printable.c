/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/render/printable.h"

static void expect(const char *text, const char *expected)
{
	char buffer[256];

	cr_expect_eq(rbs_printable(text, buffer, sizeof(buffer)), buffer);
	cr_expect_str_eq(buffer, expected);
}

Test(printable, ordinary_text)
{
	expect("", "");
	expect("virtio0 ~!@#$%^&*()", "virtio0 ~!@#$%^&*()");
	expect("C:\\x1b", "C:\\\\x1b");
}

Test(printable, control_characters)
{
	expect("\x1b[2J", "\\x1b[2J");
	expect("\x1b]0;title\x07", "\\x1b]0;title\\x07");
	expect("a\nb\rc\td\x01\x1f\x7f", "a\\x0ab\\x0dc\\x09d\\x01\\x1f\\x7f");
	/* C1: U+009b is CSI on terminals that know 8-bit controls, as a byte and as UTF-8 */
	expect("\x9b"
	       "31m",
	       "\\x9b31m");
	expect("\xc2\x9b"
	       "31m",
	       "\\xc2\\x9b31m");
	expect("\xc2\x80\xc2\x9f", "\\xc2\\x80\\xc2\\x9f");
}

Test(printable, direction_and_invisible_characters)
{
	/* U+061c Arabic letter mark, but not U+061b, a semicolon */
	expect("\xd8\x9c\xd8\x9b", "\\xd8\\x9c\xd8\x9b");
	/* U+202e right-to-left override, U+200b zero width space, U+2066 isolate, U+2028 line */
	expect("a\xe2\x80\xae"
	       "b",
	       "a\\xe2\\x80\\xaeb");
	expect("\xe2\x80\x8b\xe2\x81\xa6\xe2\x80\xa8",
	       "\\xe2\\x80\\x8b\\xe2\\x81\\xa6\\xe2\\x80\\xa8");
}

Test(printable, utf8)
{
	/* e acute, euro sign, U+10348, no-break space: left as they are */
	expect("caf\xc3\xa9", "caf\xc3\xa9");
	expect("\xe2\x82\xac \xf0\x90\x8d\x88", "\xe2\x82\xac \xf0\x90\x8d\x88");
	expect("\xc2\xa0", "\xc2\xa0");
	expect("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
	expect("\xed\x9f\xbf\xee\x80\x80", "\xed\x9f\xbf\xee\x80\x80");
}

Test(printable, invalid_utf8)
{
	expect("\x80", "\\x80");
	expect("\xff\xfe", "\\xff\\xfe");
	/* cut off */
	expect("\xc3", "\\xc3");
	expect("\xe2\x82", "\\xe2\\x82");
	expect("\xf0\x90\x8d", "\\xf0\\x90\\x8d");
	expect("\xe2\x82z", "\\xe2\\x82z");
	/* overlong: NUL, slash, U+007f, U+07ff, U+ffff */
	expect("\xc0\x80", "\\xc0\\x80");
	expect("\xc0\xaf", "\\xc0\\xaf");
	expect("\xc1\xbf", "\\xc1\\xbf");
	expect("\xe0\x9f\xbf", "\\xe0\\x9f\\xbf");
	expect("\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf");
	/* surrogates, and beyond U+10ffff */
	expect("\xed\xa0\x80", "\\xed\\xa0\\x80");
	expect("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
	expect("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80");
	/* the good character behind a bad byte stays */
	expect("\xc3\xc3\xa9", "\\xc3\xc3\xa9");
}

/* Cut at the room, never within an escape or a character. */
Test(printable, cut)
{
	static const struct {
		const char *text;
		size_t size;
		const char *expected;
	} cases[] = {
		{"abcdef", 1, ""},
		{"abcdef", 4, "abc"},
		{"abcdef", 7, "abcdef"},
		{"a\x1b"
		 "b",
		 5, "a"},
		{"a\x1b"
		 "b",
		 6, "a\\x1b"},
		{"a\\b", 3, "a"},
		{"a\\b", 4, "a\\\\"},
		{"\xe2\x82\xac", 3, ""},
		{"\xe2\x82\xac", 4, "\xe2\x82\xac"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buffer[16];

		memset(buffer, '#', sizeof(buffer));
		rbs_printable(cases[i].text, buffer, cases[i].size);
		cr_expect_str_eq(buffer, cases[i].expected, "case %zu: %s", i, buffer);
		cr_expect_eq(buffer[cases[i].size], '#', "case %zu", i);
	}
}

static void expect_undone(const char *text, const char *expected)
{
	char buffer[256];

	cr_expect_eq(rbs_printable_undo(text, buffer, sizeof(buffer)), buffer);
	cr_expect_str_eq(buffer, expected);
}

Test(printable, undone)
{
	/* every byte but NUL, as itself and before digits */
	char all[3 * 255 + 1], shown[4096], back[sizeof(all)];
	size_t used = 0;

	for (unsigned byte = 1; byte < 256; byte++) {
		all[used++] = (char)byte;
		all[used++] = 'x';
		all[used++] = '1';
	}
	all[used] = '\0';
	rbs_printable(all, shown, sizeof(shown));
	cr_expect_str_eq(rbs_printable_undo(shown, back, sizeof(back)), all);
	expect_undone("C:\\\\x1b", "C:\\x1b");
	/* what rbs_printable() does not write */
	expect_undone("\\x1", "\\x1");
	expect_undone("\\x00\\xg0\\y\\", "\\x00\\xg0\\y\\");
	/* cut at the room */
	memset(back, '#', sizeof(back));
	cr_expect_str_eq(rbs_printable_undo("a\\x1bcd", back, 4), "a\x1b"
								  "c");
	cr_expect_eq(back[4], '#');
}
