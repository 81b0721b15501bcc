/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "extensions/crash_target.h"

#include <ctype.h>
#include <defs.h>
#include <inttypes.h>

#include "extensions/crash_guard.h"
#include "lib/target/page_set.h"

/*
 * crash keeps 16 decompressed pages of a compressed dump (DISKDUMP_CACHED_PAGES), and walks the
 * page tables anew for every address: probes read many small things of few pages.
 */
#define CACHE_BYTES (4u << 20)
#define TLB_SIZE 1024 /* a power of two */

/* VMCOREINFO is one page in all kernels so far; arm64's may be 64 KiB. */
#define VMCOREINFO_LIMIT (64u << 10)

struct translation {
	uint64_t virtual_page; /* page number + 1; 0 is empty */
	uint64_t physical;     /* address of the page */
};

struct crash_target {
	struct rbs_target target;
	char *vmcoreinfo;
	struct rbs_page_set pages;
	bool keeps; /* false on a live system, where memory changes */
	struct translation tlb[TLB_SIZE];
	uint64_t *cached; /* cache_slots page numbers + 1 */
	uint8_t *cache;	  /* their pages */
	size_t cache_slots;
};

static struct crash_target *crash_target_from(struct rbs_target *target)
{
	return (struct crash_target *)target;
}

struct translate_call {
	uint64_t address;
	int verbose;
	physaddr_t physical;
	bool mapped;
};

static void translate_run(void *argument)
{
	struct translate_call *call = argument;

	call->mapped = IS_KVADDR(call->address) &&
		       kvtop(CURRENT_CONTEXT(), call->address, &call->physical, call->verbose);
}

/*
 * Of the direct map and the kernel's image crash only subtracts the start, also from addresses
 * beyond their ends. It looks into the page tables when it is to print them: here, into nowhere.
 * False when one is not in the dump.
 */
static bool page_tables_walk(struct translate_call *call)
{
	FILE *out = fp;
	bool returned;

	call->verbose = 1;
	fp = pc->nullfp;
	returned = rbs_crash_try(translate_run, call);
	fp = out;
	call->verbose = 0;
	return returned;
}

static enum rbs_code page_translate(struct crash_target *self, uint64_t page, uint64_t *physical,
				    struct rbs_error *err)
{
	uint64_t number = page / self->target.info.page_size;
	struct translation *slot = &self->tlb[number % TLB_SIZE];
	struct translate_call call = {.address = page};

	if (self->keeps && slot->virtual_page == number + 1) {
		*physical = slot->physical;
		return RBS_OK;
	}
	/* x86_64_kvtop() and its like read page tables with FAULT_ON_ERROR: both calls may jump. */
	if (!page_tables_walk(&call) && !rbs_crash_try(translate_run, &call))
		return rbs_error_set_at(err, RBS_EXCLUDED, page,
					"a page table of %" PRIx64 " is not in the dump", page);
	if (!call.mapped)
		return rbs_error_set_at(err, RBS_UNMAPPED, page,
					"%" PRIx64 " is not mapped: no translation", page);
	slot->virtual_page = number + 1;
	slot->physical = call.physical;
	*physical = call.physical;
	return RBS_OK;
}

struct read_call {
	uint64_t physical;
	void *buffer;
	size_t size;
	bool done;
};

static void read_run(void *argument)
{
	struct read_call *call = argument;

	call->done = readmem(call->physical, PHYSADDR, call->buffer, (long)call->size, "rbstats",
			     RETURN_ON_ERROR | QUIET);
}

/* named is the address that the caller asked for. */
static enum rbs_code physical_read(struct crash_target *self, uint64_t physical, uint64_t named,
				   void *buffer, size_t size, struct rbs_error *err)
{
	struct read_call call = {.physical = physical, .buffer = buffer, .size = size};

	if (rbs_page_set_add(&self->pages, physical / self->target.info.page_size))
		self->target.stats.pages_read++;
	if (rbs_crash_try(read_run, &call) && call.done)
		return RBS_OK;
	return rbs_error_set_at(err, RBS_EXCLUDED, named,
				"the page of %" PRIx64 " (physical %" PRIx64
				") was excluded from the dump",
				named, physical);
}

/* Part of one page, by way of the cache. */
static enum rbs_code cached_read(struct crash_target *self, uint64_t physical, uint64_t named,
				 void *buffer, size_t size, struct rbs_error *err)
{
	uint64_t page_size = self->target.info.page_size;
	uint64_t number = physical / page_size;
	size_t slot = number % self->cache_slots;
	uint8_t *page = self->cache + slot * page_size;

	if (self->cached[slot] != number + 1) {
		enum rbs_code code;

		self->cached[slot] = 0;
		code = physical_read(self, number * page_size, named, page, page_size, err);
		if (code != RBS_OK)
			return code;
		self->cached[slot] = number + 1;
	}
	memcpy(buffer, page + physical % page_size, size);
	return RBS_OK;
}

static enum rbs_code crash_target_read(struct rbs_target *target, enum rbs_space space,
				       uint64_t address, void *buffer, size_t length,
				       struct rbs_error *err)
{
	struct crash_target *self = crash_target_from(target);
	uint64_t page_size = target->info.page_size;
	uint8_t *to = buffer;

