/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "fake_target.h"

#define PAGE 0xffffea0000001000

static const uint8_t digits[] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

Test(target, numbers_little_endian)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);

	cr_expect_eq(rbs_target_get_uint(target, digits, 1), 0x01);
	cr_expect_eq(rbs_target_get_uint(target, digits, 2), 0x2301);
	cr_expect_eq(rbs_target_get_uint(target, digits, 4), 0x67452301);
	cr_expect_eq(rbs_target_get_uint(target, digits, 8), 0xefcdab8967452301);
	rbs_target_destroy(target);
}

Test(target, numbers_big_endian)
{
	struct rbs_target *target = fake_target_create(RBS_BIG_ENDIAN, 8);

	cr_expect_eq(rbs_target_get_uint(target, digits, 1), 0x01);
	cr_expect_eq(rbs_target_get_uint(target, digits, 2), 0x0123);
	cr_expect_eq(rbs_target_get_uint(target, digits, 4), 0x01234567);
	cr_expect_eq(rbs_target_get_uint(target, digits, 8), 0x0123456789abcdef);
	rbs_target_destroy(target);
}

Test(target, reads_numbers_of_known_sizes)
{
	static const size_t unknown[] = {0, 3, 5, 6, 7, 9, 16};
	struct rbs_target *target = fake_target_create(RBS_BIG_ENDIAN, 4);
	struct rbs_error error;
	uint64_t value = 4711;

	fake_target_map(target, PAGE, digits, sizeof(digits));
	cr_expect_eq(rbs_target_read_uint(target, PAGE + 2, 2, &value, &error), RBS_OK);
	cr_expect_eq(value, 0x4567);
	cr_expect_eq(rbs_target_read_pointer(target, PAGE + 4, &value, &error), RBS_OK);
	cr_expect_eq(value, 0x89abcdef);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		value = 4711;
		cr_expect_eq(rbs_target_read_uint(target, PAGE, unknown[i], &value, &error),
			     RBS_CORRUPT);
		cr_expect_eq(value, 4711);
	}
	rbs_target_destroy(target);
}

Test(target, failed_reads_leave_the_value)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_error error;
	uint64_t value = 4711;

	fake_target_map_zeros(target, PAGE, 4096);
	fake_target_hole(target, PAGE + 8, 8, RBS_EXCLUDED);
	cr_expect_eq(rbs_target_read_uint(target, PAGE + 8, 4, &value, &error), RBS_EXCLUDED);
	/* half there */
	cr_expect_eq(rbs_target_read_uint(target, PAGE + 4, 8, &value, &error), RBS_EXCLUDED);
	cr_expect_eq(rbs_target_read_uint(target, PAGE + 4092, 8, &value, &error), RBS_UNMAPPED);
	cr_expect_eq(rbs_target_read_uint(target, 0, 8, &value, NULL), RBS_UNMAPPED);
	cr_expect_eq(value, 4711);
	rbs_target_destroy(target);
}

Test(target, end_of_memory)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_error error;
	uint64_t value = 4711;
	uint8_t byte = 0;

	fake_target_map(target, UINT64_MAX - 7, digits, 8);
	cr_expect_eq(rbs_target_read_uint(target, UINT64_MAX - 7, 8, &value, &error), RBS_OK);
	cr_expect_eq(value, 0xefcdab8967452301);
	cr_expect_eq(rbs_target_read(target, RBS_KERNEL_VIRTUAL, UINT64_MAX, &byte, 1, &error),
		     RBS_OK);
	cr_expect_eq(byte, 0xef);
	cr_expect_eq(rbs_target_read_uint(target, UINT64_MAX - 6, 8, &value, &error), RBS_CORRUPT);
	cr_expect_str_eq(error.text, "8 bytes at fffffffffffffff9 run over the end of memory");
	rbs_target_destroy(target);
}

static void expect_string(const char *bytes, size_t length, uint64_t at, size_t size,
			  const char *expected)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	uint8_t around[8192];
	char buffer[256];

	memset(buffer, '#', sizeof(buffer));
	memset(around, '#', sizeof(around));
	/* Only as many pages as the string touches. */
	fake_target_map(target, PAGE, around, at + length > PAGE + 4096 ? 8192 : 4096);
	fake_target_map(target, at, bytes, length);
	cr_expect_eq(rbs_target_read_string(target, at, buffer, size, NULL), RBS_OK);
	cr_expect_str_eq(buffer, expected);
	cr_expect_eq(buffer[size], '#');
	rbs_target_destroy(target);
}

