/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pages - takes every page of an excerpt away in turn, and holds the output against the whole.
 *
 *     build/pages [options] EXCERPT     (tests/integration/test_damage.py runs it on all fixtures)
 *
 * Removed pages must follow the rule of compare.h. Pages that became zeros need only be survived
 * (--zero): zeros are an idle ring, an empty list, a device without a driver. Prints a line for
 * each page that breaks the rule, crashes or hangs, and one line of counts; exit status 1 if any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/damage/compare.h"
#include "tests/damage/excerpt.h"
#include "tests/damage/input.h"
#include "tests/damage/workers.h"

#define SECONDS 30
#define LONG_RUN 64 /* pages */

struct pages {
	struct input input;
	bool zero;
	bool list;     /* every break of the rule, not only the first of each page */
	size_t sample; /* of the pages of long runs, one in sample */
	size_t nth;    /* of what is then left, one in nth */
	size_t *items; /* the pages to take, owned */
	size_t item_count;
	size_t page; /* the one page to take; SIZE_MAX: all */
	struct excerpt excerpt;
	struct whole whole;
	uint8_t *zeros;
};

struct gone {
	size_t from, count;
};

static bool page_stays(size_t page, const void *data)
{
	const struct gone *gone = data;

	return page - gone->from >= gone->count;
}

/*
 * Symbols and types lie in long runs of pages, of which none can be missed: one is as good as
 * another. All other pages are taken.
 */
static bool items_choose(struct pages *self, const struct excerpt *excerpt)
{
	self->items = calloc(excerpt->page_count, sizeof(*self->items));
	for (size_t from = 0, to; self->items && from < excerpt->page_count; from = to) {
		size_t step;

		to = from + 1;
		while (to < excerpt->page_count &&
		       excerpt->pfns[to] == excerpt->pfns[from] + (to - from))
			to++;
		step = to - from > LONG_RUN ? self->sample : 1;
		for (size_t page = from; page < to; page += step)
			self->items[self->item_count++] = page;
	}
	for (size_t i = 0; self->items && i * self->nth < self->item_count; i++)
		self->items[i] = self->items[i * self->nth];
	self->item_count = (self->item_count + self->nth - 1) / self->nth;
	return self->items;
}

static enum rbs_code report_make(struct pages *self, struct rbs_report **report,
				 struct rbs_error *err)
{
	const struct rbs_session_options session = input_session(&self->input);
	const struct rbs_show_options show = {.verbose = true};

	return rbs_session_report(self->excerpt.path, &session, &show, report, err);
}

static bool pages_start(void *state)
{
	struct pages *self = state;
	const struct gone none = {0};
	struct rbs_report *report;
	struct rbs_error error;

	/* A copy for each process: they alter it. */
	if (!excerpt_init(&self->excerpt, self->input.path) ||
	    !excerpt_leave_out(&self->excerpt, page_stays, &none))
		return false;
	self->zeros = calloc(1, self->excerpt.page_size);
	if (report_make(self, &report, &error) != RBS_OK) {
		fprintf(stderr, "%s: %s\n", self->input.path, error.text);
		return false;
	}
	return self->zeros && whole_init(&self->whole, report);
}

static void pages_name(void *state, size_t item, char *buffer, size_t size)
{
	const struct pages *self = state;

	snprintf(buffer, size, "%s%s --page %zu", self->input.path, self->zero ? " --zero" : "",
		 self->items[item]);
}

static void result_count(struct pages *self, size_t item, const struct rbs_report *report,
			 struct tally *tally)
{
	struct difference difference = {.list = self->list};
	char name[256];

	if (!report_compare(&self->whole, report, &difference))
		abort();
	tally_add(&tally->values, difference.values);
	tally_add(&tally->absences, difference.absences);
	if (difference.wrong && !self->zero) {
		pages_name(self, item, name, sizeof(name));
		tally_add(&tally->wrong, 1);
		printf("WRONG %s (frame %llx): %zu: %s\n", name,
		       (unsigned long long)self->excerpt.pfns[self->items[item]], difference.wrong,
		       difference.first);
		fflush(stdout);
	} else if (difference.absences || difference.wrong) {
		tally_add(&tally->partial, 1);
	} else {
		tally_add(&tally->same, 1);
	}
}

static void pages_run(void *state, size_t item, struct tally *tally)
{
	struct pages *self = state;
	struct gone gone = {self->items[item], 1}, none = {0};
	struct rbs_report *report;
	struct rbs_error error;

	if ((self->zero && !excerpt_page_write(&self->excerpt, gone.from, self->zeros)) ||
	    !excerpt_leave_out(&self->excerpt, page_stays, self->zero ? &none : &gone))
		abort();
	if (report_make(self, &report, &error) == RBS_OK) {
		result_count(self, item, report, tally);
		rbs_report_destroy(report);
	} else {
		tally_add(&tally->failed, 1);
		if (!*error.text || strchr(error.text, '\n'))
			printf("WRONG %s --page %zu: not one line: '%s'\n", self->input.path,
			       gone.from, error.text);
	}
	if (self->zero)
		excerpt_page_write(&self->excerpt, gone.from,
				   excerpt_page(&self->excerpt, gone.from));
}

int main(int argc, char **argv)
{
	struct pages self = {.sample = 1, .nth = 1, .page = SIZE_MAX};
	const struct input_option options[] = {
		{"zero", .flag = &self.zero},	    {"list", .flag = &self.list},
		{"sample", .number = &self.sample}, {"nth", .number = &self.nth},
		{"page", .number = &self.page},	    {NULL},
	};
	struct job job = {.seconds = SECONDS,
			  .state = &self,
			  .start = pages_start,
			  .run = pages_run,
			  .name = pages_name};
	struct excerpt excerpt;
	struct tally tally;
	bool ran;

	if (!input_read(&self.input, options, argc, argv) || !self.sample || !self.nth)
		return 2;
	if (!excerpt_init(&excerpt, self.input.path))
		return 2;
	if (!items_choose(&self, &excerpt))
		return 2;
	if (self.page < excerpt.page_count) {
		self.items[0] = self.page;
		self.item_count = 1;
	}
	excerpt_deinit(&excerpt);
	job.count = self.item_count;
	ran = workers_run(&job, &tally);
	free(self.items);
	if (!ran)
		return 2;
	printf("%s: %llu %s, %llu crashes, %llu hangs, %llu wrong; %llu lost nothing, %llu some "
	       "of the figures, %llu all; %llu values equal, %llu absent with a reason\n",
	       self.input.path, (unsigned long long)tally.items,
	       self.zero ? "pages zeroed" : "pages removed", (unsigned long long)tally.crashes,
	       (unsigned long long)tally.hangs, (unsigned long long)tally.wrong,
	       (unsigned long long)tally.same, (unsigned long long)tally.partial,
	       (unsigned long long)tally.failed, (unsigned long long)tally.values,
	       (unsigned long long)tally.absences);
	return tally.crashes || tally.hangs || tally.wrong;
}
