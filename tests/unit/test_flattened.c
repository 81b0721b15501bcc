/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/target/flattened.h"

/* A stream being written: everything in it is big endian. */
static FILE *stream_create(void)
{
	FILE *stream = tmpfile();

	if (!stream)
		abort();
	return stream;
}

static void put_number(FILE *stream, uint64_t value)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		fputc((int)(value >> shift & 0xff), stream);
}

static void put_header(FILE *stream, uint64_t type)
{
	fwrite("makedumpfile\0\0\0", 16, 1, stream);
	put_number(stream, type);
	put_number(stream, 1);
	while (ftell(stream) < 4096)
		fputc(0, stream);
}

static void put_record(FILE *stream, uint64_t offset, const char *bytes)
{
	put_number(stream, offset);
	put_number(stream, strlen(bytes));
	fputs(bytes, stream);
}

static void put_end(FILE *stream)
{
	put_number(stream, UINT64_MAX);
	put_number(stream, UINT64_MAX);
}

static enum rbs_code rearrange(FILE *stream, int *rearranged, struct rbs_error *err)
{
	fflush(stream);
	*rearranged = -1;
	return rbs_flattened_rearrange(fileno(stream), "some/dump", rearranged, err);
}

static void expect_content(FILE *stream, const char *expected, size_t size)
{
	struct rbs_error error = {.text = ""};
	struct stat status;
	char *content = calloc(1, size + 1);
	int rearranged;

	cr_assert_eq(rearrange(stream, &rearranged, &error), RBS_OK, "%s", error.text);
	cr_assert_eq(fstat(rearranged, &status), 0);
	cr_expect_eq(status.st_size, (off_t)size, "%lld", (long long)status.st_size);
	cr_expect_eq(status.st_nlink, 0, "the copy has a name");
	cr_expect_eq(pread(rearranged, content, size, 0), (ssize_t)size);
	cr_expect_eq(memcmp(content, expected, size), 0);
	free(content);
	close(rearranged);
	fclose(stream);
}

static void expect_refused(FILE *stream, enum rbs_code code, const char *text)
{
	struct rbs_error error = {.text = ""};
	int rearranged;

	cr_expect_eq(rearrange(stream, &rearranged, &error), code, "%d", error.code);
	cr_expect(strstr(error.text, text), "%s", error.text);
	cr_expect(strstr(error.text, "some/dump"), "%s", error.text);
	cr_expect_eq(rearranged, -1);
	fclose(stream);
}

Test(flattened, detected_by_its_header)
{
	FILE *stream = stream_create();

	cr_expect_not(rbs_flattened_detect(fileno(stream)));
	put_header(stream, 1);
	fflush(stream);
	cr_expect(rbs_flattened_detect(fileno(stream)));
	fclose(stream);
	/* another type of file of makedumpfile's */
	stream = stream_create();
	put_header(stream, 2);
	fflush(stream);
	cr_expect_not(rbs_flattened_detect(fileno(stream)));
	fclose(stream);
	stream = stream_create();
	fputs("makedumpfile is a program", stream);
	fflush(stream);
	cr_expect_not(rbs_flattened_detect(fileno(stream)));
	fclose(stream);
	cr_expect_not(rbs_flattened_detect(-1));
}

/* Pieces come in any order, overlap, and leave holes that read as zeros. */
Test(flattened, pieces_put_in_place)
{
	FILE *stream = stream_create();

	put_header(stream, 1);
	put_record(stream, 10, "world");
	put_record(stream, 0, "hello ...");
	put_record(stream, 6, "to");
	put_record(stream, 3, "");
	put_end(stream);
	fputs("what follows the end is not looked at", stream);
	expect_content(stream,
		       "hello to.\0"
		       "world",
		       15);
}

Test(flattened, empty_stream)
{
	FILE *stream = stream_create();

	put_header(stream, 1);
	put_end(stream);
	expect_content(stream, "", 0);
}

/* More than is copied at once. */
Test(flattened, long_piece)
{
	FILE *stream = stream_create();
	size_t size = (3 << 20) + 17;
	char *text = malloc(size + 1);

	for (size_t i = 0; i < size; i++)
		text[i] = (char)('a' + i % 23);
	text[size] = '\0';
	put_header(stream, 1);
	put_record(stream, 0, text);
	put_end(stream);
	expect_content(stream, text, size);
	free(text);
}

Test(flattened, cut_off)
{
	FILE *stream = stream_create();

	put_header(stream, 1);
	put_record(stream, 0, "hello");
	expect_refused(stream, RBS_TRUNCATED, "no end mark");
	/* within a record's head */
	stream = stream_create();
	put_header(stream, 1);
	put_number(stream, 0);
	expect_refused(stream, RBS_TRUNCATED, "no end mark");
	/* within a record's bytes */
	stream = stream_create();
	put_header(stream, 1);
	put_number(stream, 0);
	put_number(stream, 6);
	fputs("hello", stream);
	expect_refused(stream, RBS_TRUNCATED, "in the middle of a record");
	/* within the header */
	stream = stream_create();
	fwrite("makedumpfile\0\0\0", 16, 1, stream);
	put_number(stream, 1);
	put_number(stream, 1);
	expect_refused(stream, RBS_TRUNCATED, "no end mark");
}

static void expect_bad_record(uint64_t offset, uint64_t size)
{
	FILE *stream = stream_create();

	put_header(stream, 1);
	put_record(stream, 0, "hello"); /* 4096 to 4117 */
	put_number(stream, offset);
	put_number(stream, size);
	fputs("hello", stream);
	put_end(stream);
	expect_refused(stream, RBS_CORRUPT, "bad record at 4117");
}

Test(flattened, bad_records)
{
	expect_bad_record(UINT64_MAX - 1, 5);
	expect_bad_record(UINT64_C(1) << 63, 5);
	expect_bad_record(UINT64_C(1) << 62, 5);
	expect_bad_record(0, UINT64_MAX);
	expect_bad_record(0, UINT64_C(1) << 63);
}

/* A record that says it is longer than all that follows it. */
Test(flattened, endless_record)
{
	FILE *stream = stream_create();

	put_header(stream, 1);
	put_number(stream, 0);
	put_number(stream, (UINT64_C(1) << 61) - 1);
	fputs("hello", stream);
	put_end(stream);
	expect_refused(stream, RBS_TRUNCATED, "in the middle of a record at 4133");
}

Test(flattened, other_folder_when_tmpdir_will_not_do)
{
	FILE *stream = stream_create();

	setenv("TMPDIR", "/nonexistent", 1);
	put_header(stream, 1);
	put_record(stream, 0, "hello");
	put_end(stream);
	expect_content(stream, "hello", 5);
}
