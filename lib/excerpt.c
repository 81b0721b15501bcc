/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/excerpt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/excerpt_elf.h"

/* What is on its way into the file. */
struct excerpt {
	struct rbs_target *target;
	int fd;
	uint64_t *pfns; /* ascending */
	size_t count;
	struct rbs_excerpt_run *runs;
	size_t run_count;
	uint8_t *page;
	struct rbs_excerpt_stats *stats;
};

static enum rbs_code page_read(struct excerpt *self, uint64_t pfn, struct rbs_error *err)
{
	uint64_t size = self->target->info.page_size;

	return rbs_target_read(self->target, RBS_PHYSICAL, pfn * size, self->page, size, err);
}

/* Reduce the pages to those that the dump has. */
static enum rbs_code pages_keep(struct excerpt *self, struct rbs_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < self->count; i++) {
		enum rbs_code code = page_read(self, self->pfns[i], err);

		if (rbs_target_interrupted(self->target))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (code == RBS_OK)
			self->pfns[kept++] = self->pfns[i];
		else if (code == RBS_EXCLUDED || code == RBS_UNMAPPED)
			self->stats->missing++;
		else
			self->stats->unreadable++;
	}
	self->count = kept;
	if (!kept)
		return rbs_error_set(err, RBS_IO, "no page of the dump could be read");
	return RBS_OK;
}

static enum rbs_code runs_make(struct excerpt *self, struct rbs_error *err)
{
	self->runs = calloc(self->count + 1, sizeof(*self->runs));
	if (!self->runs)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	for (size_t i = 0; i < self->count; i++) {
		struct rbs_excerpt_run *last = self->runs + self->run_count - 1;

		if (self->run_count && last->pfn + last->count == self->pfns[i])
			last->count++;
		else
			self->runs[self->run_count++] = (struct rbs_excerpt_run){self->pfns[i], 1};
	}
	return RBS_OK;
}

static enum rbs_code bytes_write(struct excerpt *self, const uint8_t *bytes, size_t size,
				 struct rbs_error *err)
{
	while (size) {
		ssize_t done = write(self->fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return rbs_error_set(err, RBS_IO, "%s", strerror(errno));
		self->stats->bytes += (uint64_t)done;
		bytes += done;
		size -= (size_t)done;
	}
	return RBS_OK;
}

static enum rbs_code head_write(struct excerpt *self, struct rbs_error *err)
{
	enum rbs_code code;
	uint8_t *head;
	size_t size;

	code = rbs_excerpt_head_build(self->target, self->runs, self->run_count, &head, &size, err);
	if (code != RBS_OK)
		return code;
	code = bytes_write(self, head, size, err);
	free(head);
	return code;
}

static enum rbs_code pages_write(struct excerpt *self, struct rbs_error *err)
{
	for (size_t i = 0; i < self->count; i++) {
		enum rbs_code code = page_read(self, self->pfns[i], err);

		if (code == RBS_OK)
			code = bytes_write(self, self->page, self->target->info.page_size, err);
		if (code != RBS_OK)
			return code;
		self->stats->pages++;
	}
	return RBS_OK;
}

enum rbs_code rbs_excerpt_write(struct rbs_target *target, const struct rbs_page_set *pages, int fd,
				struct rbs_excerpt_stats *stats, struct rbs_error *err)
{
	struct excerpt self = {.target = target, .fd = fd, .count = pages->count, .stats = stats};
	enum rbs_code code = RBS_OK;

	*stats = (struct rbs_excerpt_stats){0};
	self.pfns = rbs_page_set_sorted(pages);
	self.page = malloc(target->info.page_size);
	if (!self.pfns || !self.page)
		code = rbs_error_set(err, RBS_NOMEM, "out of memory");
	if (code == RBS_OK)
		code = pages_keep(&self, err);
	if (code == RBS_OK)
		code = runs_make(&self, err);
	if (code == RBS_OK)
		code = head_write(&self, err);
	if (code == RBS_OK)
		code = pages_write(&self, err);
	free(self.runs);
	free(self.page);
	free(self.pfns);
	return code;
}