	while (length) {
		uint64_t offset = address % page_size;
		size_t step = rbs_page_part(address, length, page_size);
		uint64_t physical = address - offset;
		enum rbs_code code = RBS_OK;

		if (space == RBS_KERNEL_VIRTUAL)
			code = page_translate(self, address - offset, &physical, err);
		if (code != RBS_OK)
			return code;
		physical += offset;
		/* Whole pages are of tables that are read once (BTF, kallsyms). */
		if (!self->keeps || step == page_size)
			code = physical_read(self, physical, address, to, step, err);
		else
			code = cached_read(self, physical, address, to, step, err);
		if (code != RBS_OK)
			return code;
		to += step;
		address += step;
		length -= step;
	}
	return RBS_OK;
}

static const char *crash_target_vmcoreinfo(struct rbs_target *target)
{
	return crash_target_from(target)->vmcoreinfo;
}

static bool crash_target_interrupted(struct rbs_target *target)
{
	(void)target;
	return rbs_crash_interrupted();
}

static void crash_target_destroy(struct rbs_target *target)
{
	struct crash_target *self = crash_target_from(target);

	rbs_page_set_deinit(&self->pages);
	free(self->vmcoreinfo);
	free(self->cached);
	free(self->cache);
	free(self);
}

static const struct rbs_target_ops crash_ops = {
	.read = crash_target_read,
	.vmcoreinfo = crash_target_vmcoreinfo,
	.interrupted = crash_target_interrupted,
	.destroy = crash_target_destroy,
};

static char *text_read(struct rbs_target *target, uint64_t address, uint64_t size)
{
	static const char first[] = "OSRELEASE="; /* crash_save_vmcoreinfo_init() */
	char *text = calloc(1, size + 1);

	if (text &&
	    rbs_target_read(target, RBS_KERNEL_VIRTUAL, address, text, size, NULL) == RBS_OK &&
	    !strncmp(text, first, strlen(first)))
		return text;
	free(text);
	return NULL;
}

/*
 * The kernel's own copy (kernel/crash_core.c, kernel/vmcore_info.c): there in dumps without a note,
 * too. vmcoreinfo_data points to it since "vmcore: guard against 'overwritten' vmcoreinfo" (4.13:
 * "crash: move crashkernel parsing and vmcore related code under CONFIG_CRASH_CORE"); before, it
 * was the array itself. The text says which.
 */
static char *vmcoreinfo_read(struct rbs_target *target)
{
	struct syment *data = kernel_symbol_search("vmcoreinfo_data");
	struct syment *length = kernel_symbol_search("vmcoreinfo_size");
	uint64_t address, size;
	char *text = NULL;

	if (!data || !length ||
	    rbs_target_read_pointer(target, length->value, &size, NULL) != RBS_OK || !size ||
	    size > VMCOREINFO_LIMIT)
		return NULL;
	if (rbs_target_read_pointer(target, data->value, &address, NULL) == RBS_OK)
		text = text_read(target, address, size);
	return text ? text : text_read(target, data->value, size);
}

/* uname's word; a session on a hypervisor has no uname, only crash's own word. */
static void arch_fill(struct rbs_target_info *info)
{
	const char *name = kt->utsname.machine;

	if (!*name)
		name = strcmp(MACHINE_TYPE, "ARM64") ? MACHINE_TYPE : "aarch64";
	snprintf(info->arch, sizeof(info->arch), "%.*s", (int)sizeof(info->arch) - 1, name);
	for (char *letter = info->arch; *letter; letter++)
		*letter = (char)tolower((unsigned char)*letter);
}

static void info_fill(struct rbs_target_info *info)
{
	const char *path = ACTIVE() ? pc->live_memsrc : pc->dumpfile;

	snprintf(info->path, sizeof(info->path), "%s", path ? path : "");
	snprintf(info->format, sizeof(info->format), "crash session");
	snprintf(info->release, sizeof(info->release), "%s", kt->utsname.release);
	arch_fill(info);
	/* crash only opens dumps of the byte order that it runs on. */
	info->byte_order = __BYTE_ORDER == __LITTLE_ENDIAN ? RBS_LITTLE_ENDIAN : RBS_BIG_ENDIAN;
	info->word_size = sizeof(long);
	info->page_size = PAGESIZE();
}

enum rbs_code rbs_crash_target_create(struct rbs_target **target, struct rbs_error *err)
{
	struct crash_target *self = calloc(1, sizeof(*self));

	if (!self)
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	self->target.ops = &crash_ops;
	rbs_page_set_init(&self->pages);
	info_fill(&self->target.info);
	self->keeps = !ACTIVE();
	self->cache_slots = CACHE_BYTES / self->target.info.page_size;
	self->cached = calloc(self->cache_slots, sizeof(*self->cached));
	self->cache = malloc(CACHE_BYTES);
	if (!self->cached || !self->cache) {
		crash_target_destroy(&self->target);
		return rbs_error_set(err, RBS_NOMEM, "out of memory");
	}
	self->vmcoreinfo = vmcoreinfo_read(&self->target);
	*target = &self->target;
	return RBS_OK;
}
