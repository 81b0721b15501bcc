/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tables - opens and reads thousands of images of an excerpt whose page tables were changed.
 *
 *     build/san/tables [options] EXCERPT     (tests/integration/test_damage.py)
 *
 * Image N is always the same image, of one to four changes (page_tables.h). None may crash or take
 * longer than SECONDS. In every other one all changes can be told: what they took away is not
 * mapped, or mapped to memory that the dump does not have. There the output must follow the rule of
 * compare.h. Prints a line for each image that breaks that, and one of counts; exit status 1 if
 * any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/damage/compare.h"
#include "tests/damage/excerpt.h"
#include "tests/damage/input.h"
#include "tests/damage/page_tables.h"
#include "tests/damage/random.h"
#include "tests/damage/workers.h"

#define SECONDS 20
#define CHANGES_MAX 4

struct tables {
	struct input input;
	size_t images, only;
	bool list; /* every break of the rule, and what was changed */
	struct excerpt excerpt;
	struct page_tables tables;
	struct whole whole;
	uint8_t *bytes; /* of a page */
};

static bool is_told(size_t item)
{
	return item % 2 == 0;
}

static bool page_stays(size_t page, const void *data)
{
	(void)page;
	(void)data;
	return true;
}

static enum rbs_code report_make(struct tables *self, struct rbs_report **report,
				 struct rbs_error *err)
{
	const struct rbs_session_options session = input_session(&self->input);
	const struct rbs_show_options show = {.verbose = true};

	return rbs_session_report(self->excerpt.path, &session, &show, report, err);
}

static bool tables_start(void *state)
{
	struct tables *self = state;
	struct rbs_report *report;
	struct rbs_error error;

	/* A copy for each process: they alter it. */
	if (!excerpt_init(&self->excerpt, self->input.path) ||
	    !excerpt_leave_out(&self->excerpt, page_stays, NULL) ||
	    !page_tables_init(&self->tables, &self->input, &self->excerpt))
		return false;
	self->bytes = malloc(self->excerpt.page_size);
	if (report_make(self, &report, &error) != RBS_OK) {
		fprintf(stderr, "%s: %s\n", self->input.path, error.text);
		return false;
	}
	return self->bytes && whole_init(&self->whole, report);
}

static size_t item_number(const struct tables *self, size_t item)
{
	return self->only == SIZE_MAX ? item : self->only;
}

static void tables_name(void *state, size_t item, char *buffer, size_t size)
{
	const struct tables *self = state;

	snprintf(buffer, size, "--only %zu %s", item_number(self, item), self->input.path);
}

/* The pages that were changed, for them to be put back. */
struct changed {
	size_t pages[CHANGES_MAX];
	size_t count;
};

static void change(struct tables *self, const struct table_entry *entry, enum table_damage damage,
		   uint64_t random, struct changed *changed)
{
	const struct excerpt *excerpt = &self->excerpt;

	if (self->list)
		printf("  damage %d to entry %zx of frame %llx, level %u: %llx\n", damage,
		       entry->offset / sizeof(uint64_t),
		       (unsigned long long)excerpt->pfns[entry->page], entry->level,
		       (unsigned long long)entry->value);
	if (!excerpt_page_read(excerpt, entry->page, self->bytes))
		abort();
	page_tables_damage(&self->tables, excerpt, entry, damage, random, self->bytes);
	if (!excerpt_page_write(excerpt, entry->page, self->bytes))
		abort();
	changed->pages[changed->count++] = entry->page;
}

static struct changed image_make(struct tables *self, size_t number)
{
	uint64_t state = number;
	struct changed changed = {.count = 0};
	size_t count = 1 + random_next(&state) % CHANGES_MAX;

	for (size_t i = 0; i < count; i++) {
		size_t among = is_told(number) ? self->tables.own : self->tables.count;
		const struct table_entry *entry =
			&self->tables.entries[random_next(&state) % among];
		uint64_t random = random_next(&state);
		unsigned damage = is_told(number)
					  ? (unsigned)(random_next(&state) % TABLE_TOLD)
					  : TABLE_TOLD + (unsigned)(random_next(&state) %
								    (TABLE_DAMAGES - TABLE_TOLD));

		change(self, entry, damage, random, &changed);
	}
	return changed;
}

static void result_judge(struct tables *self, size_t item, const struct rbs_report *report,
			 struct tally *tally)
{
	struct difference difference = {.list = self->list && is_told(item)};
	char name[256];

	if (!report_compare(&self->whole, report, &difference))
		abort();
	tally_add(difference.wrong || difference.absences ? &tally->partial : &tally->same, 1);
	if (!is_told(item))
		return;
	tally_add(&tally->values, difference.values);
	tally_add(&tally->absences, difference.absences);
	if (difference.wrong) {
		tables_name(self, item, name, sizeof(name));
		tally_add(&tally->wrong, 1);
		printf("WRONG %s: %zu: %s\n", name, difference.wrong, difference.first);
		fflush(stdout);
	}
}

static void tables_run(void *state, size_t item, struct tally *tally)
{
	struct tables *self = state;
	struct changed changed;
	struct rbs_report *report;
	struct rbs_error error = {0};

	item = item_number(self, item);
	changed = image_make(self, item);
	if (report_make(self, &report, &error) == RBS_OK) {
		result_judge(self, item, report, tally);
		rbs_report_destroy(report);
	} else {
		tally_add(&tally->failed, 1);
		if (self->list)
			printf("  %s\n", error.text);
		if (!*error.text || strchr(error.text, '\n'))
			printf("WRONG --only %zu: not one line: '%s'\n", item, error.text);
	}
	for (size_t i = 0; i < changed.count; i++)
		excerpt_page_write(&self->excerpt, changed.pages[i],
				   excerpt_page(&self->excerpt, changed.pages[i]));
}

int main(int argc, char **argv)
{
	struct tables self = {.images = 5000, .only = SIZE_MAX};
	const struct input_option options[] = {
		{"images", .number = &self.images},
		{"only", .number = &self.only},
		{"list", .flag = &self.list},
		{NULL},
	};
	struct job job = {.seconds = SECONDS,
			  .state = &self,
			  .start = tables_start,
			  .run = tables_run,
			  .name = tables_name};
	struct tally tally;

	if (!input_read(&self.input, options, argc, argv))
		return 2;
	job.count = self.only == SIZE_MAX ? self.images : 1;
	if (!workers_run(&job, &tally))
		return 2;
	printf("%s: %llu images of changed page tables, %llu crashes, %llu hangs, %llu wrong; %llu "
	       "lost nothing, %llu some of the figures, %llu all; %llu values equal, %llu absent "
	       "with a reason\n",
	       self.input.path, (unsigned long long)tally.items, (unsigned long long)tally.crashes,
	       (unsigned long long)tally.hangs, (unsigned long long)tally.wrong,
	       (unsigned long long)tally.same, (unsigned long long)tally.partial,
	       (unsigned long long)tally.failed, (unsigned long long)tally.values,
	       (unsigned long long)tally.absences);
	return tally.crashes || tally.hangs || tally.wrong;
}
