/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extensions/crash_machine.h"

#include <defs.h>
#include <inttypes.h>

#include "extensions/crash_guard.h"

struct read_call {
	uint64_t address;
	void *buffer;
	size_t size;
	bool done;
};

static void read_run(void *argument)
{
	struct read_call *call = argument;

	call->done = readmem(call->address, XENMACHADDR, call->buffer, (long)call->size, "rbstats",
			     RETURN_ON_ERROR | QUIET);
}

static enum rbs_code machine_read(struct rbs_target *target, enum rbs_space space, uint64_t address,
				  void *buffer, size_t length, struct rbs_error *err)
{
	struct read_call call = {.address = address, .buffer = buffer, .size = length};
	ulong flags = pc->curcmd_flags;
	bool done;

	(void)target;
	if (space != RBS_PHYSICAL)
		return rbs_error_set_at(err, RBS_UNMAPPED, address,
					"%" PRIx64 ": only machine addresses are read here",
					address);
	/* What some of crash's readers look at instead of the type of memory. */
	pc->curcmd_flags |= XEN_MACHINE_ADDR;
	done = rbs_crash_try(read_run, &call) && call.done;
	pc->curcmd_flags = flags;
	if (done)
		return RBS_OK;
	return rbs_error_set_at(err, RBS_EXCLUDED, address,
				"the page of machine address %" PRIx64 " is not in the dump",
				address);
}

static const char *machine_vmcoreinfo(struct rbs_target *target)
{
	(void)target;
	return NULL;
}

static bool machine_interrupted(struct rbs_target *target)
{
	(void)target;
	return rbs_crash_interrupted();
}

static void machine_destroy(struct rbs_target *target)
{
	free(target);
}

static const struct rbs_target_ops machine_ops = {
	.read = machine_read,
	.vmcoreinfo = machine_vmcoreinfo,
	.interrupted = machine_interrupted,
	.destroy = machine_destroy,
};

enum rbs_code rbs_crash_machine_create(struct rbs_target **target, struct rbs_error *err)
{
	struct rbs_target *self;

	if (!XEN())
		return rbs_error_set(err, RBS_UNSUPPORTED,
				     "crash's session is not on Xen: --xen-syms has nothing to be "
				     "read from");
	self = calloc(1, sizeof(*self));
	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->ops = &machine_ops;
	snprintf(self->info.path, sizeof(self->info.path), "%s", pc->dumpfile ? pc->dumpfile : "");
	snprintf(self->info.format, sizeof(self->info.format), "crash session");
	snprintf(self->info.arch, sizeof(self->info.arch), "x86_64");
	self->info.byte_order = RBS_LITTLE_ENDIAN;
	self->info.word_size = 8;
	self->info.page_size = 4096;
	*target = self;
	return RBS_OK;
}
