/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to the text that describes a trace. */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/ctf_metadata.h"

static bool uuid_of(const char *text, uint8_t *uuid)
{
	return rbs_ctf_uuid_find(text, strlen(text), uuid);
}

Test(ctf_metadata, uuid)
{
	static const uint8_t wanted[16] = {0x50, 0xa0, 0xb5, 0x88, 0xc5, 0xed, 0xaa, 0x48,
					   0x8d, 0x95, 0xa4, 0xe9, 0x97, 0x8d, 0x88, 0xa8};
	uint8_t uuid[16];

	cr_assert(uuid_of("clock {\n\tuuid = \"00000000-0000-0000-0000-000000000000\";\n};\n"
			  "trace {\n\tmajor = 1;\n\tminor = 8;\n"
			  "\tuuid = \"50a0b588-c5ed-AA48-8d95-a4e9978d88a8\";\n};",
			  uuid));
	cr_expect_arr_eq(uuid, wanted, 16);
	/* The header's declaration has the word too. */
	cr_expect_not(
		uuid_of("trace {\n\tpacket.header := struct { uint8_t uuid[16]; }\n};", uuid));
	cr_expect_not(uuid_of("trace {\n\tuuid = \"50a0b588-c5ed-aa48", uuid));
	cr_expect_not(
		uuid_of("trace { uuid = \"50a0b588-c5ed-aa48-8d95-a4e9978d88a800\"; }", uuid));
	cr_expect_not(uuid_of("trace { uuid = \"50a0b588-c5ed-aa48-8d95-a4e9978d88ag\"; }", uuid));
	cr_expect_not(uuid_of("trace { uuid", uuid));
	cr_expect_not(uuid_of("", uuid));
}

Test(ctf_metadata, uuid_of_ctf2)
{
	uint8_t uuid[16];

	cr_expect_not(rbs_ctf_metadata_json("", 0));
	cr_assert(uuid_of(
		"\x1e{\n  \"type\": \"preamble\",\n  \"uuid\": [\n    67,\n    138, 204,0,1,2,3,"
		"4,5,6,7,8,9,10,11,\n    255\n  ],\n  \"version\": 2\n}",
		uuid));
	cr_expect_eq(uuid[0], 67);
	cr_expect_eq(uuid[1], 138);
	cr_expect_eq(uuid[2], 204);
	cr_expect_eq(uuid[3], 0);
	cr_expect_eq(uuid[15], 255);
	cr_expect_not(uuid_of("\x1e{\"uuid\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14]}", uuid));
	cr_expect_not(uuid_of("\x1e{\"uuid\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,256]}", uuid));
	cr_expect_not(
		uuid_of("\x1e{\"uuid\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,99999999999]}", uuid));
	cr_expect_not(uuid_of("\x1e{\"uuid\": [", uuid));
	/* Of the first text alone. */
	cr_expect_not(
		uuid_of("\x1e{}\x1e{\"uuid\": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}", uuid));
	cr_expect_not(uuid_of("\x1e", uuid));
}

static void expect_env(const char *text, const char *name, const char *wanted)
{
	char value[16] = "unset";
	bool found = rbs_ctf_env_find(text, strlen(text), name, value, sizeof(value));

	cr_expect_eq(found, wanted != NULL, "%s: %s", name, value);
	if (found && wanted)
		cr_expect_str_eq(value, wanted);
}

Test(ctf_metadata, environment)
{
	static const char text[] = "clock {\n\tname = monotonic;\n};\n\nenv {\n"
				   "\tdomain = \"ust\";\n"
				   "\tvpid = 123;\n"
				   "\tprocname = \"a\\\"b;}\\\\c\";\n"
				   "\ttrace_name = \"longer than there is room\";\n"
				   "\tempty = \"\";\n"
				   "};\n\nevent {\n\tother = \"x\";\n};\n";

	expect_env(text, "domain", "ust");
	expect_env(text, "vpid", "123");
	expect_env(text, "procname", "a\"b;}\\c");
	expect_env(text, "trace_name", "longer than the");
	expect_env(text, "empty", "");
	/* A part of a name, of another block, a value. */
	expect_env(text, "pid", NULL);
	expect_env(text, "other", NULL);
	expect_env(text, "ust", NULL);
	expect_env("env {\n\tx = \"never closed;\n};\n", "x", NULL);
	expect_env("env {\n\tx = ", "x", NULL);
	expect_env("env {\n\tx\n};", "x", NULL);
	expect_env("env {", "x", NULL);
	expect_env("", "x", NULL);
}

Test(ctf_metadata, environment_of_ctf2)
{
	static const char text[] =
		"\x1e{\n  \"name\": \"x\"\n}\x1e{\n  \"environment\": {\n    \"domain\": \"ust\",\n"
		"    \"vpid\": 123,\n    \"procname\": \"a\\\"b\",\n    \"last\": 7\n  },\n"
		"  \"other\": 1\n}";

	expect_env(text, "domain", "ust");
	expect_env(text, "vpid", "123");
	expect_env(text, "procname", "a\"b");
	expect_env(text, "last", "7");
	expect_env(text, "name", NULL);
	expect_env(text, "other", NULL);
	expect_env(text, "pid", NULL);
	expect_env(text, "ust", NULL);
	expect_env("\x1e{\"environment\": {\"x\": \"open}", "x", NULL);
	expect_env("\x1e{\"environment\": {", "x", NULL);
}