Test(target, strings)
{
	static const char longer[] =
		"a name of eighty characters, to be found where two pages meet, "
		"and more than one";

	expect_string("", 1, PAGE, 64, "");
	expect_string("virtio0", 8, PAGE, 64, "virtio0");
	/* the page behind the one with the NUL may be missing */
	expect_string("virtio0", 8, PAGE + 4096 - 8, 64, "virtio0");
	/* across a page, and across pieces */
	expect_string(longer, sizeof(longer), PAGE + 4096 - 20, 128, longer);
	expect_string(longer, sizeof(longer), PAGE + 63, 128, longer);
	/* cut to the room */
	expect_string("virtio0", 8, PAGE, 5, "virt");
	expect_string("virtio0", 8, PAGE, 8, "virtio0");
	expect_string("virtio0", 8, PAGE, 1, "");
	/* bytes are left as they are */
	expect_string("\x1b[2J\xff", 6, PAGE, 16, "\x1b[2J\xff");
}

Test(target, strings_that_need_the_next_page)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	struct rbs_error error;
	char buffer[64] = "before";

	fake_target_map(target, PAGE + 4090, "abcdef", 6); /* no NUL in its page */
	fake_target_map_zeros(target, PAGE + 4096, 16);
	fake_target_hole(target, PAGE + 4096, 4096, RBS_EXCLUDED);
	cr_expect_eq(rbs_target_read_string(target, PAGE + 4090, buffer, sizeof(buffer), &error),
		     RBS_EXCLUDED);
	cr_expect_str_empty(buffer);
	/* What fits ends before the page does. */
	cr_expect_eq(rbs_target_read_string(target, PAGE + 4090, buffer, 7, &error), RBS_OK);
	cr_expect_str_eq(buffer, "abcdef");
	rbs_target_destroy(target);
}

Test(target, string_without_room)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	char buffer = '#';

	cr_expect_eq(rbs_target_read_string(target, PAGE, &buffer, 0, NULL), RBS_OK);
	cr_expect_eq(buffer, '#');
	rbs_target_destroy(target);
}

Test(target, vmcoreinfo)
{
	struct rbs_target *target = fake_target_create(RBS_LITTLE_ENDIAN, 8);
	char text[16] = "";
	uint64_t address = 0;
	int64_t number = 0;

	cr_expect_not(rbs_vmcoreinfo_text(target, "OSRELEASE", text, sizeof(text)));
	fake_target_vmcoreinfo(target, "OSRELEASE=6.1.0-57-amd64\n"
				       "SYMBOL(_stext)=ffffffff81000000\n"
				       "NUMBER(phys_base)=-16777216\n"
				       "NUMBER(VA_BITS)=0x30\n"
				       "NUMBER(PHYS_OFFSET)=0xfff1000040000000\n"
				       "NUMBER(empty)=\n"
				       "SYMBOL(odd)=fffg\n"
				       "XSYMBOL(other)=1\n"
				       "KERNELOFFSET=1f000000\n"
				       "CRASHTIME=1");
	cr_expect(rbs_vmcoreinfo_text(target, "OSRELEASE", text, sizeof(text)));
	cr_expect_str_eq(text, "6.1.0-57-amd64");
	/* the last line needs no newline; keys are whole */
	cr_expect(rbs_vmcoreinfo_text(target, "CRASHTIME", text, sizeof(text)));
	cr_expect_str_eq(text, "1");
	cr_expect_not(rbs_vmcoreinfo_text(target, "OSRELEAS", text, sizeof(text)));
	cr_expect_not(rbs_vmcoreinfo_text(target, "RELEASE", text, sizeof(text)));
	cr_expect(rbs_vmcoreinfo_text(target, "OSRELEASE", text, 4));
	cr_expect_str_eq(text, "6.1");
	cr_expect(rbs_vmcoreinfo_symbol(target, "_stext", &address));
	cr_expect_eq(address, 0xffffffff81000000);
	cr_expect_not(rbs_vmcoreinfo_symbol(target, "odd", &address));
	cr_expect_not(rbs_vmcoreinfo_symbol(target, "other", &address));
	cr_expect_not(rbs_vmcoreinfo_symbol(target, "phys_base", &address));
	cr_expect(rbs_vmcoreinfo_hex(target, "KERNELOFFSET", &address));
	cr_expect_eq(address, 0x1f000000);
	cr_expect_not(rbs_vmcoreinfo_hex(target, "OSRELEASE", &address));
	cr_expect_not(rbs_vmcoreinfo_hex(target, "KERNELOFF", &address));
	cr_expect(rbs_vmcoreinfo_number(target, "phys_base", &number));
	cr_expect_eq(number, -16777216);
	cr_expect(rbs_vmcoreinfo_number(target, "VA_BITS", &number));
	cr_expect_eq(number, 48);
	cr_expect(rbs_vmcoreinfo_number(target, "PHYS_OFFSET", &number));
	cr_expect_eq((uint64_t)number, UINT64_C(0xfff1000040000000));
	cr_expect_not(rbs_vmcoreinfo_number(target, "empty", &number));
	rbs_target_destroy(target);
}
