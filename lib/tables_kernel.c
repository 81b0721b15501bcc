/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/tables_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/kdump.h"
#include "lib/target/x86_walk.h"
#include "lib/target/xen_notes.h"

#define PAGE 4096

/* The gigabyte for the kernel's image (__START_KERNEL_map), its alignment, and the most it takes.
 */
#define IMAGE_FIRST UINT64_C(0xffffffff80000000)
#define IMAGE_LAST UINT64_C(0xffffffffbfffffff)
#define IMAGE_ALIGN (UINT64_C(2) << 20)
#define IMAGE_SIZE (UINT64_C(128) << 20)
#define FIRST_LINE "OSRELEASE="
/* Of what looks like a pointer to a page in a kernel's image: Debian's have 40,000 to 66,000. */
#define POINTER_LIMIT (1u << 20)

struct tables_target {
	struct rbs_target target;
	struct rbs_target *machine;
	bool owns_machine;
	struct rbs_x86_walk walk;
	char vmcoreinfo[PAGE + 1];
	char note[PAGE + 64]; /* the same and our own line */
};

static struct tables_target *tables_target_from(struct rbs_target *target)
{
	return (struct tables_target *)target;
}

static enum rbs_code tables_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				 void *buffer, size_t length, struct rbs_error *err)
{
	struct tables_target *self = tables_target_from(target);

	if (space == RBS_PHYSICAL)
		return rbs_target_read(self->machine, space, address, buffer, length, err);
	return rbs_x86_read(&self->walk, address, buffer, length, err);
}

static const char *tables_vmcoreinfo(struct rbs_target *target)
{
	return tables_target_from(target)->vmcoreinfo;
}

static const char *tables_note(struct rbs_target *target, const char **name)
{
	struct tables_target *self = tables_target_from(target);
	size_t length = strlen(self->vmcoreinfo);
	const char *end = length && self->vmcoreinfo[length - 1] != '\n' ? "\n" : "";

	snprintf(self->note, sizeof(self->note), "%s%s" RBS_KDUMP_ROOT_KEY "=%" PRIx64 "\n",
		 self->vmcoreinfo, end, self->walk.root);
	*name = "VMCOREINFO";
	return self->note;
}

static const struct rbs_page_set *tables_pages(const struct rbs_target *target)
{
	return rbs_target_pages(((const struct tables_target *)target)->machine);
}

static bool tables_interrupted(struct rbs_target *target)
{
	return rbs_target_interrupted(tables_target_from(target)->machine);
}

static void tables_destroy(struct rbs_target *target)
{
	if (tables_target_from(target)->owns_machine)
		rbs_target_destroy(tables_target_from(target)->machine);
	free(target);
}

static const struct rbs_target_ops tables_ops = {
	.read = tables_read,
	.vmcoreinfo = tables_vmcoreinfo,
	.note = tables_note,
	.pages = tables_pages,
	.interrupted = tables_interrupted,
	.destroy = tables_destroy,
};

static bool vmcoreinfo_take(struct tables_target *self, uint64_t address)
{
	char first[sizeof(FIRST_LINE) - 1];

	if (rbs_x86_read(&self->walk, address, first, sizeof(first), NULL) != RBS_OK ||
	    memcmp(first, FIRST_LINE, sizeof(first)))
		return false;
	return rbs_x86_read(&self->walk, address, self->vmcoreinfo, PAGE, NULL) == RBS_OK;
}

static bool is_page_pointer(uint64_t address)
{
	/* The kernel's half, below its image: the direct map. */
	return address % PAGE == 0 && address >> 63 && address < IMAGE_FIRST;
}

/*
 * Of all that points to pages, what points to VMCOREINFO; *found is where. *left: how many
 * pointers may be followed yet.
 */
static enum rbs_code image_search(struct tables_target *self, unsigned *left, uint64_t *found,
				  struct rbs_error *err)
{
	uint64_t first = IMAGE_FIRST, ignored;
	uint8_t page[PAGE];

