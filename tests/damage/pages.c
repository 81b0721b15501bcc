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
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/session.h"
#include "tests/damage/compare.h"
#include "tests/damage/excerpt.h"
#include "tests/damage/workers.h"

#define SECONDS 30

struct pages {
	const char *path;
	const char *xen_syms;
	bool zero;
	bool list;	      /* every break of the rule, not only the first of each page */
	size_t stride, group; /* pages in a group are taken away together; one group in stride */
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

static struct gone item_pages(const struct pages *self, size_t item)
{
	struct gone gone = {.from = item * self->stride * self->group, .count = self->group};

	return gone;
}

static enum rbs_code report_make(struct pages *self, struct rbs_report **report,
				 struct rbs_error *err)
{
	const struct rbs_session_options session = {
		.xen_syms = self->xen_syms,
		.has_xen_guest = self->xen_syms != NULL,
	};
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
	if (!excerpt_init(&self->excerpt, self->path) ||
	    !excerpt_leave_out(&self->excerpt, page_stays, &none))
		return false;
	self->zeros = calloc(1, self->excerpt.page_size);
	if (report_make(self, &report, &error) != RBS_OK) {
		fprintf(stderr, "%s: %s\n", self->path, error.text);
		return false;
	}
	return self->zeros && whole_init(&self->whole, report);
}

static void pages_name(void *state, size_t item, char *buffer, size_t size)
{
	const struct pages *self = state;

	snprintf(buffer, size, "%s%s --only %zu", self->path, self->zero ? " --zero" : "", item);
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
		       (unsigned long long)self->excerpt.pfns[item_pages(self, item).from],
		       difference.wrong, difference.first);
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
	struct gone gone = item_pages(self, item), none = {0};
	struct rbs_report *report;
	struct rbs_error error;
	bool done = true;

	if (gone.from + gone.count > self->excerpt.page_count)
		gone.count = self->excerpt.page_count - gone.from;
	for (size_t i = 0; self->zero && i < gone.count; i++)
		done = done && excerpt_page_write(&self->excerpt, gone.from + i, self->zeros);
	done = done && excerpt_leave_out(&self->excerpt, page_stays, self->zero ? &none : &gone);
	if (!done)
		abort();
	if (report_make(self, &report, &error) == RBS_OK) {
		result_count(self, item, report, tally);
		rbs_report_destroy(report);
	} else {
		tally_add(&tally->failed, 1);
		if (!*error.text || strchr(error.text, '\n'))
			printf("WRONG %s --only %zu: not one line: '%s'\n", self->path, item,
			       error.text);
	}
	for (size_t i = 0; self->zero && i < gone.count; i++)
		excerpt_page_write(&self->excerpt, gone.from + i,
				   excerpt_page(&self->excerpt, gone.from + i));
}

static int usage(const char *program)
{
	fprintf(stderr,
		"usage: %s [--zero] [--list] [--xen-syms FILE] [--group PAGES] [--stride N] "
		"[--only N] "
		"EXCERPT\n",
		program);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"zero", no_argument, NULL, 'z'},
		{"list", no_argument, NULL, 'l'},
		{"xen-syms", required_argument, NULL, 'x'},
		{"group", required_argument, NULL, 'g'},
		{"stride", required_argument, NULL, 's'},
		{"only", required_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	struct pages self = {.stride = 1, .group = 1};
	struct job job = {.only = SIZE_MAX,
			  .seconds = SECONDS,
			  .state = &self,
			  .start = pages_start,
			  .run = pages_run,
			  .name = pages_name};
	struct excerpt excerpt;
	struct tally tally;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (option == 'z')
			self.zero = true;
		else if (option == 'l')
			self.list = true;
		else if (option == 'x')
			self.xen_syms = optarg;
		else if (option == 'g')
			self.group = strtoul(optarg, NULL, 10);
		else if (option == 's')
			self.stride = strtoul(optarg, NULL, 10);
		else if (option == 'o')
			job.only = strtoul(optarg, NULL, 10);
		else
			return usage(argv[0]);
	}
	if (optind != argc - 1 || !self.group || !self.stride)
		return usage(argv[0]);
	self.path = argv[optind];
	if (!excerpt_init(&excerpt, self.path))
		return 2;
	job.count =
		(excerpt.page_count + self.group * self.stride - 1) / (self.group * self.stride);
	excerpt_deinit(&excerpt);
	if (!workers_run(&job, &tally))
		return 2;
	printf("%s: %llu %s, %llu crashes, %llu hangs, %llu wrong; %llu lost nothing, %llu some "
	       "of the figures, %llu all; %llu values equal, %llu absent with a reason\n",
	       self.path, (unsigned long long)tally.items,
	       self.zero ? "pages zeroed" : "pages removed", (unsigned long long)tally.crashes,
	       (unsigned long long)tally.hangs, (unsigned long long)tally.wrong,
	       (unsigned long long)tally.same, (unsigned long long)tally.partial,
	       (unsigned long long)tally.failed, (unsigned long long)tally.values,
	       (unsigned long long)tally.absences);
	return tally.crashes || tally.hangs || tally.wrong;
}
