/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cache.h"
#include "scratch.h"

static char *written(struct rbs_shelf *shelf, size_t *size)
{
	char *text = rbs_shelf_write(shelf, "btf-1", size);

	cr_assert_not_null(text);
	return text;
}

Test(shelf, keeps_answers)
{
	struct rbs_shelf shelf = {.count = 0}, copy = {.count = 0};
	size_t size;
	char *text;

	rbs_shelf_put(&shelf, "one", "1");
	rbs_shelf_put(&shelf, "two words", "2 2");
	rbs_shelf_put(&shelf, "one", "11");
	rbs_shelf_put(&shelf, "tab\tin it", "3");
	rbs_shelf_put(&shelf, "three", "a new\nline");
	rbs_shelf_put(&shelf, "escape", "\033[2J");
	text = written(&shelf, &size);
	cr_assert(rbs_shelf_read(&copy, "btf-1", text, size));
	cr_expect_eq(copy.count, 2);
	cr_expect_str_eq(rbs_shelf_get(&copy, "one"), "11");
	cr_expect_str_eq(rbs_shelf_get(&copy, "two words"), "2 2");
	cr_expect_null(rbs_shelf_get(&copy, "three"));
	cr_expect_null(rbs_shelf_get(NULL, "one"));
	free(text);
	rbs_shelf_deinit(&copy);
	rbs_shelf_deinit(&shelf);
}

/* Every byte of it, every length of it, and the name that it is read for. */
Test(shelf, refuses_what_it_did_not_write)
{
	struct rbs_shelf shelf = {.count = 0}, copy = {.count = 0};
	size_t size;
	char *text;

	rbs_shelf_put(&shelf, "question", "answer");
	text = written(&shelf, &size);
	for (size_t i = 0; i < size; i++) {
		char *changed = malloc(size);

		cr_assert_not_null(changed);
		for (unsigned bit = 0; bit < 8; bit++) {
			memcpy(changed, text, size);
			changed[i] = (char)(changed[i] ^ 1 << bit);
			cr_expect_not(rbs_shelf_read(&copy, "btf-1", changed, size), "%zu.%u", i,
				      bit);
			cr_expect_eq(copy.count, 0);
		}
		free(changed);
		cr_expect_not(rbs_shelf_read(&copy, "btf-1", text, i), "%zu bytes", i);
	}
	cr_expect_not(rbs_shelf_read(&copy, "btf-2", text, size), "another build's");
	cr_expect(rbs_shelf_read(&copy, "btf-1", text, size));
	free(text);
	rbs_shelf_deinit(&copy);
	rbs_shelf_deinit(&shelf);
}

Test(cache, lives_in_a_folder)
{
	struct scratch scratch;
	struct rbs_cache *cache;
	struct rbs_shelf *shelf;

	scratch_init(&scratch);
	cache = rbs_cache_open(scratch.folder);
	cr_assert_not_null(cache);
	shelf = rbs_cache_shelf(cache, "btf-0123");
	cr_assert_not_null(shelf);
	cr_expect_eq(rbs_cache_shelf(cache, "btf-0123"), shelf);
	cr_expect_null(rbs_shelf_get(shelf, "q"));
	rbs_shelf_put(shelf, "q", "a");
	cr_expect_null(rbs_cache_shelf(cache, "../btf"), "a way out of the folder");
	cr_expect_null(rbs_cache_shelf(cache, ""));
	rbs_cache_close(cache);
	cache = rbs_cache_open(scratch.folder);
	cr_expect_str_eq(rbs_shelf_get(rbs_cache_shelf(cache, "btf-0123"), "q"), "a");
	rbs_cache_close(cache);
	cr_expect_null(rbs_cache_shelf(NULL, "btf-0123"));
	scratch_deinit(&scratch);
}

/* A file that others can write, a link, a folder, a pipe in its place: as if there was none. */
Test(cache, trusts_only_its_own_files)
{
	static const char *const places[] = {
		"chmod 666 btf-1",
		"mv btf-1 real; ln -s real btf-1",
		"rm btf-1; mkdir btf-1",
		"rmdir btf-1; mkfifo btf-1",
		"rm btf-1; head -c 2000000 /dev/zero > btf-1",
	};
	struct scratch scratch;
	struct rbs_cache *cache;

	scratch_init(&scratch);
	cache = rbs_cache_open(scratch.folder);
	rbs_shelf_put(rbs_cache_shelf(cache, "btf-1"), "q", "a");
	rbs_cache_close(cache);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		scratch_run(&scratch, places[i]);
		cache = rbs_cache_open(scratch.folder);
		cr_expect_null(rbs_shelf_get(rbs_cache_shelf(cache, "btf-1"), "q"), "%s",
			       places[i]);
		rbs_cache_close(cache);
	}
	scratch_run(&scratch, "chmod 777 .");
	cr_expect_null(rbs_cache_open(scratch.folder));
	scratch_run(&scratch, "chmod 700 .");
	scratch_deinit(&scratch);
}