	/* But for PV, a kernel is moved, in steps, and nothing is mapped below it. */
	while (first < IMAGE_LAST &&
	       rbs_x86_translate(&self->walk, first, &ignored, NULL) != RBS_OK)
		first += IMAGE_ALIGN;
	for (uint64_t at = first; at < first + IMAGE_SIZE && at < IMAGE_LAST; at += PAGE) {
		if (rbs_target_interrupted(self->machine))
			return rbs_error_set(err, RBS_INTERRUPTED, "interrupted");
		if (rbs_x86_read(&self->walk, at, page, PAGE, NULL) != RBS_OK)
			continue;
		for (size_t i = 0; i < PAGE; i += 8) {
			uint64_t pointer = rbs_target_get_uint(&self->target, page + i, 8);

			if (!is_page_pointer(pointer))
				continue;
			if (!*left)
				return rbs_error_set(err, RBS_LIMIT,
						     "too many pointers to pages: no VMCOREINFO "
						     "was found behind the first %u",
						     POINTER_LIMIT);
			--*left;
			*found = at + i;
			if (vmcoreinfo_take(self, pointer))
				return RBS_OK;
		}
	}
	return rbs_error_set(err, RBS_UNSUPPORTED,
			     "no VMCOREINFO is in its memory: not a Linux kernel, or built without "
			     "CONFIG_VMCORE_INFO");
}

static enum rbs_code vmcoreinfo_find(struct tables_target *self, unsigned *left,
				     struct rbs_error *err)
{
	uint64_t at, address;
	enum rbs_code code;

	rbs_target_pages_record(self->machine, false);
	code = image_search(self, left, &at, err);
	rbs_target_pages_record(self->machine, true);
	if (code != RBS_OK)
		return code;
	/* Once more for the record, with an empty cache: the page tables belong to it. */
	rbs_x86_walk_init(&self->walk, self->machine, self->walk.root, self->walk.levels);
	code = rbs_target_read_pointer(&self->target, at, &address, err);
	if (code == RBS_OK && (!is_page_pointer(address) || !vmcoreinfo_take(self, address)))
		code = rbs_error_set(err, RBS_IO, "VMCOREINFO cannot be read again");
	return code;
}

static enum rbs_code kernel_open(struct rbs_target *machine, uint64_t root, bool five,
				 unsigned *left, struct rbs_target **target, struct rbs_error *err)
{
	struct tables_target *self = calloc(1, sizeof(*self));
	enum rbs_code code;

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &tables_ops;
	self->target.info = machine->info;
	self->machine = machine;
	rbs_x86_walk_init(&self->walk, machine, root, five ? 5 : 4);
	code = vmcoreinfo_find(self, left, err);
	if (code != RBS_OK) {
		free(self);
		return code;
	}
	rbs_vmcoreinfo_text(&self->target, "OSRELEASE", self->target.info.release,
			    sizeof(self->target.info.release));
	*target = &self->target;
	return RBS_OK;
}

enum rbs_code rbs_tables_kernel_open(struct rbs_target *machine, uint64_t root, bool five,
				     struct rbs_target **target, struct rbs_error *err)
{
	unsigned left = POINTER_LIMIT;

	return kernel_open(machine, root, five, &left, target, err);
}

bool rbs_tables_kernel_of_cpus(struct rbs_target *dump, struct rbs_target **target)
{
	struct rbs_xen_notes notes = {0};
	unsigned left = POINTER_LIMIT;
	bool found = false;

	if (strcmp(dump->info.arch, "x86_64") != 0)
		return false;
	if (rbs_xen_notes_init(&notes, rbs_kdump_fd(dump), NULL) == RBS_OK) {
		for (size_t i = 0; i < notes.cr3_count && !found; i++)
			found = kernel_open(dump, notes.cr3[i],
					    (notes.cr4[i] & RBS_X86_CR4_LA57) != 0, &left, target,
					    NULL) == RBS_OK;
	}
	rbs_xen_notes_deinit(&notes);
	return found;
}

void rbs_tables_kernel_own(struct rbs_target *target)
{
	tables_target_from(target)->owns_machine = true;
}
