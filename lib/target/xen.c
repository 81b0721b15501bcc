/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/target/xen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/target/x86_walk.h"
#include "lib/target/xen_find.h"

struct xen_target {
	struct rbs_target target;
	struct rbs_target *machine;
	bool owns_machine;
	struct rbs_x86_walk walk;
	uint64_t phys_start;
	char *note; /* the text of an excerpt's VMCOREINFO_XEN */
};

static struct xen_target *xen_target_from(struct rbs_target *target)
{
	return (struct xen_target *)target;
}

static enum rbs_code xen_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
			      void *buffer, size_t length, struct rbs_error *err)
{
	struct xen_target *self = xen_target_from(target);

	if (space == RBS_PHYSICAL)
		return rbs_target_read(self->machine, space, address, buffer, length, err);
	return rbs_x86_read(&self->walk, address, buffer, length, err);
}

/* VMCOREINFO is a Linux kernel's: the hypervisor has none. */
static const char *xen_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static const char *xen_note(struct rbs_target *target, const char **name)
{
	*name = "VMCOREINFO_XEN";
	return xen_target_from(target)->note;
}

static const struct rbs_page_set *xen_pages(const struct rbs_target *target)
{
	return rbs_target_pages(((const struct xen_target *)target)->machine);
}

static bool xen_interrupted(struct rbs_target *target)
{
	return rbs_target_interrupted(xen_target_from(target)->machine);
}

static void xen_destroy(struct rbs_target *target)
{
	struct xen_target *self = xen_target_from(target);

	if (self->owns_machine)
		rbs_target_destroy(self->machine);
	free(self->note);
	free(self);
}

static const struct rbs_target_ops xen_ops = {
	.read = xen_read,
	.vmcoreinfo = xen_vmcoreinfo,
	.note = xen_note,
	.pages = xen_pages,
	.interrupted = xen_interrupted,
	.destroy = xen_destroy,
};

/* What there was, and our own lines: the excerpt has no other notes. */
static bool note_make(struct xen_target *self, const struct rbs_xen_notes *notes)
{
	const char *kept = notes && notes->vmcoreinfo ? notes->vmcoreinfo : "";
	const char *own = strstr(kept, RBS_XEN_OWN_PREFIX);
	int length = own ? (int)(own - kept) : (int)strlen(kept);
	bool ended = !length || kept[length - 1] == '\n';
	char version[80] = "";

	if (notes && notes->has_version)
		snprintf(version, sizeof(version), RBS_XEN_VERSION_KEY "=%" PRIu64 ".%" PRIu64 "\n",
			 notes->major, notes->minor);
	return asprintf(&self->note, "%.*s%s" RBS_XEN_PHYS_START_KEY "=%" PRIx64 "\n%s", length,
			kept, ended ? "" : "\n", self->phys_start, version) >= 0;
}

enum rbs_code rbs_xen_target_create(struct rbs_target *machine,
				    const struct rbs_xen_options *options,
				    struct rbs_target **target, struct rbs_error *err)
{
	const struct rbs_xen_notes *notes = options->notes;
	struct rbs_xen_place place;
	struct xen_target *self;
	enum rbs_code code = rbs_xen_find(machine, options, &place, err);

	if (code != RBS_OK)
		return code;
	self = calloc(1, sizeof(*self));
	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &xen_ops;
	self->target.info = machine->info;
	self->target.info.release[0] = '\0';
	if (notes && notes->has_version)
		snprintf(self->target.info.release, sizeof(self->target.info.release),
			 "Xen %" PRIu64 ".%" PRIu64, notes->major, notes->minor);
	self->machine = machine;
	self->phys_start = place.phys_start;
	rbs_x86_walk_init(&self->walk, machine, place.root, 4);
	if (!note_make(self, notes)) {
		free(self);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	*target = &self->target;
	return RBS_OK;
}

void rbs_xen_target_own(struct rbs_target *target, struct rbs_target *machine)
{
	struct xen_target *self = xen_target_from(target);

	self->machine = machine;
	self->owns_machine = true;
}

struct rbs_target *rbs_xen_target_machine(struct rbs_target *target)
{
	return target->ops == &xen_ops ? xen_target_from(target)->machine : NULL;
}

uint64_t rbs_xen_phys_start(const struct rbs_target *target)
{
	return ((const struct xen_target *)target)->phys_start;
}
